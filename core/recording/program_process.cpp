// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/program_process.h"

#include "core/base/file.h"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

fs::path programFolder() // of this program itself
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

Result<fs::path> firstFolder(const char* what, const std::vector<fs::path>& candidates)
{
    std::error_code error;
    for (const fs::path& folder : candidates) {
        if (fs::is_directory(folder, error))
            return folder;
    }
    return badInput("record", fmt::format("{} is not here: {}", what, candidates.front().string()));
}

constexpr std::chrono::milliseconds kPollInterval{20};
constexpr std::chrono::seconds kGrace{5}; // between the request to end, which a program may not heed, and the end

volatile pid_t childProcess = 0;
volatile std::sig_atomic_t askedToEnd = 0;
void passOn(int signal)
{
    askedToEnd = 1;
    if (childProcess > 0)
        ::kill(childProcess, signal);
}

// What the program started and left behind, which is this process's by now (PR_SET_CHILD_SUBREAPER).
void endOrphans()
{
    const std::string parent = std::to_string(::getpid());
    std::error_code error;
    bool any = true;
    while (std::exchange(any, false)) {
        for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
            const std::string name = entry.path().filename().string();
            const auto stat = std::isdigit(static_cast<unsigned char>(name.front()))
                                  ? readTextFile(entry.path() / "stat")
                                  : Result<std::string>(failed("", ""));
            const std::size_t end = stat ? stat->rfind(") ") : std::string::npos; // of its name
            if (end == std::string::npos || stat->substr(end + 4, parent.size() + 1) != parent + " ")
                continue;
            ::kill(std::stoi(name), SIGKILL);
            ::waitpid(std::stoi(name), nullptr, 0);
            any = true; // its own children are this process's now
        }
    }
}

// While the program runs an interrupt at the terminal is its own affair, and another request to end is passed on to it.
class SignalsOfTheProgram
{
public:
    SignalsOfTheProgram()
    {
        struct sigaction ignore {
        }, pass{};
        ignore.sa_handler = SIG_IGN;
        pass.sa_handler = passOn;
        ::sigaction(SIGINT, &ignore, &m_interrupt);
        for (const int number : endingSignals()) {
            if (number != SIGINT)
                ::sigaction(number, &pass, &m_before[number]);
        }
    }
    ~SignalsOfTheProgram()
    {
        ::sigaction(SIGINT, &m_interrupt, nullptr);
        for (const auto& [number, before] : m_before)
            ::sigaction(number, &before, nullptr);
    }
    SignalsOfTheProgram(const SignalsOfTheProgram&) = delete;
    SignalsOfTheProgram& operator=(const SignalsOfTheProgram&) = delete;

private:
    struct sigaction m_interrupt {
    };
    std::map<int, struct sigaction> m_before; // of those that are passed on, by number
};

} // namespace

ProgramEnd waitForProgram(ChildProcess& program, const std::function<void()>& look)
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    askedToEnd = 0;
    childProcess = program.id();
    const SignalsOfTheProgram signals;
    std::optional<ProgramEnd> end;
    std::optional<std::chrono::steady_clock::time_point> since; // it was asked to end
    for (; !end; end = program.end()) {
        look();
        const auto now = std::chrono::steady_clock::now();
        if (askedToEnd && !since)
            since = now;
        if (since && now - *since > kGrace)
            program.signal(SIGKILL);
        std::this_thread::sleep_for(kPollInterval);
    }
    look(); // at what it said since
    childProcess = 0;
    if (askedToEnd)
        endOrphans();
    return *end;
}

Result<fs::path> recorderFolder()
{
    return firstFolder("the recorder for Python",
                       {programFolder().parent_path() / "share" / "peakscope" / "python", PEAKSCOPE_SOURCE_PYTHON});
}

Result<fs::path> standInFolder()
{
    const fs::path here = programFolder();
    return firstFolder("the stand-in of a CUDA card",
                       {here / "dry", here.parent_path() / PEAKSCOPE_LIBDIR / "peakscope" / "dry"});
}

} // namespace peakscope
