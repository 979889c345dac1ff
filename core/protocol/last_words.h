// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The standard error of a worker, kept for the sentence about an end without an end event. The worker process of the
// command line and the window's worker client each feed one; one thread at a time.
#pragma once

#include "core/protocol/rank_words.h"

#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

class LastWords
{
public:
    // `launcher`: its first word; empty where the worker was started without one.
    explicit LastWords(std::string launcher = {}) : m_launcher(std::move(launcher)) {}

    void take(std::string_view line);
    // The last line that a program said. What mpirun says between two rules of dashes counts where no program said
    // anything: its first paragraph in one line (with the second where the first ends in a colon).
    std::string line() const { return m_line.empty() ? m_framed : m_line; }
    // Of one of several ranks, as their launcher saw it.
    const std::optional<RankDeath>& death() const { return m_death; }

private:
    void takeFramed(std::string_view line);

    std::string m_launcher;
    std::string m_line;
    std::string m_framed; // of the first frame
    std::optional<int> m_exited; // the rank that mpirun names before its exit code
    bool m_inFrame = false;
    bool m_frameOver = false; // what is still to come in frames is not kept
    std::optional<RankDeath> m_death;
};

} // namespace peakscope
