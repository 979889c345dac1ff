// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// prm_run.h: from the loaded weights to the fine-tuned model and its baseline.
#include "core/analysis/embedding/membership_scores.h"
#include "core/base/json/json_access.h"
#include "core/engine/model/finite_values.h"
#include "core/engine/prm/finetuning.h"
#include "core/engine/prm/prm_run.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr double kTrainingPasses = 3; // a step costs about three forward passes
constexpr std::uint64_t kBaseSeed = 0x70726d6261736500ULL, kTuneSeed = 0x70726d74756e6500ULL;
constexpr const char* kTuned = "tuned";

std::int64_t baseEpochs(const PrmRun& run)
{
    return run.experiment.pretrained ? 0 : run.options.baseEpochs; // pretrained weights are a base model already
}

Json scoresJson(const std::vector<SampleScore>& scores)
{
    Json rows = Json::array();
    for (const SampleScore& score : scores)
        rows.push_back({score.logLikelihood, score.tokens, score.minK, score.minKPlusPlus});
    return rows;
}

std::vector<SampleScore> scoresFromJson(const Json& rows)
{
    std::vector<SampleScore> scores;
    for (const Json& row : rows)
        scores.push_back({row[0], row[1], row[2], row[3]});
    return scores;
}

Result<std::vector<double>> train(PrmRun& run, const std::vector<TextSample>& samples, std::int64_t epochs,
                                  std::uint64_t seed, const std::string& what)
{
    const double tokens = run.tokensOf(samples);
    return trainOnSamples(run.experiment, run.model, samples, epochs, run.experiment.seed ^ seed, run.monitor.ledger(),
                          [&](std::int64_t done, std::int64_t steps, double) {
                              run.advance(kTrainingPasses * tokens * static_cast<double>(epochs) /
                                              static_cast<double>(steps),
                                          what + ": step " + std::to_string(done) + " of " + std::to_string(steps));
                          });
}

// The attacks on the model that has seen no member yet: there is nothing to find.
void addControls(PrmRun& run)
{
    Json controls = Json::array();
    for (const std::string& attack : run.options.attacks) {
        if (attack == "reference")
            continue; // the base model compared with itself
        Json row = attackJson(attack, attackScores(attack, run.reference, run.reference, run.packedBytes), run.labels);
        row["control"] = "before_finetuning";
        const Json& ci = row["ci"];
        if (ci[0].is_number() && ci[1].is_number())
            row["holds_half"] = ci[0].get<double>() <= 0.5 && ci[1].get<double>() >= 0.5;
        controls.push_back(std::move(row));
    }
    run.section["controls"] = std::move(controls);
}

Status trainBase(PrmRun& run)
{
    auto losses = train(run, run.samples.base, baseEpochs(run), kBaseSeed, "base model");
    if (!losses)
        return losses.error();
    if (const Json* known = run.log.recall("reference")) {
        run.reference = scoresFromJson(*known);
    } else {
        auto scores = scoreSamples(run.model, run.judged, run.scoring, run.monitor.ledger());
        if (!scores)
            return scores.error();
        run.reference = std::move(*scores);
        run.log.note("reference", scoresJson(run.reference));
    }
    run.section["base_training"] = {{"epochs", baseEpochs(run)}, {"losses", *losses}};
    return Done{};
}

// Swapped labels must give one less the AUC, exactly: the attack's arithmetic knows no side.
void addSwapped(PrmRun& run)
{
    std::vector<int> swapped = run.labels;
    for (int& label : swapped)
        label = 1 - label;
    for (const std::string& attack : run.options.attacks) {
        Json row = attackJson(attack, run.baseline.scores[attack], swapped);
        row["control"] = "swapped_labels";
        run.section["controls"].push_back(std::move(row));
    }
}

