// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs at once, each on a stand-in of its own. While one of these is there, SIGINT, SIGTERM and SIGHUP
// are its: they interrupt wait(), and what still runs ends with the object. One at a time, from one thread.
#pragma once

#include "core/dry/dry_program.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace peakscope {

class DryRuns
{
public:
    struct Ended {
        std::size_t number = 0;
        ProgramEnd end;
    };

    // Called by wait() with what a program that waits for another rank says of it, as it comes: "rank 0 of 8 has
    // waited…". All else that programs print is kept only.
    using Listener = std::function<void(std::size_t number, const std::string& line)>;

    explicit DryRuns(Listener waits = {});
    ~DryRuns();
    DryRuns(const DryRuns&) = delete;
    DryRuns& operator=(const DryRuns&) = delete;

    // `number` is the caller's name for it. What it prints lies in the folder (dry_start.h).
    Status start(std::size_t number, const DryProgram& program, const std::filesystem::path& folder);
    std::size_t running() const { return m_running.size(); }
    // The next that ends, with all that it left running. Interrupted: a signal asked this process to end.
    Result<Ended> wait();

private:
    struct Run {
        ChildProcess process;
        std::size_t number = 0;
        std::filesystem::path errors;
        std::size_t heard = 0; // of them, to the end of a line
    };
    void listen(Run& run) const;

    Listener m_waits;
    std::vector<Run> m_running;
    std::chrono::steady_clock::time_point m_listened;
    std::map<int, struct sigaction> m_before; // by number
};

} // namespace peakscope
