// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a page, a tab each: the twins of its views. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QTabWidget>

namespace peakscope {

class DataTableView;

class TableTabs : public QTabWidget
{
    Q_OBJECT

public:
    explicit TableTabs(QWidget* parent);

    // `name`: its object name, by which it is found and told of.
    DataTableView* add(const QString& name, LanguageText title);
    DataTableView* table(const QString& name) const; // null where there is none
    // What all of them are given next is of another result, whose contents set the widths of columns.
    void startAnew();
    // That table comes to the front, with the dock that all stand in, and has the keys.
    void bringToFront(const QString& name);

signals:
    void rowChosen(const QString& table, const QString& row);
    void exportRequested(const QString& table);
};

} // namespace peakscope
