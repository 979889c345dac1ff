// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plane of alignment and sparsity, of analysis_scatter_view.h.
#include "widgets/analysis/analysis_scatter_view.h"

#include "core/analysis/response/partition.h"

#include <qcustomplot.h>

#include <QMouseEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

using Line = PartitionPlaneView::Line;

constexpr std::array kLines{Line::FuncAlignment, Line::SensAlignment, Line::FuncSparsity, Line::SensSparsity};
constexpr double kGrip = 5; // pixels beside a line that still take it

double& valueOf(ClassThresholds& t, Line line)
{
    switch (line) {
    case Line::FuncAlignment:
        return t.funcAlignment;
    case Line::FuncSparsity:
        return t.funcSparsity;
    case Line::SensAlignment:
        return t.sensAlignment;
    case Line::SensSparsity:
        break;
    }
    return t.sensSparsity;
}

bool isUpright(Line line)
{
    return line == Line::FuncAlignment || line == Line::SensAlignment;
}

bool same(const ClassThresholds& a, const ClassThresholds& b)
{
    return a.funcAlignment == b.funcAlignment && a.funcSparsity == b.funcSparsity &&
           a.sensAlignment == b.sensAlignment && a.sensSparsity == b.sensSparsity;
}

UnitGroup ownerOf(Line line)
{
    return line == Line::FuncAlignment || line == Line::FuncSparsity ? UnitGroup::Func : UnitGroup::Sens;
}

} // namespace

PartitionPlaneView::PartitionPlaneView(QWidget* parent)
    : UnitScatterView([] { return tr("Classes: alignment × sparsity"); }, parent)
{
    explain([] { return tr("A point is a row of a weight matrix, its colour the class."); }, "perturbation");
    inLanguage(this, [this] { setAxisTitles(tr("Alignment (0 to 1)"), tr("Sparsity (0 to 1)")); });
}

PlotArea PartitionPlaneView::boundsOf(const std::vector<UnitPlace>&) const
{
    return {-kPlaneRoom, 1 + kPlaneRoom, -kPlaneRoom, 1 + kPlaneRoom};
}

void PartitionPlaneView::setThresholds(const ClassThresholds& thresholds, bool inForce)
{
    m_thresholds = thresholds;
    m_inForce = inForce;
    setTitle([inForce] {
        return inForce ? tr("Classes: alignment × sparsity") : tr("Classes by rank: no thresholds in force");
    });
    contentChanged();
}

std::optional<Line> PartitionPlaneView::lineAt(QPointF pixel) const
{
    if (!m_inForce || pointCount() == 0 || !insideAxes(pixel))
        return std::nullopt;
    std::optional<Line> found;
    double best = kGrip;
    ClassThresholds t = m_thresholds;
    for (const Line line : kLines) {
        const QPointF at = toPixel(valueOf(t, line), valueOf(t, line));
        const double distance = isUpright(line) ? std::abs(at.x() - pixel.x()) : std::abs(at.y() - pixel.y());
        if (distance < best) {
            best = distance;
            found = line;
        }
    }
    return found;
}

void PartitionPlaneView::pointed(QPointF pixel, bool inside)
{
    UnitScatterView::pointed(pixel, inside);
    if (m_line || interaction()->isDragging())
        return;
    const auto line = inside ? lineAt(pixel) : std::nullopt;
    // A point under the pointer comes first: it is picked by a click, a line is dragged.
    if (line)
        plot()->setCursor(isUpright(*line) ? Qt::SplitHCursor : Qt::SplitVCursor);
    else
        plot()->unsetCursor();
}

bool PartitionPlaneView::mousePressed(const QMouseEvent& event)
{
    if (event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier) {
        if (const auto line = lineAt(event.position()); line && !pointAt(event.position())) {
            m_line = line;
            m_before = m_thresholds;
            plot()->setFocus(Qt::MouseFocusReason);
            return true;
        }
    }
    return UnitScatterView::mousePressed(event);
}

void PartitionPlaneView::drag(QPointF pixel)
{
    const QPointF at = toPlot(pixel);
    // Hundredths: what the fields show is what is used.
    const double value = std::clamp(std::round((isUpright(*m_line) ? at.x() : at.y()) * 100) / 100, 0.0, 1.0);
    ClassThresholds moved = m_thresholds;
    valueOf(moved, *m_line) = value;
    // Lines of the two classes stop at one another where no unit could be told apart any more.
    if (!checkThresholds(moved).ok() || same(moved, m_thresholds))
        return;
    m_thresholds = moved;
    emit thresholdsMoved(m_thresholds);
    contentChanged();
}

bool PartitionPlaneView::mouseMoved(const QMouseEvent& event)
{
    if (!m_line)
        return UnitScatterView::mouseMoved(event);
    drag(event.position());
    return true;
}

bool PartitionPlaneView::mouseReleased(const QMouseEvent& event)
{
    if (!m_line || event.button() != Qt::LeftButton)
        return UnitScatterView::mouseReleased(event);
    drag(event.position());
    m_line.reset();
    contentChanged();
    return true;
}

bool PartitionPlaneView::keyPressed(int key, Qt::KeyboardModifiers modifiers)
{
    if (key == Qt::Key_Escape && m_line) {
        m_line.reset();
        m_thresholds = m_before;
        emit thresholdsMoved(m_thresholds);
        contentChanged();
        return true;
    }
    return UnitScatterView::keyPressed(key, modifiers);
}

void PartitionPlaneView::paintBelow(QPainter& painter, const PlotGeometry& g)
{
    if (!m_inForce)
        return;
    const auto region = [&](UnitGroup group, double left, double right, double low, double high) {
        const QRectF box = QRectF(QPointF(g.xPixel(left), g.yPixel(high)), QPointF(g.xPixel(right), g.yPixel(low)))
                               .intersected(g.rect);
        if (box.isValid())
            painter.fillRect(box, mixed(theme().background, groupMarker(group).color, theme().dark ? 0.22 : 0.13));
    };
    region(UnitGroup::Func, m_thresholds.funcAlignment, 2, -1, m_thresholds.funcSparsity);
    region(UnitGroup::Sens, -1, m_thresholds.sensAlignment, m_thresholds.sensSparsity, 2);
}

// Classes by rank have no lines: none is drawn that a unit could be held against.
void PartitionPlaneView::paintAbove(QPainter& painter, const PlotGeometry& g)
{
    if (!m_inForce)
        return;
    ClassThresholds t = m_thresholds;
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const Line line : kLines) {
        const bool dragged = m_line == line;
        QPen pen(groupMarker(ownerOf(line)).color, dragged ? 3 : 2, Qt::DashLine);
        if (theme().dark)
            pen.setColor(pen.color().lighter(140));
        painter.setPen(pen);
        const double x = std::round(g.xPixel(valueOf(t, line))), y = std::round(g.yPixel(valueOf(t, line)));
        if (isUpright(line))
            painter.drawLine(QPointF(x, g.rect.top()), QPointF(x, g.rect.bottom()));
        else
            painter.drawLine(QPointF(g.rect.left(), y), QPointF(g.rect.right(), y));
        if (!dragged)
            continue;
        const QString text = compactNumber(valueOf(t, line));
        painter.setPen(theme().text);
        painter.drawText(isUpright(line) ? QPointF(x + 4, g.rect.bottom() - 6) : QPointF(g.rect.left() + 4, y - 4),
                         text);
    }
}

} // namespace peakscope
