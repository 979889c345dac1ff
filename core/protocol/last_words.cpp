// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/last_words.h"

#include "core/base/text.h"
#include "core/protocol/launcher.h"

namespace peakscope {

namespace {

constexpr std::size_t kShortestRule = 60; // of dashes

bool isRule(std::string_view line)
{
    return line.size() >= kShortestRule && line.find_first_not_of('-') == std::string_view::npos;
}

// Open MPI counts the frames it did not print again.
bool isCountOfFrames(std::string_view line)
{
    return line.find("sent help message") != std::string_view::npos ||
           line.find("orte_base_help_aggregate") != std::string_view::npos;
}

} // namespace

void LastWords::take(std::string_view line)
{
    if (!m_death) {
        m_death = rankDeathOf(line);
    }
    // Of a rank that ended before it had joined the others mpirun may tell no signal, but the exit code of a shell.
    if (const auto rank = namedRank(line)) {
        m_exited = rank;
    } else if (const auto signal = m_exited && !m_death ? signalOfExitCode(line) : std::nullopt) {
        m_death = RankDeath{*m_exited, *signal};
    }
    const std::string_view words = trimmed(line, " \t\r");
    if (isRule(words)) {
        m_inFrame = !m_inFrame;
        m_frameOver = m_frameOver || !m_framed.empty();
    } else if (m_inFrame) {
        takeFramed(words);
    } else if (!words.empty() && !isCountOfFrames(words)) {
        // What ssh says whenever it connects is no reason for an end.
        const bool greeting = isRemoteLauncher({m_launcher}) && words.starts_with("Warning: Permanently added");
        if (!greeting) {
            m_line = words;
        }
    }
}

void LastWords::takeFramed(std::string_view line)
{
    if (m_frameOver) {
        return;
    }
    if (line.empty()) {
        m_frameOver = !m_framed.empty() && m_framed.back() != ':';
        return;
    }
    m_framed += (m_framed.empty() ? "" : " ") + std::string(line);
}

} // namespace peakscope
