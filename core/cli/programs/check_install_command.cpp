// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/programs/check_install_command.h"

#include "core/base/child_process.h"
#include "core/base/machine.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/programs/engine_check.h"
#include "core/cli/programs/engine_choice.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

enum class Found { Yes, No, Optional }; // Optional: it is not there, and only part of the program needs it

struct Finding {
    const char* what;
    Found found = Found::Yes;
    std::string text;
};

const char* wordOf(Found found)
{
    switch (found) {
    case Found::Yes:
        return "ok";
    case Found::No:
        return "missing";
    case Found::Optional:
        return "-";
    }
    return "";
}

bool isSet(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value && *value;
}

// The first line that a program prints; nothing where it can't be started or fails.
std::optional<std::string> firstLine(std::vector<std::string> words)
{
    auto child = ChildProcess::start({.words = std::move(words),
                                      .input = ChildStream::Nowhere,
                                      .output = ChildStream::Pipe,
                                      .errors = ChildStream::Nowhere});
    if (!child)
        return {};
    const std::string text = child->readOutput();
    if (child->wait().status() != 0)
        return {};
    return std::string(trimmed(text.substr(0, text.find('\n'))));
}

Finding python(const std::vector<FoundTorch>& torches)
{
    const std::string program = torches.empty() ? "python3" : torches.front().of;
    const auto line =
        firstLine({program, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3], sys.executable)"});
    return line ? Finding{"Python", Found::Yes, *line}
                : Finding{"Python", Found::Optional, "no python3; only record and fit need it"};
}

Finding pyTorch(const std::vector<FoundTorch>& torches)
{
    if (torches.empty())
        return {"PyTorch", Found::Optional,
                "none in VIRTUAL_ENV, beside this program, or of python3 (pip install torch)"};
    const FoundTorch& torch = torches.front();
    return {"PyTorch", Found::Yes,
            fmt::format("{}, {}, {}", torch.version, torch.cuda.empty() ? "without CUDA" : "CUDA " + torch.cuda,
                        torch.folder.string())};
}

Finding engine()
{
    const EngineChoice choice = chooseEngine(kEngineProgram);
    const std::string fault = choice.program.empty() ? choice.reason : libraryFault(choice);
    return fault.empty() ? Finding{"engine", Found::Yes, choice.program.string()} : Finding{"engine", Found::No, fault};
}

Finding gpu()
{
    return hasNvidiaDriver()
               ? Finding{"GPU", Found::Yes, "an NVIDIA driver is loaded (peakscope-cli devices lists the cards)"}
               : Finding{"GPU", Found::Optional, "no NVIDIA driver; dry runs need none"};
}

Finding recorder()
{
    if (!engineReleases(kEngineProgram).empty())
        return {"recorder", Found::Yes, "ready for these releases of PyTorch; compiled once for others"};
    for (const char* compiler : {"c++", "g++", "clang++"}) {
        if (const auto line = firstLine({compiler, "--version"}))
            return {"recorder", Found::Yes, "compiled once for each PyTorch by " + *line};
    }
    return {"recorder", Found::No, "no C++ compiler, by which record compiles it once for each PyTorch (install g++)"};
}

Finding ranks()
{
    const auto line = firstLine({"mpirun", "--version"});
    return line ? Finding{"ranks", Found::Yes, *line}
                : Finding{"ranks", Found::Optional, "no mpirun; experiments run as one process (install openmpi-bin)"};
}

// The window's program says itself what it finds, without a display.
Finding window()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / "peakscope";
    if (::access(program.c_str(), X_OK) != 0)
        return {"window", Found::Optional, "not installed; peakscope-cli works without it"};
    if (const std::string fault = libraryFault({.program = program}); !fault.empty())
        return {"window", Found::No, fault};
    const auto line = firstLine({program.string(), "--check"});
    return line ? Finding{"window", Found::Yes, *line}
                : Finding{"window", Found::No, program.string() + " does not start"};
}

Finding display()
{
    for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"}) {
        if (isSet(variable))
            return {"display", Found::Yes, fmt::format("{}={}", variable, std::getenv(variable))};
    }
    return {"display", Found::Optional,
            "none; peakscope export draws figures without one, the window needs one (ssh -X)"};
}

} // namespace

int checkInstallCommand(bool json)
{
    const std::vector<FoundTorch> torches = findTorches();
    const std::vector<Finding> findings = {python(torches), pyTorch(torches), engine(), gpu(),
                                           recorder(),      ranks(),          window(), display()};
    bool complete = true;
    nlohmann::json document = {{"version", PEAKSCOPE_VERSION}};
    if (!json)
        standardOutput().line(fmt::format("{:<9} {:<8} {}", "Peakscope", "ok", PEAKSCOPE_VERSION));
    for (const Finding& finding : findings) {
        complete = complete && finding.found != Found::No;
        document[finding.what] = {
            {"found", finding.found == Found::Yes}, {"needed", finding.found == Found::No}, {"text", finding.text}};
        if (!json)
            standardOutput().line(fmt::format("{:<9} {:<8} {}", finding.what, wordOf(finding.found), finding.text));
    }
    if (json)
        standardOutput().json(document.dump(2));
    return complete ? 0 : 1;
}

} // namespace peakscope
