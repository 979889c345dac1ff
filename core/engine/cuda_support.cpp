// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda_support.h"

#include "core/engine/storage_blocks.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <unordered_map>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// A request is rounded up to a multiple of this by the caching allocator.
constexpr std::int64_t kCudaGranule = 512;

struct Loaded {
    const CudaModule* module = nullptr;
    std::string reason; // why there is none
};

std::vector<fs::path> moduleCandidates()
{
    std::vector<fs::path> candidates;
    if (const char* named = std::getenv("PEAKSCOPE_CUDA_MODULE"); named && *named)
        candidates.emplace_back(named);
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    candidates.push_back(folder / "libpeakscope_cuda.so");
    candidates.push_back(folder / "../lib/peakscope/libpeakscope_cuda.so");
    return candidates;
}

Loaded load()
{
    // Loading LibTorch's CUDA half takes a second and its libraries half a gigabyte: not without a driver.
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver)
        return {nullptr, "no NVIDIA driver is installed"};
    for (const fs::path& candidate : moduleCandidates()) {
        std::error_code error;
        if (!fs::exists(candidate, error))
            continue;
        void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!handle)
            return {nullptr, std::string("the CUDA module cannot be loaded: ") + ::dlerror()};
        using Entry = const CudaModule* (*)();
        const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "peakscopeCudaModule"));
        if (!entry || entry()->version != kCudaModuleVersion)
            return {nullptr, candidate.string() + " is of another version of Peakscope"};
        if (entry()->deviceCount() == 0)
            return {nullptr, "the NVIDIA driver offers no device"};
        return {entry(), ""};
    }
    return {nullptr, "this build has no CUDA module"};
}

const Loaded& loaded()
{
    static const Loaded module = load();
    return module;
}

// The ledger's blocks by address; filled under the allocator's own lock.
struct DeviceBlocks {
    struct Entry {
        BlockId request = 0;
        BlockId rounding = 0;
    };
    std::mutex mutex;
    std::unordered_map<const void*, Entry> entries;
};

DeviceBlocks& deviceBlocks()
{
    static auto* blocks = new DeviceBlocks;
    return *blocks;
}

void onAllocated(const void* address, std::int64_t bytes)
{
    Ledger& ledger = Ledger::instance();
    DeviceBlocks::Entry entry;
    entry.request = ledger.allocated(bytes);
    const std::int64_t rest = (kCudaGranule - bytes % kCudaGranule) % kCudaGranule;
    if (rest > 0) {
        entry.rounding = ledger.allocated(rest);
        ledger.tag(entry.rounding, Component::Rounding);
    }
    std::lock_guard lock(deviceBlocks().mutex);
    deviceBlocks().entries[address] = entry;
}

void onReleased(const void* address)
{
    DeviceBlocks::Entry entry;
    {
        std::lock_guard lock(deviceBlocks().mutex);
        const auto found = deviceBlocks().entries.find(address);
        if (found == deviceBlocks().entries.end())
            return;
        entry = found->second;
        deviceBlocks().entries.erase(found);
    }
    Ledger::instance().released(entry.request);
    Ledger::instance().released(entry.rounding);
}

} // namespace

std::vector<LocalDevice> cudaDevices()
{
    std::vector<LocalDevice> devices;
    const CudaModule* module = loaded().module;
    for (int i = 0; module && i < module->deviceCount(); ++i) {
        CudaDeviceProperties properties = {};
        if (!module->properties(i, &properties))
            continue;
        // What the driver reports as total already excludes what the board keeps; a context takes some of the rest.
        devices.push_back({"cuda:" + std::to_string(i), properties.name, properties.totalBytes, properties.freeBytes,
                           properties.totalBytes});
    }
    return devices;
}

std::string cudaUnavailableReason()
{
    return loaded().reason;
}

void attachCudaLedger(int device, std::int64_t budgetBytes)
{
    const CudaModule* module = loaded().module;
    if (!module)
        return;
    module->attach({onAllocated, onReleased});
    module->setBudget(device, budgetBytes);
}

std::optional<CudaMemoryStatistics> cudaStatistics(int device)
{
    CudaMemoryStatistics statistics = {};
    if (!loaded().module || !loaded().module->statistics(device, &statistics))
        return std::nullopt;
    return statistics;
}

void synchronizeCuda(int device)
{
    if (loaded().module)
        loaded().module->synchronize(device);
}

BlockId blockOfDeviceData(const void* data)
{
    std::lock_guard lock(deviceBlocks().mutex);
    const auto found = deviceBlocks().entries.find(data);
    return found == deviceBlocks().entries.end() ? 0 : found->second.request;
}

} // namespace peakscope
