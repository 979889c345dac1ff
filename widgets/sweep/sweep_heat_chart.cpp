// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_heat_chart.h"

#include "widgets/sweep/least_peak.h"
#include "widgets/text/bytes_text.h"

#include "core/base/json/json_reader.h"
#include "core/results/sweeps/timed_round.h"
#include "core/results/tables.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

SweepHeat::SweepHeat(std::shared_ptr<const SweepDocument> document, const std::string& keyX, const std::string& keyY,
                     std::string measured)
    : sweep(std::move(document)), measure(std::move(measured))
{
    if (!keyX.empty())
        maps = sweepHeatMaps(*sweep, keyX, keyY, measure);
    for (SweepHeatMap& map : maps) {
        for (SweepCell& cell : map.cells) {
            if (measure == "peak_bytes" && cell.state == SweepCellState::OverBudget)
                cell.value = leastPeakBytes(*sweep, sweep->points[cell.point]);
        }
    }
    scale = sweepColorScale(maps, measure);
    // That of the middle of the range.
    const double middle = std::sqrt(scale.low * scale.high);
    unit = scale.empty ? byteUnit(1 << 20) : scale.bytes ? byteUnit(middle) : timeUnit(middle);
}

// Samples of the colours with their values, then the looks of cells without one.
std::vector<LegendEntry> SweepHeat::legend(std::span<const SweepHeatMap> shown, const ChartColors& colors) const
{
    std::vector<LegendEntry> entries;
    const int steps = scale.empty ? 0 : scale.high > scale.low ? 5 : 1;
    for (int i = 0; i < steps; ++i) {
        const double share = i / 4.0;
        const double value = scale.logarithmic ? scale.low * std::pow(scale.high / scale.low, share)
                                               : scale.low + (scale.high - scale.low) * share;
        entries.push_back({sweepNumberText(value, measure), Fill{scale.color(value)}});
    }
    for (LegendEntry& entry : sweepLegend(shown, scale, sweep->dry(), colors))
        entries.push_back(std::move(entry));
    return entries;
}

void SweepHeatChart::show(std::shared_ptr<const SweepHeat> heat, std::size_t map)
{
    m_heat = std::move(heat);
    m_map = map < m_heat->maps.size() ? &m_heat->maps[map] : nullptr;
    if (!m_map)
        return setAxes({}, {});
    const auto axis = [](const std::vector<nlohmann::json>& values, const std::string& key) {
        const auto label = [&](std::size_t i) { return sweepValueText(values[i], key); };
        return GridAxis::even(values.size(), key.empty() ? std::function<QString(std::size_t)>() : label);
    };
    setAxes(axis(m_map->x, m_map->keyX), axis(m_map->y, m_map->keyY));
}

std::optional<std::size_t> SweepHeatChart::pointAt(std::optional<QPointF> place) const
{
    const auto at = cellAt(place);
    if (!at || m_map->at(at->column, at->row).state == SweepCellState::Missing)
        return std::nullopt;
    return m_map->at(at->column, at->row).point;
}

std::optional<QPointF> SweepHeatChart::placeOf(std::size_t point) const
{
    for (std::size_t i = 0; m_map && i < m_map->cells.size(); ++i) {
        if (m_map->cells[i].state != SweepCellState::Missing && m_map->cells[i].point == point)
            return middle({i % columns().size(), i / columns().size()});
    }
    return std::nullopt;
}

AxisTicks SweepHeatChart::x() const
{
    return {columns().marks(), m_map ? sweepKeyTitle(m_map->keyX) : QString()};
}

AxisTicks SweepHeatChart::y() const
{
    return {rows().marks(), m_map && !m_map->keyY.empty() ? sweepKeyTitle(m_map->keyY) : QString()};
}

GridCell SweepHeatChart::cell(GridPlace place, const ChartColors& colors) const
{
    const SweepCell& point = m_map->at(place.column, place.row);
    GridCell cell;
    if (point.state == SweepCellState::Missing)
        return cell;
    const SweepCellLook look = sweepCellLook(point, m_heat->scale, colors.background, colors.text);
    cell.fill = Fill{look.fill, look.hatch, look.hatchColor};
    if (look.framed || look.dashed) {
        cell.frame = look.dashed ? Dash::Dashed : Dash::Solid;
        cell.frameColor = look.framed ? colors.warning : colors.muted;
    }
    cell.mark = look.mark;
    cell.ink = look.ink;
    cell.bold = point.state == SweepCellState::Measured;
    if (look.number && point.value)
        cell.number = numberIn(m_heat->unit, *point.value);
    return cell;
}

