// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/capacity_chart.h"

#include "widgets/look/color_maps.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

double logarithm(std::int64_t value)
{
    return std::log2(static_cast<double>(std::max<std::int64_t>(value, 1)));
}

QString countOf(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

// The end of the map is no end of what fits.
QString mostThatFits(const PlannedMap& map, std::int64_t batch)
{
    const bool atEnd = !map.batches.empty() && batch >= map.batches.back();
    return atEnd ? CapacityChart::tr("at least %1", "a batch").arg(countOf(batch)) : countOf(batch);
}

// Cells no larger than what the median one needs are written in its unit: one unit for all of them.
AxisUnit cellUnit(std::vector<std::int64_t> bytes)
{
    std::erase_if(bytes, [](std::int64_t each) { return each <= 0; });
    if (bytes.empty())
        return byteUnit(1 << 30);
    const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2);
    std::nth_element(bytes.begin(), middle, bytes.end());
    return byteUnit(static_cast<double>(*middle));
}

} // namespace

GridAxis logAxis(const std::vector<std::int64_t>& values)
{
    if (values.empty())
        return {};
    std::vector<AxisMark> marks;
    for (const std::int64_t value : values)
        marks.push_back({logarithm(value), countOf(value)});
    const auto gap = [&marks](std::size_t i) { return marks[i + 1].place - marks[i].place; };
    const std::size_t last = marks.size() - 1;
    std::vector<double> edges{marks.front().place - (last > 0 ? gap(0) : 1) / 2};
    for (std::size_t i = 0; i < last; ++i)
        edges.push_back(marks[i].place + gap(i) / 2);
    edges.push_back(marks.back().place + (last > 0 ? gap(last - 1) : 1) / 2);
    return {std::move(edges), std::move(marks)};
}

std::vector<FrontierStep> frontierSteps(const PlannedMap& map, const GridAxis& sequences, const GridAxis& batches)
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

void CapacityChart::setMap(PlannedMap map, const PlannedDevice& device)
{
    m_map = std::move(map);
    m_device = device;
    m_unit = cellUnit(m_map.peakBytes);
    setAxes(logAxis(m_map.sequences), logAxis(m_map.batches));
}

std::optional<QPointF> CapacityChart::placeOf(std::int64_t sequence, std::int64_t batch) const
{
    return m_map.find(sequence, batch) ? std::optional(QPointF(logarithm(sequence), logarithm(batch))) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> CapacityChart::valuesAt(std::optional<QPointF> place) const
{
    const auto at = cellAt(place);
    return at ? std::optional(std::pair(m_map.sequences[at->column], m_map.batches[at->row])) : std::nullopt;
}

const MeasuredCell* CapacityChart::measuredAt(GridPlace place) const
{
    const auto found = std::find_if(m_map.measured.begin(), m_map.measured.end(), [&](const MeasuredCell& each) {
        return each.sequence == m_map.sequences[place.column] && each.batch == m_map.batches[place.row];
    });
    return found == m_map.measured.end() ? nullptr : &*found;
}

GridCell CapacityChart::cell(GridPlace place, const ChartColors& colors) const
{
    const std::size_t index = m_map.cell(place.column, place.row);
    const MeasuredCell* measured = measuredAt(place);
    GridCell cell;
    if (!m_map.possible(index) && !measured) {
        cell.mark = QStringLiteral("×");
        return cell;
    }
    cell.fill = measured ? Fill{verdictFill(measured->verdict)} : predictedFill(colors, m_map.verdicts[index]);
    cell.bold = measured != nullptr;
    cell.ink = readableOn(cell.fill->color);
    cell.number = numberIn(m_unit, static_cast<double>(measured ? measured->peakBytes : m_map.peakBytes[index]));
    if (measured) {
        cell.frame = Dash::Solid;
        cell.frameColor = colors.text;
    }
    return cell;
}

std::vector<LegendEntry> CapacityChart::legend(const ChartColors& colors) const
{
    std::array<bool, kVerdictCount> present{};
    bool impossible = false;
    for (std::size_t cell = 0; cell < m_map.verdicts.size(); ++cell) {
        if (m_map.possible(cell))
            present[static_cast<std::size_t>(m_map.verdicts[cell])] = true;
        else
            impossible = true;
    }
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < kVerdictCount; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (present[i])
            entries.push_back({verdictTitle(verdict), predictedFill(colors, verdict)});
    }
    if (!entries.empty())
        entries.push_back({frontierTitle(), {}, Dash::Solid, colors.warning});
    if (!m_map.measured.empty())
        entries.push_back({tr("Measured"), Fill{colors.muted}, Dash::Solid, colors.text});
    if (impossible)
        entries.push_back({beyondPositionsTitle()});
    return entries;
}

