// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The one door through which files are read. What stands under a file's name may be a pipe that nobody writes to or a
// device without an end: neither may make a program wait or fill its memory. Any thread.
#pragma once

#include "core/base/file.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace peakscope {

class InputFile
{
public:
    // Opens a regular file; anything else is refused before it is opened, with words that say what it is.
    static Result<InputFile> open(const std::filesystem::path& path);
    ~InputFile();
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;

    int descriptor() const { return m_descriptor; }
    std::uint64_t size() const { return m_size; } // 0 of the kernel's own files, which have content all the same

private:
    InputFile() = default;

    int m_descriptor = -1;
    std::uint64_t m_size = 0;
};

// Whether a regular file stands there. What cannot be looked at is none.
bool isRegularFile(const std::filesystem::path& path);

// The bytes of what a command's user names as its input: a regular file, "-" for standard input, or a pipe or terminal
// by its path (/dev/stdin, /dev/fd/63). A pipe that nobody has opened for writing, more than `limit` bytes, and more
// than fits into the free memory are errors.
Result<std::string> readInput(const std::string& path, std::int64_t limit = kLargestTextFile);

} // namespace peakscope
