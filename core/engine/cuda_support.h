// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA side of the engine, in a shared library of its own that is loaded when a device is asked for: a machine
// without CUDA libraries runs the same program.
#pragma once

#include "core/engine/cuda/cuda_module.h"
#include "core/engine/device.h"

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Empty where the module, the driver or a device is missing; the reason says which.
std::vector<LocalDevice> cudaDevices();
std::string cudaUnavailableReason();

// Puts the memory ledger behind the CUDA caching allocator and caps what it may reserve (0: no cap). Once a process.
void attachCudaLedger(int device, std::int64_t budgetBytes);

std::optional<CudaMemoryStatistics> cudaStatistics(int device);
void synchronizeCuda(int device);

} // namespace peakscope
