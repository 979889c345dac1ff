// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/figure_program.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// Runs a program with its standard output closed.
std::string spawn(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int code = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0)
        return words[0] + ": " + std::strerror(code);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return "";
    return words[0] + (WIFEXITED(status) ? " ended with exit status " + std::to_string(WEXITSTATUS(status))
                                         : " was ended by a signal");
}

} // namespace

std::string exportFigures(const std::vector<fs::path>& results, const fs::path& folder, const std::string& format)
{
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const fs::path beside = self.parent_path() / "peakscope";
    std::vector<std::string> words{!error && fs::exists(beside, error) ? beside.string() : "peakscope", "export"};
    for (const fs::path& result : results)
        words.push_back(result.string());
    for (const std::string& word : {std::string("--figure"), std::string("all"), std::string("--out"), folder.string(),
                                    std::string("--format"), format})
        words.push_back(word);
    return spawn(words);
}

} // namespace peakscope
