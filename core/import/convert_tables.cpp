// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// convert.h: results as one table, and a table as LaTeX.
#include "core/analysis/comparison/joined_points.h"
#include "core/analysis/response/finished_result.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/latex_text.h"
#include "core/base/text.h"
#include "core/import/convert.h"
#include "core/import/import_common.h"
#include "core/results/analysis_tables.h"
#include "core/results/component_reading.h"
#include "core/results/curvature_tables.h"
#include "core/results/result_lines.h"
#include "core/results/section_readers.h"
#include "core/results/sweeps/timed_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

using Json = nlohmann::json;

const TableCell kNothing = std::nan("");

TableCell cellOfJson(const Json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (const auto integer = jsonInteger(value); integer && value.is_number_integer())
        return *integer;
    if (value.is_number())
        return value.get<double>();
    if (value.is_boolean())
        return std::string(value.get<bool>() ? "yes" : "no");
    return value.is_null() ? kNothing : TableCell(dumpJson(value));
}

std::string unitOf(std::string_view name)
{
    return name.ends_with("_bytes") ? "bytes" : name.ends_with("_seconds") ? "seconds" : "";
}

// Rows of JSON objects as a table: `first` columns in their order, then what else any row has.
Table tableOf(const std::string& title, const std::vector<Json>& rows, const std::vector<std::string>& first)
{
    std::vector<std::string> names = first;
    for (const Json& row : rows) {
        for (const auto& [key, value] : row.items()) {
            if (std::find(names.begin(), names.end(), key) == names.end())
                names.push_back(key);
        }
    }
    std::erase_if(names, [&](const std::string& name) {
        return std::none_of(rows.begin(), rows.end(), [&](const Json& row) { return row.contains(name); });
    });
    Table table{title, {}, {}};
    for (const std::string& name : names)
        table.columns.push_back({name, unitOf(name)});
    for (const Json& row : rows) {
        std::vector<TableCell> cells;
        for (const std::string& name : names)
            cells.push_back(row.contains(name) ? cellOfJson(row[name]) : kNothing);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Json sectionOf(const RunResult& result, const char* key)
{
    RunResult head = result;
    head.memory.reset(); // timelines are long
    head.ranks.clear();
    const Json document = toJson(head);
    return lenient::object(document, key);
}

void addObjects(const RunResult& result, const Json& list, std::vector<Json>& rows)
{
    for (const Json& element : list) {
        if (!element.is_object())
            continue;
        Json row = flattened(element);
        if (result.synthetic)
            row["data"] = "synthetic";
        rows.push_back(std::move(row));
    }
}

// "auc_ci": [low, high] as two columns, "auc_ci_low" and "auc_ci_high".
void splitIntervals(Json& row)
{
    Json ends = Json::object();
    for (const auto& [key, value] : row.items()) {
        if (key.ends_with("_ci") && value.is_array() && value.size() == 2) {
            ends[key + "_low"] = value[0];
            ends[key + "_high"] = value[1];
        }
    }
    for (const auto& [key, value] : ends.items()) {
        row.erase(key.substr(0, key.rfind('_')));
        row[key] = value;
    }
}

Table prmTable(const std::vector<RunResult>& results)
{
    std::vector<Json> rows;
    for (const RunResult& result : results) {
        const std::size_t before = rows.size();
        addObjects(result, lenient::array(sectionOf(result, "prm"), "results"), rows);
        for (std::size_t i = before; i < rows.size(); ++i) {
            splitIntervals(rows[i]);
            if (results.size() > 1)
                rows[i]["run"] = result.id;
        }
    }
    return tableOf("response", rows,
                   {"run", "param_type", "control_of", "noise_level", "repeat", "perplexity", "delta_ppl",
                    "delta_log_ppl", "attack", "auc", "auc_ci_low", "auc_ci_high", "delta_auc", "delta_auc_ci_low",
                    "delta_auc_ci_high"});
}

Table sweepTable(const std::vector<RunResult>& results)
{
    std::vector<Json> rows;
    std::vector<std::string> first;
    for (const RunResult& result : results) {
        const Json section = sectionOf(result, "sweep");
        for (const Json& key : lenient::array(section, "keys")) {
            if (key.is_string() && std::find(first.begin(), first.end(), key.get<std::string>()) == first.end())
                first.push_back(key.get<std::string>());
        }
        for (const Json& point : lenient::array(section, "points")) {
            if (!point.is_object())
                continue;
            Json row =
                point.contains("values") && point["values"].is_object() ? flattened(point["values"]) : Json::object();
            for (const auto& [key, value] : point.items()) {
                if (!value.is_object() && !value.is_array())
                    row[key] = value;
            }
            for (const char* parts : {"stages", "components"}) {
                if (!point.contains(parts) || !point[parts].is_object())
                    continue;
                for (const auto& [part, bytes] : point[parts].items())
                    row[part + "_bytes"] = bytes;
            }
            if (result.synthetic)
                row["data"] = "synthetic";
            rows.push_back(std::move(row));
        }
    }
    for (const char* name : {"status", "peak_bytes", "median_step_seconds", "total_seconds"})
        first.emplace_back(name);
    return tableOf("points", rows, first);
}

Table planTable(const std::vector<RunResult>& results)
{
    std::vector<Json> rows;
    for (const RunResult& result : results) {
        addObjects(result, lenient::array(sectionOf(result, "hessian_memory"), "models"), rows);
        const Json strategies = lenient::array(sectionOf(result, "plan"), "strategies");
        for (const Json& strategy : strategies) {
            Json row = Json::object();
            for (const char* key : {"title", "verdict", "devices_needed", "peak_bytes", "margin_bytes"}) {
                if (strategy.is_object() && strategy.contains(key))
                    row[key] = strategy[key];
            }
            rows.push_back(std::move(row));
        }
    }
    return tableOf("plan", rows, {"model", "title", "verdict", "devices_needed", "peak_bytes", "margin_bytes"});
}

constexpr std::array kReadings{ComponentReading::AtPeak, ComponentReading::AfterStep, ComponentReading::Cumulated,
                               ComponentReading::Apart};

// What was not alive at the peak says so in the name of its column.
std::string suffixOf(ComponentReading reading)
{
    return reading == ComponentReading::AtPeak  ? "_bytes"
           : reading == ComponentReading::Apart ? "_listed_bytes"
                                                : "_" + std::string(name(reading)) + "_bytes";
}

Json runRow(const RunResult& result)
{
    Json row = {{"run", runTitle(result)}, {"status", name(result.status)}};
    const Json flat = flattened(result.config);
    for (const auto& [key, column] : {std::pair{"data.batch", "batch"}, {"data.seq", "seq"}}) {
        if (flat.contains(key))
            row[column] = flat[key];
    }
    if (result.timing)
        row["median_step_seconds"] = result.timing->medianStepSeconds;
    if (tooBusy(timedRounds(result)))
        row["times"] = "machine too busy to compare";
    if (const auto cost = privacyOf(result)) {
        row["epsilon"] = cost->epsilon;
        row["delta"] = cost->delta;
    }
    if (result.synthetic)
        row["data"] = "synthetic";
    if (!result.memory)
        return row;
    const MemorySection& memory = *result.memory;
    const ComponentReadings readings = componentReadings(result);
    row["peak_bytes"] = memory.peakBytes;
    if (memory.has("peak_reserved_bytes"))
        row["peak_reserved_bytes"] = memory.peakReservedBytes;
    for (std::size_t i = 0; memory.has("peak_components") && i < kComponentCount; ++i) {
        const std::string component(name(static_cast<Component>(i)));
        if (memory.has("peak_components." + component))
            row[component + suffixOf(readings[i])] = memory.peakComponents[i];
    }
    return row;
}

Table runsTable(const std::vector<RunResult>& results)
{
    std::vector<Json> rows;
    for (const RunResult& result : results)
        rows.push_back(runRow(result));
    const bool allComplete =
        std::all_of(results.begin(), results.end(), [](const RunResult& r) { return r.status == RunStatus::Complete; });
    for (Json& row : rows) {
        if (allComplete)
            row.erase("status");
    }
    // A component that no run had is no column.
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        for (const ComponentReading reading : kReadings) {
            const std::string column = std::string(name(static_cast<Component>(i))) + suffixOf(reading);
            if (std::all_of(rows.begin(), rows.end(), [&](const Json& row) { return row.value(column, 0LL) == 0; })) {
                for (Json& row : rows)
                    row.erase(column);
            }
        }
    }
    std::vector<std::string> first{
        "run",     "status", "batch", "seq", "peak_bytes", "peak_reserved_bytes", "median_step_seconds",
        "epsilon", "delta"};
    for (const ComponentReading reading : kReadings) {
        for (std::size_t i = 0; i < kComponentCount; ++i)
            first.push_back(std::string(name(static_cast<Component>(i))) + suffixOf(reading));
    }
    return tableOf("runs", rows, first);
}

// The unit in which a column of sizes or times is shown.
struct ShownUnit {
    const char* text = "";
    double factor = 1;
};

ShownUnit shownUnit(const Table& table, std::size_t column)
{
    double largest = 0;
    for (const auto& row : table.rows) {
        if (const auto* integer = std::get_if<std::int64_t>(&row[column]))
            largest = std::max(largest, std::abs(static_cast<double>(*integer)));
        else if (const auto* real = std::get_if<double>(&row[column]); real && std::isfinite(*real))
            largest = std::max(largest, std::abs(*real));
    }
    if (table.columns[column].unit == "bytes")
        return largest >= 1e3 * 1073741824.0  ? ShownUnit{"TiB", 1099511627776.0}
               : largest >= 10 * 1073741824.0 ? ShownUnit{"GiB", 1073741824.0}
               : largest >= 1048576.0         ? ShownUnit{"MiB", 1048576.0}
                                              : ShownUnit{"KiB", 1024.0};
    if (table.columns[column].unit == "seconds")
        return largest >= 1 ? ShownUnit{"s", 1} : ShownUnit{"ms", 1e-3};
    return {};
}

std::string latexNumber(const TableCell& cell, const ShownUnit& unit)
{
    const auto* integer = std::get_if<std::int64_t>(&cell);
    const double value = integer ? static_cast<double>(*integer) : std::get<double>(cell);
    if (!std::isfinite(value))
        return "--";
    if (*unit.text != '\0')
        return fmt::format("{:.2f}", value / unit.factor);
    if (integer)
        return fmt::format("{}", *integer);
    // 1.5e-05 as mathematics has it.
    const std::string text = fmt::format("{:.4g}", value);
    const std::size_t e = text.find('e');
    if (e == std::string::npos)
        return value < 0 ? "$" + text + "$" : text;
    return fmt::format("${} \\times 10^{{{}}}$", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

// "peak_reserved_bytes" -> "Peak reserved (GiB)".
std::string headerText(const TableColumn& column, const ShownUnit& unit)
{
    std::string text = column.name;
    for (const std::string_view ending : {"_bytes", "_seconds"}) {
        if (*unit.text != '\0' && text.ends_with(ending))
            text.erase(text.size() - ending.size());
    }
    std::replace(text.begin(), text.end(), '_', ' ');
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    text = latexText(text);
    return *unit.text != '\0' ? text + " (" + unit.text + ")" : text;
}

// Of one run what it found, its ranks or its components, else a row a run.
Table tableOfRuns(const std::vector<RunResult>& results)
{
    const RunResult& first = results.front();
    if (results.size() == 1 && first.kind == ResultKind::Curvature) {
        const CurvatureData data = curvatureFromJson(lenient::member(first.other, "curvature"));
        for (const auto& make : {&curvatureBlocksTable, &eigenvaluesTable, &curvatureEntriesTable}) {
            if (Table table = make(data); !table.rows.empty())
                return table;
        }
    }
    if (results.size() == 1 && first.ranks.size() > 1)
        return ranksTable(first);
    if (results.size() == 1 && first.memory && first.memory->has("peak_components"))
        return memoryComponentsTable(first);
    return runsTable(results);
}

} // namespace

Result<Table> mainTable(const std::vector<RunResult>& results)
{
    if (results.empty())
        return badInput("", "there are no results");
    const ResultKind kind = results.front().kind;
    const bool same = std::all_of(results.begin(), results.end(), [&](const RunResult& r) { return r.kind == kind; });
    const bool runs = std::all_of(results.begin(), results.end(), [](const RunResult& r) {
        return r.kind == ResultKind::Memory || r.kind == ResultKind::Curvature ||
               (r.kind == ResultKind::Sweep && r.memory);
    });
    if (!same && !runs)
        return badInput("", "results of the kinds " + std::string(name(kind)) +
                                " and others share no table; convert them one by one");
    Table table;
    if (results.size() == 1 && !results.front().memory && results.front().other.contains("operators"))
        return operatorsTable(results.front()); // of a trace that has nothing else
    switch (same ? kind : ResultKind::Memory) {
    case ResultKind::Memory:
    case ResultKind::Curvature:
        table = tableOfRuns(results);
        break;
    case ResultKind::Prm:
        table = prmTable(results);
        break;
    case ResultKind::Plan:
        table = planTable(results);
        break;
    case ResultKind::Sweep:
        table = sweepTable(results);
        break;
    }
    if (table.rows.empty())
        return badInput("", "the result holds nothing that a table could show");
    return table;
}

Result<std::vector<Table>> findingsTables(const RunResult& result)
{
    const CurvatureData curvature = curvatureFromJson(lenient::member(result.other, "curvature"));
    std::vector<Table> tables{eigenvaluesTable(curvature),
                              curvatureBlocksTable(curvature),
                              curvatureMatrixTable(curvature.matrix.get()),
                              curvatureEntriesTable(curvature),
                              curvatureFactorsTable(curvature),
                              curvatureLbfgsTable(curvature),
                              densityTable(curvature),
                              privacyTable(result)};
    const auto analysis = analysisOf(result.other, result.synthetic);
    if (!analysis)
        return analysis.error();
    for (Table& table : std::vector{unitsTable(*analysis), featuresTable(*analysis), clustersTable(*analysis),
                                    effectsTable(*analysis), hypothesesTable(*analysis)})
        tables.push_back(std::move(table));
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
    return tables;
}

std::string toLatex(const Table& table, const std::string& comment)
{
    std::string out;
    std::string_view rest = comment;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        out += "% " + oneLine(line) + "\n";
    }
    std::vector<ShownUnit> units;
    std::string columns, header;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const bool isText = std::any_of(table.rows.begin(), table.rows.end(),
                                        [i](const auto& row) { return std::holds_alternative<std::string>(row[i]); });
        units.push_back(shownUnit(table, i));
        columns += isText ? 'l' : 'r';
        header += (i > 0 ? " & " : "") + headerText(table.columns[i], units[i]);
    }
    out += "\\begin{tabular}{" + columns + "}\n\\toprule\n" + header + " \\\\\n\\midrule\n";
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto* text = std::get_if<std::string>(&row[i]);
            out += (i > 0 ? " & " : "") + (text ? latexText(*text) : latexNumber(row[i], units[i]));
        }
        out += " \\\\\n";
    }
    return out + "\\bottomrule\n\\end{tabular}\n";
}

} // namespace peakscope
