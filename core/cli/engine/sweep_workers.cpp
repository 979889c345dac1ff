// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_workers.h"

#include "core/protocol/worker_process.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{6};

} // namespace

SweepWorkers::~SweepWorkers()
{
    finish(true);
}

Status SweepWorkers::start(const std::vector<std::string>& words)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    ChildStart start{.words = {self.string()},
                     .input = ChildStream::Nowhere,
                     .output = ChildStream::Nowhere, // errors go where this one's go
                     .endsWithParent = true};
    start.words.insert(start.words.end(), words.begin(), words.end());
    auto process = ChildProcess::start(start);
    if (!process)
        return failed("--workers", process.error().text());
    m_processes.push_back(std::move(*process));
    return Done{};
}

std::size_t SweepWorkers::running()
{
    std::erase_if(m_processes, [](ChildProcess& process) { return process.end().has_value(); });
    return m_processes.size();
}

void SweepWorkers::finish(bool stop)
{
    const auto signalAll = [this](int signal) {
        for (const ChildProcess& process : m_processes)
            process.signal(signal);
    };
    if (stop && running() > 0)
        signalAll(SIGTERM);
    auto since = Clock::now();
    while (running() > 0) {
        if (!stop && cancelRequested()) {
            stop = true;
            since = Clock::now();
            signalAll(SIGTERM);
        }
        if (stop && Clock::now() - since > kPatience)
            signalAll(SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

} // namespace peakscope
