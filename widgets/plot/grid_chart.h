// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Charts that are grids of cells: where the cells are, their fill, frame and text, and walking over them. GUI thread.
#pragma once

#include "widgets/plot/chart.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace peakscope {

// The cells along one axis.
class GridAxis
{
public:
    GridAxis() = default;
    // One more edge than values, ascending.
    GridAxis(std::vector<double> edges, std::vector<AxisMark> marks)
        : m_edges(std::move(edges)), m_marks(std::move(marks))
    {}
    // Cells of width 1 from 0, with a mark in the middle of each.
    static GridAxis even(std::size_t cells, const std::function<QString(std::size_t)>& label);

    std::size_t size() const { return m_edges.empty() ? 0 : m_edges.size() - 1; }
    double lower(std::size_t index) const { return m_edges[index]; }
    double upper(std::size_t index) const { return m_edges[index + 1]; }
    double middle(std::size_t index) const
    {
        return m_marks.size() == size() ? m_marks[index].place : (lower(index) + upper(index)) / 2;
    }
    double first() const { return m_edges.empty() ? 0 : m_edges.front(); }
    double last() const { return m_edges.empty() ? 1 : m_edges.back(); }
    const std::vector<AxisMark>& marks() const { return m_marks; }
    // The cell that holds a coordinate.
    std::optional<std::size_t> indexAt(double coordinate) const;

private:
    std::vector<double> m_edges;
    std::vector<AxisMark> m_marks;
};

struct GridPlace {
    std::size_t column = 0, row = 0;

    bool operator==(const GridPlace&) const = default;
};

struct GridCell {
    std::optional<Fill> fill;
    std::optional<Dash> frame;
    QColor frameColor;
    QString mark;   // before the number, or alone
    QString number; // written where every cell has room for its own
    QColor ink;     // invalid: muted
    bool bold = false;
};

class GridChart : public Chart
{
public:
    const GridAxis& columns() const { return m_columns; }
    const GridAxis& rows() const { return m_rows; }
    std::optional<GridPlace> cellAt(std::optional<QPointF> place) const;
    QPointF middle(GridPlace cell) const { return {m_columns.middle(cell.column), m_rows.middle(cell.row)}; }

    bool empty() const override { return m_columns.size() == 0 || m_rows.size() == 0; }
    AxisArea range() const override;
    void paint(ChartCanvas& canvas, const AxisArea& area) const override;
    bool numbersFit(const ChartCanvas& canvas, const AxisArea& area) const override;
    void mark(ChartCanvas& canvas, const AxisArea& area, QPointF place, const QColor& color,
              double width) const override;
    std::optional<QPointF> snapped(QPointF place) const override;
    QPointF step(std::optional<QPointF> place, int dx, int dy) const override;

protected:
    void setAxes(GridAxis columns, GridAxis rows);
    virtual GridCell cell(GridPlace place, const ChartColors& colors) const = 0;

private:
    struct DrawnCell;
    // The cells that an area shows, and whether all of their numbers fit.
    std::pair<std::vector<DrawnCell>, bool> drawnCells(const ChartCanvas& canvas, const AxisArea& area) const;
    QRectF boxOf(const ChartCanvas& canvas, const AxisArea& area, GridPlace cell) const;

    GridAxis m_columns, m_rows;
};

// "colour alone; the numbers are in the table": where cells have no room for them.
QString unwrittenNumbersText();
// Whether the middle of a cell is visible.
bool isWithin(const AxisArea& visible, QPointF place);

} // namespace peakscope
