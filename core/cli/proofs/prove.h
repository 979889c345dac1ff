// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs experiments dry on a card of the catalogue, one after another, to say what they reserve. Needs an engine whose
// LibTorch has its CUDA half.
#pragma once

#include "core/base/result.h"
#include "core/planning/recommend/recommender.h"

namespace peakscope {

// Two steps of the experiment on "dry:" + `device`, in a worker process, or what is kept of such a run. An error: it
// can't be run dry here, and why.
Result<DryProof> proveDry(const nlohmann::json& experiment, const std::string& device);

// Each row, of several devices every rank that differs; then verdicts, order and answer follow. An error: nothing could
// be proved, and why.
Status prove(Recommendation& recommendation);

} // namespace peakscope
