// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/workspace_page.h"

#include "app/parts/dock_area.h"
#include "app/parts/table_tabs.h"
#include "widgets/plot/plot_view.h"
#include "widgets/text/language_texts.h"

namespace peakscope {

WorkspacePage::WorkspacePage(QWidget* parent) : QWidget(parent)
{
    inLanguage(this, [this] {
        if (m_inspected)
            emit inspected(m_inspected());
    });
}

QList<QDockWidget*> WorkspacePage::docks() const
{
    return m_area ? m_area->docks() : QList<QDockWidget*>();
}

QByteArray WorkspacePage::saveLayout() const
{
    return m_area->saveLayouts();
}

bool WorkspacePage::restoreLayout(const QByteArray& state)
{
    return m_area->restoreLayouts(state);
}

void WorkspacePage::restoreDefaultLayout()
{
    m_area->restoreDefaultLayout();
}

void WorkspacePage::connectPlot(PlotView* view, const char* figure, TableTabs* tables, const char* table)
{
    connect(view, &PlotView::exportRequested, this,
            [this, name = QString::fromLatin1(figure)] { emit figureRequested(name); });
    connect(view, &PlotView::showDataRequested, tables,
            [tables, name = QString::fromLatin1(table)] { tables->bringToFront(name); });
}

void WorkspacePage::inspect(std::function<InspectorContent()> say)
{
    m_inspected = std::move(say);
    emit inspected(m_inspected());
}

} // namespace peakscope
