// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `record` says while it goes on: events, and with --progress a line on standard error.
#pragma once

#include "core/cli/commands/record_command.h"
#include "core/protocol/event_output.h"
#include "core/recording/live_recording.h"
#include "core/recording/program_process.h"
#include "core/results/dry_progress.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace peakscope {

// The last line of a recording: where its result is and what opens it, or that none was kept. `printed`: it went to
// standard output.
void tellWhereKept(const std::string& out, bool printed);

class RecordingCourse
{
public:
    RecordingCourse(const RecordArguments& arguments, std::string out) : m_arguments(arguments), m_out(std::move(out))
    {}

    // With the first event, which names the program.
    Status open(const std::vector<std::string>& command, nlohmann::json program, std::size_t ranks = 1);
    // Null where nobody listens.
    std::function<void(const DryProgress&)> listener();
    bool isHeard() const { return m_arguments.progress || !m_arguments.events.empty(); }
    bool hasEvents() const { return !m_arguments.events.empty(); }
    // Of what the program's recorder says of it: its phases and bytes, as events.
    LiveRecording::Listener recordingListener();

    void send(const Event& event) { m_events.send(event); }
    void sendMemory(const TimelineData& changes, const ProcessRecording& process);
    void rankBegins() { ++m_begun; }
    void rankDone(std::int64_t rank, const RunResult& result);
    // On a terminal a line that the next takes the place of.
    void show(const std::string& text) const;

    // The exit status: the program's, else that of what went wrong.
    int end(const ProgramEnd& program, const RunResult& result);
    // Not all was recorded, or it could not be kept, which is a failure of a program that ended well, no bad input.
    int fail(const Error& error, const std::optional<ProgramEnd>& program = {}, const std::string& file = {});
    // There was nothing to record, which a program that ended well is not to suffer for, unless with --strict. If it
    // failed in a Python without PyTorch, the message names one that has it.
    int failWithoutRecording(Error error, const ProgramEnd& program);

private:
    ProgressEvent progressEvent(const DryProgress& progress) const;

    const RecordArguments& m_arguments;
    std::string m_out;
    std::vector<std::string> m_command;
    std::size_t m_ranks = 1, m_begun = 0;
    EventOutput m_events;
};

} // namespace peakscope
