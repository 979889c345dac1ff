// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_command.h"

#include "core/base/file.h"
#include "core/base/output_path.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/hand_over.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/engine/isolated_run.h"
#include "core/cli/engine/sweep_run.h"
#include "core/cli/engine/take_device.h"
#include "core/experiment/sweep_plan.h"
#include "core/planning/commands/slurm_array.h"
#include "core/ranks/launch_environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

const char* environment(const char* name)
{
    return std::getenv(name);
}

// What cannot go together, or makes no sense.
Status checkArguments(const SweepArguments& arguments)
{
    const auto both = [](const char* one, const char* other, const char* why) {
        return badInput(std::string(one) + " and " + other, why);
    };
    if (!arguments.hosts.empty() && arguments.workers > 1)
        return both("--hosts", "--workers",
                    "give one of them: a host runs a point at a time for each time it is named");
    if (!arguments.slurmArray.empty() && !arguments.hosts.empty())
        return both("--slurm-array", "--hosts", "give one of them: Slurm chooses the nodes");
    if (!arguments.slurmArray.empty() && !arguments.point.empty())
        return both("--slurm-array", "--point", "give one of them: the script's tasks name their points");
    if (!arguments.slurmArray.empty() && arguments.sweep == "-")
        return badInput("--slurm-array", "the tasks need the sweep as a file, not as standard input");
    if (arguments.out == "-" || isStream(arguments.out))
        return badInput("--out", "a sweep writes a folder: sweep.json and a result a point; give a folder");
    const auto empty = [](const std::string& host) { return host.empty() || host.front() == '-'; };
    if (std::any_of(arguments.hosts.begin(), arguments.hosts.end(), empty))
        return badInput("--hosts", "names of machines for ssh are needed, such as gpu1,gpu2");
    return Done{};
}

// The file that says what to run is written by people and not to be written over.
Status keepsSweep(const SweepArguments& arguments)
{
    if (arguments.sweep == "-")
        return Done{};
    if (isSameFile(fs::path(arguments.out) / "sweep.json", arguments.sweep))
        return badInput("--out", "the results would take the place of " + arguments.sweep + "; give another folder");
    for (const auto& [option, path] :
         {std::pair{"--events", arguments.events}, {"--slurm-array", arguments.slurmArray}}) {
        if (!path.empty() && isSameFile(path, arguments.sweep))
            return badInput(option, path + " is the sweep itself; give another name");
    }
    return Done{};
}

// "7" or "7-9", from 1, as the files of points are numbered. The points' indices; those that are impossible too.
Result<std::vector<std::size_t>> pointsOf(const std::string& text, std::size_t count)
{
    const std::size_t dash = text.find('-');
    const auto number = [](std::string_view part) -> std::optional<std::size_t> {
        std::size_t value = 0;
        const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
        return fault == std::errc() && end == part.data() + part.size() ? std::optional(value) : std::nullopt;
    };
    const auto first = number(std::string_view(text).substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(std::string_view(text).substr(dash + 1));
    if (!first || !last)
        return badInput("--point", "a point's number is needed (7), or two of them (7-9); \"" + text + "\" was given");
    if (*first < 1 || *last > count || *first > *last)
        return badInput("--point", text + " is not among the sweep's points, which are 1 to " + std::to_string(count));
    std::vector<std::size_t> points;
    for (std::size_t point = *first; point <= *last; ++point)
        points.push_back(point - 1);
    return points;
}

// The words that make another process take part in this sweep.
std::vector<std::string> sharedWords(const SweepArguments& arguments, const std::string& sweep, const std::string& out)
{
    std::vector<std::string> words{"sweep", sweep, "--out", out, "--resume"};
    if (arguments.lostAfter != SweepArguments().lostAfter)
        words.insert(words.end(), {"--lost-after", std::to_string(arguments.lostAfter)});
    if (!arguments.budget.empty())
        words.insert(words.end(), {"--budget", arguments.budget});
    for (const std::string& assignment : arguments.assignments)
        words.insert(words.end(), {"--set", assignment});
    return words;
}

// peakscope-cli is what users know; it lies beside the program that runs here.
std::string ownProgram()
{
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const fs::path front = self.parent_path() / "peakscope-cli";
    return !error && fs::exists(front, error) ? front.string() : "peakscope-cli";
}

// The points that are neither impossible nor, with --resume, measured already; from 1.
Result<std::vector<std::size_t>> pointsToRun(const SweepArguments& arguments, const SweepPlan& plan)
{
    const SweepDocument empty = emptySweep(plan);
    const fs::path file = fs::path(arguments.out) / "sweep.json";
    std::optional<SweepDocument> earlier;
    std::error_code error;
    if (fs::exists(file, error)) {
        auto found = loadSweep(file);
        if (!found)
            return found.error();
        if (!sameSweep(*found, empty)) // which the tasks would refuse, one by one
            return badInput("--out", file.string() + " is of another sweep; give another folder");
        if (arguments.resume)
            earlier = std::move(*found);
    }
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        const SweepCellState state = earlier ? earlier->points[i].state() : SweepCellState::Waiting;
        const bool there = state == SweepCellState::Measured || state == SweepCellState::OverBudget;
        if (plan.points[i].experiment && !there)
            points.push_back(i + 1);
    }
    return points;
}

