// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `peakscope-cli run` of an experiment in the synthetic mode: no model, no data, no worker, no LibTorch.
#pragma once

#include "core/cli/commands/commands.h"
#include "core/experiment/experiment.h"

namespace peakscope {

bool asksForSynthetic(const Experiment& experiment);

// Writes the result and the events as a worker's run does; returns the exit status.
int syntheticRunCommand(const RunArguments& arguments, const Experiment& experiment);

} // namespace peakscope
