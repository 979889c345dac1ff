// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How many vectors a run's Lanczos basis has: what the engine's plan and the closed forms go by.
#pragma once

#include <algorithm>
#include <cstdint>

namespace peakscope {

inline constexpr std::int64_t kMostBasis = 80;
inline constexpr std::int64_t kUsualBasis = 20;
inline constexpr std::int64_t kFreeBasisBytes = std::int64_t{4} << 30; // of the basis, without a budget

// Of a space of `size` parameters.
constexpr std::int64_t usualBasis(std::int64_t topK, std::int64_t size)
{
    return std::min({std::max(kUsualBasis, 2 * topK + 1), kMostBasis, size});
}

// `roomBytes`: what a budget leaves for the basis and one vector more; negative: there is no budget.
constexpr std::int64_t lanczosBasis(std::int64_t topK, std::int64_t size, std::int64_t vectorBytes,
                                    std::int64_t roomBytes)
{
    const std::int64_t most = std::min(kMostBasis, size), least = std::min(topK + 3, most);
    const std::int64_t fits = roomBytes < 0 ? std::max(usualBasis(topK, size), kFreeBasisBytes / (vectorBytes + 1))
                                            : roomBytes / std::max<std::int64_t>(1, vectorBytes) - 1;
    return std::clamp(fits, least, most);
}

} // namespace peakscope
