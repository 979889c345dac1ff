// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard on one plot, the same for all: wheel = zoom at the cursor, drag = pan, Shift+drag = zoom to a box,
// Ctrl+drag = select a range, double click or Home = all, Backspace = back, arrows = pan, + and - = zoom, Esc = drop
// the selection, Alt+click = reference. Keeps the zoom history. Belongs to a PlotView; GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPoint>

#include <optional>
#include <utility>
#include <vector>

class QCPAxis;
class QCPItemRect;
class QCustomPlot;
class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace peakscope {

struct ChartTheme;

// What is visible, in plot coordinates.
struct PlotArea {
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1;

    bool operator==(const PlotArea&) const = default;
};

class PlotInteraction : public QObject
{
    Q_OBJECT
public:
    // Acts on the plot's own x and y axis; the plot must outlive this object.
    PlotInteraction(QCustomPlot* plot, QObject* parent);

    // All there is to see. A view that showed all of an axis goes on showing all of it; others are kept within.
    void setBounds(const PlotArea& bounds);
    const PlotArea& bounds() const { return m_bounds; }
    PlotArea view() const;
    // `remember`: the present view goes into the history first.
    void setView(const PlotArea& view, bool remember);
    bool showsAll() const { return m_fullX && m_fullY; }

    // The directions of wheel and + -; horizontal unless set. Over the labels of an axis that axis alone is zoomed.
    void setZoomOrientations(Qt::Orientations orientations) { m_zoomOrientations = orientations; }
    void setSelectionEnabled(bool enabled) { m_selectionEnabled = enabled; }

    // A button is down and the pointer has moved since.
    bool isDragging() const { return m_action != Action::None && m_moved; }

    bool canGoBack() const { return !m_history.empty(); }
    void clearHistory();
    // Other data: all of it, and nothing to go back to.
    void startAnew();
    void back();
    void reset();
    void zoom(double factor); // about the middle; below 1 shows less
    void pan(double shareX, double shareY);

    std::optional<std::pair<double, double>> selection() const { return m_selection; }
    void select(double lower, double upper); // does not emit rangeSelected
    void clearSelection();

    void applyTheme(const ChartTheme& theme);

signals:
    void viewChanged();
    void movedByUser();
    void dragFinished(); // what movedByUser announced has ended, or was given up
    void historyChanged();
    void rangeSelected(double lower, double upper);
    void selectionCleared();
    void referenceRequested(double x);
    void clicked(double x, double y); // without a drag or a key held

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Action { None, Pan, Box, Range };
    enum class Change { Wheel, Keys, Other };
    struct Entry {
        PlotArea area;
        bool fullX = true, fullY = true;
    };

    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool cancelDrag();
    void finishBox();
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void zoomAt(double factor, QPointF pixel, Qt::Orientations orientations);
    void remember(Change change);
    void show(PlotArea area);
    void updateCursorShape(Qt::KeyboardModifiers modifiers);
    void placeSelection();
    double selectionCoordinate(QPointF pixel) const;

    QCustomPlot* m_plot;
    QCPItemRect* m_boxItem;
    QCPItemRect* m_selectionItem;
    PlotArea m_bounds;
    bool m_fullX = true, m_fullY = true;
    Qt::Orientations m_zoomOrientations = Qt::Horizontal;
    bool m_selectionEnabled = true;
    std::vector<Entry> m_history;
    Change m_lastChange = Change::Other;
    QElapsedTimer m_sinceChange;

    Action m_action = Action::None;
    bool m_moved = false;
    QPointF m_pressed;
    PlotArea m_pressedView;
    std::optional<std::pair<double, double>> m_selection;
    std::optional<std::pair<double, double>> m_selectionBefore; // restored when a drag is cancelled
};

} // namespace peakscope
