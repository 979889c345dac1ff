// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_pictures.h"

#include "core/base/json/json_access.h"
#include "core/results/plans/plan_document.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/timeline/timeline_painter.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kHeadRoom = 1.08;

void paintLimit(QPainter& painter, const QLineF& line, const QColor& color)
{
    painter.setPen(QPen(color, 1.5, Qt::DashLine));
    painter.drawLine(line);
}

struct FitPoint {
    double value = 0, bytes = 0;
    bool fits = false;
};

struct FitLine {
    std::vector<FitPoint> points;
    double capacity = 0; // of the card; 0: not known
};

std::vector<FitLine> linesOf(const RunResult& fit, const std::vector<CatalogueDevice>& cards)
{
    std::vector<FitLine> lines;
    for (const nlohmann::json& found : lenient::array(lenient::object(fit.other, "fit"), "cards")) {
        FitLine line;
        for (const nlohmann::json& point : lenient::array(found, "points")) {
            const nlohmann::json& values = lenient::member(point, "values");
            if (values.is_object() && !values.empty() && values.front().is_number())
                line.points.push_back({values.front().get<double>(),
                                       static_cast<double>(lenient::integer(point, "reserved_bytes")),
                                       lenient::text(point, "verdict") != name(Verdict::DoesNotFit)});
        }
        std::ranges::sort(line.points, {}, &FitPoint::value);
        const std::string device = lenient::text(found, "device");
        const auto card = std::ranges::find(cards, device.substr(device.find(':') + 1), &CatalogueDevice::id);
        if (card != cards.end())
            line.capacity = static_cast<double>(card->usableBytes - card->contextBytes);
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace

void paintCourse(QPainter& painter, const QRectF& area, const RunDocument& document, const ChartTheme& theme)
{
    if (!document.timeline || !document.result->memory || document.timeline->endSeconds() <= 0)
        return;
    TimelineScene scene;
    scene.timeline = document.timeline.get();
    scene.phases = document.result->memory->phases;
    scene.theme = theme;
    const auto peak = static_cast<double>(document.timeline->peakBytes());
    const PlotGeometry geometry{area, document.timeline->startSeconds(), document.timeline->endSeconds(), 0,
                                kHeadRoom * peak};
    paintPhaseTints(painter, geometry, scene);
    paintStack(painter, geometry, scene);
    if (document.result->recording) {
        painter.setPen(QPen(theme.warning, 2));
        painter.drawLine(area.topRight(), area.bottomRight());
    } else if (document.result->prediction) {
        const double y = geometry.yPixel(static_cast<double>(document.result->prediction->peakBytes));
        paintLimit(painter, {area.left(), y, area.right(), y}, theme.text);
    }
}

void paintSteps(QPainter& painter, const QRectF& area, const PlanDocument& plan, const ChartTheme& theme)
{
    constexpr std::size_t kMost = 7;
    const std::size_t count = std::min(kMost, plan.ladder.size());
    const auto capacity = static_cast<double>(plan.device.capacityBytes());
    if (count == 0 || capacity <= 0)
        return;
    double most = capacity;
    for (std::size_t i = 0; i < count; ++i)
        most = std::max(most, static_cast<double>(plan.ladder[i].peakBytes));
    most = std::min(most, 4 * capacity) * kHeadRoom;
    const double height = area.height() / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double bytes = std::min(static_cast<double>(plan.ladder[i].peakBytes), most);
        painter.fillRect(QRectF(area.left(), area.top() + static_cast<double>(i) * height, bytes / most * area.width(),
                                0.7 * height),
                         verdictFill(plan.ladder[i].verdict));
    }
    const double x = area.left() + capacity / most * area.width();
    paintLimit(painter, {x, area.top(), x, area.bottom()}, theme.warning);
}

void paintFit(QPainter& painter, const QRectF& area, const RunResult& fit, const std::vector<CatalogueDevice>& cards,
              const ChartTheme& theme)
{
    const std::vector<FitLine> lines = linesOf(fit, cards);
    double right = 0, top = 0;
    for (const FitLine& line : lines) {
        top = std::max(top, line.capacity);
        for (const FitPoint& point : line.points) {
            right = std::max(right, point.value);
            top = std::max(top, point.bytes);
        }
    }
    if (right <= 0 || top <= 0)
        return;
    constexpr double kRadius = 3;
    const PlotGeometry geometry{area.adjusted(kRadius, 0, -kRadius, -kRadius), 0, right, 0, kHeadRoom * top};
    painter.setRenderHint(QPainter::Antialiasing);
    std::size_t number = 0;
    for (const FitLine& line : lines) {
        const QColor color = componentColor(number++ % 2 == 0 ? Component::Parameters : Component::OptimizerStates);
        if (line.capacity > 0) {
            const double y = geometry.yPixel(line.capacity);
            paintLimit(painter, {area.left(), y, area.right(), y}, mixed(theme.background, color, 0.6));
        }
        QPolygonF course;
        for (const FitPoint& point : line.points)
            course << QPointF(geometry.xPixel(point.value), geometry.yPixel(point.bytes));
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(course);
        for (qsizetype i = 0; i < course.size(); ++i) {
            painter.setBrush(line.points[static_cast<std::size_t>(i)].fits ? color : theme.background);
            painter.drawEllipse(course[i], kRadius, kRadius);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace peakscope
