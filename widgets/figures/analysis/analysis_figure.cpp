// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/analysis/analysis_figure.h"

#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {
namespace {

constexpr TextSize kKeyText = TextSize::Small;

struct KeyPlaces {
    std::vector<QPointF> places; // left ends, relative
    double height = 0;
};

double sampleWidth(const FigureCanvas& canvas, const MarkerKey& key)
{
    return canvas.fontPt(kKeyText) * (key.dash ? 2.2 : 0.9);
}

double keyWidth(const FigureCanvas& canvas, const MarkerKey& key)
{
    const double sample = key.marker || key.dash ? sampleWidth(canvas, key) + canvas.gap() : 0;
    return sample + canvas.width(key.text, {kKeyText});
}

// Rows that are filled and then centred.
KeyPlaces keyPlaces(const FigureCanvas& canvas, const std::vector<MarkerKey>& keys, double width)
{
    KeyPlaces out;
    const double between = canvas.gap() * 4, pitch = canvas.lineHeight(kKeyText);
    std::size_t rowStart = 0;
    double x = 0, y = pitch / 2;
    const auto centre = [&](std::size_t end) {
        const double shift = std::max(0.0, (width - (x - between)) / 2);
        for (std::size_t i = rowStart; i < end; ++i)
            out.places[i].rx() += shift;
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double entry = keyWidth(canvas, keys[i]);
        if (i > rowStart && x + entry > width) {
            centre(i);
            rowStart = i;
            x = 0;
            y += pitch;
        }
        out.places.emplace_back(x, y);
        x += entry + between;
    }
    if (!keys.empty())
        centre(keys.size());
    out.height = keys.empty() ? 0 : y + pitch / 2;
    return out;
}

// A panel with its title above it, where others are beside it.
Panel panelOf(const FigureCanvas& canvas, const AnalysisPanel& panel, bool titled)
{
    const double title = titled ? canvas.lineHeight() + canvas.gap() : 0;
    return {panel.title,
            [own = panel.height, title](double width) { return own(width) + title; },
            [panel, title](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                if (title > 0)
                    drawHeading(target, QRectF(rect.left(), rect.top(), rect.width(), target.lineHeight()),
                                mark + panel.title, {});
                panel.draw(target, rect.adjusted(0, title, 0, 0));
            },
            panel.least,
            panel.wholeRow,
            panel.mayBeThird};
}

} // namespace

const Result<AnalysisData>& sectionsOf(const RunResult& run)
{
    static const Result<AnalysisData> kNone{AnalysisData()};
    return run.analysis ? *run.analysis : kNone;
}

const AnalysisData& figureAnalysis(const RunResult& run)
{
    static const AnalysisData kNone;
    const Result<AnalysisData>& data = sectionsOf(run);
    return data ? *data : kNone;
}

double markerRadius(const FigureCanvas& canvas, std::size_t points)
{
    const double full = canvas.fontPt(kKeyText) * 0.26;
    // Many points are drawn smaller, down to two fifths of the size.
    return full * scatterMarkerScale(points, 0.4);
}

void drawMarker(FigureCanvas& canvas, QPointF centre, double radius, const MarkerStyle& style, bool framed)
{
    if (style.shape == MarkerShape::Cross) {
        const double arm = radius * 0.9, width = std::max(canvas.hairline(), radius * 0.4);
        canvas.line(centre + QPointF(-arm, -arm), centre + QPointF(arm, arm), style.color, width);
        canvas.line(centre + QPointF(-arm, arm), centre + QPointF(arm, -arm), style.color, width);
        return;
    }
    if (framed)
        canvas.polygon(markerPolygon(style.shape, radius + canvas.hairline() * 0.7).translated(centre),
                       canvas.colors().background);
    canvas.polygon(markerPolygon(style.shape, radius).translated(centre), style.color);
}

double markerKeyHeight(const FigureCanvas& canvas, const std::vector<MarkerKey>& keys, double width)
{
    return keyPlaces(canvas, keys, width).height;
}

