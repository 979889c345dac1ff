// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/job_process.h"

#include "app/jobs/worker_client.h"

#include <QRegularExpression>

#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace peakscope {

namespace {

constexpr int kPatienceMilliseconds = 6000; // the command gives its own worker four seconds
constexpr int kMostErrorBytes = 4096;

// Standard output is the programs' that a command runs: the pipe that Qt makes for it becomes another descriptor, where
// the events go. Not one of the first, over one of which Qt tells whether the command could be started.
constexpr int kOutput = 1;
constexpr int kEvents = 199;
const QString kEventsPath = QStringLiteral("/dev/fd/199");

// In the child, before it becomes the command: only what a signal handler might do.
void becomeJob(bool ownGroup)
{
    ::dup2(kOutput, kEvents);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && nowhere != kOutput) {
        ::dup2(nowhere, kOutput);
        if (nowhere != kEvents)
            ::close(nowhere);
    }
    if (ownGroup) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGTERM); // a window that dies takes it along
    }
}

std::string textOf(const auto& document)
{
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

Job::Job(const QStringList& words, const Agreed<nlohmann::json>& input) : m_words(words), m_input(textOf(*input)) {}

Job::Job(const QStringList& words, const Agreed<SweepStart>& input) : m_words(words), m_input(textOf(input->document))
{}

JobProcess::JobProcess(QObject* parent) : QObject(parent), m_process(this), m_patience(this)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMilliseconds);
    connect(&m_patience, &QTimer::timeout, this, &JobProcess::kill);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &JobProcess::hearEvents);
    connect(&m_process, &QProcess::readyReadStandardError, this, &JobProcess::hearErrors);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            conclude(exitStatus(ErrorCode::Failed),
                     tr("%1 can't be started: %2").arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, &JobProcess::onFinished);
}

JobProcess::~JobProcess()
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

void JobProcess::start(const Job& job)
{
    Q_ASSERT(!running());
    m_errors.clear();
    m_line.clear();
    m_reader = {};
    m_progress.reset();
    m_end.reset();
    m_stopping = false;
    m_ownGroup = !job.folder().isEmpty();
    m_process.setWorkingDirectory(job.folder());
    m_process.setChildProcessModifier([own = m_ownGroup] { becomeJob(own); });
    QStringList words = job.words();
    words.insert(1, QStringLiteral("--events"));
    words.insert(2, kEventsPath);
    m_process.start(WorkerClient::workerCommand({}).first(), words);
    if (!running())
        return; // told by errorOccurred
    m_group = m_ownGroup ? m_process.processId() : 0;
    m_process.write(job.input().data(), static_cast<qint64>(job.input().size()));
    m_process.closeWriteChannel();
}

void JobProcess::stop()
{
    if (!running() || m_stopping)
        return;
    m_stopping = true;
    m_process.terminate();
    m_patience.start();
}

void JobProcess::hearEvents()
{
    m_line += m_process.readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = m_line.indexOf('\n', begin)) >= 0; begin = end + 1) {
        const auto event = m_reader.read({m_line.constData() + begin, static_cast<std::size_t>(end - begin)});
        if (!event)
            continue; // of another version
        if (const auto* progress = std::get_if<ProgressEvent>(&*event))
            m_progress = *progress;
        if (const auto* last = std::get_if<EndEvent>(&*event))
            m_end = *last;
        emit heard(*event);
    }
    m_line.remove(0, begin);
}

void JobProcess::hearErrors()
{
    m_errors = (m_errors + m_process.readAllStandardError()).right(kMostErrorBytes);
}

QStringList JobProcess::lastLines() const
{
    static const QRegularExpression ends(QStringLiteral("[\r\n]+"));
    return QString::fromUtf8(m_errors).trimmed().split(ends, Qt::SkipEmptyParts);
}

void JobProcess::onFinished(int code, QProcess::ExitStatus status)
{
    hearEvents();
    hearErrors();
    if (m_stopping)
        kill(); // what it has left
    if (status == QProcess::CrashExit && !m_stopping)
        conclude(exitStatus(ErrorCode::Failed),
                 tr("%1 was ended by %2.").arg(m_process.arguments().value(0), signalName(code)));
    else if (status == QProcess::CrashExit)
        conclude(exitStatus(ErrorCode::Interrupted), {});
    else if (code == 0)
        conclude(code, {});
    else if (m_end && !m_end->message.empty())
        conclude(code, QString::fromStdString(m_end->message));
    else
        conclude(code, lastLines().value(lastLines().size() - 1));
}

void JobProcess::kill()
{
    if (m_group > 0)
        ::kill(static_cast<pid_t>(-m_group), SIGKILL);
    else
        m_process.kill();
}

void JobProcess::conclude(int exitStatus, const QString& message)
{
    m_patience.stop();
    emit finished(exitStatus, message);
}

} // namespace peakscope
