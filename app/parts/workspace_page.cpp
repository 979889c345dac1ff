// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/workspace_page.h"

#include "app/parts/dock_area.h"
#include "app/parts/table_tabs.h"
#include "app/parts/whole_panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/text/language_texts.h"

#include <QMouseEvent>

namespace peakscope {

WorkspacePage::WorkspacePage(QWidget* parent) : QWidget(parent), m_whole(new WholePanel(this))
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

void WorkspacePage::setArea(DockArea* area)
{
    m_area = area;
    connect(area, &DockArea::wholeRequested, this, &WorkspacePage::toggleWhole);
}

QWidget* WorkspacePage::panelInFront() const
{
    for (QWidget* at = window()->focusWidget(); at && at != this; at = at->parentWidget()) {
        if (isAncestorOf(at) && (qobject_cast<PlotView*>(at) || qobject_cast<QDockWidget*>(at->parentWidget())))
            return at;
    }
    for (PlotView* view : findChildren<PlotView*>()) {
        if (!view->visibleRegion().isEmpty())
            return view;
    }
    return nullptr;
}

void WorkspacePage::toggleWhole(QWidget* panel)
{
    if (m_whole->isShown())
        m_whole->takeBack();
    else if (QWidget* whole = panel ? panel : panelInFront())
        m_whole->show(whole);
}

void WorkspacePage::takeBackWhole()
{
    m_whole->takeBack();
}

void WorkspacePage::mouseDoubleClickEvent(QMouseEvent* event)
{
    for (QWidget* at = childAt(event->position().toPoint()); at && at != this; at = at->parentWidget()) {
        if (at->objectName() == QLatin1String("panelTitle"))
            return toggleWhole(at->parentWidget());
    }
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
