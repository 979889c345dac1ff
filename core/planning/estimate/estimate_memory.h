// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The predicted memory of an experiment: what estimate, the recommender, the worker's "prediction" and the capacity map
// are made of. No LibTorch; any thread.
#pragma once

#include "core/planning/inputs/memory_estimate.h"

#include <nlohmann/json.hpp>

namespace peakscope {

// The predicted peak of an experiment as it would run (the experiment's own batch, sequence, dtype, …). Errors name the
// key that makes the experiment impossible. A training step, plain or clipped, of one process or a rank, is a
// simulation over the model's operators (simulateTraining); curvature and perturbation are closed forms on top of one.
Result<MemoryEstimate> estimateMemory(const Experiment& experiment, const EstimateOptions& options = {});

// {"peak_bytes", "peak_reserved_bytes", "components", "max_components", "phases": {"forward": {"peak_bytes",
// "components"}, …}, "modules": [...], "peak_phase", "peak_module", "logits_bytes", "logits_make_peak", "verified",
// "notes"}
nlohmann::json toJson(const MemoryEstimate& estimate);

} // namespace peakscope