std::vector<LegendEntry> SweepHeatChart::legend(const ChartColors& colors) const
{
    return m_map ? m_heat->legend({m_map, 1}, colors) : std::vector<LegendEntry>();
}

QStringList SweepHeatChart::caption(bool numbered) const
{
    QStringList parts;
    if (const std::int64_t budget = lenient::integer(m_heat->sweep->base, "budget_bytes"); budget > 0)
        parts << tr("budget %1").arg(bytesText(budget));
    if (!numbered)
        return parts << tr("%1 as colour", "measure").arg(sweepMeasureTitle(m_heat->measure)) << unwrittenNumbersText();
    return parts
           << tr("numbers: %1 in %2", "measure in unit").arg(sweepMeasureTitle(m_heat->measure), m_heat->unit.name);
}

// "Sequence (tokens): 128, Batch (rows): 4 – Peak memory: 12.3 MiB (measured; predicted 12.2 MiB)".
QString SweepHeatChart::textOf(const SweepPoint& point) const
{
    const std::string& measure = m_heat->measure;
    const bool dry = m_heat->sweep->dry();
    QString text = sweepSettingText(point.values) + QStringLiteral(" – ");
    const auto value = sweepValue(point, measure);
    if (isPredicted(measure) && value) {
        text += tr("%1: %2, not measured", "measure: value")
                    .arg(sweepMeasureTitle(measure), sweepNumberText(*value, measure));
    } else if (point.state() == SweepCellState::Measured && value) {
        text += (dry ? tr("%1: %2, dry run", "measure: value") : tr("%1: %2, measured", "measure: value"))
                    .arg(sweepMeasureTitle(measure), sweepNumberText(*value, measure));
        if (measure == "median_step_seconds" && point.spreadSeconds)
            text += tr(" (spread %1 over %2 steps%3)")
                        .arg(sweepNumberText(*point.spreadSeconds, "spread_seconds"))
                        .arg(point.stepSeconds.size())
                        .arg(point.traced ? tr(", with tracing") : QString());
        if (measure == "median_step_seconds" && tooBusy(roundsFromJson(point.other)))
            text += tr(", on a machine too busy to compare times");
    } else {
        text += sweepStateTitle(point.state(), dry);
        if (point.neededBytes)
            text += tr(", needed %1 when it was refused")
                        .arg(sweepNumberText(static_cast<double>(*point.neededBytes), "needed_bytes"));
    }
    if (measure == "peak_bytes" && point.predictedPeakBytes)
        text += tr("; predicted %1")
                    .arg(sweepNumberText(static_cast<double>(*point.predictedPeakBytes), "predicted_peak_bytes"));
    if (!point.message.empty() && point.state() != SweepCellState::Measured)
        text += QStringLiteral(". ") + QString::fromStdString(point.message);
    return text;
}

QString SweepHeatChart::readout(std::optional<QPointF> place) const
{
    const auto point = pointAt(place);
    return point ? textOf(m_heat->sweep->points[*point])
                 : tr("Point at a cell for its values; a double click opens its run.");
}

QString SweepHeatChart::summary() const
{
    if (!m_map)
        return tr("No sweep.");
    const std::vector<SweepPoint>& points = m_heat->sweep->points;
    const auto over = std::count_if(points.begin(), points.end(), [](const SweepPoint& p) {
        return p.state() == SweepCellState::OverBudget || p.state() == SweepCellState::PredictedOverBudget;
    });
    QString text = tr("Heat map of %1 over %2 and %3: %4 points, %5 of them finished, %6 over the budget.")
                       .arg(sweepMeasureTitle(m_heat->measure), sweepKeyTitle(m_map->keyX), sweepKeyTitle(m_map->keyY))
                       .arg(points.size())
                       .arg(m_heat->sweep->finished())
                       .arg(over);
    const SweepColorScale& scale = m_heat->scale;
    if (!scale.empty)
        text += QLatin1Char(' ') +
                (scale.predicted ? tr("Predicted from %1 to %2.") : tr("Measured from %1 to %2."))
                    .arg(sweepNumberText(scale.low, m_heat->measure), sweepNumberText(scale.high, m_heat->measure));
    return text;
}

Table SweepHeatChart::table(const AxisArea&) const
{
    return sweepPointsTable(*m_heat->sweep);
}

} // namespace peakscope
