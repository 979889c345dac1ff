// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/isolated_run.h"

#include "core/cli/commands/hand_over.h"
#include "core/engine/runner/experiment_runner.h"
#include "core/protocol/launcher.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"

#include <csignal>

namespace peakscope {
namespace {

// A crash of its own would come again; these come from outside. Launchers report 128 + signal.
bool wasKilled(const WorkerEnd& end, bool ended)
{
    const auto outside = [](int signal) { return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP; };
    return (end.death && outside(end.death->signal)) ||
           (!ended && (outside(end.signal) || outside(end.exitCode - 128)));
}

// A machine without the engine, or without the device, answers each run at once: it would have all of a sweep's points.
// A worker that is killed, or finds fault with another key, says nothing of its machine.
std::string hostFault(const IsolatedRun& run, bool badInput)
{
    if (run.begun || run.cancelled || (run.killed && run.launcherFault.empty()))
        return "";
    const std::string& message = run.result.message;
    const bool lacking =
        badInput && (message.starts_with("device: ") || message.starts_with(std::string("worker") + kNeedsEngine));
    return lacking || run.result.status == RunStatus::Interrupted ? message : "";
}

} // namespace

Result<IsolatedRun> runIsolated(const Experiment& experiment, const std::function<void(const Event&)>& onEvent)
{
    ResultAssembler assembler;
    const auto end = runWorker(experiment, [&](const Event& event, std::string_view) {
        assembler.add(event);
        if (onEvent)
            onEvent(event);
    });
    if (!end)
        return end.error();
    if (!end->started)
        return failed("worker", end->sentence());
    const bool ended = assembler.ended();
    const std::string fault = end->launcherFailed() && !ended ? end->sentence() : "";
    if (!ended)
        assembler.workerGone(end->sentence(), end->cancelled ? std::nullopt : end->death);
    const bool unusable = ended && assembler.badInput();
    IsolatedRun run{
        assembler.result(), end->cancelled, wasKilled(*end, ended), assembler.started(), fault, unusable, ""};
    if (!experiment.launcher.empty())
        run.hostFault = hostFault(run, unusable);
    return run;
}

std::string whyNotRun(const Experiment& experiment)
{
    const Status launcher = checkLauncher(experiment.launcher);
    return launcher ? unsupported(experiment) : launcher.error().text();
}

} // namespace peakscope
