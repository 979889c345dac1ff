// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The door of the CUDA module, a shared library that the engine loads when it is to run on a CUDA device. Plain C
// types only: neither side shows the other a LibTorch or CUDA header.
#pragma once

#include <cstdint>

namespace peakscope {

struct CudaDeviceProperties {
    char name[256];
    std::int64_t totalBytes;
    std::int64_t freeBytes;
};

struct CudaMemoryStatistics {
    std::int64_t allocatedBytes; // blocks handed out, as rounded by the allocator
    std::int64_t requestedBytes;
    std::int64_t reservedBytes;
    std::int64_t peakAllocatedBytes;
    std::int64_t peakReservedBytes;
};

// Called under the allocator's lock: must not call into LibTorch.
struct CudaLedgerCallbacks {
    void (*allocated)(const void* address, std::int64_t requestedBytes);
    void (*released)(const void* address);
};

inline constexpr int kCudaModuleVersion = 1;

struct CudaModule {
    int version;
    int (*deviceCount)();
    bool (*properties)(int device, CudaDeviceProperties* properties);
    // From now on every block the caching allocator hands out is told; there is no way back.
    void (*attach)(CudaLedgerCallbacks callbacks);
    // Bytes the allocator may reserve on the device; more ends in its out-of-memory error.
    void (*setBudget)(int device, std::int64_t bytes);
    bool (*statistics)(int device, CudaMemoryStatistics* statistics);
    void (*synchronize)(int device);
};

} // namespace peakscope

extern "C" const peakscope::CudaModule* peakscopeCudaModule();
