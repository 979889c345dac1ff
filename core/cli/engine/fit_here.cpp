// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/fit_here.h"

#include "core/engine/cuda/device.h"
#include "core/model/dry_device.h"
#include "core/planning/recommend/fit_places.h"

#include <algorithm>

namespace peakscope {

Result<FittedExperiment> fitHere(const Experiment& asked, int step, int sharing)
{
    if (isDryDevice(asked.device))
        return fitToCard(asked, step);
    const auto id = resolveDevice(asked.device);
    if (!id)
        return id.error();
    const auto devices = localDevices();
    const auto found = std::ranges::find(devices, *id, &LocalDevice::id);
    if (found == devices.end())
        return failed("device", *id + " is gone");
    return fitToDevice(asked, *found, step, sharing);
}

} // namespace peakscope
