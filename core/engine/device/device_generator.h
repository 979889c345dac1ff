// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers drawn where they are needed. Used by whoever fills tensors on a device; any thread.
#pragma once

#include "core/model/model_config.h"

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace peakscope {

// A generator of its own for a device that is ready, so that drawing from it changes nothing else that is drawn. The
// numbers of one seed differ between a CPU and CUDA.
at::Generator deviceGenerator(c10::Device device, std::uint64_t seed);

// A CPU draws some hundred million weights a second: from a thousand million on CUDA draws a model's random weights
// itself, in its own numbers; below that they are the same on every device. A stand-in of a card draws nothing, and all of it.
bool drawnByDevice(const ModelConfig& config, c10::Device device);

} // namespace peakscope
