// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/chart_canvas.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

Qt::PenStyle penStyle(Dash dash)
{
    switch (dash) {
    case Dash::Solid:
        return Qt::SolidLine;
    case Dash::Dashed:
        return Qt::DashLine;
    case Dash::Dotted:
        return Qt::DotLine;
    }
    return Qt::SolidLine;
}

Qt::BrushStyle brushStyle(Hatch hatch)
{
    switch (hatch) {
    case Hatch::None:
        return Qt::NoBrush;
    case Hatch::Rising:
        return Qt::BDiagPattern;
    case Hatch::Falling:
        return Qt::FDiagPattern;
    case Hatch::Crossed:
        return Qt::DiagCrossPattern;
    case Hatch::Horizontal:
        return Qt::HorPattern;
    case Hatch::Vertical:
        return Qt::VerPattern;
    case Hatch::Grid:
        return Qt::CrossPattern;
    case Hatch::Dots:
        return Qt::Dense7Pattern;
    }
    return Qt::NoBrush;
}

QFont bolder(QFont font)
{
    font.setBold(true);
    return font;
}

} // namespace

void ChartCanvas::setPen(const QColor& color, double width, Dash dash)
{
    m_painter->setPen(QPen(color, std::max(width, m_hairline), penStyle(dash), Qt::FlatCap, Qt::MiterJoin));
    m_painter->setBrush(Qt::NoBrush);
}

void ChartCanvas::line(QPointF from, QPointF to, const QColor& color, double width, Dash dash)
{
    if (!m_painter)
        return;
    setPen(color, width, dash);
    m_painter->drawLine(from, to);
}

void ChartCanvas::polyline(const QPolygonF& points, const QColor& color, double width, Dash dash)
{
    if (!m_painter)
        return;
    setPen(color, width, dash);
    m_painter->drawPolyline(points);
}

void ChartCanvas::rect(const QRectF& rect, const QColor& fill)
{
    if (m_painter && rect.isValid())
        m_painter->fillRect(rect, fill);
}

void ChartCanvas::outline(const QRectF& rect, const QColor& color, double width, Dash dash)
{
    if (!m_painter)
        return;
    setPen(color, width, dash);
    m_painter->drawRect(rect);
}

void ChartCanvas::polygon(const QPolygonF& points, const QColor& fill)
{
    if (!m_painter || points.size() < 3)
        return;
    m_painter->setPen(Qt::NoPen);
    m_painter->setBrush(fill);
    m_painter->drawPolygon(points);
}

ChartColors screenColors(const ChartTheme& theme)
{
    return {theme.background, theme.text, theme.mutedText, theme.grid, theme.axis, theme.warning, theme.dark};
}

ScreenCanvas::ScreenCanvas(QPainter& painter, const ChartTheme& theme, const QFont& font)
    : ChartCanvas(&painter, screenColors(theme), 1), m_fonts{font, bolder(font)}, m_metrics{QFontMetricsF(m_fonts[0]),
                                                                                            QFontMetricsF(m_fonts[1])}
{}

// Whole pixels, one of them between neighbours.
QRectF ScreenCanvas::cellBox(const QRectF& box) const
{
    constexpr double kLeast = 8; // pixels; lines between smaller cells would be a good part of what is seen
    const double line = std::min(box.width(), box.height()) < kLeast ? 0 : 1;
    const QPointF from(std::round(box.left()), std::round(box.top()));
    return {from, QPointF(std::round(box.right()) - line, std::round(box.bottom()) - line)};
}

QRectF ScreenCanvas::textBox(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style) const
{
    const QFontMetricsF& metrics = m_metrics[style.bold];
    const double width = metrics.horizontalAdvance(text);
    const double left = anchor.x() - (align == Qt::AlignRight ? width : align == Qt::AlignHCenter ? width / 2 : 0);
    return {left, anchor.y() - metrics.height() / 2, width, metrics.height()};
}

QRectF ScreenCanvas::text(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style)
{
    const QRectF box = textBox(anchor, text, align, style);
    if (m_bold != style.bold) {
        painter()->setFont(m_fonts[style.bold]);
        m_bold = style.bold;
    }
    painter()->setPen(style.color.isValid() ? style.color : style.muted ? colors().muted : colors().text);
    // At its baseline: in a box it would be measured once more.
    painter()->drawText(QPointF(std::round(box.left()), std::round(box.top() + m_metrics[style.bold].ascent())), text);
    return box;
}

void ScreenCanvas::area(const QRectF& box, const Fill& fill)
{
    rect(box, fill.color);
    if (fill.hatch != Hatch::None && box.isValid())
        painter()->fillRect(box, QBrush(fill.hatchColor, brushStyle(fill.hatch)));
}

void drawLegendMarker(ChartCanvas& canvas, const LegendMarker& marker)
{
    canvas.polygon(marker.outline, marker.filled ? marker.color : canvas.colors().background);
    QPolygonF closed = marker.outline;
    closed << marker.outline.front();
    canvas.polyline(closed, marker.color, canvas.hairline() * 1.2);
}

void drawLegendSign(ChartCanvas& canvas, const QRectF& box, const LegendEntry& entry)
{
    const double middle = box.center().y();
    if (entry.fill) {
        canvas.area(box, *entry.fill);
        if (entry.dash)
            canvas.outline(box, entry.lineColor, canvas.hairline() * (*entry.dash == Dash::Solid ? 2 : 1), *entry.dash);
        else
            canvas.outline(box, canvas.colors().axis, canvas.hairline());
    } else if (entry.dash) {
        canvas.line({box.left(), middle}, {box.right(), middle}, entry.lineColor,
                    canvas.hairline() * (entry.marker ? 1 : 2), *entry.dash);
    }
    if (entry.marker) {
        LegendMarker marker = *entry.marker;
        marker.outline.translate(box.center() - marker.outline.boundingRect().center());
        drawLegendMarker(canvas, marker);
    }
}

} // namespace peakscope
