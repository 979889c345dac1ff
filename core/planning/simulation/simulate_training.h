// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The simulated training step, and the run behind it with its events laid open for tests that compare them with a
// measured timeline.
#pragma once

#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/shadow/collective_load.h"
#include "core/planning/shadow/shadow_memory.h"
#include "core/planning/simulation/clipping_plan.h"

namespace peakscope {

// Runs the experiment's steps on a simulated memory: load, data, adapters, and as many steps as it takes to reach the
// run's peak (the first, where it is the only one, else one with the optimiser's states in place; on CUDA the first
// two, for what the allocator then reserves, but for derivations and for what ranks say). A clipped step follows
// `plan`, as clippingPlanOfRank makes it; without one the step is plain. `communication` receives what several ranks
// say to each other in that step. `rows`: those of a certain step, which is then the one that is simulated.
Result<ShadowMemory> simulateRun(const Experiment& experiment, const EstimateOptions& options,
                                 const ClippingPlan* plan = nullptr, CommunicationPlan* communication = nullptr,
                                 const StepRows* rows = nullptr);

// One training step (with the optimiser's states in place) operator by operator: what each allocates, what the graph
// keeps, what is freed when. Of one rank, where there are several. Ignores kind.
Result<MemoryEstimate> simulateTraining(const Experiment& experiment, const EstimateOptions& options = {});

// How many runs this thread has simulated so far: what searches cost, for tests.
std::uint64_t simulatedRuns();

} // namespace peakscope
