// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies of a plan as an item model, and what the bars of its memory column need. Part of StrategyTableView;
// GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/look/theme.h"

#include <QAbstractTableModel>

#include <vector>

class QPainter;

namespace peakscope {

class StrategyModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Rank, Verdict, Title, Memory, Peak, Reserved, Margin, Step, Devices, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;
    static constexpr int HeadingRole =
        Qt::UserRole + 1; // of the part that begins with the row, in order of rank; or none

    explicit StrategyModel(QObject* parent = nullptr);

    void setPlan(PlanDocument plan);
    const PlanDocument& plan() const { return m_plan; }
    // All is said on demand: tells the views that words and numbers are others in the language of the moment.
    void retranslate();
    // Measured peaks of strategies that ran, in their order; 0: not measured.
    void setMeasured(std::vector<std::int64_t> peakBytes);
    std::int64_t measuredBytes(int row) const;
    // The bytes at the right end of the memory column.
    double scaleBytes() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const PlannedStrategy& strategy, int row, int column) const;
    QVariant sortValue(const PlannedStrategy& strategy, int row, int column) const;
    QString tip(const PlannedStrategy& strategy, int column) const;

    PlanDocument m_plan;
    std::vector<std::optional<PlanPart>> m_headings;
    std::vector<std::int64_t> m_measured;
};

// Where `bytes` lies in a memory column that spans `left` to `right`; the line of the capacity and the ticks of the
// header use it too.
double memoryX(double bytes, double scaleBytes, double left, double right);

// Context, components at the peak and what is reserved beyond them, end to end; pale and hatched, for it is predicted.
// A measured peak is a solid bar under it. The capacity is a line.
void paintStrategyBar(QPainter& painter, const QRectF& cell, const StrategyModel& model, int row,
                      const ChartTheme& theme);

// What a strategy is, in words with bytes, as rich text for the detail pane.
QString strategyHtml(const StrategyModel& model, int row);

} // namespace peakscope
