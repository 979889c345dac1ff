// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/response_text.h"

#include "core/base/json/json_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace peakscope {
namespace {

using Json = nlohmann::json;

std::string shortNumber(double value, const char* format = "%.4g")
{
    if (!std::isfinite(value))
        return "-";
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// "0.97 [0.95, 0.99]"; without an interval the number alone.
std::string withInterval(double value, const Json& object, const char* key, const char* format)
{
    std::string text = shortNumber(value, format);
    const Json& ends = lenient::array(object, key);
    if (ends.size() == 2 && ends[0].is_number() && ends[1].is_number())
        text += " [" + shortNumber(lenient::number(ends[0]), format) + ", " +
                shortNumber(lenient::number(ends[1]), format) + "]";
    return text;
}

std::string baselineLine(const Json& prm)
{
    const Json& baseline = lenient::member(prm, "baseline");
    if (!baseline.is_object())
        return "";
    std::string line = "without noise: perplexity " + shortNumber(lenient::number(baseline, "perplexity"));
    for (const Json& attack : lenient::array(baseline, "attacks")) {
        if (attack.is_object())
            line += ", " + lenient::text(attack, "attack") + " AUC " +
                    withInterval(lenient::number(attack, "auc"), attack, "ci", "%.3f");
    }
    return line;
}

std::string partitionLine(const Json& partition)
{
    const Json& counts = lenient::member(partition, "counts");
    if (!counts.is_object())
        return "";
    std::string line = "units:";
    for (const auto& [unitClass, count] : counts.items()) {
        if (const auto units = jsonInteger(count))
            line += " " + unitClass + " " + std::to_string(*units);
    }
    const std::string rule = lenient::text(partition, "rule");
    return rule.empty() ? line : line + " (" + rule + " rule)";
}

// The rows of one group and scale, an attack each, as one line.
void appendSummary(const Json& prm, std::vector<std::string>& lines)
{
    std::string former;
    for (const Json& row : lenient::array(prm, "summary")) {
        if (!row.is_object())
            continue;
        std::string group = lenient::text(row, "param_type");
        if (const std::string other = lenient::text(row, "control_of"); !other.empty())
            group += " of " + other;
        const std::string head = "  noise " + shortNumber(lenient::number(row, "noise_level")) + "  " + group;
        if (head != former) {
            lines.push_back(head + ": perplexity " +
                            withInterval(lenient::number(row, "delta_ppl_mean"), row, "delta_ppl_ci", "%+.3g"));
            former = head;
        }
        if (row.contains("attack"))
            lines.back() += ", " + lenient::text(row, "attack") + " AUC " +
                            withInterval(lenient::number(row, "delta_auc_mean"), row, "delta_auc_ci", "%+.3f");
    }
}

std::string wordsOf(std::string verdict)
{
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    return verdict;
}

// What became of the three classes' expectations, a line each.
void appendConclusions(const Json& prm, std::vector<std::string>& lines)
{
    if (lenient::flag(prm, "synthetic")) {
        lines.emplace_back("hypotheses: not judged, for the answers are synthetic");
        return;
    }
    const Json& rows = lenient::array(prm, "conclusions");
    if (rows.empty())
        return;
    lines.emplace_back("hypotheses, judged against random groups of as many weights:");
    for (const Json& row : rows) {
        if (row.is_object())
            lines.push_back("  " + wordsOf(lenient::text(row, "verdict")) + ": " + lenient::text(row, "statement") +
                            " (" + lenient::text(row, "evidence") + ")");
    }
}

} // namespace

std::vector<std::string> responseHeadlines(const Json& prm, const Json& partition)
{
    std::vector<std::string> lines;
    if (!prm.is_object())
        return lines;
    for (std::string line : {baselineLine(prm), partitionLine(partition)}) {
        if (!line.empty())
            lines.push_back(std::move(line));
    }
    appendConclusions(prm, lines);
    if (prm.contains("weights_restored"))
        lines.emplace_back(prm["weights_restored"] == true ? "weights restored bit by bit (checksum)"
                                                           : "the weights did NOT come back bit by bit");
    return lines;
}

std::vector<std::string> responseLines(const Json& prm, const Json& partition)
{
    std::vector<std::string> lines = responseHeadlines(prm, partition);
    if (!prm.is_object())
        return lines;
    if (!lenient::array(prm, "summary").empty())
        lines.emplace_back("changes from the weights without noise (95 % intervals over noise seeds):");
    appendSummary(prm, lines);
    bool first = true;
    for (const Json& row : lenient::array(prm, "hypotheses")) {
        if (!row.is_object())
            continue;
        if (std::exchange(first, false))
            lines.emplace_back("each hypothesis with the numbers that decided (class less random group):");
        lines.push_back("  " + wordsOf(lenient::text(row, "verdict")) + ": " + lenient::text(row, "statement") + " (" +
                        lenient::text(row, "measure") + "; " + lenient::text(row, "evidence") + ")");
    }
    for (const Json& row : lenient::array(prm, "small_noise")) {
        if (row.is_object())
            lines.push_back(
                "  small noise in " + lenient::text(row, "param_type") + ": slope " +
                shortNumber(lenient::number(row, "log_log_slope")) + ", coefficient " +
                withInterval(lenient::number(row, "coefficient"), row, "coefficient_ci", "%.3g") + ", half the trace " +
                withInterval(lenient::number(row, "half_trace"), row, "half_trace_ci", "%.3g") +
                (lenient::flag(row, "agrees")         ? ": they agree"
                 : lenient::text(row, "note").empty() ? ": they differ"
                                                      : ": they differ (" + lenient::text(row, "note") + ")"));
    }
    return lines;
}

} // namespace peakscope
