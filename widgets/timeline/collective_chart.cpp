// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/collective_chart.h"

#include "core/results/rank_balance.h"
#include "core/results/run_result.h"
#include "widgets/look/color_maps.h"
#include "widgets/text/bytes_text.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

constexpr double kHalfBar = 0.32; // of a column's width
constexpr double kHeadroom = 1.1; // above the highest bar, for its number
constexpr double kFewest = 3;     // columns that the axis has room for: fewer bars are not wider

struct CollectiveStyle {
    const char* name;
    QRgb color;
    Hatch hatch;
};
// Okabe and Ito's; two that are the same in grey differ by their hatch.
constexpr std::array<CollectiveStyle, 4> kCollectiveStyles{{{"all_reduce", 0xff009e73, Hatch::None},
                                                            {"reduce_scatter", 0xffd55e00, Hatch::Rising},
                                                            {"all_gather", 0xff56b4e9, Hatch::None},
                                                            {"broadcast", 0xffcc79a7, Hatch::Dots}}};

Fill collectiveFill(const std::string& kind)
{
    const auto style = std::find_if(kCollectiveStyles.begin(), kCollectiveStyles.end(),
                                    [&](const CollectiveStyle& each) { return kind == each.name; });
    if (style == kCollectiveStyles.end())
        return {QColor(Qt::gray)};
    return {QColor(style->color), style->hatch, QColor(style->color).darker(130)};
}

QString collectiveShare(double share)
{
    return QLocale().toString(100 * share, 'f', share < 0.0995 ? 1 : 0);
}

QString payloadText(double bytes)
{
    return bytesText(static_cast<std::int64_t>(bytes));
}

} // namespace

const CommunicationSection* collectivesOf(const RunResult& result, std::size_t index)
{
    if (index >= result.ranks.size())
        return nullptr;
    const auto& communication = measuredSection(result.ranks, index).communication;
    return communication && !communication->collectives.empty() ? &*communication : nullptr;
}

std::optional<std::size_t> rankWithCollectives(const RunResult& result)
{
    for (std::size_t index = 0; index < result.ranks.size(); ++index) {
        if (collectivesOf(result, index))
            return index;
    }
    return std::nullopt;
}

void CollectiveChart::setRank(const RunResult& result, std::size_t index)
{
    *this = CollectiveChart();
    const CommunicationSection* communication = collectivesOf(result, index);
    if (!communication)
        return;
    m_rank = result.ranks[index].rank;
    m_communication = *communication;
    std::set<Column> columns; // none comes first
    for (const CollectiveUsage& usage : m_communication.collectives) {
        if (usage.phases.empty())
            columns.insert(Column());
        for (const CollectivePhase& part : usage.phases)
            columns.insert(part.phase);
    }
    m_columns.assign(columns.begin(), columns.end());
    for (std::size_t kind = 0; kind < m_communication.collectives.size(); ++kind) {
        const CollectiveUsage& usage = m_communication.collectives[kind];
        for (const CollectivePhase& part : usage.phases)
            addPart(kind, part.phase, part.count, part.bytes);
        if (usage.phases.empty())
            addPart(kind, Column(), usage.count, usage.bytes);
    }
    m_unit = byteUnit(m_most);
}

void CollectiveChart::addPart(std::size_t kind, Column column, std::int64_t count, std::int64_t bytes)
{
    Part part;
    part.kind = kind;
    part.column = static_cast<std::size_t>(std::find(m_columns.begin(), m_columns.end(), column) - m_columns.begin());
    part.count = count;
    part.low = total(part.column);
    part.high = part.low + static_cast<double>(bytes);
    m_sum += part.bytes();
    m_most = std::max(m_most, part.high);
    m_parts.push_back(part);
}

double CollectiveChart::total(std::size_t column) const
{
    double bytes = 0;
    for (const Part& part : m_parts)
        bytes += part.column == column ? part.bytes() : 0;
    return bytes;
}

