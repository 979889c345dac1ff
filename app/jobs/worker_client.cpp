// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/worker_client.h"

#include "app/parts/launcher_presets.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"
#include "core/protocol/launcher.h"
#include "core/protocol/worker_exit.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

namespace peakscope {

namespace {

constexpr int kLogLines = 40;
constexpr int kLogLineLength = 400;

std::vector<std::string> stdWords(const QStringList& words)
{
    std::vector<std::string> list;
    for (const QString& word : words)
        list.push_back(word.toStdString());
    return list;
}

QString shownProgram(const QStringList& command)
{
    return QString::fromStdString(commandWithoutSecrets(stdWords(command)).front());
}

} // namespace

QString signalName(int signal)
{
    const char* what = signalWords(signal);
    const QString number = WorkerClient::tr("signal %1").arg(signal);
    return what ? WorkerClient::tr("%1, %2").arg(number, WorkerClient::tr(what)) : number;
}

WorkerClient::WorkerClient(QObject* parent) : QObject(parent), m_patience(this)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatience);
    connect(&m_patience, &QTimer::timeout, this, &WorkerClient::escalate);
}

WorkerClient::~WorkerClient()
{
    if (!m_process || m_process->state() == QProcess::NotRunning)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(kPatience);
}

QStringList WorkerClient::workerCommand(const QStringList& launcher, qint64 ranks)
{
    const QString name = QStringLiteral("peakscope-cli");
    const QString beside = QCoreApplication::applicationDirPath() + u'/' + name;
    QString program = QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
    if (program.isEmpty())
        program = beside; // starting it fails with a message that names this path
    QStringList words;
    for (const std::string& word : workerWords(stdWords(launcher), program.toStdString(), ranks))
        words << QString::fromStdString(word);
    return words;
}

void WorkerClient::start(const Agreed<nlohmann::json>& experiment, const QString& progressFile)
{
    Q_ASSERT(!m_running);
    if (m_process) { // this may be called while it is telling its end
        m_process->disconnect(this);
        m_process->deleteLater();
    }
    m_process = new QProcess(this);
    m_output.clear();
    m_scanned = 0;
    m_errorLine.clear();
    m_log.clear();
    m_junkLines = 0;
    m_reader = EventReader();
    m_running = true;
    m_cancelled = m_ended = m_terminated = false;

    connect(m_process, &QProcess::readyReadStandardOutput, this, &WorkerClient::readOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &WorkerClient::readErrors);
    connect(m_process, &QProcess::finished, this, &WorkerClient::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, &WorkerClient::onError);

    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("PEAKSCOPE_PROGRESS"));
    if (!progressFile.isEmpty())
        environment.insert(QStringLiteral("PEAKSCOPE_PROGRESS"), progressFile);
    m_command = workerCommand(launcherOf(*experiment), lenient::integer(*experiment, "ranks"));
    const std::vector<std::string> words = stdWords(launcherOf(*experiment));
    if (const std::string* word = wordWithoutSecret(words)) {
        WorkerExit exit;
        exit.kind = WorkerExit::Kind::CouldNotStart;
        exit.sentence = tr("The launcher's secret in “%1” was left out when this was saved. Put it back in the set-up "
                           "before the run.")
                            .arg(QString::fromStdString(*word));
        conclude(std::move(exit));
        return;
    }
    m_lastWords = LastWords(m_command.size() > 2 ? m_command.first().toStdString() : std::string());
    for (const auto& [name, value] : workerVariables(stdWords(m_command)))
        environment.insert(QString::fromStdString(name), QString::fromStdString(value));
    m_process->setProcessEnvironment(environment);
    nlohmann::json sent = *experiment;
    hideLauncherSecrets(sent); // they are for the launcher alone
    const std::string line = dumpJson(sent) + "\n";
    m_process->start(m_command.first(), m_command.mid(1));
    if (!m_running)
        return; // could not start; already told
    // Standard input stays open: its end would stop the worker.
    m_process->write(line.data(), static_cast<qint64>(line.size()));
}

void WorkerClient::cancel()
{
    if (!m_running || m_cancelled)
        return;
    m_cancelled = true;
    m_process->write("{\"cancel\":true}\n");
    m_patience.start();
}

void WorkerClient::escalate()
{
    if (!m_running)
        return;
    if (m_terminated) {
        m_process->kill();
        return;
    }
    m_terminated = true;
    m_process->terminate();
    m_patience.start();
}

void WorkerClient::readOutput()
{
    m_output += m_process->readAllStandardOutput();
    std::vector<Event> events;
    qsizetype begin = 0;
    for (qsizetype end = m_output.indexOf('\n', m_scanned); end >= 0; end = m_output.indexOf('\n', begin)) {
        takeLine(QByteArray::fromRawData(m_output.constData() + begin, end - begin), events);
        begin = end + 1;
    }
    m_output.remove(0, begin);
    m_scanned = m_output.size();
    if (!events.empty())
        emit eventsReceived(events);
}

