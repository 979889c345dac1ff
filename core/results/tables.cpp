// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/tables.h"

#include "core/base/csv_text.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/json/json_text.h"
#include "core/results/component_reading.h"
#include "core/results/dry_result.h"
#include "core/results/module_kind.h"
#include "core/results/rank_balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

std::string cellText(const TableCell& cell)
{
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    std::string out;
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        appendInteger(out, *integer);
    } else if (std::isfinite(std::get<double>(cell))) {
        appendNumber(out, std::get<double>(cell));
    }
    return out;
}

std::string withoutBreaks(const std::string& cell)
{
    std::string text = spreadsheetText(cell);
    for (char& c : text) {
        c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    return text;
}

template <typename Convert>
std::string joined(const Table& table, char separator, const char* lineEnd, Convert convert)
{
    std::string out;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (i > 0) {
            out += separator;
        }
        out += convert(table.columns[i].name);
    }
    out += lineEnd;
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) {
                out += separator;
            }
            out += convert(cellText(row[i]));
        }
        out += lineEnd;
    }
    return out;
}

// An empty cell where the result's source has no such member.
TableCell measured(const MemorySection& memory, std::string_view member, TableCell value)
{
    if (memory.has(member))
        return value;
    return kNoNumber;
}

template <typename T>
std::string nameOrEmpty(const std::optional<T>& value)
{
    return value ? std::string(name(*value)) : std::string();
}

// Components that any rank held at its peak.
std::vector<std::size_t> componentsOfRanks(const std::vector<RankSection>& ranks)
{
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto holds = [i](const RankSection& rank) { return rank.memory && rank.memory->peakComponents[i] != 0; };
        if (std::any_of(ranks.begin(), ranks.end(), holds))
            present.push_back(i);
    }
    return present;
}

std::string standingOf(const RankBalance& balance, std::size_t index)
{
    std::string text = balance.fullest == index ? "fullest" : "";
    if (balance.slowest == index)
        text += text.empty() ? "slowest" : ", slowest";
    return text;
}

void removeColumn(Table& table, std::size_t column)
{
    const auto offset = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + offset);
    for (std::vector<TableCell>& row : table.rows)
        row.erase(row.begin() + offset);
}

// What a dry run took of the host's time is no time of the card's.
Table withoutDryTimes(Table table, const RunResult& result)
{
    for (std::size_t i = table.columns.size(); isDry(result) && i-- > 0;) {
        if (table.columns[i].unit == "seconds")
            removeColumn(table, i);
    }
    return table;
}

// Calls are counted from 1: 0 of them is a source that did not count.
bool isEmpty(const TableCell& cell, const TableColumn& column)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return text->empty();
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
        return *integer == 0 && column.name == "count";
    return !std::isfinite(std::get<double>(cell));
}

// A column without a value in any row says nothing.
Table withoutEmptyColumns(Table table)
{
    for (std::size_t i = table.columns.size(); !table.rows.empty() && i-- > 0;) {
        if (std::all_of(table.rows.begin(), table.rows.end(),
                        [&](const std::vector<TableCell>& row) { return isEmpty(row[i], table.columns[i]); }))
            removeColumn(table, i);
    }
    return table;
}

} // namespace

Table memoryComponentsTable(const RunResult& result)
{
    Table table{"components", {{"component", ""}}, {}};
    const ComponentReadings readings = componentReadings(result);
    const auto member = [&result](const char* list, std::size_t i) {
        return result.memory && result.memory->has(list) &&
               result.memory->has(std::string(list) + "." + std::string(name(static_cast<Component>(i))));
    };
    std::vector<ComponentReading> read; // a column each
    bool ownMaxima = false;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (member("peak_components", i) && std::find(read.begin(), read.end(), readings[i]) == read.end())
            read.push_back(readings[i]);
        ownMaxima = ownMaxima || member("max_components", i);
    }
    std::sort(read.begin(), read.end());
    const bool atPeak = read.empty() || read.front() == ComponentReading::AtPeak;
    if (read.empty())
        read = {ComponentReading::AtPeak};
    for (const ComponentReading reading : read)
        table.columns.push_back({std::string(readingColumn(reading)), "bytes"});
    if (ownMaxima || atPeak)
        table.columns.push_back({"max_bytes", "bytes"});
    if (atPeak)
        table.columns.push_back({"share_of_peak", ""});
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (!member("peak_components", i) && !member("max_components", i))
            continue;
        const MemorySection& memory = *result.memory;
        const bool known = member("peak_components", i);
        std::vector<TableCell> row{std::string(name(static_cast<Component>(i)))};
        for (const ComponentReading reading : read)
            row.push_back(cellIf(known && readings[i] == reading, memory.peakComponents[i]));
        if (ownMaxima || atPeak)
            row.push_back(cellIf(member("max_components", i), memory.maxComponents[i]));
        const auto bytes = static_cast<double>(memory.peakComponents[i]), peak = static_cast<double>(memory.peakBytes);
        if (atPeak)
            row.push_back(cellIf(known && readings[i] == ComponentReading::AtPeak, peak > 0 ? bytes / peak : 0.0));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table withInstant(Table components, const ComponentBytes& alive, const std::string& when)
{
    components.columns.insert(components.columns.begin() + 1, {"alive_bytes@" + when, "bytes"});
    for (std::vector<TableCell>& row : components.rows) {
        const auto component = componentFromName(std::get<std::string>(row.front()));
        row.insert(row.begin() + 1, cellIf(component.has_value(),
                                           alive[static_cast<std::size_t>(component.value_or(Component::Other))]));
    }
    return components;
}

