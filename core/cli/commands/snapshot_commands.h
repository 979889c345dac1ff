// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `live` and `diff`: which blocks of a CUDA memory snapshot are alive at an instant, by whom, and what differs between
// two. They take no LibTorch.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace peakscope {

struct SnapshotArguments {
    std::string file, other; // `other`: of diff
    std::string at = "peak";
    std::string by = "line";
    std::int64_t device = -1; // -1: the first that has a history
    std::int64_t top = 0;     // 0: all rows
    bool json = false;
};

// The subcommands with their options; `arguments` must outlive the app.
CLI::App* addLiveCommand(CLI::App& app, SnapshotArguments& arguments);
CLI::App* addDiffCommand(CLI::App& app, SnapshotArguments& arguments);

int liveCommand(const SnapshotArguments& arguments);
int diffCommand(const SnapshotArguments& arguments);

} // namespace peakscope
