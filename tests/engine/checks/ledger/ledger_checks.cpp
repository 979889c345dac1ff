// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ledger/ledger_checks.h"

#include "core/base/wildcard.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/ledger_report.h"
#include "tests/engine/checks/ledger/device_checks.h"

#include <numeric>

namespace peakscope {
namespace {

std::int64_t bytesOf(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

std::int64_t sum(const ComponentBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

CheckResult same(const std::string& name, std::int64_t got, std::int64_t wanted)
{
    return {"ledger rules: " + name, got == wanted,
            got == wanted ? "" : "is " + std::to_string(got) + ", should be " + std::to_string(wanted)};
}

// A step by hand: what is kept beyond the forward pass, what dies in it, what flows backward, what becomes a gradient.
MemorySection handMadeStep(Ledger& ledger)
{
    ledger.start();
    ledger.setPhase(Phase::Load, -1);
    const BlockId weights = ledger.allocated(1000);
    ledger.tag(weights, Component::Parameters);
    ledger.setPhase(Phase::Data, 0);
    const BlockId tokens = ledger.allocated(64);
    ledger.tag(tokens, Component::Inputs);

    ledger.setPhase(Phase::Forward, 0);
    const std::uint32_t forward = ledger.openScope(ScopeKind::Forward);
    const BlockId kept = ledger.allocated(300);
    const BlockId scratch = ledger.allocated(50);
    ledger.released(scratch);
    ledger.closeScope(forward);

    ledger.setPhase(Phase::Backward, 0);
    const BlockId seed = ledger.allocated(4);
    const std::uint32_t first = ledger.openScope(ScopeKind::Node);
    const BlockId flowing = ledger.allocated(200);
    const BlockId inner = ledger.allocated(70);
    ledger.released(inner);
    ledger.closeScope(first);
    const std::uint32_t second = ledger.openScope(ScopeKind::Node);
    const std::uint32_t again = ledger.openScope(ScopeKind::Recompute);
    const BlockId recomputed = ledger.allocated(120);
    const BlockId passing = ledger.allocated(30);
    ledger.released(passing);
    ledger.closeScope(again);
    const BlockId gradient = ledger.allocated(1000);
    ledger.released(recomputed);
    ledger.closeScope(second);
    ledger.tag(gradient, Component::Gradients);
    ledger.released(flowing);
    ledger.released(seed);
    ledger.released(kept);

    ledger.setPhase(Phase::OptimizerStep, 0);
    const BlockId update = ledger.allocated(500);
    ledger.released(update);
    ledger.retag(gradient, Component::Workspace);
    for (const BlockId block : {gradient, tokens, weights})
        ledger.released(block);
    ledger.stop();
    return memorySection(ledger, OperatorTracer(), {});
}

} // namespace

std::vector<CheckResult> ledgerRuleChecks()
{
    Ledger ledger;
    const MemorySection section = handMadeStep(ledger);
    const ComponentBytes& most = section.maxComponents;
    // The peak stands when the gradient is born: 1000 + 64 + 300 + 4 + 200 + 120 + 1000.
    std::vector<CheckResult> results{
        same("the peak is the largest sum of live bytes", section.peakBytes, 2688),
        same("components at the peak sum to it", sum(section.peakComponents), 2688),
        same("tagged parameters", bytesOf(section.peakComponents, Component::Parameters), 1000),
        same("tagged inputs", bytesOf(section.peakComponents, Component::Inputs), 64),
        same("kept beyond forward, and recomputed", bytesOf(section.peakComponents, Component::Activations), 420),
        same("flowing backward, with its seed", bytesOf(section.peakComponents, Component::ActivationGradients), 204),
        same("a gradient is one from its birth", bytesOf(section.peakComponents, Component::Gradients), 1000),
        same("born and dead in one node, or one step", bytesOf(most, Component::Workspace), 1000),
        same("nothing is left over", bytesOf(most, Component::Other), 0),
    };
    // The retagged gradient turns into workspace in one step, so workspace's own maximum is the gradient's size, not
    // more: the update's 500 bytes were gone before.
    std::int64_t live = 0;
    for (const std::int64_t delta : section.timeline.deltaBytes)
        live += delta;
    results.push_back(same("everything freed leaves nothing", live, 0));
    results.push_back(
        {"ledger rules: patterns match whole names and their ends",
         wildcardMatches("layers.*.fc1", "layers.12.fc1") && !wildcardMatches("layers.*.fc1", "layers.1.fc2") &&
             moduleMatches("layers.?.mlp", "model.decoder.layers.3.mlp") && !moduleMatches("ers.3.mlp", "layers.3.mlp"),
         ""});
    for (CheckResult& check : deviceBlockChecks())
        results.push_back(std::move(check));
    return results;
}

} // namespace peakscope
