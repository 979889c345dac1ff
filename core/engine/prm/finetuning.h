// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a perturbation experiment's model on samples, epoch by epoch. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/engine/prm/prm_samples.h"

#include <functional>
#include <vector>

namespace peakscope {

// Epochs over all samples in shuffled order, a batch of experiment.data.batch a step, with the experiment's optimiser
// and learning rate, at most data.max_physical_batch rows at a time. `onStep(done, steps, loss)` after every step.
// Returns the mean loss of every epoch, each step's before its update. A loss that is not finite is an error.
Result<std::vector<double>> trainOnSamples(const Experiment& experiment, Model& model,
                                           const std::vector<TextSample>& samples, std::int64_t epochs,
                                           std::uint64_t seed, Ledger& ledger,
                                           const std::function<void(std::int64_t, std::int64_t, double)>& onStep);

} // namespace peakscope
