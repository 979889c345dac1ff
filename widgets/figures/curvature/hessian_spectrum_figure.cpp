// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// hessian_spectrum: the density of the Hessian's eigenvalues on a logarithmic axis with the top ones as ticks, the top
// ones with their residuals, and the matrix itself where it was computed whole.
#include "widgets/curvature/curvature_scales.h"
#include "widgets/curvature/curvature_tables.h"
#include "widgets/figures/curvature/matrix_panel.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace hessian_spectrum_figure {
namespace {

constexpr TextSize kSmall = TextSize::Small;
constexpr std::size_t kMostRows = 12; // top eigenvalues that are listed

Status checkRun(const RunResult& run)
{
    const auto& data = run.curvature;
    if (!data || (!data->density && data->eigenvalues.empty() && !data->matrix))
        return failed({}, "it holds no spectrum; compute the curvature quantities density or eigenvalues");
    return Done{};
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const CurvatureData& data, const DensityFloor& floor)
{
    std::vector<LegendEntry> entries;
    entries.push_back({densityTitle(*data.density), {}, Dash::Solid, densityColor(canvas.colors().dark)});
    if (!data.eigenvalues.empty())
        entries.push_back({FigureText::tr("Top eigenvalues"), {}, Dash::Solid, canvas.colors().warning});
    if (floor.single > 0)
        entries.push_back({singleDensityTitle(), {}, Dash::Dashed, canvas.colors().muted});
    return entries;
}

void drawCurve(FigureCanvas& canvas, const AxisArea& area, const CurvatureDensity& density)
{
    // Clipped by hand: a vector file keeps what lies outside, too.
    QPolygonF curve;
    for (std::size_t i = 0; i < density.grid.size(); ++i) {
        const double height = density.value[i] > 0 ? std::log10(density.value[i]) : area.yLow;
        curve << QPointF(area.x(density.grid[i]), area.y(std::clamp(height, area.yLow, area.yHigh)));
    }
    QPolygonF under = curve;
    under << QPointF(curve.back().x(), area.rect.bottom()) << QPointF(curve.front().x(), area.rect.bottom());
    const QColor color = densityColor(canvas.colors().dark), paper = canvas.colors().background;
    const auto pale = [&](int a, int b) { return static_cast<int>(a + (b - a) * 0.2); };
    canvas.polygon(under, QColor(pale(paper.red(), color.red()), pale(paper.green(), color.green()),
                                 pale(paper.blue(), color.blue())));
    // Pieces at the floor are no data.
    QPolygonF piece;
    for (const QPointF& point : curve) {
        if (point.y() < area.rect.bottom() - 1e-6) {
            piece << point;
            continue;
        }
        if (piece.size() > 1)
            canvas.polyline(piece, color, canvas.hairline() * 2);
        piece.clear();
    }
    if (piece.size() > 1)
        canvas.polyline(piece, color, canvas.hairline() * 2);
}

void drawTicks(FigureCanvas& canvas, const AxisArea& area, const std::vector<CurvatureEigenvalue>& eigenvalues)
{
    const double length = canvas.fontPt(kSmall) * 1.6, half = canvas.fontPt(kSmall) * 0.28;
    const QColor color = canvas.colors().warning;
    for (const CurvatureEigenvalue& pair : eigenvalues) {
        const double x = area.x(pair.value), bottom = area.rect.bottom();
        canvas.line({x, bottom}, {x, bottom - length}, color, canvas.hairline() * 2);
        canvas.polygon(QPolygonF{QPointF(x - half, bottom - length - half * 1.6),
                                 QPointF(x + half, bottom - length - half * 1.6), QPointF(x, bottom - length)},
                       color);
    }
}

QString panelTitle()
{
    return FigureText::tr("Density of the spectrum");
}

double densityHeight(const FigureCanvas& canvas, const CurvatureData& data, double width)
{
    const DensityFloor floor = densityFloor(*data.density, data.parameters);
    return canvas.lineHeight() * 11 + bottomAxisHeight(canvas, true) +
           legendHeight(canvas, legendOf(canvas, data, floor), width) + canvas.gap();
}

void drawDensity(FigureCanvas& canvas, const QRectF& rect, const CurvatureData& data, const QString& mark)
{
    const CurvatureDensity& density = *data.density;
    const DensityFloor floor = densityFloor(density, data.parameters);
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), mark + panelTitle(), {});
    const std::vector<LegendEntry> entries = legendOf(canvas, data, floor);
    const double legend = legendHeight(canvas, entries, rect.width()) + canvas.gap();
    AxisArea area;
    area.yLow = std::log10(floor.floor);
    area.yHigh = std::log10(floor.peak) + 0.3;
    const EigenvalueRange range = eigenvalueRange(data);
    area.xLow = range.low;
    area.xHigh = range.high;
    const double top = rect.top() + canvas.lineHeight() + canvas.gap() * 2;
    const double bottom = rect.bottom() - legend - bottomAxisHeight(canvas, true);
    const int rows = std::clamp(static_cast<int>((bottom - top) / (canvas.lineHeight(kSmall) * 1.5)), 2, 8);
    const Ticks yTicks = ticksOf(logMarks(area.yLow, area.yHigh, rows));
    const double left = rect.left() + leftAxisWidth(canvas, yTicks, true);
    area.rect = QRectF(left, top, rect.right() - left - canvas.gap() * 2, bottom - top);
    const int columns = std::max(2, static_cast<int>(area.rect.width() / (canvas.fontPt(kSmall) * 4.5)));
    const Ticks xTicks = ticksOf(linearMarks(area.xLow, area.xHigh, columns));
    drawHorizontalGrid(canvas, area, yTicks);
    drawCurve(canvas, area, density);
    canvas.line({area.x(0), top}, {area.x(0), bottom}, canvas.colors().axis, canvas.hairline());
    if (floor.single > floor.floor)
        canvas.line({area.rect.left(), area.y(std::log10(floor.single))},
                    {area.rect.right(), area.y(std::log10(floor.single))}, canvas.colors().muted, canvas.hairline(),
                    Dash::Dashed);
    drawTicks(canvas, area, data.eigenvalues);
    drawBottomAxis(canvas, area, xTicks, FigureText::tr("Eigenvalue"));
    drawLeftAxis(canvas, area, yTicks, FigureText::tr("Density"));
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - legend + canvas.gap(), rect.width(), legend), entries);
}

