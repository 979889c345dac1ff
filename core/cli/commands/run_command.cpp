// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/secrets/secrets.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/rank_input.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/run_summary.h"
#include "core/protocol/event_output.h"
#include "core/protocol/launcher.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "core/ranks/launch_environment.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAttempts = 4; // of an experiment that says "fit"

class Run
{
public:
    // `joined`: this is rank 0 of a group that a launcher started around this program.
    Run(const RunArguments& arguments, Experiment experiment, bool joined, const Fitter& fitter)
        : m_arguments(arguments), m_asked(std::move(experiment)), m_experiment(m_asked), m_joined(joined),
          m_fitter(fitter)
    {}

    int execute()
    {
        if (Status opened = m_events.open(m_arguments.events); !opened)
            return report(opened.error());
        if (::isatty(2)) // whoever reads it by a program gets one line, the one that counts
            sayLauncher(m_asked.launcher);
        while (true) {
            if (Status status = fit(); !status) {
                return m_attempts.empty() ? refuse(status.error()) : finish(); // nothing smaller is left to try
            }
            auto end =
                runWorker(m_experiment, [this](const Event& event, std::string_view line) { take(event, line); });
            standardError().clearProgress();
            if (!end)
                return refuse(end.error());
            if (!m_assembler.ended())
                takeGone(*end);
            if (!m_assembler.started())
                return refuse({unbegunCode(*end), m_assembler.result().message, shownName(m_arguments)});
            noteAttempt();
            if (!retries())
                return finish();
        }
    }

private:
    // Nothing began. The events end with it as well.
    int refuse(const Error& error)
    {
        m_end.message = error.message;
        m_end.badInput = error.code == ErrorCode::BadInput;
        if (!m_end.fate)
            m_end.status = RunStatus::Failed;
        m_events.send(m_end);
        return report({error.code, placed(error.message), error.context});
    }

    void takeGone(const WorkerEnd& end)
    {
        const bool ofRank = end.death && !end.cancelled;
        m_assembler.workerGone(end.sentence(), ofRank ? end.death : std::nullopt);
        m_end = {RunStatus::Interrupted, m_assembler.result().message};
        if (!ofRank)
            m_end.fate = end.endFate();
    }

    // For an experiment that says "fit": the largest that the budget allows, a step smaller after each attempt that
    // went over it.
    Status fit()
    {
        if (!m_asked.fit || !m_asked.launcher.empty() || m_joined)
            return Done{}; // behind a launcher the worker fits itself to the memory of its own machine
        const auto fitted = m_fitter(m_asked, static_cast<int>(m_attempts.size()),
                                     static_cast<int>(std::max<std::int64_t>(1, m_asked.ranks)));
        if (!fitted)
            return fitted.error();
        auto experiment = experimentFromJson(fitted->experiment);
        if (!experiment)
            return experiment.error();
        m_experiment = std::move(*experiment);
        m_experiment.ranks = m_asked.ranks;
        m_attempts.push_back({{"sentence", fitted->sentence},
                              {"batch", m_experiment.data.batch},
                              {"max_physical_batch", m_experiment.data.maxPhysicalBatch},
                              {"seq", m_experiment.data.seq},
                              {"predicted_peak_bytes", fitted->estimate.peakBytes},
                              {"budget_bytes", m_experiment.budgetBytes}});
        if (m_attempts.size() > 1) {
            m_assembler = ResultAssembler(); // an attempt's events are its own
            m_overBudget = false;
            return m_events.open(m_arguments.events);
        }
        return Done{};
    }

    // There is no result to write: a worker, or a rank, that is killed before it begins interrupts as one that is
    // killed later.
    ErrorCode unbegunCode(const WorkerEnd& end) const
    {
        if (m_assembler.badInput() || end.launcherFailed())
            return ErrorCode::BadInput;
        return m_assembler.ended() ? ErrorCode::Failed : ErrorCode::Interrupted;
    }

