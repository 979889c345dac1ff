// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/finished_result.h"

#include "core/analysis/response/response_summary.h"
#include "core/base/json/json_reader.h"
#include "core/results/section_readers.h"

#include <utility>

namespace peakscope {

namespace {

std::shared_ptr<const CurvatureData> curvatureOf(const RunResult& result)
{
    const nlohmann::json& section = lenient::member(result.other, "curvature");
    if (!section.is_object() || section.empty())
        return nullptr;
    auto data = std::make_shared<CurvatureData>(curvatureFromJson(section));
    data->course = curvatureCourseFromJson(lenient::member(result.other, "estimates"));
    data->synthetic = result.synthetic;
    data->imported = result.other.contains("source");
    return data;
}

bool holdsAnalysis(const nlohmann::json& sections)
{
    for (const char* key : {"features", "embedding", "partition", "prm"}) {
        if (sections.is_object() && sections.contains(key))
            return true;
    }
    return false;
}

} // namespace

std::shared_ptr<const RunResult> finishedResult(RunResult result)
{
    result.curvature = curvatureOf(result);
    result.analysis = nullptr;
    if (holdsAnalysis(result.other))
        result.analysis = std::make_shared<const Result<AnalysisData>>(analysisOf(result.other, result.synthetic));
    return std::make_shared<const RunResult>(std::move(result));
}

Result<AnalysisData> analysisOf(const nlohmann::json& sections, bool synthetic)
{
    Result<AnalysisData> data = analysisFromJson(sections);
    if (data) {
        data->synthetic = synthetic;
        summarizeWhereAbsent(*data);
    }
    return data;
}

} // namespace peakscope
