// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A plan as tables and as LaTeX.
#include "core/base/latex_text.h"
#include "core/base/units.h"
#include "core/results/plans/estimated_loop.h"
#include "core/results/plans/plan_document.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace peakscope {

namespace {

std::string joined(const std::vector<std::string>& sentences)
{
    std::string text;
    for (const std::string& sentence : sentences) {
        text += (text.empty() ? "" : " ") + sentence;
    }
    return text;
}

// Components that any strategy has.
std::vector<std::size_t> presentComponents(const PlanDocument& plan)
{
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const bool any = std::any_of(plan.strategies.begin(), plan.strategies.end(),
                                     [i](const PlannedStrategy& strategy) { return strategy.components[i] != 0; });
        if (any) {
            present.push_back(i);
        }
    }
    return present;
}

std::string fixed(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

struct Unit {
    double bytes;
    const char* name;
};

Unit unitFor(const PlanDocument& plan)
{
    std::int64_t most = 0;
    for (const PlannedStrategy& strategy : plan.strategies) {
        most = std::max(most, strategy.knownReservedBytes());
    }
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    return static_cast<double>(most) >= kGiB ? Unit{kGiB, "GiB"} : Unit{1024.0 * 1024, "MiB"};
}

std::string verdictWords(const PlannedStrategy& strategy)
{
    std::string words(name(strategy.verdict));
    std::replace(words.begin(), words.end(), '_', ' ');
    if (strategy.verdict == Verdict::NeedsSharding) {
        words += " (" + std::to_string(strategy.devicesNeeded) + ")";
    }
    return words;
}

std::string tierWord(std::optional<Tier> tier)
{
    return tier ? std::string(name(*tier)) : std::string();
}

} // namespace

