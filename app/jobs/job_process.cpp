// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/job_process.h"

#include "app/jobs/job_words.h"

#include <QRegularExpression>

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace peakscope {

namespace {

// A command gives its own worker four seconds, then writes what it has.
constexpr int kPatienceMilliseconds = 12'000;
constexpr int kMostErrorBytes = 4096;

// Standard output is the programs' that a command runs: the pipe that Qt makes for it becomes another descriptor, where
// the events go. Not one of the first, over one of which Qt tells whether the command could be started.
constexpr int kOutput = 1;
constexpr int kEvents = 199;
// Holds what a command says while this side is busy.
constexpr int kPipeBytes = 1 << 20;
const QString kEventsPath = QStringLiteral("/dev/fd/199");

// In the child, before it becomes the command: only what a signal handler might do.
void becomeJob(Job::Life life, bool hasEvents)
{
    if (hasEvents) {
        ::dup2(kOutput, kEvents);
        ::fcntl(kEvents, F_SETPIPE_SZ, kPipeBytes);
        const int nowhere = ::open("/dev/null", O_WRONLY);
        if (nowhere >= 0 && nowhere != kOutput) {
            ::dup2(nowhere, kOutput);
            if (nowhere != kEvents)
                ::close(nowhere);
        }
    }
    if (life == Job::Life::Group)
        ::setpgid(0, 0);
    if (life != Job::Life::Own)
        ::prctl(PR_SET_PDEATHSIG, SIGTERM); // a window that dies takes it along
}

std::string textOf(const auto& document)
{
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

Job::Job(const QStringList& words, const Agreed<nlohmann::json>& input) : m_words(words), m_input(textOf(*input)) {}

Job::Job(const QStringList& words, const Agreed<SweepStart>& input) : m_words(words), m_input(textOf(input->document))
{}

Job Job::question(const QStringList& words)
{
    Job job;
    job.m_words = words;
    job.m_life = Life::Window;
    job.m_hasEvents = false;
    return job;
}

Job Job::question(const QStringList& words, const Agreed<nlohmann::json>& input)
{
    Job job = question(words);
    job.m_input = textOf(*input);
    return job;
}

Job Job::question(const QStringList& words, const Agreed<QStringList>& launcher)
{
    QStringList command = workerCommand(*launcher);
    command.removeLast(); // "worker"
    command += words;
    Job job = question(command.mid(1));
    job.m_program = command.first();
    return job;
}

QString Job::output() const
{
    const qsizetype option = m_words.indexOf(QLatin1String("--out"));
    return option < 0 ? QString() : m_words.value(option + 1);
}

JobProcess::JobProcess(Job job, QObject* parent)
    : QObject(parent), m_job(std::move(job)), m_process(this), m_patience(this)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMilliseconds);
    connect(&m_patience, &QTimer::timeout, this, &JobProcess::kill);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &JobProcess::hearOutput);
    connect(&m_process, &QProcess::readyReadStandardError, this, &JobProcess::hearErrors);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        m_end.couldStart = false;
        const bool own = m_job.program().isEmpty();
        const QString words =
            own ? tr("%1 could not be started (%2). Install peakscope-cli beside this program, or set "
                     "PEAKSCOPE_CLI to its path.")
                : tr("%1 could not be started (%2).");
        conclude(exitStatus(ErrorCode::Failed), words.arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, &JobProcess::onFinished);
}

JobProcess::~JobProcess()
{
    m_process.disconnect(this);
    if (!running())
        return;
    m_process.terminate();
    const bool over = m_job.hasEvents() && m_process.waitForFinished(kPatienceMilliseconds);
    kill();
    if (!over)
        m_process.waitForFinished(1000);
}

void JobProcess::start()
{
    Q_ASSERT(!running());
    m_process.setWorkingDirectory(m_job.folder());
    m_process.setChildProcessModifier([life = m_job.life(), events = m_job.hasEvents()] { becomeJob(life, events); });
    QStringList words = m_job.words();
    if (m_job.hasEvents()) {
        words.insert(1, QStringLiteral("--events"));
        words.insert(2, kEventsPath);
    }
    m_process.start(m_job.program().isEmpty() ? commandLineProgram() : m_job.program(), words);
    if (!running())
        return; // told by errorOccurred
    m_group = m_job.life() == Job::Life::Group ? m_process.processId() : 0;
    m_process.write(m_job.input().data(), static_cast<qint64>(m_job.input().size()));
    m_process.closeWriteChannel();
}

void JobProcess::stop()
{
    if (!running() || std::exchange(m_stopping, true))
        return;
    if (!m_job.hasEvents())
        return kill(); // it has nothing to save
    m_process.terminate();
    m_patience.start();
}

void JobProcess::hearOutput()
{
    m_output += m_process.readAllStandardOutput();
    if (!m_job.hasEvents()) {
        if (m_output.size() > kMostAnswerBytes)
            kill();
        return;
    }
    qsizetype begin = 0;
    for (qsizetype end = m_output.indexOf('\n', m_scanned); end >= 0; end = m_output.indexOf('\n', begin)) {
        const auto event = m_reader.read({m_output.constData() + begin, static_cast<std::size_t>(end - begin)});
        begin = end + 1;
        if (!event)
            continue; // of another version
        if (const auto* last = std::get_if<EndEvent>(&*event))
            m_end.end = *last;
        emit heard(*event);
    }
    m_output.remove(0, begin);
    m_scanned = m_output.size();
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
    hearOutput();
    hearErrors();
    if (m_stopping)
        kill(); // what it has left
    if (status == QProcess::CrashExit)
        m_end.signal = code;
    if (status == QProcess::CrashExit && !m_stopping)
        conclude(
            exitStatus(ErrorCode::Failed),
            tr("%1 was ended by %2.").arg(m_job.hasEvents() ? m_job.words().value(0) : program(), signalName(code)));
    else if (status == QProcess::CrashExit)
        conclude(exitStatus(ErrorCode::Interrupted), {});
    else if (code == 0)
        conclude(code, {});
    else if (m_end.end && !m_end.end->message.empty())
        conclude(code, QString::fromStdString(m_end.end->message));
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
    m_end.exitStatus = exitStatus;
    m_end.message = message;
    m_end.lastLines = lastLines();
    if (!m_job.hasEvents())
        m_end.answer = m_output.left(kMostAnswerBytes);
    emit finished(m_end);
}

} // namespace peakscope
