// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Curvature quantities one after the other: Hessian-vector products by each route (Pearlmutter 1994; Dagréou et al.,
// ICLR 2024 blog track), single entries by rows and jets, and what each quantity holds beside its products. N trained
// parameters, b rows, T tokens, one tensor of logits b·T·V.
#include "core/planning/curvature/closed_forms.h"

#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/curvature_estimate.h"
#include "core/planning/curvature/curvature_planner.h"
#include "core/planning/curvature/lanczos_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace peakscope {

namespace {

// Logits-sized tensors that double backward through log-softmax and cross-entropy keeps (measured by the authors of
// pytorch-hessian-eigenthings when they replaced it); the closed-form product keeps two, the tangent and its image.
constexpr std::int64_t kDoubleBackwardLogits = 10;
constexpr std::int64_t kForwardOverReverseLogits = 3;
constexpr std::int64_t kClosedFormLogits = 2;
// Directions that are pushed together where that costs no graph (jets).
constexpr std::int64_t kDirections = 8;
// Beside the first product: the gradient, and the product that it is held against.
constexpr std::int64_t kStartVectors = 2;
// Vectors of stochastic Lanczos quadrature that keeps no basis: two of the recurrence, the product, the probe.
constexpr std::int64_t kDensityVectors = 4;
constexpr std::int64_t kValueBytes = 8; // one found entry or feature
constexpr std::int64_t kFeatureColumns = 16;
constexpr std::int64_t kLogitsChunk = std::int64_t{32} << 20;

std::int64_t narrowestInput(const FormContext& c)
{
    std::int64_t least = c.parts.headIn;
    for (const FormLinear& linear : c.parts.linears) {
        least = std::min(least, linear.in);
    }
    return least;
}

// A route to products with the Hessian; entries are found by products with unit vectors, rows or jets.
ProductMethod resolveMethod(const FormContext& c, ProductMethod method, bool entries)
{
    if (!entries) {
        const bool singleOnly =
            method == ProductMethod::Row || method == ProductMethod::Jets || method == ProductMethod::Auto;
        return singleOnly ? ProductMethod::ReverseOverForward : method;
    }
    if (method != ProductMethod::Auto) {
        return method;
    }
    // T products in output space give a whole row of W: cheaper than one product an entry where T < in / 3.
    return 3 * c.tokens < narrowestInput(c) ? ProductMethod::Row : ProductMethod::Jets;
}

// What a product holds beside the weights. `image`: parameters that the product's result has at one time; `gradients`:
// those whose gradient is formed.
struct ProductSizes {
    std::int64_t image = 0;
    std::int64_t gradients = 0;
};

void addVectors(FormMoment& moment, std::int64_t bytes)
{
    moment[Component::Hessian] = cappedSum(moment[Component::Hessian], bytes);
    moment.vectorBytes = cappedSum(moment.vectorBytes, bytes);
}

std::string wayOf(CurvatureQuantity quantity, std::string_view way)
{
    return fmt::format("{} by {}", name(quantity), way);
}

FormMoment curvatureMoment(const FormContext& c, CurvatureQuantity quantity, std::string_view way)
{
    return c.withGraph(Phase::Curvature, wayOf(quantity, way));
}

void addLogits(FormMoment& moment, std::int64_t bytes)
{
    moment[Component::Hessian] += bytes;
    moment.logitsBytes += bytes;
}

// Gradient with its own graph, then backward through that graph: the graph of the first backward is as large as that of
// the forward pass.
FormMoment doubleBackward(const FormContext& c, CurvatureQuantity quantity, const ProductSizes& sizes)
{
    FormMoment moment = curvatureMoment(c, quantity, name(ProductMethod::DoubleBackward));
    moment[Component::Gradients] = sizes.gradients * c.parameterBytes;
    moment[Component::Hessian] = c.activations;
    addLogits(moment, (kDoubleBackwardLogits - 1) * c.wideLogits);
    moment[Component::ActivationGradients] = 2 * c.transient;
    addVectors(moment, 2 * sizes.image * c.parameterBytes);
    return moment;
}

// Tangents of every activation, and one backward through both.
FormMoment reverseOverForward(const FormContext& c, CurvatureQuantity quantity, const ProductSizes& sizes)
{
    FormMoment moment = curvatureMoment(c, quantity, name(ProductMethod::ReverseOverForward));
    moment[Component::Gradients] = sizes.gradients * c.parameterBytes;
    moment[Component::Hessian] = c.activations;
    addLogits(moment, kClosedFormLogits * c.wideLogits);
    moment[Component::ActivationGradients] = 2 * c.transient;
    addVectors(moment, 2 * sizes.image * c.parameterBytes);
    return moment;
}

// Tangents through forward and backward: those of the backward pass too.
FormMoment forwardOverReverse(const FormContext& c, CurvatureQuantity quantity, const ProductSizes& sizes)
{
    FormMoment moment = curvatureMoment(c, quantity, name(ProductMethod::ForwardOverReverse));
    moment[Component::Gradients] = sizes.gradients * c.parameterBytes;
    moment[Component::Hessian] = 2 * c.activations;
    addLogits(moment, kForwardOverReverseLogits * c.wideLogits);
    moment[Component::ActivationGradients] = 2 * c.transient;
    addVectors(moment, 2 * sizes.image * c.parameterBytes);
    return moment;
}

// Two gradients: direction, first gradient, and the weights to put back bit by bit.
std::vector<FormMoment> finiteDifference(const FormContext& c, CurvatureQuantity quantity, const ProductSizes& sizes)
{
    FormMoment loss = c.simulated(Phase::Backward);
    loss.phase = Phase::Curvature;
    loss.what = wayOf(quantity, name(ProductMethod::FiniteDifference));
    loss.simulated = false;
    FormMoment end = c.resident;
    end.phase = Phase::Curvature;
    end.what = loss.what;
    end[Component::Gradients] = sizes.gradients * c.parameterBytes;
    end[Component::ActivationGradients] = c.transient;
    addVectors(loss, 3 * sizes.image * c.parameterBytes);
    addVectors(end, 3 * sizes.image * c.parameterBytes);
    return {std::move(loss), std::move(end)};
}

// Products in a layer's output space: tangents of the activations above it, no vector as long as the parameters; the
// second derivatives between T positions of each row.
FormMoment rows(const FormContext& c, CurvatureQuantity quantity)
{
    FormMoment moment = curvatureMoment(c, quantity, name(ProductMethod::Row));
    moment[Component::Hessian] = c.activations + c.rows * c.tokens * c.tokens * kValueBytes;
    addLogits(moment, kClosedFormLogits * c.wideLogits);
    moment[Component::ActivationGradients] = 2 * c.transient;
    return moment;
}

// Value, first and second coefficient of one layer at a time, without a graph.
FormMoment jets(const FormContext& c, CurvatureQuantity quantity)
{
    FormMoment moment = c.resident;
    moment.phase = Phase::Curvature;
    moment.what = wayOf(quantity, name(ProductMethod::Jets));
    const std::int64_t chunk = std::min(c.wideLogits, kLogitsChunk);
    moment[Component::Workspace] = c.blockForward + chunk;
    moment[Component::Hessian] = 2 * kDirections * c.blockForward;
    addLogits(moment, 2 * chunk);
    moment.logitsBytes += chunk;
    return moment;
}

std::vector<FormMoment> product(const FormContext& c, CurvatureQuantity quantity, ProductMethod method,
                                const ProductSizes& sizes)
{
    switch (method) {
    case ProductMethod::DoubleBackward:
        return {doubleBackward(c, quantity, sizes)};
    case ProductMethod::ForwardOverReverse:
        return {forwardOverReverse(c, quantity, sizes)};
    case ProductMethod::FiniteDifference:
        return finiteDifference(c, quantity, sizes);
    case ProductMethod::Row:
        return {rows(c, quantity)};
    case ProductMethod::Jets:
        return {jets(c, quantity)};
    case ProductMethod::Auto: // resolved before
    case ProductMethod::ReverseOverForward:
        break;
    }
    return {reverseOverForward(c, quantity, sizes)};
}

// Adds what a quantity keeps beside its products to each of their moments.
std::vector<FormMoment> keeping(std::vector<FormMoment> moments, std::int64_t vectorBytes, std::int64_t otherBytes)
{
    for (FormMoment& moment : moments) {
        addVectors(moment, vectorBytes);
        moment[Component::Hessian] = cappedSum(moment[Component::Hessian], otherBytes);
    }
    return moments;
}

// Parameters of the largest group of a unit: a tensor, a head of q, k, v and out, a row of W, or a layer.
std::int64_t largestGroup(const FormContext& c, const CurvatureRequest& request)
{
    const ModelConfig& config = c.experiment->model.config;
    std::int64_t widest = c.parts.headIn;
    for (const FormLinear& linear : c.parts.linears) {
        widest = std::max(widest, linear.in);
    }
    if (request.unit == FeatureUnit::Row) {
        return widest;
    }
    if (request.unit == FeatureUnit::Head) {
        return 4 * config.headDim * config.hidden;
    }
    return request.unit == FeatureUnit::Block ? std::max(c.parts.mostTrainedOfLayer(), request.largestTensor)
                                              : request.largestTensor;
}

std::int64_t unitCount(const FormContext& c, const CurvatureRequest& request)
{
    if (request.unit == FeatureUnit::Row) {
        std::int64_t count = c.parts.trainsHead ? c.parts.vocab : 0;
        for (const FormLinear& linear : c.parts.linears) {
            count += linear.count * linear.out;
        }
        return count;
    }
    if (request.unit == FeatureUnit::Head) {
        return 4 * c.parts.layerCount() * c.experiment->model.config.heads;
    }
    return request.unit == FeatureUnit::Block ? c.parts.layerCount() : c.parts.trainedTensors;
}

// Kronecker factors in·in and out·out of each linear layer; q, k and v share the first; the head's vocabulary factor
// is left out (Martens and Grosse 2015, section 3).
std::vector<FormMoment> factors(const FormContext& c)
{
    std::int64_t elements = c.parts.trainsHead ? c.parts.headIn * c.parts.headIn : 0;
    for (const FormLinear& linear : c.parts.linears) {
        elements += linear.count * (linear.out * linear.out + (linear.sharesInput ? 0 : linear.in * linear.in));
    }
    FormMoment moment = curvatureMoment(c, CurvatureQuantity::Kfac, "inputs and output gradients");
    moment[Component::ActivationGradients] = c.transient;
    return keeping({std::move(moment)}, 0, elements * c.wideBytes);
}

// Per-sample gradients of one tensor at a time, squared into a vector: no `.grad` is kept.
std::vector<FormMoment> squaredGradients(const FormContext& c, const CurvatureRequest& request,
                                         CurvatureQuantity quantity, std::int64_t vectorBytes, std::int64_t tableBytes)
{
    FormMoment moment = curvatureMoment(c, quantity, "per-sample gradients of one tensor at a time");
    moment[Component::ActivationGradients] = c.transient;
    moment[Component::PerSampleGradients] = c.rows * request.largestTensor * c.parameterBytes;
    FormMoment loss = c.simulated(Phase::Backward);
    loss.phase = Phase::Curvature;
    loss.what = moment.what;
    loss.simulated = false;
    loss[Component::Gradients] = 0;
    return keeping({std::move(loss), std::move(moment)}, vectorBytes, tableBytes);
}

std::vector<FormMoment> diagonal(const FormContext& c, const CurvatureRequest& request)
{
    const ProductMethod method = resolveMethod(c, request.method, true);
    // Products with unit vectors are products like any other: vectors as long as what was selected, and one graph of
    // its gradient. Rows and jets need neither.
    const ProductSizes sizes{request.selectedTensors, request.selectedTensors};
    const std::int64_t values = request.wholeModel ? 0 : request.selected * kValueBytes;
    const std::int64_t vector = request.wholeModel ? request.selected * c.wideBytes : 0;
    return keeping(product(c, CurvatureQuantity::Diagonal, method, sizes), vector, values);
}

// The gradients of a step, and the pairs at its end.
std::vector<FormMoment> gradientPairs(const FormContext& c, const CurvatureRequest& request)
{
    FormMoment moment = c.simulated(Phase::Backward);
    moment.phase = Phase::Curvature;
    moment.what = wayOf(CurvatureQuantity::Lbfgs, "gradient pairs");
    moment.simulated = false;
    FormMoment end = c.resident;
    end.phase = Phase::Curvature;
    end.what = moment.what;
    end[Component::Gradients] = request.selectedTensors * c.parameterBytes;
    return keeping({std::move(moment), std::move(end)}, 2 * kLbfgsPairs * request.selectedTensors * c.wideBytes, 0);
}

// Dot products of float32 vectors are formed piece by piece in float64.
std::int64_t dotPieces(const FormContext& c, const CurvatureRequest& request)
{
    return c.wideBytes == 8 ? 0 : 16 * std::min(request.selectedTensors, kDotPiece);
}

// What a run begins with.
std::vector<FormMoment> firstProduct(const FormContext& c, const CurvatureRequest& request, CurvatureQuantity quantity)
{
    const ProductSizes whole{request.selectedTensors, request.selectedTensors};
    return keeping(product(c, quantity, resolveMethod(c, request.method, false), whole),
                   kStartVectors * request.selectedTensors * c.wideBytes, dotPieces(c, request));
}

} // namespace

