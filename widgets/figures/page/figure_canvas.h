// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A page in points (1/72 inch) that the figures draw on: text with exact metrics, lines, hatched areas. Private to the
// figures; without a painter it only measures.
#pragma once

#include "widgets/figures/page/figure.h"
#include "widgets/plot/chart_canvas.h"

#include <QColor>
#include <QPainterPath>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <vector>

namespace peakscope {

ChartColors figureColors(FigureTheme theme);
Fill componentFill(Component component);

class FigureCanvas : public ChartCanvas
{
public:
    // `painter` may be null; its coordinates are points, the page starts at (0, 0).
    FigureCanvas(QPainter* painter, const FigurePreset& preset, FigureTheme theme);

    const FigurePreset& preset() const { return m_preset; }

    // Sizes, in points.
    double pageWidth() const;
    double fontPt(TextSize size) const;
    double lineHeight(TextSize size = TextSize::Normal) const;
    double capHeight(TextSize size) const;
    double width(const QString& text, TextStyle style = {}) const;
    // A unit of white space that grows with the type: a quarter of its size.
    double gap() const override { return m_preset.fontPt / 4; }
    QRectF cellBox(const QRectF& box) const override;

    // `text` cut in its middle until it is at most `width` wide.
    QString elided(const QString& text, double width, TextStyle style = {}) const;

    QRectF text(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style = {}) override;
    QRectF textBox(QPointF anchor, const QString& text, Qt::AlignmentFlag align, TextStyle style = {}) const override;
    // Reading upwards, centred on the point.
    void verticalText(QPointF centre, const QString& text, TextStyle style = {});

    void roundedBox(const QRectF& rect, const QColor& fill, const QColor& border);
    void area(const QRectF& rect, const Fill& fill) override;
    void hatch(const QPolygonF& points, const Fill& fill);

    // Everything written so far: tests look for text that leaves the page or lies on other text.
    struct PlacedText {
        QString text;
        QRectF box;
    };
    const std::vector<PlacedText>& placedTexts() const { return m_placed; }

    // What is said about the figure, where the preset has it apart.
    void addCaption(const QStringList& words) { m_caption << words; }
    const QStringList& caption() const { return m_caption; }

private:
    void drawAt(QPointF baseline, const QString& text, const TextStyle& style);
    QColor colorOf(const TextStyle& style) const;
    QFont fontOf(const TextStyle& style) const;

    FigurePreset m_preset;
    bool m_outlines = true;
    std::vector<PlacedText> m_placed;
    QStringList m_caption;
};

// Parallel lines `spacing` apart at `degrees` (counter-clockwise from the horizontal), cut to the polygon. They lie on
// one grid for the whole page, so that neighbouring areas line up.
std::vector<QLineF> hatchLines(const QPolygonF& polygon, double degrees, double spacing);

} // namespace peakscope
