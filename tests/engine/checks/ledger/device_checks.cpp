// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ledger/device_checks.h"

#include "core/engine/cuda/device_blocks.h"
#include "core/model/dry_device.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <numeric>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

CheckResult sameBytes(const std::string& name, std::int64_t got, std::int64_t wanted)
{
    return {"ledger rules: " + name, got == wanted,
            got == wanted ? "" : "is " + std::to_string(got) + ", should be " + std::to_string(wanted)};
}

// The small pool cuts from 512 bytes on; what is freed joins its neighbours, but not those of another segment.
void addSmallPool(std::vector<CheckResult>& results)
{
    DeviceBlocks blocks;
    blocks.addSegment(0x10000000, 2 * kMiB);
    blocks.addSegment(0x10000000 + 2 * kMiB, 2 * kMiB);
    results.push_back(sameBytes("a byte takes a granule of the device", blocks.allocate(0x10000000, 1), 512));
    results.push_back(sameBytes("the next block follows it", blocks.allocate(0x10000200, 1000), 1024));
    blocks.free(0x10000200);
    blocks.free(0x10000000);
    results.push_back(sameBytes("freed blocks are one again", blocks.allocate(0x10000000, kMiB - 100), kMiB));
    blocks.free(0x10000000);
    results.push_back(sameBytes("reserved bytes are the segments'", blocks.reservedBytes(), 4 * kMiB));
    blocks.remove(0x10000000, 2 * kMiB);
    results.push_back(sameBytes("a segment given back is gone", blocks.reservedBytes(), 2 * kMiB));
    results.push_back(sameBytes("no block was unknown", blocks.unknown(), 0));
    blocks.allocate(0x10000000, 512);
    results.push_back(sameBytes("a block of a segment that is gone is unknown", blocks.unknown(), 1));
}

// The large pool hands out a whole block where cutting it would leave a mebibyte or less.
void addLargePool(std::vector<CheckResult>& results)
{
    DeviceBlocks blocks;
    blocks.addSegment(0x20000000, 20 * kMiB);
    results.push_back(
        sameBytes("a remainder of more than a mebibyte is cut off", blocks.allocate(0x20000000, 18 * kMiB), 18 * kMiB));
    results.push_back(
        sameBytes("a smaller one stays with its block", blocks.allocate(0x20000000 + 18 * kMiB, kMiB + 512), 2 * kMiB));
    blocks.free(0x20000000);
    blocks.free(0x20000000 + 18 * kMiB);
    results.push_back(sameBytes("and comes back whole", blocks.allocate(0x20000000, 19 * kMiB + 1), 20 * kMiB));
    DeviceBlocks limited;
    limited.setSettings({.maxSplitBytes = 8 * kMiB});
    limited.addSegment(0x20000000, 20 * kMiB);
    results.push_back(
        sameBytes("above max_split_size nothing is cut", limited.allocate(0x20000000, 10 * kMiB), 20 * kMiB));
}

// An expandable segment grows: what is mapped joins the free block before it, and everything is cut.
void addExpandable(std::vector<CheckResult>& results)
{
    DeviceBlocks blocks;
    blocks.setSettings({.expandableSegments = true});
    blocks.mapPart(0x40000000, 20 * kMiB);
    results.push_back(sameBytes("an expandable segment is cut to the granule",
                                blocks.allocate(0x40000000, 20 * kMiB - 700), 20 * kMiB - 512));
    blocks.mapPart(0x40000000 + 20 * kMiB, 20 * kMiB);
    results.push_back(sameBytes("what is mapped joins the rest before it",
                                blocks.allocate(0x40000000 + 20 * kMiB - 512, 20 * kMiB + 512), 20 * kMiB + 512));
    blocks.free(0x40000000 + 20 * kMiB - 512);
    blocks.remove(0x40000000 + 20 * kMiB, 20 * kMiB);
    results.push_back(sameBytes("what is unmapped is cut off", blocks.allocate(0x40000000 + 20 * kMiB - 512, 8), 512));
    results.push_back(sameBytes("and no longer reserved", blocks.reservedBytes(), 20 * kMiB));
}

Json deviceRun(const std::string& device, const Json& changes)
{
    Json document = {{"kind", "memory"},
                     {"model",
                      {{"family", "opt"},
                       {"hidden", 256},
                       {"layers", 4},
                       {"heads", 4},
                       {"ffn", 1000},
                       {"vocab", 3001},
                       {"max_positions", 300}}},
                     {"device", device},
                     {"data", {{"batch", 3}, {"seq", 290}}},
                     {"training", {{"warmup_steps", 1}, {"steps", 2}}}};
    document.merge_patch(changes);
    return document;
}

