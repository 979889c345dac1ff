// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/write_requests.h"

#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/base/words.h"

#include <fmt/format.h>

namespace peakscope {

namespace {

volatile std::sig_atomic_t askedToWrite = 0;

void say(const std::string& text)
{
    standardError().clearProgress();
    standardError().line("peakscope: " + text);
}

} // namespace

WriteRequests::WriteRequests()
{
    struct sigaction note {
    };
    note.sa_handler = [](int) { askedToWrite = 1; };
    note.sa_flags = SA_RESTART;
    askedToWrite = 0;
    ::sigaction(SIGUSR1, &note, &m_before);
}

WriteRequests::~WriteRequests()
{
    ::sigaction(SIGUSR1, &m_before, nullptr);
}

bool WriteRequests::take()
{
    const bool asked = askedToWrite != 0;
    askedToWrite = 0;
    return asked;
}

void writeSoFar(const std::string& out, const std::function<Result<RunResult>()>& result)
{
    if (out.empty() || isStream(out))
        return say("SIGUSR1: the result so far is written with --out FILE only");
    const auto made = result();
    const Status saved = made ? saveRunResult(*made, out) : Status(made.error());
    say(saved ? fmt::format("wrote {} so far: {}", out,
                            counted(made->config["program"]["steps"].get<std::int64_t>(), "step"))
              : saved.error().text());
}

} // namespace peakscope
