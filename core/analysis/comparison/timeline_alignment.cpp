// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/timeline_alignment.h"

#include "core/analysis/comparison/comparison_settings.h"
#include "core/analysis/comparison/phase_peaks.h"
#include "core/base/json/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace peakscope {

namespace {

double between(double value, const std::vector<double>& from, const std::vector<double>& to)
{
    if (from.empty())
        return value;
    const auto after = std::upper_bound(from.begin(), from.end(), value);
    if (after == from.begin())
        return to.front() + (value - from.front());
    const auto left = static_cast<std::size_t>(after - from.begin()) - 1;
    if (after == from.end())
        return to.back() + (value - from.back());
    const double share = (value - from[left]) / (from[left + 1] - from[left]);
    return to[left] + share * (to[left + 1] - to[left]);
}

// Traces count from somewhere else; an own run counts from its start, and its silence before the first event is its
// own.
double recordStart(const MemorySection& memory)
{
    double start = memory.timeline.timeSeconds.empty() ? 0 : memory.timeline.timeSeconds.front();
    if (!memory.phases.empty())
        start = memory.timeline.timeSeconds.empty() ? memory.phases.front().timeSeconds
                                                    : std::min(start, memory.phases.front().timeSeconds);
    return start > 0.5 * endSeconds(memory) ? start : 0;
}

std::optional<double> firstMeasuredStep(const AlignedRun& run)
{
    for (const PhaseMark& mark : run.memory->phases) {
        if (mark.step >= run.warmupSteps)
            return mark.timeSeconds;
    }
    return std::nullopt;
}

// Neighbouring marks of one step.
struct Stretch {
    std::int64_t step = 0; // counted from the first measured one; what lies before the first step has one place in all
    std::size_t begin = 0, end = 0;
};

std::vector<Stretch> stretchesOf(const AlignedRun& run)
{
    std::vector<Stretch> stretches;
    const std::vector<PhaseMark>& marks = run.memory->phases;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const std::int64_t step = marks[i].step < 0 ? INT64_MIN : marks[i].step - run.warmupSteps;
        if (stretches.empty() || stretches.back().step != step)
            stretches.push_back({step, i, i});
        stretches.back().end = i + 1;
    }
    return stretches;
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// The longest sequence of phases that both have in this order, the earlier of equal ones: an own phase that the base
// has elsewhere in its step (norms before or after the backward pass) does not pull the others out of place.
void pairPhases(const std::vector<PhaseMark>& own, const Stretch& a, const std::vector<PhaseMark>& base,
                const Stretch& b, Pairs& pairs)
{
    const std::size_t rows = a.end - a.begin, columns = b.end - b.begin;
    constexpr std::size_t kMostCells = std::size_t{1} << 24; // beyond: as they come
    if (rows > kMostCells / columns) {
        for (std::size_t i = 0, j = 0; i < rows && j < columns; ++i) {
            if (own[a.begin + i].phase == base[b.begin + j].phase)
                pairs.emplace_back(a.begin + i, b.begin + j++);
        }
        return;
    }
    std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0); // from each place to both ends
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (columns + 1) + j]; };
    const auto same = [&](std::size_t i, std::size_t j) { return own[a.begin + i].phase == base[b.begin + j].phase; };
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;)
            at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same(i, j))
            pairs.emplace_back(a.begin + i++, b.begin + j++);
        else
            at(i + 1, j) > at(i, j + 1) ? ++i : ++j;
    }
}

Pairs pairedMarks(const AlignedRun& run, const AlignedRun& base)
{
    Pairs pairs;
    const std::vector<Stretch> reference = stretchesOf(base);
    std::size_t next = 0;
    for (const Stretch& own : stretchesOf(run)) {
        const auto found = std::find_if(reference.begin() + static_cast<std::ptrdiff_t>(next), reference.end(),
                                        [&own](const Stretch& other) { return other.step == own.step; });
        if (found == reference.end())
            continue;
        pairPhases(run.memory->phases, own, base.memory->phases, *found, pairs);
        next = static_cast<std::size_t>(found - reference.begin()) + 1;
    }
    return pairs;
}

void addKnot(TimeMap& map, double from, double to)
{
    // Both sides must rise; phases of no length have nothing to align.
    if (!map.from.empty() && (!(from > map.from.back()) || !(to > map.to.back())))
        return;
    map.from.push_back(from);
    map.to.push_back(to);
}

