// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window had in front, as plain data: written when it closes, shown again at the next start. Sizes and docks
// are not in it (settings::layout). Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <map>
#include <string>

namespace peakscope {

struct Session {
    // More files than this are not opened again, so that a start never reads a whole library.
    static constexpr int kMostFiles = 32;

    QStringList files; // open results, by path; one line a file, whatever it holds
    QString shown;     // the result in front, "FILE" or "FILE#2"; empty: none
    QString page;      // "start" or a workspace's id
    QString filter;    // of the library
    int sort = 0, group = 0;
    std::map<std::string, nlohmann::json> workspaces; // what each keeps (Workspace::kept), by its id

    bool empty() const { return files.isEmpty() && page.isEmpty(); }
    // Null where that workspace keeps nothing.
    const nlohmann::json& of(const std::string& workspace) const;
};

QByteArray toBytes(const Session& session);
// Whatever is missing or of another type is left at its default; bytes that are no session give an empty one. A session
// of version 1, where the fields of all workspaces stood together, is read as well.
Session sessionFromBytes(const QByteArray& bytes);

// "FILE#2" -> "FILE", where no file of the whole name is there.
QString fileOfDocument(const QString& path);
// As people read it: a point of a sweep ("sweep.json#-3") has no file of its own, its title says which it is.
QString shownPath(const QString& path);

} // namespace peakscope
