// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/trainer.h"

#include "core/engine/cuda/cuda_support.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/model/autocast_scope.h"
#include "core/engine/model/forward_scope.h"
#include "core/engine/model/gradient_norm.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/model/finite_values.h"
#include "core/engine/model/router_balance.h"
#include "core/engine/device/load_meter.h"
#include "core/engine/cuda/step_timer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace peakscope {

Trainer::Trainer(const Experiment& experiment, Model& model, const TrainingData& data, Ledger& ledger, EventSink& sink,
                 TrainingRecord& record, ParameterShards* shards)
    : m_experiment(experiment), m_model(model), m_data(data), m_ledger(ledger), m_sink(sink), m_record(record),
      m_shards(shards)
{
    m_device = model.parameters().front().tensor.device();
    m_options.attention = experiment.training.attention;
    m_options.lossHead = experiment.training.lossHead;
    m_options.checkpointing = experiment.training.checkpointing;
    record.experts = ExpertRecord(experiment.data.routing);
    m_options.experts = &record.experts;
    m_ledger.setPhase(Phase::OptimizerSetup, -1);
    m_optimizer = std::make_unique<Optimizer>(experiment.training, optimised(), experiment.seed);
    m_inBackward = experiment.training.implementation == Implementation::InBackward;
    if (m_inBackward)
        m_optimizer->stepInBackward();
    if (experiment.training.clipping != Clipping::None) {
        m_clipped = std::make_unique<ClippedStep>(
            experiment, model, m_options, ledger, [this](const std::string& name) { snapshot(name); }, shards);
        record.notes = m_clipped->plan().notes;
        if (experiment.training.noiseMultiplier > 0 && !experiment.training.privacy.poisson)
            record.notes.push_back("privacy: epsilon is that of Poisson batches; these take the rows in order "
                                   "(training.privacy.poisson is false)");
        if (experiment.training.normPrecision == NormPrecision::Tf32)
            record.notes.push_back("privacy: norms are made of products in TF32; that no row adds more than "
                                   "max_grad_norm rests on training.norm_safety");
        if (experiment.training.noiseMultiplier > 0)
            record.notes.push_back("privacy: the noise comes from a seeded generator, fit for measuring, not for "
                                   "releasing a model");
    }
    snapshot("optimizer_created");
}

void Trainer::snapshot(const std::string& name)
{
    Snapshot snapshot;
    snapshot.name = name;
    snapshot.phase = m_ledger.phase();
    snapshot.step = m_currentStep;
    snapshot.timeSeconds = static_cast<double>(m_ledger.nanosecondsNow()) * 1e-9;
    snapshot.allocatedBytes = snapshot.reservedBytes = m_ledger.liveBytes();
    if (m_device.is_cuda()) {
        if (const auto statistics = cudaStatistics(m_device.index())) {
            snapshot.reservedBytes = statistics->reservedBytes;
            if (!m_experiment.traced)
                snapshot.allocatedBytes = statistics->allocatedBytes;
        }
    }
    m_record.snapshots.push_back(snapshot);
    // Where a step holds most, but for what its backward adds: the last one's view of the allocator is kept.
    if (m_device.is_cuda() && m_experiment.traced && name.ends_with("_after_forward"))
        keepCudaSegments(m_device.index());
    m_sink.send(SnapshotEvent{snapshot});
}

Status Trainer::run()
{
    const std::int64_t total = m_experiment.training.warmupSteps + m_experiment.training.steps;
    LoadCounters start;
    for (std::int64_t number = 0; number < total; ++number) {
        if (number == m_experiment.training.warmupSteps)
            start = loadCounters();
        if (m_ledger.stopRequested())
            return Error{ErrorCode::Interrupted, "cancelled before step " + std::to_string(number), ""};
        if (Status status = step(number); !status)
            return status;
        accountPrivacy(number + 1);
        reportProgress(number + 1);
    }
    noteLoad(start);
    return Done{};
}

