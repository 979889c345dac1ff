// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/theme_controller.h"

#include "widgets/look/theme.h"

#include <QApplication>
#include <QFont>
#include <QStyle>
#include <QStyleFactory>
#include <QToolTip>

namespace peakscope {

namespace {

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

void applyTheme(Theme theme)
{
    // Asked before the first change: afterwards the palette is ours.
    static const bool systemIsDark = isDark(QApplication::palette());
    const bool dark = theme == Theme::Dark || (theme == Theme::System && systemIsDark);
    if (QApplication::style()->name() != QLatin1String("fusion"))
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
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