AxisArea CollectiveChart::range() const
{
    const auto columns = static_cast<double>(m_columns.size());
    const double beside = std::max(0.0, (kFewest - columns) / 2);
    return {{}, -beside, columns + beside, 0, std::max(1.0, m_most * kHeadroom)};
}

AxisTicks CollectiveChart::x() const
{
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        marks.push_back({static_cast<double>(i) + 0.5, titleOf(i)});
    return {std::move(marks), tr("Phase")};
}

AxisTicks CollectiveChart::y() const
{
    constexpr int kMostSteps = 6;
    std::vector<AxisMark> marks = linearMarks(0, range().yHigh / m_unit.scale, kMostSteps);
    for (AxisMark& mark : marks)
        mark.place *= m_unit.scale;
    return {std::move(marks), tr("Payload (%1)").arg(m_unit.name)};
}

std::vector<LegendEntry> CollectiveChart::legend(const ChartColors&) const
{
    std::vector<LegendEntry> entries;
    for (const CollectiveUsage& usage : m_communication.collectives)
        entries.push_back({QString::fromStdString(usage.name), collectiveFill(usage.name)});
    return entries;
}

QStringList CollectiveChart::caption(bool) const
{
    QStringList parts{tr("rank %1 sends %2").arg(QString::number(m_rank), payloadText(m_sum))};
    if (m_communication.seconds > 0) {
        parts << tr("communication: %1 % of the time").arg(collectiveShare(m_communication.share));
        if (m_communication.overlappedSeconds)
            parts << tr("of that beside computing: %1 %")
                         .arg(collectiveShare(*m_communication.overlappedSeconds / m_communication.seconds));
    }
    if (!m_columns.empty() && !m_columns.front())
        parts << tr("its phases are not known");
    return parts;
}

void CollectiveChart::paint(ChartCanvas& canvas, const AxisArea& area) const
{
    const double pad = canvas.gap() * 0.4;
    for (const AxisMark& mark : y().marks) {
        if (mark.place > area.yLow && mark.place < area.yHigh)
            canvas.line({area.rect.left(), area.y(mark.place)}, {area.rect.right(), area.y(mark.place)},
                        canvas.colors().grid, canvas.hairline());
    }
    const TextStyle small{TextSize::Small};
    for (const Part& part : m_parts) {
        const QRectF box = boxOf(area, part).intersected(area.rect);
        if (box.isEmpty())
            continue;
        const Fill fill = collectiveFill(m_communication.collectives[part.kind].name);
        canvas.area(box, fill);
        canvas.outline(box, canvas.colors().background, canvas.hairline());
        const QString number = numberIn(m_unit, part.bytes());
        const QRectF text = canvas.textBox(box.center(), number, Qt::AlignHCenter, small).adjusted(-pad, 0, pad, 0);
        const bool whole = part.bytes() == total(part.column); // whose number stands above it
        if (whole || text.width() > box.width() || text.height() > box.height())
            continue;
        if (fill.hatch != Hatch::None)
            canvas.rect(text, fill.color);
        canvas.text(box.center(), number, Qt::AlignHCenter, {TextSize::Small, false, false, readableOn(fill.color)});
    }
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const double bytes = total(i);
        const QString number = numberIn(m_unit, bytes);
        const double height = canvas.textBox({}, number, Qt::AlignHCenter, small).height();
        const QPointF above(area.x(static_cast<double>(i) + 0.5), area.y(bytes) - height / 2 - pad);
        if (area.rect.contains(canvas.textBox(above, number, Qt::AlignHCenter, {TextSize::Small, true})))
            canvas.text(above, number, Qt::AlignHCenter, {TextSize::Small, true});
    }
}

QRectF CollectiveChart::boxOf(const AxisArea& area, const Part& part) const
{
    const double x = middle(part).x();
    return {QPointF(area.x(x - kHalfBar), area.y(part.high)), QPointF(area.x(x + kHalfBar), area.y(part.low))};
}

