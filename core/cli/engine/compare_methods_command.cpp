// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/compare_methods_command.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/median.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/secrets/secrets.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/engine/figure_program.h"
#include "core/cli/engine/isolated_run.h"
#include "core/import/convert.h"
#include "core/model/dry_device.h"
#include "core/protocol/event_output.h"
#include "core/protocol/worker_process.h"
#include "core/results/sweeps/compared_method.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <unistd.h>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Vanilla first: all else is shown against it.
const std::vector<std::string> kMethods{kVanilla,   "microbatch", "per_sample", "ghost",
                                        "ghost_bk", "flash",      "flash_bk",   "auto"};

class MethodComparison
{
public:
    explicit MethodComparison(const CompareMethodsArguments& arguments) : m_arguments(arguments) {}

    int execute()
    {
        if (Status prepared = prepare(); !prepared)
            return report(prepared.error());
        catchCancel();
        sayLauncher(m_experiments.front().launcher);
        tellStart();
        const Status compared = compare();
        standardError().clearProgress();
        if (!compared) {
            EndEvent end{RunStatus::Failed, compared.error().text()};
            end.badInput = compared.error().code == ErrorCode::BadInput;
            m_events.send(end);
            return report(compared.error());
        }
        if (cancelRequested() && m_results.empty()) {
            const std::string text =
                fmt::format("interrupted after {} runs; repeat the command with --resume to continue", m_done);
            m_events.send(EndEvent{RunStatus::Interrupted, text});
            standardError().line("peakscope-cli: " + text);
            return exitStatus(RunStatus::Interrupted);
        }
        if (!m_events.isOnStandardOutput())
            printTable();
        if (!m_arguments.noFigures)
            drawFigures();
        if (!m_events.isOnStandardOutput())
            print("results, tables and summary in {}\n", m_arguments.out);
        const RunStatus status = wholeStatus();
        EndEvent end{status};
        end.file = m_arguments.out;
        m_events.send(end);
        const Status told = m_events.close();
        return std::max(exitStatus(status), told ? 0 : report(told.error()));
    }

private:
    Status compare()
    {
        if (!takeOver()) {
            if (Status measured = measure(); !measured || cancelRequested())
                return measured;
            if (Status kept = keepResults(); !kept)
                return kept;
        }
        return writeTexts();
    }

    RunStatus wholeStatus() const
    {
        const bool anyFailed = std::any_of(m_results.begin(), m_results.end(), [](const RunResult& result) {
            return result.status != RunStatus::Complete && result.status != RunStatus::OverBudget;
        });
        return anyFailed ? RunStatus::Failed : RunStatus::Complete;
    }

    Status prepare()
    {
        if (Status chosen = chooseMethods(); !chosen)
            return chosen;
        auto base = readJsonInput(m_arguments.experiment);
        if (!base)
            return base.error();
        std::vector<std::string> assignments = m_arguments.assignments;
        if (!m_arguments.budget.empty()) {
            const auto bytes = parseBytes(m_arguments.budget);
            if (!bytes)
                return badInput("--budget", bytes.error().message);
            assignments.push_back("budget_bytes=" + std::to_string(*bytes));
        }
        for (const std::string& assignment : assignments) {
            if (Status applied = applyAssignment(*base, assignment); !applied)
                return applied;
        }
        m_base = *base;
        hideLauncherSecrets(m_base);
        for (const std::string& method : m_methods) {
            auto experiment = experimentFor(*base, method);
            if (!experiment)
                return badInput(experimentName(), experiment.error().text());
            m_experiments.push_back(std::move(*experiment));
        }
        if (m_arguments.out == "-" || isStream(m_arguments.out))
            return badInput("--out", "a result of each method and the figures go into a folder; give one");
        std::error_code error;
        fs::create_directories(m_arguments.out, error);
        if (!fs::is_directory(m_arguments.out, error) || ::access(m_arguments.out.c_str(), W_OK) != 0)
            return badInput("--out", m_arguments.out + " is not a folder that can be written to");
        auto lock = OutputLock::take(m_arguments.out);
        if (!lock)
            return lock.error();
        m_lock = std::move(*lock);
        return m_events.open(m_arguments.events);
    }

    std::string experimentName() const
    {
        return m_arguments.experiment == "-" ? "standard input" : m_arguments.experiment;
    }

