// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a text that another process may still be writing: a file that grows, a pipe or standard input. Used by
// `peakscope-cli watch`. One thread.
#pragma once

#include "core/base/input_file.h"
#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

class FollowedLines
{
public:
    enum class News {
        Lines,   // some came, or a part of one
        Nothing, // within the patience, or a signal came
        Anew,    // the file was emptied: what follows is another text, from its first line
        End,     // nobody writes any more; rest() is what came without a line feed
    };
    // A file that its writer does not lock (output_lock.h) is at its end once it has not changed for so long.
    static constexpr std::chrono::seconds kQuiet{60};
    static constexpr std::int64_t kLongestLine = std::int64_t{1} << 30; // bytes; what is longer is handed on cut

    // A regular file, "-" for standard input, or a pipe or terminal by its path. BadInput where it can't be read.
    static Result<FollowedLines> open(const std::string& path);
    ~FollowedLines();
    FollowedLines(FollowedLines&& other) noexcept;
    FollowedLines& operator=(FollowedLines&&) = delete;

    // Hands on the whole lines of what is there, at most some megabytes at a time, without their line feeds. Where
    // nothing is there, waits for it no longer than `patience`. Failed where reading fails. A `take` that gives false
    // wants no more of what was read.
    Result<News> read(std::chrono::milliseconds patience, const std::function<bool(std::string_view)>& take);

    const std::string& rest() const { return m_rest; }

private:
    using Clock = std::chrono::steady_clock;

    FollowedLines() = default;
    bool writerIsGone();
    Result<News> atEnd(std::chrono::milliseconds patience);
    void handOn(std::string_view text, const std::function<bool(std::string_view)>& take);

    std::string m_path;
    std::optional<InputFile> m_file; // a regular file; else what follows
    int m_descriptor = -1;
    bool m_own = false;   // closed here
    bool m_begun = false; // of a pipe: somebody has written, so that an end is one
    Clock::time_point m_opened = Clock::now();
    std::uint64_t m_offset = 0;
    bool m_locked = false; // its writer has been seen
    std::optional<Clock::time_point> m_unlocked;
    std::string m_rest;
};

} // namespace peakscope
