// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/clipped_step.h"

#include "core/engine/dpsgd/gradient_noise.h"
#include "core/engine/dpsgd/sample_head.h"
#include "core/engine/dpsgd/sample_tape.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/model/autocast_scope.h"
#include "core/engine/model/forward_scope.h"
#include "core/engine/model/gradient_norm.h"
#include "core/engine/data/prediction.h"
#include "core/model/work_pieces.h"
#include "core/planning/inputs/privacy_accountant.h"
#include "core/text/random_bits.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

// Opacus' and private-transformers' guard against a norm of zero.
constexpr double kNormGuard = 1e-6;

// splitmix64: streams of neighbouring steps share nothing.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t step)
{
    return RandomBits::mix(seed + 0x9E3779B97F4A7C15u * (step + 1));
}

// sum += weight · gradient. 16 bits would lose a little with every row: their sum is in float32, piece by piece, for a
// CPU widens what it adds into a copy.
void addWeighted(at::Tensor& sum, at::Tensor gradient, double weight, ModuleId module)
{
    const bool wide = gradient.scalar_type() == at::kFloat || gradient.scalar_type() == at::kDouble;
    if (!sum.defined() && wide) {
        sum = gradient.mul_(weight);
        retagStorage(sum, Component::Gradients);
        return;
    }
    if (!sum.defined()) {
        sum = gradient.to(at::kFloat).mul_(weight);
        tagStorage(sum, Component::Gradients, module);
        return;
    }
    if (wide) {
        sum.add_(gradient, weight);
        return;
    }
    const at::Tensor into = sum.view({-1}), from = gradient.reshape({-1});
    for (std::int64_t begin = 0; begin < into.numel(); begin += kWidenedPiece) {
        const std::int64_t size = std::min(kWidenedPiece, into.numel() - begin);
        into.narrow(0, begin, size).add_(from.narrow(0, begin, size), weight);
    }
}

// The plan is that of the run's prediction: for these threads and kernels.
EstimateOptions machineOf(Model& model)
{
    const bool cpu = model.parameters().front().tensor.device().is_cpu();
    return estimateOptions(cpu ? "cpu" : "cuda:0", at::get_num_threads());
}

} // namespace

struct ClippedStep::Part {
    at::Tensor inputs; // [rows, T]
    at::Tensor labels;
    std::vector<std::int64_t> counted; // labels of each row
    std::int64_t step = 0;
    std::string prefix;   // of snapshots
    bool padding = false; // the other ranks still have rows, this one has none
    bool ragged = false;  // as the batch's `padded`
};

ClippedStep::ClippedStep(const Experiment& experiment, Model& model, const ForwardOptions& options, Ledger& ledger,
                         Snapshot snapshot, ParameterShards* shards)
    : m_experiment(experiment), m_model(model), m_options(options), m_ledger(ledger), m_snapshot(std::move(snapshot)),
      m_shards(shards), m_plan(clippingPlanOfRank(experiment, machineOf(model), shards ? shards->ranks() : 1))
{
    m_options.logits = &m_logits;
    if (m_shards)
        m_shards->holdGradients(true); // they are summed over ranks once their rows are weighed
}

std::vector<double> ClippedStep::weightsOf(const std::vector<double>& norms) const
{
    const TrainingOptions& training = m_experiment.training;
    std::vector<double> weights;
    for (const double norm : norms)
        weights.push_back(std::min(1.0, training.maxGradNorm / (norm * (1 + training.normSafety) + kNormGuard)));
    return weights;
}

