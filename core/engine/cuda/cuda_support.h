// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA side of the engine, in a shared library of its own that is loaded when a device is asked for: a machine
// without CUDA libraries runs the same program.
#pragma once

#include "core/engine/cuda/cuda_module.h"
#include "core/engine/cuda/device.h"
#include "core/experiment/experiment.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Empty where the module, the driver or a device is missing; the reason says which.
std::vector<LocalDevice> cudaDevices();
std::string cudaUnavailableReason();
const CudaModule* cudaModule(); // null where there is none

// The caching allocator reads its settings once, from the environment, when it is first used: call before that. What
// the user's own environment says stays where the experiment asks for nothing.
void requestCudaAllocator(const CudaAllocatorOptions& options);

// Caps what the caching allocator may reserve (0: no cap) and, where `traced`, puts the memory ledger behind it. Once a
// process, before its first tensor on the device; an error where CUDA does not start.
Status attachCudaLedger(int device, std::int64_t budgetBytes, bool traced);

std::optional<CudaMemoryStatistics> cudaStatistics(int device);
void synchronizeCuda(int device);

// Keeps the allocator's segments and blocks as they are now for the report; the last call counts.
void keepCudaSegments(int device);

// What the allocator says of itself, beside the ledger: {"allocated_bytes", "requested_bytes", "reserved_bytes" (now),
// "peak_allocated_bytes", "peak_reserved_bytes", "fragmentation_bytes" (reserved less allocated where the segments were
// kept), "context_bytes" (what the driver says is used less what is reserved), "device_total_bytes", "segments",
// "blocks", "segment_list", "ledger": {"phase_marks", "allocated_differences", "reserved_differences",
// "largest_difference_bytes", "unknown_blocks"}}. Null where there is no device.
nlohmann::json cudaAllocatorReport(int device);

} // namespace peakscope
