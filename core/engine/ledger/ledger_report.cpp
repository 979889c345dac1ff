// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/ledger_report.h"

#include "core/base/wildcard.h"
#include "core/results/memory_timeline.h"
#include "core/results/usage_peaks.h"

#include <algorithm>

namespace peakscope {
namespace {

double seconds(std::int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) * 1e-9;
}

// Adapters are listed beside the attention or mlp they run in.
bool standsAlone(const Ledger::ModuleName& module)
{
    return module.parent == 0 || module.kind == ModuleKind::Lora;
}

// Follows all blocks through time and hands every change of live bytes to the parts below.
class Replay
{
public:
    Replay(const Ledger& ledger, const std::vector<MarkOptions>& marks)
    {
        ledger.copyAll(m_events, m_blocks);
        // Inner modules (the linear layers that marks ask for) count for the attention or mlp they are part of.
        const auto modules = ledger.moduleNames();
        for (std::size_t i = 0; i < modules.size(); ++i)
            m_owner.push_back(standsAlone(modules[i]) ? static_cast<ModuleId>(i) : modules[i].parent);
        m_component.reserve(m_blocks.size());
        for (const LedgerBlock& block : m_blocks)
            m_component.push_back(finalComponent(block));
        prepareMarks(ledger, marks);
    }

    void run()
    {
        for (const LedgerEvent& event : m_events)
            step(event);
    }

    const TimelineData& timeline() const { return m_usage.timeline(); }
    // `peakEntries`: of the timeline, until its peak.
    std::vector<ModuleUsage> modules(const Ledger& ledger, const OperatorTracer& tracer, std::size_t peakEntries) const;
    std::vector<OperatorUsage> operators(const Ledger& ledger, const OperatorTracer& tracer) const;
    std::vector<MarkUsage> takeMarks(double peakSeconds);
    EventOwners takeOwners(const Ledger& ledger);

private:
    std::vector<std::int64_t> backwardNanoseconds(const OperatorTracer& tracer) const;
    std::vector<std::int64_t> forwardNanoseconds(const std::vector<Ledger::ModuleName>& names,
                                                 const OperatorTracer& tracer) const;
    void prepareMarks(const Ledger& ledger, const std::vector<MarkOptions>& marks);
    void step(const LedgerEvent& event);
    void change(const LedgerEvent& event, std::int64_t bytes, Component component);
    void followOperator(const LedgerBlock& block, std::int64_t bytes);
    void followMarks(const LedgerEvent& event, const LedgerBlock& block, std::int64_t bytes);

