// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_histogram: entries of the diagonal by module kind on a signed logarithmic axis, with the share of exact zeros
// in words, and their mean magnitude by layer and module kind.
#include "core/results/tables.h"
#include "widgets/curvature/curvature_scales.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace hessian_histogram_figure {
namespace {

constexpr TextSize kSmall = TextSize::Small;

// Everything of one run that is drawn.
struct Content {
    QString name; // of the diagonal
    CurvatureHistogram histogram;
    CurvatureLayerMap map;

    bool hasMap() const { return map.layers.size() > 1; }
};

// The first diagonal whose entries are listed; null where there is none.
const CurvatureDiagonal* diagonalOf(const RunResult& run)
{
    if (!run.curvature)
        return nullptr;
    const std::vector<CurvatureDiagonal>& all = run.curvature->diagonals;
    const auto listed =
        std::find_if(all.begin(), all.end(), [](const CurvatureDiagonal& each) { return !each.value.empty(); });
    return listed == all.end() ? nullptr : &*listed;
}

Content contentOf(const RunResult& run)
{
    const CurvatureDiagonal* diagonal = diagonalOf(run);
    if (!diagonal)
        return {};
    return {diagonalTitle(diagonal->name), curvatureHistogram(*diagonal, false, kCurvatureBins),
            curvatureLayerMap(*diagonal, true)};
}

Status checkRun(const RunResult& run)
{
    if (diagonalOf(run))
        return Done{};
    if (run.curvature && !run.curvature->diagonals.empty())
        return failed({}, "its diagonal has too many entries to be listed in the result; choose a sample of them");
    return failed({}, "it holds no diagonal; compute the curvature quantity diagonal");
}

QString percent(std::int64_t part, std::int64_t whole)
{
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
    return QLocale().toString(share, 'f', part == 0 ? 0 : share < 1 ? 2 : share < 10 ? 1 : 0);
}

double headingHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight() + canvas.gap();
}

QString histogramTitle(const Content& content)
{
    return FigureText::tr("%1: diagonal entries by module kind").arg(content.name);
}

QString mapTitle()
{
    return FigureText::tr("Mean magnitude by layer");
}

double histogramRow(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kSmall) * 3.2;
}

double histogramHeight(const FigureCanvas& canvas, const Content& content)
{
    return headingHeight(canvas) + static_cast<double>(content.histogram.kinds.size()) * histogramRow(canvas) +
           bottomAxisHeight(canvas, true);
}

double kindLabelWidth(const FigureCanvas& canvas, const std::vector<std::size_t>& kinds)
{
    double width = 0;
    for (const std::size_t kind : kinds)
        width = std::max(width, canvas.width(curvatureKindTitle(kind), {kSmall}));
    return width + canvas.gap() * 1.5;
}

void drawKind(FigureCanvas& canvas, const AxisArea& area, const QRectF& row, const CurvatureHistogram& histogram,
              const CurvatureHistogram::Kind& kind)
{
    const double words = canvas.lineHeight(kSmall);
    // One outline, so that no seams show between bars.
    QPolygonF outline{QPointF(area.x(histogram.edges.front()), row.bottom())};
    for (std::size_t bin = 0; bin < kind.share.size(); ++bin) {
        double height = 0;
        if (kind.share[bin] > 0)
            height = std::max(canvas.hairline(), kind.share[bin] / kind.most * (row.height() - words));
        outline << QPointF(area.x(histogram.edges[bin]), row.bottom() - height)
                << QPointF(area.x(histogram.edges[bin + 1]), row.bottom() - height);
    }
    outline << QPointF(area.x(histogram.edges.back()), row.bottom());
    canvas.polygon(outline, curvatureKindColor(kind.kind));
    // Beside the words, not through them.
    canvas.line({area.x(0), row.top() + words}, {area.x(0), row.bottom()}, canvas.colors().axis, canvas.hairline());
    canvas.line(row.bottomLeft(), row.bottomRight(), canvas.colors().axis, canvas.hairline());
    const QString text = FigureText::tr("n = %1, %2 % zero, %3 % negative")
                             .arg(QLocale().toString(static_cast<qlonglong>(kind.count)),
                                  percent(kind.zeros, kind.count), percent(kind.negative, kind.count));
    canvas.text({row.left() + canvas.gap(), row.top() + words / 2},
                canvas.elided(text, row.width() - canvas.gap() * 2, {kSmall}), Qt::AlignLeft, {kSmall, false, true});
}

