// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// sweep_document.h: measures, heat maps, trends and the table of a sweep.
#include "core/base/json/json_access.h"
#include "core/results/sweeps/snapshot_course.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"

#include "core/base/json/json_reader.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kComponentPrefix = "components.";
constexpr std::string_view kStagePrefix = "stages."; // of another program's script, as it called them

const Json* valueOf(const SweepPoint& point, const std::string& key)
{
    const auto found = point.values.find(key);
    return found == point.values.end() ? nullptr : &*found;
}

// Numbers rise; words stay in the order in which the sweep names them.
std::vector<Json> valuesOf(const SweepDocument& sweep, const std::string& key)
{
    std::vector<Json> values;
    for (const SweepPoint& point : sweep.points) {
        const Json* value = valueOf(point, key);
        if (value && std::find(values.begin(), values.end(), *value) == values.end())
            values.push_back(*value);
    }
    if (std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number(); })) {
        std::sort(values.begin(), values.end(),
                  [](const Json& a, const Json& b) { return a.get<double>() < b.get<double>(); });
    }
    return values;
}

bool isNumeric(const SweepDocument& sweep, const std::string& key)
{
    const std::vector<Json> values = valuesOf(sweep, key);
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number(); });
}

// The point's values without those of some keys and of keys that never change.
Json fixedValues(const SweepPoint& point, const std::vector<std::string>& axes, const std::string& a,
                 const std::string& b)
{
    Json fixed = Json::object();
    for (const std::string& key : axes) {
        const Json* value = valueOf(point, key);
        if (value && key != a && key != b)
            fixed[key] = *value;
    }
    return fixed;
}

TableCell cellOf(const Json& value)
{
    if (const auto whole = jsonInteger(value))
        return *whole;
    if (value.is_number())
        return value.get<double>();
    return sweepLabel(value);
}

TableCell cellOf(const std::optional<double>& value, bool whole)
{
    if (value && whole)
        return static_cast<std::int64_t>(*value);
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

} // namespace

bool anyTooBusy(const SweepDocument& sweep, std::string_view measure)
{
    return measure.ends_with("_seconds") &&
           std::any_of(sweep.points.begin(), sweep.points.end(),
                       [](const SweepPoint& point) { return tooBusy(roundsFromJson(point.other)); });
}

std::vector<std::string> sweepMeasures(const SweepDocument& sweep)
{
    std::vector<std::string> measures;
    for (const char* measure : {"peak_bytes", "peak_reserved_bytes", "median_step_seconds", "spread_seconds",
                                "predicted_peak_bytes", "needed_bytes", "total_seconds"}) {
        const bool any = std::any_of(sweep.points.begin(), sweep.points.end(),
                                     [measure](const SweepPoint& p) { return sweepValue(p, measure).has_value(); });
        if (any)
            measures.emplace_back(measure);
    }
    std::set<std::string> components;
    for (const SweepPoint& point : sweep.points) {
        for (const auto& [component, bytes] : point.components)
            components.insert(component);
    }
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const std::string component(name(static_cast<Component>(i)));
        if (components.contains(component))
            measures.push_back(std::string(kComponentPrefix) + component);
    }
    Json stages = Json::object(); // of all points
    std::vector<std::string> snapshots;
    for (const SweepPoint& point : sweep.points) {
        stages.update(lenient::object(point.other, "stages"));
        for (const Json& snapshot : lenient::array(point.other, "snapshots"))
            snapshots.push_back(lenient::text(snapshot, "name"));
    }
    for (const std::string& stage : stageOrder(stages, snapshots).stages)
        measures.push_back(std::string(kStagePrefix) + stage);
    return measures;
}

std::string sweepUnit(const std::string& measure)
{
    return measure.ends_with("_seconds") ? "seconds" : "bytes";
}

std::optional<double> sweepValue(const SweepPoint& point, const std::string& measure)
{
    const auto bytes = [](const std::optional<std::int64_t>& value) -> std::optional<double> {
        return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
    };
    if (measure == "peak_bytes")
        return bytes(point.peakBytes);
    if (measure == "predicted_peak_bytes")
        return bytes(point.predictedPeakBytes);
    if (measure == "needed_bytes")
        return bytes(point.neededBytes);
    if (measure == "median_step_seconds")
        return point.medianStepSeconds;
    if (measure == "spread_seconds")
        return point.spreadSeconds;
    if (measure.starts_with(kComponentPrefix)) {
        const auto found = point.components.find(measure.substr(kComponentPrefix.size()));
        if (found != point.components.end())
            return static_cast<double>(found->second);
        return point.components.empty() ? std::nullopt : std::optional<double>(0);
    }
    if (measure.starts_with(kStagePrefix))
        return jsonAs<double>(
            lenient::member(lenient::member(point.other, "stages"), measure.substr(kStagePrefix.size())));
    return jsonAs<double>(lenient::member(point.other, measure));
}

std::vector<std::string> sweepAxes(const SweepDocument& sweep)
{
    std::vector<std::string> axes;
    for (const std::string& key : sweep.keys) {
        if (valuesOf(sweep, key).size() > 1)
            axes.push_back(key);
    }
    if (axes.empty() && !sweep.keys.empty())
        axes.push_back(sweep.keys.front());
    return axes;
}

Json sweepVaried(const SweepPoint& point, const std::vector<std::string>& keys)
{
    Json varied = Json::object();
    for (const std::string& key : keys) {
        const Json* value = valueOf(point, key);
        varied[key] = value ? *value : Json();
    }
    return varied;
}

std::string sweepLabel(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : dumpJson(value);
}

