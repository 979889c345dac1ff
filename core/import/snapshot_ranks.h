// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that holds a CUDA memory snapshot a rank: which ranks there are, how full each was, which is the worst, and
// who holds more on it than on the others. Files are read one after the other, and only the summary is kept. Any
// thread.
#pragma once

#include "core/base/result.h"
#include "core/snapshots/snapshot_diff.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// "rank0_snapshot.pickle", "snapshot_rank_3.pickle.gz": the number behind the last "rank".
std::optional<std::int64_t> rankOfName(std::string_view file);

struct RankFile {
    std::int64_t rank = 0;
    std::filesystem::path path;
};

struct RankFolder {
    std::vector<RankFile> files;    // by rank, each once
    std::vector<std::string> notes; // what was passed over, and what is there twice
};

// The snapshots of a folder that have a rank in their name; where it has none of its own, those of the sub-folder
// (torchtitan's iteration_10) that comes last by number. Fewer than two: it is no folder of ranks.
Result<RankFolder> findRanks(const std::filesystem::path& folder);

// Of one rank, the worst of its devices (replayDevices).
struct RankSummary {
    std::int64_t rank = 0;
    std::string file;
    std::int64_t device = 0;
    HistoryKind history = HistoryKind::None;
    std::int64_t events = 0, steps = 0;
    std::array<SnapshotPeak, kSnapshotMeasures> peaks;
    std::int64_t reservedAtPeakBytes = 0; // when most was allocated
    std::int64_t peakStep = 0;            // from 1 on; 0: steps are not known
    double peakSeconds = 0;               // since its first event
    std::optional<OutOfMemory> ranOut;    // the end for lack of memory, where it was one
    std::string ranOutText;
    std::vector<SnapshotHolder> holders; // by line, when most was asked for

    bool hasPeak() const { return history != HistoryKind::State && history != HistoryKind::None; }
    const SnapshotPeak& peak(SnapshotMeasure measure) const { return peaks[static_cast<std::size_t>(measure)]; }
};

struct RankComparison {
    std::vector<RankSummary> ranks; // by rank
    // Numbers in `ranks`, of those whose peak is known; none: of fewer than one, or two.
    std::optional<std::size_t> fullest, emptiest;
    std::optional<std::size_t> ranOut; // the fullest of those that ran out of memory
    std::optional<std::size_t> median; // of the others than the worst, the lower one of an even number
    std::vector<HolderChange> changes; // from the median to the worst, when most was asked for
    std::vector<std::string> notes;

    // That ran out of memory, else the fullest.
    std::optional<std::size_t> worst() const { return ranOut ? ranOut : fullest; }
    std::int64_t spreadBytes() const; // allocated at the peaks, from the emptiest to the fullest
};

Result<RankComparison> compareRanks(const RankFolder& folder, const std::stop_token& stop = {});

} // namespace peakscope
