// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/job_words.h"

#include "core/protocol/launcher.h"
#include "core/protocol/worker_exit.h"
#include "core/results/program_script.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QStandardPaths>

#include <string>
#include <vector>

namespace peakscope {

namespace {

struct JobWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::JobWords)
};

} // namespace

QStringList workerCommand(const QStringList& launcher)
{
    const QString name = QStringLiteral("peakscope-cli");
    const QString beside = QCoreApplication::applicationDirPath() + u'/' + name;
    QString program = QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
    if (program.isEmpty())
        program = beside;
    std::vector<std::string> before;
    for (const QString& word : launcher)
        before.push_back(word.toStdString());
    QStringList words;
    for (const std::string& word : workerWords(before, program.toStdString()))
        words << QString::fromStdString(word);
    return words;
}

QString commandLineProgram()
{
    return workerCommand({}).first();
}

QString signalName(int signal)
{
    const char* what = signalWords(signal);
    const QString number = JobWords::tr("signal %1").arg(signal);
    return what ? JobWords::tr("%1, %2").arg(number, JobWords::tr(what)) : number;
}

QString fateSentence(const EndFate& end)
{
    using Kind = WorkerFate::Kind;
    const Kind kind = end.fate.kind;
    const QString launcher = QString::fromStdString(end.launcher);
    QString sentence = JobWords::tr(patternOf(kind));
    if (kind == Kind::LauncherEnded)
        sentence = sentence.arg(launcher, signalName(static_cast<int>(end.fate.number)));
    else if (kind == Kind::NoProgram)
        sentence = sentence.arg(launcher, QString::fromStdString(end.program));
    else if (kind == Kind::NoLauncher)
        sentence = sentence.arg(launcher);
    else if (kind == Kind::Crashed)
        sentence = sentence.arg(signalName(static_cast<int>(end.fate.number)));
    else if (kind == Kind::Exited)
        sentence = sentence.arg(end.fate.number);
    if (!end.lastSaid.empty() && lastSaidHelps(kind))
        sentence += u' ' + JobWords::tr(kLastSaid).arg(QString::fromStdString(end.lastSaid));
    return sentence;
}

QString kindTitle(JobKind kind)
{
    switch (kind) {
    case JobKind::Run:
        break;
    case JobKind::Sweep:
        return JobWords::tr("Sweep");
    case JobKind::Comparison:
        return JobWords::tr("Comparison of methods");
    case JobKind::Program:
        return JobWords::tr("Dry program");
    }
    return {};
}

QString howFar(const ProgressEvent& progress)
{
    if (progress.all > 0)
        return JobWords::tr("%1 of %2", "what is done of all").arg(progress.done).arg(progress.all);
    return progress.fraction > 0 ? QLocale().toString(qRound(progress.fraction * 100)) + QStringLiteral(" %")
                                 : QString();
}

QString scriptOf(const QStringList& command)
{
    std::vector<std::string> words;
    for (const QString& word : command)
        words.push_back(word.toStdString());
    return QString::fromStdString(scriptOf(words));
}

} // namespace peakscope
