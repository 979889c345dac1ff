// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/dock_area.h"

#include "app/parts/dock_handle.h"

#include <QApplication>
#include <QDataStream>
#include <QDockWidget>
#include <QEvent>
#include <QLayout>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

namespace peakscope {

namespace {

constexpr quint32 kLayouts = 0x5053'4C31; // begins what holds one for each kind
constexpr int kMousePause = 50;           // ms between looks at whether the mouse still holds something

// Not by what a longer word of another language takes: sizes that are given again may be others by a pixel.
bool isOther(const QSize& size, const QSize& before)
{
    const auto apart = [](int a, int b) { return 5 * std::abs(a - b) > b; };
    return apart(size.height(), before.height()) || apart(size.width(), before.width());
}

bool stands(const QDockWidget* dock)
{
    return !dock->isHidden() && !dock->isFloating();
}

} // namespace

DockArea::DockArea(QWidget* parent) : QMainWindow(parent, Qt::Widget)
{
    setWindowFlags(Qt::Widget);
    setDockNestingEnabled(true);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &DockArea::settle);
}

QDockWidget* DockArea::addDock(const QString& name, QWidget* content, LanguageText title)
{
    auto* dock = new QDockWidget(this);
    inLanguage(dock, [dock, title = std::move(title)] { dock->setWindowTitle(title.say()); });
    dock->setObjectName(name);
    dock->setWidget(content);
    auto* handle = new DockHandle(dock);
    dock->setTitleBarWidget(handle);
    connect(handle, &DockHandle::doubleClicked, this, [this, dock] {
        if (dock->isFloating())
            dock->setFloating(false);
        else
            emit wholeRequested(dock->widget());
    });
    connect(dock, &QDockWidget::topLevelChanged, this, [this] { m_isDefault = false; });
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
    m_unfolded.clear();
    m_arranged = false;
    restoreState(m_default, version());
    m_later.start(0);
}

void DockArea::setKind(const QString& kind)
{
    emit kindGiven();
    if (kind == m_kind)
        return;
    if (std::exchange(m_arranged, false))
        m_layouts[m_kind] = places();
    m_kind = kind;
    m_later.start(0);
}

QByteArray DockArea::saveLayouts() const
{
    QMap<QString, QByteArray> layouts = m_layouts;
    if (m_arranged)
        layouts[m_kind] = places();
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
    m_unfolded.clear();
    m_arranged = false;
    m_later.start(0);
    return restoreState(m_layouts.value(m_kind), version());
}

int DockArea::version() const
{
    QStringList names;
    for (const QDockWidget* dock : docks())
        names << dock->objectName();
    names.sort(); // they are found in the order in which they were last raised
    return qChecksum(names.join(u' ').toUtf8());
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

QByteArray DockArea::places() const
{
    return !m_unfolded.isEmpty() ? m_unfolded : isWhole() ? m_beforeWhole : saveState(version());
}

void DockArea::beginWhole()
{
    m_beforeWhole = saveState(version());
}

void DockArea::endWhole()
{
    restorePlaces(std::exchange(m_beforeWhole, {}));
    emit arranged();
    m_later.start(0);
}

void DockArea::settle()
{
    if (!isVisible() || isWhole())
        return;
    if (QApplication::mouseButtons() != Qt::NoButton) { // a dock or a separator may be on its way
        m_later.start(kMousePause);
        return;
    }
    if (!std::exchange(m_arranged, true))
        arrange();
    fitRows();
    if (m_isDefault && m_defaultSizes && m_unfolded.isEmpty() && isOther(size(), m_sizedFor)) {
        m_sizedFor = size();
        m_defaultSizes();
    }
    if (m_front)
        m_front->raise();
    m_front = nullptr;
}

void DockArea::bringToFront(QDockWidget* dock)
{
    dock->raise();
    m_front = m_arranged && !m_later.isActive() ? nullptr : dock;
}

void DockArea::arrange()
{
    m_unfolded.clear();
    m_isDefault = !restorePlaces(m_layouts.value(m_kind));
    m_sizedFor = size();
    if (m_isDefault) {
        restorePlaces(m_default);
        if (m_defaultSizes)
            m_defaultSizes();
    }
    emit arranged();
}

void DockArea::fitRows()
{
    QSet<QDockWidget*> shown;
    for (QDockWidget* dock : docks()) {
        if (stands(dock))
            shown.insert(dock);
    }
    const auto fits = [this] {
        layout()->activate();
        return layout()->totalMinimumSize().height() <= height();
    };
    if (!m_unfolded.isEmpty()) {
        if (height() < m_unfoldedHeight && shown == m_folded && fits())
            return;
        restorePlaces(std::exchange(m_unfolded, {}));
        emit arranged();
    }
    if (fits())
        return;
    m_unfoldedHeight = layout()->totalMinimumSize().height();
    m_folded = std::move(shown);
    foldRows();
}

QList<QDockWidget*> DockArea::rowsFromBelow() const
{
    QList<QDockWidget*> rows;
    for (QDockWidget* dock : docks()) {
        const Qt::DockWidgetArea side = dockWidgetArea(dock);
        const bool inRow = side == Qt::TopDockWidgetArea || side == Qt::BottomDockWidgetArea;
        if (inRow && stands(dock) && dock->geometry().intersects(rect())) // those behind a tab lie outside
            rows << dock;
    }
    std::ranges::sort(rows, std::ranges::greater(), [](const QDockWidget* dock) { return dock->y(); });
    return rows;
}

void DockArea::foldRows()
{
    const QByteArray before = saveState(version());
    const auto shared = [](const QDockWidget* a, const QDockWidget* b) {
        return std::min(a->geometry().right(), b->geometry().right()) - std::max(a->x(), b->x());
    };
    QList<QDockWidget*> lowest;
    QMap<QDockWidget*, QDockWidget*> under; // of a dock that goes beyond, the one whose tab it becomes
    for (QDockWidget* dock : rowsFromBelow()) {
        const auto below =
            std::ranges::max_element(lowest, {}, [&](const QDockWidget* other) { return shared(dock, other); });
        if (below == lowest.end() || shared(dock, *below) <= 0)
            lowest << dock;
        else
            under[dock] = *below;
    }
    if (under.isEmpty())
        return;
    for (const auto& [dock, below] : under.asKeyValueRange()) {
        for (QDockWidget* tab : QList<QDockWidget*>{dock} + tabifiedDockWidgets(dock))
            tabifyDockWidget(below, tab);
        dock->raise();
    }
    m_unfolded = before;
    layout()->activate();
    resizeDocks(lowest, QList<int>(lowest.size(), height() / 2), Qt::Vertical);
    emit arranged();
}

QSize DockArea::minimumSizeHint() const
{
    int highest = 0;
    for (const QDockWidget* dock : docks())
        highest = stands(dock) ? std::max(highest, dock->minimumSizeHint().height()) : highest;
    const QWidget* middle = centralWidget();
    const int tabs = 2 * fontMetrics().height();
    QSize least = QMainWindow::minimumSizeHint();
    least.setHeight(
        std::min(least.height(), highest + tabs + (middle->isHidden() ? 0 : middle->minimumSizeHint().height())));
    return least;
}

bool DockArea::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest)
        m_later.start(0);
    if (event->type() == QEvent::MouseButtonPress) // what is between the docks are separators
        m_isDefault = false;
    return QMainWindow::event(event);
}

void DockArea::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_later.start(0);
}

void DockArea::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    m_later.start(0);
}

} // namespace peakscope