    Status chooseMethods()
    {
        m_methods = m_arguments.methods.empty() ? kMethods : m_arguments.methods;
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            std::string& method = m_methods[i];
            method = methodOfClipping(method);
            if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end())
                return badInput("--methods", method + " is not one of " + joinWords(kMethods));
            if (std::find(m_methods.begin(), m_methods.begin() + static_cast<std::ptrdiff_t>(i), method) !=
                m_methods.begin() + static_cast<std::ptrdiff_t>(i))
                return badInput("--methods", method + " appears twice");
        }
        return Done{};
    }

    // The same experiment but for the method. Noise belongs to clipping: vanilla runs without it.
    static Result<Experiment> experimentFor(nlohmann::json document, const std::string& method)
    {
        if (Status set = applyAssignment(document, "training.clipping=" + clippingOfMethod(method)); !set)
            return set.error();
        if (method == kVanilla) {
            if (Status set = applyAssignment(document, "training.noise_multiplier=0"); !set)
                return set.error();
        }
        auto experiment = experimentFromJson(document);
        if (!experiment)
            return experiment;
        if (experiment->kind != ExperimentKind::Memory)
            return badInput("kind", "\"" + std::string(name(experiment->kind)) +
                                        "\" does not train; methods are compared on kind memory");
        if (experiment->fit)
            return badInput("fit", "methods are compared on one size; leave it out");
        if (const std::string reason = whyNotRun(*experiment); !reason.empty())
            return badInput("", reason);
        return experiment;
    }

    bool isDry() const { return isDryDevice(m_experiments.front().device); }
    std::size_t rounds() const { return isDry() ? 0 : static_cast<std::size_t>(m_arguments.rounds); }
    fs::path file(std::size_t index) const { return fs::path(m_arguments.out) / (m_methods[index] + "_result.json"); }
    // While the comparison goes on: its runs one by one, and what it is a comparison of.
    fs::path runs() const { return fs::path(m_arguments.out) / kComparedRuns; }
    fs::path memoryFile(std::size_t index) const { return runs() / memoryRunFile(m_methods[index]); }
    fs::path timeFile(std::size_t index, std::size_t round) const
    {
        return runs() / timeRunFile(m_methods[index], round);
    }

    // An earlier comparison of the same, if it is whole.
    bool takeOver()
    {
        if (!m_arguments.resume)
            return false;
        std::vector<RunResult> earlier;
        std::set<std::string> sessions;
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            auto result = loadRunResult(file(i));
            if (!result || !isWhole(*result) || result->config != m_experiments[i].document || !isOfThis(*result))
                return false;
            if (result->status == RunStatus::Complete)
                sessions.insert(timingSession(*result));
            earlier.push_back(std::move(*result));
        }
        if (sessions.size() > 1)
            return false;
        m_results = std::move(earlier);
        return true;
    }

    static bool isWhole(const RunResult& result)
    {
        return result.status == RunStatus::Complete || result.status == RunStatus::OverBudget;
    }

    bool isOfThis(const RunResult& result) const
    {
        const Json comparison = result.other.is_object() ? result.other.value("comparison", Json()) : Json();
        return comparison.is_object() && comparison.value("methods", Json()) == Json(m_methods) &&
               comparison.value("rounds", Json()) == Json(m_arguments.rounds);
    }

    // Memory first, a run a method; then the times in rounds, in which every method has its turn.
    Status measure()
    {
        if (Status opened = openRuns(); !opened)
            return opened;
        for (std::size_t i = 0; i < m_methods.size() && !cancelRequested(); ++i) {
            tellProgress("memory of " + m_methods[i] + ", " + std::to_string(i + 1) + " of " +
                         std::to_string(m_methods.size()));
            auto memory = runOnce(m_experiments[i], memoryFile(i));
            if (!memory)
                return memory.error();
            m_memory.push_back(std::move(*memory));
            if (m_memory.back().status != RunStatus::Complete)
                ++m_untimed;
            if (!cancelRequested())
                tellPoint(i, memoryFile(i), {});
        }
        m_times.resize(m_methods.size());
        for (std::size_t round = 0; round < rounds(); ++round) {
            for (const std::size_t i : turnOrder(m_methods.size(), round)) {
                if (cancelRequested())
                    return Done{};
                if (Status timed = time(i, round); !timed)
                    return timed;
            }
        }
        return Done{};
    }

    Status time(std::size_t index, std::size_t round)
    {
        if (m_memory[index].status != RunStatus::Complete)
            return Done{};
        Experiment experiment = m_experiments[index];
        experiment.traced = false;
        writeKeys(experiment.document, experiment, {"traced"});
        tellProgress("times, round " + std::to_string(round + 1) + " of " + std::to_string(rounds()) + ": " +
                     m_methods[index]);
        auto result = runOnce(experiment, timeFile(index, round));
        if (!result)
            return result.error();
        m_times[index].push_back(std::move(*result));
        if (!cancelRequested())
            tellPoint(index, timeFile(index, round), round + 1);
        return Done{};
    }

    void tellStart()
    {
        m_events.send(StartEvent{newRunId(),
                                 isoTimeUtc(),
                                 {{"kind", "compare_methods"},
                                  {"methods", m_methods},
                                  {"rounds", rounds()},
                                  {"base", m_experiments.front().document}},
                                 {}});
    }

    // A method whose memory run did not finish is not timed.
    std::size_t allRuns() const { return m_methods.size() + rounds() * (m_methods.size() - m_untimed); }

    void tellProgress(const std::string& text)
    {
        standardError().showProgress(text);
        std::optional<double> left;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        if (m_done > m_takenOver)
            left = seconds / static_cast<double>(m_done - m_takenOver) * static_cast<double>(allRuns() - m_done);
        m_events.send(ProgressEvent{static_cast<double>(m_done) / static_cast<double>(allRuns()), left, text,
                                    static_cast<std::int64_t>(m_done), static_cast<std::int64_t>(allRuns())});
    }

    // A run that is there now; `round` of its times, nothing for its memory. Names are in the folder.
    void tellPoint(std::size_t index, const fs::path& path, std::optional<std::size_t> round)
    {
        const RunResult& result = round ? m_times[index].back() : m_memory[index];
        Json values = {{"method", m_methods[index]},
                       {"status", name(result.status)},
                       {"file", fs::relative(path, m_arguments.out).string()}};
        if (round)
            values["round"] = *round;
        if (!round && result.memory)
            values["peak_bytes"] = result.memory->peakBytes;
        if (round && result.timing)
            values["median_step_seconds"] = result.timing->medianStepSeconds;
        m_events.send(PointEvent{std::move(values)});
    }

    // As an interrupted comparison left it, or run now.
    Result<RunResult> runOnce(const Experiment& experiment, const fs::path& path)
    {
        if (m_goesOn) {
            auto earlier = loadRunResult(path);
            if (earlier && isWhole(*earlier) && earlier->config == experiment.document) {
                ++m_done;
                ++m_takenOver;
                return std::move(*earlier);
            }
        }
        auto run = runIsolated(experiment);
        if (!run)
            return run.error();
        if (run->unusable && m_done == 0) { // by every method, so that no other is tried
            std::error_code error;
            fs::remove_all(runs(), error);
            return badInput(experimentName(), run->result.message);
        }
        if (!run->cancelled) {
            ++m_done;
            if (Status saved = saveRunResult(run->result, path); !saved)
                return saved.error();
        }
        return std::move(run->result);
    }

    // Runs of a comparison of other methods, or in other rounds, did not take turns with these.
    Status openRuns()
    {
        const auto earlier = readComparisonHead(m_arguments.out);
        m_goesOn =
            m_arguments.resume && earlier && earlier->methods == m_methods && earlier->rounds == m_arguments.rounds;
        if (m_goesOn) {
            m_session = earlier->session;
            return Done{};
        }
        std::error_code error;
        fs::remove_all(runs(), error);
        fs::create_directories(runs(), error);
        m_session = newRunId();
        return writeComparisonHead({m_methods, m_arguments.rounds, m_session, m_base}, m_arguments.out);
    }

    Status keepResults()
    {
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            m_results.push_back(std::move(m_memory[i]));
            if (m_results.back().status == RunStatus::Complete && !isDry())
                takeTimes(m_times[i], m_results.back());
        }
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            addComparison(i);
            removeAbandoned(file(i));
            if (Status saved = saveRunResult(m_results[i], file(i)); !saved)
                return saved;
        }
        std::error_code error;
        fs::remove_all(runs(), error); // the results hold all of it
        return Done{};
    }

    // The memory run's document with the times of the runs that nothing watched.
    void takeTimes(const std::vector<RunResult>& times, RunResult& result) const
    {
        Timing timing;
        timing.traced = false;
        std::vector<TimedRound> timedRounds;
        Json ids = Json::array();
        for (const RunResult& time : times) {
            if (time.status != RunStatus::Complete || !time.timing) {
                result.notes.push_back("the run for its time did not finish: " + oneLine(time.message) +
                                       "; the times are those of the traced run");
                return;
            }
            timing.stepSeconds.insert(timing.stepSeconds.end(), time.timing->stepSeconds.begin(),
                                      time.timing->stepSeconds.end());
            timing.warmupSeconds.insert(timing.warmupSeconds.end(), time.timing->warmupSeconds.begin(),
                                        time.timing->warmupSeconds.end());
            const std::vector<TimedRound> own = peakscope::timedRounds(time);
            timedRounds.push_back(own.empty() ? TimedRound() : own.front());
            timedRounds.back().medianSeconds = time.timing->medianStepSeconds;
            ids.push_back({{"id", time.id}, {"created", time.created}});
        }
        timing.medianStepSeconds = medianOf(timing.stepSeconds).value_or(0);
        if (result.timing)
            result.other["traced_timing"] = toJson(*result.timing);
        result.timing = timing;
        setRounds(result, timedRounds, m_session);
        result.other["time_runs"] = std::move(ids);
        result.notes.push_back("times are of " + std::to_string(times.size()) + (times.size() == 1 ? " run" : " runs") +
                               " without tracing, in turns with the other methods; memory is of a traced run");
    }

    // How many times as long as the first method, where that is vanilla.
    std::optional<RoundRatio> ratioOf(std::size_t index) const
    {
        const bool base = m_methods.front() == kVanilla && m_results.front().status == RunStatus::Complete;
        if (!base || m_results[index].status != RunStatus::Complete)
            return std::nullopt;
        return ratioOfTimes(m_results[index], m_results.front());
    }

    void addComparison(std::size_t index)
    {
        Json comparison = {{"methods", m_methods}, {"rounds", m_arguments.rounds}};
        Json order = Json::array();
        for (std::size_t round = 0; round < rounds(); ++round) {
            Json names = Json::array();
            for (const std::size_t i : turnOrder(m_methods.size(), round))
                names.push_back(m_methods[i]);
            order.push_back(std::move(names));
        }
        comparison["order"] = std::move(order);
        if (const auto ratio = ratioOf(index); ratio && index > 0) {
            comparison["base"] = m_methods.front();
            comparison["doubt"] = name(ratio->doubt);
            comparison["too_busy"] = ratio->doubt == RatioDoubt::TooBusy;
            comparison["rounds_used"] = ratio->ratios.size();
            comparison["ratios"] = jsonNumbers(ratio->ratios);
            if (ratio->doubt != RatioDoubt::TooBusy) {
                comparison["ratio"] = ratio->median;
                comparison["low"] = ratio->low;
                comparison["high"] = ratio->high;
                comparison["coverage"] = ratio->coverage;
                comparison["spread"] = ratio->spread;
            }
        }
        m_results[index].other["comparison"] = std::move(comparison);
    }

    Status writeTexts() const
    {
        const fs::path out(m_arguments.out);
        for (const auto& [format, name] : {std::pair{ExportFormat::Summary, "summary.txt"},
                                           {ExportFormat::Csv, "summary.csv"},
                                           {ExportFormat::Latex, "summary.tex"}}) {
            if (Status written = exportResults(m_results, format, out / name); !written)
                return written;
        }
        std::error_code error;
        fs::create_directories(out / "tables", error);
        return exportResults(m_results, ExportFormat::Csv, out / "tables");
    }

    void printTable() const
    {
        const auto peakOf = [](const RunResult& result) { return result.memory ? result.memory->peakBytes : 0; };
        const RunResult& first = m_results.front();
        const bool vanilla = m_methods.front() == kVanilla && first.status == RunStatus::Complete;
        static constexpr const char* kLine = "{:<12} {:>12} {:>10} {:>12} {:>10}  {}\n";
        if (isDry())
            print("{:<12} {:>12} {:>12} {:>10}\n", "method", "peak", "reserved", vanilla ? "over" : "");
        else
            print(kLine, "method", "peak", vanilla ? "over" : "", "median step", "spread",
                  vanilla ? "times as long" : "");
        for (std::size_t i = 0; i < m_results.size(); ++i) {
            const RunResult& result = m_results[i];
            if (result.status != RunStatus::Complete || (!result.timing && !isDry())) {
                print("{:<12} {}: {}\n", m_methods[i], name(result.status), result.message);
                continue;
            }
            std::string over, ratio;
            if (vanilla && peakOf(first) > 0) {
                char text[32];
                std::snprintf(text, sizeof text, "%+.1f %%",
                              100.0 * (static_cast<double>(peakOf(result)) / static_cast<double>(peakOf(first)) - 1));
                over = text;
            }
            if (isDry()) {
                print("{:<12} {:>12} {:>12} {:>10}\n", m_methods[i], formatBytes(peakOf(result)),
                      formatBytes(result.memory ? result.memory->peakReservedBytes : 0), over);
                continue;
            }
            const double spread = medianDeviation(result.timing->stepSeconds).value_or(0);
            if (const auto times = ratioOf(i); times && i > 0)
                ratio = text(*times);
            print(kLine, m_methods[i], formatBytes(peakOf(result)), over,
                  formatSeconds(result.timing->medianStepSeconds), formatSeconds(spread), ratio);
        }
        printDoubts();
    }

    // What the numbers above are worth.
    void printDoubts() const
    {
        std::optional<RoundRatio> any;
        for (std::size_t i = 1; i < m_results.size(); ++i) {
            const auto ratio = ratioOf(i);
            if (!ratio)
                continue;
            any = !any || ratio->coverage > any->coverage ? ratio : any;
            if (ratio->doubt == RatioDoubt::TooBusy) {
                std::string why = busyText(timedRounds(m_results[i]));
                if (why.empty())
                    why = busyText(timedRounds(m_results.front()));
                print("the machine was too busy to compare the times of {} and {}: {}\n", m_methods[i],
                      m_methods.front(), why);
            }
        }
        if (any && any->coverage > 0)
            print("times as long: median of the ratios within {} rounds, in which the methods took turns, with an "
                  "interval of {:.0f} %\n",
                  rounds(), 100 * any->coverage);
        else if (any && any->doubt == RatioDoubt::OneRound)
            standardOutput().line("times as long: of one round, so that nothing is known of its spread (--rounds)");
    }

    void drawFigures() const
    {
        std::vector<fs::path> results;
        for (std::size_t i = 0; i < m_results.size(); ++i)
            results.push_back(file(i));
        const fs::path folder = fs::path(m_arguments.out) / "figures";
        if (const std::string problem = exportFigures(results, folder, m_arguments.format); !problem.empty())
            printError("peakscope-cli: no figures: {}\n", problem);
        else if (!m_events.isOnStandardOutput())
            print("figures in {}\n", folder.string());
    }

    OutputLock m_lock;
    const CompareMethodsArguments& m_arguments;
    std::vector<std::string> m_methods;
    Json m_base;                                 // the experiment as given
    std::vector<Experiment> m_experiments;       // one a method
    std::vector<RunResult> m_memory;             // likewise
    std::vector<std::vector<RunResult>> m_times; // likewise, by round
    std::vector<RunResult> m_results;            // likewise, once all are through
    std::string m_session;                       // what these results have in common
    bool m_goesOn = false;                       // where an interrupted comparison was
    std::size_t m_done = 0;                      // runs
    std::size_t m_takenOver = 0;                 // of these, from an interrupted comparison
    std::size_t m_untimed = 0;                   // methods
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    EventOutput m_events;
};

} // namespace

