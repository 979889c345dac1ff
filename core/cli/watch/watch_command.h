// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `peakscope-cli watch`: the events of a run, drawn in a terminal while it goes on.
#pragma once

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace peakscope {

struct WatchArguments {
    std::string file; // of --events, or - for standard input
};

// The subcommand with its options; `arguments` must outlive the app.
CLI::App* addWatchCommand(CLI::App& app, WatchArguments& arguments);

// Until the end event. The exit status is that of the run's end; 1 where the events end without one, 2 where the file
// can't be read, 130 on Ctrl+C.
int watchCommand(const WatchArguments& arguments);

} // namespace peakscope
