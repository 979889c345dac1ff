// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Fitting an experiment to this machine's memory.
#pragma once

#include "core/base/result.h"
#include "core/planning/recommend/recommender.h"

namespace peakscope {

// An experiment that says "fit", fitted to its budget or else to what its device has free; `step` steps further down
// the ladder. `sharing`: ranks of this machine that share what is free.
Result<FittedExperiment> fitHere(const Experiment& experiment, int step, int sharing = 1);

} // namespace peakscope
