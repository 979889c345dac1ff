// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/library_index.h"

#include "app/jobs/result_loader.h"
#include "app/jobs/sweep_files.h"
#include "app/parts/save_file.h"
#include "app/parts/settings.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/files/mapped_file.h"
#include "core/import/read_any.h"
#include "widgets/text/json_words.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <functional>

namespace peakscope {

namespace {

const QString kIndexName = QStringLiteral("index.peakscope");
const QString kNotesName = QStringLiteral("notes.peakscope");
constexpr std::int64_t kLargestSidecar = 256 << 20; // bytes
constexpr qint64 kReadWhole = 16 << 20;             // bytes: larger files of other formats wait until they are opened
constexpr std::size_t kLargestHead = 512 << 20;     // bytes that are looked through for this program's own members

void describeConfig(LibraryEntry& entry, const nlohmann::json& config)
{
    const nlohmann::json& model = lenient::member(config, "model");
    entry.model = jsonText(model, "id");
    if (entry.model.isEmpty())
        entry.model = QFileInfo(jsonText(model, "dir")).fileName();
    if (entry.model.isEmpty())
        entry.model = jsonText(model, "family");
    entry.method = jsonText(config, "method");
    if (entry.method.isEmpty())
        entry.method = jsonText(lenient::member(config, "training"), "clipping");
}

// The members of this program's own files stand a line each: a value on its line is parsed, a timeline's is passed by.
bool readHead(std::string_view text, LibraryEntry& entry)
{
    if (text.substr(0, 200).find("\"peakscope-result\"") == std::string_view::npos)
        return false;
    bool hasStatus = false, inMemory = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t colon = line.find("\": ");
        if (indent < 1 || indent > 2 || colon == std::string_view::npos || line[indent] != '"')
            continue;
        const std::string_view key = line.substr(indent + 1, colon - indent - 1);
        std::string_view value = line.substr(colon + 3);
        if (indent == 1)
            inMemory = key == "memory";
        const bool wanted = indent == 1 ? key == "status" || key == "synthetic" || key == "config" || key == "timing"
                                        : inMemory && key == "peak_bytes";
        if (!wanted)
            continue;
        if (value.ends_with('\r'))
            value.remove_suffix(1);
        if (value.ends_with(','))
            value.remove_suffix(1);
        const auto parsed = parseJson(value);
        if (!parsed)
            return false;
        const nlohmann::json& json = *parsed;
        if (key == "status" && json.is_string()) {
            entry.status = runStatusFromName(json.get<std::string>()).value_or(RunStatus::Interrupted);
            hasStatus = true;
        } else if (key == "synthetic") {
            entry.synthetic = json.is_boolean() && json.get<bool>();
        } else if (key == "config") {
            entry.title = experimentTitle(json);
            describeConfig(entry, json);
        } else if (key == "timing") {
            entry.stepSeconds = jsonAs<double>(lenient::member(json, "median_step_seconds")).value_or(0);
        } else if (const auto bytes = jsonInteger(json)) {
            entry.peakBytes = *bytes;
            break;
        }
    }
    return hasStatus;
}

QJsonObject objectIn(const QString& path)
{
    const Result<std::string> text = readTextFile(path.toStdString(), kLargestSidecar);
    return text ? QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object() : QJsonObject();
}

} // namespace

LibraryEntry libraryEntry(const QString& title, const RunResult& result)
{
    LibraryEntry entry;
    entry.title = title;
    entry.status = result.status;
    entry.peakBytes = result.memory ? result.memory->peakBytes : 0;
    entry.stepSeconds = result.timing ? result.timing->medianStepSeconds : 0;
    entry.synthetic = result.synthetic;
    describeConfig(entry, result.config);
    return entry;
}

LibraryEntry readLibraryEntry(const QString& path)
{
    LibraryEntry entry;
    const QFileInfo file(path);
    entry.modified = file.lastModified().toMSecsSinceEpoch();
    entry.size = file.size();
    if (const auto mapped = MappedFile::open(path.toStdString())) {
        LibraryEntry head = entry;
        if (readHead(mapped->view().substr(0, kLargestHead), head))
            return head;
    }
    if (entry.size > kReadWhole) {
        entry.title = file.fileName();
        entry.status = RunStatus::Complete;
        return entry;
    }
    const auto results = readAny(path.toStdString());
    if (!results || results->empty()) {
        entry.readable = false;
        return entry;
    }
    LibraryEntry found = libraryEntry(resultTitle(results->front()), results->front());
    found.modified = entry.modified;
    found.size = entry.size;
    return found;
}

QFileInfoList libraryFiles(const QString& folder)
{
    QFileInfoList files =
        QDir(folder).entryInfoList({QStringLiteral("*.json"), QStringLiteral("*.json.gz")}, QDir::Files, QDir::Time);
    const auto single = files.size();
    for (const QFileInfo& inner : QDir(folder).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (const QFileInfo sweep(sweepFileIn(inner.absoluteFilePath())); sweep.isFile())
            files << sweep;
        else // of a comparison's methods
            files << QDir(inner.absoluteFilePath()).entryInfoList({QStringLiteral("*_result.json")}, QDir::Files);
    }
    if (files.size() > single)
        std::ranges::stable_sort(files, std::greater{}, [](const QFileInfo& file) { return file.lastModified(); });
    return files;
}

