// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/icons.h"

#include "core/results/component.h"
#include "widgets/component_palette.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>

#include <optional>

namespace peakscope {

namespace {

// Every glyph is drawn on a 16 × 16 grid with a pen 1.4 wide.
constexpr double kGrid = 16;

void polyline(QPainter& p, std::initializer_list<QPointF> points)
{
    p.drawPolyline(QPolygonF(QList<QPointF>(points)));
}

void drawWorkspace(QPainter& p, Glyph glyph)
{
    switch (glyph) {
    case Glyph::Plan: // bars against a capacity line
        p.drawLine(QPointF(12.5, 1.5), QPointF(12.5, 14.5));
        p.fillRect(QRectF(1.5, 3, 8, 2.4), p.pen().color());
        p.fillRect(QRectF(1.5, 6.8, 10, 2.4), p.pen().color());
        p.fillRect(QRectF(1.5, 10.6, 5.5, 2.4), p.pen().color());
        break;
    case Glyph::Run: { // a timeline with its peak
        QPainterPath path(QPointF(1.5, 14));
        path.lineTo(4.5, 9.5);
        path.lineTo(7, 10.5);
        path.lineTo(10, 3);
        path.lineTo(12, 8);
        path.lineTo(14.5, 9.5);
        path.lineTo(14.5, 14);
        path.closeSubpath();
        QColor fill = p.pen().color();
        fill.setAlphaF(0.3F);
        p.fillPath(path, fill);
        p.drawPath(path);
        break;
    }
    case Glyph::Analyse: // clusters
        for (const QPointF point : {QPointF(3.5, 5), QPointF(6, 3), QPointF(6.4, 6.4)})
            p.drawEllipse(point, 1.2, 1.2);
        p.setBrush(p.pen().color());
        for (const QPointF point : {QPointF(10, 12.5), QPointF(12.6, 10.5), QPointF(13, 13.4), QPointF(10.5, 9.3)})
            p.drawEllipse(point, 1.2, 1.2);
        break;
    default: // Compare: two timelines under one another
        polyline(p, {{1.5, 7}, {5, 3}, {8, 5.5}, {11, 1.5}, {14.5, 6}});
        polyline(p, {{1.5, 14.5}, {5, 12}, {8, 13}, {11, 10.5}, {14.5, 13}});
        break;
    }
}

void drawAction(QPainter& p, Glyph glyph)
{
    switch (glyph) {
    case Glyph::NewRun: {
        const QPolygonF triangle(QList<QPointF>{{4, 2.5}, {13, 8}, {4, 13.5}});
        p.setBrush(p.pen().color());
        p.drawPolygon(triangle);
        break;
    }
    case Glyph::Folder:
    case Glyph::Open:
        polyline(p, {{1.5, 13}, {1.5, 3}, {6, 3}, {7.5, 5}, {14.5, 5}, {14.5, 13}, {1.5, 13}});
        break;
    case Glyph::Save:
        p.drawLine(QPointF(8, 1.5), QPointF(8, 10));
        polyline(p, {{4.5, 6.8}, {8, 10.2}, {11.5, 6.8}});
        polyline(p, {{2, 11}, {2, 14}, {14, 14}, {14, 11}});
        break;
    case Glyph::Export:
        p.drawRect(QRectF(1.5, 4.5, 10, 10));
        p.drawLine(QPointF(8, 8), QPointF(14, 2));
        polyline(p, {{9.5, 1.7}, {14.3, 1.7}, {14.3, 6.5}});
        break;
    case Glyph::Search:
        p.drawEllipse(QPointF(6.6, 6.6), 4.6, 4.6);
        p.drawLine(QPointF(10.2, 10.2), QPointF(14.5, 14.5));
        break;
    case Glyph::Stop:
        p.setBrush(p.pen().color());
        p.drawRect(QRectF(3.5, 3.5, 9, 9));
        break;
    case Glyph::Close:
        p.drawLine(QPointF(4, 4), QPointF(12, 12));
        p.drawLine(QPointF(12, 4), QPointF(4, 12));
        break;
    case Glyph::Copy:
        p.drawRect(QRectF(2, 5, 8.5, 9));
        polyline(p, {{5.5, 5}, {5.5, 2}, {14, 2}, {14, 11}, {10.5, 11}});
        break;
    case Glyph::ChevronRight:
        polyline(p, {{6, 3.5}, {10.5, 8}, {6, 12.5}});
        break;
    case Glyph::ChevronDown:
        polyline(p, {{3.5, 6}, {8, 10.5}, {12.5, 6}});
        break;
    default: // Device: a chip
        p.drawRect(QRectF(4, 4, 8, 8));
        for (const double at : {6.0, 10.0}) {
            p.drawLine(QPointF(at, 1.5), QPointF(at, 4));
            p.drawLine(QPointF(at, 12), QPointF(at, 14.5));
            p.drawLine(QPointF(1.5, at), QPointF(4, at));
            p.drawLine(QPointF(12, at), QPointF(14.5, at));
        }
        break;
    }
}

void drawState(QPainter& p, Glyph glyph)
{
    const QPointF centre(8, 8);
    switch (glyph) {
    case Glyph::Check:
        polyline(p, {{2.5, 8.5}, {6.3, 12.3}, {13.5, 4}});
        break;
    case Glyph::Warning:
        p.drawPolygon(QPolygonF(QList<QPointF>{{8, 1.8}, {14.8, 14}, {1.2, 14}}));
        p.drawLine(QPointF(8, 6), QPointF(8, 9.8));
        p.drawPoint(QPointF(8, 12));
        break;
    case Glyph::Failed:
        p.drawEllipse(centre, 6.3, 6.3);
        p.drawLine(QPointF(5.5, 5.5), QPointF(10.5, 10.5));
        p.drawLine(QPointF(10.5, 5.5), QPointF(5.5, 10.5));
        break;
    case Glyph::Clock:
        p.drawEllipse(centre, 6.3, 6.3);
        polyline(p, {{8, 4}, {8, 8}, {11, 9.5}});
        break;
    case Glyph::Half:
        p.drawEllipse(centre, 6.3, 6.3);
        p.setBrush(p.pen().color());
        p.drawPie(QRectF(1.7, 1.7, 12.6, 12.6), 90 * 16, 180 * 16);
        break;
    default: // Info
        p.drawEllipse(centre, 6.3, 6.3);
        p.drawLine(QPointF(8, 7.2), QPointF(8, 11.2));
        p.drawPoint(QPointF(8, 4.8));
        break;
    }
}

QColor paletteColor(QIcon::Mode mode, QIcon::State state)
{
    const QPalette palette = QGuiApplication::palette();
    if (mode == QIcon::Disabled)
        return palette.color(QPalette::Disabled, QPalette::ButtonText);
    if (mode == QIcon::Selected)
        return palette.color(QPalette::HighlightedText);
    return palette.color(state == QIcon::On ? QPalette::Text : QPalette::ButtonText);
}

class GlyphEngine : public QIconEngine
{
public:
    GlyphEngine(Glyph glyph, std::optional<QColor> color) : m_glyph(glyph), m_color(std::move(color)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const bool own = m_color && mode != QIcon::Disabled && mode != QIcon::Selected;
        drawGlyph(*painter, m_glyph, rect, own ? *m_color : paletteColor(mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new GlyphEngine(*this); }

private:
    Glyph m_glyph;
    std::optional<QColor> m_color;
};

} // namespace

void drawGlyph(QPainter& painter, Glyph glyph, const QRectF& square, const QColor& color)
{
    const double side = std::min(square.width(), square.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(square.center() - QPointF(side / 2, side / 2));
    painter.scale(side / kGrid, side / kGrid);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    if (glyph <= Glyph::Compare) {
        drawWorkspace(painter, glyph);
    } else if (glyph == Glyph::Check || glyph == Glyph::Warning || glyph == Glyph::Failed || glyph == Glyph::Clock ||
               glyph == Glyph::Half || glyph == Glyph::Info) {
        drawState(painter, glyph);
    } else {
        drawAction(painter, glyph);
    }
    painter.restore();
}

QIcon glyphIcon(Glyph glyph)
{
    return QIcon(new GlyphEngine(glyph, std::nullopt));
}

QIcon glyphIcon(Glyph glyph, const QColor& color)
{
    return QIcon(new GlyphEngine(glyph, color));
}

QIcon programIcon()
{
    QIcon icon;
    for (const int side : {16, 24, 32, 48, 64, 128}) {
        QPixmap pixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter p(&pixmap);
        p.setRenderHint(QPainter::Antialiasing);
        p.scale(side / kGrid, side / kGrid);
        p.setPen(Qt::NoPen);
        p.setBrush(QColor(0xf7, 0xf7, 0xf5));
        p.drawRoundedRect(QRectF(0.5, 0.5, 15, 15), 3, 3);
        const auto area = [&p](std::initializer_list<QPointF> points, Component component) {
            p.setBrush(componentColor(component));
            p.drawPolygon(QPolygonF(QList<QPointF>(points)));
        };
        area({{2, 13.5}, {2, 11}, {5, 7}, {9, 3}, {11.5, 8}, {14, 10}, {14, 13.5}}, Component::Activations);
        area({{2, 13.5}, {2, 12}, {7, 9.6}, {11, 9}, {14, 11}, {14, 13.5}}, Component::Gradients);
        area({{2, 13.5}, {2, 12}, {14, 12}, {14, 13.5}}, Component::Parameters);
        p.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace peakscope
