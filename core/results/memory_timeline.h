// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An index over memory events that answers "what was alive at t" and "what shall be drawn for these pixels" in time
// that does not grow with the number of events (ten millions are expected). Grows at its end while a run is live.
// Not thread-safe: one owner at a time.
//
// A change of purpose is a -x entry directly followed by a +x entry of the same time. The two are one step: the total
// between them counts neither for the highest nor for the lowest total, even where the entries arrive in two batches.
#pragma once

#include "core/results/component.h"
#include "core/results/run_result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace peakscope {

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

    MemoryTimeline() = default;
    explicit MemoryTimeline(const TimelineData& data);

    // Adds events at the end; times must not decrease (an earlier time, or none, is taken as the last one). The three
    // are equally long; surplus elements are left out.
    void append(std::span<const double> timeSeconds, std::span<const std::int64_t> deltaBytes,
                std::span<const Component> component);
    void clear();

    std::size_t size() const { return m_time.size(); }
    double startSeconds() const; // 0 without events
    double endSeconds() const;
    bool merged() const { return m_merged; } // holds data that had been merged

    // Live bytes after the last event at or before t; zeros before the first.
    ComponentBytes at(double t) const;
    std::int64_t totalAt(double t) const;

    std::int64_t peakBytes() const { return m_peakBytes; }
    double peakSeconds() const; // of the first event that reaches the peak
    std::size_t peakEntries() const { return size() > 0 ? m_peakIndex + 1 : 0; } // until then, that one included
    ComponentBytes peakComponents() const;
    const ComponentBytes& maxComponents() const { return m_maxComponents; }
    ComponentBytes liveComponents() const { return m_live; }
    std::int64_t liveBytes() const { return m_liveTotal; }

    // The largest sum of all components but this one (Rounding: the largest sum of requests); passes over all events.
    std::int64_t peakBytesWithout(Component component) const;

    // `columns` columns of equal width over [t0, t1]. A column covers its left edge up to, but not with, its right
    // edge (the last one with it): the state at its left edge and every event inside. The highest total of every
    // column is exact, so no peak is lost at any zoom; columns without an event repeat the state before them. Empty
    // for a range that is none.
    std::vector<Column> sample(double t0, double t1, int columns) const;

    // The data as it stands, at most maxEvents long (1024 or more): beyond that merged so that every component is
    // exact at the kept times, the peak and each component's own maximum stay, and the highest and lowest totals of
    // short stretches of time are kept.
    TimelineData data(std::size_t maxEvents = 1'000'000) const;

private:
    struct Range {
        std::int64_t maxTotal;
        std::int64_t minTotal;
    };
    // Highest and lowest of some totals, and the first event that reaches the highest.
    struct Extremes {
        std::int64_t maxTotal;
        std::int64_t minTotal;
        std::size_t maxIndex;
    };

    void appendOne(double time, std::int64_t delta, Component component);
    bool isInsidePair(std::size_t index) const; // the total after this event is one that does not count
    void updateLevels(std::size_t firstBlock);
    std::size_t upperIndex(double t) const; // number of events at or before t
    std::size_t lowerIndex(double t) const; // number of events before t
    ComponentBytes stateAfter(std::size_t count) const;
    std::int64_t totalAfter(std::size_t count) const;
    // Adds events [begin, end) to `total` and what they reach to `extremes`.
    void walk(std::size_t begin, std::size_t end, std::int64_t& total, Extremes& extremes) const;
    // Of the totals after events [begin, end); `total` is the one before them, and after them when it returns.
    Extremes extremes(std::size_t begin, std::size_t end, std::int64_t& total) const;
    std::size_t blockExtremes(std::size_t firstBlock, std::size_t endBlock, Extremes& extremes) const;
    Column columnOver(double left, std::size_t begin, std::size_t end, std::int64_t& total) const;

    std::vector<std::size_t> chooseCuts(std::size_t buckets) const;
    TimelineData mergedAt(const std::vector<std::size_t>& cuts) const;

    std::vector<double> m_time;
    std::vector<std::int64_t> m_delta;
    std::vector<Component> m_component;
    std::vector<ComponentBytes> m_before; // the state before every kBlock events
    // Level 0 has the extremes of the totals inside every block, level n + 1 those of every kFan nodes of level n.
    std::vector<std::vector<Range>> m_levels;
    ComponentBytes m_live{};
    ComponentBytes m_maxComponents{};
    std::array<std::size_t, kComponentCount> m_maxIndex{}; // the event that first reached each maximum
    std::int64_t m_liveTotal = 0;
    std::int64_t m_peakBytes = 0;
    std::size_t m_peakIndex = 0;
    bool m_merged = false;
};

// Appends the step from one state to another as entries of one time. What only changes its purpose becomes -/+ pairs,
// what is left has one sign: neither a component nor the total leaves the range between its old and its new value.
void appendTimelineStep(TimelineData& out, double time, const ComponentBytes& from, const ComponentBytes& to);

} // namespace peakscope
