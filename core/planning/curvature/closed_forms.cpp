// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/closed_forms.h"

#include "core/allocator/allocator_settings.h"
#include "core/model/family.h"
#include "core/model/work_pieces.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/simulation/simulate_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

// What chunked attention may hold of scores in backward: two blocks of its chunk, and seven tensors of its inputs',
// outputs' and their gradients' size in the kernel's layout.
constexpr std::int64_t kAttentionBlocks = 2 * kAttentionChunkBytes;
constexpr std::int64_t kAttentionCopies = 7;

std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return value > kMostFormBytes - unit ? value : (value + unit - 1) / unit * unit;
}

// Attention's backward: the residual stream's gradient and the output's, with those of q, k and v, or (math) with the
// scores' gradient twice; chunked, its workspace too.
std::int64_t attentionFlow(const FormContext& c, bool fused)
{
    const ModelConfig& config = c.experiment->model.config;
    const std::int64_t positions = c.rows * c.tokens * c.activationBytes;
    const std::int64_t queries = positions * config.heads * config.headDim;
    const std::int64_t keys = positions * config.kvHeads * config.headDim;
    const std::int64_t scores = 2 * c.rows * config.heads * c.tokens * c.tokens * c.wideBytes;
    const AttentionKind kind = c.experiment->training.attention;
    if (kind == AttentionKind::Math) {
        return c.unit + queries + scores;
    }
    const std::int64_t flowing = c.unit + 2 * queries + 2 * keys;
    const bool chunked = kind == AttentionKind::Chunked || (kind == AttentionKind::Auto && !fused);
    return flowing + (chunked ? std::min(scores, kAttentionBlocks) + kAttentionCopies * queries : 0);
}

void takeSizes(FormContext& c)
{
    const Experiment& e = *c.experiment;
    const ModelConfig& config = e.model.config;
    c.rows = std::min(e.data.batch, e.data.maxPhysicalBatch);
    c.tokens = rowPositions(e);
    c.parameterBytes = bytesPerElement(e.dtype);
    c.activationBytes = e.training.amp == Amp::None ? c.parameterBytes : std::min<std::int64_t>(2, c.parameterBytes);
    c.wideBytes = std::max<std::int64_t>(4, c.parameterBytes);
    if (e.training.lossHead != LossHead::Chunked) {
        c.logits = c.rows * c.tokens * config.vocab * c.activationBytes;
        c.wideLogits = c.rows * c.tokens * config.vocab * c.wideBytes;
        c.savedLogits = c.wideLogits + (e.training.lossHead == LossHead::Naive ? c.logits : 0);
        if (config.logitCap > 0) // the tangent
            c.savedLogits += c.logits;
    }
    c.unit = c.rows * c.tokens * config.hidden * c.activationBytes;
    c.blockForward = c.rows * c.tokens * (4 * config.hidden + 2 * config.ffn) * c.activationBytes;
}

// Splits the simulated phases into what stays through the step and what the graph keeps.
void takeApart(FormContext& c, bool fused)
{
    const FormMoment forward = c.simulated(Phase::Forward);
    const FormMoment backward = c.simulated(Phase::Backward);
    c.resident = backward.total() > 0 ? backward : forward;
    c.resident.logitsBytes = 0;
    c.resident.simulated = false;
    for (const Component passing : {Component::Activations, Component::ActivationGradients, Component::Workspace,
                                    Component::Gradients, Component::Other}) {
        c.resident[passing] = 0;
    }
    const std::int64_t kept = std::max({forward[Component::Activations], backward[Component::Activations],
                                        c.base.maxComponents[static_cast<std::size_t>(Component::Activations)]});
    c.activations = std::max<std::int64_t>(0, kept - c.savedLogits);
    // Into the activation function and out of it, beside the residual stream; a gate has one branch more.
    const ModelConfig& config = c.experiment->model.config;
    const std::int64_t branch = c.rows * c.tokens * config.ffn * c.activationBytes;
    const std::int64_t branches = describe(config.family).gated ? 3 : 2;
    c.transient = std::max(c.unit + branches * branch, attentionFlow(c, fused));
    // Where the loss head makes the peak, two tensors of logits flow; in a layer the simulation knows what does.
    const std::int64_t flowing = backward[Component::ActivationGradients] + backward[Component::Workspace];
    if (c.wideLogits == 0 || flowing < 2 * c.wideLogits) {
        c.transient = std::max(c.transient, flowing);
    }
}

