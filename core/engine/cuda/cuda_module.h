// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The door of the CUDA module, a shared library that the engine loads when it is to run on a CUDA device. Plain C
// types only: neither side shows the other a LibTorch or CUDA header. Every function says false or nothing where CUDA
// fails; none throws.
#pragma once

#include <cstdint>

namespace peakscope {

struct CudaDeviceProperties {
    char name[256];
    std::int64_t totalBytes;
    std::int64_t freeBytes; // of the driver: other processes count
};

struct CudaMemoryStatistics {
    std::int64_t allocatedBytes; // blocks handed out, as rounded by the allocator
    std::int64_t requestedBytes;
    std::int64_t reservedBytes;
    std::int64_t peakAllocatedBytes;
    std::int64_t peakReservedBytes;
};

struct CudaAllocatorSettings {
    std::int64_t maxSplitBytes; // 0: no limit
    bool expandableSegments;
};

// What the allocator tells as it works. Called under the allocator's lock: must not call into LibTorch or CUDA.
struct CudaLedgerCallbacks {
    void (*allocated)(std::uint64_t address, std::int64_t requestedBytes);
    void (*released)(std::uint64_t address); // handed back by its owner
    void (*reusable)(std::uint64_t address); // may be handed out again
    void (*segmentAdded)(std::uint64_t address, std::int64_t bytes);
    void (*segmentMapped)(std::uint64_t address, std::int64_t bytes); // part of an expandable segment
    void (*segmentRemoved)(std::uint64_t address, std::int64_t bytes);
    void (*outOfMemory)(std::int64_t requestedBytes, std::int64_t deviceFreeBytes);
};

// One segment, then its blocks in the order of their addresses.
struct CudaSegmentVisitor {
    void* context;
    void (*segment)(void* context, std::int64_t bytes, std::int64_t allocatedBytes, bool large, bool expandable);
    void (*block)(void* context, std::int64_t bytes, std::int64_t requestedBytes, bool allocated);
};

inline constexpr int kCudaModuleVersion = 2;

struct CudaModule {
    int version;
    int (*deviceCount)();
    bool (*properties)(int device, CudaDeviceProperties* properties);
    // Makes the device's context and the allocator ready, which nothing below works without.
    bool (*initialise)(int device);
    bool (*settings)(int device, CudaAllocatorSettings* settings);
    // From now on every block the caching allocator hands out on the device is told; there is no way back.
    bool (*attach)(int device, CudaLedgerCallbacks callbacks);
    // Bytes the allocator may reserve on the device; more ends in its out-of-memory error.
    bool (*setBudget)(int device, std::int64_t bytes);
    bool (*statistics)(int device, CudaMemoryStatistics* statistics);
    bool (*segments)(int device, const CudaSegmentVisitor* visitor);
    void (*synchronize)(int device);
    // A moment on the device's current stream; null where there is none. seconds() waits for what was queued until now,
    // says how long the device took since `start`, and forgets it; below 0 where it cannot say.
    void* (*timerStart)(int device);
    double (*timerSeconds)(int device, void* start);
};

} // namespace peakscope

extern "C" const peakscope::CudaModule* peakscopeCudaModule();
