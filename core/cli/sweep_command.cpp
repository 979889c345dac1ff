// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/sweep_command.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/cli/isolated_run.h"
#include "core/engine/device.h"
#include "core/engine/experiment_runner.h"
#include "core/engine/machine.h"
#include "core/engine/prediction.h"
#include "core/planning/sweep_plan.h"
#include "core/protocol/worker_process.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kSweepFile = "sweep.json";

class Sweep
{
public:
    Sweep(const SweepArguments& arguments, SweepPlan plan) : m_arguments(arguments), m_plan(std::move(plan)) {}

    int execute()
    {
        estimate();
        m_sweep = emptySweep(m_plan);
        if (Status opened = open(); !opened)
            return report(opened.error());
        catchCancel();
        announce();
        for (const std::size_t index : sweepOrder(m_plan)) {
            if (m_sweep.points[index].state() != SweepCellState::Waiting)
                continue; // taken over
            if (cancelRequested())
                break;
            if (Status done = runPoint(index); !done) {
                clearProgressLine();
                return finish(done.error());
            }
        }
        clearProgressLine();
        return finish(std::nullopt);
    }

private:
    // Every point's predicted peak on the device it is for.
    void estimate()
    {
        const auto first = std::find_if(m_plan.points.begin(), m_plan.points.end(),
                                        [](const PlannedPoint& point) { return point.experiment.has_value(); });
        const auto device = resolveDevice(first->experiment->device);
        if (!device)
            return; // every run will say so
        // A point that names its threads is estimated for those.
        EstimateOptions options = estimateOptions(*device, processorCount());
        options.modules = false;
        estimateSweep(m_plan, options);
    }

    fs::path file() const { return fs::path(m_arguments.out) / kSweepFile; }

    Status open()
    {
        const fs::path folder(m_arguments.out);
        std::error_code error;
        fs::create_directories(folder, error);
        if (!fs::is_directory(folder, error))
            return badInput("--out", folder.string() + " is not a folder and none can be made there");
        if (m_arguments.resume && fs::exists(file(), error)) {
            if (Status taken = takeOver(); !taken)
                return taken;
        }
        if (!m_arguments.events.empty() && m_arguments.events != "-") {
            m_eventFile = std::ofstream(m_arguments.events, std::ios::binary);
            if (!m_eventFile)
                return badInput("--events", "cannot write " + m_arguments.events);
        }
        if (Status saved = save(); !saved)
            return badInput("--out", saved.error().text());
        return Done{};
    }

    // What an earlier run of the same sweep measured stays; what failed or was only predicted is looked at again.
    Status takeOver()
    {
        auto earlier = loadSweep(file());
        if (!earlier)
            return earlier.error();
        if (!sameSweep(*earlier, m_sweep))
            return badInput("--resume", file().string() + " is of another sweep; give another folder, or leave "
                                                          "--resume out to start over");
        for (std::size_t i = 0; i < m_sweep.points.size(); ++i) {
            SweepPoint& old = earlier->points[i];
            const SweepCellState state = old.state();
            std::error_code error;
            const bool there = fs::exists(fs::path(m_arguments.out) / old.file, error) &&
                               (old.timeFile.empty() || fs::exists(fs::path(m_arguments.out) / old.timeFile, error));
            if ((state == SweepCellState::Measured || state == SweepCellState::OverBudget) && !old.file.empty() &&
                there) {
                m_sweep.points[i] = std::move(old);
                ++m_takenOver;
            }
        }
        return Done{};
    }

    void announce()
    {
        const auto impossible = std::find_if(m_sweep.points.begin(), m_sweep.points.end(),
                                             [](const SweepPoint& point) { return point.impossible; });
        if (impossible != m_sweep.points.end()) {
            const auto count = std::count_if(m_sweep.points.begin(), m_sweep.points.end(),
                                             [](const SweepPoint& point) { return point.impossible; });
            std::fprintf(stderr, "peakscope-cli: %td of %zu points are impossible (%s: %s)\n", count,
                         m_sweep.points.size(), sweepSetting(impossible->values).c_str(),
                         oneLine(impossible->message).c_str());
        }
        send(StartEvent{
            newRunId(), isoTimeUtc(), {{"kind", "sweep"}, {"base", m_sweep.base}, {"grid", m_sweep.grid}}, {}});
        send(StageEvent{"sweep", {{"sweep", sweepResult(m_sweep).other["sweep"]}}});
        if (m_takenOver > 0 && m_arguments.events != "-")
            std::printf("%zu of %zu points were there already\n", m_takenOver, m_sweep.points.size());
    }

