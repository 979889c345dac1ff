// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/run_summary.h"

#include "core/analysis/response_text.h"
#include "core/base/text.h"
#include "core/base/units.h"

#include <cstdio>

namespace peakscope {

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
