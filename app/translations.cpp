// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace peakscope {

bool installTranslation(const QString& language)
{
    const QLocale locale = language == QLatin1String("system") ? QLocale::system()
                           : language == QLatin1String("zh")   ? QLocale(QLocale::Chinese, QLocale::China)
                                                               : QLocale(QLocale::English, QLocale::UnitedStates);
    // Numbers in labels follow the language that was asked for.
    QLocale::setDefault(locale);
    if (locale.language() != QLocale::Chinese)
        return locale.language() == QLocale::English;
    auto* application = QCoreApplication::instance();
    // Qt's own dialogs, where its translations are installed.
    auto* qtTranslator = new QTranslator(application);
    if (qtTranslator->load(locale, QStringLiteral("qtbase"), QStringLiteral("_"),
                           QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(qtTranslator);
    auto* translator = new QTranslator(application);
    if (!translator->load(QStringLiteral(":/i18n/peakscope_zh.qm")))
        return false;
    return QCoreApplication::installTranslator(translator);
}

} // namespace peakscope
