// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A core Table as an item model. GUI thread.
#pragma once

#include "core/results/tables.h"

#include <QAbstractTableModel>

namespace peakscope {

// Shows numbers in readable units; SortRole holds the raw value, the tooltip the exact one.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    static constexpr int SortRole = Qt::UserRole;

    explicit TableModel(QObject* parent = nullptr);

    void setTable(Table table);
    const Table& table() const { return m_table; }
    // All is said on demand: tells the views that words and numbers are others in the language of the moment.
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    Table m_table;
};

} // namespace peakscope
