// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of many, each run without the others, one after another: unmodified programs for several cards, dry.
#pragma once

#include "core/dry/dry_program.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace peakscope {

// The ranks in rising order; BadInput names one that is not below the world or there twice.
Result<std::vector<std::int64_t>> dryRanks(std::vector<std::int64_t> ranks, std::int64_t world);

// The rank whose objects a run asked for and which no run has left yet; the folder of objects forgets it.
std::optional<std::int64_t> takeWantedRank(const std::filesystem::path& objects);
// A run is made again with what it asked for at most so often.
inline constexpr int kMostWanted = 3;

struct RecordedRank {
    std::int64_t rank = 0;
    Recorded recorded;
};

struct RecordedRanks {
    std::vector<RecordedRank> ranks; // those that recorded something
    ProgramEnd end;                  // of the first that did not end well, else of the last
    Status problem = Done{};         // why a rank recorded nothing; those after it were not run
};

// `program.place` says the world; `begins` is called before each rank. What a rank takes of objects that another one
// sends is taken from a run of that one. Where the card's pace decides what is reserved, the result says the range, by
// two more runs. BadInput: it can't be started.
Result<RecordedRanks> recordRanks(DryProgram program, const std::vector<std::int64_t>& ranks,
                                  const std::filesystem::path& folder, const std::function<void(std::int64_t)>& begins);

// The result of the rank that reserved most, with all as its `ranks` where there are several. None may be missing.
RunResult resultOfRanks(const std::vector<RecordedRank>& ranks);

} // namespace peakscope
