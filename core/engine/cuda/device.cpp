// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/device.h"

#include "core/base/machine.h"
#include "core/engine/cuda/cuda_support.h"
#include "core/engine/device/stand_in_readback.h"
#include "core/model/dry_device.h"

#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

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
                                      " here: " + cudaUnavailableReason() + "); packaging/run fetches one into .deps");
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

namespace {

// What each rank tells the others of its device before they join.
struct RankDevice {
    char host[64];
    char device[32];  // as it is asked for here
    char bus[32];     // empty: none
    char version[32]; // of LibTorch
    char problem[256];
};

template <std::size_t N>
void put(char (&field)[N], const std::string& text)
{
    std::snprintf(field, N, "%s", text.c_str());
}

std::string rankOf(const std::vector<RankDevice>& all, std::size_t rank)
{
    return "rank " + std::to_string(rank) + " (host " + all[rank].host + ")";
}

// `own`: each rank was to take its own.
Status distinct(const std::vector<RankDevice>& all, bool own)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].problem[0] != '\0')
            return badInput("ranks", rankOf(all, i) + ": " + all[i].problem);
        if (std::string_view(all[i].version) != all[0].version)
            return badInput("ranks", rankOf(all, i) + " has LibTorch " + all[i].version + ", rank 0 has " +
                                         all[0].version + "; all need the same");
        if ((all[i].device[0] == '\0') != (all[0].device[0] == '\0'))
            return badInput("device",
                            rankOf(all, i) + " and rank 0 are not both on CUDA devices; give \"cpu\" or \"cuda\"");
        for (std::size_t j = 0; j < i; ++j) {
            const bool same = all[i].bus[0] != '\0' && std::string_view(all[i].bus) == all[j].bus &&
                              std::string_view(all[i].host) == all[j].host;
            const std::string both = "ranks " + std::to_string(j) + " and " + std::to_string(i);
            if (same && own)
                return badInput("ranks", "host " + std::string(all[i].host) + " has fewer CUDA devices than ranks: " +
                                             both + " share one; give fewer ranks, or device \"cpu\"");
            if (same)
                return badInput("device", both + " are both on " + all[i].device + " of host " + all[i].host +
                                              "; give \"cuda\", and each takes its own");
        }
    }
    return Done{};
}

} // namespace

Result<std::string> deviceOfRank(const std::string& requested, Communicator& ranks)
{
    if (ranks.alone() || requested == "cpu")
        return resolveDevice(requested);
    if (isDryDevice(requested))
        return badInput("device", requested + " starts its ranks itself, one after another: give ranks " +
                                      std::to_string(ranks.size()) + " and no launcher");
    const auto chosen = resolveDevice(requested);
    RankDevice own = {};
    ::gethostname(own.host, sizeof(own.host) - 1);
    put(own.version, torchVersion());
    if (!chosen) {
        put(own.problem, chosen.error().text());
    } else if (*chosen != "cpu") {
        CudaDeviceProperties properties = {};
        put(own.device, *chosen);
        if (cudaModule()->properties(std::atoi(chosen->c_str() + sizeof("cuda:") - 1), &properties))
            put(own.bus, properties.bus);
    }
    std::vector<RankDevice> all(static_cast<std::size_t>(ranks.size()));
    ranks.allGather(&own, all.data(), sizeof(own));
    if (const Status fine = distinct(all, requested == "auto" || requested == "cuda"); !fine)
        return fine.error();
    return chosen;
}

std::string torchVersion()
{
    return TORCH_VERSION;
}

} // namespace peakscope
