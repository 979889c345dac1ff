// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/compare_methods_command.h"

#include "core/base/file.h"
#include "core/base/output_lock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/cli/isolated_run.h"
#include "core/cli/printing.h"
#include "core/import/convert.h"
#include "core/planning/object_reader.h"
#include "core/protocol/worker_process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// Vanilla first: all else is shown against it.
const std::vector<std::string> kMethods{"vanilla",  "microbatch", "per_sample", "ghost",
                                        "ghost_bk", "flash",      "flash_bk",   "auto"};

std::string clippingOf(const std::string& method)
{
    return method == "vanilla" ? "none" : method;
}

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
        for (std::size_t i = 0; i < m_methods.size() && !cancelRequested(); ++i) {
            if (Status done = runMethod(i); !done) {
                clearProgressLine();
                return report(done.error());
            }
        }
        clearProgressLine();
        if (m_results.size() < m_methods.size()) {
            printError("peakscope-cli: interrupted after {} of {} methods; the same command with --resume goes on\n",
                       m_results.size(), m_methods.size());
            return exitStatus(RunStatus::Interrupted);
        }
        if (Status written = writeTexts(); !written)
            return report(written.error());
        printTable();
        if (!m_arguments.noFigures)
            drawFigures();
        print("results, tables and summary in {}\n", m_arguments.out);
        const bool anyFailed = std::any_of(m_results.begin(), m_results.end(), [](const RunResult& result) {
            return result.status != RunStatus::Complete && result.status != RunStatus::OverBudget;
        });
        return anyFailed ? 1 : 0;
    }

