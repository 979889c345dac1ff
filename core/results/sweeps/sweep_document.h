// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep: one experiment over a grid of keys, what each point measured, and the pictures' view of it (heat map,
// trends). Written by `sweep`, read by the window, the figures and `convert`, which see imported sweeps the same way.
// Plain data; any thread.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// What stands in a cell. Predicted: not run, because a smaller point over the budget and the estimate both say that it
// would not fit; it is never called measured.
enum class SweepCellState { Missing, Waiting, Measured, OverBudget, PredictedOverBudget, Impossible, Failed };
template <>
inline constexpr std::array<std::string_view, 7> kEnumWords<SweepCellState>{
    "missing", "waiting", "measured", "over_budget", "predicted_over_budget", "impossible", "failed"};
// In tables, of points that ran dry: in place of "measured" and "over_budget".
inline constexpr std::string_view kDryCell = "dry_run", kDryOverCell = "does_not_fit";

// The status of an impossible point: nothing ran that could fail.
inline constexpr const char* kSweepLeftOut = "left_out";

struct SweepPoint {
    nlohmann::json values = nlohmann::json::object(); // key -> value
    std::string status = "waiting";                   // waiting, left_out (impossible), or that of a result
    bool measured = false;                            // a process ran for it
    bool impossible = false;                          // no experiment has these values together
    std::optional<std::int64_t> peakBytes;
    std::optional<std::int64_t> predictedPeakBytes;
    std::optional<std::int64_t> neededBytes; // over budget: what would have been live with the refused allocation
    std::map<std::string, std::int64_t> components; // at the peak, zeros left out
    // Measurements of time: all that differs between two runs of one sweep, each name ending in _seconds.
    std::optional<double> medianStepSeconds;
    std::optional<double> spreadSeconds; // median absolute deviation of the measured steps
    std::vector<double> stepSeconds;     // of every repeat, in order
    std::vector<double> warmupSeconds;
    bool traced = true; // the times are of runs under the memory ledger
    std::string message;
    std::string file;                                // the memory run's result, beside sweep.json
    std::string timeFile;                            // that of the first run without tracing
    nlohmann::json other = nlohmann::json::object(); // members that this version does not know

    SweepCellState state() const;
};

struct SweepDocument {
    std::string status = "interrupted"; // complete where no point waits
    std::string message;
    nlohmann::json base = nlohmann::json::object(); // the experiment that the grid changes; empty for imported sweeps
    nlohmann::json grid = nlohmann::json::array();  // [{"key", "values"}] in the sweep's order
    std::vector<std::string> keys;
    std::int64_t repeats = 1;
    bool timing = false;                // memory runs and untraced time runs apart
    std::string overBudget = "measure"; // or "predict": points that must be over budget too are not run
    std::vector<SweepPoint> points;     // in the grid's order, the last key fastest

    bool dry() const; // on the stand-in of a card: nothing is measured
    bool complete() const;
    std::size_t finished() const; // points that no longer wait
};

inline constexpr int kSweepVersion = 1;

// A point as sweep.json holds it.
nlohmann::json sweepPointJson(const SweepPoint& point);
Result<SweepPoint> sweepPointFromJson(const nlohmann::json& json);

// The text of sweep.json: a line a point. Two sweeps of one grid on one machine give the same text but for members
// whose names end in _seconds.
std::string toJsonText(const SweepDocument& sweep);
Status saveSweep(const SweepDocument& sweep, const std::filesystem::path& path);
// A document with "points", as sweep.json and the section "sweep" of imported results have it. Wrong types are errors
// that name the JSON path.
Result<SweepDocument> sweepFromJson(const nlohmann::json& document);
Result<SweepDocument> loadSweep(const std::filesystem::path& path);
// Replaces the secrets of launchers, of the base and of what the grid puts into it: a word counts beside those that it
// stands with at a point, and is hidden everywhere where one of these makes it a secret.
void hideLauncherSecrets(SweepDocument& sweep);
// Of a result of kind "sweep"; an error where it holds none.
Result<SweepDocument> sweepOf(const RunResult& result);

// A sweep as a result document of kind "sweep", its points under other["sweep"].
RunResult sweepResult(const SweepDocument& sweep);

// What a cell can show: "peak_bytes", "peak_reserved_bytes", "median_step_seconds", "predicted_peak_bytes",
// "needed_bytes" and every component at the peak ("components.activations").
std::vector<std::string> sweepMeasures(const SweepDocument& sweep);
// "bytes" or "seconds".
std::string sweepUnit(const std::string& measure);
std::optional<double> sweepValue(const SweepPoint& point, const std::string& measure);
// Keys that take at least two values, in the sweep's order; the only one where there is one key.
std::vector<std::string> sweepAxes(const SweepDocument& sweep);
// The point's values of these keys; null where it has none.
nlohmann::json sweepVaried(const SweepPoint& point, const std::vector<std::string>& keys);
// A value as labels show it: text without quotes.
std::string sweepLabel(const nlohmann::json& value);

struct SweepCell {
    SweepCellState state = SweepCellState::Missing;
    std::optional<double> value; // for a cell over budget: what is known of it, at least the peak before the refusal
    std::size_t point = 0;       // index in the document where the state is not Missing
};

// One panel of a heat map: two keys, and fixed values of the others.
struct SweepHeatMap {
    std::string keyX, keyY;                          // keyY may be empty: one row
    std::vector<nlohmann::json> x, y;                // values in rising order (numbers) or in the sweep's (words)
    nlohmann::json fixed = nlohmann::json::object(); // other keys -> value
    std::vector<SweepCell> cells;                    // row-major [y][x]

    const SweepCell& at(std::size_t column, std::size_t row) const { return cells[row * x.size() + column]; }
};

// One panel for every combination of the other keys' values that occurs.
std::vector<SweepHeatMap> sweepHeatMaps(const SweepDocument& sweep, const std::string& keyX, const std::string& keyY,
                                        const std::string& measure);
// The two keys that show most where the user chose none: numeric ones first, the longest axes of those.
std::pair<std::string, std::string> defaultSweepAxes(const SweepDocument& sweep);

// A measure along one numeric key, the other keys fixed.
struct SweepTrend {
    nlohmann::json fixed = nlohmann::json::object();
    std::vector<double> x, y; // measured points, rising in x
};
std::vector<SweepTrend> sweepTrends(const SweepDocument& sweep, const std::string& key, const std::string& measure);
// "clipping flash, batch 4": the last parts of the keys with their values; empty for none.
std::string sweepSetting(const nlohmann::json& fixed);

// The table twin: a row a point, components in columns.
Table sweepPointsTable(const SweepDocument& sweep);

} // namespace peakscope
