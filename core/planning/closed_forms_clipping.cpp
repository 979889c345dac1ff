// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Per-sample clipping where it is sharded (a step on one device is simulated): Goodfellow 2015 and Li et al. 2022
// (ghost norms), Bu et al. 2023 (book-keeping), and explicit per-sample gradients (Abadi et al. 2016). b rows of one
// forward pass, T tokens, a layer's A [b, T, in], G [b, T, out].
#include "core/planning/clipping_plan.h"
#include "core/planning/closed_forms.h"
#include "core/planning/simulation/caching_allocator.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

// A plan that holds per-sample gradients may raise the two-pass peak by this share, the price `auto` pays for the time.
constexpr double kAutoTolerance = 1.01;

// A Gᵀ and G Gᵀ of one layer, both [b, T, T]; freed before the next layer.
std::int64_t gramBytes(const FormContext& c)
{
    const bool any = !c.parts.linears.empty() || c.parts.trainsHead;
    return any ? 2 * c.rows * c.tokens * c.tokens * c.wideBytes : 0;
}

std::int64_t tileBytes(const FormContext& c)
{
    const std::int64_t side = normTileSide(false);
    std::int64_t most = 0;
    for (const FormLinear& linear : c.parts.linears) {
        most = std::max(most, std::min(linear.in, side) * std::min(linear.out, side));
    }
    if (c.parts.trainsHead) {
        most = std::max(most, std::min(c.parts.headIn, side) * std::min(c.parts.vocab, side));
    }
    return most * c.wideBytes;
}

bool usesGram(Clipping method)
{
    return method == Clipping::Ghost || method == Clipping::GhostBk;
}

std::int64_t normWorkspace(const FormContext& c, Clipping method)
{
    return usesGram(method) ? gramBytes(c) : tileBytes(c);
}

// Book-keeping keeps A and G of every trained linear layer; projections of one x share its A.
std::int64_t keptInputs(const FormContext& c)
{
    std::int64_t width = c.parts.trainsHead ? c.parts.headIn : 0;
    for (const FormLinear& linear : c.parts.linears) {
        width += linear.sharesInput ? 0 : linear.count * linear.in;
    }
    return c.rows * c.tokens * width * c.activationBytes;
}

std::int64_t keptGradients(const FormContext& c)
{
    // The token's and the position's gradient are one tensor where the tables are equally wide.
    const ModelConfig& config = c.experiment->model.config;
    const std::int64_t lookup = std::min(
        c.parts.lookupWidth, config.embedDim == config.hidden ? config.hidden : config.embedDim + config.hidden);
    std::int64_t width = lookup + (c.parts.trainsHead ? c.parts.vocab : 0);
    for (const FormLinear& linear : c.parts.linears) {
        width += linear.count * linear.out;
    }
    return c.rows * c.tokens * width * c.activationBytes;
}

// Per-sample gradients of everything: dense ones, and of look-up tables the rows' gradients only, never [b, V, d].
std::int64_t heldBytes(const FormContext& c)
{
    return c.rows * (c.parts.denseTrained * c.parameterBytes + c.tokens * c.parts.lookupWidth * c.activationBytes);
}

// Norms of each sample and tensor, on CUDA with what the allocator rounds up to.
void addNorms(const FormContext& c, FormMoment& moment)
{
    const std::int64_t each = c.rows * c.wideBytes;
    moment[Component::NormSamples] += c.parts.trainedTensors * each;
    if (c.cuda) {
        moment[Component::Rounding] += c.parts.trainedTensors * ((kCudaGranule - each % kCudaGranule) % kCudaGranule);
    }
}

// The gradients that flow into the head's input while its norm is taken; nothing where the head is chunked.
FormMoment headNorm(const FormContext& c, Clipping method)
{
    FormMoment moment = c.withGraph(Phase::Norms, "the norm pass at the head");
    moment[Component::ActivationGradients] = c.logits + c.rows * c.tokens * c.parts.headIn * c.activationBytes;
    moment[Component::TempMatrices] = c.parts.trainsHead ? normWorkspace(c, method) : 0;
    moment.logitsBytes += c.logits;
    return moment;
}

// Two passes over one graph: the first without weight gradients, so that it adds the norm's workspace only, while the
// graph and the saved logits wait for the second.
void addTwoPass(const FormContext& c, Clipping method, std::vector<FormMoment>& moments)
{
    FormMoment norm = c.withGraph(Phase::Norms, "the norm pass");
    FormMoment flow = norm;
    norm[Component::ActivationGradients] = c.normFlow;
    norm[Component::TempMatrices] = normWorkspace(c, method);
    flow[Component::ActivationGradients] = c.transient;
    moments.push_back(headNorm(c, method));
    moments.push_back(std::move(norm));
    moments.push_back(std::move(flow));
    moments.push_back(c.simulated(Phase::Backward));
}

// One pass that keeps A and G to its end, then one weighted product a layer.
void addBookKeeping(const FormContext& c, Clipping method, std::vector<FormMoment>& moments)
{
    const std::int64_t kept = keptInputs(c) + keptGradients(c);
    FormMoment head = headNorm(c, method);
    // The logits' gradient is kept: it belongs to clipping, not to what flows.
    head[Component::ActivationGradients] -= c.logits;
    head[Component::ActivationHooks] = c.logits;
    // Of what flows through the lowest layer most is kept; the residual stream's own gradient is not.
    FormMoment end = c.resident;
    end.phase = Phase::Norms;
    end.what = "the end of the norm pass, with inputs and gradients of all layers kept";
    end[Component::ActivationHooks] = kept;
    end[Component::Activations] = c.heldLogits;
    end[Component::ActivationGradients] = c.unit;
    end[Component::TempMatrices] = normWorkspace(c, method);
    FormMoment lowest = end;
    lowest[Component::TempMatrices] = 0;
    lowest[Component::ActivationGradients] = c.attentionFlow;
    FormMoment weighted = c.resident;
    weighted.phase = Phase::Backward;
    weighted.what = "the first weighted product, with inputs and gradients of all layers kept";
    weighted[Component::ActivationHooks] = kept;
    weighted[Component::Activations] = c.heldLogits;
    weighted[Component::Gradients] = c.largestBytes();
    FormMoment loss = c.simulated(Phase::Backward); // the loss head is that of any backward
    loss.phase = Phase::Norms;
    moments.insert(moments.end(),
                   {std::move(head), std::move(end), std::move(lowest), std::move(weighted), std::move(loss)});
}