private:
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
        for (const std::string& method : m_methods) {
            auto experiment = experimentFor(*base, method);
            if (!experiment)
                return badInput(m_arguments.experiment == "-" ? "standard input" : m_arguments.experiment,
                                experiment.error().text());
            m_experiments.push_back(std::move(*experiment));
        }
        std::error_code error;
        fs::create_directories(m_arguments.out, error);
        if (!fs::is_directory(m_arguments.out, error) || ::access(m_arguments.out.c_str(), W_OK) != 0)
            return badInput("--out", m_arguments.out + " is not a folder that can be written to");
        auto lock = OutputLock::take(m_arguments.out);
        if (!lock)
            return lock.error();
        m_lock = std::move(*lock);
        return Done{};
    }

    Status chooseMethods()
    {
        m_methods = m_arguments.methods.empty() ? kMethods : m_arguments.methods;
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            std::string& method = m_methods[i];
            method = method == "none" ? "vanilla" : method;
            if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end())
                return badInput("--methods", method + " is none of " + joinWords(kMethods));
            if (std::find(m_methods.begin(), m_methods.begin() + static_cast<std::ptrdiff_t>(i), method) !=
                m_methods.begin() + static_cast<std::ptrdiff_t>(i))
                return badInput("--methods", method + " stands there twice");
        }
        return Done{};
    }

    // The same experiment but for the method. Noise belongs to clipping: vanilla runs without it.
    static Result<Experiment> experimentFor(nlohmann::json document, const std::string& method)
    {
        if (Status set = applyAssignment(document, "training.clipping=" + clippingOf(method)); !set)
            return set.error();
        if (method == "vanilla") {
            if (Status set = applyAssignment(document, "training.noise_multiplier=0"); !set)
                return set.error();
        }
        auto experiment = experimentFromJson(document);
        if (!experiment)
            return experiment;
        if (experiment->kind != "memory")
            return badInput("kind", "\"" + experiment->kind + "\" does not train; methods are compared on kind memory");
        if (experiment->fit)
            return badInput("fit", "methods are compared on one size; leave it out");
        if (const std::string reason = whyNotRun(*experiment); !reason.empty())
            return badInput("", reason);
        return experiment;
    }

    fs::path file(std::size_t index) const { return fs::path(m_arguments.out) / (m_methods[index] + "_result.json"); }

    bool takeOver(std::size_t index)
    {
        if (!m_arguments.resume)
            return false;
        auto earlier = loadRunResult(file(index));
        const bool done =
            earlier && (earlier->status == RunStatus::Complete || earlier->status == RunStatus::OverBudget);
        if (!done || earlier->config != m_experiments[index].document)
            return false;
        m_results.push_back(std::move(*earlier));
        return true;
    }

    Status runMethod(std::size_t index)
    {
        removeAbandoned(file(index));
        if (takeOver(index))
            return Done{};
        showProgressLine("method " + std::to_string(index + 1) + " of " + std::to_string(m_methods.size()) + ", " +
                         m_methods[index] + ": memory");
        auto memory = runIsolated(m_experiments[index]);
        if (!memory)
            return memory.error();
        if (memory->cancelled)
            return Done{};
        RunResult result = std::move(memory->result);
        if (result.status == RunStatus::Complete) {
            Experiment timed = m_experiments[index];
            timed.traced = false;
            timed.document["traced"] = false;
            showProgressLine("method " + std::to_string(index + 1) + " of " + std::to_string(m_methods.size()) + ", " +
                             m_methods[index] + ": time");
            auto time = runIsolated(timed);
            if (!time)
                return time.error();
            if (time->cancelled)
                return Done{};
            takeTimes(time->result, result);
        }
        if (Status saved = saveRunResult(result, file(index)); !saved)
            return saved;
        m_results.push_back(std::move(result));
        return Done{};
    }

    // The memory run's document with the times of the run that nothing watched.
    static void takeTimes(const RunResult& time, RunResult& result)
    {
        if (time.status != RunStatus::Complete || !time.timing) {
            result.notes.push_back("the run for its time did not finish: " + oneLine(time.message) +
                                   "; the times are those of the traced run");
            return;
        }
        if (result.timing)
            result.other["traced_timing"] = toJson(*result.timing);
        result.timing = time.timing;
        result.other["time_run"] = {{"id", time.id}, {"created", time.created}};
        result.notes.push_back("times are of a run of its own without tracing; memory is of a traced run");
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
        const auto timeOf = [](const RunResult& result) {
            return result.timing ? result.timing->medianStepSeconds : 0;
        };
        const RunResult& first = m_results.front();
        const bool vanilla = m_methods.front() == "vanilla" && first.status == RunStatus::Complete;
        static constexpr const char* kLine = "{:<12} {:>12} {:>10} {:>12} {:>8} {:>10}\n";
        print(kLine, "method", "peak", vanilla ? "over" : "", "median step", vanilla ? "ratio" : "", "spread");
        for (std::size_t i = 0; i < m_results.size(); ++i) {
            const RunResult& result = m_results[i];
            if (result.status != RunStatus::Complete || !result.timing) {
                print("{:<12} {}: {}\n", m_methods[i], name(result.status), result.message);
                continue;
            }
            const double spread = medianDeviation(result.timing->stepSeconds).value_or(0);
            std::string over, ratio;
            if (vanilla && peakOf(first) > 0 && timeOf(first) > 0) {
                char text[32];
                std::snprintf(text, sizeof text, "%+.1f %%",
                              100.0 * (static_cast<double>(peakOf(result)) / static_cast<double>(peakOf(first)) - 1));
                over = text;
                std::snprintf(text, sizeof text, "%.2f", timeOf(result) / timeOf(first));
                ratio = text;
            }
            print(kLine, m_methods[i], formatBytes(peakOf(result)), over, formatSeconds(timeOf(result)), ratio,
                  formatSeconds(spread));
        }
    }

    // The window's program draws without a display; it stands beside this one or on the path.
    void drawFigures() const
    {
        std::error_code error;
        const fs::path self = fs::read_symlink("/proc/self/exe", error);
        const fs::path beside = self.parent_path() / "peakscope";
        std::vector<std::string> words{!error && fs::exists(beside, error) ? beside.string() : "peakscope", "export"};
        for (std::size_t i = 0; i < m_results.size(); ++i)
            words.push_back(file(i).string());
        const std::string folder = (fs::path(m_arguments.out) / "figures").string();
        for (const std::string& word : {std::string("--figure"), std::string("all"), std::string("--out"), folder,
                                        std::string("--format"), m_arguments.format})
            words.push_back(word);
        if (const std::string problem = spawn(words); problem.empty())
            print("figures in {}\n", folder);
        else
            printError("peakscope-cli: no figures: {}\n", problem);
    }

    // Runs a program with its standard output closed; what went wrong, else nothing.
    static std::string spawn(const std::vector<std::string>& words)
    {
        std::vector<char*> pointers;
        for (const std::string& word : words)
            pointers.push_back(const_cast<char*>(word.c_str()));
        pointers.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        pid_t child = 0;
        const int code = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (code != 0)
            return words[0] + ": " + std::strerror(code);
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return "";
        return words[0] + (WIFEXITED(status) ? " ended with exit status " + std::to_string(WEXITSTATUS(status))
                                             : " was ended by a signal");
    }

    OutputLock m_lock;
    const CompareMethodsArguments& m_arguments;
    std::vector<std::string> m_methods;
    std::vector<Experiment> m_experiments; // one a method
    std::vector<RunResult> m_results;      // of the methods that are through
};

} // namespace

CLI::App* addCompareMethodsCommand(CLI::App& app, CompareMethodsArguments& arguments)
{
    CLI::App* command = app.add_subcommand("compare-methods", "One experiment under every clipping method, memory and "
                                                              "time apart, with figures, summary and tables");
    command->add_option("EXPERIMENT", arguments.experiment, "The experiment (JSON), or - for standard input")
        ->required();
    command->add_option("--out", arguments.out, "The folder for everything")->required();
    command->add_option("--set", arguments.assignments, "KEY=VALUE …: changes of the experiment")->expected(1, 1000);
    command
        ->add_option("--methods", arguments.methods,
                     "Of vanilla, microbatch, per_sample, ghost, ghost_bk, flash, "
                     "flash_bk, auto; all where left out")
        ->delimiter(',');
    command->add_option("--budget", arguments.budget, "Bytes the device's allocator may hand out");
    command->add_option("--format", arguments.format, "Of the figures: pdf, svg or png")
        ->check(CLI::IsMember({"pdf", "svg", "png"}));
    command->add_flag("--no-figures", arguments.noFigures, "Results, summary and tables only");
    command->add_flag("--resume", arguments.resume, "Keep the methods that an earlier run finished");
    return command;
}

int compareMethodsCommand(const CompareMethodsArguments& arguments)
{
    return MethodComparison(arguments).execute();
}

} // namespace peakscope
