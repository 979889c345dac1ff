// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/device/load_meter.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace peakscope {
namespace {

// Files of /proc have no size to ask for.
std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double secondsOf(clockid_t clock)
{
    timespec time{};
    if (::clock_gettime(clock, &time) != 0)
        return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<double> waitingOfThreads()
{
    std::optional<double> sum;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
         it.increment(error)) {
        if (const auto waiting = waitingOf(contentOf(it->path() / "schedstat")))
            sum = sum.value_or(0) + *waiting;
    }
    return sum;
}

} // namespace

LoadCounters loadCounters()
{
    LoadCounters counters;
    readMachine(contentOf("/proc/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK)), counters);
    counters.waitingSeconds = waitingOfThreads();
    counters.processorSeconds = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
    counters.wallSeconds = secondsOf(CLOCK_MONOTONIC);
    return counters;
}

} // namespace peakscope
