// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gaussian noise in the weights of chosen units, and the way back: a copy that restores every bit, proved by a
// checksum. One thread; the model must outlive it.
#pragma once

#include "core/analysis/response/partition.h"
#include "core/base/result.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/products/parameter_units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// Units that get noise together.
struct NoiseGroup {
    UnitClass unitClass = UnitClass::Both;
    bool control = false; // random units of as many weights as the class has
    std::vector<std::int64_t> units;
    std::int64_t entries = 0; // weights
    double rms = 0;           // their root mean square, before any noise
    // Of each tensor of the space: ones where its weights are the group's, broadcastable; undefined where none are.
    std::vector<at::Tensor> masks;
};

// Units in random order until they have as many weights as `entries`, to within half of the last unit's; at least one.
// Ascending. Noise in a group does more the more weights it has, so that is the size that has to be equal.
std::vector<std::int64_t> controlUnits(const std::vector<CurvatureUnit>& units, std::int64_t entries,
                                       std::uint64_t seed);

class UnitNoise
{
public:
    // Copies the weights as they are now.
    UnitNoise(const ParameterSpace& space, const ParameterUnits& units);

    NoiseGroup group(UnitClass unitClass, bool control, std::vector<std::int64_t> members) const;

    // weights + sigma (times the group's RMS where `relative`) times normal numbers of (seed, purpose, number); the
    // numbers of a weight are the same whichever group it is drawn for. `sign` -1 subtracts. 0 touches nothing.
    void add(const NoiseGroup& group, double sigma, bool relative, std::uint64_t seed, DrawPurpose purpose,
             std::uint64_t number, double sign = 1) const;

    // The same noise of scale 1 as a tensor a weight tensor (undefined where none of the group's are), and adding it
    // with a factor: for those who put one drawing in again and again.
    std::vector<at::Tensor> draw(const NoiseGroup& group, std::uint64_t seed, DrawPurpose purpose,
                                 std::uint64_t number) const;
    void addDrawn(const std::vector<at::Tensor>& drawn, double scale) const;

    // Puts the copy back and compares checksums; failed where a bit differs.
    Status restore();
    // Puts the copy back; whoever does without the comparison makes it later.
    void putBack();

    // Of all weights' bytes, in order. The same for the same bits on every device.
    std::uint64_t checksum() const;
    std::uint64_t originalChecksum() const { return m_original; }

private:
    at::Tensor drawOne(std::size_t tensor, const NoiseGroup& group, std::uint64_t seed, DrawPurpose purpose,
                       std::uint64_t number) const;

    const ParameterSpace& m_space;
    const ParameterUnits& m_units;
    at::Tensor m_copy; // of the space's weights, [size]
    std::uint64_t m_original = 0;
};

} // namespace peakscope
