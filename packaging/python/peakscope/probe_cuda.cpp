// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Hands what PyTorch's caching allocator on CUDA gives and takes back on to probe.cpp, with which it is one library.
// Built where this PyTorch has CUDA. cuda_names/ has the names of CUDA that the allocator's header mentions.
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>

namespace peakscope_probe {

// The allocator holds its lock: nobody waits for Python's lock here.
void deviceMemory(bool allocated, std::uint64_t address, std::int64_t bytes, int device);

} // namespace peakscope_probe

// 0: it listens, for as long as the process lives; 1: no allocator of PyTorch's own has begun.
#pragma GCC visibility push(default)
extern "C" int peakscope_probe_cuda()
{
    auto* allocator = c10::cuda::CUDACachingAllocator::get();
    if (!allocator || !allocator->initialized())
        return 1;
    static bool listens = false;
    if (listens)
        return 0;
    listens = true;
    allocator->attachAllocatorTraceTracker([](const c10::cuda::CUDACachingAllocator::TraceEntry& entry) {
        using Entry = c10::cuda::CUDACachingAllocator::TraceEntry;
        // From the request on the program doesn't hold it any more, though a stream may use it until it is completed.
        if (entry.action_ == Entry::ALLOC || entry.action_ == Entry::FREE_REQUESTED)
            peakscope_probe::deviceMemory(entry.action_ == Entry::ALLOC, static_cast<std::uint64_t>(entry.addr_),
                                          static_cast<std::int64_t>(entry.size_), entry.device_);
    });
    return 0;
}