// Rows begin … of the batch; past its end one row without labels, whose gradient is zero.
ClippedStep::Part ClippedStep::partOf(const Batch& batch, std::int64_t begin, std::int64_t number) const
{
    Part part;
    part.step = number;
    part.ragged = batch.padded;
    part.prefix = "step_" + std::to_string(number);
    const std::int64_t count = std::min(m_plan.rowsPerPass, batch.inputs.size(0) - begin);
    if (count <= 0) {
        part.labels = at::full({1, batch.inputs.size(1)}, kIgnoredLabel, batch.labels.options());
        part.inputs = at::zeros_like(part.labels);
        part.counted = {0};
        part.padding = true;
        return part;
    }
    part.inputs = batch.inputs.narrow(0, begin, count);
    part.labels = batch.labels.narrow(0, begin, count);
    const at::Tensor counts = part.labels.ne(kIgnoredLabel).sum(1).cpu();
    part.counted.assign(counts.data_ptr<std::int64_t>(), counts.data_ptr<std::int64_t>() + count);
    return part;
}

ClippedGradients ClippedStep::run(const Batch& batch, std::int64_t number)
{
    ClippedGradients result;
    const std::int64_t passes = m_shards ? passesOfStep(batch.rowsOfStep, m_plan.rowsPerPass, m_shards->ranks())
                                         : passesOfStep(batch.inputs.size(0), m_plan.rowsPerPass, 1);
    for (std::int64_t i = 0; i < passes; ++i)
        runPart(partOf(batch, i * m_plan.rowsPerPass, number), result);
    handOverSums();
    if (m_shards) {
        m_shards->finishStep();
        result.loss = m_shards->sum(result.loss);
        result.norms = m_shards->ofAllRows(result.norms, batch.rowsOfStep);
    }
    if (batch.countedLabels > 0)
        result.loss /= static_cast<double>(batch.countedLabels);
    m_ledger.setPhase(Phase::OptimizerStep, number);
    addStepNoise(number);
    return result;
}

void ClippedStep::runPart(const Part& part, ClippedGradients& result)
{
    const std::size_t rows = result.norms.size();
    if (m_plan.microbatch)
        runMicrobatch(part, result);
    else
        runRows(part, result);
    if (part.padding)
        result.norms.resize(rows);
    if (m_shards)
        m_shards->finishPass();
}

void ClippedStep::addStepNoise(std::int64_t number)
{
    NoiseOptions noise;
    noise.deviation = m_experiment.training.noiseMultiplier * m_experiment.training.maxGradNorm;
    noise.expectedBatch = static_cast<double>(expectedRows(m_experiment));
    noise.seed = mixed(m_experiment.seed, static_cast<std::uint64_t>(number));
    if (!m_shards || !m_shards->shardsGradients()) {
        addNoise(m_model.parameters(), noise); // the same draw on every rank
        return;
    }
    const at::NoGradGuard guard;
    m_shards->fillGradients();
    drawNoise(m_model.parameters(), noise, [this](const Parameter& parameter, std::int64_t first, const at::Tensor& x) {
        m_shards->addToGradient(parameter, first, x);
    });
    for (Parameter& shard : m_shards->optimised())
        shard.tensor.mutable_grad().div_(noise.expectedBatch);
}

Batch ClippedStep::batch(const TrainingData& data, std::int64_t number) const
{
    if (!m_experiment.training.privacy.poisson)
        return data.batch(number);
    // Another stream than the noise's, or which rows are taken would tell of it.
    constexpr std::uint64_t kSampling = 0x5851F42D4C957F2Du;
    return data.poissonBatch(privacyRun(m_experiment, data.rows(), 1).samplingRate,
                             mixed(m_experiment.seed ^ kSampling, static_cast<std::uint64_t>(number)));
}

// Each row's mean loss [rows], or for `sampled` false the only row's as a scalar.
at::Tensor ClippedStep::forward(const Part& part, bool sampled)
{
    m_ledger.setPhase(Phase::Forward, part.step);
    at::Tensor losses;
    {
        const ForwardScope scope(m_ledger);
        const AutocastScope autocast(m_experiment.training.amp, part.inputs.device());
        const at::Tensor hidden = m_model.hidden(part.inputs, m_options, part.ragged ? part.labels : at::Tensor());
        if (sampled) {
            const ModuleScope module(m_model.headModule());
            losses =
                sampleLosses(hidden, m_model.headWeight(), part.labels, m_options.lossHead, m_model.config().logitCap,
                             m_options.lossHead == LossHead::Naive ? m_options.logits : nullptr);
        } else {
            losses = m_model.loss(hidden, part.labels, m_options, std::max<std::int64_t>(part.counted.front(), 1));
        }
    }
    m_snapshot(part.prefix + "_after_forward");
    return losses;
}

