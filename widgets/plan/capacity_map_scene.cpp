// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/capacity_map_scene.h"

#include "core/base/units.h"
#include "widgets/plan/strategy_style.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

double logarithm(std::int64_t value)
{
    return std::log2(static_cast<double>(std::max<std::int64_t>(value, 1)));
}

constexpr double kCellInk = 0.4; // of the hatch: cells are large and carry text

// Dark or light, whichever reads better on the fill.
QColor inkOn(const QColor& fill)
{
    const QColor dark(0x11, 0x11, 0x11);
    const QColor light(Qt::white);
    return contrastRatio(fill, dark) >= contrastRatio(fill, light) ? dark : light;
}

} // namespace

LogAxis::LogAxis(std::vector<std::int64_t> values) : m_values(std::move(values))
{
    if (m_values.empty())
        return;
    const auto gap = [this](std::size_t i) { return logarithm(m_values[i + 1]) - logarithm(m_values[i]); };
    const std::size_t last = m_values.size() - 1;
    m_edges.push_back(logarithm(m_values.front()) - (last > 0 ? gap(0) : 1) / 2);
    for (std::size_t i = 0; i < last; ++i)
        m_edges.push_back(logarithm(m_values[i]) + gap(i) / 2);
    m_edges.push_back(logarithm(m_values.back()) + (last > 0 ? gap(last - 1) : 1) / 2);
}

double LogAxis::centre(std::size_t index) const
{
    return logarithm(m_values[index]);
}

std::optional<std::size_t> LogAxis::indexAt(double coordinate) const
{
    if (m_edges.empty() || coordinate < m_edges.front() || coordinate >= m_edges.back())
        return std::nullopt;
    const auto after = std::upper_bound(m_edges.begin(), m_edges.end(), coordinate);
    return static_cast<std::size_t>(after - m_edges.begin()) - 1;
}

std::optional<std::size_t> LogAxis::indexOf(std::int64_t value) const
{
    const auto found = std::lower_bound(m_values.begin(), m_values.end(), value);
    if (found == m_values.end() || *found != value)
        return std::nullopt;
    return static_cast<std::size_t>(found - m_values.begin());
}

std::vector<FrontierStep> frontierSteps(const PlannedMap& map, const LogAxis& sequences, const LogAxis& batches)
{
    std::vector<FrontierStep> steps;
    for (std::size_t s = 0; s < map.sequences.size() && s < map.frontier.size(); ++s) {
        // Where a sequence is impossible for the model, nothing is on either side of a line.
        bool possible = false;
        double y = batches.first();
        for (std::size_t b = 0; b < map.batches.size(); ++b) {
            possible = possible || map.possible(map.cell(s, b));
            if (map.batches[b] <= map.frontier[s])
                y = batches.upper(b);
        }
        if (possible)
            steps.push_back({sequences.lower(s), sequences.upper(s), y});
    }
    return steps;
}

std::optional<std::size_t> CapacityScene::cellAt(double x, double y) const
{
    const auto sequence = sequences.indexAt(x);
    const auto batch = batches.indexAt(y);
    if (!sequence || !batch)
        return std::nullopt;
    return map.cell(*sequence, *batch);
}

const MeasuredCell* CapacityScene::measuredAt(std::size_t cell) const
{
    const auto found = std::find_if(map.measured.begin(), map.measured.end(), [&](const MeasuredCell& each) {
        return each.sequence == sequenceOf(cell) && each.batch == batchOf(cell);
    });
    return found == map.measured.end() ? nullptr : &*found;
}

QRectF CapacityScene::boxOf(std::size_t cell, const PlotGeometry& geometry) const
{
    const std::size_t s = cell / map.batches.size();
    const std::size_t b = cell % map.batches.size();
    const QPointF topLeft(std::round(geometry.xPixel(sequences.lower(s))),
                          std::round(geometry.yPixel(batches.upper(b))));
    const QPointF bottomRight(std::round(geometry.xPixel(sequences.upper(s))),
                              std::round(geometry.yPixel(batches.lower(b))));
    return {topLeft, bottomRight};
}

bool CapacityScene::textsFit(const PlotGeometry& geometry) const
{
    QFont face = font;
    face.setBold(true);
    const QFontMetricsF metrics(face);
    for (std::size_t cell = 0; cell < map.peakBytes.size(); ++cell) {
        const QRectF box = boxOf(cell, geometry);
        const QString text = QString::fromStdString(formatBytes(map.peakBytes[cell]));
        if (map.possible(cell) &&
            (metrics.horizontalAdvance(text) + 6 > box.width() - 5 || metrics.height() > box.height() - 3))
            return false;
    }
    return true;
}

