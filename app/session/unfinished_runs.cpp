// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/unfinished_runs.h"

#include "app/jobs/sweep_files.h"
#include "app/library/library_index.h"
#include "app/parts/settings.h"
#include "core/base/file.h"
#include "core/base/secrets/secrets.h"
#include "widgets/text/json_words.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <cerrno>
#include <csignal>

namespace peakscope {

namespace {

using nlohmann::json;

QString contentOf(const QString& path)
{
    const Result<std::string> text = readTextFile(path.toStdString());
    return text ? QString::fromLatin1(QByteArray::fromStdString(*text)) : QString();
}

// When it was started, in the kernel's ticks since the boot (proc(5), field 22); empty where there is no such process.
QString startOf(const QString& pid)
{
    // The name in brackets may hold blanks and brackets itself.
    const QString after = contentOf(QStringLiteral("/proc/%1/stat").arg(pid)).section(u')', -1);
    return after.split(u' ', Qt::SkipEmptyParts).value(19);
}

QString bootOf()
{
    return contentOf(QStringLiteral("/proc/sys/kernel/random/boot_id")).trimmed().left(8);
}

void addRuns(const json& record, std::vector<UnfinishedRun>& runs)
{
    for (const json& each : lenient::array(record, "runs")) {
        UnfinishedRun run{jsonText(each, "title"),
                          lenient::member(each, "experiment"),
                          originFromJson(lenient::member(each, "origin")),
                          jsonText(each, "file"),
                          jsonTexts(lenient::member(each, "words")),
                          jsonText(each, "folder")};
        if (run.experiment.is_object() || !run.words.isEmpty() || isSweepFile(run.file))
            runs.push_back(std::move(run));
    }
}

} // namespace

std::optional<UnfinishedRun> unfinishedProgram(const Job& job)
{
    std::vector<std::string> words;
    for (const QString& word : job.words())
        words.push_back(word.toStdString());
    if (commandWithoutSecrets(words) != words)
        return std::nullopt;
    UnfinishedRun program;
    program.file = job.output();
    program.title = nameOf(program.file);
    program.words = job.words();
    program.folder = job.folder();
    return program;
}

QString newWindowKey()
{
    static int windows = 0;
    const QString pid = QString::number(QCoreApplication::applicationPid());
    return QStringList{pid, startOf(pid), bootOf(), QString::number(++windows), QSysInfo::machineHostName()}.join(u'.');
}

bool windowMayLive(const QString& key)
{
    const QString pid = key.section(u'.', 0, 0);
    if (key.section(u'.', 4) != QSysInfo::machineHostName())
        return true; // that machine knows
    if (key.section(u'.', 2, 2) != bootOf())
        return false;
    const QString start = key.section(u'.', 1, 1);
    if (!start.isEmpty())
        return startOf(pid) == start;
    bool isNumber = false;
    const int number = pid.toInt(&isNumber);
    return isNumber && number > 0 && (::kill(number, 0) == 0 || errno == EPERM);
}

void keepUnfinished(const QString& window, const std::vector<UnfinishedRun>& runs, bool ended)
{
    json list = json::array();
    for (const UnfinishedRun& run : runs)
        list.push_back({{"title", run.title.toStdString()},
                        {"experiment", run.experiment},
                        {"origin", toJson(run.origin)},
                        {"file", run.file.toStdString()},
                        {"words", jsonArray(run.words)},
                        {"folder", run.folder.toStdString()}});
    const json record = {{"ended", ended}, {"runs", list}};
    settings::setUnfinishedRuns(
        window, runs.empty() ? QByteArray()
                             : QByteArray::fromStdString(record.dump(-1, ' ', false, json::error_handler_t::replace)));
}

bool isUnderWay(const UnfinishedRun& run)
{
    return !run.file.isEmpty() && writerOf(run.file);
}

bool hasEnded(const UnfinishedRun& run)
{
    if (run.file.isEmpty() || isUnderWay(run))
        return false;
    const LibraryEntry entry = readLibraryEntry(run.file);
    return entry.readable && entry.status != RunStatus::Interrupted;
}

std::vector<UnfinishedRun> takeUnfinished(const QString& window)
{
    std::vector<UnfinishedRun> runs;
    QStringList gone;
    const QMap<QString, QByteArray> records = settings::unfinishedRuns();
    for (auto each = records.begin(); each != records.end(); ++each) {
        const QByteArray& text = each.value();
        const json record = json::parse(text.constData(), text.constData() + text.size(), nullptr, false);
        if (windowMayLive(each.key()) && !lenient::flag(record, "ended"))
            continue;
        gone << each.key();
        addRuns(record, runs);
    }
    keepUnfinished(window, runs, false); // first: nothing is lost should this process end now
    for (const QString& key : std::as_const(gone))
        settings::setUnfinishedRuns(key, {});
    return runs;
}

} // namespace peakscope
