// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA's caching allocator reserves and hands out for a simulated run.
#pragma once

#include "core/allocator/allocator_model.h"
#include "core/experiment/experiment.h"
#include "core/planning/shadow/shadow_memory.h"

#include <array>
#include <cstdint>
#include <optional>

namespace peakscope {

struct AllocatorPeaks {
    std::int64_t reserved = 0; // the most bytes of segments held at one time
    // The most bytes of blocks in use within each phase. A block is larger than its request where too little for
    // another one would be left of it.
    std::array<std::int64_t, kPhaseCount> allocated{};
};

// Of the events in order, where `capacity` bytes may be reserved at most; nothing where a request does not fit, also
// after all that is unused was given back.
std::optional<AllocatorPeaks> allocatorPeaks(const ShadowMemory& memory, const CudaAllocatorOptions& options,
                                             std::int64_t capacity = AllocatorModel::kNoLimit);

} // namespace peakscope