LibraryIndex::LibraryIndex(const QString& folder) : m_folder(folder)
{
    readNotes();
    const QJsonObject entries = objectIn(folder + u'/' + kIndexName);
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const QJsonObject object = entry.value().toObject();
        const auto status = runStatusFromName(object[QStringLiteral("status")].toString().toStdString());
        if (!status)
            continue;
        LibraryEntry found;
        found.title = object[QStringLiteral("title")].toString();
        found.model = object[QStringLiteral("model")].toString();
        found.method = object[QStringLiteral("method")].toString();
        found.status = *status;
        found.peakBytes = object[QStringLiteral("peak_bytes")].toInteger();
        found.stepSeconds = object[QStringLiteral("median_step_seconds")].toDouble();
        found.synthetic = object[QStringLiteral("synthetic")].toBool();
        found.modified = object[QStringLiteral("modified_milliseconds")].toInteger();
        found.size = object[QStringLiteral("size_bytes")].toInteger();
        found.readable = object[QStringLiteral("readable")].toBool(true);
        m_entries.insert(entry.key(), found);
    }
}

void LibraryIndex::readNotes()
{
    const QJsonObject notes = objectIn(m_folder + u'/' + kNotesName);
    for (auto each = notes.begin(); each != notes.end(); ++each) {
        const QJsonObject object = each.value().toObject();
        LibraryNote note;
        note.note = object[QStringLiteral("note")].toString();
        for (const QJsonValue& tag : object[QStringLiteral("tags")].toArray())
            note.tags << tag.toString();
        m_notes.insert(each.key(), note);
    }
}

QString LibraryIndex::keyOf(const QString& path) const
{
    const QString file = QFileInfo(path).absoluteFilePath();
    const QString inFolder = QDir(QFileInfo(m_folder).absoluteFilePath()).relativeFilePath(file);
    const bool indexed = !inFolder.contains(u'/') || (inFolder.count(u'/') == 1 && isSweepFile(file));
    return indexed && !inFolder.startsWith(QLatin1String("..")) ? inFolder : file;
}

LibraryNote LibraryIndex::noteOf(const QString& path) const
{
    return path.isEmpty() || m_notes.isEmpty() ? LibraryNote() : m_notes.value(keyOf(path));
}

bool LibraryIndex::setNote(const QString& path, const LibraryNote& note)
{
    LibraryNote clean = note;
    clean.tags.removeAll(QString());
    clean.tags.removeDuplicates();
    clean.tags.sort(Qt::CaseInsensitive);
    if (clean.empty())
        m_notes.remove(keyOf(path));
    else
        m_notes.insert(keyOf(path), clean);
    QJsonObject notes;
    for (auto each = m_notes.begin(); each != m_notes.end(); ++each)
        notes.insert(each.key(), QJsonObject{{QStringLiteral("tags"), QJsonArray::fromStringList(each->tags)},
                                             {QStringLiteral("note"), each->note}});
    QDir().mkpath(m_folder);
    return saveFile(m_folder + u'/' + kNotesName, QJsonDocument(notes).toJson().toStdString()).isEmpty();
}

void LibraryIndex::note(const QString& path, const QString& title, const RunResult& result)
{
    const QString key = keyOf(path);
    LibraryEntry entry = libraryEntry(title, result);
    const QFileInfo file(path);
    entry.modified = file.lastModified().toMSecsSinceEpoch();
    entry.size = file.size();
    if (m_entries.value(key) == entry)
        return;
    m_entries.insert(key, entry);
    write();
}

void LibraryIndex::take(const QHash<QString, LibraryEntry>& entries)
{
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
        m_entries.insert(entry.key(), entry.value());
    if (!entries.isEmpty())
        write();
}

std::optional<LibraryEntry> LibraryIndex::find(const QString& path) const
{
    const auto entry = m_entries.find(keyOf(path));
    if (entry == m_entries.end())
        return {};
    // Nobody watches files elsewhere.
    if (QDir::isAbsolutePath(entry.key()) &&
        QFileInfo(entry.key()).lastModified().toMSecsSinceEpoch() != entry->modified)
        return {};
    return *entry;
}

QStringList LibraryIndex::files(int limit) const
{
    QStringList paths;
    for (const QFileInfo& file : libraryFiles(m_folder)) {
        const auto entry = m_entries.find(keyOf(file.filePath()));
        if (entry != m_entries.end() && !entry->readable)
            continue;
        paths << file.absoluteFilePath();
        if (paths.size() == limit)
            break;
    }
    return paths;
}

void LibraryIndex::write() const
{
    QJsonObject entries;
    const QStringList recent = settings::recentFiles();
    for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
        if (!QFileInfo::exists(QDir(m_folder).filePath(entry.key())))
            continue; // removed since
        if (QDir::isAbsolutePath(entry.key()) && !recent.contains(entry.key()))
            continue;
        const QString status = QString::fromStdString(std::string(name(entry->status)));
        entries.insert(entry.key(), QJsonObject{{QStringLiteral("title"), entry->title},
                                                {QStringLiteral("model"), entry->model},
                                                {QStringLiteral("method"), entry->method},
                                                {QStringLiteral("status"), status},
                                                {QStringLiteral("peak_bytes"), static_cast<qint64>(entry->peakBytes)},
                                                {QStringLiteral("median_step_seconds"), entry->stepSeconds},
                                                {QStringLiteral("synthetic"), entry->synthetic},
                                                {QStringLiteral("modified_milliseconds"), entry->modified},
                                                {QStringLiteral("size_bytes"), entry->size},
                                                {QStringLiteral("readable"), entry->readable}});
    }
    // Unwritten it is made again from the files.
    (void)saveFile(m_folder + u'/' + kIndexName, QJsonDocument(entries).toJson(QJsonDocument::Compact).toStdString());
}

} // namespace peakscope
