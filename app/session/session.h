// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window had in front, as plain data: written when it closes, shown again at the next start, and carried over
// when it is built anew in another language. Sizes and docks are not in it (settings::layout). Any thread.
#pragma once

#include "app/run/command_consent.h"

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace peakscope {

// The visible range of a plot's time axis and what is selected on it, in seconds.
struct SessionView {
    double lower = 0, upper = 0;
    std::optional<std::pair<double, double>> selection;
    QStringList hidden; // components that are not drawn
};

struct Session {
    // More files than this are not opened again, so that a start never reads a whole library.
    static constexpr int kMostFiles = 32;

    QStringList files; // open results, by path; one line a file, whatever it holds
    QString shown;     // the result in front, "FILE" or "FILE#2"; empty: none
    QString page;      // "start", "plan", "run", "analyse", "compare"
    QStringList compared;
    QString base;                                    // of the comparison, by its path; empty: the natural one
    int alignment = 0;                               // of the comparison, a TimelineAlignment
    std::map<QString, SessionView> views;            // "timeline", "compare"
    std::optional<std::array<double, 4>> thresholds; // as moved in Analyse: function's two, then privacy's
    QString rule;                                    // of the classes, "absolute" or "quantile"; empty: the stored one
    nlohmann::json form;                             // the set-up of the next run; null: none
    Origin formOrigin;                               // where it came from
    QList<int> units;                                // selected in Analyse; not kept between starts
    nlohmann::json plan;                             // the fields of the Plan workspace; null: none
    QString filter;                                  // of the library
    int sort = 0, group = 0;

    bool empty() const { return files.isEmpty() && page.isEmpty(); }
};

QByteArray toBytes(const Session& session);
// Whatever is missing or of another type is left at its default; bytes that are no session give an empty one.
Session sessionFromBytes(const QByteArray& bytes);

// "FILE#2" -> "FILE", where no file of the whole name is there.
QString fileOfDocument(const QString& path);

} // namespace peakscope
