// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MemoryTimeline::data: the timeline in fewer events.
#include "core/results/memory_timeline.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kSmallestLimit = 1024; // the cuts that are always kept fit into this

} // namespace

void appendTimelineStep(TimelineData& out, double time, const ComponentBytes& from, const ComponentBytes& to)
{
    const auto add = [&](std::size_t component, std::int64_t delta) {
        out.timeSeconds.push_back(time);
        out.deltaBytes.push_back(delta);
        out.component.push_back(static_cast<Component>(component));
    };
    ComponentBytes change{};
    for (std::size_t c = 0; c < kComponentCount; ++c) {
        change[c] = to[c] - from[c];
    }
    for (std::size_t down = 0, up = 0;;) {
        while (down < kComponentCount && change[down] >= 0) {
            ++down;
        }
        while (up < kComponentCount && change[up] <= 0) {
            ++up;
        }
        if (down == kComponentCount || up == kComponentCount) {
            break;
        }
        const std::int64_t moved = std::min(-change[down], change[up]);
        add(down, -moved);
        add(up, moved);
        change[down] += moved;
        change[up] -= moved;
    }
    for (std::size_t c = 0; c < kComponentCount; ++c) {
        if (change[c] != 0) {
            add(c, change[c]);
        }
    }
}

// Numbers of events after which the merged timeline shall be exact. Stretches share time and events half and half, so
// that neither a pause nor a burst takes all the detail.
std::vector<std::size_t> MemoryTimeline::chooseCuts(std::size_t buckets) const
{
    const double start = startSeconds();
    const double timeScale = endSeconds() > start ? 0.5 * static_cast<double>(buckets) / (endSeconds() - start) : 0;
    const double indexScale = 0.5 * static_cast<double>(buckets) / static_cast<double>(size());
    const auto bucketOf = [&](std::size_t i) {
        return static_cast<std::int64_t>((m_time[i] - start) * timeScale + static_cast<double>(i) * indexScale);
    };
    std::vector<bool> isCut(size() + 1);
    // A cut inside a group of equal times needs the group's end too.
    const auto cutAt = [&](std::size_t number) {
        isCut[number] = true;
        isCut[upperIndex(m_time[number - 1])] = true;
    };
    cutAt(m_peakIndex + 1);
    isCut[size()] = true;
    for (const std::size_t index : m_maxIndex) {
        cutAt(index + 1);
    }
    std::int64_t total = 0;
    std::int64_t bucket = -1;
    std::int64_t highest = 0, lowest = 0;
    std::size_t highestCut = 0, lowestCut = 0;
    for (std::size_t i = 0; buckets > 0 && i < size(); ++i) {
        total += m_delta[i];
        if (i + 1 < size() && m_time[i + 1] == m_time[i]) {
            continue; // only whole steps of time are exact at their time
        }
        const std::int64_t own = bucketOf(i);
        if (own != bucket) {
            isCut[highestCut] = true;
            isCut[lowestCut] = true;
            bucket = own;
            highest = lowest = total;
            highestCut = lowestCut = i + 1;
        }
        if (total > highest) {
            highest = total;
            highestCut = i + 1;
        }
        if (total < lowest) {
            lowest = total;
            lowestCut = i + 1;
        }
    }
    isCut[highestCut] = true;
    isCut[lowestCut] = true;
    std::vector<std::size_t> cuts;
    for (std::size_t number = 1; number <= size(); ++number) {
        if (isCut[number]) {
            cuts.push_back(number);
        }
    }
    return cuts;
}

TimelineData MemoryTimeline::mergedAt(const std::vector<std::size_t>& cuts) const
{
    TimelineData out;
    out.merged = true;
    ComponentBytes written{};
    ComponentBytes state{};
    std::size_t index = 0;
    for (const std::size_t cut : cuts) {
        for (; index < cut; ++index) {
            state[static_cast<std::size_t>(m_component[index])] += m_delta[index];
        }
        appendTimelineStep(out, m_time[cut - 1], written, state);
        written = state;
    }
    return out;
}

TimelineData MemoryTimeline::data(std::size_t maxEvents) const
{
    const std::size_t limit = std::max(maxEvents, kSmallestLimit);
    if (size() <= limit) {
        TimelineData out;
        out.timeSeconds = m_time;
        out.deltaBytes = m_delta;
        out.component = m_component;
        out.merged = m_merged;
        return out;
    }
    // How many entries a cut needs is only known afterwards: fewer stretches until they fit; none at all always do.
    for (std::size_t buckets = limit / 2;;) {
        TimelineData out = mergedAt(chooseCuts(buckets));
        if (out.size() <= limit || buckets == 0) {
            return out;
        }
        const double ratio = static_cast<double>(limit) / static_cast<double>(out.size());
        buckets = std::min(buckets - 1, static_cast<std::size_t>(static_cast<double>(buckets) * ratio * 0.95));
    }
}

} // namespace peakscope
