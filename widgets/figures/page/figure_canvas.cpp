// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_canvas.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainter>
#include <QTransform>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// Text is laid out at this size and scaled down: at large sizes advances are not rounded to pixels, so every device
// gets the same line breaks and positions.
constexpr int kLayoutPixels = 200;
// Of hatches, in parts of the normal type size, so that a slide's are as coarse as its type.
constexpr double kHatchSpacing = 0.4;
constexpr double kHatchLine = 0.0625;

void addLines(QPainterPath& path, const std::vector<QLineF>& lines)
{
    for (const QLineF& line : lines) {
        path.moveTo(line.p1());
        path.lineTo(line.p2());
    }
}

// Short dashes on every second grid place of horizontal hatch lines, shifted from line to line.
void addDots(QPainterPath& path, const std::vector<QLineF>& lines, double spacing)
{
    constexpr double kDotPt = 0.7;
    for (const QLineF& line : lines) {
        const double row = std::round(line.y1() / spacing);
        const double shift = std::fmod(std::abs(row), 2) * spacing / 2;
        const double left = std::min(line.x1(), line.x2());
        const double right = std::max(line.x1(), line.x2());
        for (double x = std::ceil((left - shift) / spacing) * spacing + shift; x + kDotPt < right; x += spacing) {
            path.moveTo(x, line.y1());
            path.lineTo(x + kDotPt, line.y1());
        }
    }
}

QPainterPath hatchPath(const QPolygonF& points, Hatch hatch, double spacing)
{
    QPainterPath path;
    switch (hatch) {
    case Hatch::None:
        break;
    case Hatch::Rising:
        addLines(path, hatchLines(points, 45, spacing));
        break;
    case Hatch::Falling:
        addLines(path, hatchLines(points, -45, spacing));
        break;
    case Hatch::Crossed:
        addLines(path, hatchLines(points, 45, spacing));
        addLines(path, hatchLines(points, -45, spacing));
        break;
    case Hatch::Horizontal:
        addLines(path, hatchLines(points, 0, spacing * 0.8));
        break;
    case Hatch::Vertical:
        addLines(path, hatchLines(points, 90, spacing * 0.8));
        break;
    case Hatch::Grid:
        addLines(path, hatchLines(points, 0, spacing));
        addLines(path, hatchLines(points, 90, spacing));
        break;
    case Hatch::Dots:
        addDots(path, hatchLines(points, 0, spacing * 0.7), spacing * 0.7);
        break;
    }
    return path;
}

} // namespace

ChartColors figureColors(FigureTheme theme)
{
    if (theme == FigureTheme::Dark) {
        return {QColor(0x1e, 0x1f, 0x22),
                QColor(0xec, 0xec, 0xec),
                QColor(0xb4, 0xb4, 0xb4),
                QColor(0x3a, 0x3b, 0x3f),
                QColor(0x9a, 0x9a, 0x9a),
                QColor(0xff, 0x9b, 0x6b),
                true};
    }
    return {QColor(Qt::white),
            QColor(0x11, 0x11, 0x11),
            QColor(0x55, 0x55, 0x55),
            QColor(0xe3, 0xe3, 0xe3),
            QColor(0x40, 0x40, 0x40),
            QColor(0xa8, 0x32, 0x00),
            false};
}

Fill componentFill(Component component)
{
    return {componentColor(component), componentHatch(component), componentHatchColor(component)};
}

FigureCanvas::FigureCanvas(QPainter* painter, const FigurePreset& preset, FigureTheme theme)
    : ChartCanvas(painter, figureColors(theme), preset.lineWidthPt), m_preset(preset)
{
    if (painter && painter->paintEngine())
        m_outlines = painter->paintEngine()->type() != QPaintEngine::Pdf;
}

double FigureCanvas::pageWidth() const
{
    return m_preset.widthMm * 72 / 25.4;
}

double FigureCanvas::fontPt(TextSize size) const
{
    switch (size) {
    case TextSize::Small:
        return m_preset.smallFontPt;
    case TextSize::Normal:
        return m_preset.fontPt;
    case TextSize::Title:
        return m_preset.fontPt * 1.2;
    }
    return m_preset.fontPt;
}

double FigureCanvas::lineHeight(TextSize size) const
{
    return fontPt(size) * 1.25;
}

double FigureCanvas::capHeight(TextSize size) const
{
    return QFontMetricsF(fontOf({size})).capHeight() * fontPt(size) / kLayoutPixels;
}

