// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/protocol/worker_process.h"
#include "core/engine/experiment_runner.h"
#include "core/protocol/result_assembler.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

class Run
{
public:
    Run(const RunArguments& arguments, Experiment experiment)
        : m_arguments(arguments), m_experiment(std::move(experiment))
    {}

    int execute()
    {
        if (Status status = openEvents(); !status)
            return report(status.error());
        auto end = runWorker(m_experiment, [this](std::string_view line) { take(line); });
        clearProgress();
        if (!end)
            return report(end.error());
        if (!m_assembler.ended())
            m_assembler.workerGone(end->sentence());
        if (!m_assembler.started())
            return report({m_assembler.badInput() ? ErrorCode::BadInput : ErrorCode::Failed,
                           m_assembler.result().message, m_arguments.experiment});
        return finish();
    }

private:
    Status openEvents()
    {
        if (m_arguments.events.empty() || m_arguments.events == "-")
            return Done{};
        m_eventFile.open(m_arguments.events, std::ios::binary);
        if (!m_eventFile)
            return badInput("--events", "cannot write " + m_arguments.events);
        return Done{};
    }

    void take(std::string_view line)
    {
        auto event = eventFromLine(line);
        if (!event)
            return; // a library's own chatter
        if (m_eventFile.is_open())
            m_eventFile << line << '\n';
        if (m_arguments.events == "-")
            std::cout << line << std::endl;
        m_assembler.add(*event);
        if (std::holds_alternative<StageEvent>(*event) || std::holds_alternative<StartEvent>(*event))
            save();
        if (const auto* progress = std::get_if<ProgressEvent>(&*event)) {
            showProgress(*progress);
            // Should this very process be killed, what was seen until lately is on disk.
            if (Clock::now() - m_lastSave > std::chrono::seconds(5))
                save();
        }
    }

    // A stage that cannot be written does not end the run: the last write decides.
    void save()
    {
        m_saved = saveRunResult(m_assembler.result(), m_arguments.out);
        m_lastSave = Clock::now();
    }

    void showProgress(const ProgressEvent& progress)
    {
        if (!::isatty(2))
            return;
        std::fprintf(stderr, "\r\033[K%s (%.0f %%)", progress.message.c_str(), progress.fraction * 100);
        if (progress.remainingSeconds)
            std::fprintf(stderr, ", %s left", formatSeconds(*progress.remainingSeconds).c_str());
        m_progressShown = true;
    }

    void clearProgress()
    {
        if (m_progressShown)
            std::fprintf(stderr, "\r\033[K");
    }

    int finish()
    {
        save();
        const RunResult result = m_assembler.result();
        if (m_assembler.badInput()) {
            std::error_code ignored;
            std::filesystem::remove(m_arguments.out, ignored); // nothing was measured
            return report({ErrorCode::BadInput, result.message, m_arguments.experiment});
        }
        if (!m_saved)
            return report(m_saved.error());
        if (m_arguments.events != "-")
            summarise(result);
        if (result.status != RunStatus::Complete) {
            std::fprintf(stderr, "peakscope-cli: %s; what was measured is in %s\n", oneLine(result.message).c_str(),
                         m_arguments.out.c_str());
        }
        return exitStatus(result.status);
    }

    void summarise(const RunResult& result) const
    {
        if (result.memory) {
            std::printf("peak %s", formatBytes(result.memory->peakBytes).c_str());
            for (std::size_t i = 0; i < kComponentCount; ++i) {
                const std::int64_t bytes = result.memory->peakComponents[i];
                if (bytes * 100 >= result.memory->peakBytes && bytes > 0) {
                    std::printf(", %s %s", std::string(name(static_cast<Component>(i))).c_str(),
                                formatBytes(bytes).c_str());
                }
            }
            std::printf("\n");
        }
        if (result.timing && !result.timing->stepSeconds.empty())
            std::printf("median step %s\n", formatSeconds(result.timing->medianStepSeconds).c_str());
        if (result.loss)
            std::printf("loss %.6g\n", *result.loss);
        if (result.gradientNorm)
            std::printf("gradient norm %.6g\n", *result.gradientNorm);
        std::printf("result in %s\n", m_arguments.out.c_str());
    }

    const RunArguments& m_arguments;
    Experiment m_experiment;
    ResultAssembler m_assembler;
    std::ofstream m_eventFile;
    Status m_saved = Done{};
    Clock::time_point m_lastSave = Clock::now();
    bool m_progressShown = false;
};

} // namespace

int report(const Error& error)
{
    std::fprintf(stderr, "peakscope-cli: %s\n", oneLine(error.text()).c_str());
    return exitStatus(error.code);
}

int runCommand(const RunArguments& arguments)
{
    std::vector<std::string> assignments = arguments.assignments;
    if (!arguments.budget.empty()) {
        auto bytes = parseBytes(arguments.budget);
        if (!bytes)
            return report(badInput("--budget", bytes.error().message));
        assignments.push_back("budget_bytes=" + std::to_string(*bytes));
    }
    auto experiment = loadExperiment(arguments.experiment, assignments);
    if (!experiment)
        return report(experiment.error());
    if (const std::string reason = unsupported(*experiment); !reason.empty())
        return report(badInput(arguments.experiment, reason));
    const std::filesystem::path folder = std::filesystem::absolute(arguments.out).parent_path();
    if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored))
        return report(badInput("--out", "the folder " + folder.string() + " is not there"));
    if (arguments.resume) {
        // A memory run has nothing to take up in its middle; a finished one of the same experiment needs no second.
        auto earlier = loadRunResult(arguments.out);
        if (earlier && earlier->status == RunStatus::Complete && earlier->config == experiment->document) {
            std::printf("%s is already complete\n", arguments.out.c_str());
            return 0;
        }
    }
    return Run(arguments, std::move(*experiment)).execute();
}

} // namespace peakscope
