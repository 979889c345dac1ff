// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/warm/warm_start.h"

#include "tests/engine/warm/warm_call.h"

#include <cstdio>
#include <string>

namespace peakscope {

void startWarmEngine()
{
    ::setenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli", 1);
#if !defined(__SANITIZE_ADDRESS__)
    const std::string name = "peakscope-warm-" + std::to_string(::getpid());
    ::setenv(kWarmEngine, name.c_str(), 1);
    ::setenv("GOMP_SPINCOUNT", "2000", 0); // as peakscope-cli tells its engine
    const int listening = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const sockaddr_un address = warmAddress(name.c_str());
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listening, 64) != 0) {
        std::perror("no warm engine");
        return;
    }
    if (::fork() == 0) {
        ::dup2(listening, 0);
        ::execl(PEAKSCOPE_BINARY_DIR "/peakscope_warm_engine", "peakscope_warm_engine", nullptr);
        ::_exit(127);
    }
    ::close(listening);
    ::setenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope_warm_worker", 1);
#endif
}

} // namespace peakscope
