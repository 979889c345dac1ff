// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The documents that are open, the library's folder and the files opened lately. GUI thread; files are read in others.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/library/library_index.h"
#include "app/library/library_watcher.h"

#include <QHash>
#include <QObject>

#include <vector>

namespace peakscope {

// Results that come with the program.
enum class Sample { Training, Noise, OutOfMemory, Plan, Fit };
QString sampleFile(Sample sample);

class Documents : public QObject
{
    Q_OBJECT

public:
    explicit Documents(const QString& folder, QObject* parent = nullptr);

    // Reads a file, or the result files of a folder; opened() or failed(), then finished() follow for each.
    void load(const QString& path, const std::optional<SnapshotRange>& range = {});
    // A file that was too large, and stays unread: failed() follows.
    void refuse(const QString& path, const QString& sentence) { emit failed(path, sentence); }
    ResultLoader& loader() { return m_loader; }
    // Puts the results of files and folders side by side: whoever compares hears of it.
    void openTogether(const QStringList& paths) { emit wantedTogether(paths); }
    QString reading() const { return m_loader.reading(); } // a file on its way; empty: none
    // Keeps what was made of open files, such as a point of a sweep, under a path of theirs with a "#" and a number
    // below 1; the library does not list it.
    void hold(const RunDocument& document) { m_held.insert(document.path, document); }
    // Null where it is not open.
    const RunDocument* find(const QString& path) const;
    QStringList paths() const; // of the open ones, sorted
    // What the library has a line for: in place of a point of a sweep, which is held, the sweep.
    QString lineOf(const QString& path) const;
    // All results of a file that are open: it may hold several.
    std::vector<RunDocument> ofFile(const QString& file) const;
    // Its file says something else by now.
    void forget(const QString& path) { m_open.remove(path); }

    // Was just written there: open, as if it had been read.
    void put(const RunDocument& document);
    // Is not there any more, and was nothing anybody would look for.
    void drop(const QString& path);
    // A run's result was saved there.
    void noteSaved(const QString& path, const QString& title, const RunResult& result);
    // Among the files opened lately, but for samples.
    void remember(const QString& path);
    void clearRecent();

    const LibraryIndex& index() const { return m_index; }
    bool setNote(const QString& path, const LibraryNote& note) { return m_index.setNote(path, note); }
    void setFolder(const QString& folder);
    // From now on the folder's changes are followed.
    void watch() { m_watcher.watch(m_index); }

    // The results of the demo's two runs: the training steps, and what noise in weights does.
    static QStringList demoResults();

signals:
    void wantedTogether(const QStringList& paths);
    void loadBegun();
    void folderChanged(const QString& folder);
    void opened(const peakscope::RunDocument& document);
    void dropped(const QString& path);
    void failed(const QString& path, const QString& sentence);
    void finished(const QString& path); // after the last opened() of a file, or its failed()
    void readSoFar(const QString& path, const std::shared_ptr<const peakscope::HistorySoFar>& soFar);
    // In place of opened() or failed(); load() of a range, or refuse(), is for whoever hears it.
    void tooLarge(const QString& path, const peakscope::LargeSnapshot& file, const QString& sentence);
    void listed(); // the library or the recent files are others than before, without a document that was opened

private:
    static void addRecent(const QString& path);

    ResultLoader m_loader;
    LibraryIndex m_index;
    LibraryWatcher m_watcher;
    QHash<QString, RunDocument> m_open; // by absolute path
    QHash<QString, RunDocument> m_held;
};

} // namespace peakscope