    void send(const Event& event)
    {
        if (m_arguments.events == "-")
            std::cout << toLine(event) << std::endl;
        else if (m_eventFile.is_open())
            m_eventFile << toLine(event) << std::endl;
    }

    Status save() { return saveSweep(m_sweep, file()); }

    std::string fileName(std::size_t index, bool timed, std::int64_t repeat) const
    {
        std::string number = std::to_string(index + 1);
        std::string name = "point-" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number;
        if (timed)
            name += "-time";
        if (repeat > 0)
            name += "-r" + std::to_string(repeat + 1);
        return name + ".json";
    }

    Status runPoint(std::size_t index)
    {
        SweepPoint point = m_sweep.points[index];
        const auto proof = m_plan.predictOverBudget ? overBudgetProof(m_plan, m_sweep.points, index) : std::nullopt;
        bool finished = true;
        if (proof) {
            point.status = "over_budget";
            point.message = "not run: " + m_sweep.points[*proof].file + " is smaller and over the budget";
        } else {
            const auto measured = measure(index, point);
            if (!measured)
                return measured.error();
            finished = *measured;
        }
        if (!finished)
            return Done{}; // cancelled: the point waits for the next time
        m_sweep.points[index] = std::move(point);
        ++m_ran;
        if (Status saved = save(); !saved)
            return saved;
        nlohmann::json section = sweepResult(m_sweep).other["sweep"];
        nlohmann::json values = std::move(section["points"][index]);
        values["index"] = index;
        send(PointEvent{std::move(values)});
        send(ProgressEvent{fraction(), remaining(), progressText(index)});
        return Done{};
    }

    // False where it was cancelled.
    Result<bool> measure(std::size_t index, SweepPoint& point)
    {
        const std::int64_t memoryRuns = m_plan.timing ? 1 : m_plan.repeats;
        for (std::int64_t repeat = 0; repeat < memoryRuns; ++repeat) {
            const auto run = runOnce(index, false, repeat);
            if (!run)
                return run.error();
            if (run->cancelled)
                return false;
            if (repeat == 0)
                takeMemory(run->result, fileName(index, false, 0), point);
            if (point.status != "complete")
                return true; // more of it would say the same
            if (!m_plan.timing)
                takeTimes(run->result, point);
        }
        for (std::int64_t repeat = 0; m_plan.timing && repeat < m_plan.repeats; ++repeat) {
            const auto run = runOnce(index, true, repeat);
            if (!run)
                return run.error();
            if (run->cancelled)
                return false;
            if (repeat == 0)
                point.timeFile = fileName(index, true, 0);
            takeTimes(run->result, point);
        }
        return true;
    }

    Result<IsolatedRun> runOnce(std::size_t index, bool timed, std::int64_t repeat)
    {
        Experiment experiment = *m_plan.points[index].experiment;
        if (timed) {
            experiment.traced = false;
            experiment.document["traced"] = false;
        }
        showProgressLine(progressText(index));
        auto run = runIsolated(experiment);
        if (!run || run->cancelled)
            return run;
        if (Status saved = saveRunResult(run->result, fs::path(m_arguments.out) / fileName(index, timed, repeat));
            !saved)
            return saved.error();
        return run;
    }