    std::vector<LedgerEvent> m_events;
    std::vector<LedgerBlock> m_blocks;
    std::vector<Component> m_component; // of each block, as of the event reached
    UsagePeaks m_usage;
    EventOwners m_owners;          // without names
    std::vector<ModuleId> m_owner; // of each module: itself or its parent
    struct Mark {
        MarkUsage usage;
        std::vector<bool> modules, operators; // empty: any
        std::int64_t live = 0;
    };
    std::vector<Mark> m_marks;
};

void Replay::prepareMarks(const Ledger& ledger, const std::vector<MarkOptions>& marks)
{
    const auto modules = ledger.moduleNames();
    const auto operators = ledger.operatorNames();
    for (const MarkOptions& options : marks) {
        Mark mark;
        mark.usage.name = options.name;
        if (!options.module.empty()) {
            for (const auto& module : modules)
                mark.modules.push_back(!module.name.empty() && moduleMatches(options.module, module.name));
        }
        if (!options.operation.empty()) {
            for (const auto& operation : operators)
                mark.operators.push_back(!operation.empty() && wildcardMatches(options.operation, operation));
        }
        m_marks.push_back(std::move(mark));
    }
}

void Replay::step(const LedgerEvent& event)
{
    const LedgerBlock& block = m_blocks[event.block];
    switch (event.kind) {
    case LedgerEvent::Kind::Allocate:
        change(event, block.bytes, m_component[event.block]);
        followOperator(block, block.bytes);
        followMarks(event, block, block.bytes);
        break;
    case LedgerEvent::Kind::Free:
        change(event, -block.bytes, m_component[event.block]);
        followOperator(block, -block.bytes);
        followMarks(event, block, -block.bytes);
        break;
    case LedgerEvent::Kind::Tag: // already in its final component
        break;
    case LedgerEvent::Kind::Retag:
        if (m_component[event.block] == event.component)
            break;
        change(event, -block.bytes, m_component[event.block]);
        m_component[event.block] = event.component;
        change(event, block.bytes, event.component);
        break;
    }
}

void Replay::change(const LedgerEvent& event, std::int64_t bytes, Component component)
{
    const LedgerBlock& block = m_blocks[event.block];
    m_usage.change(seconds(event.nanoseconds), bytes, component, m_owner[block.module]);
    m_owners.module.push_back(m_owner[block.module]);
    m_owners.operation.push_back(block.operation);
}

void Replay::followOperator(const LedgerBlock& block, std::int64_t bytes)
{
    if (block.operation != 0)
        m_usage.changeOfOperator(block.operation, block.phase, bytes);
}

void Replay::followMarks(const LedgerEvent& event, const LedgerBlock& block, std::int64_t bytes)
{
    for (Mark& mark : m_marks) {
        if (!mark.modules.empty() && (block.module >= mark.modules.size() || !mark.modules[block.module]))
            continue;
        if (!mark.operators.empty() && (block.operation >= mark.operators.size() || !mark.operators[block.operation]))
            continue;
        mark.live += bytes;
        mark.usage.peakBytes = std::max(mark.usage.peakBytes, mark.live);
        mark.usage.timeSeconds.push_back(seconds(event.nanoseconds));
        mark.usage.bytes.push_back(mark.live);
    }
}

std::vector<std::int64_t> Replay::backwardNanoseconds(const OperatorTracer& tracer) const
{
    std::vector<std::int64_t> sums(m_owner.size(), 0);
    const auto& times = tracer.moduleTimes();
    for (std::size_t i = 0; i < times.size() && i < m_owner.size(); ++i)
        sums[m_owner[i]] += times[i].backwardNanoseconds;
    return sums;
}

// A scope's time holds its inner ones'; those that are listed beside it take theirs out of it.
std::vector<std::int64_t> Replay::forwardNanoseconds(const std::vector<Ledger::ModuleName>& names,
                                                     const OperatorTracer& tracer) const
{
    const auto& times = tracer.moduleTimes();
    std::vector<std::int64_t> sums(names.size(), 0);
    for (std::size_t i = 0; i < times.size() && i < sums.size(); ++i) {
        sums[i] += times[i].forwardNanoseconds;
        if (names[i].parent != 0 && standsAlone(names[i]))
            sums[m_owner[names[i].parent]] -= times[i].forwardNanoseconds;
    }
    return sums;
}

std::vector<ModuleUsage> Replay::modules(const Ledger& ledger, const OperatorTracer& tracer,
                                         std::size_t peakEntries) const
{
    std::vector<ModuleUsage> held = m_usage.modules(peakEntries);
    const auto names = ledger.moduleNames();
    ModuleUsage none;
    none.atPeak = ComponentBytes{};
    held.resize(names.size(), none);
    std::vector<ModuleUsage> usages;
    const auto backward = backwardNanoseconds(tracer);
    const auto forward = forwardNanoseconds(names, tracer);
    std::vector<std::int64_t> shared(names.size(), 0); // of a module and those within it
    for (std::size_t i = 1; i < names.size(); ++i)
        shared[m_owner[i]] += names[i].sharedBytes;
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (!standsAlone(names[i]))
            continue;
        ModuleUsage usage = std::move(held[i]);
        usage.name = names[i].name;
        usage.kind = names[i].kind;
        usage.parameterBytes += shared[i];
        usage.peakBytes += shared[i];
        (*usage.atPeak)[static_cast<std::size_t>(Component::Parameters)] += shared[i];
        usage.forwardSeconds = seconds(forward[i]);
        usage.backwardSeconds = seconds(backward[i]);
        usages.push_back(std::move(usage));
    }
    return usages;
}

std::vector<OperatorUsage> Replay::operators(const Ledger& ledger, const OperatorTracer& tracer) const
{
    const auto names = ledger.operatorNames();
    auto rows = m_usage.operators();
    for (std::size_t id = 1; id < tracer.operatorCount() && id < names.size(); ++id) {
        for (std::size_t p = 0; p < kPhaseCount; ++p) {
            const auto key = std::make_pair(static_cast<std::uint32_t>(id), static_cast<Phase>(p));
            const OperatorTime time = tracer.operatorTime(static_cast<OperatorId>(id), key.second);
            if (time.calls == 0)
                continue;
            rows[key].count = time.calls;
            rows[key].seconds = seconds(time.nanoseconds);
        }
    }
    std::vector<OperatorUsage> usages;
    for (auto& [key, usage] : rows) {
        usage.name = names[key.first];
        usage.phase = key.second;
        usages.push_back(std::move(usage));
    }
    std::stable_sort(usages.begin(), usages.end(), [](const OperatorUsage& a, const OperatorUsage& b) {
        return a.allocatedBytes > b.allocatedBytes;
    });
    return usages;
}

