// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA's caching allocator reserves for a simulated run.
#pragma once

#include "core/allocator/allocator_model.h"
#include "core/experiment/experiment.h"
#include "core/planning/shadow/shadow_memory.h"

#include <cstdint>
#include <optional>

namespace peakscope {

// The most bytes of segments held at one time, from the events in order, where `capacity` bytes may be reserved at
// most; nothing where a request does not fit, also after all that is unused was given back.
std::optional<std::int64_t> reservedPeak(const ShadowMemory& memory, const CudaAllocatorOptions& options,
                                         std::int64_t capacity = AllocatorModel::kNoLimit);

} // namespace peakscope
