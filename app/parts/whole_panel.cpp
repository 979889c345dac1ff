// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/whole_panel.h"

#include "app/parts/dock_area.h"
#include "app/parts/dock_handle.h"

#include <QDockWidget>
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

} // namespace peakscope
