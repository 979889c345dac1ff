// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_batching.h"

#include "core/engine/curvature/curvature_plan.h"
#include "core/engine/prm/sample_scorer.h"
#include "core/engine/prm/small_noise.h"

#include <algorithm>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kKey = "batching";

// Of a batch of `rows` over all parameters.
CurvatureNeeds needsOf(const Experiment& experiment, std::int64_t rows, std::int64_t length, std::int64_t elementBytes)
{
    CurvatureNeeds needs;
    needs.config = experiment.model.config;
    needs.parameters = parameterSpecs(needs.config);
    needs.wanted.assign(needs.parameters.size(), true);
    needs.rows = rows;
    needs.length = length;
    needs.elementBytes = elementBytes;
    needs.opens = needs.mayHold = false;
    needs.residentBytes = 2 * rows * length * kTokenBytes;
    return needs;
}

Json batchingJson(const PrmBatching& batching)
{
    Json json = {{"budget_bytes", batching.budgetBytes},
                 {"scoring_rows", batching.scoringRows},
                 {"logit_bytes", batching.logitBytes},
                 {"small_noise_batch", batching.smallNoiseBatch}};
    if (batching.features)
        json["features"] = membersJson(*batching.features);
    return json;
}

std::optional<PrmBatching> batchingFromJson(const Json& json)
{
    try {
        PrmBatching batching;
        batching.budgetBytes = json.at("budget_bytes");
        batching.scoringRows = std::max<std::int64_t>(1, json.at("scoring_rows"));
        batching.logitBytes = json.at("logit_bytes");
        batching.smallNoiseBatch = json.at("small_noise_batch");
        if (const auto known = json.find("features"); known != json.end()) {
            CurvatureSizes& sizes = batching.features.emplace();
            sizes.microBatch = std::max<std::int64_t>(1, known->at("micro_batch"));
            sizes.inFlight = known->at("in_flight");
            sizes.basis = known->at("basis");
            sizes.directions = known->at("directions");
            sizes.held = known->at("held");
            sizes.wholeOpening = known->at("whole_opening");
            sizes.predictedBytes = known->at("predicted_peak_bytes");
            sizes.costliest = known->at("costliest");
        }
        return batching;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

void chooseFeatures(const Experiment& experiment, const PrmSizes& sizes, PrmBatching& batching)
{
    const auto plan = planCurvature(featureNeeds(experiment, sizes, experiment.budgetBytes));
    if (plan)
        batching.features = *plan;
    else
        batching.refusal = plan.error();
}

} // namespace

CurvatureNeeds featureNeeds(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes)
{
    const std::int64_t element = bytesPerElement(experiment.dtype);
    CurvatureNeeds needs = needsOf(experiment, sizes.featureRows, sizes.featureLength, element);
    needs.microBatch = std::min(sizes.featureRows, experiment.data.maxPhysicalBatch);
    needs.quantities = {CurvatureQuantity::Features};
    needs.unit = sizes.unit;
    needs.residentBytes += parameterCount(needs.config) * element;
    needs.budgetBytes = budgetBytes;
    return needs;
}

CurvatureNeeds smallNoiseNeeds(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes)
{
    constexpr std::int64_t kDouble = sizeof(double);
    CurvatureNeeds needs = needsOf(experiment, sizes.smallNoiseRows, sizes.length, kDouble);
    needs.microBatch = std::min(sizes.smallNoiseRows, kSmallNoiseBatch);
    needs.quantities = {CurvatureQuantity::Trace};
    needs.unit = sizes.unit;
    needs.probes = 1; // one vector at a time
    // Float64 weights, a copy to put back, and those of the model itself.
    needs.residentBytes += parameterCount(needs.config) * (bytesPerElement(experiment.dtype) + 2 * kDouble);
    needs.budgetBytes = budgetBytes;
    return needs;
}

std::int64_t smallNoiseBatch(const Experiment& experiment, const PrmSizes& sizes, std::int64_t budgetBytes)
{
    const std::int64_t most = std::min(sizes.smallNoiseRows, kSmallNoiseBatch);
    if (most == 0 || budgetBytes == 0)
        return most;
    // It comes last: a run that has all its answers should not fail for it, so twice its vectors must have room.
    const std::int64_t parameters = parameterCount(experiment.model.config);
    const std::int64_t weights = parameters * bytesPerElement(experiment.dtype);
    if (weights + 2 * smallNoiseBytes(parameters) > budgetBytes)
        return 0;
    const auto plan = planCurvature(smallNoiseNeeds(experiment, sizes, budgetBytes));
    return plan ? plan->microBatch : 0;
}

PrmBatching chooseBatching(const Experiment& experiment, const PrmSizes& sizes)
{
    constexpr std::int64_t kTokensAtATime = 8192;
    PrmBatching batching;
    batching.budgetBytes = experiment.budgetBytes;
    batching.scoringRows = experiment.data.maxPhysicalBatch;
    batching.logitBytes = ScoringOptions().logitBytes;
    if (experiment.budgetBytes == 0)
        batching.scoringRows =
            std::max(batching.scoringRows, std::clamp<std::int64_t>(kTokensAtATime / experiment.data.seq, 1, 64));
    else
        batching.logitBytes = std::min<std::int64_t>(batching.logitBytes, experiment.budgetBytes / 16);
    chooseFeatures(experiment, sizes, batching);
    batching.smallNoiseBatch = smallNoiseBatch(experiment, sizes, experiment.budgetBytes);
    return batching;
}

PrmBatching batchingOf(const Experiment& experiment, const PrmSizes& sizes, ProgressLog& log)
{
    if (const Json* known = log.recall(kKey)) {
        if (auto batching = batchingFromJson(*known)) {
            if (!batching->features) {
                chooseFeatures(experiment, sizes, *batching);
                log.note(kKey, batchingJson(*batching));
            }
            return std::move(*batching);
        }
    }
    PrmBatching batching = chooseBatching(experiment, sizes);
    log.note(kKey, batchingJson(batching));
    return batching;
}

} // namespace peakscope
