// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/figure_program.h"

#include "core/base/child_process.h"

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// Runs a program with its standard output closed.
std::string run(const std::vector<std::string>& words)
{
    auto child = ChildProcess::start({.words = words, .output = ChildStream::Nowhere});
    if (!child)
        return child.error().text();
    const ChildEnd end = child->wait();
    if (end.status() == 0)
        return "";
    return words[0] +
           (end.signal ? " was ended by a signal" : " ended with exit status " + std::to_string(end.exitCode));
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
    return run(words);
}

} // namespace peakscope
