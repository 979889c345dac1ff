// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_access.h"
#include "core/cli/commands.h"
#include "core/cli/plan_support.h"
#include "core/engine/experiment_runner.h"
#include "core/engine/ledger.h"

#include <csignal>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace peakscope {
namespace {

// End of input or {"cancel":true} stops the run.
void listen()
{
    for (std::string line; std::getline(std::cin, line);) {
        const auto document = nlohmann::json::parse(line, nullptr, false);
        if (document.is_object() && document.contains("cancel") && document["cancel"] == true)
            break;
    }
    Ledger::instance().requestStop();
}

// An experiment that says "fit" is fitted first; what was chosen stands before the run's own notes.
EndEvent runFitted(const Experiment& asked, EventSink& sink)
{
    if (!asked.fit || !unsupported(asked).empty())
        return runExperiment(asked, sink);
    const auto fitted = fitHere(asked, 0);
    if (!fitted) {
        const RunStatus status =
            fitted.error().code == ErrorCode::OverBudget ? RunStatus::OverBudget : RunStatus::Failed;
        return {status, fitted.error().text(), {}, fitted.error().code == ErrorCode::BadInput};
    }
    const auto experiment = experimentFromJson(fitted->experiment);
    if (!experiment)
        return {RunStatus::Failed, experiment.error().text(), {}, true};
    EndEvent end = runExperiment(*experiment, sink);
    end.notes.insert(end.notes.begin(), fitted->sentence);
    return end;
}

int statusOf(const EndEvent& end)
{
    return end.badInput ? 2 : exitStatus(end.status);
}

} // namespace

int workerCommandLoop()
{
    // Events own the standard output: whatever a library prints there goes to standard error instead.
    const int events = ::dup(1);
    ::dup2(2, 1);
    LineSink sink(events);

    std::string line;
    EndEvent end;
    if (!std::getline(std::cin, line)) {
        end = {RunStatus::Failed, "no experiment came on standard input: one JSON line is expected", {}, true};
    } else if (auto document = parseJson(line, "experiment"); !document) {
        end = {RunStatus::Failed, document.error().text(), {}, true};
    } else if (auto experiment = experimentFromJson(*document); !experiment) {
        end = {RunStatus::Failed, experiment.error().text(), {}, experiment.error().code == ErrorCode::BadInput};
    } else {
        std::thread(listen).detach();
        end = runFitted(*experiment, sink);
    }
    sink.send(end);
    // Leave without static destructors: the listener may still wait for input.
    std::_Exit(statusOf(end));
}

} // namespace peakscope
