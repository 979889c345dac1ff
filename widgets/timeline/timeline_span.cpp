// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_span.h"

#include "core/base/units.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace peakscope {

namespace {

constexpr double kMargin = 0.04;       // beside the steps, of their time
constexpr double kShareToZoom = 0.5;   // of the run: with more, nothing is gained
constexpr int kStepsFollowed = 4;      // whole ones, and the one that goes on
constexpr double kLeastFollowed = 1.0; // seconds: what goes by faster can't be read

bool isStep(const PhaseMark& mark)
{
    return mark.step >= 0;
}

// When the steps to follow began, the first of them or later; `end` where there is none.
double lastStepsBegin(const std::vector<PhaseMark>& phases, double end)
{
    double begin = end;
    std::int64_t step = -1;
    int begun = 0;
    for (auto mark = phases.rbegin(); mark != phases.rend(); ++mark) {
        if (!isStep(*mark))
            continue;
        if (mark->step != step) {
            step = mark->step;
            if (++begun > kStepsFollowed + 1 && end - begin >= kLeastFollowed)
                break;
        }
        begin = mark->timeSeconds;
    }
    return begin;
}

// Nothing where the run has none.
std::optional<TimeSpan> stepsOf(const SpannedRun& run, double wholeEnd)
{
    const std::vector<PhaseMark>& phases = *run.phases;
    const auto first = std::find_if(phases.begin(), phases.end(), isStep);
    if (first == phases.end())
        return std::nullopt;
    const auto after = std::find_if(phases.rbegin(), phases.rend(), isStep).base();
    TimeSpan span{first->timeSeconds, after == phases.end() ? wholeEnd : after->timeSeconds};
    // Nothing says when the last step was over: no part of it is taken to be longer than the longest before.
    double longest = 0;
    for (auto mark = std::next(first); mark != after; ++mark)
        longest = std::max(longest, mark->timeSeconds - std::prev(mark)->timeSeconds);
    if (longest > 0)
        span.end = std::min(span.end, std::prev(after)->timeSeconds + longest);
    // A step that ran out of memory has its peak after all that was measured before, and loading may need the most.
    if (run.timeline != nullptr && run.timeline->size() > 0) {
        span.begin = std::min(span.begin, run.timeline->peakSeconds());
        span.end = std::max(span.end, run.timeline->peakSeconds());
    }
    return span;
}

} // namespace

TimeSpan stepsSpan(const std::vector<SpannedRun>& runs, const TimeSpan& whole)
{
    TimeSpan all{whole.end, whole.begin};
    for (const SpannedRun& run : runs) {
        const std::optional<TimeSpan> own = stepsOf(run, whole.end);
        if (!own)
            return whole;
        all = {std::min(all.begin, own->begin), std::max(all.end, own->end)};
    }
    const double length = all.end - all.begin;
    if (!(length > 0) || length > kShareToZoom * (whole.end - whole.begin))
        return whole;
    const double margin = kMargin * length;
    return {std::max(whole.begin, all.begin - margin), std::min(whole.end, all.end + margin)};
}

PlotArea stepsArea(const TimelineScene& scene, const PlotArea& bounds)
{
    const auto [begin, end] = stepsSpan({{&scene.phases, scene.timeline}}, {bounds.x0, bounds.x1});
    return {begin, end, bounds.y0, bounds.y1};
}

PlotArea followedArea(const TimelineScene& scene, const PlotArea& bounds, const PlotArea& view, double seconds)
{
    double begin = bounds.x1 - seconds;
    if (seconds == kLastSteps) {
        begin = lastStepsBegin(scene.phases, bounds.x1);
        begin -= kMargin * (bounds.x1 - begin);
    }
    if (seconds == 0 || begin <= bounds.x0 || begin >= bounds.x1)
        return bounds;
    return {begin, bounds.x1, view.y0, view.y1};
}

QString spanTitle(double seconds)
{
    if (seconds == kLastSteps)
        return MemoryTimelineView::tr("Last steps");
    return seconds == 0 ? MemoryTimelineView::tr("Whole run")
                        : MemoryTimelineView::tr("Last %1").arg(QString::fromStdString(formatSeconds(seconds)));
}

} // namespace peakscope
