// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for peakscope-cli: says what a worker says and then does what $PEAKSCOPE_FAKE_MODE asks for (complete,
// kill, crash, exit, silent, hang, slow, junk, other_version, bad_input, over_budget, flood, replay). Without Qt and
// without LibTorch.
#include "core/base/output_lock.h"
#include "core/cli/commands/run_arguments.h"
#include "core/experiment/sweep_plan.h"
#include "core/model/dry_device.h"
#include "core/protocol/event.h"
#include "core/results/dry_progress.h"
#include "core/results/sweeps/compared_method.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/other_version_worker.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace peakscope;
using namespace std::chrono_literals;

std::atomic<bool> g_stop = false;

void say(const Event& event)
{
    const std::string line = toLine(event) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

MemoryEvent batch(double start, int events, std::int64_t size)
{
    MemoryEvent memory;
    std::int64_t live = 0;
    for (int i = 0; i < events; ++i) {
        const bool allocation = i % 2 == 0;
        memory.timeSeconds.push_back(start + i * 1e-5);
        memory.deltaBytes.push_back(allocation ? size : -size);
        memory.component.push_back(Component::Activations);
        live += allocation ? size : -size;
    }
    memory.allocatedBytes = live + 1000;
    memory.reservedBytes = memory.allocatedBytes;
    memory.residentBytes = 5000000;
    return memory;
}

void begin(const nlohmann::json& experiment)
{
    StartEvent start;
    start.id = "fake-run";
    start.created = "2026-01-02T03:04:05Z";
    start.config = experiment;
    start.environment = {{"device", "cpu"}};
    say(start);
    say(PhaseEvent{Phase::Load, -1, 0});
    MemoryEvent parameters;
    parameters.timeSeconds = {0.001};
    parameters.deltaBytes = {1000};
    parameters.component = {Component::Parameters};
    parameters.allocatedBytes = 1000;
    say(parameters);
    say(PhaseEvent{Phase::Forward, 0, 0.01});
    say(batch(0.011, 40, 4000));
    say(SnapshotEvent{{"after forward", Phase::Forward, 0, 0.02, 1000, 1000}});
    say(ProgressEvent{0.5, 1.5, "step 1 of 2"});
}

StageEvent memoryStage()
{
    RunResult result;
    MemorySection& memory = result.memory.emplace();
    memory.peakBytes = 5000;
    memory.peakComponents[static_cast<std::size_t>(Component::Parameters)] = 1000;
    memory.peakComponents[static_cast<std::size_t>(Component::Activations)] = 4000;
    memory.maxComponents = memory.peakComponents;
    memory.timeline.timeSeconds = {0.001, 0.011, 0.012};
    memory.timeline.deltaBytes = {1000, 4000, -4000};
    memory.timeline.component = {Component::Parameters, Component::Activations, Component::Activations};
    memory.phases = {{Phase::Load, -1, 0}, {Phase::Forward, 0, 0.01}};
    memory.snapshots = {{"after forward", Phase::Forward, 0, 0.02, 1000, 1000}};
    memory.modules = {{"layers.0.self_attn", ModuleKind::Attention, 600, 600, 3000, 4200, 0.001, 0.002},
                      {"layers.0.fc1", ModuleKind::Mlp, 400, 400, 1000, 1800, 0.001, 0.002}};
    memory.operators = {{"aten::mm", Phase::Forward, 4, 16000, 4000, 0.003},
                        {"aten::mm", Phase::Backward, 8, 32000, 3000, 0.006}};
    StageEvent stage;
    stage.name = "memory";
    stage.data = {{"memory", toJson(result).at("memory")}};
    return stage;
}

void finish()
{
    say(memoryStage());
    StageEvent training;
    training.name = "training";
    training.data = {{"timing", {{"step_seconds", {0.04, 0.05}}, {"median_step_seconds", 0.045}, {"traced", true}}},
                     {"loss", 2.5}};
    say(training);
    say(ProgressEvent{1, 0, "done"});
    say(EndEvent{});
}

// Keeps talking until it is told to stop.
void talkUntilStopped()
{
    double time = 0.1;
    while (!g_stop) {
        say(batch(time, 100, 2000));
        time += 0.01;
        std::this_thread::sleep_for(5ms);
    }
}

// Repeats the recorded events of $PEAKSCOPE_FAKE_EVENTS, notes in the progress file that it was here, and dies before
// the end event where $PEAKSCOPE_FAKE_DIE is set.
int replay()
{
    if (const char* progress = std::getenv("PEAKSCOPE_PROGRESS"))
        std::ofstream(progress, std::ios::app) << "here\n";
    const char* path = std::getenv("PEAKSCOPE_FAKE_EVENTS");
    std::ifstream file(path ? path : "");
    for (std::string line; std::getline(file, line);) {
        if (std::getenv("PEAKSCOPE_FAKE_DIE") && line.find("\"event\":\"end\"") != std::string::npos) {
            std::fflush(stdout);
            std::raise(SIGKILL);
        }
        std::fwrite((line + "\n").data(), 1, line.size() + 1, stdout);
        std::fflush(stdout);
        std::this_thread::sleep_for(10ms);
    }
    return 0;
}

int act(const std::string& mode, const nlohmann::json& experiment)
{
    if (mode == "replay")
        return replay();
    if (mode == "silent")
        return 0;
    if (mode == "bad_input") {
        EndEvent end;
        end.status = RunStatus::Failed;
        end.message = "data.path: no such file: lost.txt";
        end.badInput = true;
        say(end);
        return 2;
    }
    if (mode == "other_version") {
        std::cout << testing::kOtherVersionLines << std::flush;
        return 0;
    }
    begin(experiment);
    if (mode == "kill")
        std::raise(SIGKILL);
    if (mode == "crash") {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    if (mode == "exit") {
        std::cerr << "first line\nthe disk is on fire" << std::endl;
        return 7;
    }
    if (mode == "hang") {
        std::signal(SIGTERM, SIG_IGN);
        std::this_thread::sleep_for(60s);
    }
    if (mode == "slow") {
        talkUntilStopped();
        say(EndEvent{RunStatus::Interrupted, "Stopped on request.", {}, false});
        return 4;
    }
    if (mode == "junk") {
        std::cout << "OMP: Info: something\n{\"event\":\"memory\"}\n{\"event\":\"invented\"}\n\xff\xfe\n" << std::flush;
        finish();
        return 0;
    }
    if (mode == "over_budget") {
        say(memoryStage());
        say(EndEvent{RunStatus::OverBudget, "forward, layers.0.fc1: 4000 bytes more would pass the budget", {}, false});
        return 3;
    }
    if (mode == "flood") {
        constexpr int kBatches = 2000;
        for (int i = 0; i < kBatches; ++i)
            say(batch(0.1 + i * 0.011, 1000, 2000));
        say(EndEvent{});
        return 0;
    }
    finish();
    return 0;
}

std::ofstream g_events; // of the commands, which say them where --events leads

void tell(const Event& event)
{
    g_events << toLine(event) << std::endl;
}

void tellProgress(std::size_t done, std::size_t all, const std::string& message = {})
{
    tell(ProgressEvent{static_cast<double>(done) / static_cast<double>(all),
                       done > 0 ? std::optional(12.0 * static_cast<double>(all - done)) : std::nullopt, message,
                       static_cast<std::int64_t>(done), static_cast<std::int64_t>(all)});
}

// Stands in for `sweep - --out FOLDER --resume MORE`: a point every 40 ms; until SIGTERM where the mode is slow. MORE
// stands in FOLDER/words afterwards.
int sweep(const std::string& folder, const std::string& mode, const std::string& more)
{
    const auto document = nlohmann::ordered_json::parse(std::cin, nullptr, false);
    std::vector<std::string> order;
    if (document.is_object() && document.contains("grid")) {
        for (const auto& axis : document["grid"].items())
            order.push_back(axis.key());
    }
    const auto plan = sweepPlanFromJson(nlohmann::json(document), order);
    if (!plan) {
        std::cerr << "peakscope-cli: " << plan.error().text() << std::endl;
        return 2;
    }
    std::signal(SIGTERM, [](int) { g_stop = true; });
    std::filesystem::create_directories(folder);
    const std::string path = folder + "/sweep.json";
    std::ofstream(folder + "/words") << more;
    const auto lock = OutputLock::take(folder);
    SweepDocument result = emptySweep(*plan);
    if (auto earlier = loadSweep(path); earlier && sameSweep(*earlier, result))
        result = std::move(*earlier);
    (void)saveSweep(result, path);
    tell(StartEvent{"fake-sweep", "2026-01-02T03:04:05Z", {{"kind", "sweep"}}, {}});
    tell(StageEvent{"sweep", {}});
    tellProgress(result.finished(), result.points.size());
    for (SweepPoint& point : result.points) {
        if (g_stop || (mode == "slow" && result.finished() == 2)) {
            while (!g_stop)
                std::this_thread::sleep_for(5ms);
            std::cerr << "peakscope-cli: interrupted; repeat the command with --resume to continue" << std::endl;
            tell(EndEvent{RunStatus::Interrupted, "interrupted"});
            return 4;
        }
        if (point.state() != SweepCellState::Waiting)
            continue;
        std::this_thread::sleep_for(40ms);
        point.status = "complete";
        point.measured = true;
        point.peakBytes = 1000;
        result.status = result.complete() ? "complete" : "interrupted";
        (void)saveSweep(result, path);
        tellProgress(result.finished(), result.points.size());
    }
    tell(EndEvent{});
    return 0;
}

// Stands in for `compare-methods - --out FOLDER --methods A,B --rounds N`: a run every 40 ms; where the mode is slow,
// the fourth waits for SIGTERM or for a file FOLDER/go.
int compareMethods(const std::string& folder, const std::string& list, std::size_t rounds, const std::string& mode)
{
    const auto experiment = nlohmann::json::parse(std::cin, nullptr, false);
    std::signal(SIGTERM, [](int) { g_stop = true; });
    std::vector<std::string> methods, files;
    std::istringstream names(list);
    for (std::string method; std::getline(names, method, ',');)
        methods.push_back(method);
    for (const std::string& method : methods)
        files.push_back(memoryRunFile(method));
    for (std::size_t round = 0; round < rounds; ++round) {
        for (const std::size_t i : turnOrder(methods.size(), round))
            files.push_back(timeRunFile(methods[i], round));
    }
    const auto save = [&experiment](const std::string& method, const std::string& file) {
        RunResult result;
        result.id = "fake-" + method;
        result.created = "2026-01-02T03:04:05Z";
        result.config = experiment;
        result.config["training"]["clipping"] = clippingOfMethod(method);
        result.memory.emplace().peakBytes = 5000;
        (void)saveRunResult(result, file);
    };
    const std::string runs = folder + "/" + kComparedRuns;
    std::filesystem::create_directories(runs);
    for (std::size_t i = 0; i < files.size(); ++i) {
        tellProgress(i, files.size());
        while (mode == "slow" && i == 3 && !g_stop && !std::filesystem::exists(folder + "/go"))
            std::this_thread::sleep_for(5ms);
        if (g_stop) {
            std::cerr << "peakscope-cli: interrupted; repeat the command with --resume to continue" << std::endl;
            tell(EndEvent{RunStatus::Interrupted, "interrupted"});
            return 4;
        }
        std::this_thread::sleep_for(40ms);
        if (i < methods.size())
            save(methods[i], runs + "/" + files[i]);
        else
            std::ofstream(runs + "/" + files[i]) << "{}";
        nlohmann::json values = {{"file", std::string(kComparedRuns) + "/" + files[i]}};
        if (i >= methods.size())
            values["round"] = 1 + (i - methods.size()) / methods.size();
        tell(PointEvent{values});
    }
    for (const std::string& method : methods)
        save(method, folder + "/" + method + "_result.json");
    tell(EndEvent{});
    return 0;
}

// Stands in for `record` and `fit`: --device, --out, then the program behind --. A 4090 runs out of memory; where the
// mode is slow, it stands until SIGTERM with a child of its own that takes none, whose id goes into OUT.child; where it
// is tells, it says how far it is, once more each time that a file go is in its folder, which it takes away.
struct Dry {
    std::vector<std::string> devices, command;
    std::string out, options;
    std::int64_t world = 1;
    std::vector<std::int64_t> ranks;

    Dry(int argc, char** argv)
    {
        int i = 2;
        for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
            options += std::string(i > 2 ? " " : "") + argv[i];
            if (std::strcmp(argv[i - 1], "--out") == 0)
                out = argv[i];
            if (std::strcmp(argv[i - 1], "--world") == 0)
                world = std::stoll(argv[i]);
            std::istringstream numbers(std::strcmp(argv[i - 1], "--rank") == 0 ? argv[i] : "");
            for (std::string rank; std::getline(numbers, rank, ',');)
                ranks.push_back(std::stoll(rank));
            if (std::strcmp(argv[i - 1], "--device") != 0)
                continue;
            std::istringstream list(argv[i]);
            for (std::string device; std::getline(list, device, ',');)
                devices.push_back(device);
        }
        command.assign(argv + std::min(i + 1, argc), argv + argc);
    }

    nlohmann::json config() const
    {
        return {{"kind", "memory"},
                {"device", devices.front()},
                {"program",
                 {{"command", command},
                  {"steps", 5},
                  {"options", options},
                  {"folder", std::filesystem::current_path().string()}}}};
    }
};

bool hasLittle(const std::string& device)
{
    return device == "dry:rtx-4090";
}

int standUntilStopped(const std::string& out)
{
    std::signal(SIGTERM, [](int) { g_stop = true; });
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGTERM, SIG_IGN);
        std::this_thread::sleep_for(60s);
        std::_Exit(0);
    }
    std::ofstream(out + ".child") << child;
    while (!g_stop)
        std::this_thread::sleep_for(5ms);
    return 143;
}

