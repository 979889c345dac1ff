// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's collectives send: a bar a phase, stacked by the kind of collective, as high as their payload. Of the
// view and of the figure; GUI thread.
#pragma once

#include "core/results/rank_section.h"
#include "widgets/plot/chart.h"

#include <QCoreApplication>

namespace peakscope {

struct RunResult;

// Of the rank at `index`, or of the one that stands for it; null: it tells no collectives.
const CommunicationSection* collectivesOf(const RunResult& result, std::size_t index);
// The first rank that tells some.
std::optional<std::size_t> rankWithCollectives(const RunResult& result);

class CollectiveChart : public Chart
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::CollectiveChart)

public:
    CollectiveChart() = default;
    CollectiveChart(const RunResult& result, std::size_t index) { setRank(result, index); }

    void setRank(const RunResult& result, std::size_t index); // empty where it tells none

    bool empty() const override { return m_parts.empty(); }
    AxisArea range() const override;
    AxisTicks x() const override;
    AxisTicks y() const override;
    std::vector<LegendEntry> legend(const ChartColors& colors) const override;
    QStringList caption(bool numbered) const override;
    void paint(ChartCanvas& canvas, const AxisArea& area) const override;
    void mark(ChartCanvas& canvas, const AxisArea& area, QPointF place, const QColor& color,
              double width) const override;
    std::optional<QPointF> snapped(QPointF place) const override;
    QPointF step(std::optional<QPointF> place, int dx, int dy) const override;
    QString readout(std::optional<QPointF> place) const override;
    QString summary() const override;
    Table table(const AxisArea& visible) const override;

private:
    // A piece of a bar, from one height in bytes to another.
    struct Part {
        std::size_t kind = 0, column = 0; // in m_communication.collectives and m_columns
        std::int64_t count = 0;
        double low = 0, high = 0;

        double bytes() const { return high - low; }
    };
    using Column = std::optional<Phase>; // none: of all phases, which an older result does not tell apart

    void addPart(std::size_t kind, Column column, std::int64_t count, std::int64_t bytes);
    double total(std::size_t column) const;
    QString titleOf(std::size_t column) const;
    QString textOf(const Part& part) const;
    QPointF middle(const Part& part) const;
    const Part* partAt(std::optional<QPointF> place) const; // of a bar also above and below it; null for none
    QRectF boxOf(const AxisArea& area, const Part& part) const;

    std::int64_t m_rank = 0;
    CommunicationSection m_communication;
    std::vector<Column> m_columns; // in the order of a step
    std::vector<Part> m_parts;     // in the order of the table
    double m_sum = 0, m_most = 0;  // bytes of all, of the highest bar
    AxisUnit m_unit;
};

} // namespace peakscope
