// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/launcher_check.h"

#include "app/jobs/job_process.h"
#include "app/jobs/job_words.h"
#include "core/protocol/launcher.h"

#include <vector>

namespace peakscope {

namespace {

constexpr int kNotFound = 127;
constexpr int kSshFailed = 255;

QString lastLine(const QByteArray& text)
{
    const QList<QByteArray> lines = text.trimmed().split('\n');
    return QString::fromUtf8(lines.last().trimmed().left(300));
}

constexpr std::size_t kMostBeginnings = 8, kMostEnds = 4;

// Lines that begin with a bracket, the last one first.
std::vector<qsizetype> lastBeginnings(const QByteArray& output)
{
    std::vector<qsizetype> places;
    for (qsizetype at = output.lastIndexOf('['); at >= 0 && places.size() < kMostBeginnings;
         at = at == 0 ? -1 : output.lastIndexOf('[', at - 1)) {
        if (at == 0 || output[at - 1] == '\n')
            places.push_back(at);
    }
    return places;
}

// Lines that end with a bracket, the last one first.
std::vector<qsizetype> lastEnds(const QByteArray& output)
{
    std::vector<qsizetype> places;
    for (qsizetype at = output.lastIndexOf(']'); at >= 0 && places.size() < kMostEnds;
         at = at == 0 ? -1 : output.lastIndexOf(']', at - 1)) {
        const QByteArray next = output.mid(at + 1, 2);
        if (next.isEmpty() || next[0] == '\n' || next == "\r\n")
            places.push_back(at);
    }
    return places;
}

} // namespace

DeviceList devicesAfterGreeting(const QByteArray& output)
{
    const std::vector<qsizetype> ends = lastEnds(output);
    for (const qsizetype begin : lastBeginnings(output)) {
        for (const qsizetype end : ends) {
            if (end <= begin)
                break;
            const DeviceList devices = devicesFromAnswer(output.mid(begin, end + 1 - begin));
            if (!devices.empty())
                return devices;
        }
    }
    return {};
}

LauncherCheck::LauncherCheck(QObject* parent, int patience) : QObject(parent), m_patience(this)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        fail(tr("%1 gave no answer within %2 s. Is the machine reachable without a password or a question?")
                 .arg(m_launcher.value(0, QStringLiteral("peakscope-cli")))
                 .arg(qRound(m_patience.interval() / 1000.0)));
    });
}

LauncherCheck::~LauncherCheck()
{
    drop();
}

void LauncherCheck::drop()
{
    m_patience.stop();
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->stop();
    m_process->deleteLater();
    m_process = nullptr;
}

void LauncherCheck::cancel()
{
    drop();
}

void LauncherCheck::fail(const QString& sentence)
{
    drop();
    emit failed(sentence);
}

void LauncherCheck::start(const Agreed<QStringList>& launcher)
{
    drop();
    m_launcher = *launcher;
    m_process = new JobProcess(Job::question({QStringLiteral("devices"), QStringLiteral("--json")}, launcher), this);
    connect(m_process, &JobProcess::finished, this, &LauncherCheck::conclude);
    m_patience.start();
    m_process->start();
}

void LauncherCheck::conclude(const JobEnd& end)
{
    const QString program = m_process->program();
    const DeviceList devices = end.exitStatus != 0 ? DeviceList() : devicesAfterGreeting(end.answer);
    drop();
    if (!devices.empty()) {
        emit answered(devices);
        return;
    }
    QString sentence;
    if (!end.couldStart)
        return fail(end.message);
    if (end.answer.size() >= JobProcess::kMostAnswerBytes)
        sentence = tr("What answered is no peakscope-cli.");
    else if (end.signal)
        sentence = tr("%1 was ended by %2.").arg(program, signalName(*end.signal));
    else if (end.exitStatus == kNotFound)
        sentence = tr("peakscope-cli was not found there. Install it, or give its path.");
    else if (end.exitStatus == kSshFailed && isRemoteLauncher({m_launcher.value(0).toStdString()}))
        sentence = tr("ssh could not connect.");
    else if (end.exitStatus != 0)
        sentence = tr("%1 ended with exit status %2.").arg(program).arg(end.exitStatus);
    else
        sentence = tr("What answered is no peakscope-cli.");
    const QString said = end.lastLines.isEmpty() ? lastLine(end.answer) : end.lastLines.last().trimmed().left(300);
    fail(said.isEmpty() ? sentence : sentence + u' ' + tr("Its output: %1").arg(said));
}

} // namespace peakscope
