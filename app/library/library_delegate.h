// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the library's lines: an icon for the state, a title, a second line in a quieter colour, and progress. GUI
// thread.
#pragma once

#include <QStyledItemDelegate>

namespace peakscope {

class LibraryDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    enum Role {
        IdRole = Qt::UserRole + 1, // int; 0 for files
        PathRole,                  // QString
        DetailRole,                // QString, the second line
        StateRole,                 // int of RunState; -1: a file
        FractionRole,              // double; below 0: no bar
        SearchRole,                // QString that the filter looks in
    };

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace peakscope
