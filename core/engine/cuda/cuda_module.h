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
    char bus[32]; // which device of the machine it is
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

inline constexpr int kCudaIdBytes = 128;
enum class CudaNumber : int { Byte, Int64, Float16, BFloat16, Float32, Float64 };

// Collectives of several processes, by the NCCL that LibTorch brings, on a stream of their own: each begins when the
// device has done what its current stream was told before. Each returns a ticket above 0; 0: it failed, or was aborted.
struct CudaCollectives {
    bool (*makeId)(char id[kCudaIdBytes]); // rank 0; the others are told
    // Waits for all others. Null: it failed. One a process.
    void* (*join)(int device, const char id[kCudaIdBytes], int rank, int size);
    std::uint64_t (*allReduceSum)(void* joined, void* data, std::int64_t count, CudaNumber number);
    // in[size · count] -> out[count]; `out` may be in's own block.
    std::uint64_t (*reduceScatterSum)(void* joined, const void* in, void* out, std::int64_t count, CudaNumber number);
    // in[count] -> out[size · count]; `in` may be out's own block.
    std::uint64_t (*allGather)(void* joined, const void* in, void* out, std::int64_t count, CudaNumber number);
    // The current stream goes on after the ticket's collective.
    bool (*follow)(void* joined, std::uint64_t ticket);
    // Of those that are over, of the three above: seconds that the device was busy with them, waiting for others
    // included, and those that streams which follow() waited for them. What was never followed is not waited for.
    void (*seconds)(void* joined, double each[3], double waited[3]);
    // Any thread: what is under way ends, whatever the others do. False: it can't be done now.
    bool (*abort)(void* joined);
};

inline constexpr int kCudaModuleVersion = 4;

struct CudaModule {
    int version;
    int (*deviceCount)();
    bool (*properties)(int device, CudaDeviceProperties* properties);
    // Makes the device's context and the allocator ready, which nothing below works without, and the device this
    // thread's.
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
    CudaCollectives collectives;
};

} // namespace peakscope

extern "C" const peakscope::CudaModule* peakscopeCudaModule();