std::vector<FormMoment> quantityMoments(const FormContext& c, const CurvatureRequest& request,
                                        CurvatureQuantity quantity)
{
    const ProductMethod method = resolveMethod(c, request.method, false);
    const ProductSizes whole{request.selectedTensors, request.selectedTensors};
    const auto products = [&] { return product(c, quantity, method, whole); };
    const std::int64_t vector = request.selectedTensors * c.wideBytes;
    const std::int64_t group = std::min(largestGroup(c, request), request.selectedTensors);
    switch (quantity) {
    case CurvatureQuantity::Diagonal:
        return diagonal(c, request);
    case CurvatureQuantity::BlockDiagonal:
        return keeping(product(c, quantity, method, {group, group}),
                       (std::min(kBlockBasis, group) + 4) * group * c.wideBytes, 0);
    case CurvatureQuantity::Full:
        return keeping(products(), 0, cappedProduct(cappedProduct(request.selected, request.selected), c.wideBytes));
    case CurvatureQuantity::Trace:
        return keeping(products(), sketchVectors(request.selectedTensors, request.probes) * vector,
                       dotPieces(c, request));
    case CurvatureQuantity::Eigenvalues: {
        auto moments = products();
        std::int64_t beside = 0, room = -1;
        for (const FormMoment& moment : moments)
            beside = std::max(beside, moment.total());
        if (c.experiment->budgetBytes > 0)
            room = std::max<std::int64_t>(0, c.experiment->budgetBytes - beside);
        const std::int64_t basis = lanczosBasis(request.topK, request.selectedTensors, vector, room);
        return keeping(std::move(moments), cappedProduct(basis + 1, vector), 0);
    }
    case CurvatureQuantity::Density:
        return keeping(products(), (kDensityVectors - 2) * vector, 0);
    case CurvatureQuantity::GgnDiagonal:
    case CurvatureQuantity::FisherDiagonal:
        return squaredGradients(c, request, quantity, request.wholeModel ? vector : 0,
                                request.wholeModel ? 0 : request.selected * kValueBytes);
    case CurvatureQuantity::Kfac:
        return factors(c);
    case CurvatureQuantity::Lbfgs:
        return gradientPairs(c, request);
    case CurvatureQuantity::Features:
        return squaredGradients(c, request, quantity, 0, unitCount(c, request) * kFeatureColumns * kValueBytes);
    }
    return {};
}

