// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "prm" block of an experiment as a struct. Read by the perturbation experiment only.
#pragma once

#include "core/analysis/partition.h"
#include "core/base/result.h"
#include "core/engine/curvature/curvature_options.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

enum class SampleKind { Auto, Lines, Rows };

struct PrmOptions {
    std::vector<double> sigmas; // ascending, each once
    bool relative = true;       // to the root mean square of the group's weights; false: absolute
    int repeats = 3;            // noise seeds of a point
    std::vector<std::string> attacks;
    std::int64_t baseEpochs = 1;     // on the base part, of random weights only
    std::int64_t finetuneEpochs = 3; // on the members
    std::int64_t members = 0;        // samples fine-tuned on; 0: half of what there is, 512 of built-in records
    std::int64_t attacked = 0;       // members that attacks judge, and as many others; 0: all, 1000 at most
    std::int64_t evaluation = 0;     // samples of the perplexity; 0: 256 at most
    SampleKind samples = SampleKind::Auto;
    FeatureUnit unit = FeatureUnit::Row;
    ClassThresholds thresholds;
    bool synthetic = false;
    bool smallNoise = true; // the check against the Hessian's trace
};

// `block` was checked by the experiment's reader and has every key. BadInput where thresholds overlap or no sigma is
// above 0.
Result<PrmOptions> prmOptions(const nlohmann::json& block);

} // namespace peakscope
