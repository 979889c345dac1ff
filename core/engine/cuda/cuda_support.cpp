// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/cuda_support.h"

#include "core/base/module_files.h"
#include "core/engine/cuda/device_blocks.h"
#include "core/engine/ledger/device_ledger.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/cuda/step_timer.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

struct Loaded {
    const CudaModule* module = nullptr;
    std::string reason; // why there is none
};

Loaded load()
{
    // Loading LibTorch's CUDA half takes a second and its libraries half a gigabyte: not without a driver.
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver)
        return {nullptr, "no NVIDIA driver is installed"};
    for (const fs::path& candidate : moduleFiles("libpeakscope_cuda.so", "PEAKSCOPE_CUDA_MODULE")) {
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

// The ledger's blocks by address. Filled under the allocator's own lock, so nothing here may call LibTorch or CUDA.
struct LedgerBlocks {
    struct Entry {
        BlockId request = 0;
        BlockId rounding = 0;
    };
    std::mutex mutex;
    DeviceBlocks blocks;
    std::unordered_map<DeviceAddress, Entry> entries;
    std::atomic<std::uint64_t> events{0};
};

LedgerBlocks& ledgerBlocks()
{
    static auto* blocks = new LedgerBlocks;
    return *blocks;
}

void onAllocated(DeviceAddress address, std::int64_t requested)
{
    LedgerBlocks& all = ledgerBlocks();
    Ledger& ledger = Ledger::instance();
    {
        std::lock_guard lock(all.mutex);
        const std::int64_t rounding = all.blocks.allocate(address, requested) - requested;
        LedgerBlocks::Entry entry;
        entry.request = ledger.allocated(requested);
        if (rounding > 0) {
            entry.rounding = ledger.allocated(rounding);
            ledger.tag(entry.rounding, Component::Rounding);
        }
        all.entries[address] = entry;
    }
    ++all.events;
}

void onReleased(DeviceAddress address)
{
    LedgerBlocks& all = ledgerBlocks();
    {
        std::lock_guard lock(all.mutex);
        const auto found = all.entries.find(address);
        if (found != all.entries.end()) {
            Ledger::instance().released(found->second.request);
            Ledger::instance().released(found->second.rounding);
            all.entries.erase(found);
        }
    }
    ++all.events;
}

template <typename Change>
void changeBlocks(const Change& change)
{
    LedgerBlocks& all = ledgerBlocks();
    {
        std::lock_guard lock(all.mutex);
        change(all.blocks);
        DeviceLedger::instance().setReserved(all.blocks.reservedBytes());
    }
    ++all.events;
}

void onReusable(DeviceAddress address)
{
    changeBlocks([&](DeviceBlocks& blocks) { blocks.free(address); });
}

void onSegmentAdded(DeviceAddress address, std::int64_t bytes)
{
    changeBlocks([&](DeviceBlocks& blocks) { blocks.addSegment(address, bytes); });
}

void onSegmentMapped(DeviceAddress address, std::int64_t bytes)
{
    changeBlocks([&](DeviceBlocks& blocks) { blocks.mapPart(address, bytes); });
}

void onSegmentRemoved(DeviceAddress address, std::int64_t bytes)
{
    changeBlocks([&](DeviceBlocks& blocks) { blocks.remove(address, bytes); });
}

void onOutOfMemory(std::int64_t requested, std::int64_t deviceFree)
{
    DeviceLedger::instance().noteOutOfMemory(requested, deviceFree);
}

int runDevice = -1; // set once, before the run's work begins

// How the ledger's sums compared with the allocator's statistics, phase mark by phase mark.
struct MarkComparison {
    std::int64_t marks = 0;
    std::int64_t allocatedDifferences = 0;
    std::int64_t reservedDifferences = 0;
    std::int64_t largest = 0;
};

MarkComparison& markComparison()
{
    static MarkComparison comparison;
    return comparison;
}

// Statistics and sums of one moment: another thread may be freeing what a backward pass left.
void compareWithAllocator(const CudaModule& module, int device)
{
    constexpr int kTries = 100;
    LedgerBlocks& all = ledgerBlocks();
    const Ledger& ledger = Ledger::instance();
    if (!ledger.recording())
        return;
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = all.events;
        const std::int64_t live = ledger.liveBytes(), reserved = DeviceLedger::instance().reservedBytes();
        CudaMemoryStatistics statistics = {};
        if (!module.statistics(device, &statistics))
            return;
        if (all.events != before)
            continue;
        MarkComparison& seen = markComparison();
        const std::int64_t allocatedApart = std::abs(live - statistics.allocatedBytes);
        const std::int64_t reservedApart = std::abs(reserved - statistics.reservedBytes);
        ++seen.marks;
        seen.allocatedDifferences += allocatedApart != 0;
        seen.reservedDifferences += reservedApart != 0;
        seen.largest = std::max({seen.largest, allocatedApart, reservedApart});
        return;
    }
}

// The allocator's segments at the moment they were kept.
struct KeptSegments {
    nlohmann::json list = nlohmann::json::array();
    std::int64_t blocks = 0;
    std::int64_t reserved = 0;
    std::int64_t allocated = 0;
};

KeptSegments& keptSegments()
{
    static KeptSegments kept;
    return kept;
}

