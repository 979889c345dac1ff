// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's own worker on a stand-in of a card. The stand-in has to be there before LibTorch's CUDA half is loaded,
// so the worker, once it has read what it is to run, starts itself anew with it.
#pragma once

#include "core/base/result.h"
#include "core/model/dry_device.h"

#include <string>

namespace peakscope {

// Replaces this process by the same program, arguments and open files, on the stand-in of `device`, for LibTorch
// `version` ("2.15.0"). Of standard input it has what this process left there; `line` it finds by takeHandedLine().
// Returns only where that can't be done: BadInput, and why.
Error becomeDry(const DryDevice& device, const std::string& version, const std::string& line);

// What becomeDry() handed on; empty: it did not start this process.
std::string takeHandedLine();

} // namespace peakscope