Table snapshotsTable(const RunResult& result)
{
    Table table{"snapshots",
                {{"name", ""},
                 {"phase", ""},
                 {"step", ""},
                 {"time_seconds", "seconds"},
                 {"allocated_bytes", "bytes"},
                 {"reserved_bytes", "bytes"}},
                {}};
    if (!result.memory)
        return table;
    const MemorySection& memory = *result.memory;
    const bool maxima = std::any_of(memory.snapshots.begin(), memory.snapshots.end(),
                                    [](const Snapshot& snapshot) { return snapshot.maxAllocatedBytes.has_value(); });
    if (maxima)
        table.columns.push_back({"max_allocated_bytes", "bytes"});
    for (const Snapshot& snapshot : memory.snapshots) {
        table.rows.push_back({snapshot.name, nameOrEmpty(snapshot.phase),
                              measured(memory, "snapshots.step", snapshot.step),
                              measured(memory, "snapshots.time_seconds", snapshot.timeSeconds), snapshot.allocatedBytes,
                              measured(memory, "snapshots.reserved_bytes", snapshot.reservedBytes)});
        if (maxima) {
            table.rows.back().emplace_back();
            if (snapshot.maxAllocatedBytes)
                table.rows.back().back() = *snapshot.maxAllocatedBytes;
        }
    }
    return table;
}

Table modulesTable(const RunResult& result)
{
    Table table{"modules",
                {{"name", ""},
                 {"kind", ""},
                 {"parameter_bytes", "bytes"},
                 {"gradient_bytes", "bytes"},
                 {"activation_bytes", "bytes"},
                 {"peak_bytes", "bytes"},
                 {"forward_seconds", "seconds"},
                 {"backward_seconds", "seconds"}},
                {}};
    if (result.memory) {
        for (const ModuleUsage& module : result.memory->modules) {
            const auto cell = [&](std::string_view member, TableCell value) {
                return measured(*result.memory, member, std::move(value));
            };
            table.rows.push_back(
                {module.name, nameOrEmpty(kindOf(module)), cell("modules.parameter_bytes", module.parameterBytes),
                 cell("modules.gradient_bytes", module.gradientBytes),
                 cell("modules.activation_bytes", module.activationBytes), cell("modules.peak_bytes", module.peakBytes),
                 cell("modules.forward_seconds", module.forwardSeconds),
                 cell("modules.backward_seconds", module.backwardSeconds)});
        }
    }
    return withoutEmptyColumns(withoutDryTimes(std::move(table), result));
}

bool holdsLines(const RunResult& result)
{
    const bool inferred = lenient::text(lenient::member(result.config, "program"), "components") == "inferred";
    return inferred || lenient::text(lenient::member(result.other, "source"), "format") == "cuda-snapshot";
}