std::vector<SweepHeatMap> sweepHeatMaps(const SweepDocument& sweep, const std::string& keyX, const std::string& keyY,
                                        const std::string& measure)
{
    const std::vector<std::string> axes = sweepAxes(sweep);
    const std::vector<Json> x = valuesOf(sweep, keyX);
    const std::vector<Json> y = keyY.empty() ? std::vector<Json>{Json()} : valuesOf(sweep, keyY);
    std::vector<SweepHeatMap> maps;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const SweepPoint& point = sweep.points[i];
        const Json* own[2] = {valueOf(point, keyX), keyY.empty() ? &y.front() : valueOf(point, keyY)};
        if (!own[0] || !own[1])
            continue;
        const Json fixed = fixedValues(point, axes, keyX, keyY);
        auto map = std::find_if(maps.begin(), maps.end(), [&](const SweepHeatMap& m) { return m.fixed == fixed; });
        if (map == maps.end()) {
            maps.push_back({keyX, keyY, x, y, fixed, std::vector<SweepCell>(x.size() * y.size())});
            map = maps.end() - 1;
        }
        const auto column = std::find(x.begin(), x.end(), *own[0]) - x.begin();
        const auto row = std::find(y.begin(), y.end(), *own[1]) - y.begin();
        SweepCell& cell = map->cells[static_cast<std::size_t>(row) * x.size() + static_cast<std::size_t>(column)];
        cell = {point.state(), sweepValue(point, measure), i};
        if (!cell.value && point.state() == SweepCellState::PredictedOverBudget && measure == "peak_bytes")
            cell.value = sweepValue(point, "predicted_peak_bytes");
    }
    return maps;
}

std::pair<std::string, std::string> defaultSweepAxes(const SweepDocument& sweep)
{
    std::vector<std::string> axes = sweepAxes(sweep);
    std::stable_sort(axes.begin(), axes.end(), [&](const std::string& a, const std::string& b) {
        const bool numericA = isNumeric(sweep, a), numericB = isNumeric(sweep, b);
        if (numericA != numericB)
            return numericA;
        return valuesOf(sweep, a).size() > valuesOf(sweep, b).size();
    });
    if (axes.empty())
        return {};
    return {axes[0], axes.size() > 1 ? axes[1] : std::string()};
}

std::vector<SweepTrend> sweepTrends(const SweepDocument& sweep, const std::string& key, const std::string& measure)
{
    const std::vector<std::string> axes = sweepAxes(sweep);
    std::vector<SweepTrend> trends;
    std::vector<std::vector<std::pair<double, double>>> lines;
    for (const SweepPoint& point : sweep.points) {
        const Json* x = valueOf(point, key);
        const auto y = sweepValue(point, measure);
        if (point.state() != SweepCellState::Measured || !x || !x->is_number() || !y)
            continue;
        const Json fixed = fixedValues(point, axes, key, "");
        auto trend = std::find_if(trends.begin(), trends.end(), [&](const SweepTrend& t) { return t.fixed == fixed; });
        if (trend == trends.end()) {
            trends.push_back({fixed, {}, {}});
            lines.emplace_back();
            trend = trends.end() - 1;
        }
        lines[static_cast<std::size_t>(trend - trends.begin())].emplace_back(x->get<double>(), *y);
    }
    for (std::size_t i = 0; i < trends.size(); ++i) {
        std::sort(lines[i].begin(), lines[i].end());
        for (const auto& [x, y] : lines[i]) {
            trends[i].x.push_back(x);
            trends[i].y.push_back(y);
        }
    }
    return trends;
}

std::string sweepSetting(const Json& fixed)
{
    std::string text;
    for (const auto& [key, value] : fixed.items()) {
        text += (text.empty() ? "" : ", ") + key.substr(key.rfind('.') == std::string::npos ? 0 : key.rfind('.') + 1) +
                " " + sweepLabel(value);
    }
    return text;
}

static std::string_view cellWord(SweepCellState state, bool dry)
{
    if (dry && state == SweepCellState::Measured)
        return kDryCell;
    if (dry && state == SweepCellState::OverBudget)
        return kDryOverCell;
    return name(state);
}

Table sweepPointsTable(const SweepDocument& sweep)
{
    Table table{"points", {}, {}};
    for (const std::string& key : sweep.keys)
        table.columns.push_back({key, ""});
    table.columns.push_back({"status", ""});
    table.columns.push_back({"cell", ""});
    const std::vector<std::string> measures = sweepMeasures(sweep);
    for (const std::string& measure : measures) {
        const bool part = measure.starts_with(kComponentPrefix) || measure.starts_with(kStagePrefix);
        table.columns.push_back(
            {part ? measure.substr(measure.find('.') + 1) + "_bytes" : measure, sweepUnit(measure)});
    }
    const bool busy = anyTooBusy(sweep, "median_step_seconds");
    if (busy)
        table.columns.push_back({"times", ""});
    table.columns.push_back({"message", ""});
    for (const SweepPoint& point : sweep.points) {
        std::vector<TableCell> row;
        for (const std::string& key : sweep.keys) {
            const Json* value = valueOf(point, key);
            row.push_back(value ? cellOf(*value) : TableCell(std::string()));
        }
        row.emplace_back(point.status);
        row.emplace_back(std::string(cellWord(point.state(), sweep.dry())));
        for (const std::string& measure : measures)
            row.push_back(cellOf(sweepValue(point, measure), sweepUnit(measure) == "bytes"));
        if (busy)
            row.emplace_back(std::string(tooBusy(roundsFromJson(point.other)) ? "machine too busy to compare" : ""));
        row.emplace_back(point.message);
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace peakscope
