// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/memory/growth_panel.h"

#include "widgets/compare/compare_style.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/sweep/sweep_growth_words.h"
#include "widgets/sweep/sweep_style.h"

#include <algorithm>
#include <memory>
#include <set>

namespace peakscope {

namespace {

constexpr double kLow = 0.75;
constexpr double kPlotLines = 11; // height of the plot area, in lines of text

struct Content {
    SweepGrowth growth;
    std::size_t left = 0; // settings that have no colour
    QString title;
    QStringList words;
};

double markerSize(const FigureCanvas& canvas)
{
    return canvas.fontPt(TextSize::Small) * 0.75;
}

// The setting and its fit. Where there is no room for both the setting is shortened, for its colour tells it as well;
// where that leaves nothing of it, the bytes below the fit are left out.
QString lineText(const FigureCanvas& canvas, const QString& setting, GrowthLine line, const std::string& measure,
                 double room)
{
    const TextStyle style{TextSize::Small};
    const auto text = [&](const QString& name) {
        return FigureText::tr("%1: %2", "setting: fit").arg(name, trendFitText(line, measure));
    };
    const double whole = canvas.width(setting, style), least = std::min(whole, 5 * canvas.fontPt(style.size));
    const auto rest = [&] { return room - canvas.width(text(QString()), style) - canvas.hairline(); };
    if (rest() < least)
        line.fit.offset = 0;
    return text(whole <= rest() ? setting : canvas.elided(setting, rest(), style));
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const Content& content, double width)
{
    std::vector<LegendEntry> entries;
    const std::vector<GrowthLine>& lines = content.growth.lines;
    if (lines.size() < 2)
        return entries;
    for (const std::vector<std::size_t>& group : coincidingLines(content.growth)) {
        const std::size_t i = group.front();
        const QColor color = trendColor(i, canvas.colors().dark);
        QString text = coincidingValuesText(settingsOf(content.growth, group));
        if (lines[i].tells())
            text = lineText(canvas, text, lines[i], content.growth.measure, legendTextRoom(canvas, width));
        entries.push_back({text,
                           {},
                           lines[i].tells() ? Dash::Solid : Dash::Dotted,
                           color,
                           LegendMarker{compareMarker(i, {}, markerSize(canvas)), color}});
    }
    return entries;
}

AxisArea areaOf(const Content& content)
{
    AxisArea area{{}, 0, 0, 0, 0};
    bool atZero = false;
    for (const GrowthLine& line : content.growth.lines) {
        const SweepTrend all = line.measured();
        area.xHigh = std::max(area.xHigh, 1.06 * *std::max_element(all.x.begin(), all.x.end()));
        atZero = atZero || line.atZero;
        area.yHigh = std::max(area.yHigh, 1.1 * *std::max_element(all.y.begin(), all.y.end()));
    }
    area.xLow = atZero ? -0.04 * area.xHigh : 0; // no marker stands on the axis of the measure
    return area;
}

// The key's own values, for nothing was measured at others, and 0, where the axis begins: without a word where that
// would stand in the way of the first value's.
Ticks keyTicks(const FigureCanvas& canvas, const AxisArea& area, const SweepGrowth& growth)
{
    std::set<double> values{0};
    bool measuredAtZero = false;
    for (const GrowthLine& line : growth.lines) {
        values.insert(line.trend.x.begin(), line.trend.x.end());
        measuredAtZero = measuredAtZero || line.atZero;
    }
    Ticks ticks;
    for (const double value : values) {
        ticks.values.push_back(value);
        ticks.labels << sweepValueText(value, growth.key);
    }
    if (values.size() > 1 && !measuredAtZero) {
        const double words = canvas.width(ticks.labels[0] + ticks.labels[1], {TextSize::Small}) / 2;
        if (area.x(ticks.values[1]) - area.x(0) < words + 2 * canvas.gap())
            ticks.labels[0].clear();
    }
    return ticks;
}

void drawLine(FigureCanvas& canvas, const AxisArea& area, const GrowthLine& line, std::size_t index)
{
    const QColor color = trendColor(index, canvas.colors().dark);
    QPolygonF points, curve;
    const SweepTrend all = line.measured();
    for (std::size_t i = 0; i < all.x.size(); ++i)
        points << QPointF(area.x(all.x[i]), area.y(all.y[i]));
    constexpr int kPieces = 60;
    const double low = line.tells() ? line.trend.x.front() : 0, high = line.tells() ? line.trend.x.back() : 0;
    for (int i = 0; line.tells() && i <= kPieces; ++i) {
        const double x = low + (high - low) * i / kPieces;
        if (const double y = line.fit.at(x); y >= 0 && y <= area.yHigh)
            curve << QPointF(area.x(x), area.y(y));
    }
    canvas.polyline(line.tells() ? curve : points, color, canvas.hairline() * 1.5,
                    line.tells() ? Dash::Solid : Dash::Dotted);
    for (const QPointF& point : points)
        canvas.polygon(compareMarker(index, point, markerSize(canvas)), color);
}

void drawPanel(FigureCanvas& canvas, const QRectF& rect, const Content& content, const QString& mark)
{
    const std::vector<LegendEntry> legend = legendOf(canvas, content, rect.width());
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), mark + content.title, {});
    const double words = captionHeight(canvas, content.words, rect.width());
    drawCaption(canvas, QRectF(rect.left(), rect.top() + canvas.lineHeight(), rect.width(), words), content.words);
    const double head = canvas.lineHeight() * 1.5 + words, foot = legendHeight(canvas, legend, rect.width());
    AxisArea area = areaOf(content);
    const bool bytes = sweepUnit(content.growth.measure) == "bytes";
    const AxisUnit unit = bytes ? byteUnit(area.yHigh) : timeUnit(area.yHigh);
    const double height = rect.height() - head - foot - bottomAxisHeight(canvas, true) - canvas.gap();
    const Ticks yTicks =
        roundTicks(0, area.yHigh, std::max(2, static_cast<int>(height / canvas.lineHeight() / 2)), unit);
    const double left = leftAxisWidth(canvas, yTicks, true);
    const double margin = canvas.width(QStringLiteral("0000"), {TextSize::Small}) / 2;
    area.rect = QRectF(rect.left() + left, rect.top() + head, rect.width() - left - margin, height);
    drawHorizontalGrid(canvas, area, yTicks);
    for (const std::vector<std::size_t>& group : coincidingLines(content.growth))
        drawLine(canvas, area, content.growth.lines[group.front()], group.front());
    drawBottomAxis(canvas, area, keyTicks(canvas, area, content.growth), sweepKeyTitle(content.growth.key));
    drawLeftAxis(canvas, area, yTicks,
                 FigureText::tr("%1 (%2)", "measure, unit").arg(sweepMeasureTitle(content.growth.measure), unit.name));
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - foot, rect.width(), foot), legend);
}

} // namespace

