// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/dock_area.h"

#include "app/parts/dock_handle.h"

#include <QDataStream>
#include <QDockWidget>
#include <QLayout>

#include <utility>

namespace peakscope {

namespace {

constexpr quint32 kLayouts = 0x5053'4C31; // begins what holds one for each kind

} // namespace

DockArea::DockArea(QWidget* parent) : QMainWindow(parent, Qt::Widget)
{
    setWindowFlags(Qt::Widget);
    setDockNestingEnabled(true);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &DockArea::arrange);
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

void DockArea::setDefaultLayout(std::function<void()> sizes)
{
    m_defaultSizes = std::move(sizes);
    m_default = saveState(version());
}

void DockArea::restoreDefaultLayout()
{
    m_layouts.clear();
    m_arranged = false;
    restoreState(m_default, version());
    m_later.start();
}

void DockArea::setKind(const QString& kind)
{
    if (kind == m_kind)
        return;
    if (std::exchange(m_arranged, false))
        m_layouts[m_kind] = saveState(version());
    m_kind = kind;
    m_later.start();
}

QByteArray DockArea::saveLayouts() const
{
    QMap<QString, QByteArray> layouts = m_layouts;
    if (m_arranged)
        layouts[m_kind] = saveState(version());
    QByteArray saved;
    QDataStream stream(&saved, QIODevice::WriteOnly);
    stream << kLayouts << layouts;
    return saved;
}

bool DockArea::restoreLayouts(const QByteArray& saved)
{
    QDataStream stream(saved);
    quint32 begins = 0;
    QMap<QString, QByteArray> layouts;
    stream >> begins;
    if (begins == kLayouts)
        stream >> layouts;
    if (begins != kLayouts || stream.status() != QDataStream::Ok)
        return false;
    m_layouts = std::move(layouts);
    m_arranged = false;
    m_later.start();
    return restoreState(m_layouts.value(m_kind), version());
}

int DockArea::version() const
{
    QByteArray names;
    for (const QDockWidget* dock : docks())
        names += dock->objectName().toUtf8() + ' ';
    return qChecksum(names);
}

// Which docks are shown is for whoever shows a result in them.
bool DockArea::restorePlaces(const QByteArray& state)
{
    const QList<QDockWidget*> docks = this->docks();
    QList<bool> hidden;
    for (const QDockWidget* dock : docks)
        hidden << dock->isHidden();
    const bool restored = restoreState(state, version());
    for (qsizetype i = 0; i < docks.size(); ++i)
        docks[i]->setHidden(hidden[i]);
    layout()->activate();
    return restored;
}

void DockArea::arrange()
{
    if (!isVisible() || std::exchange(m_arranged, true))
        return;
    if (!restorePlaces(m_layouts.value(m_kind))) {
        restorePlaces(m_default);
        if (m_defaultSizes)
            m_defaultSizes();
    }
    emit arranged();
}

void DockArea::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    m_later.start();
}

} // namespace peakscope
