// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result says of a long run of which some steps were kept (RecordedRing). Pure functions.
#pragma once

#include "core/recording/live_recording.h"
#include "core/results/run_result.h"

#include <optional>

namespace peakscope {

// Nothing: all steps were kept.
std::optional<RecordedWindow> keptWindow(const ProcessRecording& process);

// A row a step, which steps the timeline has, and what grows. Its memory is that of the window.
void addSteps(RunResult& result, const ProcessRecording& process, const RecordedWindow& window);

} // namespace peakscope
