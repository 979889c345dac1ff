// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/theme_controller.h"

#include "widgets/look/theme.h"

#include <QApplication>
#include <QFont>
#include <QPainter>
#include <QHeaderView>
#include <QProxyStyle>
#include <QStyleOption>
#include <QToolTip>

namespace peakscope {

namespace {

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor edgeInk(const QStyleOption& option)
{
    QColor ink = option.palette.color(QPalette::Text);
    ink.setAlphaF(0.5F);
    return ink;
}

// A field's shows that it has the keys: in the colour of links, which is read on either ground.
QColor fieldInk(const QStyleOption& option)
{
    return option.state & QStyle::State_HasFocus ? option.palette.color(QPalette::Link) : edgeInk(option);
}

void drawEdge(const QStyleOption& option, const QColor& ink, QPainter* painter)
{
    painter->save();
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(ink, 1));
    painter->drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5));
    painter->restore();
}

bool isFramedField(const QStyleOptionComplex& option)
{
    if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(&option))
        return box->frame;
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(&option);
    return spin && spin->frame;
}

// Fusion makes the outlines of check boxes and fields from the window's colour, darker: on a dark window they are not
// seen.
class OutlinedFusion : public QProxyStyle
{
public:
    OutlinedFusion() : QProxyStyle(QStringLiteral("Fusion")) {}

    // Titles to the right and to the left would touch where their columns meet.
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        const auto* header = metric == PM_HeaderMargin ? qobject_cast<const QHeaderView*>(widget) : nullptr;
        const bool titles = header && header->orientation() == Qt::Horizontal;
        return QProxyStyle::pixelMetric(metric, option, widget) + (titles ? 2 : 0);
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override
    {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        if (element == PE_FrameLineEdit)
            drawEdge(*option, fieldInk(*option), painter);
        else if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck)
            drawEdge(*option, edgeInk(*option), painter);
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override
    {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        if (isFramedField(*option))
            drawEdge(*option, fieldInk(*option), painter);
    }
};

Theme& lastApplied()
{
    static Theme theme = Theme::System;
    return theme;
}

} // namespace

Theme appliedTheme()
{
    return lastApplied();
}

void applyTheme(Theme theme)
{
    lastApplied() = theme;
    // Asked before the first change: afterwards the palette is ours.
    static const bool systemIsDark = isDark(QApplication::palette());
    const bool dark = theme == Theme::Dark || (theme == Theme::System && systemIsDark);
    if (!dynamic_cast<OutlinedFusion*>(QApplication::style()))
        QApplication::setStyle(new OutlinedFusion);
    const QPalette palette = dark ? darkPalette() : lightPalette();
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);

    // A tool's density, but never smaller than a desktop that asks for large text.
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0 && font.pointSizeF() < 9) {
        font.setPointSizeF(9);
        QApplication::setFont(font);
    }
}

} // namespace peakscope