void drawMarkerKeys(FigureCanvas& canvas, const QRectF& rect, const std::vector<MarkerKey>& keys)
{
    const KeyPlaces grid = keyPlaces(canvas, keys, rect.width());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const MarkerKey& key = keys[i];
        QPointF spot = rect.topLeft() + grid.places[i];
        const double sample = sampleWidth(canvas, key);
        if (key.dash)
            canvas.line(spot, spot + QPointF(sample, 0), key.lineColor, canvas.hairline() * 2, *key.dash);
        if (key.marker)
            drawMarker(canvas, spot + QPointF(sample / 2, 0), canvas.fontPt(kKeyText) * 0.3, *key.marker,
                       key.dash.has_value());
        if (key.marker || key.dash)
            spot.rx() += sample + canvas.gap();
        canvas.text(spot, canvas.elided(key.text, rect.right() - spot.x(), {kKeyText}), Qt::AlignLeft, {kKeyText});
    }
}

FigureBlock figureBlock(const FigureCanvas& canvas, const AnalysisBlock& analysis)
{
    FigureBlock block;
    if (!analysis.caption.isEmpty()) {
        const BlockPart caption = captionPart(canvas, analysis.caption);
        block.above =
            BlockPart{[&canvas, caption](double width) { return caption.height(width) + canvas.gap(); }, caption.draw};
    }
    for (const AnalysisPanel& panel : analysis.panels)
        block.panels.push_back(panelOf(canvas, panel, analysis.panels.size() > 1));
    if (!analysis.keys.empty())
        block.below = BlockPart{[&canvas, keys = analysis.keys](double width) {
                                    return markerKeyHeight(canvas, keys, width) + canvas.gap() * 2;
                                },
                                [keys = analysis.keys](FigureCanvas& target, const QRectF& rect) {
                                    drawMarkerKeys(target, rect.adjusted(0, target.gap() * 2, 0, 0), keys);
                                }};
    return block;
}

namespace {

bool isPlaced(const ScatterMark& mark)
{
    return std::isfinite(mark.x) && std::isfinite(mark.y);
}

// Hollow marks in a line, as many as there is room for, and how many there are.
void drawUnplaced(FigureCanvas& canvas, const QRectF& rect, const std::vector<ScatterMark>& marks)
{
    const QString words = FigureText::tr("%1 without a place").arg(QLocale().toString(static_cast<int>(marks.size())));
    const double radius = canvas.fontPt(kKeyText) * 0.24, step = radius * 3;
    const double room = rect.width() - canvas.width(words, {kKeyText}) - canvas.gap() * 2;
    const auto fitting = static_cast<std::size_t>(std::max(1.0, std::floor(room / step)));
    const std::size_t drawn = std::min({marks.size(), kMostHollowMarks, fitting});
    const double y = rect.center().y();
    double x = rect.left() + radius;
    for (std::size_t i = 0; i < drawn; ++i, x += step) {
        const MarkerStyle& style = marks[i].style;
        QPolygonF outline = markerPolygon(hollowShape(style.shape), radius);
        outline << outline.front();
        canvas.polyline(outline.translated(x, y), style.color, canvas.hairline() * 1.2);
    }
    x += canvas.gap() - radius;
    canvas.text({x, y}, canvas.elided(words, rect.right() - x, {kKeyText}), Qt::AlignLeft, {kKeyText});
}

} // namespace

void drawScatterMarks(FigureCanvas& canvas, const AxisArea& area, const std::vector<ScatterMark>& marks)
{
    const double radius = markerRadius(canvas, marks.size());
    constexpr std::size_t kMostFramed = 300; // where there are more, rims cover the neighbours
    const bool framed = marks.size() <= kMostFramed;
    // A quarter of a marker: closer ones cannot be told apart.
    const double cell = radius / 4;
    std::set<std::tuple<long, long, QRgb>> taken;
    for (const std::size_t i : paintOrder(marks.size())) {
        const ScatterMark& mark = marks[i];
        if (!isPlaced(mark))
            continue;
        const QPointF spot(area.x(mark.x), area.y(mark.y));
        if (!area.rect.adjusted(-1, -1, 1, 1).contains(spot))
            continue;
        if (taken.emplace(std::lround(spot.x() / cell), std::lround(spot.y() / cell), mark.style.color.rgb()).second) {
            MarkerStyle style = mark.style;
            style.color.setAlphaF(kScatterAlpha);
            drawMarker(canvas, spot, radius, style, framed);
        }
    }
}

