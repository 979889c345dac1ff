// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A dry program's blocks, known twice: the allocator's own history has their sizes and when each lived, the probe in
// the program has what each was for. docs/dry-runs.md.
#pragma once

#include "core/base/result.h"
#include "core/recording/live_recording.h"
#include "core/results/run_result.h"

#include <filesystem>

namespace peakscope {

// Puts what the probe knows (components, phases, steps, modules, operators, lines of backward passes) in place of what
// was inferred from the history that the result was read from, and the components into the history's file, too.
// `probe`: the probe's files without their endings, which are read unless `recording` did so while the program ran. An
// error says why the result stays as it was: there is no recording, or the two do not tell of the same blocks.
Status nameBlocks(RunResult& result, const std::filesystem::path& history, const std::filesystem::path& probe,
                  LiveRecording* recording);

} // namespace peakscope
