// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/sweep_process.h"

#include "app/jobs/sweep_files.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFileInfo>

namespace peakscope {

namespace {

constexpr int kLookEveryMilliseconds = 50;

} // namespace

SweepProcess::SweepProcess(QObject* parent) : CommandProcess(parent), m_look(this)
{
    m_look.setInterval(kLookEveryMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &SweepProcess::look);
}

// Its last line; where no machine is left, with the one before it, which says of one why.
QString SweepProcess::lastWords() const
{
    const QStringList lines = lastLines();
    const QString last = lines.value(lines.size() - 1);
    QString before = lines.value(lines.size() - 2);
    if (m_hands.hosts.isEmpty() || before.isEmpty() || !last.contains(QLatin1String("no host is left")))
        return last;
    return QStringLiteral("%1 (%2)").arg(last, before.remove(QLatin1String("peakscope-cli: ")));
}

QString SweepProcess::file() const
{
    return m_folder.isEmpty() ? QString() : sweepFileIn(m_folder);
}

void SweepProcess::start(const Agreed<SweepStart>& sweep)
{
    const SweepHands& hands = sweep->hands;
    m_hands = hands;
    m_origin = sweep.origin();
    m_folder = QFileInfo(sweep->folder).absoluteFilePath();
    QStringList words{QStringLiteral("sweep"), QStringLiteral("-"), QStringLiteral("--out"), m_folder,
                      QStringLiteral("--resume")};
    if (!hands.hosts.isEmpty())
        words << QStringLiteral("--hosts") << hands.hosts.join(u',');
    else if (hands.workers > 1)
        words << QStringLiteral("--workers") << QString::number(hands.workers);
    begin(words, sweep->document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (running())
        m_look.start();
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
    CommandProcess::conclude(exitStatus, message);
}

} // namespace peakscope
