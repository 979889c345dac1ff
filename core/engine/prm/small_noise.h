// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether small noise does what the Hessian says: in float64, with pairs of opposite noise, the mean change of the loss
// is half the trace of the class's Hessian block times the noise's variance. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/engine/prm/prm_samples.h"
#include "core/experiment/prm_options.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace peakscope {

inline constexpr std::size_t kSmallNoiseRows = 8;                     // samples that make the loss
inline constexpr std::int64_t kSmallNoiseBatch = 4;                   // of one pass, at most
inline constexpr std::int64_t kMostSmallNoiseParameters = 20'000'000; // of a model that is checked

struct SmallNoiseInput {
    Model& model;                           // its weights are read only
    const std::vector<TextSample>& samples; // the first kSmallNoiseRows make the loss
    const UnitPartition& partition;
    FeatureUnit unit = FeatureUnit::Row;
    std::uint64_t seed = 0;
    std::int64_t batch = kSmallNoiseBatch; // rows of one pass
    Ledger& ledger;
    std::function<void(double share, const std::string& message)> onProgress;
};

// An array, an object a class: the changes by sigma, their slope, coefficient and the trace's, and whether the two
// agree within their 95 % intervals. Interrupted where a stop was asked for.
Result<nlohmann::json> smallNoiseCheck(const SmallNoiseInput& input);

// Bytes that it needs beside a model of so many parameters, roughly.
std::int64_t smallNoiseBytes(std::int64_t parameters);

} // namespace peakscope
