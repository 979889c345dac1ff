// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that peakscope-cli and peakscope-engine have alike, and how either program starts and ends. No LibTorch.
#pragma once

#include "core/cli/commands/embed_command.h"
#include "core/cli/commands/fit_command.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/record_command.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/commands/snapshot_commands.h"
#include "core/cli/watch/watch_command.h"

#include <functional>
#include <string>

namespace peakscope {

// replay, embed, estimate, recommend, models, devices, inspect, live, diff, whatif, advise, record, fit, watch,
// convert and help. Must outlive the app's parsing and the action.
class SharedCommands
{
public:
    explicit SharedCommands(const LocalDevices& local) : m_local(local) {}

    // The chosen command sets `action` to what runs it and gives its exit status.
    void addTo(CLI::App& app, std::function<int()>& action);

private:
    LocalDevices m_local;
    ReplayArguments m_replay;
    EmbedArguments m_embed;
    EstimateArguments m_estimate;
    RecommendArguments m_recommend;
    ConvertArguments m_convert;
    SnapshotArguments m_snapshot;
    RecordArguments m_record;
    FitArguments m_fit;
    WatchArguments m_watch;
    std::vector<std::string> m_names;
    RangeArguments m_range;
    std::string m_file;
    HelpArguments m_help;
    bool m_json = false, m_catalogue = false;
};

// Parses and runs what was asked for; problems are one line on standard error.
int parseAndRun(CLI::App& app, const std::function<int()>& action, int argc, char** argv);

// For this program's children and successors: LibTorch's OpenMP threads spin for a while after each loop, which costs
// far more than it saves with a window or another run beside them. libgomp reads this before main.
void calmThreads();

} // namespace peakscope
