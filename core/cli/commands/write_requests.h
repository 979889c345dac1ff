// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SIGUSR1 to `record`: a request to write the result so far, which is this process's and not the program's. One of them
// at a time.
#pragma once

#include "core/results/run_result.h"

#include <csignal>
#include <functional>
#include <string>

namespace peakscope {

class WriteRequests
{
public:
    WriteRequests();
    ~WriteRequests();
    WriteRequests(const WriteRequests&) = delete;
    WriteRequests& operator=(const WriteRequests&) = delete;

    bool take(); // whether one came since the last call

private:
    struct sigaction m_before {
    };
};

// Writes what `result` gives and says so on standard error, or why it can't.
void writeSoFar(const std::string& out, const std::function<Result<RunResult>()>& result);

} // namespace peakscope
