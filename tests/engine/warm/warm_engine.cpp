// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope_warm_engine: an engine that has LibTorch loaded and forks a worker for each peakscope_warm_worker that
// asks. Most of a small worker's processor time is LibTorch registering its operators: here that is done once. Nothing
// has run in this process, so each worker begins as one of its own program does. Its listening socket is standard
// input; it ends with the process that started it.
#include "core/cli/commands/shared_commands.h"
#include "core/cli/engine/engine_commands.h"
#include "tests/engine/warm/warm_call.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <vector>

namespace {

struct Guest {
    int connection = -1;
    pid_t worker = 0;
};

[[noreturn]] void becomeWorker(const std::string& call, const int (&streams)[3])
{
    for (const int stream : kStandardStreams)
        ::dup2(streams[stream], stream);
    for (int other = 3; other < 1024; ++other)
        ::close(other);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGINT, SIG_IGN); // as core/protocol starts its workers
    ::clearenv();
    std::size_t at = call.find('\0');
    if (::chdir(call.c_str()) != 0)
        ::_exit(127);
    for (++at; at < call.size(); at = call.find('\0', at) + 1) {
        const std::string variable = call.c_str() + at;
        const std::size_t sign = variable.find('=');
        ::setenv(variable.substr(0, sign).c_str(), variable.substr(sign + 1).c_str(), 1);
    }
    peakscope::calmThreads();
    const int status = peakscope::workerCommandLoop();
    std::fflush(nullptr);
    ::_exit(status);
}

// A new guest's worker, started; none where the caller was gone before it had asked.
Guest serve(int connection)
{
    std::string call(1 << 18, '\0');
    iovec bytes{call.data(), call.size()};
    WarmStreams handed{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = handed.bytes;
    message.msg_controllen = sizeof handed.bytes;
    const ssize_t count = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (count <= 0 || header == nullptr)
        return {};
    call.resize(static_cast<std::size_t>(count));
    int streams[3];
    std::memcpy(streams, CMSG_DATA(header), sizeof streams);
    const pid_t worker = ::fork();
    if (worker == 0)
        becomeWorker(call, streams);
    for (const int stream : streams)
        ::close(stream);
    [[maybe_unused]] const ssize_t told = ::write(connection, &worker, sizeof worker);
    return {connection, worker};
}

void tellEnds(std::vector<Guest>& guests)
{
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto guest =
            std::find_if(guests.begin(), guests.end(), [=](const Guest& g) { return g.worker == ended; });
        if (guest == guests.end())
            continue;
        [[maybe_unused]] const ssize_t told = ::write(guest->connection, &status, sizeof status);
        ::close(guest->connection);
        guests.erase(guest);
    }
}

} // namespace

int main()
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &children, nullptr);
    const int ends = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    std::vector<Guest> guests;
    for (;;) {
        std::vector<pollfd> watched{{0, POLLIN, 0}, {ends, POLLIN, 0}};
        for (const Guest& guest : guests)
            watched.push_back({guest.connection, POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
            return 1;
        for (std::size_t i = 2; i < watched.size(); ++i) { // a caller says nothing more: it is gone
            if (watched[i].revents != 0)
                ::kill(guests[i - 2].worker, SIGKILL);
        }
        signalfd_siginfo ignored;
        while (::read(ends, &ignored, sizeof ignored) > 0) {
        }
        tellEnds(guests);
        if (watched[0].revents == 0)
            continue;
        const int connection = ::accept4(0, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0)
            continue;
        const Guest guest = serve(connection);
        if (guest.worker > 0)
            guests.push_back(guest);
        else
            ::close(connection);
    }
}
