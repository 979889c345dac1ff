// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/documents.h"

#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "core/model/catalogue.h"

#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

QString samplePath(const char* name)
{
    return QString::fromStdString((resourceFolder() / "samples" / name).string());
}

} // namespace

Documents::Documents(const QString& folder, QObject* parent) : QObject(parent), m_index(folder)
{
    connect(&m_loader, &ResultLoader::loaded, this, &Documents::put);
    connect(&m_loader, &ResultLoader::failed, this, &Documents::failed);
    connect(&m_loader, &ResultLoader::readSoFar, this, &Documents::readSoFar);
    connect(&m_loader, &ResultLoader::tooLarge, this, &Documents::tooLarge);
    connect(&m_loader, &ResultLoader::finished, this, &Documents::finished);
    connect(&m_watcher, &LibraryWatcher::stirred, this, [this] { m_watcher.look(m_index); });
    connect(&m_watcher, &LibraryWatcher::changed, this,
            [this](const QString& changed, const QHash<QString, LibraryEntry>& entries) {
                if (changed != m_index.folder())
                    return;
                m_index.take(entries);
                emit listed();
            });
}

void Documents::load(const QString& path, const std::optional<SnapshotRange>& range)
{
    m_loader.load(path, range);
    emit loadBegun();
}

const RunDocument* Documents::find(const QString& path) const
{
    for (const QHash<QString, RunDocument>* documents : {&m_open, &m_held}) {
        if (const auto found = documents->constFind(path); found != documents->constEnd())
            return &*found;
    }
    return nullptr;
}

QString Documents::lineOf(const QString& path) const
{
    return m_held.contains(path) && !path.endsWith(QLatin1String("#0")) ? fileOfDocument(path) : path; // #0: of several
}

QStringList Documents::paths() const
{
    QStringList paths = m_open.keys();
    paths.sort();
    return paths;
}

std::vector<RunDocument> Documents::ofFile(const QString& file) const
{
    std::vector<RunDocument> documents;
    const RunDocument* found = find(file);
    for (int number = 2; found; ++number) {
        documents.push_back(*found);
        found = find(QStringLiteral("%1#%2").arg(file).arg(number));
    }
    return documents;
}

void Documents::put(const RunDocument& document)
{
    m_open.insert(document.path, document);
    m_index.note(document.path, resultTitle(*document.result), *document.result);
    addRecent(document.path);
    emit opened(document);
}

void Documents::drop(const QString& path)
{
    forget(path);
    settings::removeRecentFile(path);
    emit dropped(path);
}

void Documents::noteSaved(const QString& path, const QString& title, const RunResult& result)
{
    m_index.note(path, title, result);
    remember(path);
}

void Documents::remember(const QString& path)
{
    addRecent(path);
    emit listed();
}

void Documents::addRecent(const QString& path)
{
    for (const QString& sample : demoResults()) {
        if (path == QFileInfo(sample).absoluteFilePath())
            return;
    }
    settings::addRecentFile(path);
}

void Documents::clearRecent()
{
    settings::clearRecentFiles();
    emit listed();
}

void Documents::setFolder(const QString& folder)
{
    m_index = LibraryIndex(folder);
    emit folderChanged(folder);
    emit listed();
    watch();
}

QStringList Documents::demoResults()
{
    return {samplePath("memory_result.json"), samplePath("demo_result.json")};
}

bool Documents::demoResultsAvailable()
{
    const QStringList paths = demoResults();
    return std::all_of(paths.begin(), paths.end(), [](const QString& path) { return QFileInfo::exists(path); });
}

} // namespace peakscope