BarPanel eigenvaluePanel(const CurvatureData& data)
{
    BarPanel panel;
    const std::size_t shown = std::min(data.eigenvalues.size(), kMostRows);
    panel.title = shown < data.eigenvalues.size()
                      ? FigureText::tr("Top %1 of %2 eigenvalues")
                            .arg(QString::number(shown), QString::number(data.eigenvalues.size()))
                      : FigureText::tr("Top eigenvalues ± residual");
    panel.axisTitle = FigureText::tr("Eigenvalue");
    const double largest = shown > 0 ? std::abs(data.eigenvalues.front().value) : 0;
    if (largest > 0 && (largest < 1e-2 || largest >= 1e5)) {
        const int exponent = static_cast<int>(std::floor(std::log10(largest)));
        panel.unit.scale = std::pow(10.0, exponent);
        panel.axisTitle = FigureText::tr("Eigenvalue (× %1)").arg(powerText(exponent));
    }
    for (std::size_t i = 0; i < shown; ++i) {
        const CurvatureEigenvalue& pair = data.eigenvalues[i];
        FigureBarRow row;
        row.name = QString::number(i + 1);
        QString label = realText(pair.value, 5);
        if (std::isfinite(pair.residual))
            label += QStringLiteral(" ± ") + realText(pair.residual, 2);
        const QColor color = pair.value < 0 ? QColor(0x00, 0x72, 0xb2) : QColor(0xd5, 0x5e, 0x00);
        row.bars.push_back({{{pair.value, {color}}}, label, false});
        panel.rows.push_back(std::move(row));
    }
    return panel;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    constexpr double kLow = 0.7;
    const std::shared_ptr<const CurvatureData> data = run.curvature;
    FigureBlock block;
    if (data->density)
        block.panels.push_back({panelTitle(),
                                [&canvas, data](double width) { return densityHeight(canvas, *data, width); },
                                [data](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                                    drawDensity(target, rect, *data, mark);
                                },
                                kLow});
    if (!data->eigenvalues.empty())
        addPanel(block.panels, canvas, eigenvaluePanel(*data));
    if (data->matrix)
        block.panels.push_back(
            {matrixPanelTitle(),
             [&canvas, data](double width) { return matrixPanelHeight(canvas, *data->matrix, width); },
             [data](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                 drawMatrixPanel(target, rect, *data->matrix, mark);
             },
             kLow});
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table table;
    table.columns = {{"run", ""},      {"kind", ""},       {"rank", ""},          {"eigenvalue", ""}, {"density", ""},
                     {"residual", ""}, {"row_tensor", ""}, {"column_tensor", ""}, {"frobenius", ""}};
    for (std::size_t run = 0; run < results.size(); ++run) {
        const CurvatureData& data = *results[run]->curvature;
        for (std::size_t i = 0; i < data.eigenvalues.size(); ++i)
            table.rows.push_back({labels[run].toStdString(), std::string("eigenvalue"),
                                  static_cast<std::int64_t>(i + 1), data.eigenvalues[i].value, kNoNumber,
                                  data.eigenvalues[i].residual, std::string(), std::string(), kNoNumber});
        for (std::size_t i = 0; data.density && i < data.density->grid.size(); ++i)
            table.rows.push_back({labels[run].toStdString(), std::string("density"), kNoNumber, data.density->grid[i],
                                  data.density->value[i], kNoNumber, std::string(), std::string(), kNoNumber});
        for (const auto& pair : curvatureMatrixTable(data.matrix.get()).rows)
            table.rows.push_back({labels[run].toStdString(), std::string("block_norm"), kNoNumber, kNoNumber, kNoNumber,
                                  kNoNumber, pair[0], pair[1], pair[4]});
    }
    return toCsv(table);
}

} // namespace
} // namespace hessian_spectrum_figure

constinit const FigureKind kHessianSpectrumFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Hessian spectrum"),
                                                  &hessian_spectrum_figure::checkRun, &hessian_spectrum_figure::csv,
                                                  &eachRun<&hessian_spectrum_figure::blockOf>};

} // namespace peakscope
