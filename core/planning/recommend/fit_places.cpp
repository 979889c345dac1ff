// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/fit_places.h"

#include "core/base/machine.h"
#include "core/model/dry_device.h"
#include "core/planning/recommend/plan_device.h"

#include <algorithm>

namespace peakscope {
namespace {

// Of what is free now other programs take some, and the heap keeps holes.
constexpr double kShareOfFree = 0.9;

} // namespace

std::int64_t roomToFit(const LocalDevice& device, int sharing)
{
    // Each rank has a CUDA device of its own.
    const double free = static_cast<double>(device.freeBytes) / (device.id == "cpu" ? sharing : 1);
    const auto share = static_cast<std::int64_t>(kShareOfFree * free);
    constexpr std::int64_t kMebi = 1 << 20; // whole ones, for it is shown as a budget
    return std::max(kMebi, (share - planDeviceOfMachine(device).contextBytes) / kMebi * kMebi);
}

Result<FittedExperiment> fitToCard(const Experiment& experiment, int step)
{
    const auto dry = dryDevice(experiment.device, "device");
    if (!dry)
        return dry.error();
    const std::int64_t most = dry->bytes - dry->card.contextBytes;
    return fitExperiment(experiment, experiment.budgetBytes > 0 ? std::min(experiment.budgetBytes, most) : most, true,
                         step);
}

Result<FittedExperiment> fitToDevice(const Experiment& asked, const LocalDevice& device, int step, int sharing)
{
    Experiment experiment = asked;
    const bool cuda = device.id != "cpu";
    if (!cuda && experiment.threads == 0)
        experiment.threads = std::max(1, processorCount() / sharing); // what it will run with
    return fitExperiment(experiment, asked.budgetBytes > 0 ? asked.budgetBytes : roomToFit(device, sharing), cuda,
                         step);
}

} // namespace peakscope
