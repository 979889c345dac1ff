// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The estimate of a deep model from two shallow ones: what makes searching thousands of configurations quick. Used by
// the simulation and the search for a clipping plan; any thread.
#pragma once

#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/simulation/clipping_plan.h"

namespace peakscope {

// Layers of the two shallow models, here and in TapeMemory.
constexpr std::int64_t kShallow = 3;
constexpr std::int64_t kDeeper = kShallow + 1;
constexpr std::int64_t kLeastDepth = 8; // below this the whole simulation costs no more

// simulateTraining without modules and without the caching allocator's model (reserved bytes are the allocated ones,
// and these are what is requested), exactly. Every layer of a transformer allocates alike, so the bytes that live at a
// given point of a given layer, counted from the first or from the last one, grow by the same amount with every further
// layer; between them they change evenly, so that the most is at one of the ends. Simulations of 3 and 4 layers (4 and
// 5 where shards are gathered) therefore give the peak of any depth. Where the two do not match event by event the
// whole model is simulated.
Result<MemoryEstimate> deriveTraining(const Experiment& experiment, const EstimateOptions& options);

// The same of a step that is clipped by `plan`.
Result<MemoryEstimate> deriveTraining(const Experiment& experiment, const EstimateOptions& options,
                                      const ClippingPlan& plan);

} // namespace peakscope