Status measureBaseline(PrmRun& run)
{
    auto judged = scoreSamples(run.model, run.judged, run.scoring, run.monitor.ledger());
    if (!judged)
        return judged.error();
    auto evaluated = scoreSamples(run.model, run.samples.evaluation, run.scoring, run.monitor.ledger());
    if (!evaluated)
        return evaluated.error();
    run.baseline.loss = meanLossOf(*evaluated);
    if (!std::isfinite(run.baseline.loss))
        return failed("", nonFiniteLoss(run.baseline.loss) + (baseEpochs(run) + run.options.finetuneEpochs > 0
                                                                  ? " after fine-tuning: a smaller training.lr may help"
                                                                  : causeBeforeUpdates(run.model.parameters())));
    Json attacks = Json::array();
    for (const std::string& attack : run.options.attacks) {
        run.baseline.scores[attack] = attackScores(attack, *judged, run.reference, run.packedBytes);
        attacks.push_back(attackJson(attack, run.baseline.scores[attack], run.labels));
    }
    const auto half = judged->begin() + run.samples.attacked;
    run.section["baseline"] = {{"perplexity", std::exp(run.baseline.loss)},
                               {"loss", run.baseline.loss},
                               {"member_perplexity", perplexityOf({judged->begin(), half})},
                               {"non_member_perplexity", perplexityOf({half, judged->end()})},
                               {"attacks", std::move(attacks)}};
    run.monitor.sink().send(
        StageEvent{"loss", {{"loss", run.baseline.loss}, {"perplexity", std::exp(run.baseline.loss)}}});
    addSwapped(run);
    return Done{};
}

// The fine-tuned weights of an interrupted run.
bool recallTuned(PrmRun& run, const ParameterSpace& space, Json& state)
{
    const Json* known = run.log.recall("reference");
    if (!known)
        return false;
    const at::Tensor vector = space.vector();
    if (!run.log.recallVectors(kTuned, state, {vector}))
        return false;
    const at::NoGradGuard guard;
    const std::vector<at::Tensor> parts = space.views(vector);
    std::vector<at::Tensor> weights = space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        weights[i].copy_(parts[i]);
    run.reference = scoresFromJson(*known);
    return true;
}

void noteTuned(PrmRun& run, const ParameterSpace& space)
{
    if (!run.log.active())
        return;
    const at::NoGradGuard guard;
    const at::Tensor vector = space.vector();
    const std::vector<at::Tensor> parts = space.views(vector), weights = space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].copy_(weights[i]);
    run.log.noteVectors(kTuned, {{"base", run.section["base_training"]}, {"tuning", run.section["finetuning"]}},
                        {vector});
}

} // namespace

nlohmann::json attackJson(const std::string& attack, const std::vector<double>& scores, const std::vector<int>& labels)
{
    Json row = {{"attack", attack}, {"auc", nullptr}, {"ci", {nullptr, nullptr}}, {"tpr_at_1pct_fpr", nullptr}};
    const auto estimate = aucDeLong(scores, labels);
    if (!estimate)
        return row;
    row["auc"] = estimate->auc;
    if (estimate->standardError > 0)
        row["ci"] = {estimate->low, estimate->high};
    row["standard_error"] = jsonNumber(estimate->standardError);
    row["members"] = estimate->positives;
    row["non_members"] = estimate->negatives;
    if (const auto rate = truePositiveRateAt(scores, labels, 0.01); rate && *rate)
        row["tpr_at_1pct_fpr"] = **rate;
    return row;
}

double trainingWork(const PrmRun& run)
{
    return kTrainingPasses * (run.tokensOf(run.samples.base) * static_cast<double>(baseEpochs(run)) +
                              run.tokensOf(run.samples.members) * static_cast<double>(run.options.finetuneEpochs));
}

double scoringWork(const PrmRun& run)
{
    return run.tokensOf(run.judged) + run.tokensOf(run.samples.evaluation);
}

Status prepareModel(PrmRun& run)
{
    for (const TextSample& sample : run.judged)
        run.packedBytes.push_back(static_cast<double>(zlibBytes(sample.text)));
    const auto space = ParameterSpace::create(run.model, CurvatureOptions{}, run.experiment.seed);
    if (!space)
        return space.error();
    Json state;
    if (recallTuned(run, *space, state)) {
        run.section["base_training"] = state["base"];
        run.section["finetuning"] = state["tuning"];
        run.skip(trainingWork(run));
    } else {
        if (Status based = trainBase(run); !based)
            return based;
        auto losses = train(run, run.samples.members, run.options.finetuneEpochs, kTuneSeed, "fine-tuning");
        if (!losses)
            return losses.error();
        run.section["finetuning"] = {{"epochs", run.options.finetuneEpochs}, {"losses", *losses}};
        noteTuned(run, *space);
    }
    addControls(run);
    if (Status measured = measureBaseline(run); !measured)
        return measured;
    run.advance(scoringWork(run), "the model without noise");
    run.sendSection(true);
    return Done{};
}

} // namespace peakscope
