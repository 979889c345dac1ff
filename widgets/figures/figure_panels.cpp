// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figure_panels.h"

#include "widgets/figures/figure_legend.h"
#include "widgets/figures/figure_text.h"

#include <algorithm>

namespace peakscope {

namespace {

double columnGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 6;
}

double rowGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 4;
}

double headingHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight() + canvas.gap();
}

double blockGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 5;
}

std::vector<double> rowHeights(const std::vector<Panel>& panels, int columns)
{
    std::vector<double> rows;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        if (i % static_cast<std::size_t>(columns) == 0)
            rows.push_back(0);
        rows.back() = std::max(rows.back(), panels[i].height);
    }
    return rows;
}

} // namespace

int panelColumns(const FigureCanvas& canvas, double width)
{
    return width >= canvas.preset().fontPt * 42 ? 2 : 1;
}

double panelWidth(const FigureCanvas& canvas, double width, int columns)
{
    return (width - (columns - 1) * columnGap(canvas)) / columns;
}

double panelsHeight(const FigureCanvas& canvas, const std::vector<Panel>& panels, int columns)
{
    double height = 0;
    for (const double row : rowHeights(panels, columns))
        height += row + rowGap(canvas);
    return std::max(0.0, height - rowGap(canvas));
}

void drawPanels(const FigureCanvas& canvas, const QRectF& rect, const std::vector<Panel>& panels, int columns)
{
    const std::vector<double> rows = rowHeights(panels, columns);
    double needed = 0;
    for (const double row : rows)
        needed += row;
    const double gaps = rowGap(canvas) * static_cast<double>(rows.empty() ? 0 : rows.size() - 1);
    const double stretch = needed > 0 ? (rect.height() - gaps) / needed : 1;
    const double width = panelWidth(canvas, rect.width(), columns);
    double y = rect.top();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const std::size_t column = i % static_cast<std::size_t>(columns);
        const double height = rows[i / static_cast<std::size_t>(columns)] * stretch;
        const double x = rect.left() + static_cast<double>(column) * (width + columnGap(canvas));
        panels[i].draw(QRectF(x, y, width, height));
        if (column + 1 == static_cast<std::size_t>(columns))
            y += height + rowGap(canvas);
    }
}

QString panelTitle(std::size_t index, const QString& title)
{
    return QStringLiteral("(%1) %2").arg(QChar(static_cast<char16_t>(u'a' + index)), title);
}

double blocksHeight(const FigureCanvas& canvas, const RunResults& results, double width, const BlockHeight& height)
{
    if (results.size() == 1)
        return height(*results.front(), width);
    double sum = 0;
    for (const auto& run : results)
        sum += height(*run, width) + headingHeight(canvas) + blockGap(canvas);
    return sum - blockGap(canvas);
}

void drawBlocks(FigureCanvas& canvas, const QRectF& body, const RunResults& results, const BlockHeight& height,
                const DrawBlock& draw)
{
    if (results.size() == 1) {
        draw(body, *results.front());
        return;
    }
    const std::vector<QString> labels = runLabels(results);
    const bool all = !canvas.preset().fixedHeight;
    const double needed = blocksHeight(canvas, results, body.width(), height);
    const double spare = all ? (body.height() - needed) / static_cast<double>(results.size()) : 0;
    double y = body.top();
    for (std::size_t i = 0; i < (all ? results.size() : 1); ++i) {
        const QString text =
            all ? labels[i] : FigureText::tr("%1 (first of %2 runs)").arg(labels[i], QString::number(results.size()));
        drawHeading(canvas, QRectF(body.left(), y, body.width(), canvas.lineHeight()), text, runBadges(*results[i]));
        y += headingHeight(canvas);
        const double block = all ? height(*results[i], body.width()) + spare : body.bottom() - y;
        draw(QRectF(body.left(), y, body.width(), block), *results[i]);
        y += block + blockGap(canvas);
    }
}

} // namespace peakscope
