// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_workers.h"

#include "core/protocol/worker_process.h"
#include "core/ranks/launch_environment.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{6};

[[noreturn]] void become(const std::vector<std::string>& words, pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) // it was gone before that
        ::_exit(0);
    if (const int nothing = ::open("/dev/null", O_RDWR); nothing >= 0) {
        ::dup2(nothing, 0);
        ::dup2(nothing, 1); // errors go where the first process's go
    }
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(127);
}

} // namespace

SweepWorkers::~SweepWorkers()
{
    finish(true);
}

Status SweepWorkers::start(const std::vector<std::string>& words)
{
    std::vector<std::string> all{"peakscope-cli"};
    all.insert(all.end(), words.begin(), words.end());
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0)
        return failed("--workers", std::string("cannot start a process: ") + std::strerror(errno));
    if (process == 0)
        become(all, parent);
    m_processes.push_back(process);
    return Done{};
}

std::size_t SweepWorkers::running()
{
    std::erase_if(m_processes, [](pid_t process) {
        int status = 0;
        return ::waitpid(process, &status, WNOHANG) != 0;
    });
    return m_processes.size();
}

void SweepWorkers::finish(bool stop)
{
    const auto signalAll = [this](int signal) {
        for (const pid_t process : m_processes)
            ::kill(process, signal);
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

void takeDevice(std::size_t worker)
{
    std::size_t present = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
        const std::string name = entry.path().filename().string();
        present += name.starts_with("nvidia") && name.size() > 6 &&
                   name.find_first_not_of("0123456789", 6) == std::string::npos;
    }
    const std::string device = deviceOfWorker(std::getenv("CUDA_VISIBLE_DEVICES"), present, worker);
    if (!device.empty())
        ::setenv("CUDA_VISIBLE_DEVICES", device.c_str(), 1);
}

} // namespace peakscope
