// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry and drawing of the capacity map: cells on axes of powers of two. The geometry is shared with the figure.
// Private to the widgets; GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/look/theme.h"
#include "widgets/plot/painted_plottable.h"

#include <QFont>
#include <QString>

#include <optional>
#include <vector>

class QPainter;

namespace peakscope {

// One axis of the map: values at their base-2 logarithm, with cells that meet half-way between them.
class LogAxis
{
public:
    LogAxis() = default;
    explicit LogAxis(std::vector<std::int64_t> values);

    std::size_t size() const { return m_values.size(); }
    std::int64_t value(std::size_t index) const { return m_values[index]; }
    double centre(std::size_t index) const;
    double lower(std::size_t index) const { return m_edges[index]; }
    double upper(std::size_t index) const { return m_edges[index + 1]; }
    double first() const { return m_edges.empty() ? 0 : m_edges.front(); }
    double last() const { return m_edges.empty() ? 1 : m_edges.back(); }
    // The cell that holds a coordinate.
    std::optional<std::size_t> indexAt(double coordinate) const;
    std::optional<std::size_t> indexOf(std::int64_t value) const;

private:
    std::vector<std::int64_t> m_values;
    std::vector<double> m_edges; // one more than values
};

// The upper edges of what fits, one step a sequence, as (left, right, y) in axis coordinates.
struct FrontierStep {
    double left = 0, right = 0, y = 0;
};
std::vector<FrontierStep> frontierSteps(const PlannedMap& map, const LogAxis& sequences, const LogAxis& batches);

struct CapacityScene {
    PlannedMap map;
    PlannedDevice device;
    LogAxis sequences, batches;
    std::optional<std::size_t> hovered, current; // cells
    ChartTheme theme;
    QFont font;

    bool empty() const { return map.sequences.empty() || map.batches.empty(); }
    std::optional<std::size_t> cellAt(double x, double y) const;
    // The measurement that lies exactly on a cell; null for none.
    const MeasuredCell* measuredAt(std::size_t cell) const;
    std::int64_t sequenceOf(std::size_t cell) const { return map.sequences[cell / map.batches.size()]; }
    std::int64_t batchOf(std::size_t cell) const { return map.batches[cell % map.batches.size()]; }
    void paint(QPainter& painter, const PlotGeometry& geometry) const;

private:
    void paintCell(QPainter& painter, const QRectF& box, std::size_t cell, bool written) const;
    // Whether every cell has room for its bytes: some with and some without would look like a meaning.
    bool textsFit(const PlotGeometry& geometry) const;
    void paintMeasuredPoints(QPainter& painter, const PlotGeometry& geometry) const;
    void paintFrontier(QPainter& painter, const PlotGeometry& geometry) const;
    void paintMark(QPainter& painter, const PlotGeometry& geometry, std::size_t cell, const QColor& color,
                   double width) const;
    QRectF boxOf(std::size_t cell, const PlotGeometry& geometry) const;
};

} // namespace peakscope
