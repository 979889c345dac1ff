// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/library_watcher.h"

#include <QDateTime>
#include <QDir>

namespace peakscope {

namespace {

constexpr int kPauseMs = 300;
constexpr qsizetype kBatch = 500; // files between two reports

} // namespace

LibraryWatcher::LibraryWatcher(QObject* parent)
    : QObject(parent), m_thread(this, QStringLiteral("library watcher"), QThread::LowPriority)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_files, &QFileSystemWatcher::directoryChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_pause, &QTimer::timeout, this, &LibraryWatcher::stirred);
}

LibraryWatcher::~LibraryWatcher()
{
    m_stop.request_stop();
}

void LibraryWatcher::watch(const LibraryIndex& index)
{
    look(index);
}

// A folder that is not there yet comes to be in the nearest that is.
void LibraryWatcher::see(const QString& folder)
{
    QString there = folder;
    while (!QFileInfo(there).isDir() && QFileInfo(there).path() != there)
        there = QFileInfo(there).path();
    if (m_files.directories() == QStringList{there})
        return;
    if (!m_files.directories().isEmpty())
        m_files.removePaths(m_files.directories());
    m_files.addPath(there);
}

void LibraryWatcher::look(const LibraryIndex& index)
{
    see(index.folder());
    m_stop.request_stop(); // a folder left meanwhile
    m_stop = std::stop_source();
    ++m_looking;
    m_thread.post([this, stop = m_stop.get_token(), folder = index.folder(), known = index.entries()] {
        QHash<QString, LibraryEntry> found;
        const auto report = [&](bool last) {
            m_thread.answer([this, stop, folder, found, last] {
                if (last)
                    --m_looking;
                if (!stop.stop_requested() && (last || !found.isEmpty()))
                    emit changed(folder, found);
            });
            found.clear();
        };
        const QDir library(folder);
        for (const QFileInfo& file : libraryFiles(folder)) {
            if (stop.stop_requested())
                break;
            const auto entry = known.find(library.relativeFilePath(file.filePath()));
            if (entry != known.end() && entry->size == file.size() &&
                entry->modified == file.lastModified().toMSecsSinceEpoch())
                continue;
            found.insert(library.relativeFilePath(file.filePath()), readLibraryEntry(file.absoluteFilePath()));
            if (found.size() >= kBatch)
                report(false);
        }
        report(true);
    });
}

} // namespace peakscope
