// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of many, each run without the others, one after another: unmodified programs for several cards, dry.
#pragma once

#include "core/dry/dry_program.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace peakscope {

// The ranks in rising order; BadInput names one that is not below the world or there twice.
Result<std::vector<std::int64_t>> dryRanks(std::vector<std::int64_t> ranks, std::int64_t world);

// Which rank runs next until one has what others send it: a run ends where it asks for an object that no run has left
// yet, that of the sender may ask for others (stages of a pipeline), and then each is made again.
class WantedRanks
{
public:
    explicit WantedRanks(std::int64_t rank) : m_chain{rank} {}

    // After a run. Nothing: it was the rank's own last one, or `stuck`.
    std::optional<std::int64_t> next(const std::filesystem::path& objects);
    // One ends without having sent what is asked of it, or waits itself for one that waits for it.
    Status stuck() const { return m_stuck; }

private:
    std::vector<std::int64_t> m_chain;           // each asked for the one behind it
    std::set<std::int64_t> m_ended;              // those that came to their end
    std::map<std::int64_t, std::int64_t> m_sent; // how many objects there were when each last stopped
    Status m_stuck = Done{};
};

struct RecordedRank {
    std::int64_t rank = 0;
    Recorded recorded;
};

struct RecordedRanks {
    std::vector<RecordedRank> ranks; // those that recorded something
    ProgramEnd end;                  // of the first that did not end well, else of the last
    Status problem = Done{};         // why a rank recorded nothing; those after it were not run
};

// `program.place` says the world; `begins` is called before each rank, `waits` with what a run says that is made
// besides, whose streams are kept, where it waits for another rank. What a rank takes of objects that another one sends
// is taken from a run of that one; `tells` hears of the ranks asked for only. Where the card's pace decides what is
// reserved, the result says the range, by two more runs. `look` is called while a rank runs, with what gives the result
// so far. A rank that is stopped is the last. BadInput: it can't be started.
using RanksListener = std::function<void(const std::function<Result<RunResult>()>&)>;
Result<RecordedRanks> recordRanks(DryProgram program, const std::vector<std::int64_t>& ranks,
                                  const std::filesystem::path& folder, const std::function<void(std::int64_t)>& begins,
                                  const std::function<void(const std::string&)>& waits = {},
                                  const ProgressListener& tells = {}, const RanksListener& look = {});

// The result of the rank that reserved most, with all as its `ranks` where there are several. None may be missing.
RunResult resultOfRanks(const std::vector<RecordedRank>& ranks);

} // namespace peakscope