void CapacityScene::paintCell(QPainter& painter, const QRectF& box, std::size_t cell, bool written) const
{
    const QFontMetricsF metrics(font);
    const QRectF inner = box.adjusted(0, 0, -1, -1);
    const MeasuredCell* measured = measuredAt(cell);
    if (!map.possible(cell) && !measured) {
        painter.setPen(theme.mutedText);
        if (box.width() >= metrics.averageCharWidth() * 2 && box.height() >= metrics.height())
            painter.drawText(box, Qt::AlignCenter, QStringLiteral("×"));
        return;
    }
    const QColor fill = verdictFill(measured ? measured->verdict : map.verdicts[cell]);
    painter.fillRect(inner, measured ? QBrush(fill) : predictedBrush(fill, theme, kCellInk));
    if (measured) {
        painter.setPen(QPen(theme.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(inner.adjusted(1, 1, -1, -1));
    }
    if (!written)
        return;
    const QString text = QString::fromStdString(formatBytes(measured ? measured->peakBytes : map.peakBytes[cell]));
    QFont face = font;
    face.setBold(measured != nullptr);
    const QFontMetricsF wide(face);
    QRectF plate(0, 0, wide.horizontalAdvance(text) + 6, wide.height());
    if (plate.width() > inner.width() - 4 || plate.height() > inner.height() - 2)
        return;
    plate.moveCenter(inner.center());
    const QColor under = measured ? fill : predictedTint(fill, theme);
    painter.fillRect(plate, under);
    painter.setFont(face);
    painter.setPen(inkOn(under));
    painter.drawText(plate, Qt::AlignCenter, text);
    painter.setFont(font);
}

// Measurements between the cells' values: a dot where they are.
void CapacityScene::paintMeasuredPoints(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const MeasuredCell& cell : map.measured) {
        if (sequences.indexOf(cell.sequence) && batches.indexOf(cell.batch))
            continue;
        const QPointF at(geometry.xPixel(logarithm(cell.sequence)), geometry.yPixel(logarithm(cell.batch)));
        painter.setPen(QPen(theme.text, 2));
        painter.setBrush(verdictFill(cell.verdict));
        painter.drawEllipse(at, 6, 6);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void CapacityScene::paintFrontier(QPainter& painter, const PlotGeometry& geometry) const
{
    QPainterPath path;
    double end = std::nan("");
    for (const FrontierStep& step : frontierSteps(map, sequences, batches)) {
        // At the very top half of the line would be cut off.
        const double y = std::max(std::round(geometry.yPixel(step.y)), geometry.rect.top() + 2);
        const QPointF from(std::round(geometry.xPixel(step.left)), y);
        if (std::isnan(end) || std::abs(end - from.x()) > 1)
            path.moveTo(from);
        else
            path.lineTo(from);
        end = std::round(geometry.xPixel(step.right));
        path.lineTo(end, y);
    }
    painter.setBrush(Qt::NoBrush);
    // A halo, so that the line stands out from cells of any colour.
    painter.setPen(QPen(theme.background, 5, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawPath(path);
    painter.setPen(QPen(theme.warning, 3, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawPath(path);
}

void CapacityScene::paintMark(QPainter& painter, const PlotGeometry& geometry, std::size_t cell, const QColor& color,
                              double width) const
{
    const QRectF box = boxOf(cell, geometry).adjusted(0, 0, -1, -1);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(box.adjusted(width / 2, width / 2, -width / 2, -width / 2));
}

void CapacityScene::paint(QPainter& painter, const PlotGeometry& geometry) const
{
    if (empty())
        return;
    painter.setFont(font);
    const std::size_t count = map.sequences.size() * map.batches.size();
    const bool written = textsFit(geometry);
    for (std::size_t cell = 0; cell < count; ++cell) {
        const QRectF box = boxOf(cell, geometry);
        if (box.intersects(geometry.rect))
            paintCell(painter, box, cell, written);
    }
    paintFrontier(painter, geometry);
    paintMeasuredPoints(painter, geometry);
    if (hovered)
        paintMark(painter, geometry, *hovered, theme.cursor, 1);
    if (current)
        paintMark(painter, geometry, *current, theme.accent, 3);
}

} // namespace peakscope