QStringList CapacityChart::caption(bool numbered) const
{
    QStringList parts;
    if (!numbered)
        parts << unwrittenNumbersText();
    else
        parts << (m_map.measured.empty() ? tr("numbers: peak in %1, predicted")
                                         : tr("numbers: peak in %1, predicted; measured where framed"))
                     .arg(m_unit.name);
    if (const std::int64_t most = m_map.frontier.empty() ? 0 : std::ranges::max(m_map.frontier);
        most > 0 && most >= m_map.batches.back())
        parts << tr("the line at the upper edge: at least %1 fits").arg(countOf(most));
    return parts;
}

void CapacityChart::paint(ChartCanvas& canvas, const AxisArea& area) const
{
    GridChart::paint(canvas, area);
    paintFrontier(canvas, area);
    paintBetweenCells(canvas, area);
}

void CapacityChart::paintFrontier(ChartCanvas& canvas, const AxisArea& area) const
{
    std::vector<QPolygonF> lines;
    double end = std::nan("");
    for (const FrontierStep& step : frontierSteps(m_map, columns(), rows())) {
        if (!(std::abs(end - step.left) < 1e-6))
            lines.emplace_back();
        // At the very top half of the line would be cut off.
        const double y = std::max(area.y(step.y), area.rect.top() + 2 * canvas.hairline());
        lines.back() << QPointF(area.x(step.left), y) << QPointF(area.x(step.right), y);
        end = step.right;
    }
    // A halo, so that the line stands out from cells of any colour.
    for (const QPolygonF& line : lines)
        canvas.polyline(line, canvas.colors().background, canvas.hairline() * 5);
    for (const QPolygonF& line : lines)
        canvas.polyline(line, canvas.colors().warning, canvas.hairline() * 3);
}

// Measurements between the cells' values: a framed square where they are.
void CapacityChart::paintBetweenCells(ChartCanvas& canvas, const AxisArea& area) const
{
    const double half = canvas.textBox({}, QStringLiteral("0"), Qt::AlignHCenter, {TextSize::Small}).height() * 0.35;
    for (const MeasuredCell& cell : m_map.measured) {
        const QPointF place(logarithm(cell.sequence), logarithm(cell.batch));
        if (m_map.find(cell.sequence, cell.batch) || !isWithin(area, place))
            continue;
        const QRectF mark(area.x(place.x()) - half, area.y(place.y()) - half, 2 * half, 2 * half);
        canvas.rect(mark, verdictFill(cell.verdict));
        canvas.outline(mark, canvas.colors().text, canvas.hairline() * 2);
    }
}

// What is said while no cell is pointed at.
QString CapacityChart::hint() const
{
    const auto fits = [](std::int64_t batch) { return batch > 0; };
    const auto first = std::find_if(m_map.frontier.begin(), m_map.frontier.end(), fits);
    const auto last = std::find_if(m_map.frontier.rbegin(), m_map.frontier.rend(), fits);
    if (first == m_map.frontier.end())
        return tr("No batch fits at any sequence length.");
    const auto sequence = [this](std::ptrdiff_t index) {
        return countOf(m_map.sequences[static_cast<std::size_t>(index)]);
    };
    return tr("Largest batch that fits: %1 at sequence %2, %3 at %4.")
        .arg(mostThatFits(m_map, *first), sequence(first - m_map.frontier.begin()), mostThatFits(m_map, *last),
             sequence(m_map.frontier.rend() - last - 1));
}