// Three of five steps, beside a bar of the program's own.
void tellSteps()
{
    std::signal(SIGTERM, [](int) { g_stop = true; });
    for (std::int64_t step = 1; step <= 3 && !g_stop; ++step) {
        ProgressEvent progress{0.2 * static_cast<double>(step), std::nullopt, "step", step, 5};
        progress.program = DryProgress{step, 5, step << 29, step << 30, step << 29, step << 30};
        std::cerr << "\r training |##  |" << std::flush;
        tell(PhaseEvent{Phase::Forward, step - 1, static_cast<double>(step)});
        MemoryEvent memory{{static_cast<double>(step)}, {std::int64_t{1} << 29}, {Component::Activations}};
        memory.allocatedBytes = step << 29;
        memory.reservedBytes = step << 30;
        tell(memory);
        tell(progress);
        while (!g_stop && !std::filesystem::remove("go"))
            std::this_thread::sleep_for(5ms);
    }
}

// On this machine: a program that holds a gibibyte of parameters, and half as much for a moment. It stands before its
// first allocation while there is a file import in its folder, and at its end while there is a file wait.
int recordHere(const Dry& program)
{
    std::signal(SIGTERM, [](int) { g_stop = true; });
    std::cout << "a line of the program's\n";
    RunResult result;
    result.id = "fake-here";
    result.created = "2026-01-02T03:04:05Z";
    result.status = RunStatus::Complete;
    result.config = {{"kind", "memory"},
                     {"device", "cpu"},
                     {"program", {{"command", program.command}, {"steps", 2}, {"options", program.options}}}};
    MemorySection& memory = result.memory.emplace();
    const std::int64_t gibibyte = std::int64_t(1) << 30;
    memory.timeline.timeSeconds = {0, 0.1, 0.2};
    memory.timeline.deltaBytes = {gibibyte, gibibyte / 2, -gibibyte / 2};
    memory.timeline.component = {Component::Parameters, Component::Activations, Component::Activations};
    memory.owners = {{"layers.0"}, {"aten::mm"}, {"train.py:3 train"}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}};
    memory.peakBytes = 3 * gibibyte / 2;
    tell(StartEvent{result.id, result.created, result.config, {}});
    while (std::filesystem::exists("import") && !g_stop)
        std::this_thread::sleep_for(10ms);
    tell(PhaseEvent{Phase::Forward, 0, 0});
    tell(MemoryEvent{memory.timeline.timeSeconds, memory.timeline.deltaBytes, memory.timeline.component, gibibyte,
                     gibibyte});
    while (std::filesystem::exists("wait") && !g_stop)
        std::this_thread::sleep_for(10ms);
    result.status = g_stop ? RunStatus::Interrupted : RunStatus::Complete;
    (void)saveRunResult(result, program.out);
    tell(EndEvent{result.status, "", {}, false, {}, program.out});
    return g_stop ? 143 : 0;
}