// Of a CUDA device the counters say nothing: its own clock times the steps, and what other programs do there is not
// counted. Of several ranks each would take the others for other programs.
void Trainer::noteLoad(const LoadCounters& start)
{
    if (!m_device.is_cuda() && m_data.ranks() == 1 && !m_record.stepSeconds.empty())
        m_record.load = roundBetween(start, loadCounters());
}

Status Trainer::step(std::int64_t number)
{
    const std::int64_t warmup = m_experiment.training.warmupSteps;
    const bool last = number + 1 == warmup + m_experiment.training.steps;
    m_currentStep = number;
    OperatorTracer::instance().beginStep();
    StepTimer timer(m_device.is_cuda() ? m_device.index() : -1);
    std::vector<CollectiveTotals> before = m_shards ? m_shards->totals() : std::vector<CollectiveTotals>();

    m_ledger.setPhase(Phase::Data, number);
    const Batch batch = m_clipped ? m_clipped->batch(m_data, number) : m_data.batch(number);
    for (std::vector<Parameter>* parameters : {&m_model.parameters(), &optimised()}) {
        for (Parameter& parameter : *parameters)
            parameter.tensor.mutable_grad().reset();
    }

    const double loss = gradients(batch, number);
    if (batch.rowsOfStep > 0)
        m_record.losses.push_back(loss);
    else
        noteEmptyStep(number, last);
    if (!std::isfinite(loss)) {
        // Within backward the first update has been made by now, of gradients that are not finite either.
        const std::vector<Parameter> none;
        const std::string cause = number > 0 ? ": a smaller training.lr or a wider dtype may help"
                                             : causeBeforeUpdates(m_inBackward ? none : m_model.parameters());
        return failed("", nonFiniteLoss(loss) + " at step " + std::to_string(number) + cause);
    }

    double normSeconds = 0;
    if (last && !m_inBackward) { // else the gradients are gone
        if (m_device.is_cuda())
            synchronizeCuda(m_device.index()); // what is under way counts
        if (m_shards)
            addSince(m_record.communication, before, m_shards->totals());
        StepTimer normTimer(m_device.is_cuda() ? m_device.index() : -1);
        m_ledger.setPhase(Phase::Norms, number);
        m_record.gradientNorm = m_shards ? m_shards->gradientNorm() : gradientNorm(m_model.parameters());
        m_record.hasGradientNorm = true;
        normSeconds = normTimer.seconds();
        if (m_shards)
            before = m_shards->totals();
    }

    m_ledger.setPhase(Phase::OptimizerStep, number);
    if (!m_inBackward)
        m_optimizer->step();
    if (m_shards)
        m_shards->spreadParameters();
    snapshot("step_" + std::to_string(number) + "_after_step");

    const double seconds = timer.seconds() - normSeconds; // the norm is ours, not the training's
    if (m_shards && number >= warmup)
        addSince(m_record.communication, before, m_shards->totals());
    (number < warmup ? m_record.warmupSeconds : m_record.stepSeconds).push_back(seconds);
    return Done{};
}

// One note for all of them: a low sampling rate makes thousands.
void Trainer::noteEmptyStep(std::int64_t number, bool last)
{
    ++m_emptySteps;
    std::string text = m_emptySteps == 1
                           ? "step " + std::to_string(number) + " drew no rows: its update is noise alone"
                           : std::to_string(m_emptySteps) + " steps drew no rows (the last of them step " +
                                 std::to_string(number) + "): their updates are noise alone";
    if (last && !m_record.losses.empty())
        text += ". The loss is that of the last step with rows, the gradient norm that of the noise";
    if (m_emptySteps == 1) {
        m_emptyNote = m_record.notes.size();
        m_record.notes.emplace_back();
    }
    m_record.notes[m_emptyNote] = text;
}

void Trainer::accountPrivacy(std::int64_t stepsTaken)
{
    const TrainingOptions& training = m_experiment.training;
    if (!m_clipped || training.noiseMultiplier == 0)
        return;
    const auto cost = privacyCost(m_experiment, m_data.rows(), stepsTaken);
    if (cost)
        m_record.privacy = *cost;
    if (stepsTaken < training.warmupSteps + training.steps)
        return;
    const std::string note = cost ? privacyNote(*cost) : "no epsilon: " + cost.error().text();
    if (!note.empty())
        m_record.notes.push_back("privacy: " + note);
}

