// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the JSON of a result's sections to their types. A million entries take a second: what has a window calls these
// in its background threads, and everything else takes what they made.
#pragma once

#include "core/base/result.h"
#include "core/results/analysis_sections.h"
#include "core/results/curvature_section.h"

#include <nlohmann/json.hpp>

namespace peakscope {

// A section "curvature". Reads what is there and right in its type; the rest is left out.
CurvatureData curvatureFromJson(const nlohmann::json& section);
// What a result keeps of the course of a run's estimates ("estimates").
CurvatureCourse curvatureCourseFromJson(const nlohmann::json& estimates);
// The "full" of such a section; none where that holds no grid or one that is not right.
std::shared_ptr<const CurvatureMatrix> curvatureMatrixFromJson(const nlohmann::json& full);

// The sections "features", "embedding", "partition" and "prm" of an object; those that are absent stay empty. BadInput
// names the JSON path and what would be right there.
Result<AnalysisData> analysisFromJson(const nlohmann::json& sections);

} // namespace peakscope
