// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An index over memory events that answers "what was alive at t" and "what shall be drawn for these pixels" in time
// that does not grow with the number of events (ten millions are expected). Grows at its end while a run is live.
// Not thread-safe: one owner at a time.
#pragma once

#include "core/results/component.h"
#include "core/results/run_result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope
{

class MemoryTimeline
{
public:
    // One pixel column of a stacked chart.
    struct Column {
        double timeSeconds = 0;      // where its highest total stands
        std::int64_t minBytes = 0;   // lowest total within the column
        std::int64_t totalBytes = 0; // highest total within the column
        ComponentBytes components{}; // composition at that highest total
    };

    MemoryTimeline();
    explicit MemoryTimeline(const TimelineData& data);

    // Adds events at the end; times must not decrease (an earlier time is taken as the last one).
    void append(std::span<const double> timeSeconds, std::span<const std::int64_t> deltaBytes,
                std::span<const Component> component);
    void clear();

    std::size_t size() const { return m_time.size(); }
    double startSeconds() const;
    double endSeconds() const;

    // Live bytes after the last event at or before t; zeros before the first.
    ComponentBytes at(double t) const;
    std::int64_t totalAt(double t) const;

    std::int64_t peakBytes() const { return m_peakBytes; }
    double peakSeconds() const;
    ComponentBytes peakComponents() const;
    const ComponentBytes& maxComponents() const { return m_maxComponents; }
    ComponentBytes liveComponents() const { return m_live; }

    // `columns` columns of equal width over [t0, t1]; the highest total of every column is exact, so no peak is lost
    // at any zoom. Columns without an event repeat the state before them.
    std::vector<Column> sample(double t0, double t1, int columns) const;

    // The data as it stands, at most maxEvents long: beyond that merged so that every component is exact at the kept
    // times and the peak stays the peak.
    TimelineData data(std::size_t maxEvents = 1'000'000) const;

private:
    std::size_t upperIndex(double t) const; // number of events at or before t
    ComponentBytes stateAfter(std::size_t count) const;
    std::size_t argMaxTotal(std::size_t begin, std::size_t end) const; // over totals after events [begin, end)
    std::int64_t minTotal(std::size_t begin, std::size_t end) const;

    std::vector<double> m_time;
    std::vector<std::int64_t> m_delta;
    std::vector<Component> m_component;
    // Every kBlock events: the state before the block, and the extremes of the totals inside it; then a tree over them.
    struct Block {
        ComponentBytes before{};
        std::int64_t maxTotal = 0;
        std::int64_t minTotal = 0;
    };
    std::vector<Block> m_blocks;
    std::vector<std::vector<std::int64_t>> m_maxLevels, m_minLevels;
    ComponentBytes m_live{};
    ComponentBytes m_maxComponents{};
    std::int64_t m_liveTotal = 0;
    std::int64_t m_peakBytes = 0;
    std::size_t m_peakIndex = 0;
};

} // namespace peakscope
