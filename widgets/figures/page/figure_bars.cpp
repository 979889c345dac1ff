// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_bars.h"

#include "widgets/figures/page/figure_legend.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr TextSize kBarText = TextSize::Small;
// Bars squeezed below this share of their height have no room for a label each.
constexpr double kLabelledShare = 0.9;

double barPitch(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kBarText);
}

double rowHeight(const FigureCanvas& canvas, const BarPanel& panel, const FigureBarRow& row)
{
    const double name = panel.namesAbove ? canvas.lineHeight(kBarText) : 0;
    const double bars = static_cast<double>(std::max<std::size_t>(row.bars.size(), 1)) * barPitch(canvas);
    return name + bars + canvas.gap() * 1.2;
}

double rowsHeight(const FigureCanvas& canvas, const BarPanel& panel)
{
    double height = 0;
    for (const FigureBarRow& row : panel.rows)
        height += rowHeight(canvas, panel, row);
    return height;
}

double titleHeight(const FigureCanvas& canvas, const BarPanel& panel)
{
    return panel.title.isEmpty() ? 0 : canvas.lineHeight() + canvas.gap();
}

double positive(const FigureBar& bar)
{
    double sum = 0;
    for (const BarPart& part : bar.parts)
        sum += std::max(part.value, 0.0);
    return sum;
}

double negative(const FigureBar& bar)
{
    double sum = 0;
    for (const BarPart& part : bar.parts)
        sum += std::min(part.value, 0.0);
    return sum;
}

double nameWidth(const FigureCanvas& canvas, const QRectF& rect, const BarPanel& panel)
{
    if (panel.namesAbove)
        return 0;
    double width = 0;
    for (const FigureBarRow& row : panel.rows)
        width = std::max(width, canvas.width(row.name, {kBarText}));
    return std::min(width, rect.width() * 0.42) + canvas.gap() * 1.5;
}

// The range of values in which every label fits between its bar's end and the right edge.
AxisArea areaFor(const FigureCanvas& canvas, const QRectF& rect, const BarPanel& panel)
{
    AxisArea area;
    area.rect = rect;
    double low = 0;
    double high = panel.least;
    for (const FigureBarRow& row : panel.rows) {
        for (const FigureBar& bar : row.bars) {
            low = std::min(low, negative(bar));
            high = std::max(high, positive(bar));
        }
    }
    double needed = high;
    for (const FigureBarRow& row : panel.rows) {
        for (const FigureBar& bar : row.bars) {
            const double label = canvas.width(bar.label, {kBarText}) + canvas.gap() * 1.5;
            const double share = std::clamp(1 - label / rect.width(), 0.1, 1.0);
            needed = std::max(needed, low + (positive(bar) - low) / share);
        }
    }
    area.xLow = low;
    area.xHigh = needed > low ? needed : low + panel.unit.scale;
    return area;
}

void drawBar(FigureCanvas& canvas, const AxisArea& area, const QRectF& slot, const FigureBar& bar, bool labelled)
{
    double right = 0;
    double left = 0;
    for (const BarPart& part : bar.parts) {
        double& end = part.value < 0 ? left : right;
        const double from = area.x(end);
        end += part.value;
        const QRectF box = QRectF(QPointF(from, slot.top()), QPointF(area.x(end), slot.bottom())).normalized();
        if (!bar.predicted)
            canvas.area(box, part.fill);
    }
    const QRectF whole(QPointF(area.x(left), slot.top()), QPointF(area.x(right), slot.bottom()));
    if (bar.predicted) {
        const QPolygonF edge{whole.topLeft(), whole.topRight(), whole.bottomRight(), whole.bottomLeft(),
                             whole.topLeft()};
        canvas.polyline(edge, canvas.colors().muted, canvas.hairline() * 1.5, Dash::Dashed);
    } else if (whole.width() > 0) {
        canvas.outline(whole, canvas.colors().axis, canvas.hairline());
    }
    canvas.line({area.x(0), slot.top() - canvas.gap() / 2}, {area.x(0), slot.bottom() + canvas.gap() / 2},
                canvas.colors().axis, canvas.hairline());
    if (!labelled)
        return;
    const TextStyle style{kBarText, false, bar.predicted};
    canvas.text({whole.right() + canvas.gap(), slot.center().y()}, bar.label, Qt::AlignLeft, style);
}