void drawEmbeddingPanel(FigureCanvas& canvas, const QRectF& rect, const std::vector<ScatterMark>& marks)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    std::vector<ScatterMark> unplaced;
    for (const ScatterMark& mark : marks) {
        if (!isPlaced(mark)) {
            unplaced.push_back(mark);
            continue;
        }
        x0 = std::min(x0, mark.x);
        x1 = std::max(x1, mark.x);
        y0 = std::min(y0, mark.y);
        y1 = std::max(y1, mark.y);
    }
    if (!(x1 >= x0))
        x0 = y0 = 0, x1 = y1 = 1;
    const double pad = std::max({(x1 - x0) * 0.04, (y1 - y0) * 0.04, 1e-6 * (1 + std::abs(x1) + std::abs(y1))});
    x0 -= pad, x1 += pad, y0 -= pad, y1 += pad;
    // Units without a place stand along the upper border.
    const double border = unplaced.empty() ? 0 : canvas.lineHeight(kKeyText) + canvas.gap() / 2;
    const QRectF plot = rect.adjusted(0, border, 0, 0);
    AxisArea area;
    Ticks left = ticksOf(linearMarks(y0, y1, 5));
    // One measure on both axes, so that distances can be compared in every direction. The room of the labels depends on
    // the range and the range on the room: the second time they agree.
    for (int round = 0; round < 2; ++round) {
        area = {plotRect(canvas, plot, left), x0, x1, y0, y1};
        const double perPoint = std::max((x1 - x0) / area.rect.width(), (y1 - y0) / area.rect.height());
        const double growX = (perPoint * area.rect.width() - (x1 - x0)) / 2;
        const double growY = (perPoint * area.rect.height() - (y1 - y0)) / 2;
        area = {area.rect, x0 - growX, x1 + growX, y0 - growY, y1 + growY};
        left = ticksOf(linearMarks(area.yLow, area.yHigh, 5));
    }
    const Ticks bottom = ticksOf(linearMarks(area.xLow, area.xHigh, 6));
    drawHorizontalGrid(canvas, area, left);
    drawVerticalGrid(canvas, area, bottom);
    drawScatterMarks(canvas, area, marks);
    if (!unplaced.empty())
        drawUnplaced(canvas, {area.rect.left(), rect.top(), area.rect.width(), canvas.lineHeight(kKeyText)}, unplaced);
    drawBottomAxis(canvas, area, bottom, FigureText::tr("UMAP 1"));
    drawLeftAxis(canvas, area, left, FigureText::tr("UMAP 2"));
}

int ticksAlong(const FigureCanvas& canvas, double length)
{
    return std::clamp(static_cast<int>(length / (canvas.lineHeight(kKeyText) * 1.5)), 2, 8);
}

QRectF plotRect(const FigureCanvas& canvas, const QRectF& rect, const Ticks& left)
{
    const double half = canvas.lineHeight(kKeyText) / 2;
    return rect.adjusted(leftAxisWidth(canvas, left, true) + canvas.gap() / 2, half, -half,
                         -bottomAxisHeight(canvas, true));
}

std::string tablesCsv(const RunResults& results, Table (*table)(const AnalysisData&))
{
    const std::vector<QString> labels = runLabels(results);
    Table all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        Table each = table(figureAnalysis(*results[i]));
        // Columns follow the features that a run has; those of the first run with rows are kept.
        each.columns.insert(each.columns.begin(), {"run", ""});
        if (all.columns.empty())
            all.columns = each.columns;
        for (auto& row : each.rows) {
            row.insert(row.begin(), labels[i].toStdString());
            std::vector<TableCell> placed;
            for (const TableColumn& column : all.columns) {
                const auto found = std::find_if(each.columns.begin(), each.columns.end(),
                                                [&](const TableColumn& c) { return c.name == column.name; });
                if (found == each.columns.end())
                    placed.emplace_back(kNoNumber);
                else
                    placed.push_back(row[static_cast<std::size_t>(found - each.columns.begin())]);
            }
            all.rows.push_back(std::move(placed));
        }
    }
    return toCsv(all);
}

} // namespace peakscope
