// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/launcher.h"

#include "core/base/secrets/secrets.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace peakscope {
namespace {

std::string fileName(const std::string& word)
{
    return std::filesystem::path(word).filename().string();
}

// When a rank has died, mpirun gives the others so many seconds for their last words, and takes twice as long itself.
constexpr const char* kLastWordsSeconds = "4";

std::vector<std::string> ranksHere(std::int64_t ranks)
{
    return {"mpirun", "-n",    std::to_string(ranks),       "--oversubscribe", "--bind-to",
            "none",   "--mca", "odls_base_sigkill_timeout", kLastWordsSeconds};
}

bool isMpirun(const std::string& word)
{
    return fileName(word) == "mpirun" || fileName(word) == "mpiexec" || fileName(word) == "orterun";
}

} // namespace

bool isRemoteLauncher(const std::vector<std::string>& launcher)
{
    return !launcher.empty() && fileName(launcher.front()) == "ssh";
}

bool launcherNamesProgram(const std::vector<std::string>& launcher)
{
    if (launcher.empty() || launcher.back().find('/') == std::string::npos || launcher.back().front() == '-')
        return false;
    const std::string file = fileName(launcher.back());
    return file == "peakscope-cli" || file == "peakscope-engine";
}

Status checkLauncher(const std::vector<std::string>& launcher)
{
    const std::string* word = wordWithoutSecret(launcher);
    if (word == nullptr)
        return Done{};
    return badInput("launcher", "the secret of \"" + *word +
                                    "\" was left out when this was saved; put it back before " +
                                    "the experiment is run");
}

std::vector<std::string> workerWords(const std::vector<std::string>& launcher, const std::string& program,
                                     std::int64_t ranks)
{
    std::vector<std::string> words = launcher.empty() && ranks > 1 ? ranksHere(ranks) : launcher;
    if (!launcherNamesProgram(launcher)) {
        const char* named = std::getenv("PEAKSCOPE_CLI");
        if (named != nullptr && *named != '\0')
            words.emplace_back(named);
        else
            words.push_back(isRemoteLauncher(launcher) ? "peakscope-cli" : program);
    }
    words.emplace_back("worker");
    return words;
}

std::vector<std::pair<std::string, std::string>> workerVariables(const std::vector<std::string>& words)
{
    if (words.empty() || !isMpirun(words.front()) || ::geteuid() != 0)
        return {};
    return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

bool reportsSignals(const std::string& launcher)
{
    return !isMpirun(launcher);
}

std::string packageOf(const std::string& program)
{
    return isMpirun(program) ? "; the package openmpi-bin brings it" : "";
}

} // namespace peakscope
