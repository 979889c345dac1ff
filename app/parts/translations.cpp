// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/translations.h"

#include "app/parts/fonts.h"
#include "app/parts/ts_translator.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QLibraryInfo>
#include <QList>
#include <QLocale>
#include <QPointer>
#include <QResource>
#include <QTranslator>

// Outside of every namespace, as the macro asks. A static library's resources are dropped by the linker unless someone
// asks for them.
static void initResources()
{
    Q_INIT_RESOURCE(peakscope_translations);
}

namespace peakscope {

namespace {

QString& lastInstalled()
{
    static QString language = QStringLiteral("system");
    return language;
}

} // namespace

QString installedLanguage()
{
    return lastInstalled();
}

bool installTranslation(const QString& language)
{
    initResources();
    lastInstalled() = language;
    const bool system = language == QLatin1String("system");
    const QLocale::Language asked = system                            ? QLocale::system().language()
                                    : language == QLatin1String("zh") ? QLocale::Chinese
                                                                      : QLocale::English;
    const bool chinese = asked == QLocale::Chinese && canWriteChinese();
    // Numbers as the words are: "11.908 events" beside "27.0 MiB" would be read wrong.
    const QLocale locale =
        chinese ? QLocale(QLocale::Chinese, QLocale::China) : QLocale(QLocale::English, QLocale::UnitedStates);
    QLocale::setDefault(locale);
    static QList<QPointer<QTranslator>> installed;
    for (const QPointer<QTranslator>& translator : std::as_const(installed)) {
        if (!translator)
            continue;
        // Taken out whole: background threads may be asking it for words.
        QCoreApplication::removeTranslator(translator);
        delete translator;
    }
    installed.clear();
    if (!chinese)
        return asked == QLocale::English;
    auto* application = QCoreApplication::instance();
    // Qt's own dialogs, where its translations are installed.
    auto* qtTranslator = new QTranslator(application);
    installed << qtTranslator;
    if (qtTranslator->load(locale, QStringLiteral("qtbase"), QStringLiteral("_"),
                           QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(qtTranslator);
    auto* translator = new TsTranslator(application);
    installed << translator;
    QByteArray words = QResource(QStringLiteral(":/translations/peakscope_zh.ts")).uncompressedData();
    QBuffer buffer(&words);
    if (!buffer.open(QIODevice::ReadOnly) || !translator->loadTs(buffer))
        return false;
    return QCoreApplication::installTranslator(translator);
}

} // namespace peakscope
