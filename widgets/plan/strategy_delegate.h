// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What StrategyTableView's table draws by hand: verdict badges, bars, and the header with the memory column's axis.
// Part of that view; GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace peakscope {

class StrategyModel;
struct ChartTheme;

// The height of the heading above the first row of a part; 0 where none stands there, as in any order but the ranks'.
int headingHeight(const QModelIndex& index, const QFontMetrics& metrics);

// Headings, badges and bars; everything else as usual.
class StrategyDelegate : public QStyledItemDelegate
{
public:
    StrategyDelegate(const StrategyModel* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const StrategyModel* m_model; // not owned
};

// Two lines where the memory column has its title and its axis; the others stand in the middle.
class StrategyHeader : public QHeaderView
{
public:
    StrategyHeader(const StrategyModel* model, QWidget* parent);

    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    void paintAxis(QPainter& painter, const QRect& rect) const;

    const StrategyModel* m_model; // not owned
};

} // namespace peakscope