double Trainer::gradients(const Batch& batch, std::int64_t number)
{
    if (!m_clipped)
        return forwardBackward(batch, number);
    ClippedGradients clipped = m_clipped->run(batch, number);
    m_record.sampleNorms = std::move(clipped.norms);
    return clipped.loss;
}

double Trainer::forwardBackward(const Batch& batch, std::int64_t number)
{
    const std::int64_t rows = batch.inputs.size(0);
    const std::int64_t physical = m_experiment.data.maxPhysicalBatch;
    const std::int64_t passes = passesOfStep(batch.rowsOfStep, physical, m_data.ranks());
    double total = 0;
    for (std::int64_t i = 0; i < passes; ++i) {
        const std::int64_t begin = std::min(i * physical, rows);
        const std::int64_t count = std::min(physical, rows - begin);
        if (count > 0) {
            total +=
                pass(batch.inputs.narrow(0, begin, count), batch.labels.narrow(0, begin, count), batch.countedLabels,
                     static_cast<double>(count) / static_cast<double>(batch.rowsOfStep), number);
        } else { // the other ranks wait for this one in every pass: a row without labels adds nothing
            const at::Tensor labels = at::full({1, batch.inputs.size(1)}, kIgnoredLabel, batch.labels.options());
            total += pass(at::zeros_like(labels), labels, batch.countedLabels, 0, number);
        }
    }
    if (!m_shards)
        return total;
    m_shards->finishStep();
    return m_shards->sum(total);
}

double Trainer::pass(const at::Tensor& inputs, const at::Tensor& labels, std::int64_t counted, double share,
                     std::int64_t number)
{
    const std::string prefix = "step_" + std::to_string(number);
    m_ledger.setPhase(Phase::Forward, number);
    at::Tensor loss;
    // A script that asks for the logits holds them until its step is over; the naive head is that script.
    at::Tensor logits;
    m_options.logits = &logits;
    // Each pass has its own routers' loss, which weighs as much as its tokens' losses do.
    c10::intrusive_ptr<RouterBalance> balance;
    if (const double coefficient = m_model.config().routerLoss; coefficient > 0) {
        if (m_data.isPadded() && share > 0)
            share = static_cast<double>(countedLabels(labels)) / static_cast<double>(counted);
        balance = c10::make_intrusive<RouterBalance>(coefficient * share);
    }
    m_options.balance = balance.get();
    {
        const ForwardScope scope(m_ledger);
        const AutocastScope autocast(m_experiment.training.amp, inputs.device());
        const at::Tensor hidden = m_model.hidden(inputs, m_options, m_data.isPadded() ? labels : at::Tensor());
        loss = m_model.loss(hidden, labels, m_options, counted);
        if (balance && balance->loss().defined())
            loss = loss + balance->loss();
    }
    snapshot(prefix + "_after_forward");
    const double value = loss.item<double>();

    m_ledger.setPhase(Phase::Backward, number);
    watchGradients(loss);
    loss.backward();
    loss.reset();
    logits.reset();
    if (m_shards)
        m_shards->finishPass();
    for (const Parameter& parameter : m_model.parameters())
        tagStorage(parameter.tensor.grad(), Component::Gradients, parameter.module);
    snapshot(prefix + "_after_backward");
    return value;
}

void Trainer::reportProgress(std::int64_t finished)
{
    const std::int64_t total = m_experiment.training.warmupSteps + m_experiment.training.steps;
    double spent = 0;
    for (const double seconds : m_record.warmupSeconds)
        spent += seconds;
    for (const double seconds : m_record.stepSeconds)
        spent += seconds;
    ProgressEvent progress;
    progress.fraction = static_cast<double>(finished) / static_cast<double>(total);
    progress.remainingSeconds = spent / static_cast<double>(finished) * static_cast<double>(total - finished);
    progress.message = "step " + std::to_string(finished) + " of " + std::to_string(total);
    m_sink.send(progress);
}

} // namespace peakscope