void addSegment(void* context, std::int64_t bytes, std::int64_t allocated, bool large, bool expandable)
{
    auto& kept = *static_cast<KeptSegments*>(context);
    kept.reserved += bytes;
    kept.allocated += allocated;
    kept.list.push_back({{"bytes", bytes},
                         {"allocated_bytes", allocated},
                         {"pool", large ? "large" : "small"},
                         {"expandable", expandable},
                         {"block_bytes", nlohmann::json::array()},
                         {"block_requested_bytes", nlohmann::json::array()}});
}

void addBlock(void* context, std::int64_t bytes, std::int64_t requested, bool allocated)
{
    auto& kept = *static_cast<KeptSegments*>(context);
    ++kept.blocks;
    kept.list.back()["block_bytes"].push_back(bytes);
    kept.list.back()["block_requested_bytes"].push_back(allocated ? requested : 0); // 0: a free block
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

const CudaModule* cudaModule()
{
    return loaded().module;
}

void requestCudaAllocator(const CudaAllocatorOptions& options)
{
    std::string text;
    if (options.maxSplitSizeMb > 0)
        text = "max_split_size_mb:" + std::to_string(options.maxSplitSizeMb);
    if (options.expandableSegments)
        text += std::string(text.empty() ? "" : ",") + "expandable_segments:True";
    if (!text.empty())
        ::setenv("PYTORCH_CUDA_ALLOC_CONF", text.c_str(), 1);
}

Status attachCudaLedger(int device, std::int64_t budgetBytes, bool traced)
{
    const CudaModule* module = loaded().module;
    if (!module || !module->initialise(device))
        return failed("device", "cuda:" + std::to_string(device) + " does not start");
    runDevice = device;
    if (budgetBytes > 0 && !module->setBudget(device, budgetBytes))
        return failed("budget_bytes", "the CUDA allocator takes no limit on cuda:" + std::to_string(device));
    if (!traced)
        return Done{};
    CudaAllocatorSettings settings = {};
    if (!module->settings(device, &settings))
        return failed("device", "the settings of the CUDA allocator cannot be read: PYTORCH_CUDA_ALLOC_CONF may name "
                                "another backend; the native one is needed");
    ledgerBlocks().blocks.setSettings(
        {.maxSplitBytes = settings.maxSplitBytes, .expandableSegments = settings.expandableSegments});
    DeviceLedger::instance().setReserved(0);
    if (!module->attach(device, {onAllocated, onReleased, onReusable, onSegmentAdded, onSegmentMapped, onSegmentRemoved,
                                 onOutOfMemory}))
        return failed("device", "the CUDA allocator lets nobody watch it");
    DeviceLedger::instance().setMarkObserver([module, device] { compareWithAllocator(*module, device); });
    return Done{};
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

void keepCudaSegments(int device)
{
    KeptSegments kept;
    const CudaSegmentVisitor visitor = {&kept, addSegment, addBlock};
    if (loaded().module && loaded().module->segments(device, &visitor))
        keptSegments() = std::move(kept);
}

nlohmann::json cudaAllocatorReport(int device)
{
    const auto statistics = cudaStatistics(device);
    CudaDeviceProperties properties = {};
    if (!statistics || !loaded().module->properties(device, &properties))
        return nullptr;
    if (keptSegments().list.empty())
        keepCudaSegments(device);
    const KeptSegments& kept = keptSegments();
    nlohmann::json report = {
        {"allocated_bytes", statistics->allocatedBytes},
        {"requested_bytes", statistics->requestedBytes},
        {"reserved_bytes", statistics->reservedBytes},
        {"peak_allocated_bytes", statistics->peakAllocatedBytes},
        {"peak_reserved_bytes", statistics->peakReservedBytes},
        {"fragmentation_bytes", kept.reserved - kept.allocated},
        {"context_bytes", properties.totalBytes - properties.freeBytes - statistics->reservedBytes},
        {"device_total_bytes", properties.totalBytes},
        {"segments", kept.list.size()},
        {"blocks", kept.blocks},
        {"segment_list", kept.list}};
    const MarkComparison& seen = markComparison();
    if (seen.marks > 0) {
        report["ledger"] = {{"phase_marks", seen.marks},
                            {"allocated_differences", seen.allocatedDifferences},
                            {"reserved_differences", seen.reservedDifferences},
                            {"largest_difference_bytes", seen.largest},
                            {"unknown_blocks", ledgerBlocks().blocks.unknown()}};
    }
    return report;
}

int deviceOfRun()
{
    return runDevice;
}

StepTimer::StepTimer(int device) : m_device(device), m_start(std::chrono::steady_clock::now())
{
    if (device >= 0 && loaded().module)
        m_moment = loaded().module->timerStart(device);
}

StepTimer::~StepTimer()
{
    if (m_moment)
        loaded().module->timerSeconds(m_device, m_moment);
}

double StepTimer::seconds()
{
    if (m_moment) {
        const double onDevice = loaded().module->timerSeconds(m_device, std::exchange(m_moment, nullptr));
        if (onDevice >= 0)
            return onDevice;
        synchronizeCuda(m_device);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

BlockId blockOfDeviceData(const void* data)
{
    LedgerBlocks& all = ledgerBlocks();
    std::lock_guard lock(all.mutex);
    const auto found = all.entries.find(reinterpret_cast<DeviceAddress>(data));
    return found == all.entries.end() ? 0 : found->second.request;
}

} // namespace peakscope
