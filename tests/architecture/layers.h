// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers of the source tree: which room may include which, and in what order the folders of one room stand.
#include <map>
#include <set>
#include <string>
#include <vector>

namespace peakscope {

// The engine's own checks live with the tests, but peakscope-cli runs them on machines without Qt.
inline constexpr const char* kChecks = "tests/engine/checks";
// The other commands take no LibTorch, so that what needs none starts at once.
inline constexpr const char* kEngineCommands = "core/cli/engine";

// What each layer may include besides itself. A layer that is not listed (tests) may include everything.
const std::map<std::string, std::set<std::string>>& allowedLayers();

// The folders of each room that has several, from the bottom up: a folder may include those before it.
const std::vector<std::vector<std::string>>& folderOrders();

} // namespace peakscope
