// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/programs/engine_choice.h"

#include "core/base/secrets/secrets.h"
#include "core/base/shell_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorchFolder = "PEAKSCOPE_TORCH";
constexpr const char* kCudaModule = "PEAKSCOPE_CUDA_MODULE";

std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

fs::path ownFolder()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path torchFolder(const std::string& python)
{
    const auto answer = askPython(python);
    return answer ? answer->torch : fs::path();
}

std::string minorOf(const std::string& version)
{
    const std::size_t dot = version.find('.');
    return version.substr(0, dot == version.npos ? dot : version.find_first_not_of("0123456789", dot + 1));
}

int minorNumber(const std::string& release)
{
    return std::atoi(release.substr(release.find('.') + 1).c_str());
}

std::string releasesText(const std::vector<std::string>& releases)
{
    return fmt::format("engines are here for PyTorch {}", fmt::join(releases, ", "));
}

EngineChoice chosenByTorch(const char* name, const std::vector<std::string>& releases)
{
    const std::vector<FoundTorch> torches = findTorches();
    for (const FoundTorch& torch : torches) {
        const std::string release = minorOf(torch.version);
        const bool isHere = std::find(releases.begin(), releases.end(), release) != releases.end();
        if (!isHere && torch.of == kTorchFolder)
            break; // named by the user: no other will do
        if (!isHere)
            continue;
        EngineChoice choice{ownFolder() / fmt::format("{}-{}", name, release), torch.folder / "lib", {}, {}};
        const fs::path module = ownFolder() / "../lib/peakscope" / release / "libpeakscope_cuda.so";
        std::error_code error;
        if (fs::exists(module, error))
            choice.cudaModule = module.lexically_normal();
        return choice;
    }
    if (torches.empty())
        return {.reason =
                    fmt::format("no PyTorch was found (in VIRTUAL_ENV, beside this program, or of python3); {}: pip "
                                "install torch",
                                releasesText(releases))};
    return {.reason = fmt::format("{} has PyTorch {}, for which there is no engine; {}", torches.front().of,
                                  torches.front().version, releasesText(releases))};
}

} // namespace

std::vector<FoundTorch> findTorches()
{
    std::vector<FoundTorch> found;
    const auto add = [&found](const fs::path& folder, const std::string& of) {
        const auto torch = torchIn(folder, of);
        if (torch && std::none_of(found.begin(), found.end(),
                                  [&](const FoundTorch& one) { return one.folder == torch->folder; }))
            found.push_back(*torch);
    };
    add(variable(kTorchFolder), kTorchFolder);
    std::vector<std::string> pythons;
    if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
        pythons.push_back(environment + "/bin/python");
    if (const std::string python = variable("PEAKSCOPE_PYTHON"); !python.empty())
        pythons.push_back(python);
    pythons.push_back("python3");
    for (const std::string& python : pythons)
        add(torchFolder(python), python);
    return found;
}

std::string whoseTorchIsMissing(const std::vector<std::string>& command, std::string_view before)
{
    const std::string& program = command.front();
    const fs::path ran = program.find('/') == program.npos ? programOnPath(program) : fs::path(program);
    if (!fs::path(program).filename().string().starts_with("python") || !isProgram(ran) ||
        !torchFolder(ran.string()).empty())
        return {};
    const std::string without = fmt::format("{}, which ran it, has no PyTorch", ran.string());
    for (const FoundTorch& torch : findTorches()) {
        const fs::path python = torch.of.find('/') == torch.of.npos ? programOnPath(torch.of) : fs::path(torch.of);
        if (!isProgram(python)) // a variable
            continue;
        std::vector<std::string> words = commandWithoutSecrets(command);
        words.front() = python.string();
        std::string typed;
        for (const std::string& word : words)
            typed += " " + shellWord(word);
        return fmt::format("{}; {} has {}: {}{}", without, python.string(), torch.version, before, typed);
    }
    return fmt::format("{}: {} -m pip install torch", without, shellWord(ran.string()));
}

std::vector<std::string> engineReleases(const char* name)
{
    std::vector<std::string> releases;
    std::error_code error;
    const std::string prefix = std::string(name) + "-";
    for (const auto& entry : fs::directory_iterator(ownFolder(), error)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(prefix + "2.") && isProgram(entry.path()))
            releases.push_back(file.substr(prefix.size()));
    }
    std::sort(releases.begin(), releases.end(),
              [](const std::string& a, const std::string& b) { return minorNumber(a) < minorNumber(b); });
    return releases;
}

EngineChoice chooseEngine(const char* name)
{
    if (const fs::path beside = ownFolder() / name; isProgram(beside))
        return {.program = beside};
    if (const auto releases = engineReleases(name); !releases.empty())
        return chosenByTorch(name, releases);
    if (const fs::path file = programOnPath(name); !file.empty())
        return {.program = file};
    return {.reason = fmt::format("{} is neither beside this program nor on the path; install the package "
                                  "peakscope-engine, or build it",
                                  name)};
}

void setEngineEnvironment(const EngineChoice& choice)
{
    if (!choice.libraries.empty()) {
        const std::string before = variable("LD_LIBRARY_PATH");
        ::setenv("LD_LIBRARY_PATH", (choice.libraries.string() + (before.empty() ? "" : ":") + before).c_str(), 1);
    }
    if (!choice.cudaModule.empty())
        ::setenv(kCudaModule, choice.cudaModule.c_str(), 0);
}

} // namespace peakscope