Panel growthPanel(const FigureCanvas& canvas, SweepGrowth growth, bool ofTwo)
{
    const auto content = std::make_shared<Content>();
    content->title =
        FigureText::tr("%1 over %2", "measure, key").arg(sweepMeasureTitle(growth.measure), sweepKeyTitle(growth.key));
    content->words = growthParts(growth, ofTwo);
    if (growth.lines.size() > 1)
        content->words << FigureText::tr("lines: %1").arg(sweepKeysText(growth.lines.front().trend.fixed));
    if (growth.lines.size() > kMostTrendLines) {
        content->left = growth.lines.size() - kMostTrendLines;
        growth.lines.resize(kMostTrendLines);
        content->words << FigureText::tr("%1 more settings are not shown").arg(static_cast<qlonglong>(content->left));
    }
    content->growth = std::move(growth);
    const auto height = [&canvas, content](double width) {
        return canvas.lineHeight() * (1.5 + kPlotLines) + captionHeight(canvas, content->words, width) +
               bottomAxisHeight(canvas, true) + canvas.gap() +
               legendHeight(canvas, legendOf(canvas, *content, width), width);
    };
    return {content->title, height,
            [content](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                drawPanel(target, rect, *content, mark);
            },
            kLow};
}

} // namespace peakscope
