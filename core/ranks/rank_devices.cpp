// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_devices.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace peakscope {
namespace {

template <std::size_t N>
void put(char (&field)[N], const std::string& text)
{
    std::snprintf(field, N, "%s", text.c_str());
}

std::string rankOf(const std::vector<RankDevice>& all, std::size_t rank)
{
    return fmt::format("rank {} (host {})", rank, all[rank].host);
}

bool areSame(const RankDevice& a, const RankDevice& b)
{
    return a.bus[0] != '\0' && std::string_view(a.bus) == b.bus && std::string_view(a.host) == b.host;
}

Status checkAgainstFirst(const std::vector<RankDevice>& all, std::size_t rank)
{
    const RankDevice& one = all[rank];
    if (one.problem[0] != '\0')
        return badInput("ranks", rankOf(all, rank) + ": " + one.problem);
    if (std::string_view(one.version) != all[0].version)
        return badInput("ranks", fmt::format("{} has LibTorch {}, rank 0 has {}; all need the same", rankOf(all, rank),
                                             one.version, all[0].version));
    if ((one.device[0] == '\0') != (all[0].device[0] == '\0'))
        return badInput("device", fmt::format("{} and rank 0 are not both on CUDA devices; give \"cpu\" or \"cuda\"",
                                              rankOf(all, rank)));
    return Done{};
}

} // namespace

RankDevice rankDevice(const std::string& device, const std::string& bus, const std::string& version,
                      const std::string& problem)
{
    RankDevice own = {};
    ::gethostname(own.host, sizeof(own.host) - 1);
    put(own.device, device);
    put(own.bus, bus);
    put(own.version, version);
    put(own.problem, problem);
    return own;
}

Status checkRankDevices(const std::vector<RankDevice>& all, bool own)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (Status fine = checkAgainstFirst(all, i); !fine)
            return fine;
        for (std::size_t j = 0; j < i; ++j) {
            if (areSame(all[i], all[j]) && own)
                return badInput("ranks", fmt::format("host {} has fewer CUDA devices than ranks: ranks {} and {} share "
                                                     "one; give fewer ranks, or device \"cpu\"",
                                                     all[i].host, j, i));
            if (areSame(all[i], all[j]))
                return badInput("device", fmt::format("ranks {} and {} are both on {} of host {}; give \"cuda\", and each "
                                                      "takes its own",
                                                      j, i, all[i].device, all[i].host));
        }
    }
    return Done{};
}

} // namespace peakscope
