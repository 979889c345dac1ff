// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/fit_here.h"

#include "core/base/machine.h"
#include "core/engine/cuda/device.h"
#include "core/model/dry_device.h"

#include <algorithm>

namespace peakscope {
namespace {

// Of what is free now other programs take some, and the heap keeps holes.
constexpr double kShareOfFree = 0.9;

// What one of `sharing` ranks may take of the device.
std::int64_t freeShare(const std::string& id, int sharing)
{
    for (const LocalDevice& device : localDevices()) {
        if (device.id == id) { // each rank has a CUDA device of its own
            const double free = static_cast<double>(device.freeBytes) / (id == "cpu" ? sharing : 1);
            return static_cast<std::int64_t>(kShareOfFree * free) - planDeviceOfMachine(device).contextBytes;
        }
    }
    return 0;
}

} // namespace

Result<FittedExperiment> fitHere(const Experiment& asked, int step, int sharing)
{
    Experiment experiment = asked;
    if (isDryDevice(asked.device)) { // all of it
        const auto dry = dryDevice(asked.device, "device");
        if (!dry)
            return dry.error();
        const std::int64_t most = dry->bytes - dry->card.contextBytes;
        return fitExperiment(experiment, asked.budgetBytes > 0 ? std::min(asked.budgetBytes, most) : most, true, step);
    }
    const auto id = resolveDevice(asked.device);
    if (!id)
        return id.error();
    const bool cuda = *id != "cpu";
    if (!cuda && experiment.threads == 0)
        experiment.threads = std::max(1, processorCount() / sharing); // what it will run with
    const std::int64_t budget = experiment.budgetBytes > 0 ? experiment.budgetBytes : freeShare(*id, sharing);
    return fitExperiment(experiment, std::max<std::int64_t>(1, budget), cuda, step);
}

} // namespace peakscope
