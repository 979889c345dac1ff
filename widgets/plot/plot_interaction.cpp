// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_interaction.h"

#include "widgets/look/theme.h"

#include <qcustomplot.h>

#include <QApplication>

#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kHistoryLimit = 100;
// Turns of the wheel (or key presses) closer than this are one step of the history.
constexpr qint64 kSameGestureMs = 700;
constexpr double kWheelFactor = 0.8;    // per notch of 15 degrees
constexpr double kKeyPan = 0.1;         // of what is visible
constexpr double kSmallestShare = 1e-8; // of the bounds; deeper the double of a time has no digits left

// Moves [lower, upper] into [boundLower, boundUpper], shrinking it only if it is larger. Returns whether it is all.
bool fitInto(double& lower, double& upper, double boundLower, double boundUpper)
{
    const double boundSpan = boundUpper - boundLower;
    double span = std::max(upper - lower, boundSpan * kSmallestShare);
    if (span >= boundSpan * (1 - 1e-9)) {
        lower = boundLower;
        upper = boundUpper;
        return true;
    }
    const double middle = std::clamp((lower + upper) / 2, boundLower + span / 2, boundUpper - span / 2);
    lower = middle - span / 2;
    upper = middle + span / 2;
    return false;
}

QCPItemRect* makeOverlayRect(QCustomPlot* plot)
{
    auto* item = new QCPItemRect(plot);
    item->setLayer(QStringLiteral("overlay"));
    item->setVisible(false);
    item->setClipToAxisRect(true);
    item->setSelectable(false);
    return item;
}

} // namespace

PlotInteraction::PlotInteraction(QCustomPlot* plot, QObject* parent)
    : QObject(parent), m_plot(plot), m_boxItem(makeOverlayRect(plot)), m_selectionItem(makeOverlayRect(plot))
{
    m_plot->setInteractions(QCP::iNone);
    m_plot->installEventFilter(this);
    for (QCPItemPosition* position : {m_boxItem->topLeft, m_boxItem->bottomRight})
        position->setType(QCPItemPosition::ptPlotCoords);
    // The selection spans the whole height whatever the y range is.
    for (QCPItemPosition* position : {m_selectionItem->topLeft, m_selectionItem->bottomRight}) {
        position->setTypeX(QCPItemPosition::ptPlotCoords);
        position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    m_sinceChange.start();
}

PlotArea PlotInteraction::view() const
{
    const QCPRange x = m_plot->xAxis->range(), y = m_plot->yAxis->range();
    return {x.lower, x.upper, y.lower, y.upper};
}

void PlotInteraction::setBounds(const PlotArea& bounds)
{
    m_bounds = bounds;
    PlotArea area = view();
    if (m_fullX) {
        area.x0 = bounds.x0;
        area.x1 = bounds.x1;
    }
    if (m_fullY) {
        area.y0 = bounds.y0;
        area.y1 = bounds.y1;
    }
    show(area);
}

void PlotInteraction::show(PlotArea area)
{
    m_fullX = fitInto(area.x0, area.x1, m_bounds.x0, m_bounds.x1);
    m_fullY = fitInto(area.y0, area.y1, m_bounds.y0, m_bounds.y1);
    if (area == view())
        return;
    m_plot->xAxis->setRange(area.x0, area.x1);
    m_plot->yAxis->setRange(area.y0, area.y1);
    if (m_plot->testAttribute(Qt::WA_WState_Created)) // else its first show draws all
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    emit viewChanged();
}

void PlotInteraction::setView(const PlotArea& view, bool remember)
{
    if (remember)
        this->remember(Change::Other);
    show(view);
}

void PlotInteraction::remember(Change change)
{
    const bool sameGesture =
        change != Change::Other && change == m_lastChange && m_sinceChange.elapsed() < kSameGestureMs;
    m_lastChange = change;
    m_sinceChange.restart();
    if (sameGesture && !m_history.empty())
        return;
    if (m_history.size() == kHistoryLimit)
        m_history.erase(m_history.begin());
    m_history.push_back({view(), m_fullX, m_fullY});
    emit historyChanged();
}

void PlotInteraction::clearHistory()
{
    m_history.clear();
    emit historyChanged();
}

void PlotInteraction::startAnew()
{
    setView(m_bounds, false);
    clearHistory();
}

void PlotInteraction::back()
{
    // Entries equal to the view (a step that changed nothing) are passed over.
    while (!m_history.empty()) {
        Entry entry = m_history.back();
        m_history.pop_back();
        if (entry.fullX) {
            entry.area.x0 = m_bounds.x0;
            entry.area.x1 = m_bounds.x1;
        }
        if (entry.fullY) {
            entry.area.y0 = m_bounds.y0;
            entry.area.y1 = m_bounds.y1;
        }
        if (!(entry.area == view())) {
            m_lastChange = Change::Other;
            emit movedByUser();
            show(entry.area);
            break;
        }
    }
    emit historyChanged();
}

void PlotInteraction::reset()
{
    if (showsAll())
        return;
    remember(Change::Other);
    emit movedByUser();
    show(m_bounds);
}

void PlotInteraction::zoom(double factor)
{
    remember(Change::Keys);
    emit movedByUser();
    zoomAt(factor, QRectF(m_plot->axisRect()->rect()).center(), m_zoomOrientations);
}

void PlotInteraction::pan(double shareX, double shareY)
{
    remember(Change::Keys);
    emit movedByUser();
    PlotArea area = view();
    const double dx = (area.x1 - area.x0) * shareX, dy = (area.y1 - area.y0) * shareY;
    show({area.x0 + dx, area.x1 + dx, area.y0 + dy, area.y1 + dy});
}

void PlotInteraction::zoomAt(double factor, QPointF pixel, Qt::Orientations orientations)
{
    PlotArea area = view();
    if (orientations & Qt::Horizontal) {
        const double x = m_plot->xAxis->pixelToCoord(pixel.x());
        area.x0 = x - (x - area.x0) * factor;
        area.x1 = x + (area.x1 - x) * factor;
    }
    if (orientations & Qt::Vertical) {
        const double y = m_plot->yAxis->pixelToCoord(pixel.y());
        area.y0 = y - (y - area.y0) * factor;
        area.y1 = y + (area.y1 - y) * factor;
    }
    show(area);
}

void PlotInteraction::select(double lower, double upper)
{
    m_selection = std::minmax(lower, upper);
    placeSelection();
}

void PlotInteraction::clearSelection()
{
    if (!m_selection)
        return;
    m_selection.reset();
    placeSelection();
    emit selectionCleared();
}

void PlotInteraction::placeSelection()
{
    m_selectionItem->setVisible(m_selection.has_value());
    if (m_selection) {
        m_selectionItem->topLeft->setCoords(m_selection->first, 0);
        m_selectionItem->bottomRight->setCoords(m_selection->second, 1);
    }
    m_plot->layer(QStringLiteral("overlay"))->replot();
}

void PlotInteraction::applyTheme(const ChartTheme& theme)
{
    m_selectionItem->setBrush(theme.selection);
    m_selectionItem->setPen(QPen(theme.accent, 1));
    QColor fill = theme.accent;
    fill.setAlphaF(0.12F);
    m_boxItem->setBrush(fill);
    m_boxItem->setPen(QPen(theme.accent, 1, Qt::DashLine));
}

bool PlotInteraction::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
        return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
        return release(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick:
        if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            reset();
        return true;
    case QEvent::Wheel:
        return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::KeyPress:
        return key(*static_cast<QKeyEvent*>(event));
    case QEvent::KeyRelease:
        updateCursorShape(static_cast<QKeyEvent*>(event)->modifiers());
        return false;
    default:
        return false;
    }
}