// Every sample's gradients held to the end of backward, then summed with their weights, a tensor at a time.
void addHeld(const FormContext& c, std::vector<FormMoment>& moments)
{
    FormMoment loss = c.simulated(Phase::Backward);
    if (!c.accumulates()) {
        // Gradients made before the peak are per-sample ones here.
        loss[Component::PerSampleGradients] = cappedProduct(c.rows, loss[Component::Gradients]);
        loss[Component::Gradients] = 0;
    }
    loss.simulated = loss[Component::PerSampleGradients] == 0;
    FormMoment end = c.resident;
    end.phase = Phase::Backward;
    end.what = "the end of backward, with every sample's gradients held";
    end[Component::PerSampleGradients] = heldBytes(c);
    end[Component::Activations] = c.heldLogits + c.activations / std::max<std::int64_t>(1, c.parts.layers);
    end[Component::ActivationGradients] = c.transient;
    FormMoment sum = c.resident;
    sum.phase = Phase::Norms;
    sum.what = "the weighted sum of every sample's gradients";
    sum[Component::PerSampleGradients] = heldBytes(c);
    sum[Component::Gradients] = c.largestBytes();
    moments.insert(moments.end(), {std::move(loss), std::move(end), std::move(sum)});
}

// One row at a time: its whole gradient, beside the sum where there is more than one row.
void addMicrobatch(const FormContext& c, std::vector<FormMoment>& moments)
{
    moments.push_back(c.simulated(Phase::Backward));
    if (c.batch == 1) {
        return;
    }
    FormMoment end = c.resident;
    end.phase = Phase::Backward;
    end.what = "the end of a row's backward, with its gradient beside the sum";
    end[Component::PerSampleGradients] = c.trainedBytes();
    if (c.parameterBytes == 2) {
        end[Component::Gradients] = c.trainedBytes(); // what the sum in float32 takes more than one in 16 bits
    }
    end[Component::Activations] = c.heldLogits + c.activations / std::max<std::int64_t>(1, c.parts.layers);
    end[Component::ActivationGradients] = c.transient;
    moments.push_back(std::move(end));
}

std::int64_t highest(const std::vector<FormMoment>& moments)
{
    std::int64_t most = 0;
    for (const FormMoment& moment : moments) {
        most = std::max(most, moment.total());
    }
    return most;
}

void addMethod(const FormContext& c, Clipping method, std::vector<FormMoment>& moments)
{
    switch (method) {
    case Clipping::Microbatch:
        addMicrobatch(c, moments);
        break;
    case Clipping::PerSample:
        addHeld(c, moments);
        break;
    case Clipping::GhostBk:
    case Clipping::FlashBk:
        addBookKeeping(c, method, moments);
        break;
    default:
        addTwoPass(c, method, moments);
    }
}

// Fastest first: held gradients cost no time, book-keeping a third more of the linear layers', two passes twice that
// (docs/estimates.md). Without a budget a plan may raise the peak by 1 %.
Clipping pickMethod(const FormContext& c)
{
    std::vector<FormMoment> twoPass{c.simulated(Phase::OptimizerStep)};
    addTwoPass(c, Clipping::Flash, twoPass);
    const std::int64_t budget = c.experiment->budgetBytes;
    const auto allowed =
        budget > 0 ? budget : static_cast<std::int64_t>(kAutoTolerance * static_cast<double>(highest(twoPass)));
    for (const Clipping method : {Clipping::PerSample, Clipping::FlashBk}) {
        std::vector<FormMoment> moments;
        addMethod(c, method, moments);
        if (highest(moments) <= allowed) {
            return method;
        }
    }
    return Clipping::Flash;
}

} // namespace

std::vector<FormMoment> clippingMoments(const FormContext& context, Clipping method, std::vector<std::string>& notes)
{
    if (method == Clipping::Auto) {
        method = pickMethod(context);
        notes.push_back(
            fmt::format("Clipping auto is taken as {}: the fastest of per_sample, flash_bk and flash that "
                        "{}.",
                        name(method),
                        context.experiment->budgetBytes > 0 ? "the budget allows" : "raises the peak by at most 1 %"));
    }
    std::vector<FormMoment> moments;
    for (const PhaseEstimate& phase : context.base.phases) {
        if (phase.phase != Phase::Backward) {
            moments.push_back(context.simulated(phase.phase));
        }
    }
    const std::size_t own = moments.size();
    addMethod(context, method, moments);
    for (std::size_t i = own; i < moments.size(); ++i) {
        if (context.accumulates() && !moments[i].simulated) {
            moments[i][Component::Gradients] += context.trainedBytes(); // the sum over the rows before these
        }
    }
    for (FormMoment& moment : moments) {
        if (moment.phase != Phase::Load && moment.phase != Phase::Data) {
            addNorms(context, moment);
        }
    }
    return moments;
}

} // namespace peakscope
