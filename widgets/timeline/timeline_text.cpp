// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_text.h"

#include "core/base/units.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/text/bytes_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::TimelineText)
};

QString secondsText(double seconds)
{
    return QString::fromStdString(formatSeconds(seconds));
}

} // namespace

QString timelineTimeText(double seconds, double lower, double upper, int pixels)
{
    const TimeScale scale = timeScaleFor(lower, upper);
    const double step = std::max((upper - lower) / std::max(pixels, 1), 1e-9) / scale.seconds;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 9);
    return TimelineText::tr("%1 %2", "number unit")
        .arg(QLocale().toString(seconds / scale.seconds, 'f', decimals), scale.unit);
}

QString timelinePlaceText(TimelineAxis axis, double place, double lower, double upper, int pixels)
{
    switch (axis) {
    case TimelineAxis::Events:
        return TimelineText::tr("event %1").arg(QLocale().toString(static_cast<qlonglong>(std::floor(place))));
    case TimelineAxis::Steps:
        return TimelineText::tr("step %1").arg(QLocale().toString(static_cast<qlonglong>(std::floor(place)) + 1));
    case TimelineAxis::Seconds:
        break;
    }
    return timelineTimeText(place, lower, upper, pixels);
}

QString timelineAxisTitle(TimelineAxis axis)
{
    switch (axis) {
    case TimelineAxis::Events:
        return TimelineText::tr("Event");
    case TimelineAxis::Steps:
        return TimelineText::tr("Optimiser steps completed");
    case TimelineAxis::Seconds:
        break;
    }
    return TimelineText::tr("Time");
}

QString timelineSummary(const MemoryTimeline* timeline, std::int64_t budgetBytes, std::int64_t predictedBytes,
                        bool predictionIsBound, TimelineAxis axis)
{
    if (!timeline || timeline->size() == 0)
        return TimelineText::tr("No memory events.");
    const ComponentBytes bytes = timeline->peakComponents();
    const auto largest = std::max_element(bytes.begin(), bytes.end());
    const auto component = static_cast<Component>(largest - bytes.begin());
    const auto peak = static_cast<double>(timeline->peakBytes());
    const auto placeText = [&](double place) {
        return axis == TimelineAxis::Seconds ? secondsText(place) : timelinePlaceText(axis, place, 0, place, 1);
    };
    const double percent = peak > 0 ? 100.0 * static_cast<double>(*largest) / peak : 0;
    QString text = TimelineText::tr("Memory from %1 to %2. Peak %3 at %4; the largest part is %5 with %6 (%7 %).")
                       .arg(placeText(timeline->startSeconds()), placeText(timeline->endSeconds()),
                            bytesText(timeline->peakBytes()), placeText(timeline->peakSeconds()),
                            componentTitle(component), bytesText(*largest), QLocale().toString(percent, 'f', 0));
    if (budgetBytes > 0)
        text += QLatin1Char(' ') + TimelineText::tr("The budget is %1.").arg(bytesText(budgetBytes));
    if (predictedBytes > 0)
        text += QLatin1Char(' ') + (predictionIsBound ? TimelineText::tr("It was planned for at most %1.")
                                                      : TimelineText::tr("The predicted peak is %1."))
                                       .arg(bytesText(predictedBytes));
    return text;
}

QString timelineTsv(const MemoryTimeline* timeline, double lower, double upper, int rows, TimelineAxis axis)
{
    QString text = axis == TimelineAxis::Events  ? QStringLiteral("event")
                   : axis == TimelineAxis::Steps ? QStringLiteral("steps")
                                                 : QStringLiteral("time_seconds");
    text += QLatin1String("\ttotal_bytes");
    if (!timeline || timeline->size() == 0)
        return text + QLatin1Char('\n');
    std::vector<Component> listed;
    for (Component component : componentStackOrder()) {
        if (timeline->maxComponents()[static_cast<std::size_t>(component)] > 0)
            listed.push_back(component);
    }
    for (Component component : listed)
        text += QLatin1Char('\t') + QString::fromStdString(std::string(name(component))) + QStringLiteral("_bytes");
    text += QLatin1Char('\n');
    const ComponentBytes* previous = nullptr;
    const auto columns = timeline->sample(lower, upper, rows);
    for (const MemoryTimeline::Column& column : columns) {
        if (previous && *previous == column.components)
            continue; // nothing happened since the last row
        previous = &column.components;
        text += QString::number(column.timeSeconds, 'f', 9) + QLatin1Char('\t') +
                QString::number(static_cast<qlonglong>(column.totalBytes));
        for (Component component : listed)
            text += QLatin1Char('\t') +
                    QString::number(static_cast<qlonglong>(column.components[static_cast<std::size_t>(component)]));
        text += QLatin1Char('\n');
    }
    return text;
}

QString lanesTsv(const QStringList& columns, const std::vector<const MemoryTimeline*>& timelines, double lower,
                 double upper)
{
    constexpr int kSteps = 1000;
    QString text = QStringLiteral("time_seconds");
    for (const QString& column : columns)
        text += QLatin1Char('\t') + column;
    text += QLatin1Char('\n');
    const double step = (upper - lower) / kSteps;
    for (int row = 0; row <= kSteps; ++row) {
        const double time = lower + row * step;
        text += QString::number(time, 'g', 12);
        for (const MemoryTimeline* timeline : timelines) {
            text += QLatin1Char('\t');
            // Outside its record it has no value, which is not zero.
            if (timeline && timeline->size() > 0 && time >= timeline->startSeconds() && time <= timeline->endSeconds())
                text += QString::number(static_cast<qlonglong>(timeline->totalAt(time)));
        }
        text += QLatin1Char('\n');
    }
    return text;
}

} // namespace peakscope