    // What a worker behind a launcher refuses may be there for all that is seen from here.
    std::string placed(const std::string& message) const
    {
        if (m_asked.launcher.empty() || !m_assembler.badInput())
            return message;
        return message + " (reported by the machine behind the launcher " +
               commandWithoutSecrets(m_asked.launcher).front() + "; files and folders are looked up there)";
    }

    void noteAttempt()
    {
        if (m_attempts.empty())
            return;
        const RunResult result = m_assembler.result();
        m_attempts.back()["status"] = name(result.status);
        m_attempts.back()["message"] = result.message;
        m_attempts.back()["peak_bytes"] = result.memory ? result.memory->peakBytes : 0;
    }

    bool retries() const { return m_overBudget && m_attempts.size() < kMostAttempts; }

    // What the worker said, with what fitting chose.
    RunResult currentResult() const
    {
        RunResult result = m_assembler.result();
        if (m_asked.fit)
            result.other["fit_asked"] = m_asked.document;
        if (m_attempts.empty())
            return result;
        for (std::size_t i = m_attempts.size(); i-- > 0;)
            result.notes.insert(result.notes.begin(), m_attempts[i]["sentence"].get<std::string>());
        result.other["fit_attempts"] = m_attempts;
        return result;
    }

    // The last word is this program's: once the result is written, and of several attempts of the last.
    void take(const Event& event, std::string_view line)
    {
        if (!std::holds_alternative<EndEvent>(event))
            m_events.sendLine(line); // first: whoever reads it works meanwhile
        m_assembler.add(event);
        if (const auto* end = std::get_if<EndEvent>(&event)) {
            m_end = *end;
            m_overBudget = !m_attempts.empty() && end->status == RunStatus::OverBudget;
            return;
        }
        // The sections of many ranks come at once: writing all of the result for each would cost their number squared.
        const bool section = std::holds_alternative<StageEvent>(event) || std::holds_alternative<StartEvent>(event);
        if (section && (event.rank <= 0 || savedLongAgo()))
            save();
        if (const auto* progress = std::get_if<ProgressEvent>(&event); progress && event.rank <= 0) {
            showProgress(*progress);
            // Should this very process be killed, what was seen until lately is on disk.
            if (savedLongAgo())
                save();
        }
    }

    // A stage that cannot be written does not end the run: the last write decides. A stream gets that one alone.
    void save()
    {
        if (isStream(m_arguments.out))
            return;
        write();
    }

    void write()
    {
        const auto begin = Clock::now();
        m_saved = saveRunResult(currentResult(), m_arguments.out);
        m_lastSave = Clock::now();
        m_pause = std::max<Clock::duration>(std::chrono::seconds(5), 20 * (m_lastSave - begin));
    }

    // Saving all that came takes at most a twentieth of the time, which is the worker's.
    bool savedLongAgo() const { return Clock::now() - m_lastSave > m_pause; }

    // A result that cannot go where it is to go is not lost. Empty where it cannot be kept at all.
    static std::string keepElsewhere(const RunResult& result)
    {
        std::error_code error;
        const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
        if (error)
            return "";
        const std::string path = (folder / ("peakscope-" + newRunId() + ".json")).string();
        return saveRunResult(result, path) ? path : "";
    }

    void showProgress(const ProgressEvent& progress)
    {
        std::string text = fmt::format("{} ({:.0f} %)", progress.message, progress.fraction * 100);
        if (progress.remainingSeconds)
            text += ", " + formatSeconds(*progress.remainingSeconds) + " left";
        standardError().showProgress(text);
    }

