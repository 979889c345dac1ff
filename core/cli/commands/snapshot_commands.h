// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `live`, `diff`, `whatif` and `advise`: which blocks of a CUDA memory snapshot are alive at an instant, by whom, what
// differs between two, what other settings of the allocator would have reserved, and what would help. No LibTorch.
#pragma once

#include "core/base/result.h"
#include "core/snapshots/cuda_snapshot.h"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace peakscope {

// --events and --time: a part of a snapshot's history; at most one of them.
struct RangeArguments {
    std::string range, time;
};
void addRangeOptions(CLI::App& command, RangeArguments& arguments);
Result<std::optional<SnapshotRange>> rangeOf(const RangeArguments& arguments);
// That none was given where the file is no snapshot.
Status refuseRange(const RangeArguments& arguments, const std::string& file);

struct SnapshotArguments {
    std::string file, other; // `other`: of diff
    std::string at = "peak";
    std::string by;           // empty: line, of a result component
    std::int64_t device = -1; // -1: the worst (replayDevices)
    std::int64_t top = 0;     // 0: all rows
    std::string allocator;    // of whatif: as PYTORCH_CUDA_ALLOC_CONF has it
    std::string capacity;     // bytes, or with a unit; empty: that of the recorded end
    std::int64_t rank = -1;   // of live in a result; -1: the fullest
    RangeArguments range;
    bool json = false;
};

// As many rows as --top lets through.
std::size_t shownOf(std::size_t rows, std::int64_t top);

// The subcommands with their options; `arguments` must outlive the app.
CLI::App* addLiveCommand(CLI::App& app, SnapshotArguments& arguments);
CLI::App* addDiffCommand(CLI::App& app, SnapshotArguments& arguments);
CLI::App* addWhatIfCommand(CLI::App& app, SnapshotArguments& arguments);
CLI::App* addAdviseCommand(CLI::App& app, SnapshotArguments& arguments);

// Also of a result of Peakscope's own, by what its events carry.
int liveCommand(const SnapshotArguments& arguments);
int diffCommand(const SnapshotArguments& arguments);
int whatIfCommand(const SnapshotArguments& arguments);
// Also of a result of Peakscope's own, whose remedies are experiments that run.
int adviseCommand(const SnapshotArguments& arguments);

} // namespace peakscope
