// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// device.h for the program without LibTorch, which plans for devices of the catalogue only: questions about this
// machine's own go to the engine before they get here.
#include "core/engine/device.h"

namespace peakscope {

std::vector<LocalDevice> localDevices()
{
    return {};
}

Result<std::string> resolveDevice(const std::string& requested)
{
    return badInput("device", requested + " is a device of this machine: only the engine knows those");
}

} // namespace peakscope
