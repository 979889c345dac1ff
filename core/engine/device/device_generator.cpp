// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/device/device_generator.h"

#include "core/engine/device/stand_in_readback.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

namespace peakscope {

at::Generator deviceGenerator(c10::Device device, std::uint64_t seed)
{
    if (device.is_cpu())
        return at::detail::createCPUGenerator(seed);
    at::Generator generator = at::globalContext().defaultGenerator(device).clone();
    generator.set_current_seed(seed);
    return generator;
}

bool drawnByDevice(const ModelConfig& config, c10::Device device)
{
    constexpr std::int64_t kMostDrawnByHost = 1'000'000'000;
    return device.is_cuda() && (onStandIn() || parameterCount(config) > kMostDrawnByHost);
}

} // namespace peakscope