bool PlotInteraction::press(const QMouseEvent& event)
{
    const bool panning = event.button() == Qt::MiddleButton;
    if (event.button() != Qt::LeftButton && !panning)
        return false;
    m_plot->setFocus(Qt::MouseFocusReason);
    m_pressed = event.position();
    m_pressedView = view();
    m_moved = false;
    m_selectionBefore = m_selection;
    if (!panning && (event.modifiers() & Qt::AltModifier)) {
        m_action = Action::None;
        emit referenceRequested(m_plot->xAxis->pixelToCoord(m_pressed.x()));
    } else if (!panning && (event.modifiers() & Qt::ShiftModifier)) {
        m_action = Action::Box;
    } else if (!panning && (event.modifiers() & Qt::ControlModifier) && m_selectionEnabled) {
        m_action = Action::Range;
    } else {
        m_action = Action::Pan;
    }
    updateCursorShape(event.modifiers());
    return true;
}

bool PlotInteraction::move(const QMouseEvent& event)
{
    if (m_action == Action::None) {
        updateCursorShape(event.modifiers());
        return false; // others read the cursor
    }
    const QPointF offset = event.position() - m_pressed;
    if (!m_moved) {
        if (offset.manhattanLength() < QApplication::startDragDistance() / 2.0)
            return false;
        m_moved = true;
        if (m_action == Action::Pan) {
            remember(Change::Other);
            emit movedByUser();
        }
    }
    if (m_action == Action::Pan) {
        const auto shift = [](QCPAxis* axis, double from, double to) {
            return axis->pixelToCoord(from) - axis->pixelToCoord(to);
        };
        // Both ends move by what the pointer moved since the press, so the point under it stays under it.
        const double dx = shift(m_plot->xAxis, m_pressed.x(), event.position().x());
        const double dy = shift(m_plot->yAxis, m_pressed.y(), event.position().y());
        show({m_pressedView.x0 + dx, m_pressedView.x1 + dx, m_pressedView.y0 + dy, m_pressedView.y1 + dy});
    } else if (m_action == Action::Range) {
        select(selectionCoordinate(m_pressed), selectionCoordinate(event.position()));
    } else {
        m_boxItem->topLeft->setPixelPosition(m_pressed);
        m_boxItem->bottomRight->setPixelPosition(event.position());
        m_boxItem->setVisible(true);
        m_plot->layer(QStringLiteral("overlay"))->replot();
    }
    return m_action != Action::Pan;
}

