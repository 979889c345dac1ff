// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/hand_over.h"

#include "core/base/input_file.h"
#include "core/base/json_access.h"
#include "core/base/terminal.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/shared_commands.h"
#include "core/protocol/event.h"

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

int missing(const char* program, const char* command, const std::string& reason)
{
    std::string text = std::string(command) + kNeedsEngine + program +
                       " is neither beside this program nor on the path (" + reason +
                       "); install Peakscope with its engine";
    if (std::strcmp(program, kSelftestProgram) == 0)
        text += std::string(", or in a build folder: cmake --build . --target ") + program;
    if (std::strcmp(command, "worker") == 0)
        standardOutput().json(toLine(EndEvent{RunStatus::Failed, text, {}, true}));
    standardError().line("peakscope-cli: " + text);
    return 2;
}

} // namespace

Status holdInput(const std::string& path, std::string& held)
{
    const std::string name = path == "-" ? "standard input" : path;
    struct stat status = {};
    if (path != "-" && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return Done{};
    const auto text = readInput(path, kLargestDocumentBytes);
    if (!text)
        return badInput(name, text.error().message);
    const int file = ::memfd_create("experiment", 0);
    if (file < 0 || !FileSink(file).write(*text))
        return failed(name, std::string("cannot be kept in memory: ") + std::strerror(errno));
    held = "/proc/self/fd/" + std::to_string(file);
    ::setenv(kHeldInput, std::to_string(file).c_str(), 1);
    return Done{};
}

bool isSelftest(int argc, char** argv)
{
    return argc > 1 && std::strcmp(argv[1], "selftest") == 0;
}

int tryHandOver(const char* program, char** argv)
{
    standardOutput().flush();
    calmThreads();
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error)
        ::execv((self.parent_path() / program).c_str(), argv);
    if (error || errno == ENOENT)
        ::execvp(program, argv);
    return errno;
}

int handOver(const char* program, int argc, char** argv)
{
    const int reason = tryHandOver(program, argv);
    return missing(program, argc > 1 ? argv[1] : "this", std::strerror(reason));
}

} // namespace peakscope
