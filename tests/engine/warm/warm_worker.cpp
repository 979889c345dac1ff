// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope_warm_worker: stands where tests start `peakscope-cli worker`. The worker itself is forked by
// peakscope_warm_engine, with this process's environment, folder and standard streams; this one waits, hands signals on
// and ends as the worker ended. Killed, it takes the worker along.
#include "tests/engine/warm/warm_call.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/wait.h>

extern char** environ;

namespace {

volatile pid_t worker = 0;

void handOn(int signal)
{
    if (worker > 0)
        ::kill(worker, signal);
}

// The folder and the environment, each ended by a zero.
std::string callText()
{
    char folder[4096];
    std::string text = ::getcwd(folder, sizeof folder) != nullptr ? folder : "/";
    text += '\0';
    for (char** variable = environ; *variable != nullptr; ++variable)
        text.append(*variable, std::strlen(*variable) + 1);
    return text;
}

bool sendCall(int connection, std::string text)
{
    iovec bytes{text.data(), text.size()};
    WarmStreams streams{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = streams.bytes;
    message.msg_controllen = sizeof streams.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof kStandardStreams);
    std::memcpy(CMSG_DATA(header), kStandardStreams, sizeof kStandardStreams);
    return ::sendmsg(connection, &message, 0) == static_cast<ssize_t>(text.size());
}

} // namespace

int main()
{
    const int connection = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const sockaddr_un address = warmAddress(std::getenv(kWarmEngine));
    if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        !sendCall(connection, callText())) {
        std::perror("peakscope_warm_worker: no warm engine");
        return 127;
    }
    std::signal(SIGTERM, handOn);
    pid_t started = 0;
    int status = 0;
    if (::read(connection, &started, sizeof started) != sizeof started)
        return 127;
    worker = started;
    ssize_t count = 0;
    do {
        count = ::read(connection, &status, sizeof status);
    } while (count < 0 && errno == EINTR);
    if (count != sizeof status)
        return 127;
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    std::signal(WTERMSIG(status), SIG_DFL);
    std::raise(WTERMSIG(status));
    return 127;
}
