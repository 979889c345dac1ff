// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/trace_ranks.h"

#include "core/import/timeline_builder.h"

#include <algorithm>

namespace peakscope {

std::vector<TraceDevice> ranksOf(TraceDevice& device)
{
    constexpr std::size_t kMostRanks = 16;
    struct Chain {
        std::int64_t total = 0;
        std::vector<std::size_t> places; // in order of time
    };
    std::vector<double> times;
    for (const TraceAllocation& allocation : device.allocations)
        times.push_back(allocation.time);
    const std::vector<std::size_t> order = timeOrder(times);
    const auto at = [&order](std::size_t place) { return order.empty() ? place : order[place]; };
    std::vector<Chain> chains;
    bool told = true;
    for (std::size_t place = 0; told && place < times.size(); ++place) {
        const std::int64_t total = device.totals[at(place)], bytes = device.allocations[at(place)].bytes;
        auto chain =
            std::find_if(chains.begin(), chains.end(), [&](const Chain& each) { return each.total == total - bytes; });
        if (chain == chains.end())
            chain = chains.insert(chains.end(), Chain());
        chain->total = total;
        chain->places.push_back(place);
        told = total >= 0 && chains.size() <= kMostRanks;
    }
    // One behind the other they are what lost events leave behind; two events that changed places are no rank either.
    for (std::size_t i = 1; told && i < chains.size(); ++i) {
        const auto& own = chains[i].places;
        const auto& first = chains[0].places;
        told = own.size() > 1 && first.size() > 1 && first[first.size() - 2] > own.front() && own[1] < first.back();
    }
    std::vector<TraceDevice> ranks;
    if (!told || chains.size() < 2) {
        ranks.push_back(std::move(device));
        return ranks;
    }
    for (const Chain& chain : chains) {
        TraceDevice& rank = ranks.emplace_back();
        rank.reserved = device.reserved;
        rank.hasComponents = device.hasComponents;
        for (const std::size_t place : chain.places) {
            rank.allocations.push_back(device.allocations[at(place)]);
            rank.components.push_back(device.components[at(place)]);
            rank.totals.push_back(device.totals[at(place)]);
        }
    }
    return ranks;
}

} // namespace peakscope
