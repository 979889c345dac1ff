// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/front/synthetic_command.h"

#include "core/analysis/response/response_document.h"
#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/run_summary.h"
#include "core/protocol/event_output.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"

#include <algorithm>
#include <unistd.h>

namespace peakscope {
namespace {

class SyntheticSession
{
public:
    explicit SyntheticSession(const RunArguments& arguments) : m_arguments(arguments) {}

    Status open() { return m_events.open(m_arguments.events); }

    void send(const Event& event)
    {
        m_events.send(event);
        m_assembler.add(event);
    }

    int finish()
    {
        const RunResult result = m_assembler.result();
        if (const Status saved = saveRunResult(result, m_arguments.out); !saved)
            return report(saved.error());
        if (!m_events.isOnStandardOutput())
            printRunSummary(result, nlohmann::json::array(), outputName(m_arguments.out));
        const Status told = m_events.close();
        return std::max(exitStatus(result.status), told ? 0 : report(told.error()));
    }

private:
    const RunArguments& m_arguments;
    EventOutput m_events;
    ResultAssembler m_assembler;
};

StartEvent startOf(const Experiment& experiment)
{
    StartEvent start;
    start.id = newRunId();
    start.created = isoTimeUtc();
    start.config = experiment.document;
    char host[256] = "";
    ::gethostname(host, sizeof(host) - 1);
    const MachineMemory memory = machineMemory().value_or(MachineMemory{});
    start.environment = {{"device", "cpu"},
                         {"host", host},
                         {"processor", processorName()},
                         {"cores", processorCount()},
                         {"memory_total_bytes", memory.totalBytes},
                         {"memory_available_bytes", memory.availableBytes},
                         {"peakscope", PEAKSCOPE_VERSION}};
    return start;
}

} // namespace

bool asksForSynthetic(const Experiment& experiment)
{
    return experiment.kind == ExperimentKind::Prm && experiment.prm->synthetic;
}

int syntheticRunCommand(const RunArguments& arguments, const Experiment& experiment)
{
    if (const Status fine = checkPrm(*experiment.prm); !fine)
        return report(badInput(shownName(arguments), fine.error().text()));
    const auto lock = OutputLock::take(arguments.out);
    if (!lock)
        return report(lock.error());
    removeAbandoned(arguments.out);
    if (alreadyComplete(arguments, experiment))
        return 0;
    auto run =
        syntheticRun({experiment.prm->sigmas, experiment.prm->repeats, experiment.prm->thresholds}, experiment.seed);
    if (!run)
        return report(run.error());
    catchCancel(); // a reader of the events that goes away does not take the result with it
    SyntheticSession session(arguments);
    if (const Status opened = session.open(); !opened)
        return report(opened.error());
    session.send(startOf(experiment));
    session.send(StageEvent{"synthetic", {{"synthetic", true}}});
    for (const nlohmann::json& row : run->sections["prm"]["results"])
        session.send(PointEvent{row});
    session.send(StageEvent{"synthetic", std::move(run->sections)});
    session.send(ProgressEvent{1, 0.0, "done"});
    session.send(EndEvent{RunStatus::Complete, "", run->notes, false});
    return session.finish();
}

} // namespace peakscope
