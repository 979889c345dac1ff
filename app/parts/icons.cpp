// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/icons.h"

#include "widgets/look/svg_icon.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>

namespace peakscope {

namespace {

QString fileOf(Glyph glyph)
{
    return QStringLiteral("glyph/") + QString::fromLatin1(name(glyph).data());
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

} // namespace

void drawGlyph(QPainter& painter, Glyph glyph, const QRectF& square, const QColor& color)
{
    drawSvgIcon(painter, fileOf(glyph), square, color);
}

QIcon glyphIcon(Glyph glyph)
{
    return svgIcon(fileOf(glyph), paletteColor);
}

QIcon glyphIcon(Glyph glyph, const QColor& color)
{
    return svgIcon(fileOf(glyph), [color](QIcon::Mode mode, QIcon::State state) {
        return mode == QIcon::Disabled || mode == QIcon::Selected ? paletteColor(mode, state) : color;
    });
}

QIcon programIcon()
{
    QIcon icon;
    for (const int side : {16, 24, 32, 48, 64, 128}) {
        QPixmap pixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        drawSvgIcon(painter, QStringLiteral("program"), pixmap.rect(), Qt::black);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace peakscope
