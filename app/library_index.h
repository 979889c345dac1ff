// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows about result files without opening them: title, status and peak, noted when a result is saved
// or opened, in a small file of the library folder. A lost or broken index costs the descriptions, never a result.
#pragma once

#include "core/results/run_result.h"

#include <QHash>
#include <QString>

#include <optional>

namespace peakscope {

struct LibraryEntry {
    QString title;
    RunStatus status = RunStatus::Interrupted;
    std::int64_t peakBytes = 0; // 0: no memory section
};

class LibraryIndex
{
public:
    // Reads the folder's index; an absent one is empty.
    explicit LibraryIndex(const QString& folder);

    const QString& folder() const { return m_folder; }
    // Notes a result file of this folder and writes the index; files elsewhere are not noted.
    void note(const QString& path, const QString& title, const RunResult& result);
    std::optional<LibraryEntry> find(const QString& path) const;
    // The folder's result files, newest first, at most `limit`.
    QStringList files(int limit) const;

private:
    void write() const;

    QString m_folder;
    QHash<QString, LibraryEntry> m_entries; // by file name
};

} // namespace peakscope
