// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results with features, an embedding, classes and answers to noise, for the tests of the analysis views and figures.
#pragma once

#include "core/results/run_result.h"

#include <memory>

namespace peakscope::testing {

struct AnalysisSample {
    int units = 120;
    int repeats = 3;
    bool controls = true;
    int attacks = 2;
    bool embedding = true;
    std::vector<double> sigmas = {0, 0.003, 0.01, 0.03, 0.1, 0.3};
};

// Made-up units and answers; the embedding is a ring for each class.
RunResult analysisRun(const AnalysisSample& sample = {});

} // namespace peakscope::testing
