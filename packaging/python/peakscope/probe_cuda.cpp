// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Hands what PyTorch's caching allocator on CUDA gives and takes back on to probe.cpp, with which it is one library.
// Built where this PyTorch has CUDA. cuda_names/ has the names of CUDA that the allocator's header mentions.
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>

namespace peakscope_probe {

// `kind`: of probe.cpp. The allocator holds its lock: nobody waits for Python's lock here.
void deviceMemory(int kind, std::uint64_t address, std::int64_t bytes, int device);

void cardsBegin();

} // namespace peakscope_probe

namespace {

using Entry = c10::cuda::CUDACachingAllocator::TraceEntry;

int kindOf(Entry::Action action)
{
    switch (action) {
    case Entry::ALLOC:
        return 1;
    case Entry::FREE_REQUESTED: // from here on the program doesn't hold it, though a stream may use it
        return 2;
    case Entry::FREE_COMPLETED:
        return 11;
    case Entry::SEGMENT_ALLOC:
        return 12;
    case Entry::SEGMENT_FREE:
        return 13;
    case Entry::SEGMENT_MAP:
        return 14;
    case Entry::SEGMENT_UNMAP:
        return 15;
    case Entry::OOM: // address: bytes that the device had left
        return 16;
    default:
        return 0;
    }
}

} // namespace

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
    peakscope_probe::cardsBegin();
    allocator->attachAllocatorTraceTracker([](const Entry& entry) {
        if (const int kind = kindOf(entry.action_))
            peakscope_probe::deviceMemory(kind, static_cast<std::uint64_t>(entry.addr_),
                                          static_cast<std::int64_t>(entry.size_), entry.device_);
    });
    return 0;
}
