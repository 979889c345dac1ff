// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/memory/timeline_range.h"

#include "widgets/figures/memory/timeline_panel.h"
#include "widgets/figures/page/figure_text.h"

#include "core/base/units.h"

#include <QLocale>

#include <algorithm>

namespace peakscope {

namespace {

constexpr double kSeen = 0.01; // of what is shown: less on either side is nothing left out

// "All 3 steps", "2 of 3 steps"; empty where none is shown. Which they are stands above the plot.
QString shownSteps(const MemorySection& memory, const TimeSpan& shown)
{
    const std::vector<PhaseSpan> steps = stepSpans(memory);
    const double least = kSeen * (shown.end - shown.begin);
    const auto count = std::count_if(steps.begin(), steps.end(), [&](const PhaseSpan& step) {
        return step.endSeconds > shown.begin + least && step.startSeconds < shown.end - least;
    });
    const auto all = static_cast<qsizetype>(steps.size());
    if (count == 0)
        return {};
    if (count < all)
        return FigureText::tr("%1 of %2 steps").arg(count).arg(all);
    return all == 1 ? FigureText::tr("The only step") : FigureText::tr("All %1 steps").arg(all);
}

} // namespace

std::optional<TimeSpan> askedRange(const FigurePreset& preset, const TimeSpan& whole)
{
    if (!preset.range)
        return std::nullopt;
    const TimeSpan asked{std::max(preset.range->first, whole.begin), std::min(preset.range->second, whole.end)};
    return asked.begin < asked.end ? asked : whole;
}

TimeSpan shownRange(const FigurePreset& preset, const std::vector<TimelineOfRun>& runs, const TimeSpan& whole)
{
    if (const auto asked = askedRange(preset, whole))
        return *asked;
    std::vector<SpannedRun> spanned;
    for (const TimelineOfRun& run : runs)
        spanned.push_back({&run.memory->phases, run.timeline});
    return stepsSpan(spanned, whole);
}

QStringList rangeCaption(const std::vector<TimelineOfRun>& runs, const TimeSpan& shown, const TimeSpan& whole,
                         bool timed)
{
    const double least = kSeen * (shown.end - shown.begin);
    const bool before = shown.begin - whole.begin > least, after = whole.end - shown.end > least;
    if (!before && !after)
        return {};
    QStringList said;
    for (const TimelineOfRun& run : runs)
        said << (timed ? shownSteps(*run.memory, shown) : QString());
    said.removeDuplicates();
    if (said.size() == 1 && !said.front().isEmpty())
        return {said.front(), before && after ? FigureText::tr("the program's start and end are left out")
                              : before        ? FigureText::tr("the program's start is left out")
                                              : FigureText::tr("the program's end is left out")};
    const auto text = [timed](double place) {
        return timed ? QString::fromStdString(formatSeconds(place)) : QLocale().toString(place, 'f', 0);
    };
    return {(timed ? FigureText::tr("%1 to %2 of %3", "times") : FigureText::tr("events %1 to %2 of %3"))
                .arg(text(shown.begin), text(shown.end), text(whole.end))};
}

} // namespace peakscope