void addPhase(MemoryEstimate& estimate, const FormMoment& moment, std::int64_t total)
{
    const auto phase = std::find_if(estimate.phases.begin(), estimate.phases.end(),
                                    [&moment](const PhaseEstimate& known) { return known.phase == moment.phase; });
    if (phase == estimate.phases.end()) {
        estimate.phases.push_back({moment.phase, total, moment.bytes});
    } else if (total > phase->peakBytes) {
        *phase = {moment.phase, total, moment.bytes};
    }
}

// Without the logits the highest moment would be another one.
bool logitsDecide(const std::vector<FormMoment>& moments, const FormMoment& peak)
{
    return peak.logitsBytes > 0 && std::any_of(moments.begin(), moments.end(), [&peak](const FormMoment& moment) {
               return moment.total() - moment.logitsBytes > peak.total() - peak.logitsBytes;
           });
}

std::string closedFormNote(const Experiment& experiment)
{
    std::string what(name(experiment.kind));
    if (experiment.training.sharding != Sharding::None) {
        what += fmt::format(" with {}", name(experiment.training.sharding));
    }
    return fmt::format("The part of {} is a closed form, not yet proved by measurement (docs/estimates.md).", what);
}

void shardModules(MemoryEstimate& estimate, Sharding stage, std::int64_t devices)
{
    for (ModuleEstimate& module : estimate.modules) {
        const std::int64_t before = module.parameterBytes + module.gradientBytes;
        if (stage == Sharding::Zero3) {
            module.parameterBytes = (module.parameterBytes + devices - 1) / devices;
        }
        if (stage == Sharding::Zero2 || stage == Sharding::Zero3) {
            module.gradientBytes = (module.gradientBytes + devices - 1) / devices;
        }
        module.peakBytes -= before - module.parameterBytes - module.gradientBytes;
    }
}

// data.batch is this rank's rows; options.devices are the ranks.
Result<MemoryEstimate> estimateOfRank(const Experiment& experiment, const EstimateOptions& options)
{
    auto estimate = experiment.kind == ExperimentKind::Prm ? estimatePrm(experiment, options)
                                                           : estimateCurvature(experiment, options);
    if (estimate) {
        if (!estimate->verified) {
            estimate->notes.push_back(closedFormNote(experiment));
        }
        shardModules(*estimate, experiment.training.sharding, options.devices);
    }
    return estimate;
}

} // namespace

std::int64_t FormMoment::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}, cappedSum);
}

FormMoment FormContext::simulated(Phase phase) const
{
    FormMoment moment;
    moment.phase = phase;
    for (const PhaseEstimate& known : base.phases) {
        if (known.phase == phase) {
            moment.bytes = known.components;
            moment.simulated = true;
            moment.logitsBytes = phase == base.peakPhase ? base.logitsBytes : 0;
        }
    }
    return moment;
}

FormMoment FormContext::withGraph(Phase phase, std::string what) const
{
    FormMoment moment = resident;
    moment.phase = phase;
    moment.what = std::move(what);
    moment[Component::Activations] = activations + savedLogits;
    moment.logitsBytes = savedLogits;
    return moment;
}

Experiment lightCopy(const Experiment& experiment)
{
    Experiment copy;
    copy.kind = ExperimentKind::Memory;
    copy.model = experiment.model;
    copy.seed = experiment.seed;
    copy.device = experiment.device;
    copy.threads = experiment.threads;
    copy.dtype = experiment.dtype;
    copy.data = experiment.data;
    if (experiment.kind == ExperimentKind::Prm && copy.data.source == DataSource::Tokens)
        ++copy.data.seq; // rowPositions() of a memory run are one less
    copy.training = experiment.training;
    copy.training.clipping = Clipping::None;
    copy.training.sharding = Sharding::None;
    copy.budgetBytes = experiment.budgetBytes;
    copy.cudaAllocator = experiment.cudaAllocator;
    return copy;
}

