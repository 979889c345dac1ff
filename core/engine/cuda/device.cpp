// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/device.h"

#include "core/base/machine.h"
#include "core/engine/cuda/cuda_support.h"
#include "core/engine/device/stand_in_readback.h"
#include "core/model/dry_device.h"
#include "core/ranks/rank_devices.h"

#include <torch/version.h>

#include <algorithm>
#include <cstdlib>

namespace peakscope {

std::vector<LocalDevice> localDevices()
{
    const MachineMemory memory = machineMemory().value_or(MachineMemory{});
    LocalDevice cpu;
    cpu.id = "cpu";
    cpu.name = processorName() + " (" + std::to_string(processorCount()) + " cores)";
    cpu.totalBytes = memory.totalBytes;
    cpu.freeBytes = memory.availableBytes;
    // The kernel, the desktop and the worker's own libraries want about this much.
    cpu.usableBytes = std::max<std::int64_t>(0, memory.totalBytes - (1LL << 30));
    std::vector<LocalDevice> devices{cpu};
    for (const LocalDevice& device : cudaDevices())
        devices.push_back(device);
    return devices;
}

namespace {

// The one card of the stand-in that this process was started on.
Result<std::string> standInDevice(const std::string& requested)
{
    if (!onStandIn())
        return failed("device", requested + " needs a process of its own on a stand-in of the card");
    if (cudaDevices().empty())
        return badInput("device", requested + " needs a LibTorch with its CUDA half (LibTorch " + torchVersion() +
                                      " here: " + cudaUnavailableReason() +
                                      "). PyPI's torch has it, a CPU-only build does not; packaging/run fetches it "
                                      "for a build from source");
    return std::string("cuda:0");
}

} // namespace

Result<std::string> resolveDevice(const std::string& requested)
{
    if (requested == "cpu")
        return requested;
    if (isDryDevice(requested))
        return standInDevice(requested);
    const auto devices = localDevices();
    if (requested == "auto")
        return devices.size() > 1 ? devices[1].id : devices[0].id;
    std::string known;
    for (const LocalDevice& device : devices) {
        if (device.id == requested || (requested == "cuda" && device.id == "cuda:0"))
            return device.id;
        known += (known.empty() ? "" : ", ") + device.id;
    }
    const std::string reason = cudaUnavailableReason();
    return badInput("device", requested + " is not here; this machine has " + known +
                                  (reason.empty() || requested.rfind("cuda", 0) != 0 ? "" : " (" + reason + ")"));
}

Result<std::string> deviceOfRank(const std::string& requested, Communicator& ranks)
{
    if (ranks.alone() || requested == "cpu")
        return resolveDevice(requested);
    if (isDryDevice(requested))
        return badInput("device", requested + " starts its ranks itself, one after another: give ranks " +
                                      std::to_string(ranks.size()) + " and no launcher");
    const auto chosen = resolveDevice(requested);
    CudaDeviceProperties properties = {};
    const bool cuda = chosen && *chosen != "cpu";
    if (cuda)
        cudaModule()->properties(std::atoi(chosen->c_str() + sizeof("cuda:") - 1), &properties);
    const RankDevice own =
        rankDevice(cuda ? *chosen : "", properties.bus, torchVersion(), chosen ? "" : chosen.error().text());
    std::vector<RankDevice> all(static_cast<std::size_t>(ranks.size()));
    ranks.allGather(&own, all.data(), sizeof(own));
    if (const Status fine = checkRankDevices(all, requested == "auto" || requested == "cuda"); !fine)
        return fine.error();
    return chosen;
}

std::string torchVersion()
{
    return TORCH_VERSION;
}

} // namespace peakscope
