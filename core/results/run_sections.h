// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sections that a result document and each of its ranks have: how a run ended, its step times, its memory. Plain data,
// used by everything that reads or shows results.
#pragma once

#include "core/results/component.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class RunStatus { Complete, Interrupted, OverBudget, Failed };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<RunStatus>{"complete", "interrupted", "over_budget",
                                                                       "failed"};
inline constexpr auto& runStatusFromName = fromName<RunStatus>;
// 0, 4, 3, 1: what a command that made this result exits with.
int exitStatus(RunStatus status);

struct Timing {
    std::vector<double> stepSeconds; // measured steps, in order; empty where an imported file has one figure for all
    double medianStepSeconds = 0;
    std::vector<double> warmupSeconds;
    bool traced = true; // the memory ledger was recording
};

// Allocations (+bytes), frees (-bytes) and changes of purpose (a -/+ pair at one time), in order of time.
// Summed from the first entry they give every component's live bytes, never below zero.
struct TimelineData {
    std::vector<double> timeSeconds; // since the start of the run
    std::vector<std::int64_t> deltaBytes;
    std::vector<Component> component;
    bool merged = false; // more than a million events were merged: exact at the times given, peak kept

    std::size_t size() const { return timeSeconds.size(); }
};

struct Snapshot {
    std::string name;
    std::optional<Phase> phase;
    std::int64_t step = 0;
    double timeSeconds = 0;
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0;
    std::optional<std::int64_t> maxAllocatedBytes{}; // the highest since the allocator's last reset, where it was read
};

// The start of a phase; it lasts until the next mark.
struct PhaseMark {
    Phase phase = Phase::Load;
    std::int64_t step = 0; // -1 before the first step; warm-up steps count
    double timeSeconds = 0;
};

struct ModuleUsage {
    std::string name;
    std::optional<ModuleKind> kind;
    std::int64_t parameterBytes = 0;
    std::int64_t gradientBytes = 0;
    std::int64_t activationBytes = 0; // largest sum of activations alive at one time that this module made
    std::int64_t peakBytes = 0;       // largest sum of all live bytes that belong to this module
    double forwardSeconds = 0;        // of the last measured step
    double backwardSeconds = 0;
    std::optional<ComponentBytes> atPeak = {}; // live bytes when the run's total was highest; nothing: not recorded
};

struct OperatorUsage {
    std::string name; // "aten::mm"
    std::optional<Phase> phase;
    std::int64_t count = 0;          // calls
    std::int64_t allocatedBytes = 0; // sum of what its calls allocated
    std::int64_t peakBytes = 0;      // largest sum of its allocations alive at one time
    double seconds = 0;              // own time, callees excluded
};

// An extra band that the experiment asked for ("marks"); it overlaps the components.
struct MarkUsage {
    std::string name;
    std::int64_t peakBytes = 0;      // its own maximum
    std::int64_t bytesAtPeak = 0;    // at the run's peak
    std::vector<double> timeSeconds; // steps of its curve
    std::vector<std::int64_t> bytes;
};

// Whose the bytes of each entry of the timeline are, where that was recorded: by numbers from 1 on in these names; 0:
// nobody's. All or none of the columns are as long as the timeline; stacks only where they were asked for.
struct EventOwners {
    std::vector<std::string> modules, operators, lines;
    std::vector<std::uint32_t> module, operation, line;
    std::vector<std::string> stacks{};
    std::vector<std::uint32_t> stack{};

    bool empty() const { return module.empty(); }
};

// A row a step of a run of which the timeline holds a part. All columns are equally long.
struct StepTable {
    std::vector<std::int64_t> step, peakBytes;
    std::vector<std::int64_t> liveBytes; // at the step's end
    std::vector<double> seconds;
    std::vector<std::string> batchShape; // of the first tensor that the model was called with: "8x128"; empty: unknown

    bool empty() const { return step.empty(); }
};

struct MemorySection {
    std::int64_t peakBytes = 0; // CPU: handed out by the allocator; CUDA: requests plus rounding
    std::int64_t peakRequestedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    std::int64_t peakResidentBytes = 0; // of the whole worker process
    double peakTimeSeconds = 0;
    ComponentBytes peakComponents{}; // at the peak event; sums to peakBytes
    ComponentBytes maxComponents{};  // each component's own maximum
    TimelineData timeline;
    EventOwners owners;
    std::vector<PhaseMark> phases;
    std::vector<Snapshot> snapshots;
    std::vector<ModuleUsage> modules;
    std::vector<OperatorUsage> operators;
    std::vector<MarkUsage> marks;
    StepTable steps; // empty: not recorded
    // Members that an imported result's source does not have ("peak_reserved_bytes", "snapshots.reserved_bytes",
    // "peak_components.activations"): they are zero here, absent in the file and empty in tables. Own runs have them
    // all.
    std::vector<std::string> missing;

    bool has(std::string_view member) const;
};

} // namespace peakscope
