// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/table_tabs.h"

#include "widgets/tables/usage_tables.h"

#include <QDockWidget>
#include <QTableView>

namespace peakscope {

TableTabs::TableTabs(QWidget* parent) : QTabWidget(parent)
{
    setDocumentMode(true);
}

DataTableView* TableTabs::add(const QString& name, LanguageText title)
{
    auto* table = new DataTableView(this);
    table->setObjectName(name);
    inLanguage(table, [table, title] { table->view()->setAccessibleName(title.say()); });
    peakscope::addTab(this, table, std::move(title));
    connect(table, &DataTableView::currentRowChanged, this,
            [this, name](const QString& row) { emit rowChosen(name, row); });
    connect(table, &DataTableView::exportRequested, this, [this, name] { emit exportRequested(name); });
    return table;
}

DataTableView* TableTabs::table(const QString& name) const
{
    return findChild<DataTableView*>(name);
}

void TableTabs::bringToFront(const QString& name)
{
    if (auto* dock = qobject_cast<QDockWidget*>(parentWidget())) {
        dock->show();
        dock->raise();
    }
    setCurrentWidget(table(name));
    table(name)->view()->setFocus();
}

} // namespace peakscope
