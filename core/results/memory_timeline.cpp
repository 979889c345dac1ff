// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/memory_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

// A query walks through a few blocks event by event; smaller blocks cost memory (136 bytes each).
constexpr std::size_t kBlock = 128;
constexpr std::size_t kFan = 16;
constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();

std::size_t indexOf(Component component)
{
    return static_cast<std::size_t>(component);
}

std::int64_t sumOf(const ComponentBytes& bytes)
{
    std::int64_t sum = 0;
    for (const std::int64_t value : bytes) {
        sum += value;
    }
    return sum;
}

} // namespace

MemoryTimeline::MemoryTimeline(const TimelineData& data)
{
    append(data.timeSeconds, data.deltaBytes, data.component);
    m_merged = data.merged;
}

void MemoryTimeline::clear()
{
    *this = MemoryTimeline();
}

void MemoryTimeline::append(std::span<const double> timeSeconds, std::span<const std::int64_t> deltaBytes,
                            std::span<const Component> component)
{
    const std::size_t count = std::min({timeSeconds.size(), deltaBytes.size(), component.size()});
    if (count == 0) {
        return;
    }
    const std::size_t first = size();
    // Growing by half again keeps appending cheap without doubling the memory of a long timeline.
    if (m_time.capacity() < first + count) {
        const std::size_t capacity = std::max(first + count, first + first / 2);
        m_time.reserve(capacity);
        m_delta.reserve(capacity);
        m_component.reserve(capacity);
    }
    for (std::size_t i = 0; i < count; ++i) {
        appendOne(timeSeconds[i], deltaBytes[i], component[i]);
    }
    // The event before the new ones may have become the first half of a pair: from its block on.
    updateLevels(first == 0 ? 0 : (first - 1) / kBlock);
}

void MemoryTimeline::appendOne(double time, std::int64_t delta, Component component)
{
    const std::size_t index = size();
    if (index % kBlock == 0) {
        m_before.push_back(m_live);
    }
    const double last = m_time.empty() ? (std::isfinite(time) ? time : 0) : m_time.back();
    m_time.push_back(time > last && std::isfinite(time) ? time : last);
    m_delta.push_back(delta);
    m_component.push_back(component);

    const std::size_t c = indexOf(component);
    m_live[c] += delta;
    m_liveTotal += delta;
    if (m_live[c] > m_maxComponents[c]) {
        m_maxComponents[c] = m_live[c];
        m_maxIndex[c] = index;
    }
    if (m_liveTotal > m_peakBytes) {
        m_peakBytes = m_liveTotal;
        m_peakIndex = index;
    }
}

bool MemoryTimeline::isInsidePair(std::size_t index) const
{
    return m_delta[index] < 0 && index + 1 < m_delta.size() && m_delta[index + 1] == -m_delta[index] &&
           m_time[index + 1] == m_time[index];
}

void MemoryTimeline::updateLevels(std::size_t firstBlock)
{
    if (m_levels.empty()) {
        m_levels.emplace_back();
    }
    m_levels[0].resize(m_before.size());
    for (std::size_t block = firstBlock; block < m_before.size(); ++block) {
        Extremes found{INT64_MIN, INT64_MAX, 0};
        std::int64_t total = sumOf(m_before[block]);
        walk(block * kBlock, std::min((block + 1) * kBlock, size()), total, found);
        m_levels[0][block] = {found.maxTotal, found.minTotal};
    }
    std::size_t first = firstBlock;
    for (std::size_t level = 0; m_levels[level].size() > 1; ++level) {
        first /= kFan;
        if (level + 1 == m_levels.size()) {
            m_levels.emplace_back();
            first = 0;
        }
        const std::vector<Range>& below = m_levels[level];
        std::vector<Range>& ranges = m_levels[level + 1];
        ranges.resize((below.size() + kFan - 1) / kFan);
        for (std::size_t i = first; i < ranges.size(); ++i) {
            Range range{INT64_MIN, INT64_MAX};
            for (std::size_t j = i * kFan; j < std::min((i + 1) * kFan, below.size()); ++j) {
                range.maxTotal = std::max(range.maxTotal, below[j].maxTotal);
                range.minTotal = std::min(range.minTotal, below[j].minTotal);
            }
            ranges[i] = range;
        }
    }
}

double MemoryTimeline::startSeconds() const
{
    return m_time.empty() ? 0 : m_time.front();
}

double MemoryTimeline::endSeconds() const
{
    return m_time.empty() ? 0 : m_time.back();
}

std::size_t MemoryTimeline::upperIndex(double t) const
{
    return static_cast<std::size_t>(std::upper_bound(m_time.begin(), m_time.end(), t) - m_time.begin());
}

std::size_t MemoryTimeline::lowerIndex(double t) const
{
    return static_cast<std::size_t>(std::lower_bound(m_time.begin(), m_time.end(), t) - m_time.begin());
}

ComponentBytes MemoryTimeline::stateAfter(std::size_t count) const
{
    if (count == size()) {
        return m_live;
    }
    const std::size_t block = count / kBlock;
    ComponentBytes state = m_before[block];
    for (std::size_t i = block * kBlock; i < count; ++i) {
        state[indexOf(m_component[i])] += m_delta[i];
    }
    return state;
}

std::int64_t MemoryTimeline::totalAfter(std::size_t count) const
{
    if (count == size()) {
        return m_liveTotal;
    }
    const std::size_t block = count / kBlock;
    std::int64_t total = sumOf(m_before[block]);
    for (std::size_t i = block * kBlock; i < count; ++i) {
        total += m_delta[i];
    }
    return total;
}

ComponentBytes MemoryTimeline::at(double t) const
{
    return stateAfter(upperIndex(t));
}

