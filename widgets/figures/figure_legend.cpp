// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figure_legend.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr TextSize kSize = TextSize::Small;

double swatchWidth(const FigureCanvas& canvas)
{
    return canvas.fontPt(kSize) * 1.6;
}

struct Grid {
    int columns = 1;
    int rows = 0;
    double columnWidth = 0;
};

Grid gridFor(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width)
{
    Grid grid;
    if (entries.empty())
        return grid;
    double widest = 0;
    for (const LegendEntry& entry : entries)
        widest = std::max(widest, canvas.width(entry.text, {kSize}));
    const double between = canvas.gap() * 3;
    const double cell = swatchWidth(canvas) + canvas.gap() + widest + between;
    const int count = static_cast<int>(entries.size());
    const int most = std::clamp(static_cast<int>((width + between) / cell), 1, count);
    grid.rows = (count + most - 1) / most;
    grid.columns = (count + grid.rows - 1) / grid.rows; // as even as the rows allow
    grid.columnWidth = std::min(cell, width + between);
    return grid;
}

double badgeWidth(const FigureCanvas& canvas, const QString& badge)
{
    return canvas.width(badge, {kSize, true}) + canvas.gap() * 3;
}

} // namespace

double legendHeight(const FigureCanvas& canvas, const std::vector<LegendEntry>& entries, double width)
{
    return gridFor(canvas, entries, width).rows * canvas.lineHeight(kSize);
}

void drawLegend(FigureCanvas& canvas, const QRectF& rect, const std::vector<LegendEntry>& entries)
{
    const Grid grid = gridFor(canvas, entries, rect.width());
    const double pitch = canvas.lineHeight(kSize);
    const double used = grid.columns * grid.columnWidth - canvas.gap() * 3;
    const double left = rect.left() + std::max(0.0, (rect.width() - used) / 2);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const LegendEntry& entry = entries[i];
        const int row = static_cast<int>(i) / grid.columns;
        const int column = static_cast<int>(i) % grid.columns;
        const double x = left + column * grid.columnWidth;
        const double y = rect.top() + (row + 0.5) * pitch;
        const QRectF box(x, y - pitch * 0.33, swatchWidth(canvas), pitch * 0.66);
        if (entry.fill) {
            canvas.area(box, *entry.fill);
            canvas.outline(box, canvas.colors().axis, canvas.hairline());
        } else if (entry.dash) {
            canvas.line({box.left(), y}, {box.right(), y}, entry.lineColor, canvas.hairline() * 2, *entry.dash);
        }
        const double room = rect.right() - box.right() - canvas.gap();
        canvas.text({box.right() + canvas.gap(), y}, canvas.elided(entry.text, room, {kSize}), Qt::AlignLeft, {kSize});
    }
}

void drawHeading(FigureCanvas& canvas, const QRectF& line, const QString& text, const QStringList& badges,
                 TextSize size)
{
    const QColor fill = canvas.colors().dark ? QColor(0x4a, 0x2c, 0x1c) : QColor(0xff, 0xf0, 0xe6);
    double right = line.right() - canvas.hairline();
    for (auto badge = badges.crbegin(); badge != badges.crend(); ++badge) {
        const double width = badgeWidth(canvas, *badge);
        const double height = canvas.lineHeight(kSize) * 0.96;
        const QRectF box(right - width, line.center().y() - height / 2, width, height);
        canvas.roundedBox(box, fill, canvas.colors().warning);
        canvas.text(box.center(), *badge, Qt::AlignHCenter, {kSize, true, false, canvas.colors().warning});
        right = box.left() - canvas.gap();
    }
    const TextStyle style{size, true};
    canvas.text({line.left(), line.center().y()}, canvas.elided(text, right - line.left() - canvas.gap(), style),
                Qt::AlignLeft, style);
}

} // namespace peakscope
