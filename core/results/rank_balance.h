// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What several ranks' memory and times say about each other: how uneven they are, who is fullest, for whom the others
// wait, what share of the time goes into communication. Pure functions, used by tables, figures and the window.
#pragma once

#include "core/results/rank_section.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// The section with the rank's memory: its own, or that of the rank that stands for it (RankSection::sameAs).
const RankSection& measuredSection(const std::vector<RankSection>& ranks, std::size_t index);

// "1-62", "1-5, 9": the ranks that `rank` stands for; empty: none.
std::string ranksLike(const std::vector<RankSection>& ranks, std::int64_t rank);

// One rank's figures; what its section does not say is empty.
struct RankFigures {
    std::int64_t rank = 0;
    std::optional<std::int64_t> peakBytes;
    std::optional<double> stepSeconds;        // median of the measured steps
    std::optional<double> communicationShare; // of the measured steps' time, 0 to 1
    // stepSeconds · (1 − communicationShare): what the rank itself takes for a step. Waiting for others is
    // communication, so this is what sets a slow rank apart; the steps as a whole last about as long everywhere.
    std::optional<double> ownSeconds;
};

struct RankBalance {
    std::vector<RankFigures> ranks; // as in the sections
    // Largest / mean − 1 over the ranks that have the figure: 0 is even. Empty with fewer than two of them.
    std::optional<double> peakImbalance;
    std::optional<double> timeImbalance;      // of ownSeconds
    std::optional<double> communicationShare; // of the measured steps' time of all ranks together
    // Index into `ranks`; empty where fewer than two have the figure or all are equal; the first of several.
    std::optional<std::size_t> fullest;
    std::optional<std::size_t> slowest; // the most ownSeconds: the others wait for it
};

RankBalance rankBalance(const std::vector<RankSection>& ranks);

} // namespace peakscope
