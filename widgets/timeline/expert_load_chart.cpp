// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/expert_load_chart.h"

#include "core/results/tables.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/value_scale.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kLeastTop = 2; // so that loads that hardly differ look so

QString countText(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

// "0.03", "0.3", "1.5", "12": what an even share is multiplied by.
QString timesText(double times)
{
    const bool whole = times == 0 || times >= 9.95;
    return QLocale().toString(times, 'f', whole ? 0 : times < 0.095 ? 2 : 1);
}

// With a mark at each cell while they are few, else at round numbers.
GridAxis markedAxis(std::size_t cells, const std::function<std::int64_t(std::size_t)>& number)
{
    constexpr double kMostMarks = 16;
    const double step = std::max(1.0, roundStep(static_cast<double>(cells) / kMostMarks));
    std::vector<double> edges;
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; cells > 0 && i <= cells; ++i) {
        edges.push_back(static_cast<double>(i));
        if (i < cells && number(i) % static_cast<std::int64_t>(step) == 0)
            marks.push_back({edges.back() + 0.5, QString::number(number(i))});
    }
    return {std::move(edges), std::move(marks)};
}

} // namespace

void ExpertLoadChart::setSection(ExpertSection section)
{
    m_section = std::move(section);
    const std::size_t experts = m_section.experts();
    setAxes(markedAxis(experts, [](std::size_t i) { return static_cast<std::int64_t>(i); }),
            markedAxis(m_section.layers.size(), [this](std::size_t i) { return m_section.layers[i].layer; }));
    m_timesEven.assign(experts * m_section.layers.size(), kNoNumber);
    m_fullest = {};
    m_idle = 0;
    double most = 0;
    for (std::size_t row = 0; row < m_section.layers.size(); ++row) {
        const ExpertTokens& layer = m_section.layers[row];
        for (std::size_t expert = 0; expert < layer.tokens.size(); ++expert) {
            const double times = layer.timesEven(expert);
            m_timesEven[row * experts + expert] = times;
            m_idle += times == 0;
            if (times > most) {
                most = times;
                m_fullest = {expert, row};
            }
        }
    }
    m_top = std::max(most, kLeastTop);
}

// By the square root: an even share is to be told from none where one expert has most.
QColor ExpertLoadChart::color(double times) const
{
    return viridis(std::sqrt(times / m_top));
}

GridCell ExpertLoadChart::cell(GridPlace place, const ChartColors&) const
{
    const double times = timesEven(place);
    GridCell cell;
    if (std::isnan(times))
        return cell;
    cell.fill = Fill{color(times)};
    cell.ink = readableOn(cell.fill->color);
    cell.number = timesText(times);
    return cell;
}

std::vector<LegendEntry> ExpertLoadChart::legend(const ChartColors&) const
{
    if (empty())
        return {};
    const double root = (1 + std::sqrt(m_top)) / 2; // half-way between both colours
    std::vector<LegendEntry> entries;
    for (const double times : {0.0, 1.0, root * root, m_top})
        entries.push_back({times == 1 ? tr("1 × (even)") : tr("%1 ×").arg(timesText(times)), Fill{color(times)}});
    return entries;
}

QStringList ExpertLoadChart::caption(bool) const
{
    QStringList parts{tr("cells: × an even share of the layer's tokens"), fullestText()};
    if (m_idle > 0)
        parts << tr("experts without a token: %1").arg(countText(m_idle));
    return parts;
}

QString ExpertLoadChart::fullestText() const
{
    const double most = empty() ? kNoNumber : timesEven(m_fullest);
    return std::isnan(most) ? tr("no expert had a token")
                            : tr("the fullest expert has %1 × an even share").arg(timesText(most));
}

QString ExpertLoadChart::textOf(GridPlace place) const
{
    const ExpertTokens& layer = m_section.layers[place.row];
    if (place.column >= layer.tokens.size())
        return tr("Layer %1 has %2 experts.").arg(countText(layer.layer), countText(std::ssize(layer.tokens)));
    const double times = timesEven(place);
    if (std::isnan(times))
        return tr("Layer %1 had no tokens.").arg(countText(layer.layer));
    return tr("Layer %1, expert %2: %3 tokens, %4 × an even share")
        .arg(countText(layer.layer), QString::number(place.column), countText(layer.tokens[place.column]),
             timesText(times));
}

QString ExpertLoadChart::readout(std::optional<QPointF> place) const
{
    if (const auto at = cellAt(place))
        return textOf(*at);
    return empty() ? QString() : tr("Fullest: %1").arg(textOf(m_fullest));
}

QString ExpertLoadChart::summary() const
{
    if (empty())
        return tr("No experts.");
    return tr("%1 layers of up to %2 experts. Fullest: %3")
        .arg(countText(std::ssize(m_section.layers)), countText(static_cast<std::int64_t>(columns().size())),
             textOf(m_fullest));
}

Table ExpertLoadChart::table(const AxisArea& visible) const
{
    Table table = expertLoadsTable(m_section);
    std::vector<std::vector<TableCell>> rows;
    auto next = table.rows.begin();
    for (std::size_t row = 0; row < m_section.layers.size(); ++row) {
        for (std::size_t expert = 0; expert < m_section.layers[row].tokens.size(); ++expert, ++next) {
            if (isWithin(visible, middle({expert, row})))
                rows.push_back(std::move(*next));
        }
    }
    table.rows = std::move(rows);
    return table;
}

} // namespace peakscope
