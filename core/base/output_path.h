// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where what a command's user names as its output leads: to a file, which is made whole and takes its name at the end,
// or to a stream (an open descriptor, a pipe, a device), which is written to as it stands and from where it stands. Any
// thread.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace peakscope {

// The descriptor of this process that a name stands for: /dev/stdout, /dev/fd/7, /proc/self/fd/7, a link to one of
// them. Opening such a name anew would begin at the start of the file behind it and write over what others put there.
std::optional<int> openDescriptor(const std::filesystem::path& path);

bool isStream(const std::filesystem::path& path);

// "-" is standard output; every other name is itself.
std::string outputPath(const std::string& given);

// What messages call it: "standard output", or the name.
std::string outputName(const std::filesystem::path& path);

// Whether it leads to standard output; the program's own words then belong to standard error (sayOnStandardError).
bool isStandardOutput(const std::filesystem::path& path);

// Makes the folder that a file is to be written into, and for a name that ends in a slash that folder; nothing for a
// stream. BadInput where that can't be; `option` is what named it.
Status makeOutputFolder(const std::filesystem::path& out, const char* option = "--out");

// The same for what can only be a file: BadInput where the name is a folder's.
Status makeFolderOfFile(const std::filesystem::path& out, const char* option = "--out");

} // namespace peakscope
