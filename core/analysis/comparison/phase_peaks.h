// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The highest total of every phase of a run: for figures and comparisons. Any thread.
#pragma once

#include "core/results/memory_timeline.h"

#include <vector>

namespace peakscope {

// The highest total while a phase lasted (over all its occurrences) and what it was made of.
struct PhasePeak {
    Phase phase = Phase::Load;
    std::int64_t totalBytes = 0;
    double timeSeconds = 0;
    ComponentBytes components{};
};

// In the order in which the phases first occurred; empty where the run recorded no phases.
std::vector<PhasePeak> phasePeaks(const MemorySection& memory, const MemoryTimeline& timeline);

// The end of the run's record: of its timeline or its last phase mark.
double endSeconds(const MemorySection& memory);

} // namespace peakscope
