// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/launcher.h"

#include <cstdlib>
#include <filesystem>

namespace peakscope {
namespace {

std::string fileName(const std::string& word)
{
    return std::filesystem::path(word).filename().string();
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

std::vector<std::string> workerWords(const std::vector<std::string>& launcher, const std::string& program)
{
    std::vector<std::string> words = launcher;
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

} // namespace peakscope
