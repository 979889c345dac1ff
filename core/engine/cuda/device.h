// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of this machine that LibTorch can use.
#pragma once

#include "core/base/local_device.h"
#include "core/base/result.h"
#include "core/ranks/communicator.h"

#include <string>
#include <vector>

namespace peakscope {

std::vector<LocalDevice> localDevices();

// "auto" becomes the first CUDA device or else "cpu"; a device that is not here is an error that lists those that are.
Result<std::string> resolveDevice(const std::string& requested);
// Of one rank of several, which sees its own CUDA device only where each is to take its own. Errors on all ranks alike:
// two on one device, some on none, another LibTorch on one of them.
Result<std::string> deviceOfRank(const std::string& requested, Communicator& ranks);

std::string torchVersion();

} // namespace peakscope
