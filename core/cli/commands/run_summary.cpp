// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/run_summary.h"

#include "core/analysis/response/response_text.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/cli/commands/printing.h"
#include "core/results/prediction_bound.h"
#include "core/results/rank_balance.h"
#include "core/results/result_lines.h"
#include "core/results/section_readers.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <cstdio>

namespace peakscope {

namespace {

std::string percentText(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", share * 100);
    return text;
}

// A line each, then one on all of them.
void printRanks(const std::vector<RankSection>& ranks)
{
    const RankBalance balance = rankBalance(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankFigures& figures = balance.ranks[i];
        if (ranks[i].sameAs)
            continue;
        std::string line = "rank " + std::to_string(figures.rank);
        if (!ranks[i].host.empty())
            line += " on " + ranks[i].host;
        if (!ranks[i].device.empty())
            line += " (" + ranks[i].device + ")";
        line += figures.peakBytes ? ": peak " + formatBytes(*figures.peakBytes) : ": no memory record";
        if (figures.stepSeconds)
            line += ", step " + formatSeconds(*figures.stepSeconds);
        if (figures.communicationShare)
            line += ", communication " + percentText(*figures.communicationShare);
        line += balance.fullest == i ? ", fullest" : "";
        line += balance.slowest == i ? ", slowest: the others wait for it" : "";
        if (ranks[i].status != RunStatus::Complete)
            line += ", " + std::string(name(ranks[i].status));
        if (!ranks[i].message.empty())
            line += ": " + ranks[i].message;
        standardOutput().line(line);
        if (const std::string like = ranksLike(ranks, figures.rank); !like.empty())
            standardOutput().line("  and " + like + ", which need the same");
    }
    std::string all;
    const auto add = [&all](const char* what, const std::optional<double>& share) {
        if (share)
            all += (all.empty() ? "" : ", ") + std::string(what) + percentText(*share);
    };
    add("imbalance of peaks ", balance.peakImbalance);
    add("of times without communication ", balance.timeImbalance);
    add("communication of all ", balance.communicationShare);
    if (!all.empty())
        standardOutput().line(all);
}

void printAll(const std::vector<std::string>& lines)
{
    for (const std::string& line : lines)
        standardOutput().line(line);
}

// What a curvature run found, and what it left out of what was asked for.
void printCurvature(const nlohmann::json& section)
{
    printAll(curvatureLines(curvatureFromJson(section)));
    for (const nlohmann::json& one : lenient::array(section, "left_out"))
        standardOutput().line(lenient::text(one, "quantity") + " is left out: " + lenient::text(one, "reason"));
}

} // namespace

void printRunSummary(const RunResult& result, const nlohmann::json& attempts, const std::string& out)
{
    if (result.memory) {
        print("peak {}", formatBytes(result.memory->peakBytes));
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            const std::int64_t bytes = result.memory->peakComponents[i];
            if (bytes * 100 >= result.memory->peakBytes && bytes > 0) {
                print(", {} {}", name(static_cast<Component>(i)), formatBytes(bytes));
            }
        }
        standardOutput().line("");
        if (peakClaim(result) != PeakClaim::None && result.status == RunStatus::Complete &&
            result.memory->peakBytes > 0) {
            const std::string planned = formatBytes(result.prediction->peakBytes);
            const double error =
                static_cast<double>(result.prediction->peakBytes) / static_cast<double>(result.memory->peakBytes) - 1;
            if (predictionIsBound(result))
                print("planned for at most {}; the peak itself was not predicted\n", planned);
            else
                print("predicted {} ({:+.2f} %)\n", planned, error * 100);
        }
    }
    if (!result.ranks.empty())
        printRanks(result.ranks);
    if (result.timing && !result.timing->stepSeconds.empty())
        print("median step {}{}\n", formatSeconds(result.timing->medianStepSeconds),
              tooBusy(timedRounds(result)) ? ", on a machine too busy to compare it" : "");
    if (result.loss)
        print("loss {:.6g}\n", *result.loss);
    if (result.synthetic)
        standardOutput().line("synthetic: nothing was measured");
    const nlohmann::json& sections = result.other;
    printCurvature(lenient::member(sections, "curvature"));
    printAll(privacyLines(result));
    printAll(responseHeadlines(sections.value("prm", nlohmann::json()), sections.value("partition", nlohmann::json())));
    printAll(unitLines(sections));
    const auto isAttempt = [&attempts](const std::string& note) {
        return std::any_of(attempts.begin(), attempts.end(),
                           [&note](const auto& attempt) { return lenient::text(attempt, "sentence") == note; });
    };
    for (const std::string& note : result.notes) {
        // Else what stands above may be taken for more than it is; attempts have their lines below.
        if (!note.starts_with("data: ") && !isAttempt(note))
            print("note: {}\n", note);
    }
    for (const auto& attempt : attempts)
        standardOutput().line(lenient::text(attempt, "sentence"));
    if (result.gradientNorm)
        print("gradient norm {:.6g}\n", *result.gradientNorm);
    print("result in {}\n", out);
}

} // namespace peakscope