QFont FigureCanvas::fontOf(const TextStyle& style) const
{
    QFont font;
    // The first is the program's own; the last ones carry Chinese; whatever the system has for it comes after them.
    font.setFamilies({QStringLiteral("Source Sans 3"), QStringLiteral("DejaVu Sans"),
                      QStringLiteral("Droid Sans Fallback"), QStringLiteral("Noto Sans CJK SC"),
                      QStringLiteral("WenQuanYi Micro Hei")});
    font.setStyleHint(QFont::SansSerif);
    font.setPixelSize(kLayoutPixels);
    font.setBold(style.bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(QFont::PreferAntialias);
    return font;
}

QColor FigureCanvas::colorOf(const TextStyle& style) const
{
    if (style.color.isValid())
        return style.color;
    return style.muted ? colors().muted : colors().text;
}

double FigureCanvas::width(const QString& text, TextStyle style) const
{
    return QFontMetricsF(fontOf(style)).horizontalAdvance(text) * fontPt(style.size) / kLayoutPixels;
}

QString FigureCanvas::elided(const QString& text, double width, TextStyle style) const
{
    const QFontMetricsF metrics(fontOf(style));
    return metrics.elidedText(text, Qt::ElideMiddle, width * kLayoutPixels / fontPt(style.size));
}

QRectF FigureCanvas::textBox(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style) const
{
    const double advance = width(text, style);
    double left = anchor.x();
    if (align == Qt::AlignRight)
        left -= advance;
    else if (align == Qt::AlignHCenter)
        left -= advance / 2;
    const double cap = capHeight(style.size);
    const double descent = fontPt(style.size) * 0.22;
    return {left, anchor.y() - cap / 2 - descent / 2, advance, cap + descent * 1.5};
}

QRectF FigureCanvas::text(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style)
{
    const QRectF box = textBox(anchor, text, align, style);
    if (text.isEmpty())
        return box;
    m_placed.push_back({text, box});
    drawAt({box.left(), anchor.y() + capHeight(style.size) / 2}, text, style);
    return box;
}

void FigureCanvas::verticalText(QPointF centre, const QString& text, TextStyle style)
{
    const QRectF box = textBox({0, 0}, text, Qt::AlignHCenter, style);
    m_placed.push_back({text, QRectF(centre.x() + box.top(), centre.y() + box.left(), box.height(), box.width())});
    if (!painter())
        return;
    painter()->save();
    painter()->translate(centre);
    painter()->rotate(-90);
    drawAt({box.left(), capHeight(style.size) / 2}, text, style);
    painter()->restore();
}

void FigureCanvas::drawAt(QPointF baseline, const QString& text, const TextStyle& style)
{
    if (!painter())
        return;
    const double scale = fontPt(style.size) / kLayoutPixels;
    painter()->save();
    painter()->translate(baseline);
    painter()->scale(scale, scale);
    if (m_outlines) {
        QPainterPath path;
        path.setFillRule(Qt::WindingFill);
        path.addText(0, 0, fontOf(style), text);
        painter()->fillPath(path, colorOf(style));
    } else {
        painter()->setFont(fontOf(style));
        painter()->setPen(colorOf(style));
        painter()->drawText(QPointF(0, 0), text);
    }
    painter()->restore();
}

void FigureCanvas::roundedBox(const QRectF& rect, const QColor& fill, const QColor& border)
{
    if (!painter())
        return;
    painter()->setPen(border.isValid() ? QPen(border, m_preset.lineWidthPt) : QPen(Qt::NoPen));
    painter()->setBrush(fill);
    const double radius = rect.height() / 5;
    painter()->drawRoundedRect(rect, radius, radius);
}

QRectF FigureCanvas::cellBox(const QRectF& box) const
{
    constexpr double kLeast = 12; // hairlines; lines between smaller cells would be a good part of what is seen
    const double inset = hairline() / 2;
    if (std::min(box.width(), box.height()) < kLeast * hairline())
        return box.adjusted(0, -inset, inset, 0); // under its neighbours, so that no seam shines through
    return box.adjusted(inset, inset, -inset, -inset);
}

void FigureCanvas::area(const QRectF& box, const Fill& fill)
{
    if (!box.isValid())
        return;
    rect(box, fill.color);
    hatch(QPolygonF(box), fill);
}

void FigureCanvas::hatch(const QPolygonF& points, const Fill& fill)
{
    if (!painter() || fill.hatch == Hatch::None)
        return;
    const QPainterPath path = hatchPath(points, fill.hatch, kHatchSpacing * m_preset.fontPt);
    if (path.isEmpty())
        return;
    const double width = kHatchLine * m_preset.fontPt * (fill.hatch == Hatch::Dots ? 1.4 : 1);
    painter()->setPen(QPen(fill.hatchColor, width, Qt::SolidLine, Qt::FlatCap));
    painter()->setBrush(Qt::NoBrush);
    painter()->drawPath(path);
}

std::vector<QLineF> hatchLines(const QPolygonF& polygon, double degrees, double spacing)
{
    std::vector<QLineF> lines;
    if (polygon.size() < 3 || spacing <= 0)
        return lines;
    // Turned so that the lines are horizontal, the polygon is cut like a scan line cuts it.
    const QTransform turn = QTransform().rotate(degrees); // Qt's y points down: this undoes the angle
    const QTransform back = turn.inverted();
    const QPolygonF turned = turn.map(polygon);
    const QRectF bounds = turned.boundingRect();
    const auto first = static_cast<long>(std::ceil(bounds.top() / spacing));
    const auto last = static_cast<long>(std::floor(bounds.bottom() / spacing));
    std::vector<std::vector<double>> crossings(last >= first ? static_cast<std::size_t>(last - first + 1) : 0);
    for (qsizetype i = 0; i < turned.size(); ++i) {
        const QPointF a = turned[i];
        const QPointF b = turned[(i + 1) % turned.size()];
        const double low = std::min(a.y(), b.y());
        const double high = std::max(a.y(), b.y());
        if (!(low < high))
            continue; // along the lines: rounding must not let one cross it
        // Half-open, so that a corner on the line counts once.
        for (auto k = static_cast<long>(std::ceil(low / spacing)); k <= last && k * spacing < high; ++k) {
            const double share = (k * spacing - a.y()) / (b.y() - a.y());
            crossings[static_cast<std::size_t>(k - first)].push_back(a.x() + share * (b.x() - a.x()));
        }
    }
    constexpr double kShortestPt = 0.1;
    for (std::size_t row = 0; row < crossings.size(); ++row) {
        std::vector<double>& xs = crossings[row];
        std::sort(xs.begin(), xs.end());
        const double y = static_cast<double>(first + static_cast<long>(row)) * spacing;
        for (std::size_t i = 0; i + 1 < xs.size(); i += 2) {
            if (xs[i + 1] - xs[i] > kShortestPt)
                lines.emplace_back(back.map(QPointF(xs[i], y)), back.map(QPointF(xs[i + 1], y)));
        }
    }
    return lines;
}

} // namespace peakscope
