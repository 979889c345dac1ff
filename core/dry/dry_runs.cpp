// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/dry_runs.h"

#include "core/base/child_process.h"
#include "core/base/file.h"
#include "core/dry/dry_start.h"

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace peakscope {

namespace {

constexpr std::chrono::milliseconds kPollInterval{10}; // programs take seconds
constexpr std::chrono::seconds kGrace{2};              // between the request to end and the end
constexpr std::chrono::milliseconds kListenInterval{200};
constexpr std::string_view kWaits = "peakscope: rank "; // what packaging/python says of a wait

volatile std::sig_atomic_t interrupted = 0;
void onSignal(int)
{
    interrupted = 1;
}

} // namespace

DryRuns::DryRuns(Listener waits) : m_waits(std::move(waits))
{
    interrupted = 0;
    struct sigaction note {
    };
    note.sa_handler = onSignal;
    for (const int number : endingSignals())
        ::sigaction(number, &note, &m_before[number]);
}

DryRuns::~DryRuns()
{
    const auto signalAll = [this](int signal) {
        for (const Run& run : m_running)
            run.process.signal(signal);
    };
    signalAll(SIGTERM);
    const auto last = std::chrono::steady_clock::now() + kGrace;
    while (!m_running.empty()) {
        std::erase_if(m_running, [](Run& run) { return run.process.end().has_value(); });
        if (std::chrono::steady_clock::now() > last)
            signalAll(SIGKILL);
        if (!m_running.empty())
            std::this_thread::sleep_for(kPollInterval);
    }
    for (const auto& [number, before] : m_before)
        ::sigaction(number, &before, nullptr);
}

Status DryRuns::start(std::size_t number, const DryProgram& program, const std::filesystem::path& folder)
{
    auto process = startDryProgram(program, folder, ProgramStreams::Kept);
    if (!process)
        return process.error();
    m_running.push_back({std::move(*process), number, folder / kProgramErrors});
    return Done{};
}

Result<DryRuns::Ended> DryRuns::wait()
{
    while (interrupted == 0) {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_listened >= kListenInterval) {
            m_listened = now;
            for (Run& run : m_running)
                listen(run);
        }
        for (auto run = m_running.begin(); run != m_running.end(); ++run) {
            const auto end = run->process.end();
            if (!end)
                continue;
            listen(*run);
            const Ended ended{run->number, *end};
            m_running.erase(run);
            return ended;
        }
        std::this_thread::sleep_for(kPollInterval);
    }
    return Error{ErrorCode::Interrupted, "interrupted: the programs that ran are ended", ""};
}

void DryRuns::listen(Run& run) const
{
    if (!m_waits)
        return;
    const auto text = readTextFile(run.errors);
    if (!text)
        return;
    for (std::size_t end = 0; (end = text->find('\n', run.heard)) != std::string::npos; run.heard = end + 1) {
        const std::string line = text->substr(run.heard, end - run.heard);
        if (line.starts_with(kWaits))
            m_waits(run.number, line.substr(kOurs.size()));
    }
}

} // namespace peakscope
