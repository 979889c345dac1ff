// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_prover.h"

#include "app/jobs/job_process.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"

#include <QThread>

#include <algorithm>

namespace peakscope {

namespace {

// A dry run keeps one core busy; the window and the map need one, too.
std::size_t mostAtOnce()
{
    return QThread::idealThreadCount() >= 4 ? 2 : 1;
}

} // namespace

PlanProver::~PlanProver()
{
    for (JobProcess* process : m_running)
        process->disconnect(this);
}

void PlanProver::prove(const std::vector<nlohmann::json>& experiments, const QString& device)
{
    stop();
    m_device = device;
    m_waiting.assign(experiments.begin(), experiments.end());
    startNext();
}

void PlanProver::stop()
{
    m_waiting.clear();
    for (JobProcess* process : std::exchange(m_running, {})) {
        process->disconnect(this);
        connect(process, &JobProcess::finished, process, &QObject::deleteLater);
        process->stop();
    }
}

void PlanProver::startNext()
{
    while (!m_waiting.empty() && m_running.size() < mostAtOnce()) {
        const nlohmann::json experiment = std::move(m_waiting.front());
        m_waiting.pop_front();
        const auto agreed = CommandConsent().decide(experiment, {});
        if (!agreed)
            continue; // it names a launcher of a file: nothing is started for a picture
        const QStringList words{QStringLiteral("estimate"), QStringLiteral("-"),
                                QStringLiteral("--device"), m_device,
                                QStringLiteral("--prove"),  QStringLiteral("--json")};
        auto* process = new JobProcess(Job::question(words, *agreed), this);
        m_running.push_back(process);
        // Where it can't be started it has ended within start().
        connect(
            process, &JobProcess::finished, this,
            [this, process, experiment](const JobEnd& end) { take(process, experiment, end); }, Qt::QueuedConnection);
        process->start();
    }
}

void PlanProver::take(JobProcess* process, const nlohmann::json& experiment, const JobEnd& end)
{
    std::erase(m_running, process);
    process->deleteLater();
    const auto answer = parseJson(end.answer.toStdString());
    const auto proof =
        answer && end.exitStatus == 0 ? dryProofFromJson(lenient::member(*answer, "proved")) : std::nullopt;
    if (proof) {
        emit proved(experiment, *proof);
    } else {
        stop();
        emit failed(end.message);
    }
    startNext();
}

} // namespace peakscope
