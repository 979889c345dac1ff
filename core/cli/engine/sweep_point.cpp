// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_point.h"

#include "core/base/json/json_reader.h"
#include "core/base/median.h"
#include "core/cli/engine/isolated_run.h"
#include "core/model/dry_device.h"
#include "core/protocol/worker_process.h"
#include "core/ranks/launch_environment.h"
#include "core/results/prediction_bound.h"
#include "core/results/sweeps/sweep_folder.h"
#include "core/results/sweeps/timed_round.h"

namespace peakscope {
namespace {

std::string fileName(std::size_t index, bool timed, std::int64_t repeat)
{
    std::string name = "point-" + pointNumber(index);
    if (timed)
        name += "-time";
    if (repeat > 0)
        name += "-r" + std::to_string(repeat + 1);
    return name + ".json";
}

void takeMemory(const RunResult& result, const std::string& file, SweepPoint& point)
{
    point.measured = true;
    point.file = file;
    // A worker that died without a last word did not finish; nobody here interrupted it.
    point.status = result.status == RunStatus::Interrupted ? "failed" : std::string(name(result.status));
    point.message = result.message;
    if (result.memory && result.memory->peakBytes > 0) {
        point.peakBytes = result.memory->peakBytes;
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            if (result.memory->peakComponents[i] != 0)
                point.components[std::string(name(static_cast<Component>(i)))] = result.memory->peakComponents[i];
        }
    }
    if (const nlohmann::json& refusal = lenient::member(result.other, "refusal"); refusal.is_object())
        point.neededBytes = lenient::integer(refusal, "needed_bytes");
    if (!point.predictedPeakBytes && peakClaim(result) == PeakClaim::Prediction)
        point.predictedPeakBytes = result.prediction->peakBytes;
}

void takeTimes(const RunResult& result, SweepPoint& point)
{
    if (result.status != RunStatus::Complete) {
        point.status = "failed";
        point.message = "its time run: " + result.message;
        return;
    }
    if (!result.timing)
        return;
    const Timing& timing = *result.timing;
    point.traced = timing.traced;
    point.stepSeconds.insert(point.stepSeconds.end(), timing.stepSeconds.begin(), timing.stepSeconds.end());
    point.warmupSeconds.insert(point.warmupSeconds.end(), timing.warmupSeconds.begin(), timing.warmupSeconds.end());
    point.medianStepSeconds = medianOf(point.stepSeconds);
    point.spreadSeconds = medianDeviation(point.stepSeconds);
    const std::vector<TimedRound> rounds = timedRounds(result);
    TimedRound round = rounds.empty() ? TimedRound() : rounds.front();
    round.medianSeconds = timing.medianStepSeconds;
    if (!point.other.is_object())
        point.other = nlohmann::json::object();
    if (round.medianSeconds > 0)
        addRound(point.other, round);
}

class PointRunner
{
public:
    PointRunner(const SweepPlan& plan, std::size_t index, const SweepPoint& point, const PointPlace& place)
        : m_plan(plan), m_index(index), m_place(place)
    {
        m_run.point = point;
    }

    Result<PointRun> run(std::int64_t round)
    {
        const bool dry = isDryDevice(m_plan.points[m_index].experiment->device); // it has no times
        if (dry && round > 0)
            return m_run;
        if (round == 0) {
            if (Status ran = once(false, 0); !ran)
                return ran.error();
            if (gaveUp())
                return m_run;
            takeMemory(m_result, fileName(m_index, false, 0), m_run.point);
            if (m_run.point.status != "complete" || dry)
                return m_run;
            if (!m_plan.timing)
                takeTimes(m_result, m_run.point);
        }
        if (round > 0 || m_plan.timing) {
            if (Status ran = once(m_plan.timing, round); !ran)
                return ran.error();
            if (gaveUp())
                return m_run;
            if (m_plan.timing && round == 0)
                m_run.point.timeFile = fileName(m_index, true, 0);
            takeTimes(m_result, m_run.point);
        }
        return m_run;
    }

private:
    bool gaveUp() const { return m_run.cancelled || m_run.taken; }

    Status once(bool timed, std::int64_t repeat)
    {
        Experiment experiment = *m_plan.points[m_index].experiment;
        if (timed) {
            experiment.traced = false;
            writeKeys(experiment.document, experiment, {"traced"});
        }
        if (!m_place.host.empty())
            experiment.launcher = {
                "ssh",       "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15",
                m_place.host};
        // Where processes were started together to share the points, their workers are no group of their own. A
        // launcher of the experiment's needs the batch system's job all the same.
        leaveLaunch(experiment.launcher.empty());
        auto run = runIsolated(experiment);
        if (!run)
            return m_place.host.empty() ? run.error() : failed(m_place.host, run.error().message);
        const bool whole = run->result.status == RunStatus::Complete || run->result.status == RunStatus::OverBudget;
        m_run.cancelled = run->cancelled || (cancelRequested() && !whole);
        m_run.killed = m_run.killed || run->killed;
        if (!m_place.host.empty())
            m_run.machineFault = run->hostFault.empty() ? run->launcherFault : run->hostFault;
        m_run.unreached = !m_place.host.empty() && !run->hostFault.empty();
        m_run.taken = !m_place.isMine();
        if (gaveUp())
            return Done{};
        m_result = std::move(run->result);
        return saveRunResult(m_result, m_place.folder / fileName(m_index, timed, repeat));
    }

    const SweepPlan& m_plan;
    std::size_t m_index;
    const PointPlace& m_place;
    RunResult m_result; // of the last run
    PointRun m_run;
};

} // namespace

bool isPointFile(const std::string& name)
{
    const std::string_view number = std::string_view(name).substr(0, name.find_last_of("0123456789") + 1);
    return number.starts_with("point-") && number.size() > 6 && name.ends_with(".json");
}

Result<PointRun> runSweepRound(const SweepPlan& plan, std::size_t index, const SweepPoint& point, std::int64_t round,
                               const PointPlace& place)
{
    return PointRunner(plan, index, point, place).run(round);
}

} // namespace peakscope
