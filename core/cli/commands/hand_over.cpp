// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/hand_over.h"

#include "core/base/input_file.h"
#include "core/base/json/json_access.h"
#include "core/base/terminal.h"
#include "core/cli/commands/engine_check.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/shared_commands.h"
#include "core/protocol/event.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {
namespace {

int cannotHandOver(const char* command, const std::string& reason)
{
    const std::string text = std::string(command) + kNeedsEngine + reason;
    if (std::strcmp(command, "worker") == 0)
        standardOutput().json(toLine(EndEvent{RunStatus::Failed, text, {}, true}));
    standardError().line("peakscope-cli: " + text);
    return 2;
}

// Beside this program, else on the path; empty where it is in neither place.
std::string programFile(const char* program)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error && std::filesystem::exists(self.parent_path() / program, error))
        return (self.parent_path() / program).string();
    const char* const path = std::getenv("PATH");
    std::string_view folders = path ? path : "";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
        const auto file = std::filesystem::path(folder) / program;
        if (::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, error))
            return file.string();
    }
    return {};
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

bool hasEngine()
{
    return !programFile(kEngineProgram).empty();
}

int tryHandOver(const char* program, char** argv)
{
    standardOutput().flush();
    calmThreads();
    const std::string file = programFile(program);
    if (file.empty())
        return ENOENT;
    ::execv(file.c_str(), argv);
    return errno;
}

int handOver(const char* program, int argc, char** argv)
{
    const char* const command = argc > 1 ? argv[1] : "this";
    if (const std::string fault = libraryFault(programFile(program)); !fault.empty())
        return cannotHandOver(command, std::string(program) + " cannot start here: " + fault);
    const int reason = tryHandOver(program, argv);
    std::string text = std::string(program) + " is neither beside this program nor on the path (" +
                       std::strerror(reason) + "); install the package peakscope-engine, or build it";
    if (std::strcmp(program, kSelftestProgram) == 0)
        text += std::string(": in a build folder, cmake --build . --target ") + program;
    return cannotHandOver(command, text);
}

} // namespace peakscope