int record(const Dry& dry, const std::string& mode)
{
    if (dry.devices.empty())
        return recordHere(dry);
    std::cerr << "peakscope: dry on a card: what the program prints is not a result\n";
    if (mode == "slow")
        return standUntilStopped(dry.out);
    if (mode == "tells")
        tellSteps();
    if (g_stop)
        return 143;
    if (mode == "exit") {
        const std::string said = "record: nothing was recorded: the program ended with status 1";
        std::cerr << "Traceback (most recent call last):\nValueError: batch of 0\npeakscope-cli: " << said << std::endl;
        tell(EndEvent{RunStatus::Failed, said});
        return 1;
    }
    // One of several GPUs holds its part of a tebibyte: too much of it below 16 of them.
    const std::int64_t reserved = dry.world > 1 ? (std::int64_t(1) << 40) / dry.world : std::int64_t(4) << 30;
    const bool full = hasLittle(dry.devices.front()) || reserved > std::int64_t(80) << 30;
    RunResult result;
    result.id = "fake-" + dry.devices.front();
    result.created = "2026-01-02T03:04:05Z";
    result.status = full ? RunStatus::Failed : RunStatus::Complete;
    result.config = dry.config();
    result.config["program"]["out_of_memory"] = full;
    result.environment = {{"device", dry.devices.front()}, {"device_name", "NVIDIA Card"}};
    MemorySection& memory = result.memory.emplace();
    memory.timeline.timeSeconds = {0, 0.1};
    memory.timeline.deltaBytes = {std::int64_t(3) << 30, -(std::int64_t(1) << 30)};
    memory.timeline.component = {Component::Parameters, Component::Parameters};
    memory.peakBytes = std::int64_t(3) << 30;
    result.other["dry"] = true;
    result.other["allocator"] = {{"peak_allocated_bytes", std::int64_t(3) << 30}, {"peak_reserved_bytes", reserved}};
    nlohmann::json& program = result.config["program"];
    if (dry.world > 1)
        program.update({{"world", dry.world},
                        {"rank", dry.ranks.back()},
                        {"outside", {{"context_bytes", 440 << 20}, {"communicator_bytes", 700'000'000}}}});
    for (std::size_t i = 0; dry.ranks.size() > 1 && i < dry.ranks.size(); ++i) { // the last is the fullest
        RankSection section;
        section.rank = dry.ranks[i];
        section.device = dry.devices.front();
        section.memory = memory;
        section.memory->peakBytes -= i + 1 < dry.ranks.size() && mode != "ranks_alike" ? 1 << 20 : 0;
        section.other["program"] = {{"out_of_memory", i == 0 && mode == "rank_runs_out"}};
        result.ranks.push_back(std::move(section));
    }
    (void)saveRunResult(result, dry.out);
    std::cerr << (full ? "torch.OutOfMemoryError: CUDA out of memory\n" : "") << "dry on a card: peak 3 GiB allocated\n"
              << "note: a dry run" << std::endl;
    return full ? 1 : 0;
}