Table operatorsTable(const RunResult& result)
{
    Table table{holdsLines(result) ? "lines" : "operators",
                {{"name", ""},
                 {"phase", ""},
                 {"count", ""},
                 {"allocated_bytes", "bytes"},
                 {"peak_bytes", "bytes"},
                 {"seconds", "seconds"}},
                {}};
    if (result.memory) {
        for (const OperatorUsage& usage : result.memory->operators) {
            const auto cell = [&](std::string_view member, TableCell value) {
                return measured(*result.memory, member, std::move(value));
            };
            table.rows.push_back({usage.name, nameOrEmpty(usage.phase), cell("operators.count", usage.count),
                                  cell("operators.allocated_bytes", usage.allocatedBytes),
                                  cell("operators.peak_bytes", usage.peakBytes),
                                  cell("operators.seconds", usage.seconds)});
        }
    } else if (const nlohmann::json* operators = lenient::find(result.other, "operators")) {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        for (const nlohmann::json& usage : *operators) { // of a trace without memory events
            table.rows.push_back({lenient::text(usage, "name"), std::string(),
                                  jsonInteger(lenient::member(usage, "count")).value_or(0), kNone, kNone,
                                  lenient::number(usage, "seconds")});
        }
    }
    return withoutEmptyColumns(withoutDryTimes(std::move(table), result));
}

Table ranksTable(const RunResult& result)
{
    Table table{"ranks",
                {{"rank", ""},
                 {"host", ""},
                 {"device", ""},
                 {"status", ""},
                 {"standing", ""},
                 {"peak_bytes", "bytes"},
                 {"median_step_seconds", "seconds"},
                 {"own_step_seconds", "seconds"},
                 {"communication_seconds", "seconds"},
                 {"communication_share", ""},
                 {"communication_payload_bytes", "bytes"}},
                {}};
    const std::vector<std::size_t> components = componentsOfRanks(result.ranks);
    for (const std::size_t i : components)
        table.columns.push_back({std::string(name(static_cast<Component>(i))) + "_bytes", "bytes"});
    const RankBalance balance = rankBalance(result.ranks);
    for (std::size_t r = 0; r < result.ranks.size(); ++r) {
        const RankSection& section = measuredSection(result.ranks, r);
        const RankFigures& figures = balance.ranks[r];
        const auto& same = result.ranks[r].sameAs;
        std::vector<TableCell> row{std::to_string(figures.rank), section.host, section.device,
                                   std::string(name(section.status)),
                                   same ? "as rank " + std::to_string(*same) : standingOf(balance, r)};
        row.push_back(cellOf(figures.peakBytes));
        row.push_back(cellOf(figures.stepSeconds));
        row.push_back(cellOf(figures.ownSeconds));
        const auto& communication = section.communication;
        std::int64_t payload = 0;
        for (std::size_t i = 0; communication && i < communication->collectives.size(); ++i)
            payload += communication->collectives[i].bytes;
        row.push_back(cellIf(communication.has_value(), communication ? communication->seconds : 0.0));
        row.push_back(cellOf(figures.communicationShare));
        row.push_back(cellIf(communication.has_value(), payload));
        for (const std::size_t i : components)
            row.push_back(cellIf(section.memory.has_value(), section.memory ? section.memory->peakComponents[i] : 0));
        table.rows.push_back(std::move(row));
    }
    return withoutDryTimes(std::move(table), result);
}

Table collectivesTable(const RunResult& result)
{
    Table table{"collectives", {{"rank", ""}, {"kind", ""}, {"phase", ""}, {"count", ""}, {"bytes", "bytes"}}, {}};
    for (std::size_t r = 0; r < result.ranks.size(); ++r) {
        const RankSection& section = measuredSection(result.ranks, r);
        const std::string rank = std::to_string(result.ranks[r].rank);
        if (!section.communication)
            continue;
        for (const CollectiveUsage& usage : section.communication->collectives) {
            for (const CollectivePhase& part : usage.phases)
                table.rows.push_back({rank, usage.name, std::string(name(part.phase)), part.count, part.bytes});
            if (usage.phases.empty())
                table.rows.push_back({rank, usage.name, std::string(), usage.count, usage.bytes});
        }
    }
    return table;
}

std::string toCsv(const Table& table)
{
    return joined(table, ',', "\r\n", csvCell);
}

std::string toTsv(const Table& table)
{
    return joined(table, '\t', "\n", withoutBreaks);
}

std::string timelineCsv(const TimelineData& timeline)
{
    std::string out = "time_seconds,component,delta_bytes,total_bytes\r\n";
    out.reserve(timeline.size() * 48 + out.size());
    std::int64_t total = 0;
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        total += timeline.deltaBytes[i];
        appendSeconds(out, timeline.timeSeconds[i]);
        (out += ',') += name(timeline.component[i]);
        appendInteger(out += ',', timeline.deltaBytes[i]);
        appendInteger(out += ',', total);
        out += "\r\n";
    }
    return out;
}

} // namespace peakscope
