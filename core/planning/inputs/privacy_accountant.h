// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run of DP-SGD gives away: epsilon of the Poisson-subsampled Gaussian mechanism by Renyi accounting (Mironov,
// Talwar and Zhang 2019). No LibTorch; any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"

#include <cstdint>
#include <string>

namespace peakscope {

// Rows that a step is divided by: privacy.expected_batch, else data.batch.
std::int64_t expectedRows(const Experiment& experiment);

struct PrivacyRun {
    double noiseMultiplier = 1; // standard deviation of the noise over the clipping norm, above 0
    double samplingRate = 0.01; // chance of a row to be in a step, 0 … 1
    std::int64_t steps = 1;
    double delta = 1e-5; // 0 < delta < 1
};

struct PrivacyCost {
    double epsilon = 0;
    double order = 0; // the Renyi order that gives it
};

// The least epsilon over orders 1.1 … 10.9, 11 … 63, 128, 256, 512 and 1024 (those of dp-accounting), converted as in
// Balle et al. 2020, theorem 21. Numbers out of range are errors that name them.
Result<PrivacyCost> privacyCost(const PrivacyRun& run);

// What is known of so many steps of an experiment over data of `rows` rows: the rows that its steps take, whatever
// their gradients are divided by.
PrivacyRun privacyRun(const Experiment& experiment, std::int64_t rows, std::int64_t steps);
Result<PrivacyCost> privacyCost(const Experiment& experiment, std::int64_t rows, std::int64_t steps);

// That a higher or lower order might tell less; empty where the least epsilon lies between.
std::string privacyNote(const PrivacyCost& cost);

// Renyi divergence of one step at an order above 1.
double renyiOfStep(double noiseMultiplier, double samplingRate, double order);

} // namespace peakscope
