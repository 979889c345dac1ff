// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/table_tabs.h"

#include "widgets/tables/usage_tables.h"

#include <QDockWidget>
#include <QStyle>
#include <QTabBar>
#include <QTableView>

namespace peakscope {

namespace {

// Where the tabs do not fit, those in sight from the first on share what is left of the line, so that it ends between
// two tabs: Qt cuts the last title otherwise.
class WholeTabs : public QTabBar
{
public:
    using QTabBar::QTabBar;

protected:
    QSize tabSizeHint(int index) const override
    {
        QSize size = QTabBar::tabSizeHint(index);
        const int room = width() - 2 * style()->pixelMetric(QStyle::PM_TabBarScrollButtonWidth, nullptr, this);
        int whole = 0, taken = 0, place = -1, needed = 0;
        for (int i = 0; i < count(); ++i) {
            if (!isTabVisible(i))
                continue;
            const int wide = QTabBar::tabSizeHint(i).width();
            if (needed == taken && taken + wide <= room) {
                place = i == index ? whole : place;
                taken += wide;
                ++whole;
            }
            needed += wide;
        }
        if (needed > width() && place >= 0)
            size.rwidth() += (room - taken) * (place + 1) / whole - (room - taken) * place / whole;
        return size;
    }
};

} // namespace

TableTabs::TableTabs(QWidget* parent) : QTabWidget(parent)
{
    setTabBar(new WholeTabs(this));
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

void TableTabs::startAnew()
{
    for (DataTableView* table : findChildren<DataTableView*>())
        table->fitNextTable();
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