CLI::App* addCompareMethodsCommand(CLI::App& app, CompareMethodsArguments& arguments)
{
    CLI::App* command = app.add_subcommand(
        "compare-methods", "Compare all clipping methods on one experiment: memory, time, figures, summary and tables");
    command->add_option("EXPERIMENT", arguments.experiment, "The experiment (JSON), or - for standard input")
        ->required();
    command->add_option("--out", arguments.out, "The folder for results, figures and tables")->required();
    command->add_option("--set", arguments.assignments, "KEY=VALUE …: set keys of the experiment")->expected(1, 1000);
    addDeviceOption(*command, arguments.assignments);
    command
        ->add_option("--methods", arguments.methods,
                     "Of vanilla, microbatch, per_sample, ghost, ghost_bk, flash, flash_bk, auto (default: all)")
        ->delimiter(',');
    command->add_option("--budget", arguments.budget, "Memory budget of each run");
    command->add_option("--events", arguments.events, "Write events to a file, or - for standard output");
    command->add_option("--format", arguments.format, "Format of the figures")
        ->check(CLI::IsMember({"pdf", "svg", "png"}));
    command->add_flag("--no-figures", arguments.noFigures, "Write no figures");
    command
        ->add_option("--rounds", arguments.rounds,
                     "Number of rounds of time measurements, in which the methods take turns")
        ->check(CLI::Range(1, 1000));
    command->add_flag("--resume", arguments.resume, "Continue an interrupted comparison of the same methods");
    return command;
}

int compareMethodsCommand(const CompareMethodsArguments& arguments)
{
    return MethodComparison(arguments).execute();
}

} // namespace peakscope