Result<FormContext> makeFormContext(const Experiment& experiment, const EstimateOptions& options)
{
    FormContext context;
    context.experiment = &experiment;
    context.cuda = options.cuda;
    auto parts = formParts(experiment.model.config, experiment.training.lora);
    if (!parts) {
        return parts.error();
    }
    context.parts = std::move(*parts);
    EstimateOptions one = options;
    one.devices = 1;
    one.wholeRun = false;           // nothing is updated, and the forms count requests
    one.modules = !options.derived; // without them the simulation knows the composition of the highest phase only
    auto base = simulateTraining(experiment, one);
    if (!base) {
        return base.error();
    }
    context.base = std::move(*base);
    if (!options.modules) {
        context.base.modules.clear();
    }
    takeSizes(context);
    const bool masked = !describe(experiment.model.config.family).causal && padsRows(experiment);
    takeApart(context, options.fusedAttention && !masked && experiment.model.config.scoreCap == 0);
    return context;
}

MemoryEstimate estimateOfMoments(const FormContext& context, const std::vector<FormMoment>& moments,
                                 std::vector<std::string> notes)
{
    MemoryEstimate estimate;
    estimate.modules = context.base.modules;
    estimate.notes = context.base.notes;
    const FormMoment* peak = nullptr;
    for (const FormMoment& moment : moments) {
        const std::int64_t total = moment.total();
        addPhase(estimate, moment, total);
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            estimate.maxComponents[i] = std::max(estimate.maxComponents[i], moment.bytes[i]);
        }
        if (peak == nullptr || total > estimate.peakBytes) {
            peak = &moment;
            estimate.peakBytes = total;
        }
    }
    // What passes by between the moments has its maximum in the simulation.
    for (const Component passing : {Component::ActivationGradients, Component::Workspace, Component::Inputs}) {
        const auto i = static_cast<std::size_t>(passing);
        estimate.maxComponents[i] = std::max(estimate.maxComponents[i], context.base.maxComponents[i]);
    }
    if (peak != nullptr) {
        estimate.components = peak->bytes;
        estimate.peakPhase = peak->phase;
        estimate.logitsBytes = peak->logitsBytes;
        estimate.logitsMakePeak = peak->simulated ? context.base.logitsMakePeak && peak->phase == context.base.peakPhase
                                                  : logitsDecide(moments, *peak);
        if (peak->simulated && peak->phase == context.base.peakPhase) {
            estimate.peakModule = context.base.peakModule;
        }
        if (!peak->what.empty()) {
            notes.push_back(fmt::format("The peak is that of {}.", peak->what));
        }
    }
    estimate.peakReservedBytes = estimate.peakBytes;
    if (context.cuda) {
        // The holes between blocks are those of the simulated step, in proportion where the step is smaller.
        const double share = std::min(1.0, static_cast<double>(estimate.peakBytes) /
                                               static_cast<double>(std::max<std::int64_t>(1, context.base.peakBytes)));
        const std::int64_t holes = std::max<std::int64_t>(0, context.base.peakReservedBytes - context.base.peakBytes);
        const auto kept = static_cast<std::int64_t>(share * static_cast<double>(holes));
        estimate.peakReservedBytes = roundUp(cappedSum(estimate.peakBytes, kept), kCudaRoundLarge);
    }
    estimate.verified = false;
    estimate.notes.insert(estimate.notes.end(), notes.begin(), notes.end());
    return estimate;
}

Result<MemoryEstimate> estimateClosedForm(const Experiment& experiment, const EstimateOptions& options)
{
    if (options.devices < 1) {
        return badInput("devices", fmt::format("{} is below 1", options.devices));
    }
    const std::int64_t ranks = ranksOf(experiment, options);
    if (ranks == 1) {
        return estimateOfRank(experiment, options);
    }
    Experiment own = experiment; // with the most rows that a rank has
    own.ranks = 0;
    own.data.batch = rowsOfRank(experiment, options);
    own.data.maxPhysicalBatch = std::min(own.data.maxPhysicalBatch, own.data.batch);
    EstimateOptions each = options;
    each.devices = ranks;
    auto estimate = estimateOfRank(own, each);
    if (estimate) {
        estimate->notes.push_back(ranksNote(experiment, ranks));
    }
    return estimate;
}

} // namespace peakscope
