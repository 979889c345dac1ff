// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two or more runs side by side: their values by component, phase, module and operator, what of them cannot be compared
// and why, the settings in which they differ, and how the peak grows with a setting. Used by the Compare workspace and
// its figures; any thread.
#pragma once

#include "core/analysis/statistics/power_law.h"
#include "core/results/component_reading.h"
#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"
#include "core/results/sweeps/timed_round.h"
#include "core/results/tables.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct ComparedRun {
    std::shared_ptr<const RunResult> result;        // not null
    std::shared_ptr<const MemoryTimeline> timeline; // of the result; null: none
};

// In the order of their tables: what such comparisons are about comes first.
enum class ComparisonGroup { Totals, Times, Components, OwnMaxima, Phases, Modules, ModuleKinds, Operators };
inline constexpr std::size_t kComparisonGroupCount = 8;
template <>
inline constexpr std::array<std::string_view, kComparisonGroupCount> kEnumWords<ComparisonGroup>{
    "totals", "times", "components", "own_maxima", "phases", "modules", "module_kinds", "operators"};

// One quantity over all runs; nothing where a run's source does not have it, which is not the same as zero.
struct ComparedRow {
    std::string name;                          // "activations", "forward", "layers.0.fc1"
    std::string detail;                        // a module's kind, an operator's phase; else empty
    std::vector<std::optional<double>> values; // one a run: bytes, or seconds in the group Times
    // One a run where a quotient of the values is not what is known of two of them: the median of the ratios within
    // rounds, nothing where the machine was too busy. Empty: the quotient it is.
    std::vector<std::optional<double>> ratios = {};
    // One a run, of the step's time where runs took turns: what the ratio's rounds say. Empty: nothing of any run.
    std::vector<std::optional<RoundRatio>> inRounds = {};

    // How many times the base's value a run's is.
    std::optional<double> ratio(std::size_t run, std::size_t base) const;
};

// Why numbers of a run do not stand beside those of the base run as they are.
enum class Caveat {
    OtherKind,           // one is a curvature run or a plan
    NoMemory,            // no peak was measured
    PredictedOnly,       // its bytes are a prediction, or where `own` says so a bound
    OtherModel,          // `base` and `own`: the models
    OtherType,           // of numbers: dtype
    OtherDevice,         // CPU against CUDA: what counts as allocated differs
    OtherWork,           // batch or sequence: a step does something else
    Synthetic,           // made up by a random generator
    NotComplete,         // `own`: the status; its peak is the highest until it ended
    NoComponents,        // imported without components
    ComponentsAfterStep, // its components were read after the step and do not sum to the peak
    SomeComponents,      // `own`: those that its source does not have
    NoTimeline,
    OtherMerging,        // only one timeline was merged, or both at other moments
    PhasesFromSnapshots, // the phases' totals are those of single snapshots
    NoModules,
    OtherTiming,    // one was timed while the ledger recorded
    OtherStatistic, // `own`, `base`: mean against median
    NoTime,
    BusyMachine,   // times are not compared
    UnsteadyTimes, // `own`: the interval of the ratio of its time to the base's
};

struct ComparisonCaveat {
    Caveat kind = Caveat::NoMemory;
    std::size_t run = 0; // index
    std::string own;     // what this run has, where that needs words
    std::string base;    // what the base run has
};
// "Run B is another model (gpt2) than run A (opt-125m): bytes differ because the models do".
std::string text(const ComparisonCaveat& caveat, std::size_t base);

struct DifferentSetting {
    std::string path;                // "training.clipping"
    std::vector<std::string> values; // one a run; empty where a run does not say
};

// How a quantity grows with one setting, over all runs; only where nothing else differs and there are at least three
// values of it.
struct ScalingFit {
    std::string setting;  // "data.seq"
    std::string quantity; // "peak_bytes" or "step_seconds"
    std::vector<double> x, y;
    PowerLawFit fit;
};

struct RunComparison {
    std::size_t base = 0; // the run that the others are compared with
    std::size_t runs = 0;
    std::vector<ComparisonCaveat> caveats;
    std::vector<ComparedRow> groups[kComparisonGroupCount];
    std::vector<DifferentSetting> settings;
    std::vector<ScalingFit> fits;

    const std::vector<ComparedRow>& rows(ComparisonGroup group) const
    {
        return groups[static_cast<std::size_t>(group)];
    }
};

// The run that others are naturally compared with: the first one that trains without clipping, else the first.
std::size_t naturalBase(const std::vector<ComparedRun>& runs);

// Empty for no runs. `base` is an index of runs. A million events a run take well under a second.
RunComparison compareRuns(const std::vector<ComparedRun>& runs, std::size_t base = 0);

// The rows of one group as a table: name (component, phase, …), kind or phase where there is one, then a column a run
// ("A", "B", …), each but the base's followed by its difference and its ratio ("B-A", "B/A"); without a value where
// either side lacks one. Where runs took turns, the ratio's range and the rounds it is of follow: "2.07–2.40", "3 / 5".
Table comparisonTable(const RunComparison& comparison, ComparisonGroup group);
// setting, A, B, …: what the runs were told, where that differs.
Table settingsTable(const RunComparison& comparison);

// A, B, C, …, Z, AA, …
std::string comparisonLetter(std::size_t run);

// Whether a component of a run was measured at the peak; false for all where there is no peak.
bool hasComponent(const RunResult& result, Component component);
// What every training step of this set-up holds at once, whatever its method: parameters, one set of gradients,
// optimiser states, each at its own maximum (where the source has none: as read). 0 where a part is unknown.
std::int64_t memoryFloor(const RunResult& result);
// The least of the floors that are known: no run that knows its own goes below it. Of the others it says nothing.
struct SharedFloor {
    std::int64_t bytes = 0;      // 0 where no run knows its own
    std::vector<std::size_t> of; // the runs whose own it is
};
SharedFloor memoryFloor(const std::vector<ComparedRun>& runs);
// "B, C": whose floor it is, where not that of all `runs`; else empty.
std::string lettersOf(const SharedFloor& floor, std::size_t runs);
// Batch times sequence of an experiment; 0 where it does not say.
std::int64_t tokensPerStep(const nlohmann::json& experiment);

} // namespace peakscope