int fit(const Dry& dry, const std::string& mode)
{
    const auto first = dryDevice(dry.devices.front());
    tell(ProgressEvent{0, std::nullopt,
                       "batch 1, dry on " + (first ? first->card.name : std::string()) + ": 4 GiB reserved", 1});
    if (mode == "slow")
        return standUntilStopped(dry.out);
    SweepDocument sweep;
    sweep.status = "complete";
    sweep.keys = {"batch", "device"};
    sweep.base = dry.config();
    nlohmann::json cards = nlohmann::json::array();
    for (const std::string& device : dry.devices) {
        SweepPoint point;
        point.values = {{"batch", 24}, {"device", device}};
        point.status = hasLittle(device) ? "over_budget" : "complete";
        point.measured = true;
        point.peakBytes = std::int64_t(3) << 30;
        sweep.points.push_back(point);
        nlohmann::json found = {{"device", device}, {"largest", nullptr}, {"command", nullptr}};
        if (!hasLittle(device)) {
            found["largest"] = {{"batch", 24}};
            found["command"] = "sh train.py --batch 24";
            found["remarks"] = {"batch 2 allocates more than the fitted line",
                                "batch 24 with other rows reserves 4 GiB"};
            if (mode == "end_of_range")
                found["further"] = "batch=24..192";
        }
        found["points"] = {{{"values", {{"batch", 24}}},
                            {"allocated_bytes", std::int64_t(3) << 30},
                            {"reserved_bytes", std::int64_t(4) << 30}}};
        cards.push_back(std::move(found));
    }
    RunResult result = sweepResult(sweep);
    result.id = "fake-fit";
    result.created = "2026-01-02T03:04:05Z";
    result.other["dry"] = true;
    result.other["fit"] = {{"cards", std::move(cards)}};
    (void)saveRunResult(result, dry.out);
    return 0;
}

