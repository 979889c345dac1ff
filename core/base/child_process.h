// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A process that this one starts: where its streams go, how it is asked to end and how it ended. One thread at a time.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace peakscope {

enum class ChildStream {
    Shared,  // this process's own
    Nowhere, // /dev/null
    Pipe,    // to or from this process
    File,    // made anew
    Errors,  // where its standard error goes
};

struct ChildStart {
    std::vector<std::string> words; // the program, looked for on the path where it has no slash, and its arguments
    std::vector<std::string> environment = {}; // all of it, "NAME=value"; empty: this process's
    ChildStream input = ChildStream::Shared, output = ChildStream::Shared, errors = ChildStream::Shared;
    std::filesystem::path outputFile = {}, errorsFile = {}; // of ChildStream::File
    bool joinsErrors = false;                               // what it says on standard error goes where its output goes
    bool ownGroup = false;         // signals reach all that it starts, and nothing of that outlives it
    bool endsWithParent = false;   // SIGTERM once this process is gone, however it ends
    bool ignoresTerminal = false; // Ctrl+C and a closed terminal reach the whole group: it hears of them from here only
};

struct ChildEnd {
    int exitCode = -1; // where it exited by itself
    int signal = 0;    // where a signal ended it

    int status() const { return signal ? 128 + signal : exitCode; } // as a shell has it
};

// This process's, by name, and as ChildStart takes it.
std::map<std::string, std::string> ownEnvironment();
std::vector<std::string> environmentList(const std::map<std::string, std::string>& variables);

class ChildProcess
{
public:
    ChildProcess() = default;
    ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess(); // kills it

    // BadInput where the program can't be started: "NAME can't be started: No such file or directory".
    static Result<ChildProcess> start(const ChildStart& start);

    bool running() const { return m_process > 0; } // as far as end() and wait() have seen
    pid_t id() const { return m_process; }
    // This process's ends of its pipes; -1 where there is none. Closed with the object, or before.
    int input() const { return m_input; }
    int output() const { return m_output; }
    int errors() const { return m_errors; }
    void closeInput() { closeEnd(m_input); }
    void closeOutput() { closeEnd(m_output); }
    void closeErrors() { closeEnd(m_errors); }

    void signal(int number) const; // nothing where it is over
    // Nothing while it runs.
    std::optional<ChildEnd> end();
    ChildEnd wait();
    // What it says, to the end of both; for pipes that are read for nothing else.
    std::string readOutput();

private:
    static void closeEnd(int& descriptor);
    std::optional<ChildEnd> reap(int options);

    pid_t m_process = 0;
    bool m_ownGroup = false;
    int m_input = -1, m_output = -1, m_errors = -1;
};

// What asks this process to end: SIGINT, SIGTERM and SIGHUP, of a closed terminal, unless it was started to ignore that
// one (nohup). Any thread.
std::vector<int> endingSignals();

} // namespace peakscope
