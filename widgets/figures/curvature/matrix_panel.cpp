// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/curvature/matrix_panel.h"

#include "widgets/curvature/curvature_scales.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace peakscope {

namespace {

constexpr TextSize kSmall = TextSize::Small;
constexpr int kLevels = 31; // of colour on each side of zero: neighbours of one level are one rectangle

double matrixHeading(const FigureCanvas& canvas)
{
    return canvas.lineHeight() + canvas.gap();
}

// Names below the map, the bar, its numbers and its title.
double belowMap(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kSmall) * 3.2 + canvas.gap() * 3 + canvas.lineHeight();
}

std::vector<MatrixLabel> labelsAlong(const FigureCanvas& canvas, const CurvatureMatrix& matrix, double length,
                                     bool across)
{
    const auto size = static_cast<double>(matrix.size);
    return matrixLabels(matrix, 0, size, [&](const QString& text) {
        const double room = across ? canvas.width(text, {kSmall}) + canvas.gap() : canvas.lineHeight(kSmall);
        return room / length * size;
    });
}

double nameWidth(const FigureCanvas& canvas, const CurvatureMatrix& matrix, double length, double width)
{
    double widest = 0;
    for (const MatrixLabel& label : labelsAlong(canvas, matrix, length, false))
        widest = std::max(widest, canvas.width(label.text, {kSmall}));
    return std::min(widest, width * 0.35) + canvas.gap() * 1.5;
}

double mostSide(const FigureCanvas& canvas)
{
    return canvas.lineHeight() * 19;
}

QRectF mapArea(const FigureCanvas& canvas, const CurvatureMatrix& matrix, const QRectF& rect)
{
    const double room = std::max(rect.height() - matrixHeading(canvas) - belowMap(canvas), canvas.lineHeight());
    const double names = nameWidth(canvas, matrix, std::min(room, mostSide(canvas)), rect.width());
    const double side = std::min({room, mostSide(canvas), rect.width() - names - canvas.hairline()});
    return {rect.left() + names, rect.top() + matrixHeading(canvas), side, side};
}

// One colour after the other, so that a vector file changes it seldom.
void drawMatrixCells(FigureCanvas& canvas, const QRectF& area, const CurvatureMatrix& matrix, const MatrixScale& scale)
{
    std::map<int, std::vector<QRectF>> boxes;
    const auto place = [&](std::size_t cell) {
        return area.width() * static_cast<double>(matrix.edge(cell)) / static_cast<double>(matrix.size);
    };
    const auto levelAt = [&](std::size_t row, std::size_t column) {
        return static_cast<int>(std::lround(scale.shareOf(matrix.at(row, column)) * kLevels));
    };
    // A little wider than their place, so that no seam shows between two.
    const double seam = canvas.hairline() * 0.3;
    for (std::size_t row = 0; row < matrix.cells; ++row) {
        for (std::size_t begin = 0, end = 0; begin < matrix.cells; begin = end) {
            const int level = levelAt(row, begin);
            while (end < matrix.cells && levelAt(row, end) == level)
                ++end;
            const QRectF box(QPointF(area.left() + place(begin), area.top() + place(row)),
                             QPointF(std::min(area.left() + place(end) + seam, area.right()),
                                     std::min(area.top() + place(row + 1) + seam, area.bottom())));
            if (level != 0)
                boxes[level].push_back(box);
        }
    }
    const bool dark = canvas.colors().dark;
    canvas.rect(area, divergingColor(0, dark));
    for (const auto& [level, all] : boxes) {
        const QColor color = divergingColor(static_cast<double>(level) / kLevels, dark);
        for (const QRectF& box : all)
            canvas.rect(box, color);
    }
}

void drawMatrixBorders(FigureCanvas& canvas, const QRectF& area, const CurvatureMatrix& matrix)
{
    const double rows = static_cast<double>(matrix.size) / area.width(); // a point
    for (const MatrixBorder& border : matrixBorders(matrix, canvas.hairline() * 6 * rows)) {
        const double at = static_cast<double>(border.row) / rows;
        const QColor& color = border.layer ? canvas.colors().axis : canvas.colors().grid;
        canvas.line({area.left() + at, area.top()}, {area.left() + at, area.bottom()}, color, canvas.hairline());
        canvas.line({area.left(), area.top() + at}, {area.right(), area.top() + at}, color, canvas.hairline());
    }
    canvas.outline(area, canvas.colors().axis, canvas.hairline());
}