void WorkerClient::takeLine(const QByteArray& line, std::vector<Event>& events)
{
    if (line.trimmed().isEmpty() || m_ended)
        return; // the end event is the last word
    Result<Event> event = m_reader.read({line.constData(), static_cast<std::size_t>(line.size())});
    if (!event) {
        ++m_junkLines;
        addToLog(line);
        return;
    }
    if (std::holds_alternative<EndEvent>(*event)) {
        m_ended = true;
        // A worker that does not leave by itself is helped.
        m_process->closeWriteChannel();
        m_patience.start();
    }
    events.push_back(std::move(*event));
}

void WorkerClient::readErrors()
{
    m_errorLine += m_process->readAllStandardError();
    QList<QByteArray> lines = m_errorLine.split('\n');
    m_errorLine = lines.takeLast();
    for (const QByteArray& line : std::as_const(lines)) {
        m_lastWords.take(line.toStdString());
        addToLog(line);
    }
}

void WorkerClient::addToLog(const QByteArray& line)
{
    const std::string clean = withoutSecretsOf(stdWords(m_command), line.left(2 * kLogLineLength).toStdString());
    const QString text = QString::fromUtf8(clean.substr(0, kLogLineLength)).trimmed();
    if (text.isEmpty())
        return;
    m_log.append(text);
    if (m_log.size() > kLogLines)
        m_log.removeFirst();
}

void WorkerClient::onFinished(int code, QProcess::ExitStatus status)
{
    readOutput();
    readErrors();
    m_lastWords.take(m_errorLine.toStdString());
    addToLog(m_errorLine);
    conclude(describeExit(code, status));
}

void WorkerClient::onError(QProcess::ProcessError error)
{
    // Crashes end in finished(); a broken pipe to a process that is going away is no news.
    if (error != QProcess::FailedToStart)
        return;
    WorkerExit exit;
    exit.kind = WorkerExit::Kind::CouldNotStart;
    exit.sentence = tr("The worker could not be started: %1 (%2). Install peakscope-cli beside this program, or set "
                       "PEAKSCOPE_CLI to its path.")
                        .arg(shownProgram(m_command), m_process->errorString());
    const bool brought = !packageOf(m_command.first().toStdString()).empty();
    if (brought) {
        exit.sentence = tr("%1 is not on this machine (%2); several ranks need it: install the package openmpi-bin.")
                            .arg(shownProgram(m_command), m_process->errorString());
    } else if (m_command.size() > 2) { // the program and "worker" come last; a launcher stands before them
        exit.sentence = tr("The launcher %1 could not be started (%2). Correct it in the set-up, or leave it empty to "
                           "run on this machine.")
                            .arg(shownProgram(m_command), m_process->errorString());
    }
    conclude(std::move(exit));
}

WorkerExit WorkerClient::describeExit(int code, QProcess::ExitStatus status) const
{
    using Kind = WorkerFate::Kind;
    WorkerExit exit;
    exit.code = code;
    if (m_ended)
        return exit;
    const bool crashed = status == QProcess::CrashExit;
    const bool launched = m_command.size() > 2; // the program and "worker" come last
    const std::string launcher = launched ? m_command.first().toStdString() : std::string();
    const WorkerFate fate =
        fateOf({.exitCode = crashed ? -1 : code, .signal = crashed ? code : 0, .cancelled = m_cancelled}, launcher);
    exit.sentence = tr(patternOf(fate.kind));
    if (fate.kind == Kind::LauncherEnded)
        exit.sentence = exit.sentence.arg(shownProgram(m_command), signalName(static_cast<int>(fate.number)));
    else if (fate.kind == Kind::NoProgram)
        exit.sentence = exit.sentence.arg(shownProgram(m_command), m_command.at(m_command.size() - 2));
    else if (fate.kind == Kind::Crashed)
        exit.sentence = exit.sentence.arg(signalName(static_cast<int>(fate.number)));
    else if (fate.kind == Kind::Exited)
        exit.sentence = exit.sentence.arg(fate.number);

    const std::string words = withoutSecretsOf(stdWords(m_command), m_lastWords.line());
    QString last = QString::fromUtf8(words.substr(0, kLogLineLength));
    if (last.isEmpty() && !m_log.isEmpty())
        last = m_log.last();
    if (!last.isEmpty() && lastSaidHelps(fate.kind))
        exit.sentence += u' ' + tr(kLastSaid).arg(last);
    const bool bySignal = fate.kind == Kind::Killed || fate.kind == Kind::Crashed || fate.kind == Kind::LauncherEnded;
    exit.kind = fate.kind == Kind::Cancelled ? WorkerExit::Kind::Cancelled
                : bySignal                   ? WorkerExit::Kind::Killed
                                             : WorkerExit::Kind::Exited;
    exit.code = static_cast<int>(fate.number);
    return exit;
}

void WorkerClient::conclude(WorkerExit exit)
{
    if (!m_running)
        return;
    m_running = false;
    m_patience.stop();
    exit.log = m_log.join(u'\n');
    exit.junkLines = m_junkLines;
    if (exit.kind == WorkerExit::Kind::Killed || exit.kind == WorkerExit::Kind::Exited)
        exit.death = m_lastWords.death();
    emit finished(exit);
}

} // namespace peakscope
