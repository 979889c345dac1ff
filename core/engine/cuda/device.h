// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of this machine that LibTorch can use.
#pragma once

#include "core/base/local_device.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace peakscope {

std::vector<LocalDevice> localDevices();

// "auto" becomes the first CUDA device or else "cpu"; a device that is not here is an error that lists those that are.
Result<std::string> resolveDevice(const std::string& requested);

std::string torchVersion();

} // namespace peakscope