void drawMatrixNames(FigureCanvas& canvas, const QRectF& area, const CurvatureMatrix& matrix, double left)
{
    const auto size = static_cast<double>(matrix.size);
    for (const MatrixLabel& label : labelsAlong(canvas, matrix, area.height(), false))
        canvas.text({area.left() - canvas.gap(), area.top() + area.height() * label.middle() / size},
                    canvas.elided(label.text, area.left() - canvas.gap() * 1.2 - left, {kSmall}), Qt::AlignRight,
                    {kSmall});
    for (const MatrixLabel& label : labelsAlong(canvas, matrix, area.width(), true))
        canvas.text(
            {area.left() + area.width() * label.middle() / size, area.bottom() + canvas.lineHeight(kSmall) * 0.6},
            label.text, Qt::AlignHCenter, {kSmall});
}

QString cellMeaning(const CurvatureMatrix& matrix)
{
    switch (matrix.cell) {
    case CurvatureMatrix::Cell::Entry:
        return FigureText::tr("Entry (signed logarithmic scale)");
    case CurvatureMatrix::Cell::Extreme:
        return FigureText::tr("Largest entry of a cell (signed logarithmic scale)");
    case CurvatureMatrix::Cell::RootMeanSquare:
        break;
    }
    return FigureText::tr("Root mean square of a cell (logarithmic scale)");
}

void drawMatrixBar(FigureCanvas& canvas, const QRectF& rect, const MatrixScale& scale)
{
    const double height = canvas.lineHeight(kSmall) * 0.6, piece = rect.width() / (2 * kLevels + 1);
    for (int level = -kLevels; level <= kLevels; ++level)
        canvas.rect(QRectF(rect.left() + (level + kLevels) * piece, rect.top(),
                           piece + (level < kLevels ? canvas.hairline() : 0), height),
                    divergingColor(static_cast<double>(level) / kLevels, canvas.colors().dark));
    canvas.outline(QRectF(rect.left(), rect.top(), rect.width(), height), canvas.colors().axis, canvas.hairline());
    const double y = rect.top() + height + canvas.lineHeight(kSmall) * 0.65;
    canvas.text({rect.center().x(), y}, QStringLiteral("0"), Qt::AlignHCenter, {kSmall});
    if (scale.most > 0) {
        canvas.text({rect.left(), y}, realText(-scale.most, 2), Qt::AlignLeft, {kSmall});
        canvas.text({rect.right(), y}, realText(scale.most, 2), Qt::AlignRight, {kSmall});
    }
}

} // namespace

double matrixPanelHeight(const FigureCanvas& canvas, const CurvatureMatrix& matrix, double width)
{
    const double names = nameWidth(canvas, matrix, mostSide(canvas), width);
    return matrixHeading(canvas) + std::min(mostSide(canvas), width - names) + belowMap(canvas);
}

QString matrixPanelTitle()
{
    return FigureText::tr("All of the Hessian");
}

void drawMatrixPanel(FigureCanvas& canvas, const QRectF& rect, const CurvatureMatrix& matrix, const QString& mark)
{
    drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), mark + matrixPanelTitle(),
                {});
    const MatrixScale scale = matrixScale(matrix, true);
    const QRectF area = mapArea(canvas, matrix, rect);
    drawMatrixCells(canvas, area, matrix, scale);
    drawMatrixBorders(canvas, area, matrix);
    drawMatrixNames(canvas, area, matrix, rect.left());
    const double top = area.bottom() + canvas.lineHeight(kSmall) * 1.2 + canvas.gap();
    drawMatrixBar(canvas, QRectF(area.left(), top, area.width(), 0), scale);
    const double y = top + canvas.lineHeight(kSmall) * 1.9 + canvas.lineHeight() / 2;
    const QString meaning = canvas.elided(cellMeaning(matrix), rect.width());
    const double half = canvas.width(meaning) / 2;
    canvas.text(
        {std::clamp(area.center().x(), rect.left() + half, std::max(rect.left() + half, rect.right() - half)), y},
        meaning, Qt::AlignHCenter);
}

} // namespace peakscope
