// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/fonts.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QFontInfo>

#include <initializer_list>

static void initFonts()
{
    Q_INIT_RESOURCE(peakscope_fonts);
#ifdef PEAKSCOPE_FONTS
    Q_INIT_RESOURCE(peakscope_fallback_font);
#endif
}

namespace peakscope {

namespace {

// Fontconfig offers families such as "Sans Serif" also where there is no font to draw them with.
bool hasFont()
{
    return !QFontInfo(QApplication::font()).family().isEmpty();
}

void add(std::initializer_list<const char*> files)
{
    for (const char* file : files)
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/") + QString::fromLatin1(file));
}

} // namespace

bool provideFonts()
{
    const QString fallback = QStringLiteral("DejaVu Sans");
    const QFont system = QApplication::font();
    initFonts();
    add({"Inter-Regular.otf", "Inter-Bold.otf", "SourceSans3-Regular.ttf", "SourceSans3-Bold.ttf"});
#ifdef PEAKSCOPE_FONTS
    if (!QFontDatabase::families().contains(fallback))
        add({"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"});
#endif
    QFont window = system;
    window.setFamilies(QStringList{QStringLiteral("Inter"), system.family(), fallback});
    QApplication::setFont(window);
    return hasFont();
}

bool canWriteChinese()
{
    // A program without windows draws nothing, and has no fonts to ask for.
    return !qobject_cast<QGuiApplication*>(QCoreApplication::instance()) ||
           !QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty();
}

} // namespace peakscope
