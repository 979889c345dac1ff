// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which commands and machines a document names that starting it would lead to. The window asks about them before it
// starts what came with a file; the command line says them. No Qt; any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace peakscope {

struct NamedCommand {
    std::string place;              // the keys that name it, such as "launcher" or "grid.launcher"
    std::vector<std::string> words; // what is not text stands there as JSON

    bool operator==(const NamedCommand&) const = default;
};

// Of an experiment: its launcher, and whatever else stands under such a key. None where it names nothing.
std::vector<NamedCommand> commandsOfExperiment(const nlohmann::json& experiment);

// Of a SWEEP.json: the launcher of every point that the grid can make of the base, each once, and whatever else stands
// under such a key.
std::vector<NamedCommand> commandsOfSweep(const nlohmann::json& sweep);

// The same documents without what names a command; a grid may be empty after it.
nlohmann::json withoutCommands(nlohmann::json experiment);
nlohmann::ordered_json sweepWithoutCommands(nlohmann::ordered_json sweep);

} // namespace peakscope
