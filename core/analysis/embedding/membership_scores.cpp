// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/membership_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>
#include <zlib.h>

namespace peakscope {
namespace {

double meanOfLowest(std::vector<double> values, double share)
{
    if (values.empty() || std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
        return std::numeric_limits<double>::quiet_NaN();
    const auto count =
        std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(values.size())), 1, values.size());
    std::sort(values.begin(), values.end());
    return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
           static_cast<double>(count);
}

} // namespace

double minKScore(const TokenStatistics& tokens, double share)
{
    return meanOfLowest({tokens.logProbability.begin(), tokens.logProbability.end()}, share);
}

double minKPlusPlusScore(const TokenStatistics& tokens, double share)
{
    std::vector<double> standard;
    for (std::size_t i = 0; i < tokens.logProbability.size(); ++i) {
        // A place where every token is as likely as any other, as far as float32 can tell, says nothing.
        constexpr double kEven = 1e-5;
        const double deviation = tokens.deviation[i];
        standard.push_back(!(deviation <= kEven * std::abs(tokens.mean[i]))
                               ? (tokens.logProbability[i] - tokens.mean[i]) / deviation
                               : 0.0);
    }
    return meanOfLowest(std::move(standard), share);
}

std::int64_t zlibBytes(std::string_view text)
{
    uLongf size = compressBound(static_cast<uLong>(text.size()));
    std::vector<Bytef> packed(size);
    constexpr int kLevel = 6;
    const int status = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                                 static_cast<uLong>(text.size()), kLevel);
    return status == Z_OK ? std::max<std::int64_t>(1, static_cast<std::int64_t>(size))
                          : std::max<std::int64_t>(1, static_cast<std::int64_t>(text.size()));
}

} // namespace peakscope
