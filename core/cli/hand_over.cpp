// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/hand_over.h"

#include "core/base/terminal.h"
#include "core/cli/run_arguments.h"
#include "core/cli/shared_commands.h"
#include "core/protocol/event.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr const char* kEngine = "peakscope-engine";

int missing(const char* command, const std::string& reason)
{
    const std::string text = std::string(command) + kNeedsEngine + kEngine +
                             " is neither beside this program nor on the path (" + reason +
                             "); install Peakscope with its engine";
    if (std::strcmp(command, "worker") == 0)
        standardOutput().json(toLine(EndEvent{RunStatus::Failed, text, {}, true}));
    standardError().line("peakscope-cli: " + text);
    return 2;
}

bool copyAll(int from, int to)
{
    std::array<char, 1 << 16> bytes;
    for (;;) {
        const ssize_t count = ::read(from, bytes.data(), bytes.size());
        if (count == 0)
            return true;
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0 && ::write(to, bytes.data(), static_cast<std::size_t>(count)) != count)
            return false;
    }
}

} // namespace

bool holdInput(const std::string& path, std::string& held)
{
    struct stat status = {};
    const bool standard = path == "-";
    if (!standard && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return true;
    const int from = standard ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const int file = ::memfd_create("experiment", 0);
    const bool read = from >= 0 && file >= 0 && copyAll(from, file);
    if (from > 0)
        ::close(from);
    if (!read)
        return false;
    held = "/proc/self/fd/" + std::to_string(file);
    ::setenv(kHeldInput, std::to_string(file).c_str(), 1);
    return true;
}

int tryHandOver(char** argv)
{
    standardOutput().flush();
    calmThreads();
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error)
        ::execv((self.parent_path() / kEngine).c_str(), argv);
    if (error || errno == ENOENT)
        ::execvp(kEngine, argv);
    return errno;
}

int handOver(int argc, char** argv)
{
    const int reason = tryHandOver(argv);
    return missing(argc > 1 ? argv[1] : "this", std::strerror(reason));
}

} // namespace peakscope
