// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace peakscope {

namespace {

// The child's descriptor for a stream, and this process's end of it.
struct Ends {
    int child = -1; // -1: it keeps what it has
    int own = -1;
};

std::optional<Ends> endsOf(ChildStream stream, const std::filesystem::path& file, bool isInput)
{
    Ends ends;
    int pipe[2];
    switch (stream) {
    case ChildStream::Shared:
    case ChildStream::Errors:
        return ends;
    case ChildStream::Nowhere:
        ends.child = ::open("/dev/null", (isInput ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        break;
    case ChildStream::File:
        ends.child = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        break;
    case ChildStream::Pipe:
        if (::pipe2(pipe, O_CLOEXEC) != 0)
            return std::nullopt;
        ends = isInput ? Ends{pipe[0], pipe[1]} : Ends{pipe[1], pipe[0]};
        break;
    }
    return ends.child < 0 ? std::nullopt : std::optional(ends);
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
    std::vector<char*> list;
    for (const std::string& text : texts)
        list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

// In the child: only what a signal handler might do. Comes back where the program can't be started.
void become(const ChildStart& start, const std::array<Ends, 3>& ends, pid_t parent, char* const* words,
            char* const* environment)
{
    for (int stream = 0; stream < 3; ++stream) {
        if (ends[static_cast<std::size_t>(stream)].child >= 0)
            ::dup2(ends[static_cast<std::size_t>(stream)].child, stream);
    }
    constexpr int kOutput = 1, kErrors = 2;
    if (start.output == ChildStream::Errors)
        ::dup2(kErrors, kOutput);
    if (start.joinsErrors)
        ::dup2(kOutput, kErrors);
    if (start.ownGroup)
        ::setpgid(0, 0);
    if (start.ignoresTerminal) {
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGHUP, SIG_IGN);
    }
    ::signal(SIGPIPE, SIG_DFL);
    if (start.endsWithParent) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) // it was gone before that
            ::_exit(0);
    }
    ::execvpe(words[0], words, environment);
}

} // namespace

std::map<std::string, std::string> ownEnvironment()
{
    std::map<std::string, std::string> variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string text = *entry;
        const std::size_t equals = text.find('=');
        variables[text.substr(0, equals)] = equals == std::string::npos ? "" : text.substr(equals + 1);
    }
    return variables;
}

std::vector<std::string> environmentList(const std::map<std::string, std::string>& variables)
{
    std::vector<std::string> list;
    for (const auto& [name, value] : variables)
        list.push_back(name + "=" + value);
    return list;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept
{
    std::swap(m_process, other.m_process);
    std::swap(m_ownGroup, other.m_ownGroup);
    std::swap(m_input, other.m_input);
    std::swap(m_output, other.m_output);
    std::swap(m_errors, other.m_errors);
    return *this;
}

ChildProcess::~ChildProcess()
{
    closeInput();
    closeOutput();
    closeErrors();
    if (!running())
        return;
    signal(SIGKILL);
    wait();
}

Result<ChildProcess> ChildProcess::start(const ChildStart& start)
{
    const auto fails = [&start](int number) {
        return badInput("", start.words.front() + " can't be started: " + std::strerror(number));
    };
    std::array<Ends, 3> ends;
    int told[2] = {-1, -1}; // by the child: the number of what went wrong
    const auto closeAll = [&](bool own) {
        for (Ends& each : ends) {
            closeEnd(each.child);
            if (own)
                closeEnd(each.own);
        }
        closeEnd(told[1]);
        if (own)
            closeEnd(told[0]);
    };
    const std::array streams{start.input, start.output, start.errors};
    const std::array files{std::filesystem::path(), start.outputFile, start.errorsFile};
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const auto made = endsOf(streams[i], files[i], i == 0);
        const int number = errno;
        if (!made) {
            closeAll(true);
            return fails(number);
        }
        ends[i] = *made;
    }
    if (::pipe2(told, O_CLOEXEC) != 0) {
        const int number = errno;
        closeAll(true);
        return fails(number);
    }
    const std::vector<char*> words = pointers(start.words), environment = pointers(start.environment);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
        become(start, ends, parent, words.data(), start.environment.empty() ? environ : environment.data());
        const int number = errno;
        [[maybe_unused]] const ssize_t written = ::write(told[1], &number, sizeof number);
        ::_exit(127);
    }
    int number = errno;
    closeAll(false);
    const bool failed = process < 0 || ::read(told[0], &number, sizeof number) == sizeof number;
    closeEnd(told[0]);
    ChildProcess child;
    child.m_process = std::max(process, 0);
    child.m_ownGroup = start.ownGroup;
    child.m_input = ends[0].own;
    child.m_output = ends[1].own;
    child.m_errors = ends[2].own;
    if (!failed)
        return child;
    if (process > 0)
        child.wait();
    return fails(number);
}

void ChildProcess::closeEnd(int& descriptor)
{
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

void ChildProcess::signal(int number) const
{
    if (running())
        ::kill(m_ownGroup ? -m_process : m_process, number);
}

// Until it is reaped nobody else has its number: only then its group can be ended by it.
std::optional<ChildEnd> ChildProcess::reap(int options)
{
    if (!running())
        return std::nullopt;
    siginfo_t info{};
    int waited = 0;
    do {
        waited = ::waitid(P_PID, static_cast<id_t>(m_process), &info, WEXITED | WNOWAIT | options);
    } while (waited != 0 && errno == EINTR);
    if (waited == 0 && info.si_pid == 0)
        return std::nullopt;
    if (m_ownGroup)
        ::kill(-m_process, SIGKILL);
    int status = 0;
    while (::waitpid(m_process, &status, 0) < 0 && errno == EINTR) {
    }
    m_process = 0;
    ChildEnd end;
    if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    else
        end.exitCode = WEXITSTATUS(status);
    return end;
}

std::optional<ChildEnd> ChildProcess::end()
{
    return reap(WNOHANG);
}

ChildEnd ChildProcess::wait()
{
    return reap(0).value_or(ChildEnd());
}

std::string ChildProcess::readOutput()
{
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t got = 0; (got = ::read(m_output, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);) {
        if (got > 0)
            text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

std::vector<int> endingSignals()
{
    struct sigaction before = {};
    ::sigaction(SIGHUP, nullptr, &before);
    return before.sa_handler == SIG_IGN ? std::vector{SIGINT, SIGTERM} : std::vector{SIGINT, SIGTERM, SIGHUP};
}

} // namespace peakscope
