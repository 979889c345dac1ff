// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>

namespace peakscope {

namespace {

// All paths are drawn in a square of 16 units, on half units so that lines of one unit are sharp.
QPainterPath backPath()
{
    QPainterPath path;
    path.moveTo(6.5, 3.5);
    path.lineTo(2.5, 7.5);
    path.lineTo(6.5, 11.5);
    path.moveTo(2.5, 7.5);
    path.lineTo(9.5, 7.5);
    path.arcTo(QRectF(6.5, 7.5, 6, 5), 90, -180);
    return path;
}

// The corners of a frame: all of it.
QPainterPath allPath()
{
    QPainterPath path;
    for (const auto& [x, y, dx, dy] : {std::tuple{2.5, 2.5, 3.0, 3.0}, std::tuple{13.5, 2.5, -3.0, 3.0},
                                       std::tuple{2.5, 13.5, 3.0, -3.0}, std::tuple{13.5, 13.5, -3.0, -3.0}}) {
        path.moveTo(x + dx, y);
        path.lineTo(x, y);
        path.lineTo(x, y + dy);
    }
    path.addEllipse(QPointF(8, 8), 1.5, 1.5);
    return path;
}

QPainterPath copyPath()
{
    QPainterPath path;
    path.addRoundedRect(QRectF(5.5, 5.5, 8, 8), 1, 1);
    path.moveTo(3.5, 10.5);
    path.lineTo(2.5, 10.5);
    path.lineTo(2.5, 2.5);
    path.lineTo(10.5, 2.5);
    path.lineTo(10.5, 3.5);
    return path;
}

QPainterPath copyDataPath()
{
    QPainterPath path = copyPath();
    for (const double y : {8.5, 10.5}) {
        path.moveTo(7.5, y);
        path.lineTo(11.5, y);
    }
    return path;
}

QPainterPath exportPath()
{
    QPainterPath path;
    path.moveTo(8, 10.5);
    path.lineTo(8, 2.5);
    path.moveTo(5, 5.5);
    path.lineTo(8, 2.5);
    path.lineTo(11, 5.5);
    path.moveTo(2.5, 9.5);
    path.lineTo(2.5, 13.5);
    path.lineTo(13.5, 13.5);
    path.lineTo(13.5, 9.5);
    return path;
}

QPainterPath tablePath()
{
    QPainterPath path;
    path.addRect(QRectF(2.5, 3.5, 11, 10));
    for (const double y : {6.5, 10.0}) {
        path.moveTo(2.5, y);
        path.lineTo(13.5, y);
    }
    path.moveTo(6.5, 3.5);
    path.lineTo(6.5, 13.5);
    return path;
}

// A curve running into a wall at the right: the newest end stays in view.
QPainterPath followPath()
{
    QPainterPath path;
    path.moveTo(1.5, 8);
    path.lineTo(10.5, 8);
    path.moveTo(7.5, 5);
    path.lineTo(10.5, 8);
    path.lineTo(7.5, 11);
    path.moveTo(13.5, 3.5);
    path.lineTo(13.5, 12.5);
    return path;
}

QPainterPath legendPath()
{
    QPainterPath path;
    for (const double y : {3.5, 7.0, 10.5}) {
        path.addRect(QRectF(2.5, y, 2, 2));
        path.moveTo(7.5, y + 1);
        path.lineTo(13.5, y + 1);
    }
    return path;
}

QPainterPath peakPath()
{
    QPainterPath path;
    path.moveTo(1.5, 13.5);
    path.lineTo(6, 13.5);
    path.lineTo(8, 6.5);
    path.lineTo(10, 13.5);
    path.lineTo(14.5, 13.5);
    path.addEllipse(QPointF(8, 3.5), 1.5, 1.5);
    return path;
}

// Two cursors and what lies between them.
QPainterPath referencePath()
{
    QPainterPath path;
    for (const double x : {3.5, 12.5}) {
        path.moveTo(x, 2.5);
        path.lineTo(x, 13.5);
    }
    path.moveTo(5.5, 8);
    path.lineTo(10.5, 8);
    return path;
}

QPainterPath pathOf(PlotIcon icon)
{
    switch (icon) {
    case PlotIcon::Back:
        return backPath();
    case PlotIcon::All:
        return allPath();
    case PlotIcon::Copy:
        return copyPath();
    case PlotIcon::CopyData:
        return copyDataPath();
    case PlotIcon::Export:
        return exportPath();
    case PlotIcon::Table:
        return tablePath();
    case PlotIcon::Follow:
        return followPath();
    case PlotIcon::Legend:
        return legendPath();
    case PlotIcon::Peak:
        return peakPath();
    case PlotIcon::Reference:
        return referencePath();
    }
    return {};
}

// Draws the path at whatever size is asked for, so icons are sharp at every scale factor.
class PathIconEngine : public QIconEngine
{
public:
    PathIconEngine(QPainterPath path, const QColor& color, const QColor& disabledColor)
        : m_path(std::move(path)), m_color(color), m_disabledColor(disabledColor)
    {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.topLeft());
        painter->scale(rect.width() / 16.0, rect.height() / 16.0);
        painter->setPen(
            QPen(mode == QIcon::Disabled ? m_disabledColor : m_color, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPath(m_path);
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new PathIconEngine(*this); }

private:
    QPainterPath m_path;
    QColor m_color;
    QColor m_disabledColor;
};

} // namespace

QIcon plotIcon(PlotIcon icon, const QColor& color, const QColor& disabledColor)
{
    return QIcon(new PathIconEngine(pathOf(icon), color, disabledColor)); // the icon owns its engine
}

} // namespace peakscope
