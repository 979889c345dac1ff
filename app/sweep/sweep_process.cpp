// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_process.h"

#include "app/run/worker_client.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace peakscope {

namespace {

constexpr int kLookEveryMilliseconds = 50;
constexpr int kPatienceMilliseconds = 6000; // the command gives its own worker four seconds
constexpr int kInterrupted = 4;
constexpr int kFailed = 1;

} // namespace

SweepProcess::SweepProcess(QObject* parent) : QObject(parent), m_process(this), m_look(this), m_patience(this)
{
    m_look.setInterval(kLookEveryMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &SweepProcess::look);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMilliseconds);
    connect(&m_patience, &QTimer::timeout, &m_process, &QProcess::kill);
    m_process.setStandardOutputFile(QProcess::nullDevice());
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
        m_errors += m_process.readAllStandardError();
        m_errors = m_errors.right(4096);
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            conclude(kFailed, tr("%1 can't be started: %2").arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        m_errors += m_process.readAllStandardError();
        const QString last = lastWords();
        if (status == QProcess::CrashExit && !m_stopping)
            conclude(kFailed, tr("The sweep's process was ended by %1.").arg(signalName(code)));
        else if (status == QProcess::CrashExit)
            conclude(kInterrupted, {});
        else
            conclude(code, code == 0 ? QString() : last);
    });
}

// Its last line; where no machine is left, with the one before it, which says of one why.
QString SweepProcess::lastWords() const
{
    static const QRegularExpression ends(QStringLiteral("[\r\n]+"));
    const QStringList lines = QString::fromUtf8(m_errors).trimmed().split(ends, Qt::SkipEmptyParts);
    const QString last = lines.value(lines.size() - 1);
    QString before = lines.value(lines.size() - 2);
    if (m_hands.hosts.isEmpty() || before.isEmpty() || !last.contains(QLatin1String("no host is left")))
        return last;
    return QStringLiteral("%1 (%2)").arg(last, before.remove(QLatin1String("peakscope-cli: ")));
}

SweepProcess::~SweepProcess()
{
    m_process.disconnect(this);
    if (!running())
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(kPatienceMilliseconds)) {
        m_process.kill();
        m_process.waitForFinished(1000);
    }
}

QString SweepProcess::file() const
{
    return m_folder.isEmpty() ? QString() : QDir(m_folder).filePath(QStringLiteral("sweep.json"));
}

void SweepProcess::start(const Agreed<SweepStart>& sweep)
{
    Q_ASSERT(!running());
    const SweepHands& hands = sweep->hands;
    m_hands = hands;
    m_origin = sweep.origin();
    m_folder = QFileInfo(sweep->folder).absoluteFilePath();
    m_errors.clear();
    m_stopping = false;
    const QString program = WorkerClient::workerCommand({}).first();
    QStringList words{QStringLiteral("sweep"), QStringLiteral("-"), QStringLiteral("--out"), m_folder,
                      QStringLiteral("--resume")};
    if (!hands.hosts.isEmpty())
        words << QStringLiteral("--hosts") << hands.hosts.join(u',');
    else if (hands.workers > 1)
        words << QStringLiteral("--workers") << QString::number(hands.workers);
    m_process.start(program, words);
    if (!running())
        return; // told by errorOccurred
    const std::string text = sweep->document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    m_process.write(text.data(), static_cast<qint64>(text.size()));
    m_process.closeWriteChannel();
    m_look.start();
}

void SweepProcess::stop()
{
    if (!running() || m_stopping)
        return;
    m_stopping = true;
    m_process.terminate();
    m_patience.start();
}

void SweepProcess::look()
{
    if (!QFileInfo::exists(file()))
        return;
    m_look.stop();
    emit fileReady(file());
}

void SweepProcess::conclude(int exitStatus, const QString& message)
{
    // A sweep that was over at once has its file all the same.
    if (m_look.isActive())
        look();
    m_look.stop();
    m_patience.stop();
    emit finished(exitStatus, message);
}

} // namespace peakscope
