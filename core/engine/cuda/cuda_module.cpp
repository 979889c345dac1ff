// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/cuda_module.h"

#include "core/engine/cuda/nccl_collectives.h"
#include "core/engine/cuda/cuda_guards.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>

namespace peakscope {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

CudaLedgerCallbacks ledger = {};
int ledgerDevice = -1;

int deviceCount()
{
    int count = 0;
    succeeds([&] {
        count = c10::cuda::device_count();
        return true;
    });
    return count;
}

bool properties(int device, CudaDeviceProperties* result)
{
    const CurrentDevice current(device);
    cudaDeviceProp description = {};
    std::size_t free = 0, total = 0;
    if (!current.valid() || cudaGetDeviceProperties(&description, device) != cudaSuccess ||
        cudaMemGetInfo(&free, &total) != cudaSuccess)
        return false;
    std::snprintf(result->name, sizeof(result->name), "%s", description.name);
    if (cudaDeviceGetPCIBusId(result->bus, sizeof(result->bus), device) != cudaSuccess)
        result->bus[0] = '\0';
    result->totalBytes = static_cast<std::int64_t>(total);
    result->freeBytes = static_cast<std::int64_t>(free);
    return true;
}

// The allocator has no devices, and so nothing to attach to or to limit, until LibTorch has initialised CUDA.
template <typename Context>
void initialiseCuda(Context& context)
{
    if constexpr (requires { context.lazyInitDevice(c10::DeviceType::CUDA); })
        context.lazyInitDevice(c10::DeviceType::CUDA);
    else
        context.lazyInitCUDA();
}

bool initialise(int device)
{
    return succeeds([&] {
        initialiseCuda(at::globalContext());
        return device < c10::cuda::device_count() && cudaSetDevice(device) == cudaSuccess &&
               cudaFree(nullptr) == cudaSuccess;
    });
}

bool settings(int, CudaAllocatorSettings* result)
{
    return succeeds([&] {
        const auto info = allocator::snapshot().config_metadata;
        constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max() / 2;
        result->maxSplitBytes = info.max_split_size > kNoLimit ? 0 : static_cast<std::int64_t>(info.max_split_size);
        result->expandableSegments = info.expandable_segments;
        return true;
    });
}

void onTrace(const allocator::TraceEntry& entry)
{
    if (static_cast<int>(entry.device_) != ledgerDevice)
        return;
    const auto address = static_cast<std::uint64_t>(entry.addr_);
    const auto bytes = static_cast<std::int64_t>(entry.size_);
    switch (entry.action_) {
    case allocator::TraceEntry::ALLOC:
        ledger.allocated(address, bytes);
        break;
    case allocator::TraceEntry::FREE_REQUESTED:
        ledger.released(address);
        break;
    case allocator::TraceEntry::FREE_COMPLETED:
        ledger.reusable(address);
        break;
    case allocator::TraceEntry::SEGMENT_ALLOC:
        ledger.segmentAdded(address, bytes);
        break;
    case allocator::TraceEntry::SEGMENT_MAP:
        ledger.segmentMapped(address, bytes);
        break;
    case allocator::TraceEntry::SEGMENT_FREE:
    case allocator::TraceEntry::SEGMENT_UNMAP:
        ledger.segmentRemoved(address, bytes);
        break;
    case allocator::TraceEntry::OOM:
        ledger.outOfMemory(bytes, static_cast<std::int64_t>(entry.addr_));
        break;
    default:
        break;
    }
}

bool attach(int device, CudaLedgerCallbacks callbacks)
{
    ledger = callbacks;
    ledgerDevice = device;
    return succeeds([] {
        allocator::attachAllocatorTraceTracker(onTrace);
        return true;
    });
}

bool setBudget(int device, std::int64_t bytes)
{
    CudaDeviceProperties description = {};
    if (bytes <= 0 || !properties(device, &description) || description.totalBytes <= 0)
        return false;
    // The allocator makes bytes of the fraction again, rounding down: half a granule more keeps the last segment.
    const double fraction = (static_cast<double>(bytes) + 256) / static_cast<double>(description.totalBytes);
    return succeeds([&] {
        allocator::setMemoryFraction(std::min(1.0, fraction), static_cast<c10::DeviceIndex>(device));
        return true;
    });
}

bool statistics(int device, CudaMemoryStatistics* result)
{
    constexpr std::size_t kAggregate = 0; // over the small and the large pool
    return succeeds([&] {
        const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
        result->allocatedBytes = stats.allocated_bytes[kAggregate].current;
        result->requestedBytes = stats.requested_bytes[kAggregate].current;
        result->reservedBytes = stats.reserved_bytes[kAggregate].current;
        result->peakAllocatedBytes = stats.allocated_bytes[kAggregate].peak;
        result->peakReservedBytes = stats.reserved_bytes[kAggregate].peak;
        return true;
    });
}

bool segments(int device, const CudaSegmentVisitor* visitor)
{
    return succeeds([&] {
        for (const auto& segment : allocator::snapshot().segments) {
            if (static_cast<int>(segment.device) != device)
                continue;
            visitor->segment(visitor->context, static_cast<std::int64_t>(segment.total_size),
                             static_cast<std::int64_t>(segment.allocated_size), segment.is_large,
                             segment.is_expandable);
            for (const auto& block : segment.blocks)
                visitor->block(visitor->context, static_cast<std::int64_t>(block.size),
                               static_cast<std::int64_t>(block.requested_size), block.allocated);
        }
        return true;
    });
}

void synchronize(int device)
{
    const CurrentDevice current(device);
    if (current.valid())
        cudaDeviceSynchronize();
}

cudaEvent_t momentNow(int device)
{
    cudaEvent_t moment = nullptr;
    const bool recorded = succeeds([&] {
        const CurrentDevice current(device);
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
        return current.valid() && cudaEventCreate(&moment) == cudaSuccess &&
               cudaEventRecord(moment, stream) == cudaSuccess;
    });
    if (recorded)
        return moment;
    if (moment)
        cudaEventDestroy(moment);
    return nullptr;
}

void* timerStart(int device)
{
    return momentNow(device);
}

double timerSeconds(int device, void* start)
{
    const auto begin = static_cast<cudaEvent_t>(start);
    const cudaEvent_t end = momentNow(device);
    float milliseconds = -1;
    if (begin && end && cudaEventSynchronize(end) == cudaSuccess &&
        cudaEventElapsedTime(&milliseconds, begin, end) != cudaSuccess)
        milliseconds = -1;
    for (const cudaEvent_t moment : {begin, end}) {
        if (moment)
            cudaEventDestroy(moment);
    }
    return static_cast<double>(milliseconds) * 1e-3;
}

const CudaModule cudaModule = {kCudaModuleVersion, deviceCount, properties, initialise,  settings,   attach,
                               setBudget,          statistics,  segments,   synchronize, timerStart, timerSeconds,
                               ncclCollectives()};

} // namespace
} // namespace peakscope

extern "C" __attribute__((visibility("default"))) const peakscope::CudaModule* peakscopeCudaModule()
{
    return &peakscope::cudaModule;
}
