// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/fonts.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QFontInfo>

#ifdef PEAKSCOPE_FONTS
static void initFonts()
{
    Q_INIT_RESOURCE(peakscope_fonts);
}
#endif

namespace peakscope {

namespace {

// Fontconfig offers families such as "Sans Serif" also where there is no font to draw them with.
bool hasFont()
{
    return !QFontInfo(QApplication::font()).family().isEmpty();
}

} // namespace

bool provideFonts()
{
    const QString family = QStringLiteral("DejaVu Sans");
    const bool none = !hasFont();
    if (QFontDatabase::families().contains(family))
        return true;
#ifdef PEAKSCOPE_FONTS
    initFonts();
    for (const char* file : {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"})
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/") + QString::fromLatin1(file));
#endif
    if (none)
        QApplication::setFont(QFont(family, QApplication::font().pointSize()));
    return hasFont();
}

bool canWriteChinese()
{
    // A program without windows draws nothing, and has no fonts to ask for.
    return !qobject_cast<QGuiApplication*>(QCoreApplication::instance()) ||
           !QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty();
}

} // namespace peakscope
