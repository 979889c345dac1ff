// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Fitting an experiment to where it runs: its budget, or else what there is to take. Any thread.
#pragma once

#include "core/base/local_device.h"
#include "core/planning/recommend/recommender.h"

namespace peakscope {

// What fitting takes of a device of this machine that `sharing` ranks share: nine tenths of what is free now, less what
// the process itself takes.
std::int64_t roomToFit(const LocalDevice& device, int sharing);

// An experiment of a card that is acted out, `step` steps down the ladder; without a budget it takes all of the card.
Result<FittedExperiment> fitToCard(const Experiment& experiment, int step);
// Of a device of this machine.
Result<FittedExperiment> fitToDevice(const Experiment& experiment, const LocalDevice& device, int step, int sharing);

} // namespace peakscope
