// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_legend.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr TextSize kLegendText = TextSize::Small;

double swatchWidth(const FigureCanvas& canvas)
{
    return canvas.fontPt(kLegendText) * 1.6;
}

struct Grid {
    int rows = 0;
    std::vector<double> widths; // of the columns, the space to the next one included
    double total = 0;
};

double entryWidth(const FigureCanvas& canvas, const LegendEntry& entry)
{
    return swatchWidth(canvas) + canvas.gap() + canvas.width(entry.text, {kLegendText});
}

Grid gridOf(const std::vector<double>& entries, std::size_t columns, double between)
{
    Grid grid;
    grid.rows = static_cast<int>((entries.size() + columns - 1) / columns);
    grid.widths.resize(columns);
    for (std::size_t i = 0; i < entries.size(); ++i)
        grid.widths[i % columns] = std::max(grid.widths[i % columns], entries[i] + between);
    for (const double width : grid.widths)
        grid.total += width;
    grid.total -= between;
    return grid;
}

// The fewest rows that fit, with columns as even as the rows allow.
Grid gridFor(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width)
{
    if (entries.empty())
        return {};
    std::vector<double> widths;
    for (const LegendEntry& entry : entries)
        widths.push_back(entryWidth(canvas, entry));
    const double between = canvas.gap() * 3;
    for (std::size_t columns = entries.size(); columns > 1; --columns) {
        const std::size_t rows = (entries.size() + columns - 1) / columns;
        const std::size_t even = (entries.size() + rows - 1) / rows;
        const Grid grid = gridOf(widths, even, between);
        if (grid.total <= width)
            return grid;
    }
    return gridOf(widths, 1, between);
}

double badgeWidth(const FigureCanvas& canvas, const QString& badge)
{
    return canvas.width(badge, {kLegendText, true}) + canvas.gap() * 3;
}

} // namespace

double legendHeight(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width)
{
    return gridFor(canvas, entries, width).rows * canvas.lineHeight(kLegendText);
}

double legendTextRoom(const FigureCanvas& canvas, double width)
{
    return width - swatchWidth(canvas) - canvas.gap();
}

void drawLegend(FigureCanvas& canvas, const QRectF& rect, const std::vector<LegendEntry>& entries)
{
    const Grid grid = gridFor(canvas, entries, rect.width());
    const double pitch = canvas.lineHeight(kLegendText);
    const double left = rect.left() + std::max(0.0, (rect.width() - grid.total) / 2);
    double x = left;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const LegendEntry& entry = entries[i];
        const std::size_t column = i % grid.widths.size();
        x = column == 0 ? left : x + grid.widths[column - 1];
        const double y = rect.top() + (static_cast<double>(i / grid.widths.size()) + 0.5) * pitch;
        const QRectF box(x, y - pitch * 0.33, swatchWidth(canvas), pitch * 0.66);
        drawLegendSign(canvas, box, entry);
        const double room = rect.right() - box.right() - canvas.gap();
        canvas.text({box.right() + canvas.gap(), y}, canvas.elided(entry.text, room, {kLegendText}), Qt::AlignLeft,
                    {kLegendText});
    }
}

void drawHeading(FigureCanvas& canvas, const QRectF& line, const QString& text, const QStringList& badges,
                 TextSize size)
{
    const QColor fill = canvas.colors().dark ? QColor(0x4a, 0x2c, 0x1c) : QColor(0xff, 0xf0, 0xe6);
    double right = line.right() - canvas.hairline();
    for (auto badge = badges.crbegin(); badge != badges.crend(); ++badge) {
        const double width = badgeWidth(canvas, *badge);
        const double height = canvas.lineHeight(kLegendText) * 0.96;
        const QRectF box(right - width, line.center().y() - height / 2, width, height);
        canvas.roundedBox(box, fill, canvas.colors().warning);
        canvas.text(box.center(), *badge, Qt::AlignHCenter, {kLegendText, true, false, canvas.colors().warning});
        right = box.left() - canvas.gap();
    }
    const TextStyle style{size, true};
    canvas.text({line.left(), line.center().y()}, canvas.elided(text, right - line.left() - canvas.gap(), style),
                Qt::AlignLeft, style);
}

} // namespace peakscope
