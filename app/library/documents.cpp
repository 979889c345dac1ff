// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/documents.h"

#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "core/model/catalogue.h"

#include <QFileInfo>

#include <algorithm>
#include <array>

namespace peakscope {

QString sampleFile(Sample sample)
{
    static constexpr std::array kNames{"memory_result.json", "demo_result.json", "out_of_memory.pickle.gz",
                                       "plan_result.json", "fit_result.json"};
    const char* name = kNames[static_cast<std::size_t>(sample)];
    return QString::fromStdString((resourceFolder() / "samples" / name).string());
}

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
    addRecent(document.path); // of files elsewhere the index keeps these
    m_index.note(document.path, resultTitle(*document.result), *document.result);
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
    if (QFileInfo(path).absolutePath() == QFileInfo(sampleFile(Sample::Training)).absolutePath())
        return;
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
    return {sampleFile(Sample::Training), sampleFile(Sample::Noise)};
}

} // namespace peakscope