    int finish()
    {
        const RunResult result = currentResult();
        if (m_assembler.badInput()) {
            std::error_code ignored; // nothing was measured; links and devices of that name are not this run's
            if (std::filesystem::is_regular_file(std::filesystem::symlink_status(m_arguments.out, ignored)))
                std::filesystem::remove(m_arguments.out, ignored);
            return refuse({ErrorCode::BadInput, result.message, shownName(m_arguments)});
        }
        write();
        m_end.file = m_saved ? m_arguments.out : keepElsewhere(result);
        if (!m_saved)
            m_end.notes.push_back(m_saved.error().text());
        m_events.send(m_end);
        if (!m_saved) {
            const int status = report(m_saved.error());
            if (!m_end.file.empty())
                printError("peakscope-cli: the result is in {}\n", m_end.file);
            return status;
        }
        if (!m_events.isOnStandardOutput())
            printRunSummary(result, m_attempts, outputName(m_arguments.out));
        if (result.status != RunStatus::Complete) {
            const bool isSentence = result.message.ends_with('.');
            printError("peakscope-cli: {}; the result is in {}\n",
                       result.message.substr(0, result.message.size() - isSentence), outputName(m_arguments.out));
        }
        const Status told = m_events.close();
        return std::max(exitStatus(result.status), told ? 0 : report(told.error()));
    }

    const RunArguments& m_arguments;
    Experiment m_asked;
    Experiment m_experiment; // as run: fitted where that was asked for
    bool m_joined;
    const Fitter& m_fitter;
    nlohmann::json m_attempts = nlohmann::json::array(); // of fitting
    bool m_overBudget = false;
    EndEvent m_end{RunStatus::Failed}; // as the worker said it
    ResultAssembler m_assembler;
    EventOutput m_events;
    Status m_saved = Done{};
    Clock::time_point m_lastSave = Clock::now();
    Clock::duration m_pause = std::chrono::seconds(5);
};

// This very program was started once for each rank: the one of rank 0 hears of all and writes the result, the others
// only see to their worker.
int runOtherRank(const Experiment& experiment, int rank)
{
    const auto end = runWorker(experiment, [](const Event&, std::string_view) {});
    // Why it could not join, which rank 0 never hears.
    if (end && end->lastErrorLine.starts_with("rank " + std::to_string(rank) + ": "))
        printError("{}\n", end->lastErrorLine);
    return end && end->exitCode >= 0 ? end->exitCode : 1;
}

// The workers of the other ranks wait for rank 0's, which has nothing for them.
int sendOthersHome(Experiment experiment)
{
    experiment.document = nothingToRun();
    return runOtherRank(experiment, 0);
}

} // namespace

int runCommand(const RunArguments& arguments, const Fitter& fitter)
{
    auto experiment = experimentOfRun(arguments);
    if (!experiment)
        return report(experiment.error());
    const LaunchEnvironment launch = launchEnvironment([](const char* name) { return std::getenv(name); });
    const bool joined = launch.joins && launch.size > 1 && experiment->launcher.empty();
    if (const Status complete = checkLauncher(experiment->launcher); !complete)
        return joined && launch.rank > 0 ? 2 : report(badInput(shownName(arguments), complete.error().text()));
    if (!launch.problem.empty() && experiment->launcher.empty())
        return launch.rank > 0 ? 2 : report(badInput("ranks", launch.problem));
    if (joined) {
        experiment->ranks = 0; // they are there already; the worker compares their number
        if (launch.rank > 0)
            return runOtherRank(*experiment, launch.rank);
    }
    const auto lock = OutputLock::take(arguments.out);
    if (!lock) {
        const int status = report(lock.error());
        if (joined)
            (void)sendOthersHome(std::move(*experiment));
        return status;
    }
    removeAbandoned(arguments.out);
    if (alreadyComplete(arguments, *experiment))
        return joined ? sendOthersHome(std::move(*experiment)) : 0;
    if (experiment->kind != ExperimentKind::Memory && !isStream(arguments.out)) {
        // The worker inherits the name of the file that it notes finished work in, and removes it when all is done.
        const std::string progress = arguments.out + ".progress";
        if (std::error_code ignored; !arguments.resume)
            std::filesystem::remove(progress, ignored);
        ::setenv("PEAKSCOPE_PROGRESS", std::filesystem::absolute(progress).c_str(), 1);
    }
    const int status = Run(arguments, std::move(*experiment), joined, fitter).execute();
    // Over the budget is an end too: the same again would go no further.
    if (std::error_code ignored; status == exitStatus(RunStatus::OverBudget) && !isStream(arguments.out))
        std::filesystem::remove(arguments.out + ".progress", ignored);
    return status;
}

} // namespace peakscope