void drawHistogram(FigureCanvas& canvas, const QRectF& rect, const Content& content, const QString& mark)
{
    const CurvatureHistogram& histogram = content.histogram;
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()),
                mark + histogramTitle(content), {});
    std::vector<std::size_t> kinds;
    for (const CurvatureHistogram::Kind& kind : histogram.kinds)
        kinds.push_back(kind.kind);
    AxisArea area;
    const double left = rect.left() + kindLabelWidth(canvas, kinds);
    const double margin = canvas.width(QStringLiteral("000"), {kSmall}) / 2;
    area.rect = QRectF(left, rect.top() + headingHeight(canvas), rect.right() - left - margin,
                       rect.height() - headingHeight(canvas) - bottomAxisHeight(canvas, true));
    area.xLow = histogram.edges.front();
    area.xHigh = histogram.edges.back();
    const int most = std::max(3, static_cast<int>(area.rect.width() / (canvas.fontPt(kSmall) * 3.6)));
    const Ticks ticks = ticksOf(valueMarks(histogram.scale, area.xLow, area.xHigh, most));
    const double height = area.rect.height() / static_cast<double>(histogram.kinds.size());
    for (std::size_t i = 0; i < histogram.kinds.size(); ++i) {
        const QRectF row(left, area.rect.top() + static_cast<double>(i) * height, area.rect.width(), height);
        AxisArea own = area;
        own.rect = row.adjusted(0, canvas.lineHeight(kSmall), 0, 0);
        drawVerticalGrid(canvas, own, ticks);
        drawKind(canvas, area, row, histogram, histogram.kinds[i]);
        canvas.text({left - canvas.gap(), row.center().y()}, curvatureKindTitle(histogram.kinds[i].kind),
                    Qt::AlignRight, {kSmall});
    }
    drawBottomAxis(canvas, area, ticks, scaleTitles(FigureText::tr("Diagonal entry"), histogram.scale));
}

double colorBarHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kSmall) * 2 + canvas.gap() * 2 + canvas.lineHeight();
}

double mapHeight(const FigureCanvas& canvas, const Content& content)
{
    // Many layers share the height of a few rather than make the page long.
    const double rows = std::min<double>(static_cast<double>(content.map.layers.size()), 16);
    return headingHeight(canvas) + rows * canvas.lineHeight(kSmall) * 1.25 + colorBarHeight(canvas) +
           canvas.lineHeight(kSmall);
}

// The scale of the colours: least and largest value at its ends.
void drawColorBar(FigureCanvas& canvas, const QRectF& rect, const CurvatureLayerMap& map)
{
    constexpr int kPieces = 48;
    const double height = canvas.lineHeight(kSmall) * 0.6;
    for (int i = 0; i < kPieces; ++i) {
        const double share = (i + 0.5) / kPieces;
        const double left = rect.left() + rect.width() * i / kPieces;
        // A little wider than its place, so that no seam shows between two.
        const double width = rect.width() / kPieces + (i + 1 < kPieces ? canvas.hairline() : 0);
        canvas.rect(QRectF(left, rect.top(), width, height), viridis(share));
    }
    canvas.outline(QRectF(rect.left(), rect.top(), rect.width(), height), canvas.colors().axis, canvas.hairline());
    const double y = rect.top() + height + canvas.lineHeight(kSmall) * 0.65;
    canvas.text({rect.left(), y}, realText(map.least, 2), Qt::AlignLeft, {kSmall});
    if (map.most > map.least)
        canvas.text({rect.right(), y}, realText(map.most, 2), Qt::AlignRight, {kSmall});
    canvas.text({rect.center().x(), y + canvas.lineHeight(kSmall) * 0.6 + canvas.lineHeight() / 2},
                FigureText::tr("Mean magnitude (logarithmic scale)"), Qt::AlignHCenter);
}

void drawCell(FigureCanvas& canvas, const QRectF& cell, const CurvatureLayerMap& map, double value)
{
    if (!std::isfinite(value)) {
        canvas.area(cell, {canvas.colors().background, Hatch::Rising, canvas.colors().grid});
        return;
    }
    const QColor fill = map.colorOf(value, canvas.colors().dark);
    canvas.rect(cell, fill);
    const QString text = realText(value, 2);
    if (cell.height() >= canvas.lineHeight(kSmall) && canvas.width(text, {kSmall}) < cell.width() - canvas.gap())
        canvas.text(cell.center(), text, Qt::AlignHCenter, {kSmall, false, false, readableOn(fill)});
}

