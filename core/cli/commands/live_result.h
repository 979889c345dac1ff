// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `live` of a result of Peakscope's own. No LibTorch.
#pragma once

#include "core/cli/commands/snapshot_commands.h"

namespace peakscope {

int liveInResult(const SnapshotArguments& arguments);

} // namespace peakscope