Result<MemoryEstimate> estimateCurvature(const Experiment& experiment, const EstimateOptions& options)
{
    Experiment inner = lightCopy(experiment);
    inner.training.optimizer = leanestOptimizer(); // nothing is updated
    auto parts = formParts(inner.model.config, inner.training.lora);
    if (!parts) {
        return parts.error();
    }
    const auto request = curvatureRequest(experiment, *parts);
    if (!request) {
        return request.error();
    }
    if (const Status fine = checkCurvaturePrecision(experiment); !fine) {
        return fine.error();
    }
    std::vector<std::string> notes;
    const bool backward = request->method == ProductMethod::DoubleBackward;
    if (backward || request->method == ProductMethod::ReverseOverForward) {
        inner.training.attention = AttentionKind::Math; // the only form with a second derivative
        inner.training.lossHead = LossHead::Naive;
        inner.training.checkpointing = false;
        notes.push_back(fmt::format("{} needs the math form of attention, which keeps T×T scores of every layer.",
                                    backward ? "Double backward" : "Reverse over forward"));
    }
    const auto context = makeFormContext(inner, options);
    if (!context) {
        return context.error();
    }
    std::vector<FormMoment> moments;
    const bool endless = request->selectedTensors > kFullHessianLimit &&
                         std::find(request->quantities.begin(), request->quantities.end(), CurvatureQuantity::Full) !=
                             request->quantities.end();
    if (endless) {
        Experiment others = experiment; // what a run computes of them
        std::erase(others.curvature->quantities, CurvatureQuantity::Full);
        if (!others.curvature->quantities.empty()) {
            auto estimate = estimateCurvature(others, options);
            if (estimate) {
                estimate->notes.push_back(leftOutSentence(
                    {CurvatureQuantity::Full, fullHessianRefusal(request->selectedTensors, context->wideBytes, -1)}));
            }
            return estimate;
        }
        notes.push_back(fmt::format("The run is refused: {}.",
                                    fullHessianRefusal(request->selectedTensors, context->wideBytes, -1)));
    }
    if (!endless && plannedByEngine(experiment, request->method)) {
        const std::int64_t ranks = ranksOf(experiment, options);
        const bool cut = experiment.training.sharding == Sharding::Zero3;
        const auto share = cut ? shardedParameterBytes(experiment, ranks) : Result<std::int64_t>(0);
        if (!share) {
            return share.error();
        }
        FormMoment resident;
        for (const Phase phase : {Phase::Load, Phase::Data, Phase::Wrap}) {
            if (FormMoment moment = context->simulated(phase); moment.simulated) {
                if (cut) {
                    moment[Component::Parameters] = *share; // the model is made a parameter at a time
                }
                resident = moment; // the last one has all that stays
                moments.push_back(std::move(moment));
            }
        }
        auto planned = plannedMoment(experiment, resident, ranks, notes);
        if (!planned) {
            return planned.error();
        }
        moments.push_back(std::move(*planned));
        MemoryEstimate estimate = estimateOfMoments(*context, moments, std::move(notes));
        estimate.verified = !options.cuda && !cut; // the tape is the same there, what its kernels hold was not measured
        return estimate;
    }
    for (const Phase phase : {Phase::Load, Phase::Data, Phase::Forward}) {
        if (FormMoment moment = context->simulated(phase); moment.simulated) {
            moments.push_back(std::move(moment));
        }
    }
    for (const CurvatureQuantity quantity : request->quantities) {
        auto more = quantityMoments(*context, *request, quantity);
        if (!byTape(request->method)) {
            auto first = firstProduct(*context, *request, quantity);
            more.insert(more.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
        }
        moments.insert(moments.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        if (quantity == CurvatureQuantity::Full && request->selected > std::int64_t{1} << 20) {
            notes.push_back(
                fmt::format("The full matrix of {:.3g} parameters is {:.3g} bytes; no device holds it.",
                            static_cast<double>(request->selected),
                            static_cast<double>(request->selected) * static_cast<double>(request->selected) *
                                static_cast<double>(context->wideBytes)));
        }
    }
    shardMoments(*context, experiment.training.sharding, options.devices, moments, notes);
    return estimateOfMoments(*context, moments, std::move(notes));
}

} // namespace peakscope
