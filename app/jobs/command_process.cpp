// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/command_process.h"

#include "app/jobs/worker_client.h"

#include <QRegularExpression>

#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

namespace peakscope {

namespace {

constexpr int kPatienceMilliseconds = 6000; // the command gives its own worker four seconds
constexpr int kInterrupted = 4;
constexpr int kFailed = 1;

} // namespace

CommandProcess::CommandProcess(QObject* parent) : QObject(parent), m_process(this), m_patience(this)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMilliseconds);
    connect(&m_patience, &QTimer::timeout, this, &CommandProcess::kill);
    m_process.setStandardOutputFile(QProcess::nullDevice());
    connect(&m_process, &QProcess::readyReadStandardError, this, &CommandProcess::hear);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            conclude(kFailed, tr("%1 can't be started: %2").arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        hear();
        if (m_stopping)
            kill(); // what it has left
        if (status == QProcess::CrashExit && !m_stopping)
            conclude(kFailed, tr("%1 was ended by %2.").arg(m_process.arguments().value(0), signalName(code)));
        else if (status == QProcess::CrashExit)
            conclude(kInterrupted, {});
        else
            conclude(code, code == 0 ? QString() : lastWords());
    });
}

CommandProcess::~CommandProcess()
{
    m_process.disconnect(this);
    if (!running())
        return;
    m_process.terminate();
    const bool over = m_process.waitForFinished(kPatienceMilliseconds);
    kill();
    if (!over)
        m_process.waitForFinished(1000);
}

void CommandProcess::hear()
{
    m_errors += m_process.readAllStandardError();
    emit said();
    m_errors = m_errors.right(4096);
}

void CommandProcess::setProgramFolder(const QString& folder)
{
    m_process.setWorkingDirectory(folder);
    m_ownGroup = true;
    m_process.setChildProcessModifier([] {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGTERM); // a window that dies takes it along
    });
}

void CommandProcess::kill()
{
    if (m_group > 0)
        ::kill(static_cast<pid_t>(-m_group), SIGKILL);
    else
        m_process.kill();
}

void CommandProcess::begin(const QStringList& words, const std::string& input)
{
    Q_ASSERT(!running());
    m_errors.clear();
    m_stopping = false;
    m_process.start(WorkerClient::workerCommand({}).first(), words);
    if (!running())
        return; // told by errorOccurred
    m_group = m_ownGroup ? m_process.processId() : 0;
    m_process.write(input.data(), static_cast<qint64>(input.size()));
    m_process.closeWriteChannel();
}

void CommandProcess::stop()
{
    if (!running() || m_stopping)
        return;
    m_stopping = true;
    m_process.terminate();
    m_patience.start();
}

QStringList CommandProcess::lastLines() const
{
    static const QRegularExpression ends(QStringLiteral("[\r\n]+"));
    return QString::fromUtf8(m_errors).trimmed().split(ends, Qt::SkipEmptyParts);
}

QByteArrayList CommandProcess::takeMarked(const QByteArray& mark)
{
    QByteArrayList taken;
    for (qsizetype at = 0; (at = m_errors.indexOf(mark, at)) >= 0;) {
        const qsizetype end = m_errors.indexOf('\n', at);
        if (end < 0)
            break;
        taken << m_errors.sliced(at + mark.size(), end - at - mark.size());
        m_errors.remove(at, end + 1 - at);
    }
    return taken;
}

void CommandProcess::conclude(int exitStatus, const QString& message)
{
    m_patience.stop();
    emit finished(exitStatus, message);
}

} // namespace peakscope
