// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/terminal.h"
#include "core/cli/commands/rank_input.h"
#include "core/cli/engine/dry_ranks_worker.h"
#include "core/cli/engine/engine_commands.h"
#include "core/cli/engine/fit_here.h"
#include "core/cli/engine/take_device.h"
#include "core/dry/dry_worker.h"
#include "core/engine/cuda/cuda_ranks.h"
#include "core/engine/cuda/device.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/runner/experiment_runner.h"
#include "core/engine/store/store_transport.h"
#include "core/ranks/rank_group.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace peakscope {
namespace {

EndEvent unusable(const std::string& sentence)
{
    return {RunStatus::Failed, sentence, {}, true};
}

EndEvent endOf(const Error& error)
{
    const RunStatus status = error.code == ErrorCode::OverBudget ? RunStatus::OverBudget : RunStatus::Failed;
    return {status, error.text(), {}, error.code == ErrorCode::BadInput};
}

bool isCancel(const nlohmann::json& document)
{
    return document.is_object() && document.contains("cancel") && document["cancel"] == true;
}

// End of input or {"cancel":true} stops the run.
template <typename Stop>
void listen(Stop stop)
{
    for (std::string line; std::getline(std::cin, line);) {
        if (isCancel(nlohmann::json::parse(line, nullptr, false)))
            break;
    }
    stop();
}

Result<Experiment> experimentOfLine(const std::string& line)
{
    auto document = parseJson(line, "experiment");
    if (!document)
        return document.error();
    if (const Status once = refuseRepeatedKeys(line, "experiment"); !once)
        return once.error();
    return experimentFromJson(*document);
}

// A byte at a time: what follows is for who reads it next, maybe this program started anew.
std::string inputLine()
{
    std::string line;
    for (char byte = 0;;) {
        const ssize_t count = ::read(0, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0 || byte == '\n')
            return line;
        line += byte;
    }
}

constexpr const char* kNoExperiment = "no experiment came on standard input: one JSON line is expected";

// An experiment that says "fit" is fitted first; what was chosen stands before the run's own notes.
struct Fitted {
    Experiment experiment;
    std::string note;
};
Result<Fitted> fitted(const Experiment& asked, int sharing = 1)
{
    if (!asked.fit || !unsupported(asked).empty())
        return Fitted{asked, ""};
    const auto chosen = fitHere(asked, 0, sharing);
    if (!chosen)
        return chosen.error();
    auto experiment = experimentFromJson(chosen->experiment);
    if (!experiment)
        return badInput("", experiment.error().text());
    return Fitted{std::move(*experiment), chosen->sentence};
}

void noteFirst(EndEvent& end, const std::string& note)
{
    if (!note.empty())
        end.notes.insert(end.notes.begin(), note);
}

// ---- one process

// A dry device: the same line, by this program started anew on a stand-in of the card, with the standard output that
// this one began with. Returns why that can't be.
EndEvent runOnStandIn(const Experiment& experiment, const std::string& line, int events)
{
    const auto device = dryDevice(experiment.device, "device");
    if (!device)
        return endOf(device.error());
    ::dup2(events, 1);
    const Error error = becomeDry(*device, torchVersion(), line);
    ::dup2(2, 1);
    return endOf(error);
}

EndEvent runAlone(EventSink& sink, int events)
{
    const std::string handed = takeHandedLine();
    const std::string line = handed.empty() ? inputLine() : handed;
    if (line.empty())
        return unusable(kNoExperiment);
    const auto experiment = experimentOfLine(line);
    if (!experiment)
        return endOf(experiment.error());
    const bool dry = isDryDevice(experiment->device);
    const std::optional<int> rank = dry ? dryRank() : std::nullopt;
    if (experiment->ranks > 1 && !dry)
        return unusable(wrongRanks(experiment->ranks, 1));
    if (dry && handed.empty() && (experiment->ranks <= 1 || rank))
        return runOnStandIn(*experiment, line, events);
    std::thread(listen<void (*)()>, [] { Ledger::instance().requestStop(); }).detach();
    const auto chosen = fitted(*experiment);
    if (!chosen)
        return endOf(chosen.error());
    EndEvent end;
    if (dry && handed.empty()) {
        end = runDryRanks(
            chosen->experiment, [&sink](const Event& event) { sink.send(event); },
            [] { return Ledger::instance().stopRequested(); });
    } else {
        const auto alone = communicatorAlone(rank.value_or(0), rank ? static_cast<int>(experiment->ranks) : 1);
        end = runExperiment(chosen->experiment, sink, *alone);
    }
    noteFirst(end, chosen->note);
    return end;
}

int workAlone(int events)
{
    LineSink sink(events);
    const EndEvent end = runAlone(sink, events);
    sink.send(end);
    return end.badInput ? 2 : exitStatus(end.status);
}

// ---- with other ranks

// Each rank of a machine sees one of its CUDA devices, its own: before CUDA is there, or it would take memory on all.
void takeOwnDevice(const Experiment& experiment, const RankGroup& group)
{
    if (experiment.device != "auto" && experiment.device != "cuda")
        return;
    const auto& hosts = group.hosts();
    const auto own = hosts.begin() + group.rank();
    takeDevice(static_cast<std::size_t>(std::count(hosts.begin(), own, *own)));
}

// What rank 0 hands to the others: an experiment that can be run, or why there is none.
nlohmann::json firstRanksWord(RankGroup& group)
{
    const int size = group.size();
    const std::string line = inputLine();
    const auto refusal = [](const EndEvent& end) { return nlohmann::json{{"end", toLine(end)}}; };
    if (line.empty())
        return refusal(unusable(kNoExperiment));
    if (saysNothingToRun(line))
        return refusal({});
    const auto experiment = experimentOfLine(line);
    if (!experiment)
        return refusal(endOf(experiment.error()));
    if (experiment->ranks > 0 && experiment->ranks != size)
        return refusal(unusable(wrongRanks(experiment->ranks, size)));
    takeOwnDevice(*experiment, group);
    const auto chosen = fitted(*experiment, group.communicator().localSize());
    if (!chosen)
        return refusal(endOf(chosen.error()));
    return {{"asked", experiment->document}, {"experiment", chosen->experiment.document}, {"note", chosen->note}};
}

// How it was started is no part of what is run.
nlohmann::json withoutLauncher(nlohmann::json document)
{
    document.erase("launcher");
    return document;
}

// A launcher may give every rank the same standard input, or none; another experiment than rank 0's is a mistake.
void compareInput(RankGroup& group, const nlohmann::json& asked)
{
    for (std::string line; std::getline(std::cin, line);) {
        const auto document = nlohmann::json::parse(line, nullptr, false);
        if (isCancel(document)) // torchrun's ranks share one standard input: whoever reads first has it
            group.requestStop();
        if (document.is_discarded() || isCancel(document))
            continue;
        const auto own = experimentFromJson(document);
        const std::string difference = own ? firstDifference(withoutLauncher(own->document), withoutLauncher(asked))
                                           : "it cannot be read: " + own.error().text();
        if (!difference.empty())
            group.failWith(unusable("another experiment came to standard input here than to rank 0's: " + difference));
        return; // later lines can only be cancels, which rank 0 hears
    }
}

EndEvent runTogether(RankGroup& group, EventSink& sink)
{
    const auto refused = [](const std::string& line) {
        const auto event = EventReader().read(line);
        const EndEvent* end = event ? std::get_if<EndEvent>(&*event) : nullptr;
        return end ? *end : unusable(kNoExperiment);
    };
    const std::string shared = group.share(group.rank() == 0 ? firstRanksWord(group).dump() : "");
    const auto word = nlohmann::json::parse(shared, nullptr, false);
    if (word.contains("end"))
        return refused(word["end"].get<std::string>());
    if (group.rank() == 0)
        std::thread([&group] { listen([&group] { group.requestStop(); }); }).detach();
    else
        std::thread([&group, asked = word["asked"]] { compareInput(group, asked); }).detach();
    const auto experiment = experimentFromJson(word["experiment"]);
    if (!experiment)
        return endOf(experiment.error()); // a file that rank 0 has and this machine has not
    takeOwnDevice(*experiment, group);
    EndEvent end = runExperiment(*experiment, sink, group.communicator());
    if (group.rank() == 0)
        noteFirst(end, word["note"].get<std::string>());
    return end;
}

int workTogether(const LaunchEnvironment& launch, int events)
{
    const auto stop = [] {
        Ledger::instance().requestStop();
        std::thread(abortCudaRanks).detach(); // NCCL may take its time, and others are to hear meanwhile
    };
    auto group = RankGroup::join(launch, events, stop, &storeTransport());
    if (!group) {
        if (launch.rank == 0)
            LineSink(events).send(endOf(group.error()));
        else
            standardError().line("rank " + std::to_string(launch.rank) + ": " + group.error().text());
        return exitStatus(group.error().code);
    }
    RankSink sink(**group);
    EndEvent end;
    try {
        end = runTogether(**group, sink);
    } catch (const RankFailure& failure) {
        end = {failure.stopped() ? RunStatus::Interrupted : RunStatus::Failed, failure.what(), {}, false};
    } catch (const std::exception& exception) {
        end = {RunStatus::Failed, exception.what(), {}, false};
    }
    (*group)->end(end);
}

} // namespace

int workerCommandLoop()
{
    // Events own the standard output: whatever a library prints there goes to standard error instead.
    const int events = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
    ::dup2(2, 1);
    const LaunchEnvironment launch = launchEnvironment([](const char* name) { return std::getenv(name); });
    const int status = launch.joins || !launch.problem.empty() ? workTogether(launch, events) : workAlone(events);
    // Leave without static destructors: the listener may still wait for input.
    std::_Exit(status);
}

} // namespace peakscope