std::vector<MarkUsage> Replay::takeMarks(double peakSeconds)
{
    // A curve for the eye: beyond this many points every n-th stands, and the largest.
    constexpr std::size_t kMarkPoints = 20000;
    std::vector<MarkUsage> usages;
    for (Mark& mark : m_marks) {
        MarkUsage usage = std::move(mark.usage);
        const auto after = std::upper_bound(usage.timeSeconds.begin(), usage.timeSeconds.end(), peakSeconds);
        if (after != usage.timeSeconds.begin())
            usage.bytesAtPeak = usage.bytes[static_cast<std::size_t>(after - usage.timeSeconds.begin()) - 1];
        if (usage.bytes.size() > kMarkPoints) {
            MarkUsage thin{usage.name, usage.peakBytes, usage.bytesAtPeak, {}, {}};
            const std::size_t stride = usage.bytes.size() / kMarkPoints + 1;
            for (std::size_t i = 0; i < usage.bytes.size(); ++i) {
                if (i % stride == 0 || usage.bytes[i] == usage.peakBytes || i + 1 == usage.bytes.size()) {
                    thin.timeSeconds.push_back(usage.timeSeconds[i]);
                    thin.bytes.push_back(usage.bytes[i]);
                }
            }
            usage = std::move(thin);
        }
        usages.push_back(std::move(usage));
    }
    return usages;
}

// Numbers are the ledger's own, where 0 is nobody, too; no line is known.
EventOwners Replay::takeOwners(const Ledger& ledger)
{
    EventOwners owners = std::move(m_owners);
    const auto modules = ledger.moduleNames();
    for (std::size_t i = 1; i < modules.size(); ++i)
        owners.modules.push_back(modules[i].name);
    const auto operators = ledger.operatorNames();
    for (std::size_t i = 1; i < operators.size(); ++i)
        owners.operators.push_back(operators[i]);
    owners.line.resize(owners.module.size());
    return owners;
}

} // namespace

Component finalComponent(const LedgerBlock& block)
{
    if (block.tagged)
        return block.component;
    // What an operator took and nothing gave back until the run was torn down is a library's own: cuBLAS keeps a
    // workspace for every thread that calls it.
    if (!block.freed && block.operation != 0)
        return Component::Workspace;
    // Graphs, tangents and vectors of second derivatives; what dies within one backward node or call is workspace.
    if (block.phase == Phase::Curvature)
        return block.freed && block.diedInScope ? Component::Workspace : Component::Hessian;
    switch (block.scopeKind) {
    case ScopeKind::Forward:
    case ScopeKind::Recompute:
        // What dies before its forward pass ends was kept by no graph.
        return block.freed && block.diedInScope ? Component::Workspace : Component::Activations;
    case ScopeKind::Node:
        return block.freed && block.diedInScope ? Component::Workspace : Component::ActivationGradients;
    case ScopeKind::None:
        break;
    }
    // The seed of backward and what the engine adds up between nodes.
    if (block.phase == Phase::Backward)
        return Component::ActivationGradients;
    return block.freed ? Component::Workspace : Component::Other;
}

MemorySection memorySection(const Ledger& ledger, const OperatorTracer& tracer, const std::vector<MarkOptions>& marks)
{
    Replay replay(ledger, marks);
    replay.run();
    MemorySection section;
    section.operators = replay.operators(ledger, tracer);
    const MemoryTimeline timeline(replay.timeline());
    section.modules = replay.modules(ledger, tracer, timeline.peakEntries());
    section.peakBytes = section.peakReservedBytes = timeline.peakBytes();
    section.peakRequestedBytes = timeline.peakBytesWithout(Component::Rounding);
    section.peakTimeSeconds = timeline.size() > 0 ? timeline.peakSeconds() : 0;
    section.peakComponents = timeline.peakComponents();
    section.maxComponents = timeline.maxComponents();
    section.timeline = timeline.data();
    if (!section.timeline.merged)
        section.owners = replay.takeOwners(ledger);
    section.marks = replay.takeMarks(section.peakTimeSeconds);
    for (const Ledger::Mark& mark : ledger.marks())
        section.phases.push_back({mark.phase, mark.step, seconds(mark.nanoseconds)});
    return section;
}

} // namespace peakscope
