// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/record_course.h"

#include "core/base/file.h"
#include "core/base/output_path.h"
#include "core/base/secrets/secrets.h"
#include "core/base/shell_line.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/programs/engine_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

std::string stepText(const DryProgress& progress)
{
    const std::string rank = progress.rank ? fmt::format("rank {}, ", *progress.rank) : "";
    return fmt::format("{}step {} of {}", rank, progress.steps, progress.of);
}

std::optional<EndFate> fateOfProgram(const ProgramEnd& program)
{
    if (program.status() == 0)
        return std::nullopt;
    return EndFate{fateOf({.exitCode = program.exitCode, .signal = program.signal}, "")};
}

} // namespace

void tellWhereKept(const std::string& out, bool printed)
{
    if (printed || (!out.empty() && isStream(out)))
        return;
    standardError().line(out.empty() ? "nothing was kept; give --out FILE"
                                     : fmt::format("result in {}; open it with: peakscope {}", out, shellWord(out)));
}

Status RecordingCourse::open(const std::vector<std::string>& command, nlohmann::json program, std::size_t ranks)
{
    m_ranks = ranks;
    m_command = command;
    if (const Status opened = m_events.open(m_arguments.events); !opened)
        return opened;
    program["command"] = commandWithoutSecrets(command);
    nlohmann::json config = {{"kind", "record"}, {"device", m_arguments.device}, {"program", std::move(program)}};
    m_events.send(StartEvent{newRunId(), isoTimeUtc(), std::move(config), {}});
    return Done{};
}

std::function<void(const DryProgress&)> RecordingCourse::listener()
{
    if (!isHeard())
        return {};
    return [this](const DryProgress& progress) {
        m_events.send(progressEvent(progress));
        if (m_arguments.progress)
            show(fmt::format("{}: {} allocated, {} reserved; at most {} and {}", stepText(progress),
                             formatBytes(progress.allocatedBytes), formatBytes(progress.reservedBytes),
                             formatBytes(progress.peakAllocatedBytes), formatBytes(progress.peakReservedBytes)));
    };
}

LiveRecording::Listener RecordingCourse::recordingListener()
{
    return {.phase =
                [this](const PhaseMark& mark) {
                    send(PhaseEvent{mark.phase, mark.step, mark.timeSeconds});
                },
            .memory = [this](const TimelineData& changes,
                             const ProcessRecording& process) { sendMemory(changes, process); },
            .growth = {}};
}

void RecordingCourse::sendMemory(const TimelineData& changes, const ProcessRecording& process)
{
    constexpr std::size_t kAtOnce = 8192; // a line of about 200 KB
    std::int64_t live = process.blocks().liveBytes();
    for (const std::int64_t bytes : changes.deltaBytes)
        live -= bytes;
    for (std::size_t begin = 0; begin < changes.size(); begin += kAtOnce) {
        const std::size_t end = std::min(begin + kAtOnce, changes.size());
        const auto part = [begin, end](const auto& list) {
            return std::remove_cvref_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(begin),
                                                       list.begin() + static_cast<std::ptrdiff_t>(end));
        };
        MemoryEvent batch{part(changes.timeSeconds), part(changes.deltaBytes), part(changes.component)};
        for (const std::int64_t bytes : batch.deltaBytes)
            live += bytes;
        batch.allocatedBytes = live;
        batch.reservedBytes = process.reservedBytes();
        batch.residentBytes = process.residentBytes;
        send(batch);
    }
}

void RecordingCourse::rankDone(std::int64_t rank, const RunResult& result)
{
    const MemorySection& memory = *result.memory;
    m_events.send(PointEvent{{{"rank", rank},
                              {"status", name(result.status)},
                              {"allocated_bytes", memory.peakBytes},
                              {"reserved_bytes", memory.peakReservedBytes}}});
}

void RecordingCourse::show(const std::string& text) const
{
    if (standardError().isTerminal())
        standardError().showProgress(text);
    else
        standardError().line("peakscope: " + text);
}

int RecordingCourse::end(const ProgramEnd& program, const RunResult& result)
{
    EndEvent last{result.status, result.message, result.notes};
    const bool overBudget = result.status == RunStatus::OverBudget;
    last.fate = overBudget ? std::nullopt : fateOfProgram(program);
    last.file = m_out;
    m_events.send(last);
    const Status told = m_events.close();
    return std::max(overBudget ? exitStatus(result.status) : program.status(), told ? 0 : report(told.error()));
}

int RecordingCourse::fail(const Error& error, const std::optional<ProgramEnd>& program, const std::string& file)
{
    EndEvent last{RunStatus::Failed, error.text()};
    last.badInput = error.code == ErrorCode::BadInput && !program;
    last.fate = program ? fateOfProgram(*program) : std::nullopt;
    last.file = file;
    m_events.send(last);
    const int status = report(error);
    return !program ? status : program->status() ? program->status() : 1;
}

int RecordingCourse::failWithoutRecording(Error error, const ProgramEnd& program)
{
    const std::string missing =
        program.exitCode > 0 ? whoseTorchIsMissing(m_command, "peakscope-cli record --") : std::string();
    if (!missing.empty())
        error.message += "; " + missing;
    if (!m_out.empty() && !isStream(m_out))
        error.message += fmt::format("; {} was not written", m_out);
    const int status = fail(error, program);
    return program.status() == 0 && !m_arguments.strict ? 0 : status;
}

ProgressEvent RecordingCourse::progressEvent(const DryProgress& progress) const
{
    const double own = progress.of > 0 ? static_cast<double>(progress.steps) / static_cast<double>(progress.of) : 0;
    const double before = static_cast<double>(std::max<std::size_t>(m_begun, 1) - 1);
    return {(before + std::min(own, 1.0)) / static_cast<double>(m_ranks),
            std::nullopt,
            stepText(progress),
            progress.steps,
            progress.of,
            progress};
}

} // namespace peakscope
