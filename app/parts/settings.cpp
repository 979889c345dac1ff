// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/settings.h"

#include "app/parts/session.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>

namespace peakscope::settings {

namespace {

constexpr qint64 kLargestSettings = 64 << 20; // bytes

// Asked for each time: tests switch QStandardPaths into its test mode after the program has started. Where something
// else than settings stands, Qt would wait for it or read it without an end: then they last as long as the program.
QSettings store()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
    QString path = folder + QStringLiteral("/peakscope.ini");
    if (const QFileInfo file(path); file.exists() && (!file.isFile() || file.size() > kLargestSettings)) {
        static const QTemporaryDir kPassing;
        path = kPassing.filePath(QStringLiteral("peakscope.ini"));
    }
    return QSettings(path, QSettings::IniFormat);
}

QVariant read(const QString& key, const QVariant& fallback = {})
{
    return store().value(key, fallback);
}

void write(const QString& key, const QVariant& value)
{
    QSettings settings = store();
    settings.setValue(key, value);
}

} // namespace

Theme theme()
{
    const QString text = read(QStringLiteral("view/theme")).toString();
    if (text == QLatin1String("light"))
        return Theme::Light;
    return text == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

void setTheme(Theme theme)
{
    const char* const names[] = {"system", "light", "dark"};
    write(QStringLiteral("view/theme"), QString::fromLatin1(names[static_cast<int>(theme)]));
}

QString language()
{
    const QString text = read(QStringLiteral("view/language")).toString();
    const bool known = text == QLatin1String("en") || text == QLatin1String("zh");
    return known ? text : QStringLiteral("system");
}

void setLanguage(const QString& language)
{
    write(QStringLiteral("view/language"), language);
}

QStringList recentFiles()
{
    // One file may hold several results, and is remembered once.
    QStringList files;
    for (const QString& path : read(QStringLiteral("files/recent")).toStringList())
        files << fileOfDocument(path);
    files.removeDuplicates();
    return files.mid(0, kMaxRecentFiles);
}

void addRecentFile(const QString& path)
{
    const QString absolute = fileOfDocument(QFileInfo(path).absoluteFilePath());
    QStringList files = recentFiles();
    files.removeAll(absolute);
    files.prepend(absolute);
    write(QStringLiteral("files/recent"), files.mid(0, kMaxRecentFiles));
}

void removeRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    write(QStringLiteral("files/recent"), files);
}

void clearRecentFiles()
{
    write(QStringLiteral("files/recent"), QStringList());
}

QString libraryFolder()
{
    const QString chosen = read(QStringLiteral("files/library")).toString();
    if (!chosen.isEmpty())
        return chosen;
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/results");
}

void setLibraryFolder(const QString& folder)
{
    write(QStringLiteral("files/library"), folder);
}

bool foldsSidePanels()
{
    return read(QStringLiteral("view/fold_side_panels"), true).toBool();
}

void setFoldsSidePanels(bool fold)
{
    write(QStringLiteral("view/fold_side_panels"), fold);
}

QStringList dryCards()
{
    return read(QStringLiteral("dry/cards")).toStringList();
}

void setDryCards(const QStringList& cards)
{
    write(QStringLiteral("dry/cards"), cards);
}

QStringList recentDryCards()
{
    return read(QStringLiteral("dry/recent")).toStringList();
}

void noteDryCards(const QStringList& cards)
{
    constexpr qsizetype kKept = 4;
    QStringList recent = cards + recentDryCards();
    recent.removeDuplicates();
    write(QStringLiteral("dry/recent"), recent.first(std::min(kKept, recent.size())));
}

QString exportFolder()
{
    const QString chosen = read(QStringLiteral("files/export")).toString();
    if (!chosen.isEmpty() && QFileInfo(chosen).isDir())
        return chosen;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

void setExportFolder(const QString& folder)
{
    write(QStringLiteral("files/export"), folder);
}

QByteArray lastExperiment()
{
    return read(QStringLiteral("run/experiment")).toByteArray();
}

void setLastExperiment(const QByteArray& json)
{
    write(QStringLiteral("run/experiment"), json);
}

QByteArray layout(const QString& key)
{
    return read(QStringLiteral("layout/") + key).toByteArray();
}

void setLayout(const QString& key, const QByteArray& value)
{
    write(QStringLiteral("layout/") + key, value);
}

void clearLayout()
{
    QSettings settings = store();
    settings.remove(QStringLiteral("layout"));
}

QByteArray launchers()
{
    return read(QStringLiteral("run/launchers")).toByteArray();
}

void setLaunchers(const QByteArray& bytes)
{
    write(QStringLiteral("run/launchers"), bytes);
}

QByteArray session()
{
    return read(QStringLiteral("session/last")).toByteArray();
}

void setSession(const QByteArray& bytes)
{
    write(QStringLiteral("session/last"), bytes);
}

QMap<QString, QByteArray> unfinishedRuns()
{
    QSettings settings = store();
    settings.beginGroup(QStringLiteral("unfinished"));
    QMap<QString, QByteArray> runs;
    for (const QString& window : settings.childKeys())
        runs.insert(window, settings.value(window).toByteArray());
    return runs;
}

void setUnfinishedRuns(const QString& window, const QByteArray& json)
{
    QSettings settings = store();
    settings.beginGroup(QStringLiteral("unfinished"));
    if (json.isEmpty())
        settings.remove(window);
    else if (settings.value(window).toByteArray() != json)
        settings.setValue(window, json);
}

QByteArray agreedCommands()
{
    return read(QStringLiteral("run/agreed_commands")).toByteArray();
}

void setAgreedCommands(const QByteArray& bytes)
{
    write(QStringLiteral("run/agreed_commands"), bytes);
}

} // namespace peakscope::settings