QString CapacityChart::readout(std::optional<QPointF> place) const
{
    const auto at = cellAt(place);
    if (!at)
        return hint() + QLatin1Char(' ') + tr("Point at a cell for its bytes; a double click offers it as a run.");
    const std::size_t cell = m_map.cell(at->column, at->row);
    const bool possible = m_map.possible(cell);
    QString text =
        tr("Batch %1 × sequence %2: ").arg(countOf(m_map.batches[at->row]), countOf(m_map.sequences[at->column]));
    if (!possible) {
        text += tr("the model's positions end before.");
    } else {
        const std::int64_t margin = m_device.capacityBytes() - m_map.reservedBytes[cell];
        const QString left =
            margin >= 0 ? tr("%1 left").arg(bytesText(margin)) : tr("%1 missing").arg(bytesText(-margin));
        text += tr("predicted %1 peak, %2 reserved – %3, %4.")
                    .arg(bytesText(m_map.peakBytes[cell]), bytesText(m_map.reservedBytes[cell]),
                         verdictTitle(m_map.verdicts[cell]).toLower(), left);
    }
    if (const MeasuredCell* measured = measuredAt(*at)) {
        text += QLatin1Char(' ') + tr("Measured: %1 peak").arg(bytesText(measured->peakBytes));
        if (possible && measured->peakBytes > 0) {
            const double error = static_cast<double>(m_map.peakBytes[cell] - measured->peakBytes) /
                                 static_cast<double>(measured->peakBytes);
            text += tr(" (prediction %1 %)")
                        .arg((error >= 0 ? QStringLiteral("+") : QString()) + QLocale().toString(100 * error, 'f', 1));
        }
        text += measured->device.empty() ? QStringLiteral(".")
                                         : tr(" on %1.").arg(QString::fromStdString(measured->device));
    }
    if (at->column < m_map.frontier.size() && possible) {
        const std::int64_t most = m_map.frontier[at->column];
        text += QLatin1Char(' ') + (most <= 0 ? tr("At this length no batch fits.")
                                    : most >= m_map.batches.back()
                                        ? tr("At this length batch %1 fits, the map's largest.").arg(countOf(most))
                                        : tr("At this length batch %1 is the most that fits.").arg(countOf(most)));
    }
    return text;
}

QString CapacityChart::summary() const
{
    if (empty())
        return tr("No map.");
    QStringList parts;
    for (std::size_t s = 0; s < m_map.sequences.size() && s < m_map.frontier.size(); ++s) {
        if (m_map.frontier[s] > 0)
            parts << tr("%1 at %2", "batch at sequence")
                         .arg(mostThatFits(m_map, m_map.frontier[s]), countOf(m_map.sequences[s]));
    }
    const QString most = parts.isEmpty()
                             ? tr("No batch fits at any sequence length.")
                             : tr("Largest batch that fits, by sequence length: %1.").arg(parts.join(u", "));
    return m_map.measured.empty()
               ? most
               : most + QLatin1Char(' ') + tr("Measured cells: %1.").arg(countOf(qint64(m_map.measured.size())));
}

Table CapacityChart::table(const AxisArea& visible) const
{
    Table table = capacityTable(m_map);
    std::erase_if(table.rows, [&visible](const std::vector<TableCell>& row) {
        return !isWithin(visible,
                         {logarithm(std::get<std::int64_t>(row[0])), logarithm(std::get<std::int64_t>(row[1]))});
    });
    return table;
}

} // namespace peakscope