void ClippedStep::runRows(const Part& part, ClippedGradients& result)
{
    SampleTape tape(m_model, m_plan, m_experiment.training.normPrecision == NormPrecision::Tf32);
    tape.begin(part.inputs);
    at::Tensor losses = forward(part, true);
    const at::Tensor values = losses.detach().to(at::kDouble).cpu();
    for (std::size_t i = 0; i < part.counted.size(); ++i)
        result.loss += values.data_ptr<double>()[i] * static_cast<double>(part.counted[i]);

    const bool twoPasses = tape.needsSecondPass();
    m_ledger.setPhase(twoPasses ? Phase::Norms : Phase::Backward, part.step);
    losses.backward(at::ones_like(losses), /*retain_graph=*/twoPasses);
    m_snapshot(part.prefix + (twoPasses ? "_after_norm_pass" : "_after_backward"));
    m_ledger.setPhase(Phase::Norms, part.step);
    const std::vector<double> norms = tape.norms();
    const std::vector<double> weights = weightsOf(norms);
    result.norms.insert(result.norms.end(), norms.begin(), norms.end());
    tape.finish(weights);
    if (twoPasses) {
        m_ledger.setPhase(Phase::Backward, part.step);
        tape.setPass(SampleTape::Pass::Weighted);
        watchGradients(losses);
        losses.backward(at::tensor(weights, at::TensorOptions(at::kDouble)).to(losses.options()));
    }
    losses.reset();
    m_logits.reset();
    for (const Parameter& parameter : m_model.parameters()) {
        if (twoPasses && parameter.tensor.requires_grad() && tape.wantsGradient(parameter.tensor))
            tagStorage(parameter.tensor.grad(), Component::Gradients, parameter.module);
    }
    m_snapshot(part.prefix + (twoPasses ? "_after_backward" : "_after_norms"));
}

void ClippedStep::runMicrobatch(const Part& part, ClippedGradients& result)
{
    std::vector<Parameter>& parameters = m_model.parameters();
    at::Tensor loss = forward(part, false);
    result.loss += loss.item<double>() * static_cast<double>(part.counted.front());
    m_ledger.setPhase(Phase::Backward, part.step);
    watchGradients(loss);
    loss.backward();
    loss.reset();
    m_logits.reset();
    for (const Parameter& parameter : parameters)
        tagStorage(parameter.tensor.grad(), Component::PerSampleGradients, parameter.module);
    m_snapshot(part.prefix + "_after_backward");

    m_ledger.setPhase(Phase::Norms, part.step);
    const double norm = gradientNorm(parameters);
    result.norms.push_back(norm);
    const double weight = weightsOf({norm}).front();
    m_sums.resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        at::Tensor gradient = std::move(parameters[i].tensor.mutable_grad());
        parameters[i].tensor.mutable_grad().reset();
        if (gradient.defined())
            addWeighted(m_sums[i], std::move(gradient), weight, parameters[i].module);
    }
    m_snapshot(part.prefix + "_after_norms");
}

void ClippedStep::handOverSums()
{
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        const at::Tensor sum = std::move(m_sums[i]);
        if (!sum.defined())
            continue;
        Parameter& parameter = m_model.parameters()[i];
        const at::Tensor gradient = sum.to(parameter.tensor.scalar_type());
        if (!gradient.is_same(sum))
            tagStorage(gradient, Component::Gradients, parameter.module);
        parameter.tensor.mutable_grad() = gradient;
    }
    m_sums.clear();
}

} // namespace peakscope