int writeSlurmArray(const SweepArguments& arguments, const SweepPlan& plan)
{
    const auto points = pointsToRun(arguments, plan);
    if (!points)
        return report(points.error());
    if (points->empty()) {
        print("all points of {} are measured; no script is written\n", arguments.out);
        return 0;
    }
    std::error_code error;
    fs::create_directories(arguments.out, error); // Slurm makes no folder for what tasks write
    if (!fs::is_directory(arguments.out, error))
        return report(badInput("--out", arguments.out + " is not a folder and none can be made there"));
    const std::string out = fs::absolute(arguments.out).lexically_normal().string();
    SlurmArray array;
    array.command = sharedWords(arguments, fs::absolute(arguments.sweep).lexically_normal().string(), out);
    array.command.insert(array.command.begin(), ownProgram());
    array.folder = out;
    array.start = fs::current_path(error).string();
    array.points = *points;
    array.count = plan.points.size();
    array.atOnce = arguments.workers > 1 ? arguments.workers : 0;
    if (Status written = writeFileAtomically(arguments.slurmArray, slurmArrayScript(array)); !written)
        return report(badInput("--slurm-array", written.error().text()));
    print("{} as an array of Slurm in {}; sbatch it\n", counted(static_cast<long long>(points->size()), "point"),
          arguments.slurmArray);
    return 0;
}

// Processes of this program that share the points, here or on other machines.
std::vector<std::vector<std::string>> memberWords(const SweepArguments& arguments, const std::string& sweep,
                                                  const std::string& launch)
{
    std::vector<std::string> words = sharedWords(arguments, sweep, arguments.out);
    words.insert(words.end(), {"--member", launch});
    if (!arguments.point.empty())
        words.insert(words.end(), {"--point", arguments.point});
    std::vector<std::vector<std::string>> members;
    for (std::int64_t i = 1; i < arguments.workers; ++i) {
        members.push_back(words);
        members.back().insert(members.back().end(), {"--seat", std::to_string(arguments.seat + i)});
    }
    for (const std::string& host : arguments.hosts) {
        members.push_back(words);
        members.back().insert(members.back().end(), {"--host", host});
    }
    return members;
}

Result<SweepPart> partOf(const SweepArguments& arguments, const SweepPlan& plan, const std::string& sweep)
{
    SweepPart part;
    if (!arguments.point.empty()) {
        auto goal = pointsOf(arguments.point, plan.points.size());
        if (!goal)
            return goal.error();
        part.goal = std::move(*goal);
    }
    const LaunchEnvironment started = launchEnvironment(environment);
    const std::string launcher = launchName(environment);
    const bool together = started.size > 1;
    // Several commands of one interactive shell under srun are no launch together.
    const bool launched = !launcher.empty() && (together || !arguments.point.empty());
    part.launch = !arguments.member.empty() ? arguments.member : launched ? launcher : newRunId();
    part.memberWords = memberWords(arguments, sweep, part.launch);
    part.shared = together || !arguments.member.empty() || !arguments.point.empty() || !part.memberWords.empty();
    part.resumes = arguments.resume || together || !arguments.member.empty() || !arguments.point.empty();
    part.speaks = arguments.member.empty() && (!together || started.rank == 0);
    return part;
}

// Several GPUs and nobody who said which is whose: each process that shares the points here gets one.
void shareDevices(const SweepArguments& arguments, const SweepPlan& plan)
{
    const bool free = std::all_of(plan.points.begin(), plan.points.end(), [](const PlannedPoint& point) {
        return !point.experiment || (point.experiment->device == "auto" && point.experiment->launcher.empty());
    });
    const bool sharing = arguments.workers > 1 || !arguments.member.empty() || launchEnvironment(environment).size > 1;
    if (free && sharing && arguments.hosts.empty() && arguments.host.empty())
        takeDevice(static_cast<std::size_t>(arguments.seat));
}

