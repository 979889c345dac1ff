// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a folder of results holds: the files that are read, and those that say the same once more. Used by readAny(),
// the command line and the window's loader; any thread.
#pragma once

#include "core/base/result.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// How the names of result files end.
inline constexpr std::array<std::string_view, 8> kResultEndings{".json",   ".json.gz",   ".csv", ".csv.gz",
                                                                ".pickle", ".pickle.gz", ".pkl", ".pkl.gz"};

// Hidden files are in none of them.
struct ResultFolder {
    std::vector<std::filesystem::path> files;     // in the order in which they are read
    std::vector<std::filesystem::path> summaries; // tables beside the document that they summarise: left out
    std::vector<std::filesystem::path> ownTables; // tables that this program made of results: left out
    std::vector<std::filesystem::path> folders;   // that hold results themselves: left out
};
Result<ResultFolder> resultFolder(const std::filesystem::path& folder);

// "a.csv, b.csv": names of at most five, and how many there are where they are more.
std::string namesOf(const std::vector<std::filesystem::path>& files);

// Of a folder without files that are read: what would have been right.
std::string nothingToRead(const ResultFolder& folder);

// What is left out of it and why, a line each, for the command line; nothing for what is no folder.
std::vector<std::string> leftOutOf(const std::filesystem::path& path);

} // namespace peakscope
