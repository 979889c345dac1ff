// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a perturbation experiment does: the block "prm" of an experiment. Plain data; any thread.
#pragma once

#include "core/analysis/response/partition.h"
#include "core/base/enum_words.h"
#include "core/experiment/curvature_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

enum class SampleKind { Auto, Lines, Rows };
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<SampleKind>{"auto", "lines", "rows"};

// Every attack there is.
const std::vector<std::string>& attackNames();

struct PrmOptions {
    std::vector<double> sigmas = {0, 0.003, 0.01, 0.03, 0.1, 0.3}; // as written; see noiseScales()
    bool relative = true;     // to the root mean square of the group's weights; false: absolute
    std::int64_t repeats = 3; // noise seeds of a point
    std::vector<std::string> attacks = attackNames();
    std::int64_t baseEpochs = 1;     // on the base part, of random weights only
    std::int64_t finetuneEpochs = 3; // on the members
    std::int64_t members = 0;        // samples fine-tuned on; 0: half of what there is, 512 of built-in records
    std::int64_t attacked = 0;       // members that attacks judge, and as many others; 0: all, 1000 at most
    std::int64_t evaluation = 0;     // samples of the perplexity; 0: 256 at most
    SampleKind samples = SampleKind::Auto;
    bool smallNoise = true; // the check against the Hessian's trace
    FeatureUnit unit = FeatureUnit::Row;
    ClassThresholds thresholds;
    bool synthetic = false;
};

// Ascending, each once.
std::vector<double> noiseScales(const PrmOptions& options);

// BadInput where thresholds overlap or no scale of noise is above 0.
Status checkPrm(const PrmOptions& options);

} // namespace peakscope
