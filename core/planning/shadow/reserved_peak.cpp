// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/reserved_peak.h"

#include <algorithm>
#include <vector>

namespace peakscope {

std::optional<std::int64_t> reservedPeak(const ShadowMemory& memory, const CudaAllocatorOptions& options,
                                         std::int64_t capacity)
{
    AllocatorModel allocator({.maxSplitBytes = std::max<std::int64_t>(options.maxSplitSizeMb, 0) << 20,
                              .expandableSegments = options.expandableSegments},
                             capacity);
    std::vector<AllocatorModel::Block> blocks(memory.storages());
    for (std::size_t i = 0; i < memory.events(); ++i) {
        const auto [storage, bytes] = memory.event(i);
        if (bytes < 0) {
            allocator.release(blocks[storage]);
        } else if (bytes > 0) {
            const auto block = allocator.allocate(bytes);
            if (!block)
                return std::nullopt;
            blocks[storage] = *block;
        }
    }
    return allocator.peakReservedBytes();
}

} // namespace peakscope
