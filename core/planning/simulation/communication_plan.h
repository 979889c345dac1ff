// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks of a training run say to each other in one step, before it runs: how often each collective is called
// and over how many bytes. Used by benchmarks that hold measured counts against it, and by docs. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/planning/shadow/collective_load.h"

namespace peakscope {

// One step of `experiment` (kind memory, no Poisson batches) on `ranks` ranks, counted in the simulated step: all
// passes, the gradients' sums, the parameters' gathers and the sum of the loss, clipped rows' norms. The norm of the
// gradient, taken once in the last measured step of a sharded run, is no part of it, nor of results.
Result<CommunicationPlan> communicationPlan(const Experiment& experiment, std::int64_t ranks);

// What the measured steps of a run make together, as results list it.
Result<CommunicationPlan> communicationOfRun(const Experiment& experiment, std::int64_t ranks);

} // namespace peakscope
