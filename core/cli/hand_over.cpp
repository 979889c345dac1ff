// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/hand_over.h"

#include "core/protocol/event.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr const char* kEngine = "peakscope-engine";

int missing(const char* command, const std::string& reason)
{
    const std::string text = std::string(command) + " needs the engine: " + kEngine +
                             " is neither beside this program nor on the path (" + reason +
                             "); install Peakscope with its engine";
    if (std::strcmp(command, "worker") == 0)
        std::printf("%s\n", toLine(EndEvent{RunStatus::Failed, text, {}, true}).c_str());
    std::fprintf(stderr, "peakscope-cli: %s\n", text.c_str());
    return 2;
}

} // namespace

bool holdInput()
{
    const int file = ::memfd_create("experiment", 0);
    std::array<char, 1 << 16> bytes;
    while (file >= 0) {
        const ssize_t count = ::read(0, bytes.data(), bytes.size());
        if (count == 0)
            return ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, 0) == 0;
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0 && ::write(file, bytes.data(), static_cast<std::size_t>(count)) != count)
            return false;
    }
    return false;
}

int handOver(int argc, char** argv)
{
    std::fflush(stdout);
    // LibTorch's OpenMP threads spin for a while after each loop; with a window or another run beside them that costs
    // far more than it saves. libgomp reads this before main.
    ::setenv("GOMP_SPINCOUNT", "2000", 0);
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error)
        ::execv((self.parent_path() / kEngine).c_str(), argv);
    if (error || errno == ENOENT)
        ::execvp(kEngine, argv);
    return missing(argc > 1 ? argv[1] : "this", std::strerror(errno));
}

} // namespace peakscope
