// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the memory events of another program to the memory section of a result. Private to this folder.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"

#include <string>
#include <vector>

namespace peakscope {

// Sorts the events by time, puts `before` (what was alive before the first of them) at their front, and fills the
// section's timeline (merged where it is longer than a million events), peak and components. Where a component would
// go below zero, what was freed without having been seen is taken as alive from the start, and a note says how much.
// Fails where a sum leaves 2^58 bytes.
Status fillTimeline(MemorySection& memory, TimelineData events, ComponentBytes before, std::vector<std::string>& notes);

// Indices of `times` in their order; empty where they are in order already.
std::vector<std::size_t> timeOrder(const std::vector<double>& times);

} // namespace peakscope
