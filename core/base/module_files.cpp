// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/module_files.h"

#include <cstdlib>

namespace peakscope {

std::vector<std::filesystem::path> moduleFiles(const char* library, const char* variable)
{
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    if (const char* named = std::getenv(variable); named && *named)
        files.emplace_back(named);
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    files.push_back(folder / library);
    files.push_back(folder / "../lib/peakscope" / library);
    for (const auto& entry : fs::directory_iterator(folder / "../lib", error))
        files.push_back(entry.path() / "peakscope" / library);
    return files;
}

} // namespace peakscope
