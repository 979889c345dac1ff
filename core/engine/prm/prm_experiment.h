// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The perturbation experiment: fine-tuning on members, features of the units, embedding, partition, noise class by
// class with perplexity and attacks measured each time. Called by the experiment runner, on its thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger/event_sink.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/experiment/experiment.h"

#include <string>
#include <vector>

namespace peakscope {

// Sends points, progress and the sections as they grow: whatever ends the run, what was found so far has been sent.
// Exceptions of LibTorch and of the allocator pass through. `experiment.prm` is there.
Status runPrm(const Experiment& experiment, Model& model, Ledger& ledger, EventSink& sink,
              std::vector<std::string>& notes);

// The synthetic mode: no model, no data; every section is marked.
Status runSyntheticPrm(const Experiment& experiment, EventSink& sink, std::vector<std::string>& notes);

// Whether the experiment asks for the synthetic mode.
bool isSyntheticPrm(const Experiment& experiment);

// What a perturbation experiment cannot be, in one sentence; empty where it can.
std::string unsupportedPrm(const Experiment& experiment);

} // namespace peakscope
