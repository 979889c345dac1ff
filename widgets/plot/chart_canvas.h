// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What charts are drawn with, in the window and on a page: verbs over a painter, in the colours, type and line widths
// of one of both; and the legend's entries. GUI thread.
#pragma once

#include "widgets/look/component_palette.h"
#include "widgets/look/theme.h"

#include <QColor>
#include <QFont>
#include <QFontMetricsF>
#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <array>
#include <optional>

class QPainter;

namespace peakscope {

struct ChartColors {
    QColor background, text, muted, grid, axis, warning;
    bool dark = false;
};

// What an area is filled with.
struct Fill {
    QColor color;
    Hatch hatch = Hatch::None;
    QColor hatchColor{};
};

enum class TextSize { Small, Normal, Title };
struct TextStyle {
    TextSize size = TextSize::Normal;
    bool bold = false;
    bool muted = false;
    QColor color{}; // invalid: the theme's
};

enum class Dash { Solid, Dashed, Dotted };

// A rectangle in which values have places.
struct AxisArea {
    QRectF rect;
    double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1; // yLow is at the bottom

    double x(double value) const { return rect.left() + rect.width() * (value - xLow) / (xHigh - xLow); }
    double y(double value) const { return rect.bottom() - rect.height() * (value - yLow) / (yHigh - yLow); }
    bool operator==(const AxisArea&) const = default;
};

class ChartCanvas
{
public:
    virtual ~ChartCanvas() = default;

    const ChartColors& colors() const { return m_colors; }
    double hairline() const { return m_hairline; }
    virtual double gap() const = 0; // a unit of white space
    // What is left of the box of a cell beside its neighbours.
    virtual QRectF cellBox(const QRectF& box) const = 0;

    // Text whose anchor is the point given: left, right or centred horizontally, always centred on the capitals
    // vertically. Returns its box.
    virtual QRectF text(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style = {}) = 0;
    virtual QRectF textBox(QPointF anchor, const QString& text, Qt::AlignmentFlag align,
                           TextStyle style = {}) const = 0;
    virtual void area(const QRectF& rect, const Fill& fill) = 0;

    void line(QPointF from, QPointF to, const QColor& color, double width, Dash dash = Dash::Solid);
    void polyline(const QPolygonF& points, const QColor& color, double width, Dash dash = Dash::Solid);
    void rect(const QRectF& rect, const QColor& fill);
    void outline(const QRectF& rect, const QColor& color, double width, Dash dash = Dash::Solid);
    void polygon(const QPolygonF& points, const QColor& fill);

protected:
    ChartCanvas(QPainter* painter, ChartColors colors, double hairline)
        : m_painter(painter), m_colors(std::move(colors)), m_hairline(hairline)
    {}

    QPainter* painter() const { return m_painter; } // null: only measures

private:
    void setPen(const QColor& color, double width, Dash dash);

    QPainter* m_painter; // not owned
    ChartColors m_colors;
    double m_hairline;
};

// In logical pixels, in the theme of a widget and its font.
class ScreenCanvas : public ChartCanvas
{
public:
    ScreenCanvas(QPainter& painter, const ChartTheme& theme, const QFont& font);

    double gap() const override { return 4; }
    QRectF cellBox(const QRectF& box) const override;
    QRectF text(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style = {}) override;
    QRectF textBox(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style = {}) const override;
    void area(const QRectF& rect, const Fill& fill) override;

private:
    std::array<QFont, 2> m_fonts; // plain, bold
    std::array<QFontMetricsF, 2> m_metrics;
    std::optional<bool> m_bold; // of the font that the painter has
};
ChartColors screenColors(const ChartTheme& theme);

// A mark as the data has it.
struct LegendMarker {
    QPolygonF outline; // of a legend's around the origin
    QColor color;
    bool filled = true;
};
void drawLegendMarker(ChartCanvas& canvas, const LegendMarker& marker);

struct LegendEntry {
    QString text;
    std::optional<Fill> fill{}; // a swatch,
    std::optional<Dash> dash{}; // or a piece of line; both: a swatch with such a frame
    QColor lineColor{};
    std::optional<LegendMarker> marker{}; // on the line, or alone
};
// All of it but its text.
void drawLegendSign(ChartCanvas& canvas, const QRectF& box, const LegendEntry& entry);

} // namespace peakscope