std::int64_t MemoryTimeline::totalAt(double t) const
{
    return totalAfter(upperIndex(t));
}

double MemoryTimeline::peakSeconds() const
{
    return m_peakBytes > 0 ? m_time[m_peakIndex] : startSeconds();
}

ComponentBytes MemoryTimeline::peakComponents() const
{
    return m_peakBytes > 0 ? stateAfter(m_peakIndex + 1) : ComponentBytes{};
}

std::int64_t MemoryTimeline::peakBytesWithout(Component component) const
{
    std::int64_t live = 0;
    std::int64_t peak = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        live += m_component[i] == component ? 0 : m_delta[i];
        peak = std::max(peak, live);
    }
    return peak;
}

void MemoryTimeline::walk(std::size_t begin, std::size_t end, std::int64_t& total, Extremes& extremes) const
{
    for (std::size_t i = begin; i < end; ++i) {
        total += m_delta[i];
        if (isInsidePair(i)) {
            continue;
        }
        if (total > extremes.maxTotal) {
            extremes.maxTotal = total;
            extremes.maxIndex = i;
        }
        extremes.minTotal = std::min(extremes.minTotal, total);
    }
}

// Takes single nodes off both ends of the range, one level after the other, as the range gets wider than a node; then
// goes down from the highest node to the block that has the maximum. kNoNode where no block beats what was known.
std::size_t MemoryTimeline::blockExtremes(std::size_t firstBlock, std::size_t endBlock, Extremes& extremes) const
{
    std::size_t bestLevel = 0, bestNode = kNoNode, bestStart = kNoNode;
    std::size_t level = 0, width = 1; // in blocks
    const auto consider = [&](std::size_t node) {
        const auto [maxTotal, minTotal] = m_levels[level][node];
        // Of equal maxima the earliest counts.
        const bool earlier = bestNode != kNoNode && maxTotal == extremes.maxTotal && node * width < bestStart;
        if (maxTotal > extremes.maxTotal || earlier) {
            extremes.maxTotal = maxTotal;
            bestLevel = level;
            bestNode = node;
            bestStart = node * width;
        }
        extremes.minTotal = std::min(extremes.minTotal, minTotal);
    };
    for (std::size_t begin = firstBlock, end = endBlock; begin < end; begin /= kFan, end /= kFan) {
        while (begin < end && (begin % kFan != 0 || end - begin < kFan)) {
            consider(begin++);
        }
        while (begin < end && end % kFan != 0) {
            consider(--end);
        }
        ++level;
        width *= kFan;
    }
    for (; bestNode != kNoNode && bestLevel > 0; --bestLevel) {
        bestNode *= kFan;
        while (m_levels[bestLevel - 1][bestNode].maxTotal != extremes.maxTotal) {
            ++bestNode;
        }
    }
    return bestNode;
}

MemoryTimeline::Extremes MemoryTimeline::extremes(std::size_t begin, std::size_t end, std::int64_t& total) const
{
    Extremes found{INT64_MIN, INT64_MAX, begin};
    const std::size_t firstBlock = (begin + kBlock - 1) / kBlock;
    const std::size_t endBlock = end / kBlock;
    if (firstBlock >= endBlock) { // no whole block inside
        walk(begin, end, total, found);
        return found;
    }
    walk(begin, firstBlock * kBlock, total, found);
    const std::size_t maxBlock = blockExtremes(firstBlock, endBlock, found);
    if (maxBlock != kNoNode) {
        Extremes inside{INT64_MIN, INT64_MAX, 0};
        total = sumOf(m_before[maxBlock]);
        walk(maxBlock * kBlock, (maxBlock + 1) * kBlock, total, inside);
        found.maxIndex = inside.maxIndex;
    }
    total = totalAfter(endBlock * kBlock);
    walk(endBlock * kBlock, end, total, found);
    return found;
}

// `total` is the one after `begin` events, and after `end` when it returns.
MemoryTimeline::Column MemoryTimeline::columnOver(double left, std::size_t begin, std::size_t end,
                                                  std::int64_t& total) const
{
    Column column;
    column.timeSeconds = left;
    const bool startsAtEvent = begin < end && m_time[begin] == left;
    if (!startsAtEvent) {
        column.totalBytes = column.minBytes = total;
    }
    if (begin == end) {
        column.components = stateAfter(begin);
        return column;
    }
    const Extremes found = extremes(begin, end, total);
    column.minBytes = startsAtEvent ? found.minTotal : std::min(column.minBytes, found.minTotal);
    if (startsAtEvent || found.maxTotal > column.totalBytes) {
        column.totalBytes = found.maxTotal;
        column.timeSeconds = m_time[found.maxIndex];
        column.components = stateAfter(found.maxIndex + 1);
    } else {
        column.components = stateAfter(begin);
    }
    return column;
}

std::vector<MemoryTimeline::Column> MemoryTimeline::sample(double t0, double t1, int columns) const
{
    if (columns < 1 || !std::isfinite(t0) || !std::isfinite(t1) || t1 < t0) {
        return {};
    }
    std::vector<Column> out;
    out.reserve(static_cast<std::size_t>(columns));
    std::size_t begin = lowerIndex(t0);
    std::int64_t total = totalAfter(begin);
    double left = t0;
    for (int i = 0; i < columns; ++i) {
        const double right = t0 + (t1 - t0) * (i + 1) / columns;
        const bool last = i + 1 == columns;
        const std::size_t end = std::max(begin, last ? upperIndex(t1) : lowerIndex(right));
        out.push_back(columnOver(left, begin, end, total));
        begin = end;
        left = right;
    }
    return out;
}

} // namespace peakscope
