// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The last part of a clipped step: Gaussian noise on the summed gradients, and their division by the expected batch.
#pragma once

#include "core/engine/model/model.h"

#include <functional>
#include <vector>

namespace peakscope {

struct NoiseOptions {
    double deviation = 0; // of the noise on the sum: noise multiplier times clipping norm
    double expectedBatch = 1;
    std::uint64_t seed = 0; // of the noise of this step
};

// In place, a piece of 1 MiB at a time (16 MiB on CUDA); a trained parameter without a gradient starts from zeros.
// Drawn on the device, from a generator of its own: CUDA's numbers are others than a CPU's. No cryptographic generator.
void addNoise(std::vector<Parameter>& parameters, const NoiseOptions& options);

// The same draw, handed out piece by piece: `use(parameter, first, noise)` gets the noise of elements first … of a
// trained parameter in flattened order. A rank that holds a shard of the gradients adds its part of the one draw.
void drawNoise(const std::vector<Parameter>& parameters, const NoiseOptions& options,
               const std::function<void(const Parameter&, std::int64_t first, const at::Tensor& noise)>& use);

} // namespace peakscope
