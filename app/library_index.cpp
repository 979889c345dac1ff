// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library_index.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace peakscope {

namespace {

const QString kIndexName = QStringLiteral("index.peakscope");

} // namespace

LibraryIndex::LibraryIndex(const QString& folder) : m_folder(folder)
{
    QFile file(folder + u'/' + kIndexName);
    if (!file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject entries = QJsonDocument::fromJson(file.readAll()).object();
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const QJsonObject object = entry.value().toObject();
        const auto status = runStatusFromName(object[QStringLiteral("status")].toString().toStdString());
        if (!status)
            continue;
        m_entries.insert(entry.key(), {object[QStringLiteral("title")].toString(), *status,
                                       object[QStringLiteral("peak_bytes")].toInteger()});
    }
}

void LibraryIndex::note(const QString& path, const QString& title, const RunResult& result)
{
    const QFileInfo file(path);
    if (file.absolutePath() != QFileInfo(m_folder).absoluteFilePath())
        return;
    m_entries.insert(file.fileName(), {title, result.status, result.memory ? result.memory->peakBytes : 0});
    write();
}

std::optional<LibraryEntry> LibraryIndex::find(const QString& path) const
{
    const QFileInfo file(path);
    const auto entry = m_entries.find(file.fileName());
    if (entry == m_entries.end() || file.absolutePath() != QFileInfo(m_folder).absoluteFilePath())
        return std::nullopt;
    return *entry;
}

QStringList LibraryIndex::files(int limit) const
{
    QStringList paths;
    const QDir folder(m_folder);
    const QStringList names = folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    for (const QString& name : names.mid(0, limit))
        paths << folder.absoluteFilePath(name);
    return paths;
}

void LibraryIndex::write() const
{
    QJsonObject entries;
    for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
        if (!QFileInfo::exists(m_folder + u'/' + entry.key()))
            continue; // removed since
        const QString status = QString::fromStdString(std::string(name(entry->status)));
        entries.insert(entry.key(), QJsonObject{{QStringLiteral("title"), entry->title},
                                                {QStringLiteral("status"), status},
                                                {QStringLiteral("peak_bytes"), static_cast<qint64>(entry->peakBytes)}});
    }
    QSaveFile file(m_folder + u'/' + kIndexName);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QJsonDocument(entries).toJson());
        file.commit();
    }
}

} // namespace peakscope
