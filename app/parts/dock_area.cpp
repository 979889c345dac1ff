// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/dock_area.h"

#include "app/parts/dock_handle.h"

#include <QDockWidget>

namespace peakscope {

DockArea::DockArea(QWidget* parent) : QMainWindow(parent, Qt::Widget)
{
    setWindowFlags(Qt::Widget);
    setDockNestingEnabled(true);
}

QDockWidget* DockArea::addDock(const QString& name, QWidget* content, LanguageText title)
{
    auto* dock = new QDockWidget(this);
    inLanguage(dock, [dock, title = std::move(title)] { dock->setWindowTitle(title.say()); });
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setTitleBarWidget(new DockHandle(dock));
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    return dock;
}

QList<QDockWidget*> DockArea::docks() const
{
    return findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
}

} // namespace peakscope