    static void takeMemory(const RunResult& result, const std::string& file, SweepPoint& point)
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
        if (const auto refusal = result.other.find("refusal"); refusal != result.other.end() && refusal->is_object())
            point.neededBytes = refusal->value("needed_bytes", std::int64_t{0});
        if (!point.predictedPeakBytes && result.prediction && result.prediction->peakBytes > 0)
            point.predictedPeakBytes = result.prediction->peakBytes;
    }

    static void takeTimes(const RunResult& result, SweepPoint& point)
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
    }

    double fraction() const
    {
        return static_cast<double>(m_sweep.finished()) / static_cast<double>(m_sweep.points.size());
    }

    std::optional<double> remaining() const
    {
        if (m_ran == 0)
            return std::nullopt;
        const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
        return seconds / static_cast<double>(m_ran) * static_cast<double>(m_sweep.points.size() - m_sweep.finished());
    }

    std::string progressText(std::size_t index) const
    {
        std::string text = std::to_string(m_sweep.finished()) + " of " + std::to_string(m_sweep.points.size()) +
                           " points, " + sweepSetting(m_sweep.points[index].values);
        if (const auto left = remaining())
            text += ", " + formatSeconds(*left) + " left";
        return text;
    }

    int finish(const std::optional<Error>& error)
    {
        m_sweep.status = m_sweep.complete() ? "complete" : "interrupted";
        if (error) {
            (void)save();
            send(EndEvent{RunStatus::Failed, error->text(), {}, false});
            return report(*error);
        }
        const Status saved = save();
        const bool anyFailed = count(SweepCellState::Failed) > 0;
        const RunStatus status = !m_sweep.complete() ? RunStatus::Interrupted
                                 : anyFailed         ? RunStatus::Failed
                                                     : RunStatus::Complete;
        const std::string sentence = this->sentence();
        send(EndEvent{status, status == RunStatus::Complete ? std::string() : sentence, {}, false});
        if (!saved)
            return report(saved.error());
        if (m_arguments.events != "-")
            std::printf("%s\nsweep in %s\n", sentence.c_str(), file().string().c_str());
        if (status == RunStatus::Interrupted)
            std::fprintf(stderr, "peakscope-cli: interrupted; the same command with --resume goes on\n");
        return exitStatus(status);
    }

    std::size_t count(SweepCellState state) const
    {
        return static_cast<std::size_t>(
            std::count_if(m_sweep.points.begin(), m_sweep.points.end(),
                          [state](const SweepPoint& point) { return point.state() == state; }));
    }

    std::string sentence() const
    {
        std::string text = std::to_string(m_sweep.points.size()) +
                           " points: " + std::to_string(count(SweepCellState::Measured)) + " measured";
        for (const auto& [state, words] : {std::pair{SweepCellState::OverBudget, "over budget"},
                                           {SweepCellState::PredictedOverBudget, "predicted over budget"},
                                           {SweepCellState::Failed, "failed"},
                                           {SweepCellState::Impossible, "impossible"},
                                           {SweepCellState::Waiting, "not run"}}) {
            if (const std::size_t number = count(state))
                text += ", " + std::to_string(number) + " " + words;
        }
        return text;
    }

    const SweepArguments& m_arguments;
    SweepPlan m_plan;
    SweepDocument m_sweep;
    std::ofstream m_eventFile;
    std::size_t m_takenOver = 0;
    std::size_t m_ran = 0; // by this process
    Clock::time_point m_start = Clock::now();
};

} // namespace

CLI::App* addSweepCommand(CLI::App& app, SweepArguments& arguments)
{
    CLI::App* sweep = app.add_subcommand("sweep", "A grid over any keys of an experiment, a process a point");
    sweep
        ->add_option("SWEEP", arguments.sweep,
                     "The sweep (JSON: base, grid, repeats, timing, over_budget), or - for "
                     "standard input")
        ->required();
    sweep->add_option("--out", arguments.out, "The folder for sweep.json and a result a point")->required();
    sweep->add_option("--set", arguments.assignments, "KEY=VALUE …: changes of the base")->expected(1, 1000);
    sweep->add_option("--budget", arguments.budget, "Bytes the device's allocator may hand out (2e9, 512MiB, 80GiB)");
    sweep->add_option("--events", arguments.events, "Events of the sweep: a file, or - for standard output");
    sweep->add_flag("--resume", arguments.resume, "Go on where an earlier run of the same sweep ended");
    return sweep;
}

int sweepCommand(const SweepArguments& arguments)
{
    std::vector<std::string> assignments = arguments.assignments;
    if (!arguments.budget.empty()) {
        const auto bytes = parseBytes(arguments.budget);
        if (!bytes)
            return report(badInput("--budget", bytes.error().message));
        assignments.push_back("budget_bytes=" + std::to_string(*bytes));
    }
    auto plan = loadSweepPlan(arguments.sweep, assignments, unsupported);
    if (!plan)
        return report(plan.error());
    ::unsetenv("PEAKSCOPE_PROGRESS"); // points do not share a progress file
    return Sweep(arguments, std::move(*plan)).execute();
}

} // namespace peakscope