Table strategiesTable(const PlanDocument& plan)
{
    Table table;
    table.title = "strategies";
    table.columns = {{"rank", ""},
                     {"verdict", ""},
                     {"strategy", ""},
                     {"devices_needed", ""},
                     {"predicted_peak_bytes", "bytes"},
                     {"predicted_reserved_bytes", "bytes"},
                     {"margin_bytes", "bytes"},
                     {"step_seconds", "seconds"},
                     {"verified", ""}};
    // Of plans that say it.
    const bool tiers = std::any_of(plan.strategies.begin(), plan.strategies.end(),
                                   [](const PlannedStrategy& strategy) { return strategy.tier.has_value(); });
    if (tiers) {
        table.columns.push_back({"tier", ""});
    }
    const bool proved = std::any_of(plan.strategies.begin(), plan.strategies.end(),
                                    [](const PlannedStrategy& strategy) { return strategy.proved.has_value(); });
    if (proved) {
        table.columns.push_back({"dry_reserved_bytes", "bytes"});
    }
    const std::vector<std::size_t> components = presentComponents(plan);
    for (const std::size_t component : components) {
        table.columns.push_back({std::string(name(static_cast<Component>(component))) + "_bytes", "bytes"});
    }
    table.columns.push_back({"reasons", ""});
    std::int64_t rank = 0;
    for (const PlannedStrategy& strategy : plan.strategies) {
        std::vector<TableCell> row{++rank,
                                   std::string(name(strategy.verdict)),
                                   strategy.title,
                                   strategy.devicesNeeded,
                                   strategy.peakBytes,
                                   strategy.reservedBytes,
                                   strategy.marginBytes,
                                   strategy.stepSeconds > 0 ? strategy.stepSeconds : kNoNumber,
                                   std::string(strategy.verified ? "yes" : "no")};
        if (tiers) {
            row.emplace_back(tierWord(strategy.tier));
        }
        if (proved) {
            if (strategy.proved) {
                row.emplace_back(strategy.proved->reservedBytes);
            } else {
                row.emplace_back(kNoNumber);
            }
        }
        for (const std::size_t component : components) {
            row.emplace_back(strategy.components[component]);
        }
        row.emplace_back(joined(strategy.reasons));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table ladderTable(const PlanDocument& plan)
{
    Table table;
    table.title = "ladder";
    table.columns = {{"change", ""}, {"predicted_peak_bytes", "bytes"}, {"saved_bytes", "bytes"}, {"verdict", ""}};
    const bool tiers = std::any_of(plan.ladder.begin(), plan.ladder.end(),
                                   [](const PlannedStep& step) { return step.tier.has_value(); });
    if (tiers) {
        table.columns.push_back({"tier", ""});
    }
    for (const PlannedStep& step : plan.ladder) {
        std::vector<TableCell> row{step.change, step.peakBytes, step.savedBytes, std::string(name(step.verdict))};
        if (tiers) {
            row.emplace_back(tierWord(step.tier));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table capacityTable(const PlannedMap& map)
{
    Table table;
    table.title = "capacity_map";
    table.columns = {
        {"sequence", ""}, {"batch", ""}, {"source", ""}, {"peak_bytes", "bytes"}, {"reserved_bytes", "bytes"},
        {"verdict", ""},  {"device", ""}};
    for (std::size_t s = 0; s < map.sequences.size(); ++s) {
        for (std::size_t b = 0; b < map.batches.size(); ++b) {
            const std::size_t cell = map.cell(s, b);
            if (!map.possible(cell)) {
                table.rows.push_back({map.sequences[s], map.batches[b], std::string("impossible"), kNoNumber, kNoNumber,
                                      std::string(), std::string()});
                continue;
            }
            table.rows.push_back({map.sequences[s], map.batches[b], std::string("predicted"), map.peakBytes[cell],
                                  map.reservedBytes[cell], std::string(name(map.verdicts[cell])), std::string()});
        }
    }
    for (const MeasuredCell& cell : map.measured) {
        table.rows.push_back({cell.sequence, cell.batch, std::string("measured"), cell.peakBytes,
                              cellIf(cell.reservedBytes > 0, cell.reservedBytes), std::string(name(cell.verdict)),
                              cell.device});
    }
    return table;
}

std::string strategiesLatex(const PlanDocument& plan)
{
    const Unit unit = unitFor(plan);
    const auto bytes = [&unit](std::int64_t value) { return fixed(static_cast<double>(value) / unit.bytes, 2); };
    const std::string head = std::string(" (") + unit.name + ")";
    std::string text = "% needs \\usepackage{booktabs}\n\\begin{tabular}{rllrrrrr}\n\\toprule\n"
                       "& Strategy & Verdict & Devices & Peak" +
                       head + " & Reserved" + head + " & Margin" + head + " & Step (s) \\\\\n\\midrule\n";
    const std::vector<std::optional<PlanPart>> headings = partHeadings(plan);
    std::size_t rank = 0;
    for (const PlannedStrategy& strategy : plan.strategies) {
        if (headings[rank]) {
            text += (rank > 0 ? "\\addlinespace\n" : "") + std::string("\\multicolumn{8}{l}{\\emph{") +
                    latexText(std::string(heading(*headings[rank]))) + "}} \\\\\n";
        }
        const std::string step =
            strategy.stepSeconds > 0 ? fixed(strategy.stepSeconds, strategy.stepSeconds < 1 ? 3 : 2) : "--";
        const std::string margin = (strategy.marginBytes < 0 ? "$-$" : "") + bytes(std::abs(strategy.marginBytes));
        text += std::to_string(++rank) + " & " + latexText(strategy.title) + (strategy.verified ? "" : "$^*$") + " & " +
                latexText(verdictWords(strategy)) + " & " + std::to_string(strategy.devicesNeeded) + " & " +
                bytes(strategy.peakBytes) + " & " + bytes(strategy.knownReservedBytes()) + " & " + margin + " & " +
                step + " \\\\\n";
    }
    text += "\\bottomrule\n\\end{tabular}\n% " + latexText(kEstimatedLoopSentence) + "\n";
    const bool unverified = std::any_of(plan.strategies.begin(), plan.strategies.end(),
                                        [](const PlannedStrategy& strategy) { return !strategy.verified; });
    if (unverified) {
        text += "% * a closed form that has not been checked against measurements\n";
    }
    return text;
}

} // namespace peakscope
