// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA side of the engine, in a shared library of its own that is loaded when a device is asked for: a machine
// without CUDA libraries runs the same program.
#pragma once

#include "core/engine/device.h"

#include <string>
#include <vector>

namespace peakscope {

// Empty where the library or a device is missing; the reason says which.
std::vector<LocalDevice> cudaDevices();
std::string cudaUnavailableReason();

} // namespace peakscope
