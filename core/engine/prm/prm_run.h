// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the stages of one perturbation experiment share: options, samples, progress, and the section as it grows. Used
// by the files of this folder; one thread.
#pragma once

#include "core/analysis/response/noise_response.h"
#include "core/analysis/statistics/roc.h"
#include "core/engine/curvature/products/curvature_monitor.h"
#include "core/engine/curvature/products/parameter_units.h"
#include "core/engine/curvature/vectors/progress_log.h"
#include "core/engine/prm/prm_batching.h"
#include "core/engine/prm/prm_samples.h"
#include "core/engine/prm/sample_scorer.h"
#include "core/experiment/prm_options.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace peakscope {

// What the weights without noise answer; every noise is compared with it.
struct PrmBaseline {
    double loss = 0;                                   // mean over the evaluation's tokens: log of the perplexity
    std::map<std::string, std::vector<double>> scores; // of the judged samples, by attack
};

struct PrmRun {
    const Experiment& experiment;
    PrmOptions options;
    Model& model;
    CurvatureMonitor& monitor; // its sink is the run's
    std::vector<std::string>& notes;
    PrmSamples samples;
    PrmSizes sizes{};
    PrmBatching batching{};
    ScoringOptions scoring{};
    std::vector<TextSample> judged{};
    std::vector<int> labels{};
    std::vector<double> packedBytes{};    // of the judged samples, by zlib
    std::vector<SampleScore> reference{}; // of the judged samples, by the base model
    PrmBaseline baseline{};
    ProgressLog log{};
    nlohmann::json section = nlohmann::json::object(); // "prm"
    std::vector<NoiseResponse> responses{};
    std::chrono::steady_clock::time_point lastSent{};
    double progressUnit = 1; // tokens of a forward pass that are one unit of the monitor: a Hessian product's

    // The section with the statistics of what is measured so far; at most every few seconds unless `force`.
    void sendSection(bool force);
    void advance(double tokens, const std::string& message) { monitor.advance(tokens / progressUnit, message); }
    void skip(double tokens) { monitor.skip(tokens / progressUnit); }
    double tokensOf(const std::vector<TextSample>& part) const;
};

// AUC with its interval and the rate at 1 % false positives where the samples support one.
nlohmann::json attackJson(const std::string& attack, const std::vector<double>& scores, const std::vector<int>& labels);

// Base model, reference scores, fine-tuning, the attacks before and after it.
Status prepareModel(PrmRun& run);

// Noise in every class and its random group at every scale.
Status measureResponses(PrmRun& run, const ParameterSpace& space, const ParameterUnits& units,
                        const UnitPartition& partition);

// Tokens' worth of a forward pass that a stage will take, for the progress.
double trainingWork(const PrmRun& run);
double scoringWork(const PrmRun& run);

} // namespace peakscope