bool PlotInteraction::release(const QMouseEvent& event)
{
    const Action action = std::exchange(m_action, Action::None);
    updateCursorShape(event.modifiers());
    if (action == Action::Range && m_moved && m_selection)
        emit rangeSelected(m_selection->first, m_selection->second);
    if (action == Action::Box && m_moved)
        finishBox();
    if (action == Action::Pan && m_moved)
        emit dragFinished();
    else if (action == Action::Pan && event.button() == Qt::LeftButton)
        emit clicked(m_plot->xAxis->pixelToCoord(m_pressed.x()), m_plot->yAxis->pixelToCoord(m_pressed.y()));
    return action != Action::None;
}

void PlotInteraction::finishBox()
{
    const QPointF a = m_boxItem->topLeft->pixelPosition(), b = m_boxItem->bottomRight->pixelPosition();
    m_boxItem->setVisible(false);
    m_plot->layer(QStringLiteral("overlay"))->replot();
    // A box flat in one direction asks for that direction to stay.
    const bool wide = std::abs(a.x() - b.x()) >= 4, high = std::abs(a.y() - b.y()) >= 4;
    if (!wide && !high)
        return;
    PlotArea area = view();
    if (wide)
        std::tie(area.x0, area.x1) =
            std::minmax({m_plot->xAxis->pixelToCoord(a.x()), m_plot->xAxis->pixelToCoord(b.x())});
    if (high)
        std::tie(area.y0, area.y1) =
            std::minmax({m_plot->yAxis->pixelToCoord(a.y()), m_plot->yAxis->pixelToCoord(b.y())});
    remember(Change::Other);
    emit movedByUser();
    show(area);
}

bool PlotInteraction::cancelDrag()
{
    if (m_action == Action::None)
        return false;
    const Action action = std::exchange(m_action, Action::None);
    m_boxItem->setVisible(false);
    if (action == Action::Pan && m_moved)
        show(m_pressedView);
    m_selection = m_selectionBefore;
    placeSelection();
    if (action == Action::Pan && m_moved)
        emit dragFinished();
    return true;
}

bool PlotInteraction::wheel(const QWheelEvent& event)
{
    const double notches = event.angleDelta().y() / 120.0;
    const double sideways = event.angleDelta().x() / 120.0;
    if (notches == 0 && sideways == 0)
        return true;
    const QRect rect = m_plot->axisRect()->rect();
    Qt::Orientations orientations = m_zoomOrientations;
    if (event.position().x() < rect.left())
        orientations = Qt::Vertical;
    else if (event.position().y() > rect.bottom())
        orientations = Qt::Horizontal;
    remember(Change::Wheel);
    emit movedByUser();
    if (notches != 0) {
        zoomAt(std::pow(kWheelFactor, notches), event.position(), orientations);
    } else {
        PlotArea area = view();
        const double dx = -(area.x1 - area.x0) * kKeyPan * sideways;
        show({area.x0 + dx, area.x1 + dx, area.y0, area.y1});
    }
    return true;
}

bool PlotInteraction::key(const QKeyEvent& event)
{
    updateCursorShape(event.modifiers());
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_Left:
        pan(-kKeyPan, 0);
        return true;
    case Qt::Key_Right:
        pan(kKeyPan, 0);
        return true;
    case Qt::Key_Up:
        pan(0, m_plot->yAxis->rangeReversed() ? -kKeyPan : kKeyPan);
        return true;
    case Qt::Key_Down:
        pan(0, m_plot->yAxis->rangeReversed() ? kKeyPan : -kKeyPan);
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(kWheelFactor);
        return true;
    case Qt::Key_Minus:
        zoom(1 / kWheelFactor);
        return true;
    case Qt::Key_Home:
        reset();
        return true;
    case Qt::Key_Backspace:
        back();
        return true;
    case Qt::Key_Escape:
        if (cancelDrag())
            return true;
        if (!m_selection)
            return false;
        clearSelection();
        return true;
    default:
        return false;
    }
}

double PlotInteraction::selectionCoordinate(QPointF pixel) const
{
    return std::clamp(m_plot->xAxis->pixelToCoord(pixel.x()), m_bounds.x0, m_bounds.x1);
}

void PlotInteraction::updateCursorShape(Qt::KeyboardModifiers modifiers)
{
    Qt::CursorShape shape = Qt::ArrowCursor;
    if (m_action == Action::Pan)
        shape = Qt::ClosedHandCursor;
    else if (m_action == Action::Box || (modifiers & Qt::ShiftModifier))
        shape = Qt::CrossCursor;
    else if (m_selectionEnabled && (m_action == Action::Range || (modifiers & Qt::ControlModifier)))
        shape = Qt::SplitHCursor;
    if (m_plot->cursor().shape() != shape)
        m_plot->setCursor(shape);
}

} // namespace peakscope
