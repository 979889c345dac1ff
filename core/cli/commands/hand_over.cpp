// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/hand_over.h"

#include "core/base/input_file.h"
#include "core/base/json/json_access.h"
#include "core/base/terminal.h"
#include "core/cli/programs/engine_check.h"
#include "core/cli/programs/engine_choice.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/shared_commands.h"
#include "core/protocol/event.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
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

// Returns only where it cannot be done: errno.
int replaceBy(const EngineChoice& choice, char** argv)
{
    standardOutput().flush();
    calmThreads();
    setEngineEnvironment(choice);
    ::execv(choice.program.c_str(), argv);
    return errno;
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
    return !chooseEngine(kEngineProgram).program.empty();
}

int tryHandOver(const char* program, char** argv)
{
    const EngineChoice choice = chooseEngine(program);
    return choice.program.empty() ? ENOENT : replaceBy(choice, argv);
}

int handToWindow(int argc, char** argv)
{
    const char* const command = argc > 1 ? argv[1] : "this";
    const EngineChoice choice = chooseEngine("peakscope");
    const std::string fault = choice.program.empty() ? "it is not installed" : libraryFault(choice);
    const std::string reason =
        fault.empty() ? std::strerror(replaceBy(choice, argv)) : fault; // returns only if it can't
    standardError().line("peakscope-cli: " + std::string(command) +
                         " needs the window's program, peakscope: " + reason);
    return 2;
}

int handOver(const char* program, int argc, char** argv)
{
    const char* const command = argc > 1 ? argv[1] : "this";
    const EngineChoice choice = chooseEngine(program);
    if (choice.program.empty()) {
        std::string text = choice.reason;
        if (std::strcmp(program, kSelftestProgram) == 0)
            text += std::string(": in a build folder, cmake --build . --target ") + program;
        return cannotHandOver(command, text);
    }
    const std::string name = choice.program.filename().string();
    if (const std::string fault = libraryFault(choice); !fault.empty())
        return cannotHandOver(command, name + " cannot start here: " + fault);
    return cannotHandOver(command, name + " cannot start here: " + std::strerror(replaceBy(choice, argv)));
}

} // namespace peakscope
