// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What peakscope_warm_worker and peakscope_warm_engine agree on: a connection carries one message (folder, environment,
// standard streams) to the engine, and back the worker's process and, in the end, its status as waitpid gives it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

inline constexpr const char* kWarmEngine = "PEAKSCOPE_WARM_ENGINE"; // the name it listens at
inline constexpr int kStandardStreams[3] = {0, 1, 2};

struct WarmStreams {
    alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof kStandardStreams)];
};

// A name that is no file and goes with the last who listens.
inline sockaddr_un warmAddress(const char* name)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string_view text = name != nullptr ? name : "";
    text.copy(address.sun_path + 1, sizeof address.sun_path - 2);
    return address;
}
