// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace peakscope {
namespace {

using Json = nlohmann::json;

std::string textOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double realOf(const Json& value)
{
    return value.is_number() ? value.get<double>() : std::nan("");
}

double realOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() ? realOf(*found) : std::nan("");
}

const Json& listIn(const Json& object, const char* key)
{
    static const Json kNone = Json::array();
    if (!object.is_object())
        return kNone;
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : kNone;
}

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
    const Json& ends = listIn(object, key);
    if (ends.size() == 2 && ends[0].is_number() && ends[1].is_number())
        text += " [" + shortNumber(realOf(ends[0]), format) + ", " + shortNumber(realOf(ends[1]), format) + "]";
    return text;
}

std::string baselineLine(const Json& prm)
{
    const auto baseline = prm.find("baseline");
    if (baseline == prm.end() || !baseline->is_object())
        return "";
    std::string line = "without noise: perplexity " + shortNumber(realOf(*baseline, "perplexity"));
    for (const Json& attack : listIn(*baseline, "attacks")) {
        if (attack.is_object())
            line +=
                ", " + textOf(attack, "attack") + " AUC " + withInterval(realOf(attack, "auc"), attack, "ci", "%.3f");
    }
    return line;
}

std::string partitionLine(const Json& partition)
{
    if (!partition.is_object() || !partition.contains("counts") || !partition["counts"].is_object())
        return "";
    std::string line = "units:";
    for (const auto& [unitClass, count] : partition["counts"].items()) {
        if (count.is_number_integer())
            line += " " + unitClass + " " + std::to_string(count.get<std::int64_t>());
    }
    const std::string rule = textOf(partition, "rule");
    return rule.empty() ? line : line + " (" + rule + " rule)";
}

// The rows of one group and scale, an attack each, as one line.
void appendSummary(const Json& prm, std::vector<std::string>& lines)
{
    std::string former;
    for (const Json& row : listIn(prm, "summary")) {
        if (!row.is_object())
            continue;
        std::string group = textOf(row, "param_type");
        if (const std::string other = textOf(row, "control_of"); !other.empty())
            group += " of " + other;
        const std::string head = "  noise " + shortNumber(realOf(row, "noise_level")) + "  " + group;
        if (head != former) {
            lines.push_back(head + ": perplexity " +
                            withInterval(realOf(row, "delta_ppl_mean"), row, "delta_ppl_ci", "%+.3g"));
            former = head;
        }
        if (row.contains("attack"))
            lines.back() += ", " + textOf(row, "attack") + " AUC " +
                            withInterval(realOf(row, "delta_auc_mean"), row, "delta_auc_ci", "%+.3f");
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
    if (prm.contains("synthetic") && prm["synthetic"] == true) {
        lines.emplace_back("hypotheses: not judged, for the answers are synthetic");
        return;
    }
    const Json& rows = listIn(prm, "conclusions");
    if (rows.empty())
        return;
    lines.emplace_back("hypotheses, judged against random groups of as many weights:");
    for (const Json& row : rows) {
        if (row.is_object())
            lines.push_back("  " + wordsOf(textOf(row, "verdict")) + ": " + textOf(row, "statement") + " (" +
                            textOf(row, "evidence") + ")");
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
    if (!listIn(prm, "summary").empty())
        lines.emplace_back("changes from the weights without noise (95 % intervals over noise seeds):");
    appendSummary(prm, lines);
    bool first = true;
    for (const Json& row : listIn(prm, "hypotheses")) {
        if (!row.is_object())
            continue;
        if (std::exchange(first, false))
            lines.emplace_back("each hypothesis with the numbers that decided (class less random group):");
        lines.push_back("  " + wordsOf(textOf(row, "verdict")) + ": " + textOf(row, "statement") + " (" +
                        textOf(row, "measure") + "; " + textOf(row, "evidence") + ")");
    }
    for (const Json& row : listIn(prm, "small_noise")) {
        if (row.is_object())
            lines.push_back("  small noise in " + textOf(row, "param_type") + ": slope " +
                            shortNumber(realOf(row, "log_log_slope")) + ", coefficient " +
                            withInterval(realOf(row, "coefficient"), row, "coefficient_ci", "%.3g") +
                            ", half the trace " +
                            withInterval(realOf(row, "half_trace"), row, "half_trace_ci", "%.3g") +
                            (row.value("agrees", false)    ? ": they agree"
                             : textOf(row, "note").empty() ? ": they differ"
                                                           : ": they differ (" + textOf(row, "note") + ")"));
    }
    return lines;
}

} // namespace peakscope
