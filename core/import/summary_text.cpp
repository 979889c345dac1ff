// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// convert.h: the summary.txt that the older scripts wrote, with what they left unsaid.
#include "core/analysis/comparison/sweep_growth.h"
#include "core/analysis/response/response_text.h"
#include "core/base/json/json_reader.h"
#include "core/base/text.h"
#include "core/import/convert.h"
#include "core/import/import_object.h"
#include "core/results/component_reading.h"
#include "core/results/curvature_tables.h"
#include "core/results/rank_balance.h"
#include "core/results/result_lines.h"
#include "core/results/section_readers.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr int kWidth = 104;

// "optimizer_states" -> "Optimizer States".
std::string inCapitals(std::string text)
{
    bool start = true;
    for (char& c : text) {
        if (start)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        start = c == '_';
        c = c == '_' ? ' ' : c;
    }
    return text;
}

std::string componentTitleText(std::size_t index)
{
    const auto component = static_cast<Component>(index);
    return component == Component::Parameters ? "Model Parameters" : inCapitals(std::string(name(component)));
}

std::string runLine(const RunResult& result)
{
    const double mebibytes = result.memory ? static_cast<double>(result.memory->peakBytes) / kMiB : std::nan("");
    const double milliseconds = result.timing ? result.timing->medianStepSeconds * 1e3 : std::nan("");
    const auto number = [](double value, int width) {
        return std::isfinite(value) ? fmt::format("{:>{}.2f}", value, width) : fmt::format("{:>{}}", "-", width);
    };
    std::string title = runTitle(result) + (result.synthetic ? " [synthetic]" : "");
    return fmt::format("{:<36}{}{}{}\n", title, number(mebibytes, 21), number(milliseconds, 21),
                       number(mebibytes / milliseconds, 19));
}

// Files of other programs may know kinds of modules in place of components.
void appendModuleKinds(std::string& out, const RunResult& result)
{
    out += "\n" + runTitle(result) + ", increases between hooks by kind of module (they do not sum to the peak):\n" +
           std::string(80, '-') + "\n";
    for (const ModuleUsage& module : result.memory->modules)
        out += fmt::format("  {:<21}{:>10.2f} MiB forward{:>12.2f} MiB backward\n", inCapitals(module.name),
                           static_cast<double>(module.activationBytes) / kMiB,
                           static_cast<double>(module.gradientBytes) / kMiB);
}

void appendBreakdown(std::string& out, const RunResult& result)
{
    if (result.memory && !result.memory->has("peak_components") && modulesAreHookIncreases(result))
        return appendModuleKinds(out, result);
    if (!result.memory || !result.memory->has("peak_components"))
        return;
    const MemorySection& memory = *result.memory;
    std::vector<std::size_t> order(kComponentCount);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return memory.peakComponents[a] > memory.peakComponents[b]; });
    out += '\n';
    const ComponentReadings readings = componentReadings(result);
    const ComponentReading common = commonReading(result);
    const char* what = common == ComponentReading::AfterStep ? ", after the step (not at the peak)"
                       : common == ComponentReading::Apart   ? ", as listed (they do not sum to the peak)"
                                                             : "";
    out += runTitle(result) + what + ":\n" + std::string(80, '-') + "\n";
    for (const bool cumulated : {false, true}) {
        for (const std::size_t i : order) {
            if (memory.peakComponents[i] == 0 || (readings[i] == ComponentReading::Cumulated) != cumulated)
                continue;
            out += fmt::format("  {:<45}{:>18.2f} MiB{}\n", componentTitleText(i),
                               static_cast<double>(memory.peakComponents[i]) / kMiB,
                               cumulated ? ", cumulated over the iterations" : "");
        }
    }
}

std::string percentText(const std::optional<double>& share)
{
    return share ? fmt::format("{:.1f} %", *share * 100) : std::string("-");
}

// Where several ranks ran: a line each, then how uneven they were.
void appendRanks(std::string& out, const RunResult& result)
{
    if (result.ranks.size() < 2)
        return;
    const RankBalance balance = rankBalance(result.ranks);
    out += fmt::format("\n{}, {} ranks:\n{}\n", runTitle(result), result.ranks.size(), std::string(80, '-'));
    for (std::size_t i = 0; i < result.ranks.size(); ++i) {
        const RankFigures& figures = balance.ranks[i];
        const std::string peak =
            figures.peakBytes ? fmt::format("{:.2f} MiB", static_cast<double>(*figures.peakBytes) / kMiB) : "-";
        const std::string step = figures.stepSeconds ? fmt::format("{:.2f} ms", *figures.stepSeconds * 1e3) : "-";
        std::string line =
            fmt::format("  rank {:<4}{:<24}{:>16}{:>14}{:>12} communication", figures.rank,
                        oneLine(result.ranks[i].host), peak, step, percentText(figures.communicationShare));
        if (balance.fullest == i)
            line += ", fullest";
        if (balance.slowest == i)
            line += ", slowest";
        out += line + "\n";
    }
    out += fmt::format("  imbalance (largest / mean - 1): peak {}, time without communication {}; "
                       "communication {} of the steps\n",
                       percentText(balance.peakImbalance), percentText(balance.timeImbalance),
                       percentText(balance.communicationShare));
}

void appendLines(std::string& out, const std::vector<std::string>& lines)
{
    for (const std::string& line : lines)
        out += oneLine(line) + "\n";
}

// What noise in the weights did, where that was measured with intervals.
void appendResponses(std::string& out, const RunResult& result)
{
    const Json& sections = result.other;
    if (!sections.is_object() || !sections.contains("prm") || !sections["prm"].contains("summary"))
        return;
    out += runTitle(result) + (result.synthetic ? " [synthetic]" : "") + "\n";
    appendLines(out, responseLines(sections["prm"], sections.value("partition", Json())));
    appendLines(out, unitLines(sections));
    out += "\n";
}