// What points need of their own, which a machine that ssh reaches for one point at a time does not give.
Status checkHosts(const SweepArguments& arguments, const SweepPlan& plan)
{
    const auto any = [&plan](auto&& holds) {
        return std::any_of(plan.points.begin(), plan.points.end(),
                           [&](const PlannedPoint& point) { return point.experiment && holds(*point.experiment); });
    };
    if (arguments.hosts.empty())
        return Done{};
    if (any([](const Experiment& experiment) { return !experiment.launcher.empty(); }))
        return badInput("--hosts", "the experiment has a launcher of its own; leave one of them out");
    if (any([](const Experiment& experiment) { return experiment.ranks > 1; }))
        return badInput("--hosts",
                        "points of several ranks are not started through ssh; give the experiment a launcher "
                        "(mpirun --hostfile …) instead");
    return Done{};
}

} // namespace

CLI::App* addSweepCommand(CLI::App& app, SweepArguments& arguments)
{
    CLI::App* sweep =
        app.add_subcommand("sweep", "Run a grid over keys of an experiment, each point in a process of its own");
    sweep
        ->add_option("SWEEP", arguments.sweep,
                     "The sweep (JSON: base, grid, repeats, timing, over_budget), or - for "
                     "standard input")
        ->required();
    sweep->add_option("--out", arguments.out, "The folder for sweep.json and the results")->required();
    sweep->add_option("--set", arguments.assignments, "KEY=VALUE …: set keys of the base experiment")
        ->expected(1, 1000);
    addDeviceOption(*sweep, arguments.assignments);
    sweep->add_option("--budget", arguments.budget, "Memory budget of the run (2e9, 512MiB, 80GiB)");
    sweep->add_option("--events", arguments.events, "Write events to a file, or - for standard output");
    sweep->add_flag("--resume", arguments.resume,
                    "Continue an earlier run of the same sweep, and share the points with any that still runs");
    sweep->add_option("--workers", arguments.workers, "Number of points to run at once on this machine")
        ->check(CLI::Range(1, 1024));
    sweep
        ->add_option("--hosts", arguments.hosts,
                     "Machines to run points on through ssh, one point at a time each (A,B,…)")
        ->delimiter(',');
    const auto given = [](const std::string& word) {
        return word.empty() ? std::string("must not be empty") : std::string();
    };
    sweep->add_option("--point", arguments.point, "Run only this point, or these (7 or 7-9)")->check(given);
    sweep
        ->add_option("--slurm-array", arguments.slurmArray,
                     "Run nothing; write a script for sbatch with one array task per point")
        ->check(given);
    sweep
        ->add_option("--lost-after", arguments.lostAfter,
                     "Seconds of silence after which a process on another machine counts as lost")
        ->check(CLI::Range(1, 86400));
    sweep->add_option("--member", arguments.member)->group(""); // for processes that a sweep starts
    sweep->add_option("--host", arguments.host)->group("");
    sweep->add_option("--seat", arguments.seat)->group("");
    return sweep;
}

int sweepCommand(const SweepArguments& given)
{
    if (Status checked = checkArguments(given); !checked)
        return report(checked.error());
    SweepArguments arguments = given;
    if (arguments.member.empty()) // a launcher that starts several on a machine, each with its own members
        arguments.seat = static_cast<std::int64_t>(localPlace(environment)) * arguments.workers;
    std::string held;
    const bool shares = arguments.workers > 1 || !arguments.hosts.empty();
    if (const Status holds = shares ? holdInput(arguments.sweep, held) : Status(Done{}); !holds)
        return report(holds.error());
    const std::string sweep = held.empty() ? arguments.sweep : held;
    std::vector<std::string> assignments = arguments.assignments;
    if (!arguments.budget.empty()) {
        const auto bytes = parseBytes(arguments.budget);
        if (!bytes)
            return report(badInput("--budget", bytes.error().message));
        assignments.push_back("budget_bytes=" + std::to_string(*bytes));
    }
    auto plan = loadSweepPlan(sweep, assignments, whyNotRun);
    if (!plan)
        return report(held.empty() ? plan.error() : badInput("standard input", plan.error().message));
    if (Status kept = keepsSweep(arguments); !kept)
        return report(kept.error());
    if (!arguments.slurmArray.empty())
        return writeSlurmArray(arguments, *plan);
    if (Status reachable = checkHosts(arguments, *plan); !reachable)
        return report(reachable.error());
    auto part = partOf(arguments, *plan, sweep);
    if (!part)
        return report(part.error());
    shareDevices(arguments, *plan);
    ::unsetenv("PEAKSCOPE_PROGRESS"); // points do not share a progress file
    return SweepRun(arguments, std::move(*plan), std::move(*part)).execute();
}

} // namespace peakscope
