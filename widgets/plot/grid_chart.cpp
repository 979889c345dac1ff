// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/grid_chart.h"

#include <QCoreApplication>

#include <algorithm>

namespace peakscope {

GridAxis GridAxis::even(std::size_t cells, const std::function<QString(std::size_t)>& label)
{
    std::vector<double> edges;
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; cells > 0 && i <= cells; ++i)
        edges.push_back(static_cast<double>(i));
    for (std::size_t i = 0; label && i < cells; ++i)
        marks.push_back({static_cast<double>(i) + 0.5, label(i)});
    return {std::move(edges), std::move(marks)};
}

std::optional<std::size_t> GridAxis::indexAt(double coordinate) const
{
    if (m_edges.empty() || coordinate < m_edges.front() || coordinate >= m_edges.back())
        return std::nullopt;
    const auto after = std::upper_bound(m_edges.begin(), m_edges.end(), coordinate);
    return static_cast<std::size_t>(after - m_edges.begin()) - 1;
}

void GridChart::setAxes(GridAxis columns, GridAxis rows)
{
    m_columns = std::move(columns);
    m_rows = std::move(rows);
}

std::optional<GridPlace> GridChart::cellAt(std::optional<QPointF> place) const
{
    const auto column = place ? m_columns.indexAt(place->x()) : std::nullopt;
    const auto row = place ? m_rows.indexAt(place->y()) : std::nullopt;
    return column && row ? std::optional(GridPlace{*column, *row}) : std::nullopt;
}

AxisArea GridChart::range() const
{
    return {{}, m_columns.first(), m_columns.last(), m_rows.first(), m_rows.last()};
}

QRectF GridChart::boxOf(const ChartCanvas& canvas, const AxisArea& area, GridPlace cell) const
{
    return canvas.cellBox(QRectF(QPointF(area.x(m_columns.lower(cell.column)), area.y(m_rows.upper(cell.row))),
                                 QPointF(area.x(m_columns.upper(cell.column)), area.y(m_rows.lower(cell.row))))
                              .normalized());
}

struct GridChart::DrawnCell {
    QRectF box;
    GridCell cell;
    TextStyle style;

    bool fits(const ChartCanvas& canvas, const QString& text) const
    {
        const QRectF place = canvas.textBox({}, text, Qt::AlignHCenter, style);
        return place.width() + 2 * padding(canvas) <= box.width() && place.height() <= box.height();
    }
    static double padding(const ChartCanvas& canvas) { return canvas.gap() * 0.4; }
};

auto GridChart::drawnCells(const ChartCanvas& canvas, const AxisArea& area) const
    -> std::pair<std::vector<DrawnCell>, bool>
{
    std::vector<DrawnCell> cells;
    cells.reserve(m_columns.size() * m_rows.size());
    // Numbers in some cells and not in others would look like a meaning.
    bool numbered = true;
    for (GridPlace at; at.row < m_rows.size(); ++at.row) {
        for (at.column = 0; at.column < m_columns.size(); ++at.column) {
            const QRectF box = boxOf(canvas, area, at);
            if (!box.intersects(area.rect))
                continue;
            DrawnCell drawn{box, cell(at, canvas.colors()), {}};
            drawn.style = {TextSize::Small, drawn.cell.bold, !drawn.cell.ink.isValid(), drawn.cell.ink};
            if (!drawn.cell.mark.isEmpty() && !drawn.cell.number.isEmpty())
                drawn.cell.number.prepend(drawn.cell.mark + QLatin1Char(' '));
            numbered = numbered && (drawn.cell.number.isEmpty() || drawn.fits(canvas, drawn.cell.number));
            cells.push_back(std::move(drawn));
        }
    }
    return {std::move(cells), numbered};
}

bool GridChart::numbersFit(const ChartCanvas& canvas, const AxisArea& area) const
{
    return drawnCells(canvas, area).second;
}

void GridChart::paint(ChartCanvas& canvas, const AxisArea& area) const
{
    const auto [cells, numbered] = drawnCells(canvas, area);
    const double pad = DrawnCell::padding(canvas);
    for (const DrawnCell& drawn : cells) {
        const auto& [box, cell, style] = drawn;
        if (cell.fill)
            canvas.area(box, *cell.fill);
        if (cell.frame) {
            const double width = canvas.hairline() * (*cell.frame == Dash::Solid ? 2 : 1);
            canvas.outline(box.adjusted(width / 2, width / 2, -width / 2, -width / 2), cell.frameColor, width,
                           *cell.frame);
        }
        const QString& text = numbered && !cell.number.isEmpty() ? cell.number : cell.mark;
        if (text.isEmpty() || (&text == &cell.mark && !drawn.fits(canvas, text)))
            continue;
        if (cell.fill && cell.fill->hatch != Hatch::None)
            canvas.rect(canvas.textBox(box.center(), text, Qt::AlignHCenter, style).adjusted(-pad, 0, pad, 0),
                        cell.fill->color);
        canvas.text(box.center(), text, Qt::AlignHCenter, style);
    }
}

void GridChart::mark(ChartCanvas& canvas, const AxisArea& area, QPointF place, const QColor& color, double width) const
{
    const auto at = cellAt(place);
    if (!at)
        return;
    const double inset = width / 2;
    canvas.outline(boxOf(canvas, area, *at).adjusted(inset, inset, -inset, -inset), color, width);
}

std::optional<QPointF> GridChart::snapped(QPointF place) const
{
    const auto at = cellAt(place);
    return at ? std::optional(middle(*at)) : std::nullopt;
}

QPointF GridChart::step(std::optional<QPointF> place, int dx, int dy) const
{
    const auto at = cellAt(place);
    if (!at)
        return middle({0, 0});
    const auto moved = [](std::size_t from, int by, std::size_t cells) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from) + by, 0,
                                                                   static_cast<std::ptrdiff_t>(cells) - 1));
    };
    return middle({moved(at->column, dx, m_columns.size()), moved(at->row, dy, m_rows.size())});
}

QString unwrittenNumbersText()
{
    return QCoreApplication::translate("peakscope::GridChart", "colour alone; the numbers are in the table");
}

bool isWithin(const AxisArea& visible, QPointF place)
{
    return place.x() >= visible.xLow && place.x() <= visible.xHigh && place.y() >= visible.yLow &&
           place.y() <= visible.yHigh;
}

} // namespace peakscope
