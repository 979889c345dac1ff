// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows about the result files of a folder without opening them, in a small file of that folder, and
// the user's tags and notes in another one beside it: results themselves are never changed. A lost or broken index
// costs the descriptions until the files are looked at again, never a result. GUI thread but for readLibraryEntry.
#pragma once

#include "core/results/run_result.h"

#include <QFileInfo>
#include <QHash>
#include <QString>
#include <QStringList>

#include <optional>

namespace peakscope {

struct LibraryEntry {
    QString title;
    QString model;  // "opt-125m"; empty: not said
    QString method; // of clipping, or what an older script calls its method
    RunStatus status = RunStatus::Interrupted;
    std::int64_t peakBytes = 0; // 0: no memory section
    double stepSeconds = 0;     // 0: not timed
    bool synthetic = false;
    qint64 modified = 0; // of the file, milliseconds since 1970; 0: not looked at
    qint64 size = 0;
    bool readable = true; // false: looked at, and no result

    bool operator==(const LibraryEntry&) const = default;
};

LibraryEntry libraryEntry(const QString& title, const RunResult& result);
// Looks at the head of a result of this program, whose timeline is skipped unread; small files of other formats are
// read whole. Any thread.
LibraryEntry readLibraryEntry(const QString& path);
// The result files of a folder, and the sweeps and the comparisons' results in its folders, the newest first.
QFileInfoList libraryFiles(const QString& folder);

// Tags and a note that the user gave a result.
struct LibraryNote {
    QStringList tags; // sorted, without repetition
    QString note;

    bool empty() const { return tags.isEmpty() && note.isEmpty(); }
    bool operator==(const LibraryNote&) const = default;
};

class LibraryIndex
{
public:
    // Reads the folder's index and notes; absent ones are empty.
    explicit LibraryIndex(const QString& folder);

    const QString& folder() const { return m_folder; }
    // Notes a result file and writes the index; of files elsewhere those opened lately.
    void note(const QString& path, const QString& title, const RunResult& result);
    // What was found in files of this folder, by their paths in it; writes the index once.
    void take(const QHash<QString, LibraryEntry>& entries);
    std::optional<LibraryEntry> find(const QString& path) const;
    const QHash<QString, LibraryEntry>& entries() const { return m_entries; }
    // The folder's result files, newest first, at most `limit`; those known not to be results are left out.
    QStringList files(int limit) const;

    LibraryNote noteOf(const QString& path) const;
    // Kept for results of this folder by name, for others by path; empty ones are forgotten. False where the sidecar
    // can't be written.
    bool setNote(const QString& path, const LibraryNote& note);

private:
    void write() const;
    void readNotes();
    // The path in the folder, of a file elsewhere the whole.
    QString keyOf(const QString& path) const;

    QString m_folder;
    QHash<QString, LibraryEntry> m_entries; // by keyOf()
    QHash<QString, LibraryNote> m_notes;    // likewise
};

} // namespace peakscope