void drawMap(FigureCanvas& canvas, const QRectF& rect, const Content& content, const QString& mark)
{
    const CurvatureLayerMap& map = content.map;
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), mark + mapTitle(), {});
    double labels = 0;
    for (const std::int64_t layer : map.layers)
        labels = std::max(labels, canvas.width(layerTitle(layer), {kSmall}));
    const double left = rect.left() + labels + canvas.gap() * 1.5;
    const QRectF area(left, rect.top() + headingHeight(canvas), rect.right() - left,
                      rect.height() - headingHeight(canvas) - colorBarHeight(canvas) - canvas.lineHeight(kSmall));
    const double width = area.width() / static_cast<double>(map.kinds.size());
    const double height = area.height() / static_cast<double>(map.layers.size());
    double free = -1e9;
    for (std::size_t l = 0; l < map.layers.size(); ++l) {
        const double y = area.top() + static_cast<double>(l) * height;
        for (std::size_t k = 0; k < map.kinds.size(); ++k)
            drawCell(canvas, QRectF(area.left() + static_cast<double>(k) * width, y, width, height), map,
                     map.value[map.cell(l, k)]);
        const QPointF anchor(left - canvas.gap(), y + height / 2);
        const QRectF box = canvas.textBox(anchor, layerTitle(map.layers[l]), Qt::AlignRight, {kSmall});
        // The last row, outside all layers, has its name before the one above it.
        const bool lastOutside = l + 2 == map.layers.size() && map.layers.back() < 0 && height < box.height();
        if (box.top() < free || lastOutside)
            continue;
        canvas.text(anchor, layerTitle(map.layers[l]), Qt::AlignRight, {kSmall});
        free = box.bottom();
    }
    canvas.outline(area, canvas.colors().axis, canvas.hairline());
    for (std::size_t k = 0; k < map.kinds.size(); ++k)
        canvas.text(
            {area.left() + (static_cast<double>(k) + 0.5) * width, area.bottom() + canvas.lineHeight(kSmall) * 0.6},
            canvas.elided(curvatureKindTitle(map.kinds[k]), width - canvas.gap(), {kSmall}), Qt::AlignHCenter,
            {kSmall});
    const double top = area.bottom() + canvas.lineHeight(kSmall) + canvas.gap() * 2;
    if (map.most > 0)
        drawColorBar(canvas, QRectF(area.left(), top, area.width(), 0), map);
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.7;
    const auto content = std::make_shared<const Content>(contentOf(run));
    FigureBlock block;
    block.panels.push_back({histogramTitle(*content),
                            [&canvas, content](double) { return histogramHeight(canvas, *content); },
                            [content](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                                drawHistogram(target, rect, *content, mark);
                            },
                            kLow});
    if (content->hasMap())
        block.panels.push_back({mapTitle(), [&canvas, content](double) { return mapHeight(canvas, *content); },
                                [content](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                                    drawMap(target, rect, *content, mark);
                                },
                                kLow});
    return block;
}

void addRows(Table& table, const std::string& label, const Content& content)
{
    const CurvatureHistogram& histogram = content.histogram;
    for (const CurvatureHistogram::Kind& kind : histogram.kinds) {
        const std::string title = curvatureKindTitle(kind.kind).toStdString();
        const auto count = static_cast<double>(kind.count);
        table.rows.push_back({label, std::string("zeros"), title, kNoNumber, 0.0, 0.0, kind.zeros,
                              static_cast<double>(kind.zeros) / count});
        for (std::size_t bin = 0; bin < kind.share.size(); ++bin)
            table.rows.push_back({label, std::string("bin"), title, kNoNumber,
                                  histogram.scale.value(histogram.edges[bin]),
                                  histogram.scale.value(histogram.edges[bin + 1]),
                                  static_cast<std::int64_t>(std::llround(kind.share[bin] * count)), kind.share[bin]});
    }
    for (std::size_t l = 0; l < content.map.layers.size(); ++l) {
        for (std::size_t k = 0; k < content.map.kinds.size(); ++k) {
            const std::size_t cell = content.map.cell(l, k);
            if (std::isfinite(content.map.value[cell]))
                table.rows.push_back({label, std::string("mean_magnitude"),
                                      curvatureKindTitle(content.map.kinds[k]).toStdString(),
                                      cellIf(content.map.layers[l] >= 0, content.map.layers[l]), kNoNumber, kNoNumber,
                                      content.map.entries[cell], content.map.value[cell]});
        }
    }
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table table;
    table.columns = {{"run", ""},  {"row", ""}, {"kind", ""},    {"layer", ""},
                     {"from", ""}, {"to", ""},  {"entries", ""}, {"value", ""}};
    for (std::size_t run = 0; run < results.size(); ++run)
        addRows(table, labels[run].toStdString(), contentOf(*results[run]));
    return toCsv(table);
}

} // namespace
} // namespace hessian_histogram_figure

constinit const FigureKind kHessianHistogramFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Hessian histogram"),
                                                   &hessian_histogram_figure::checkRun, &hessian_histogram_figure::csv,
                                                   &eachRun<&hessian_histogram_figure::blockOf>};

} // namespace peakscope
