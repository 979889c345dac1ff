// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_pictures.h"

#include "core/results/plans/plan_document.h"
#include "core/snapshots/snapshot_axis.h"
#include "core/snapshots/snapshot_recording.h"
#include "widgets/look/component_palette.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/timeline/timeline_painter.h"

#include <QPainter>

#include <algorithm>
#include <span>

namespace peakscope {

namespace {

constexpr double kHeadRoom = 1.08;

void paintLimit(QPainter& painter, const QLineF& line, const QColor& color)
{
    painter.setPen(QPen(color, 1.5, Qt::DashLine));
    painter.drawLine(line);
}

} // namespace

MemoryCourse courseOf(const RunDocument& document)
{
    const RunResult& result = *document.result;
    if (const auto& recording = result.recording)
        return {std::make_shared<const MemoryTimeline>(timelineAlong(*recording, SnapshotAxis::Events)),
                snapshotPhases(*recording, SnapshotAxis::Events), 0, !recording->replay.outOfMemory.empty()};
    return {document.timeline, result.memory ? result.memory->phases : std::vector<PhaseMark>(),
            result.prediction ? result.prediction->peakBytes : 0, false};
}

void paintCourse(QPainter& painter, const QRectF& area, const MemoryCourse& course, const ChartTheme& theme)
{
    if (!course.timeline || course.timeline->endSeconds() <= course.timeline->startSeconds())
        return;
    TimelineScene scene;
    scene.timeline = course.timeline.get();
    scene.phases = course.phases;
    scene.theme = theme;
    const auto peak = static_cast<double>(std::max(course.timeline->peakBytes(), course.predictedBytes));
    const PlotGeometry geometry{area, course.timeline->startSeconds(), course.timeline->endSeconds(), 0,
                                kHeadRoom * peak};
    paintPhaseTints(painter, geometry, scene);
    paintStack(painter, geometry, scene);
    if (course.predictedBytes > 0) {
        const double y = geometry.yPixel(static_cast<double>(course.predictedBytes));
        paintLimit(painter, {area.left(), y, area.right(), y}, theme.text);
    }
    if (course.ranOut)
        painter.fillRect(QRectF(area.right() - 3, area.top(), 3, area.height()), theme.warning);
}

void paintSteps(QPainter& painter, const QRectF& area, const PlanDocument& plan, const ChartTheme& theme)
{
    constexpr std::size_t kMost = 7; // the last ones, down to what fits
    const std::size_t count = std::min(kMost, plan.ladder.size());
    const std::span<const PlannedStep> steps(plan.ladder.end() - static_cast<std::ptrdiff_t>(count), plan.ladder.end());
    const auto capacity = static_cast<double>(plan.device.capacityBytes());
    if (count == 0 || capacity <= 0)
        return;
    double most = capacity;
    for (const PlannedStep& step : steps)
        most = std::max(most, static_cast<double>(step.peakBytes));
    most *= kHeadRoom;
    const double height = area.height() / static_cast<double>(count);
    double top = area.top();
    for (const PlannedStep& step : steps) {
        const double width = static_cast<double>(step.peakBytes) / most * area.width();
        painter.fillRect(QRectF(area.left(), top, width, 0.7 * height), verdictFill(step.verdict));
        top += height;
    }
    const double x = area.left() + capacity / most * area.width();
    paintLimit(painter, {x, area.top(), x, area.bottom()}, theme.warning);
}

void paintFit(QPainter& painter, const QRectF& area, const std::vector<FitCurve>& curves, const ChartTheme& theme)
{
    double right = 0, top = 0;
    for (const FitCurve& curve : curves) {
        top = std::max(top, static_cast<double>(curve.capacityBytes));
        for (const FitSection::Point& point : curve.search.points) {
            right = std::max(right, point.value);
            top = std::max(top, static_cast<double>(point.reservedBytes));
        }
    }
    if (right <= 0 || top <= 0)
        return;
    constexpr double kRadius = 3;
    const PlotGeometry geometry{area.adjusted(kRadius, 0, -kRadius, -kRadius), 0, right, 0, kHeadRoom * top};
    painter.setRenderHint(QPainter::Antialiasing);
    std::size_t number = 0;
    for (const FitCurve& curve : curves) {
        const QColor color = componentColor(number++ % 2 == 0 ? Component::Parameters : Component::OptimizerStates);
        if (curve.capacityBytes > 0) {
            const double y = geometry.yPixel(static_cast<double>(curve.capacityBytes));
            paintLimit(painter, {area.left(), y, area.right(), y}, mixed(theme.background, color, 0.6));
        }
        QPolygonF course;
        for (const FitSection::Point& point : curve.search.points)
            course << QPointF(geometry.xPixel(point.value), geometry.yPixel(static_cast<double>(point.reservedBytes)));
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(course.first(std::ranges::count_if(curve.search.points, &FitSection::Point::fits)));
        for (qsizetype i = 0; i < course.size(); ++i) {
            painter.setBrush(curve.search.points[static_cast<std::size_t>(i)].fits ? color : theme.background);
            painter.drawEllipse(course[i], kRadius, kRadius);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace peakscope
