// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A watched run as lines of text: the picture of a terminal that is drawn again and again, and the lines of a log. Pure
// functions and values, any thread.
#pragma once

#include "core/protocol/watched_run.h"

#include <cstddef>
#include <string>
#include <vector>

namespace peakscope {

// The picture, for `columns` characters a line (at least 20 are drawn).
std::vector<std::string> watchFrame(const WatchedRun& run, std::size_t columns);

// `width` characters, from the first event to the last: the most live bytes of each part, in eighths of the highest.
// Empty where nothing was live.
std::string sparkline(const WatchedMemory& memory, std::size_t width);

// How the run ended, its notes and where the result is; empty while it goes on.
std::vector<std::string> endLines(const WatchedRun& run);

// What a log says of a run: lines for what is new since the call before.
class WatchLog
{
public:
    std::vector<std::string> news(const WatchedRun& run);

private:
    bool m_titled = false;
    std::optional<std::pair<Phase, std::int64_t>> m_phase;
    int m_tenth = -1; // of the progress
    std::int64_t m_points = 0;
    bool m_ended = false;
};

} // namespace peakscope