void CollectiveChart::mark(ChartCanvas& canvas, const AxisArea& area, QPointF place, const QColor& color,
                           double width) const
{
    const Part* part = partAt(place);
    if (!part)
        return;
    const double inset = width / 2;
    canvas.outline(boxOf(area, *part).adjusted(inset, inset, -inset, -inset), color, width);
}

QPointF CollectiveChart::middle(const Part& part) const
{
    return {static_cast<double>(part.column) + 0.5, (part.low + part.high) / 2};
}

const CollectiveChart::Part* CollectiveChart::partAt(std::optional<QPointF> place) const
{
    const Part* nearest = nullptr;
    if (!place)
        return nearest;
    const auto away = [&](const Part& part) { return std::max({0.0, part.low - place->y(), place->y() - part.high}); };
    for (const Part& part : m_parts) {
        const bool beside = std::abs(place->x() - middle(part).x()) <= 0.5;
        if (beside && (!nearest || away(part) < away(*nearest)))
            nearest = &part;
    }
    return nearest;
}

std::optional<QPointF> CollectiveChart::snapped(QPointF place) const
{
    const Part* part = partAt(place);
    return part ? std::optional(middle(*part)) : std::nullopt;
}

QPointF CollectiveChart::step(std::optional<QPointF> place, int dx, int dy) const
{
    const Part* from = partAt(place);
    if (!from)
        return middle(m_parts.front());
    const QPointF here = middle(*from);
    if (dx != 0) // of the next bar, at the same height
        return middle(
            *partAt(QPointF(std::clamp(here.x() + dx, 0.5, static_cast<double>(m_columns.size()) - 0.5), here.y())));
    const Part* next = from;
    const auto away = [&](const Part& part) { return std::abs(middle(part).y() - here.y()); };
    for (const Part& part : m_parts) {
        const bool ahead = part.column == from->column && dy * (middle(part).y() - here.y()) > 0;
        if (ahead && (next == from || away(part) < away(*next)))
            next = &part;
    }
    return middle(*next);
}

QString CollectiveChart::titleOf(std::size_t column) const
{
    return m_columns[column] ? phaseTitle(*m_columns[column]) : tr("All phases");
}

QString CollectiveChart::textOf(const Part& part) const
{
    return tr("%1, %2: %3 ×, %4 (%5 % of all)", "phase, kind, calls, bytes, share")
        .arg(titleOf(part.column), QString::fromStdString(m_communication.collectives[part.kind].name),
             QLocale().toString(static_cast<qlonglong>(part.count)), payloadText(part.bytes()),
             collectiveShare(m_sum > 0 ? part.bytes() / m_sum : 0));
}

QString CollectiveChart::readout(std::optional<QPointF> place) const
{
    if (const Part* part = partAt(place))
        return textOf(*part);
    const auto most = std::max_element(m_parts.begin(), m_parts.end(),
                                       [](const Part& a, const Part& b) { return a.bytes() < b.bytes(); });
    return most == m_parts.end() ? QString() : tr("Most: %1").arg(textOf(*most));
}

QString CollectiveChart::summary() const
{
    if (empty())
        return tr("No collectives.");
    QStringList bars;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        bars << tr("%1 %2", "phase, bytes").arg(titleOf(i), payloadText(total(i)));
    return tr("Rank %1 sends %2: %3.").arg(QString::number(m_rank), payloadText(m_sum), bars.join(u", "));
}

Table CollectiveChart::table(const AxisArea& visible) const
{
    RunResult one;
    one.ranks.emplace_back();
    one.ranks[0].rank = m_rank;
    one.ranks[0].communication = m_communication;
    Table table = collectivesTable(one);
    std::vector<std::vector<TableCell>> rows;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const QPointF at = middle(m_parts[i]);
        if (at.x() >= visible.xLow && at.x() <= visible.xHigh && at.y() >= visible.yLow && at.y() <= visible.yHigh)
            rows.push_back(std::move(table.rows[i]));
    }
    table.rows = std::move(rows);
    return table;
}

} // namespace peakscope
