// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the program remembers between starts, in one typed class over QSettings. GUI thread only. Unknown or
// broken values fall back to the defaults.
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

namespace peakscope {

enum class Theme { System, Light, Dark };

namespace settings {

Theme theme();
void setTheme(Theme theme);

// "system", "en" or "zh".
QString language();
void setLanguage(const QString& language);

// Newest first, at most kMaxRecentFiles; files that are gone stay until clearMissingRecentFiles().
inline constexpr int kMaxRecentFiles = 12;
QStringList recentFiles();
void addRecentFile(const QString& path);
void removeRecentFile(const QString& path);
void clearRecentFiles();

// Where runs are saved; AppDataLocation/results unless the user chose another folder.
QString libraryFolder();
void setLibraryFolder(const QString& folder);

// Where the last figure or copy went; the documents folder at first.
QString exportFolder();
void setExportFolder(const QString& folder);

// The last experiment that was set up, as JSON text; empty at first.
QByteArray lastExperiment();
void setLastExperiment(const QByteArray& json);

// Whether library and inspector give way to the page in a narrow window.
bool foldsSidePanels();
void setFoldsSidePanels(bool fold);

// The cards that a program was last run dry on, by their ids; empty at first.
QStringList dryCards();
void setDryCards(const QStringList& cards);
// The cards that anything was run dry on, the last first.
QStringList recentDryCards();
void noteDryCards(const QStringList& cards);

// Sizes and docks: `key` is "window", "state" or "run_state".
QByteArray layout(const QString& key);
void setLayout(const QString& key, const QByteArray& value);
void clearLayout();

// Ways to run elsewhere (launcher_presets.h); empty at first.
QByteArray launchers();
void setLaunchers(const QByteArray& bytes);

// What was in front at the last end (session.h); empty at first.
QByteArray session();
void setSession(const QByteArray& bytes);
// What each window had waiting or under way (unfinished_runs.h), by the window's key.
QMap<QString, QByteArray> unfinishedRuns();
void setUnfinishedRuns(const QString& window, const QByteArray& json); // empty: none any more

// Which commands of which files the user agreed to (command_consent.h); empty at first.
QByteArray agreedCommands();
void setAgreedCommands(const QByteArray& bytes);

} // namespace settings
} // namespace peakscope
