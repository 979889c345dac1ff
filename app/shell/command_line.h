// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the program was asked to do, decided before any QApplication exists, so that help, mistakes and exports need no
// display.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <utility>

namespace peakscope {

struct CommandLine {
    enum class Mode { Window, Export, Screenshot, Help, Version, Check, Report, Unusable };

    Mode mode = Mode::Window;
    QStringList files;
    bool demo = false;      // start the demo experiment in the window
    bool session = true;    // the last one comes back where no files are given, and this one is remembered
    QString figure;         // export: a name or "all"
    QString out;            // export: file, or folder for "all"; screenshot: the PNG
    int columns = 0;        // export of a board; 0: as many as fit
    QString preset;         // export; empty: screen
    QString format;         // export; empty: by the file's extension, else pdf
    QString panels;         // export: letters such as "a,c"; empty: all
    QString at;             // export: an instant of snapshots, such as "peak"; empty: what one looks at first
    // Export: from where to where timelines go, in seconds, or events of snapshots; nothing: the steps.
    std::optional<std::pair<double, double>> range;
    double maxHeightMm = 0; // export: the tallest a page may be; 0: as the preset has it
    bool captions = false;  // export: what is said about a figure's numbers goes into a file beside it
    QString language;       // empty: as the settings say
    QStringList languages;  // export: a file in each; empty: one in English
    QString theme;          // screenshot: "light" or "dark"
    bool compare = false;   // the files side by side
    QString page;           // screenshot: "start", "plan", "run", "analyse" or "compare"; empty: what the files open
    QSize size{1280, 800};  // screenshot
    QString error;          // one line, where Unusable
    QString help;           // where Help
};

CommandLine parseCommandLine(const QStringList& arguments);
QString helpText();
QString exportHelpText();
QString reportHelpText();

} // namespace peakscope
