// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/engine_check.h"

#include "core/base/text.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace peakscope {

namespace {

// What ld.so says of the program's libraries instead of starting it: ld.so(8), LD_TRACE_LOADED_OBJECTS.
std::string loaderReport(const std::filesystem::path& program)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return {};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int output : {1, 2}) // the loader's, not this program's
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], output);
    std::vector<std::string> variables{"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", "LD_BIND_NOW=1"};
    std::vector<char*> environment;
    for (std::string& variable : variables)
        environment.push_back(variable.data());
    for (char** variable = environ; variable && *variable; ++variable)
        environment.push_back(*variable);
    environment.push_back(nullptr);
    std::string name = program.string();
    char* words[] = {name.data(), nullptr};
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, name.c_str(), &actions, nullptr, words, environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string report;
    char part[4096];
    for (ssize_t got = 0; failed == 0 && (got = ::read(ends[0], part, sizeof part)) > 0;)
        report.append(part, static_cast<std::size_t>(got));
    ::close(ends[0]);
    if (failed == 0)
        ::waitpid(child, nullptr, 0);
    return report;
}

bool isOfLibTorch(std::string_view library)
{
    return library.starts_with("libtorch") || library.starts_with("libc10");
}

constexpr const char* kWhatIsRight = "install LibTorch " PEAKSCOPE_LIBTORCH_VERSION
                                     " (the torch wheel of that version holds it) and put its lib folder into "
                                     "LD_LIBRARY_PATH";

} // namespace

std::string libraryFault(const std::filesystem::path& program)
{
    const std::string report = loaderReport(program);
    std::string missing, torchFolder, symbol;
    bool torch = false;
    for (std::size_t at = 0; at < report.size();) {
        const std::size_t end = std::min(report.find('\n', at), report.size());
        const std::string_view line = trimmed(std::string_view(report).substr(at, end - at));
        at = end + 1;
        const std::string_view library = line.substr(0, line.find(' '));
        if (line.ends_with("=> not found")) {
            missing += (missing.empty() ? "" : ", ") + std::string(library);
            torch = torch || isOfLibTorch(library);
        } else if (library == "libtorch_cpu.so" && line.find("=> ") != line.npos) {
            const std::string_view file = line.substr(line.find("=> ") + 3);
            torchFolder = std::filesystem::path(file.substr(0, file.rfind(" ("))).parent_path().string();
        } else if (symbol.empty() && line.starts_with("undefined symbol:")) {
            symbol = std::string(trimmed(line.substr(line.find(':') + 1)));
        }
    }
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (!missing.empty())
        return missing + " not found, neither where this build was made, nor in LD_LIBRARY_PATH (" +
               (path && *path ? path : "not set") + "), nor in the system's folders; " +
               (torch ? kWhatIsRight : "install the packages that hold them");
    if (!symbol.empty())
        return "the libraries found here are of other versions" +
               (torchFolder.empty() ? std::string() : " (LibTorch in " + torchFolder + ")") + ": they lack " +
               symbol.substr(0, symbol.find_first_of(" \t,")) + "; " + kWhatIsRight;
    return {};
}

} // namespace peakscope
