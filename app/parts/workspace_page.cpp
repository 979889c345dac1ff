// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/workspace_page.h"

#include "app/parts/dock_area.h"
#include "app/parts/dock_handle.h"
#include "app/parts/table_tabs.h"
#include "widgets/plot/plot_view.h"
#include "widgets/text/language_texts.h"

#include <QMouseEvent>
#include <QPointer>
#include <QShortcut>
#include <QSplitter>
#include <QTabBar>

#include <utility>

namespace peakscope {

namespace {

// Belongs to what holds the panels.
bool isFrame(const QWidget* widget)
{
    return widget->isWindow() || qobject_cast<const QTabBar*>(widget) || qobject_cast<const DockHandle*>(widget) ||
           qobject_cast<const QSplitterHandle*>(widget);
}

} // namespace

// One panel at a time over the whole page: what is beside it is hidden until Esc takes it back.
class WholePanel : public QObject
{
public:
    explicit WholePanel(QWidget* page);

    void show(QWidget* panel);
    void takeBack();
    bool isShown() const { return m_panel; }

private:
    void hideBeside(QWidget* panel, QWidget* around);

    QWidget* m_page;
    QShortcut* m_escape;
    QPointer<QWidget> m_panel;
    QPointer<DockArea> m_area; // that it stands in, if in any
    QList<QPointer<QWidget>> m_hidden;
};

WholePanel::WholePanel(QWidget* page) : QObject(page), m_page(page), m_escape(new QShortcut(Qt::Key_Escape, page))
{
    m_escape->setEnabled(false);
    connect(m_escape, &QShortcut::activated, this, &WholePanel::takeBack);
}

void WholePanel::hideBeside(QWidget* panel, QWidget* around)
{
    for (QWidget* beside : around->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (beside == panel || beside->isHidden() || isFrame(beside))
            continue;
        beside->hide();
        m_hidden << beside;
    }
}

void WholePanel::show(QWidget* panel)
{
    takeBack();
    m_panel = panel;
    for (QWidget* around = panel->parentWidget(); around && around != m_page && !m_area;
         panel = std::exchange(around, around->parentWidget())) {
        m_area = qobject_cast<DockArea*>(around);
        if (m_area) {
            m_area->beginWhole();
            connect(m_area, &DockArea::kindGiven, this, &WholePanel::takeBack, Qt::UniqueConnection);
        }
        hideBeside(panel, around);
    }
    m_escape->setEnabled(true);
    m_panel->setFocus();
}

void WholePanel::takeBack()
{
    if (!m_escape->isEnabled())
        return;
    m_escape->setEnabled(false);
    for (const QPointer<QWidget>& widget : std::exchange(m_hidden, {})) {
        if (widget)
            widget->show();
    }
    const QPointer<QWidget> panel = std::exchange(m_panel, nullptr);
    if (const QPointer<DockArea> area = std::exchange(m_area, nullptr))
        area->endWhole();
    if (auto* dock = panel ? qobject_cast<QDockWidget*>(panel->parentWidget()) : nullptr)
        dock->raise(); // where it is one of several tabs
}

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