void drawName(FigureCanvas& canvas, const QRectF& rect, const AxisArea& area, const BarPanel& panel,
              const FigureBarRow& row, const QRectF& bars)
{
    if (panel.namesAbove) {
        const double height = canvas.lineHeight(kBarText);
        drawHeading(canvas, QRectF(area.rect.left(), bars.top() - height, rect.right() - area.rect.left(), height),
                    row.name, row.badges, kBarText);
        return;
    }
    const double right = area.rect.left() - canvas.gap();
    canvas.text({right, bars.center().y()}, canvas.elided(row.name, right - rect.left(), {kBarText}), Qt::AlignRight,
                {kBarText});
}

void drawRows(FigureCanvas& canvas, const QRectF& rect, const AxisArea& area, const BarPanel& panel, bool labelled)
{
    const double stretch = area.rect.height() / rowsHeight(canvas, panel);
    // A few bars may grow to fill a tall panel; many stay slim.
    std::size_t bars = 0;
    for (const FigureBarRow& row : panel.rows)
        bars += row.bars.size();
    const double thickest = std::clamp(8.0 / static_cast<double>(std::max<std::size_t>(bars, 1)), 1.6, 4.0);
    const double pitch = barPitch(canvas) * std::min(stretch, thickest);
    const double name = panel.namesAbove ? canvas.lineHeight(kBarText) : 0;
    double y = area.rect.top();
    for (const FigureBarRow& row : panel.rows) {
        const double height = rowHeight(canvas, panel, row) * stretch;
        const double thickness = static_cast<double>(row.bars.size()) * pitch;
        const QRectF slot(area.rect.left(), y + (height - thickness - name) / 2 + name, area.rect.width(), thickness);
        drawName(canvas, rect, area, panel, row, slot);
        double top = slot.top();
        for (const FigureBar& bar : row.bars) {
            drawBar(canvas, area, QRectF(slot.left(), top + pitch * 0.09, slot.width(), pitch * 0.82), bar, labelled);
            top += pitch;
        }
        y += height;
    }
}

} // namespace

double barPanelHeight(const FigureCanvas& canvas, const BarPanel& panel)
{
    const double rows = rowsHeight(canvas, panel);
    return titleHeight(canvas, panel) + rows + bottomAxisHeight(canvas, true);
}

void drawBarPanel(FigureCanvas& canvas, const QRectF& rect, const BarPanel& panel)
{
    const double title = titleHeight(canvas, panel);
    const double plotHeight = rect.height() - title - bottomAxisHeight(canvas, true);
    const bool labelled = panel.compactTitle.isEmpty() || plotHeight > rowsHeight(canvas, panel) * kLabelledShare;
    if (title > 0) {
        drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()),
                    labelled ? panel.title : panel.compactTitle, {});
    }
    if (panel.rows.empty())
        return;
    const double names = nameWidth(canvas, rect, panel);
    // The last tick's label reaches beyond the area by half its width.
    const double margin = canvas.width(QStringLiteral("0000"), {kBarText}) / 2;
    const double left = panel.namesAbove ? margin * 0.6 : names;
    const QRectF plot(rect.left() + left, rect.top() + title, rect.width() - left - margin, plotHeight);
    const AxisArea area = areaFor(canvas, plot, panel);
    const int count = std::max(2, static_cast<int>(plot.width() / (canvas.fontPt(kBarText) * 3.4)));
    const Ticks ticks =
        panel.ticks ? panel.ticks(area.xLow, area.xHigh, count) : roundTicks(area.xLow, area.xHigh, count, panel.unit);
    if (!panel.namesAbove) // the lines would run through the names
        drawVerticalGrid(canvas, area, ticks);
    drawRows(canvas, rect, area, panel, labelled);
    drawBottomAxis(canvas, area, ticks, panel.axisTitle);
    if (!panel.namesAbove)
        canvas.line({area.x(0), plot.top()}, {area.x(0), plot.bottom()}, canvas.colors().axis, canvas.hairline());
}

} // namespace peakscope
