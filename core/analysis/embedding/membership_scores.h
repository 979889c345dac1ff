// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of membership-inference attacks on language models, from the log-probabilities of a sample's tokens. Higher
// means "member". Used by the perturbation experiment. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace peakscope {

inline constexpr double kMinKShare = 0.2;

// What a model says of one sample: of each predicted token its log-probability, and mean and standard deviation of the
// log-probability over the vocabulary at that place.
struct TokenStatistics {
    std::span<const double> logProbability;
    std::span<const double> mean, deviation;
};

// Mean of the lowest `share` of log-probabilities, one token at least (Shi et al., ICLR 2024).
double minKScore(const TokenStatistics& tokens, double share = kMinKShare);

// The same of log-probabilities standardised at their places (Zhang et al., ICLR 2025, Min-K%++).
double minKPlusPlusScore(const TokenStatistics& tokens, double share = kMinKShare);

// Bytes of the text as zlib packs it at level 6; at least 1 (Carlini et al., USENIX Security 2021: the log-likelihood
// is divided by it).
std::int64_t zlibBytes(std::string_view text);

} // namespace peakscope