std::string ledgerFault(const WorkerRun& run)
{
    if (!run.error.empty() || run.result.status != RunStatus::Complete || !run.result.memory)
        return run.error + run.result.message;
    const MemorySection& memory = *run.result.memory;
    if (std::string fault = timelineFault(memory); !fault.empty())
        return fault;
    const std::int64_t sum =
        std::accumulate(memory.peakComponents.begin(), memory.peakComponents.end(), std::int64_t{0});
    if (sum != memory.peakBytes)
        return "components sum to " + std::to_string(sum) + " at the peak of " + std::to_string(memory.peakBytes);
    const Json allocator = run.result.other.value("allocator", Json::object());
    const Json ledger = allocator.value("ledger", Json::object());
    if (ledger.value("phase_marks", 0) < 8)
        return "the ledger was compared at " + ledger.dump();
    for (const char* key :
         {"allocated_differences", "reserved_differences", "largest_difference_bytes", "unknown_blocks"}) {
        if (ledger.value(key, -1) != 0)
            return "ledger and allocator differ: " + ledger.dump();
    }
    const std::int64_t peak = allocator.value("peak_allocated_bytes", std::int64_t{0});
    if (peak != memory.peakBytes)
        return "the allocator's peak is " + std::to_string(peak) + ", the ledger's " + std::to_string(memory.peakBytes);
    if (allocator.value("segment_list", Json::array()).empty() ||
        allocator.value("context_bytes", std::int64_t{0}) <= 0)
        return "no segments, or no bytes of a context";
    return "";
}

// What a run reserves, then half of it as its budget.
std::string budgetFault(const std::string& device)
{
    Json document = deviceRun(device, Json::object());
    const WorkerRun whole = runInWorker(document);
    if (!whole.result.memory)
        return whole.error + whole.result.message;
    const std::int64_t reserved = whole.result.memory->peakReservedBytes;
    document["budget_bytes"] = reserved;
    const WorkerRun enough = runInWorker(document);
    if (enough.result.status != RunStatus::Complete)
        return "what a run reserves does not suffice: " + enough.result.message;
    document["budget_bytes"] = reserved / 2;
    const WorkerRun half = runInWorker(document);
    if (half.result.status != RunStatus::OverBudget || half.end.exitCode != 3)
        return "half of what it reserves ends " + std::string(name(half.result.status)) + ": " + half.result.message;
    for (const char* word : {"over budget", "phase", "operator", "reserved"}) {
        if (half.result.message.find(word) == std::string::npos)
            return std::string("the message does not name the ") + word + ": " + half.result.message;
    }
    if (half.result.memory && half.result.memory->peakReservedBytes > reserved / 2)
        return "reserved " + std::to_string(half.result.memory->peakReservedBytes) + " of a budget of " +
               std::to_string(reserved / 2);
    return "";
}

} // namespace

std::vector<CheckResult> deviceBlockChecks()
{
    std::vector<CheckResult> results;
    addSmallPool(results);
    addLargePool(results);
    addExpandable(results);
    return results;
}

void deviceLedgerChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    const std::vector<std::pair<std::string, Json>> cases = {
        {"float32", Json::object()},
        {"math attention, naive head", {{"training", {{"attention", "math"}, {"loss_head", "naive"}}}}},
        {"bfloat16 autocast", {{"training", {{"amp", "bfloat16"}}}}},
        {"float16 autocast", {{"training", {{"amp", "float16"}}}}},
        {"bfloat16 weights, checkpointing", {{"dtype", "bfloat16"}, {"training", {{"checkpointing", true}}}}},
        {"a clipped step", {{"training", {{"clipping", "flash"}, {"noise_multiplier", 1.0}}}}},
        {"expandable segments", {{"cuda_allocator", {{"expandable_segments", true}}}}},
        {"a limit on splitting", {{"cuda_allocator", {{"max_split_size_mb", 32}}}}},
    };
    for (const auto& [name, changes] : cases) {
        const std::string fault = ledgerFault(runInWorker(deviceRun(device, changes)));
        onResult({"device: ledger and allocator agree, " + name, fault.empty(), fault});
    }
    const std::string fault = budgetFault(device);
    onResult({"device: a budget is kept and what passes it is named", fault.empty(), fault});
    const WorkerRun timed = runInWorker(deviceRun(device, {{"traced", false}}));
    const bool times = timed.result.timing && timed.result.timing->medianStepSeconds > 0;
    const bool right = timed.result.status == RunStatus::Complete && times != isDryDevice(device) &&
                       timed.result.other.contains("allocator");
    onResult({"device: an untraced run has the allocator's own peak, and times unless it is dry", right,
              timed.result.message});
}

} // namespace peakscope
