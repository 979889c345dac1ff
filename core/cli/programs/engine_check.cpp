// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/programs/engine_check.h"

#include "core/base/child_process.h"
#include "core/base/text.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace peakscope {

namespace {

// What ld.so says of the program's libraries instead of starting it: ld.so(8), LD_TRACE_LOADED_OBJECTS.
std::string loaderReport(const EngineChoice& choice)
{
    auto variables = ownEnvironment();
    if (!choice.libraries.empty())
        variables["LD_LIBRARY_PATH"] = choice.libraries.string();
    for (const char* name : {"LD_TRACE_LOADED_OBJECTS", "LD_WARN", "LD_BIND_NOW"})
        variables[name] = "1";
    const ChildStart start{.words = {choice.program.string()},
                           .environment = environmentList(variables),
                           .output = ChildStream::Pipe,
                           .joinsErrors = true}; // the loader's, not this program's
    auto child = ChildProcess::start(start);
    if (!child)
        return {};
    std::string report = child->readOutput();
    child->wait();
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

std::string libraryFault(const EngineChoice& choice)
{
    const std::string report = loaderReport(choice);
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
               symbol.substr(0, symbol.find_first_of(" \t,")) + "; " +
               (torchFolder.empty() ? "install those that this program was built with" : kWhatIsRight);
    return {};
}

} // namespace peakscope
