// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/proofs/prove.h"

#include "core/base/terminal.h"
#include "core/cli/proofs/proof_cache.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

Result<DryProof> proveDry(const nlohmann::json& experiment, const std::string& device)
{
    nlohmann::json document = experiment;
    document["device"] = "dry:" + device;
    document["weights"] = "random";
    document.erase("launcher");               // a dry run is of this machine
    document["training"]["warmup_steps"] = 1; // states are born in the first step
    document["training"]["steps"] = 1;
    const auto read = experimentFromJson(document);
    if (!read)
        return read.error();
    const std::string key = proofKey(document);
    if (auto kept = keptProof(key))
        return std::move(*kept);
    ResultAssembler assembler;
    const auto end = runWorker(*read, [&assembler](const Event& event, std::string_view) { assembler.add(event); });
    if (!end)
        return end.error();
    if (end->cancelled)
        return Error{ErrorCode::Interrupted, "cancelled", ""};
    if (!assembler.ended())
        return failed("", end->sentence());
    const RunResult result = assembler.result();
    if (!result.memory || assembler.badInput())
        return failed("", result.message);
    DryProof proof{"dry:" + device, result.memory->peakBytes, result.memory->peakReservedBytes,
                   result.status == RunStatus::Complete};
    for (const RankSection& rank : result.ranks) {
        if (rank.memory)
            proof.reservedBytes = std::max(proof.reservedBytes, rank.memory->peakReservedBytes);
    }
    keepProof(key, proof);
    return proof;
}

Status prove(Recommendation& found)
{
    if (found.goal != Goal::Train && found.goal != Goal::DpSgd)
        return badInput("--prove", "runs training steps; give --goal train or dp-sgd");
    std::size_t number = 0;
    for (Strategy& strategy : found.strategies) {
        standardError().showProgress(fmt::format("dry run {} of {}", ++number, found.strategies.size()));
        auto proof = proveDry(strategy.experiment, found.device.id);
        if (!proof) {
            standardError().clearProgress();
            return badInput("--prove", proof.error().text());
        }
        strategy.proved = std::move(*proof);
    }
    standardError().clearProgress();
    applyProofs(found);
    return Done{};
}

} // namespace peakscope