// Where the base has a phase that the run has not (a step of warming up), the run waits: its phases before and after
// keep their places, none is drawn over what it did not do.
void addWait(TimeMap& map, const std::vector<PhaseMark>& own, std::size_t i, const std::vector<PhaseMark>& base,
             std::size_t j, const std::pair<std::size_t, std::size_t>& next)
{
    const double end = base[j + 1].timeSeconds;
    if (i + 1 == next.first && j + 1 < next.second && end < base[next.second].timeSeconds)
        addKnot(map, std::nextafter(own[i + 1].timeSeconds, own[i].timeSeconds), end);
}

TimeMap phaseMap(const AlignedRun& run, const AlignedRun& base)
{
    TimeMap map;
    const Pairs pairs = pairedMarks(run, base);
    const std::vector<PhaseMark>&ours = run.memory->phases, &theirs = base.memory->phases;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto& [own, reference] = pairs[i];
        addKnot(map, ours[own].timeSeconds, theirs[reference].timeSeconds);
        if (i + 1 < pairs.size())
            addWait(map, ours, own, theirs, reference, pairs[i + 1]);
    }
    if (!pairs.empty() && pairs.back() == std::pair(run.memory->phases.size() - 1, base.memory->phases.size() - 1))
        addKnot(map, endSeconds(*run.memory), endSeconds(*base.memory));
    return map;
}

TimeMap shift(double from, double to)
{
    return {{from}, {to}};
}

} // namespace

double TimeMap::map(double seconds) const
{
    return between(seconds, from, to);
}

double TimeMap::inverse(double seconds) const
{
    return between(seconds, to, from);
}

bool TimeMap::stretches() const
{
    for (std::size_t i = 1; i < from.size(); ++i) {
        const double own = from[i] - from[i - 1], common = to[i] - to[i - 1];
        if (std::abs(own - common) > 1e-9 * std::max(own, common))
            return true;
    }
    return false;
}

std::int64_t warmupSteps(const RunResult& result)
{
    if (const auto steps = jsonInteger(settingAt(result.config, "training.warmup_steps")))
        return std::max<std::int64_t>(*steps, 0);
    return result.timing ? static_cast<std::int64_t>(result.timing->warmupSeconds.size()) : 0;
}

std::vector<TimeMap> alignTimelines(const std::vector<AlignedRun>& runs, std::size_t base, TimelineAlignment alignment)
{
    std::vector<TimeMap> maps(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i].memory)
            continue;
        const double start = recordStart(*runs[i].memory);
        maps[i] = shift(start, 0);
        if (alignment == TimelineAlignment::Start)
            continue;
        if (const auto step = firstMeasuredStep(runs[i]); step && alignment == TimelineAlignment::Step)
            maps[i] = shift(*step, 0);
    }
    if (alignment != TimelineAlignment::Phase || base >= runs.size() || !runs[base].memory)
        return maps;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == base || !runs[i].memory)
            continue;
        TimeMap map = phaseMap(runs[i], runs[base]);
        for (double& time : map.to)
            time = maps[base].map(time);
        if (!map.from.empty())
            maps[i] = std::move(map);
    }
    return maps;
}

TimelineData mapped(const TimelineData& timeline, const TimeMap& map)
{
    TimelineData out = timeline;
    if (map.from.size() < 2) {
        const double offset = map.from.empty() ? 0 : map.to.front() - map.from.front();
        for (double& time : out.timeSeconds)
            time += offset;
        return out;
    }
    // Times rise, so the piece moves along with them.
    std::size_t piece = 0;
    for (double& time : out.timeSeconds) {
        while (piece + 1 < map.from.size() && map.from[piece + 1] <= time)
            ++piece;
        const bool inside = time >= map.from.front() && piece + 1 < map.from.size();
        const double slope =
            inside ? (map.to[piece + 1] - map.to[piece]) / (map.from[piece + 1] - map.from[piece]) : 1.0;
        time = map.to[piece] + (time - map.from[piece]) * slope;
    }
    return out;
}

std::vector<PhaseMark> mapped(std::vector<PhaseMark> phases, const TimeMap& map)
{
    for (PhaseMark& mark : phases)
        mark.timeSeconds = map.map(mark.timeSeconds);
    return phases;
}

} // namespace peakscope