// Other kinds: their table in columns.
void appendTable(std::string& out, const Table& table)
{
    std::vector<std::vector<std::string>> cells(1);
    for (const TableColumn& column : table.columns)
        cells[0].push_back(column.name);
    for (const auto& row : table.rows) {
        cells.emplace_back();
        for (const TableCell& cell : row) {
            if (const auto* text = std::get_if<std::string>(&cell))
                cells.back().push_back(oneLine(*text));
            else if (const auto* integer = std::get_if<std::int64_t>(&cell))
                cells.back().push_back(std::to_string(*integer));
            else
                cells.back().push_back(std::isfinite(std::get<double>(cell))
                                           ? fmt::format("{:.6g}", std::get<double>(cell))
                                           : std::string("-"));
        }
    }
    for (std::size_t r = 0; r < cells.size(); ++r) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            std::size_t width = 0;
            for (const auto& row : cells)
                width = std::max(width, row[c].size());
            out += fmt::format("{:<{}}", cells[r][c], width + 2);
        }
        out.erase(out.find_last_not_of(' ') + 1);
        out += r == 0 ? "\n" + std::string(kWidth, '-') + "\n" : "\n";
    }
}

// What a curvature run found, and what differential privacy came to.
void appendFindings(std::string& out, const RunResult& result)
{
    const CurvatureData curvature = curvatureFromJson(lenient::member(result.other, "curvature"));
    std::vector<std::string> lines = curvatureLines(curvature);
    const std::vector<std::string> more = privacyLines(result);
    lines.insert(lines.end(), more.begin(), more.end());
    if (lines.empty())
        return;
    out += runTitle(result) + (result.synthetic ? " [synthetic]" : "") + ":\n" + std::string(80, '-') + "\n";
    appendLines(out, lines);
    out += "\n";
    for (const Table& table : {eigenvaluesTable(curvature), curvatureBlocksTable(curvature)}) {
        if (table.rows.empty())
            continue;
        appendTable(out, table);
        out += "\n";
    }
}

// "peak_bytes along data.seq: exponent 1.02 (95 %: 0.98 to 1.05): linear; …", then each setting whose own fit tells.
void appendTrends(std::string& out, const RunResult& result)
{
    const auto sweep = sweepOf(result);
    if (!sweep)
        return;
    std::string lines;
    for (const char* measure : {"peak_bytes", "median_step_seconds"}) {
        for (const SweepGrowth& growth : sweepGrowths(*sweep, measure)) {
            lines += fmt::format("  {} along {}: {}{}\n", measure, growth.key, text(growth),
                                 anyTooBusy(*sweep, measure) ? " (some of the times are of a busy machine)" : "");
            for (const GrowthLine& line : growth.lines) {
                if (!line.tells())
                    continue;
                const std::string setting = sweepSetting(line.trend.fixed);
                lines +=
                    fmt::format("    {}exponent {:.2f} (95 %: {:.2f} to {:.2f})", setting.empty() ? "" : setting + ": ",
                                line.fit.exponent, line.fit.low, line.fit.high);
                if (line.fit.offset > 0)
                    lines += fmt::format(" above {:.4g} {}", line.fit.offset, sweepUnit(measure));
                lines += '\n';
            }
        }
    }
    if (!lines.empty())
        out += "\nTRENDS (power laws fitted to the measured points):\n" + lines;
}

void appendNotes(std::string& out, const std::vector<RunResult>& results)
{
    std::string notes;
    for (const RunResult& result : results) {
        if (result.notes.empty())
            continue;
        notes += '\n' + runTitle(result) + (result.synthetic ? " [synthetic]" : "") + ":\n";
        for (const std::string& note : result.notes)
            notes += "  - " + oneLine(note) + "\n";
    }
    if (!notes.empty())
        out += "NOTES:\n" + notes;
}

} // namespace

std::string summaryText(const std::vector<RunResult>& results)
{
    const std::string rule(kWidth, '=');
    std::string out = rule + "\nSUMMARY\n" + rule + "\n\n";
    std::vector<RunResult> runs, others;
    for (const RunResult& result : results)
        (result.memory || result.timing ? runs : others).push_back(result);
    if (!runs.empty()) {
        out +=
            fmt::format("{:<36}{:>21}{:>21}{:>19}\n", "Method", "Peak Memory (MiB)", "Step Time (ms)", "Memory/Time");
        out += std::string(kWidth, '-') + "\n";
        for (const RunResult& result : runs)
            out += runLine(result);
        for (const RunResult& result : runs) {
            if (const auto rounds = timedRounds(result); tooBusy(rounds))
                out += fmt::format("{}: the machine was too busy for its time to be compared: {}\n", runTitle(result),
                                   busyText(rounds));
        }
        std::string breakdown;
        for (const RunResult& result : runs)
            appendBreakdown(breakdown, result);
        out += rule + "\n";
        if (!breakdown.empty())
            out += "\nCOMPONENT-LEVEL BREAKDOWN:\n" + breakdown;
        for (const RunResult& result : runs)
            appendRanks(out, result);
        out += "\n";
    }
    for (const RunResult& result : results) {
        appendFindings(out, result);
        appendResponses(out, result);
    }
    for (const RunResult& result : others) {
        if (result.kind == ResultKind::Prm && result.other.contains("prm") && result.other["prm"].contains("summary"))
            continue; // said above
        out += runTitle(result) + (result.synthetic ? " [synthetic]" : "") + "\n";
        if (const auto table = mainTable({result}))
            appendTable(out, *table);
        appendTrends(out, result);
        out += "\n";
    }
    appendNotes(out, results);
    return out;
}

} // namespace peakscope
