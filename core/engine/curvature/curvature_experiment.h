// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature experiment: from a loaded model and its data to the section "curvature" of the result. Called by the
// experiment runner, on its thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger/event_sink.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/engine/sharding/parameter_shards.h"
#include "core/engine/data/training_data.h"
#include "core/experiment/experiment.h"
#include "core/ranks/communicator.h"

#include <string>
#include <vector>

namespace peakscope {

// Sends estimates, progress and the section as it grows: whatever ends the run, what was found so far has been sent.
// Exceptions of LibTorch and of the allocator pass through. `experiment.curvature` is there.
// `ranks` share the rows of the batch; each computes the same numbers. All hold the whole model, or its `shards`.
Status runCurvature(const Experiment& experiment, Model& model, const TrainingData& data, Communicator& ranks,
                    ParameterShards* shards, Ledger& ledger, EventSink& sink, std::vector<std::string>& notes);

// What a curvature experiment cannot be, in one sentence; empty where it can.
std::string unsupportedCurvature(const Experiment& experiment);

} // namespace peakscope
