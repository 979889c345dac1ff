// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether small noise does what the Hessian says: in float64, with pairs of opposite noise, the mean change of the loss
// is half the trace of the class's Hessian block times the noise's variance. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger.h"
#include "core/engine/model.h"
#include "core/engine/prm/prm_options.h"
#include "core/engine/prm/prm_samples.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

struct SmallNoiseInput {
    Model& model;                           // its weights are read only
    const std::vector<TextSample>& samples; // the first few make the loss
    const UnitPartition& partition;
    FeatureUnit unit = FeatureUnit::Row;
    std::uint64_t seed = 0;
    Ledger& ledger;
    std::function<void(double share, const std::string& message)> onProgress;
};

// An array, an object a class: the changes by sigma, their slope, coefficient and the trace's, and whether the two
// agree within their 95 % intervals. Interrupted where a stop was asked for.
Result<nlohmann::json> smallNoiseCheck(const SmallNoiseInput& input);

// Bytes it needs beside the model, roughly.
std::int64_t smallNoiseBytes(Model& model);

} // namespace peakscope
