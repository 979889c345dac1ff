// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A hand-made training run for the tests of figures: the shape of a real one (parameters, states, activations that grow
// in forward and fall in backward), with sizes that can be summed by hand.
#pragma once

#include "core/analysis/response/finished_result.h"
#include "core/results/run_result.h"
#include "widgets/figures/page/figure.h"

#include <memory>
#include <string>

namespace peakscope {

struct SampleOptions {
    std::string id = "20260101-000000-sample";
    std::string model = "opt-125m";
    int layers = 12;
    int steps = 3;
    double unitMiB = 1;            // scales every size
    std::string clipping = "none"; // "ghost" adds hooks, norms and Gram blocks
    std::int64_t budgetBytes = 0;
    RunStatus status = RunStatus::Complete;
    bool synthetic = false;
};

RunResult sampleRun(const SampleOptions& options = {});

inline std::shared_ptr<const RunResult> shared(RunResult result)
{
    return finishedResult(std::move(result));
}

// One run, two that differ in clipping, or four of which one went over its budget.
RunResults sampleRuns(int count);

} // namespace peakscope
