// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `live` and `diff` of a result of Peakscope's own. No LibTorch.
#pragma once

#include "core/cli/commands/snapshot_commands.h"
#include "core/snapshots/snapshot_holders.h"

#include <string>
#include <vector>

namespace peakscope {

int liveInResult(const SnapshotArguments& arguments);

// Who holds the memory of the file's result at the instant that `arguments` say.
Result<std::vector<SnapshotHolder>> holdersInResult(const std::string& file, const SnapshotArguments& arguments);

} // namespace peakscope
