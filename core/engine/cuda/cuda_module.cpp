// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/cuda_module.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>

namespace peakscope {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

CudaLedgerCallbacks ledger = {};

int deviceCount()
{
    return c10::cuda::device_count();
}

// Makes `device` current for a query and puts the old one back.
class CurrentDevice
{
public:
    explicit CurrentDevice(int device)
    {
        m_valid = cudaGetDevice(&m_before) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
    }
    ~CurrentDevice()
    {
        if (m_valid)
            cudaSetDevice(m_before);
    }
    bool valid() const { return m_valid; }

private:
    int m_before = 0;
    bool m_valid = false;
};

bool properties(int device, CudaDeviceProperties* result)
{
    const CurrentDevice current(device);
    cudaDeviceProp description = {};
    std::size_t free = 0, total = 0;
    if (!current.valid() || cudaGetDeviceProperties(&description, device) != cudaSuccess ||
        cudaMemGetInfo(&free, &total) != cudaSuccess)
        return false;
    std::snprintf(result->name, sizeof(result->name), "%s", description.name);
    result->totalBytes = static_cast<std::int64_t>(total);
    result->freeBytes = static_cast<std::int64_t>(free);
    return true;
}

void onTrace(const allocator::TraceEntry& entry)
{
    const auto* address = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(entry.addr_));
    if (entry.action_ == allocator::TraceEntry::ALLOC)
        ledger.allocated(address, static_cast<std::int64_t>(entry.size_));
    else if (entry.action_ == allocator::TraceEntry::FREE_REQUESTED)
        ledger.released(address);
}

void attach(CudaLedgerCallbacks callbacks)
{
    ledger = callbacks;
    allocator::attachAllocatorTraceTracker(onTrace);
}

void setBudget(int device, std::int64_t bytes)
{
    CudaDeviceProperties description = {};
    if (bytes <= 0 || !properties(device, &description) || description.totalBytes <= 0)
        return;
    const double fraction = static_cast<double>(bytes) / static_cast<double>(description.totalBytes);
    allocator::setMemoryFraction(std::min(1.0, fraction), static_cast<c10::DeviceIndex>(device));
}

bool statistics(int device, CudaMemoryStatistics* result)
{
    constexpr std::size_t kAggregate = 0; // over the small and the large pool
    const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
    result->allocatedBytes = stats.allocated_bytes[kAggregate].current;
    result->requestedBytes = stats.requested_bytes[kAggregate].current;
    result->reservedBytes = stats.reserved_bytes[kAggregate].current;
    result->peakAllocatedBytes = stats.allocated_bytes[kAggregate].peak;
    result->peakReservedBytes = stats.reserved_bytes[kAggregate].peak;
    return true;
}

void synchronize(int device)
{
    const CurrentDevice current(device);
    if (current.valid())
        cudaDeviceSynchronize();
}

const CudaModule cudaModule = {kCudaModuleVersion, deviceCount, properties, attach, setBudget, statistics, synchronize};

} // namespace
} // namespace peakscope

extern "C" __attribute__((visibility("default"))) const peakscope::CudaModule* peakscopeCudaModule()
{
    return &peakscope::cudaModule;
}
