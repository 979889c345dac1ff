// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_span.h"

#include "core/base/units.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <algorithm>
#include <iterator>

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

} // namespace

PlotArea stepsArea(const TimelineScene& scene, const PlotArea& bounds)
{
    const auto first = std::find_if(scene.phases.begin(), scene.phases.end(), isStep);
    if (first == scene.phases.end())
        return bounds;
    const auto after = std::find_if(scene.phases.rbegin(), scene.phases.rend(), isStep).base();
    const double begin = first->timeSeconds, last = std::prev(after)->timeSeconds;
    double end = after == scene.phases.end() ? bounds.x1 : after->timeSeconds;
    // Nothing says when the last step was over: no part of it is taken to be longer than the longest before.
    double longest = 0;
    for (auto mark = std::next(first); mark != after; ++mark)
        longest = std::max(longest, mark->timeSeconds - std::prev(mark)->timeSeconds);
    if (longest > 0)
        end = std::min(end, last + longest);
    if (scene.timeline != nullptr) // a step that ran out of memory has its peak after all that was measured before
        end = std::max(end, scene.timeline->peakSeconds());
    if (!(begin < end) || end - begin > kShareToZoom * (bounds.x1 - bounds.x0))
        return bounds;
    const double margin = kMargin * (end - begin);
    return {std::max(bounds.x0, begin - margin), std::min(bounds.x1, end + margin), bounds.y0, bounds.y1};
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
