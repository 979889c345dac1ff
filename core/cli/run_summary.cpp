// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/run_summary.h"

#include "core/analysis/response_text.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/results/rank_balance.h"

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
        std::string line = "rank " + std::to_string(figures.rank);
        if (!ranks[i].host.empty())
            line += " on " + oneLine(ranks[i].host);
        if (!ranks[i].device.empty())
            line += " (" + oneLine(ranks[i].device) + ")";
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
            line += ": " + oneLine(ranks[i].message);
        std::printf("%s\n", line.c_str());
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
        std::printf("%s\n", all.c_str());
}

} // namespace

void printRunSummary(const RunResult& result, const nlohmann::json& attempts, const std::string& out)
{
    if (result.memory) {
        std::printf("peak %s", formatBytes(result.memory->peakBytes).c_str());
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            const std::int64_t bytes = result.memory->peakComponents[i];
            if (bytes * 100 >= result.memory->peakBytes && bytes > 0) {
                std::printf(", %s %s", std::string(name(static_cast<Component>(i))).c_str(),
                            formatBytes(bytes).c_str());
            }
        }
        std::printf("\n");
        if (result.prediction && result.status == RunStatus::Complete && result.memory->peakBytes > 0) {
            const double error =
                static_cast<double>(result.prediction->peakBytes) / static_cast<double>(result.memory->peakBytes) - 1;
            std::printf("predicted %s (%+.2f %%)\n", formatBytes(result.prediction->peakBytes).c_str(), error * 100);
        }
    }
    if (!result.ranks.empty())
        printRanks(result.ranks);
    if (result.timing && !result.timing->stepSeconds.empty())
        std::printf("median step %s\n", formatSeconds(result.timing->medianStepSeconds).c_str());
    if (result.loss)
        std::printf("loss %.6g\n", *result.loss);
    if (result.synthetic)
        std::printf("synthetic: nothing was measured\n");
    const nlohmann::json& sections = result.other;
    for (const std::string& line :
         responseHeadlines(sections.value("prm", nlohmann::json()), sections.value("partition", nlohmann::json())))
        std::printf("%s\n", oneLine(line).c_str());
    for (const auto& attempt : attempts)
        std::printf("%s\n", attempt["sentence"].get<std::string>().c_str());
    if (result.gradientNorm)
        std::printf("gradient norm %.6g\n", *result.gradientNorm);
    std::printf("result in %s\n", out.c_str());
}

} // namespace peakscope