// As peakscope-cli has it, with this program as the worker.
int run(int argc, char** argv)
{
    CLI::App app;
    RunArguments arguments;
    addRunCommand(app, arguments)->callback([&arguments] { settleRunArguments(arguments); });
    CLI11_PARSE(app, argc, argv);
    return runCommand(arguments, {});
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "run") == 0)
        return run(argc, argv);
    if (argc > 1 && std::strcmp(argv[1], "devices") == 0) {
        std::cout
            << R"([{"id":"cpu","name":"Test processor","total_bytes":8589934592},{"id":"cuda:7","name":"Test GPU"}])"
            << std::endl;
        return 0;
    }
    const char* mode = std::getenv("PEAKSCOPE_FAKE_MODE");
    if (argc > 3 && std::strcmp(argv[2], "--events") == 0) { // what is left stands as if it were not there
        g_events.open(argv[3]);
        std::rotate(argv + 2, argv + 4, argv + argc);
        argc -= 2;
    }
    if (argc >= 6 && std::strcmp(argv[1], "sweep") == 0) {
        std::string more;
        for (int i = 6; i < argc; ++i)
            more += std::string(i > 6 ? " " : "") + argv[i];
        return sweep(argv[4], mode ? mode : "complete", more);
    }
    if (argc > 8 && std::strcmp(argv[1], "compare-methods") == 0)
        return compareMethods(argv[4], argv[6], std::stoul(argv[8]), mode ? mode : "complete");
    if (argc > 2 && std::strcmp(argv[1], "record") == 0)
        return record(Dry(argc, argv), mode ? mode : "complete");
    if (argc > 2 && std::strcmp(argv[1], "fit") == 0)
        return fit(Dry(argc, argv), mode ? mode : "complete");
    if (argc < 2 || std::strcmp(argv[argc - 1], "worker") != 0)
        return 9;
    std::string line;
    std::getline(std::cin, line);
    const auto experiment = nlohmann::json::parse(line, nullptr, false);
    if (!experiment.is_object())
        return 8;
    std::thread([] {
        std::string message;
        while (std::getline(std::cin, message)) {
            if (message.find("\"cancel\"") != std::string::npos)
                break;
        }
        g_stop = true;
    }).detach();
    const int status = act(mode ? mode : "complete", experiment);
    std::fflush(stdout);
    std::_Exit(status); // the reading thread is still in its call
}
