// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/reserved_peak.h"

#include <algorithm>
#include <vector>

namespace peakscope {

std::optional<AllocatorPeaks> allocatorPeaks(const ShadowMemory& memory, const CudaAllocatorOptions& options,
                                             std::int64_t capacity)
{
    AllocatorModel allocator({.maxSplitBytes = std::max<std::int64_t>(options.maxSplitSizeMb, 0) << 20,
                              .expandableSegments = options.expandableSegments},
                             capacity);
    std::vector<AllocatorModel::Block> blocks(memory.storages());
    AllocatorPeaks peaks;
    std::int64_t live = 0;
    Phase phase = Phase::Load;
    const auto notePeak = [&] {
        std::int64_t& most = peaks.allocated[static_cast<std::size_t>(phase)];
        most = std::max(most, live);
    };
    auto mark = memory.marks().begin();
    for (std::size_t i = 0; i < memory.events(); ++i) {
        for (; mark != memory.marks().end() && mark->first <= i; ++mark) {
            phase = mark->second; // what lives when it begins counts for it
            notePeak();
        }
        const auto [storage, bytes] = memory.event(i);
        if (bytes < 0) {
            allocator.release(blocks[storage]);
            live -= blocks[storage].bytes;
        } else if (bytes > 0) {
            const auto block = allocator.allocate(bytes);
            if (!block)
                return std::nullopt;
            blocks[storage] = *block;
            live += block->bytes;
            notePeak();
        }
    }
    peaks.reserved = allocator.peakReservedBytes();
    return peaks;
}

} // namespace peakscope
