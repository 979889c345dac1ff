// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/timeline_builder.h"

#include "core/base/units.h"
#include "core/results/memory_timeline.h"

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 58; // sixteen times this is still an int64

template <typename T>
void permute(std::vector<T>& values, const std::vector<std::size_t>& order)
{
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (const std::size_t index : order)
        sorted.push_back(values[index]);
    values = std::move(sorted);
}

// The lowest live bytes of every component, or the error of a sum that no size can be.
Status lowest(const TimelineData& events, ComponentBytes live, ComponentBytes& low)
{
    low = live;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto component = static_cast<std::size_t>(events.component[i]);
        const std::int64_t delta = events.deltaBytes[i];
        if (delta > kLargest || delta < -kLargest)
            return badInput("", "event " + std::to_string(i) + ": " + std::to_string(delta) + " is not a size");
        live[component] += delta;
        if (live[component] > kLargest || live[component] < -kLargest)
            return badInput("", "event " + std::to_string(i) + ": the sizes sum to more than 2^58 bytes");
        low[component] = std::min(low[component], live[component]);
    }
    return Done{};
}

} // namespace

std::vector<std::size_t> timeOrder(const std::vector<double>& times)
{
    if (std::is_sorted(times.begin(), times.end()))
        return {};
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    return order;
}

Status fillTimeline(MemorySection& memory, TimelineData events, ComponentBytes before, std::vector<std::string>& notes)
{
    if (const std::vector<std::size_t> order = timeOrder(events.timeSeconds); !order.empty()) {
        permute(events.timeSeconds, order);
        permute(events.deltaBytes, order);
        permute(events.component, order);
    }
    ComponentBytes low{};
    if (Status summed = lowest(events, before, low); !summed)
        return summed;
    std::int64_t unseen = 0;
    TimelineData front;
    for (std::size_t c = 0; c < kComponentCount; ++c) {
        unseen += std::max<std::int64_t>(0, -low[c]);
        before[c] += std::max<std::int64_t>(0, -low[c]);
        if (before[c] != 0) {
            front.timeSeconds.push_back(events.timeSeconds.empty() ? 0 : events.timeSeconds.front());
            front.deltaBytes.push_back(before[c]);
            front.component.push_back(static_cast<Component>(c));
        }
    }
    if (unseen > 0)
        notes.push_back(formatBytes(unseen) + " were freed that were never seen allocated; they count as alive from "
                                              "the start");
    MemoryTimeline timeline;
    timeline.append(front.timeSeconds, front.deltaBytes, front.component);
    timeline.append(events.timeSeconds, events.deltaBytes, events.component);
    events = {};
    memory.peakBytes = timeline.peakBytes();
    memory.peakTimeSeconds = timeline.peakSeconds();
    memory.peakComponents = timeline.peakComponents();
    memory.maxComponents = timeline.maxComponents();
    memory.timeline = timeline.data();
    if (memory.timeline.merged)
        notes.push_back("the timeline was merged from " + std::to_string(timeline.size()) +
                        " events: exact at the times given, the peak kept");
    return Done{};
}

} // namespace peakscope
