// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Random vectors that are a function of (seed, purpose, number, position) alone, so that a resumed run draws what the
// interrupted one would have drawn, on any number of threads.
#pragma once

#include "core/text/random_bits.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace peakscope {

// What a vector is drawn for; two purposes share no numbers.
enum class DrawPurpose : std::uint64_t {
    TraceProbe = 1,
    DensityProbe,
    LanczosStart,
    SketchProbe,
    SymmetryProbe,
    BlockProbe,
    LbfgsStep,
    FeatureProbe,
    WeightNoise,
    SmallNoise,
    SmallNoiseProbe,
};

// The 64 bits at `counter` of the stream (seed, purpose, number).
inline std::uint64_t counterBits(std::uint64_t seed, DrawPurpose purpose, std::uint64_t number, std::uint64_t counter)
{
    const std::uint64_t stream =
        RandomBits::mix(seed ^ RandomBits::mix((static_cast<std::uint64_t>(purpose) << 56) + number));
    return RandomBits::mix(stream + (counter + 1) * 0x9e3779b97f4a7c15ULL);
}

// Fills a one-dimensional tensor with +1 and -1, each equally likely; with those at `position` and on where it is a
// part of a longer vector.
void fillSigns(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
               std::int64_t position = 0);

// The same with standard normal numbers (Box and Muller).
void fillNormal(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                std::int64_t position = 0);

} // namespace peakscope
