// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/roofline.h"

#include "core/base/units.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "core/planning/inputs/data_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

struct PeakRates {
    double flops = 0;
    double bandwidth = 0;
    bool known = false;
    double brainFlops = 0; // of products in bfloat16, whatever the experiment's type
    double floatFlops = 0; // likewise of those in float32
};

// Where a device's rates are unknown, those of a usual device of its kind keep the order of strategies right.
PlanDevice withNominalRates(PlanDevice device)
{
    device.bandwidthBytesPerSecond = device.cuda ? 1e12 : 2e10;
    device.float64Flops = device.cuda ? 1e12 : 5e10;
    device.float32Flops = device.cuda ? 2e13 : 1e11;
    device.bfloat16Flops = device.float16Flops = device.cuda ? 1.6e14 : 5e10;
    return device;
}

// Cards without bfloat16 units compute such products in float32.
double brainRate(const PlanDevice& device)
{
    return device.bfloat16Flops > 0 ? device.bfloat16Flops : device.float32Flops;
}

double productRate(const Experiment& experiment, const PlanDevice& device)
{
    const bool amp16 = experiment.training.amp == Amp::Float16;
    const bool brain = experiment.training.amp == Amp::BFloat16;
    const Dtype computes = computeDtype(experiment);
    if (amp16 || (!brain && computes == Dtype::Float16)) {
        return device.float16Flops;
    }
    if (brain || computes == Dtype::BFloat16) {
        return brainRate(device);
    }
    return computes == Dtype::Float64 ? device.float64Flops : device.float32Flops;
}

PeakRates peakRates(const Experiment& experiment, const PlanDevice& device)
{
    PeakRates rates{productRate(experiment, device), device.bandwidthBytesPerSecond, true};
    if (rates.flops <= 0 || rates.bandwidth <= 0) {
        const PlanDevice nominal = withNominalRates(device);
        rates = {productRate(experiment, nominal), nominal.bandwidthBytesPerSecond, false};
    }
    rates.brainFlops = std::max(brainRate(device), rates.flops) * kMatmulEfficiency;
    rates.floatFlops = (rates.known ? device : withNominalRates(device)).float32Flops * kMatmulEfficiency;
    rates.flops *= kMatmulEfficiency;
    rates.bandwidth *= kBandwidthEfficiency;
    return rates;
}

// The shares of one step, in the notation of the DP-SGD literature: u multiplications of the linear layers forward.
struct PassCosts {
    double linear = 0;    // u: all linear layers once, head included
    double head = 0;      // of these the head
    double attention = 0; // scores and their product with the values, forward
};

PassCosts passCosts(const Experiment& experiment, const ModelWork& work)
{
    const auto tokens = static_cast<double>(experiment.data.batch) * static_cast<double>(rowPositions(experiment));
    return {2 * tokens * work.linearWeights, 2 * tokens * work.headWeights,
            4 * tokens * static_cast<double>(rowPositions(experiment)) * work.attentionWidth};
}

// Backward passes of attention over its forward pass: fused kernels and the chunked form recompute scores.
double attentionBackward(AttentionKind kind)
{
    switch (kind) {
    case AttentionKind::Math:
        return 2;
    case AttentionKind::Chunked:
        return 3;
    case AttentionKind::Auto:
    case AttentionKind::Fused:
        break;
    }
    return 2.5;
}

// What clipping adds to forward + 2 backward: a second backward (u for the gradients of inputs, and attention's) in
// two passes, and the norms, by Gram matrices (2 B T^2 (in + out) per layer) or by the per-sample gradients (u).
double clippingFlops(const Experiment& experiment, const ModelWork& work, const PassCosts& pass)
{
    const auto tokens = static_cast<double>(experiment.data.batch) * static_cast<double>(rowPositions(experiment));
    const double gram = 2 * tokens * static_cast<double>(rowPositions(experiment)) * work.ghostPerToken;
    const double second = pass.linear + attentionBackward(experiment.training.attention) * pass.attention;
    switch (experiment.training.clipping) {
    case Clipping::None:
    case Clipping::PerSample:
    case Clipping::Microbatch:
        return 0;
    case Clipping::Ghost:
        return second + gram;
    case Clipping::Flash:
        return second + pass.linear;
    case Clipping::GhostBk:
        return gram;
    case Clipping::FlashBk:
    case Clipping::Auto: // the slowest of what it chooses from where memory allows one pass
        return pass.linear;
    }
    return 0;
}

double trainedParameters(const Experiment& experiment, const ModelWork& work)
{
    const auto rank = static_cast<double>(experiment.training.lora.rank);
    return rank > 0 ? rank * work.adapterPerRank : work.parameters;
}

// Forward, and for the gradients of inputs and of the adapters themselves.
double adapterFlops(const Experiment& experiment, const ModelWork& work, const PassCosts& pass)
{
    return 3 * pass.linear / std::max(1.0, work.linearWeights) * trainedParameters(experiment, work);
}

// What products in float32 take beyond those in 16 bits.
double wideAdapterSeconds(const Experiment& experiment, const ModelWork& work, const PassCosts& pass,
                          const PeakRates& rates)
{
    const bool wide = trainedElementBytes(experiment) > bytesPerElement(experiment.dtype);
    if (!wide || experiment.training.amp != Amp::None || rates.floatFlops >= rates.flops)
        return 0;
    return adapterFlops(experiment, work, pass) * (1 / rates.floatFlops - 1 / rates.flops);
}

double trainingFlops(const Experiment& experiment, const ModelWork& work, const PassCosts& pass)
{
    const TrainingOptions& t = experiment.training;
    const bool adapters = t.lora.rank > 0;
    const double backward = (adapters ? 1 : 2) * pass.linear + attentionBackward(t.attention) * pass.attention;
    double flops = pass.linear + pass.attention + backward;
    if (adapters) {
        flops += adapterFlops(experiment, work, pass);
    } else {
        flops += clippingFlops(experiment, work, pass);
    }
    return t.checkpointing ? flops + pass.linear - pass.head + pass.attention : flops;
}

double dtypeBytes(const Experiment& experiment)
{
    return static_cast<double>(bytesPerElement(experiment.dtype));
}

double trainedBytes(const Experiment& experiment)
{
    return static_cast<double>(trainedElementBytes(experiment));
}

double passesOf(const Experiment& experiment)
{
    const auto physical = static_cast<double>(std::max<std::int64_t>(1, experiment.data.maxPhysicalBatch));
    return std::ceil(static_cast<double>(experiment.data.batch) / physical);
}

// Weights are read forward, backward and again where layers are recomputed; autocast writes and reads a copy each
// time. Activations are written, read by the next operator, read backward, and have a gradient.
double forwardBackwardTraffic(const Experiment& experiment, const ModelWork& work, double activationBytes)
{
    const TrainingOptions& t = experiment.training;
    const double bytes = dtypeBytes(experiment);
    const double passes = passesOf(experiment);
    const double reads = (t.checkpointing ? 3 : 2) + (t.amp == Amp::None ? 0.0 : 2.0);
    double traffic = passes * (reads * work.parameters * bytes + 4 * activationBytes);
    const double trained = trainedParameters(experiment, work) * trainedBytes(experiment);
    traffic += passes * 2 * trained;
    if (experiment.model.config.quantization != Quantization::None) {
        // Codes, scales and float32 pieces on the way to each product's numbers, which are written and read.
        constexpr double kBytesOfNumbers = 0.6 + 8;
        traffic += passes * reads * work.linearWeights * (kBytesOfNumbers + bytes);
    }
    const auto rows = static_cast<double>(experiment.data.batch);
    if (t.clipping == Clipping::PerSample) {
        traffic += 3 * rows * trained;
    } else if (t.clipping == Clipping::Microbatch) {
        traffic += rows * (4 * trained + 2 * work.parameters * bytes);
    }
    return traffic;
}

// The T x T scores of the math and chunked forms pass through memory between products: masked, exponentiated, summed,
// and their gradients likewise. These are kernels of their own, so that their time adds to the products'.
double scoreTraffic(const Experiment& experiment, const ModelWork& work)
{
    const AttentionKind kind = experiment.training.attention;
    if (kind != AttentionKind::Math && kind != AttentionKind::Chunked) {
        return 0;
    }
    const auto rows = static_cast<double>(experiment.data.batch);
    const auto seq = static_cast<double>(rowPositions(experiment));
    return 8 * rows * seq * seq * work.attentionHeads * dtypeBytes(experiment);
}

// Of one parameter, as a fused kernel would move them: the weight and all that is kept beside it read and written, the
// gradient read.
double updateBytes(const Experiment& experiment)
{
    const OptimizerDescription& optimizer = *experiment.training.optimizer;
    const UpdatePrecision precision = updatePrecision(experiment.training);
    if (!updatesWide(optimizer, precision)) {
        return wordsMoved(optimizer, true) * trainedBytes(experiment); // nearly all numbers are of matrices
    }
    constexpr std::int64_t kMany = std::int64_t{1} << 20;
    const auto kept = static_cast<double>(keptBytes(optimizer, precision, {kMany}, trainedElementBytes(experiment)));
    return 3 * trainedBytes(experiment) + 2 * kept / static_cast<double>(kMany);
}

double optimizerTraffic(const Experiment& experiment, const ModelWork& work, std::int64_t devices)
{
    const double shards = experiment.training.sharding == Sharding::None ? 1 : static_cast<double>(devices);
    return updateBytes(experiment) * trainedParameters(experiment, work) / shards;
}

// ZeRO (Rajbhandari et al. 2020, section 7): stages 1 and 2 move twice the gradients, as data parallel training does,
// stage 3 once more for the parameters.
double communication(const Experiment& experiment, const ModelWork& work, std::int64_t devices)
{
    if (devices < 2) {
        return 0;
    }
    double bytes = (dividesParameters(experiment.training.sharding) ? 3 : 2) * dtypeBytes(experiment);
    if (experiment.training.sharding == Sharding::Fsdp) {
        bytes = static_cast<double>(2 * bytesPerElement(computeDtype(experiment)) +
                                    bytesPerElement(reduceDtype(experiment)));
    }
    return bytes * work.parameters * static_cast<double>(devices - 1) / static_cast<double>(devices);
}

// Gradients' worth of one product with the Hessian: 9 matrix products a layer instead of 3; central differences take
// two gradients.
double productCost(ProductMethod method)
{
    return method == ProductMethod::FiniteDifference ? 2 : 3;
}

double selectedParameters(const CurvatureOptions& options, const ModelWork& work)
{
    if (options.select == EntrySelection::Sample) {
        return std::min(static_cast<double>(options.count), work.parameters);
    }
    return options.select == EntrySelection::Entries ? static_cast<double>(options.entries.size()) : work.parameters;
}

// One entry of the diagonal: a product with a unit vector; jets push (value, first, second derivative) forward once
// the shared values are there, two of three parts of a gradient; a row's entries come together from one product in the
// layer's output space per token.
double diagonalCost(ProductMethod method, double entries, double tokens, const ModelWork& work)
{
    if (method == ProductMethod::Jets) {
        return entries * 2 / 3;
    }
    if (method == ProductMethod::Row) {
        const double rows = std::min(entries, work.ghostPerToken);
        return 2 * tokens * rows;
    }
    return entries * productCost(method);
}

double quantityCost(CurvatureQuantity quantity, const CurvatureOptions& options, const Experiment& experiment,
                    const ModelWork& work)
{
    const ProductMethod method = options.method;
    const double entries = selectedParameters(options, work);
    const double product = productCost(method);
    const double probes = static_cast<double>(options.probes);
    const bool whole = entries >= work.parameters && method != ProductMethod::Row && method != ProductMethod::Jets;
    switch (quantity) {
    case CurvatureQuantity::Diagonal:
        return whole ? probes * product
                     : diagonalCost(method, entries, static_cast<double>(rowPositions(experiment)), work);
    case CurvatureQuantity::Full:
        return entries * product;
    case CurvatureQuantity::Trace:
    case CurvatureQuantity::BlockDiagonal:
        return probes * product;
    case CurvatureQuantity::Eigenvalues:
        return (20 + 10 * static_cast<double>(options.topK)) *
               product; // Lanczos steps that converge five pairs in practice
    case CurvatureQuantity::Density:
        return static_cast<double>(options.densitySteps) * product;
    case CurvatureQuantity::GgnDiagonal:
        return probes * 5 / 3; // 5 matrix products a layer instead of 3
    case CurvatureQuantity::Lbfgs:
        return 20; // gradients at as many points
    case CurvatureQuantity::FisherDiagonal:
    case CurvatureQuantity::Kfac:
    case CurvatureQuantity::Features:
        return 2; // one pass and its sums
    }
    return 0;
}

} // namespace

ModelWork modelWork(const Experiment& experiment)
{
    const ModelConfig& c = experiment.model.config;
    ModelWork work;
    for (const LinearShape& layer : linearLayers(c)) {
        work.linearWeights += layer.share * static_cast<double>(layer.in) * static_cast<double>(layer.out);
        work.ghostPerToken += layer.share * static_cast<double>(layer.in + layer.out);
        const auto side = static_cast<double>(std::min(layer.in, layer.out));
        const auto other = static_cast<double>(std::max(layer.in, layer.out));
        work.newtonSchulz += kNewtonSchulzSteps * 2 * side * side * (2 * other + side);
    }
    if (describe(c.family).experts.fused) // in no linear layer
        work.linearWeights += static_cast<double>(c.layers * c.expertsPerToken * 3 * c.hidden * c.expertWidth());
    work.headWeights = static_cast<double>(c.vocab) * static_cast<double>(c.embedDim);
    work.linearWeights += work.headWeights;
    work.ghostPerToken += static_cast<double>(c.vocab + c.embedDim);
    work.attentionWidth = static_cast<double>(c.layers * c.heads * c.headDim);
    work.attentionHeads = static_cast<double>(c.layers * c.heads);
    work.parameters = static_cast<double>(parameterCount(c));
    LoraOptions one = experiment.training.lora;
    one.rank = 1;
    if (const auto plan = adapterPlan(c, one)) {
        for (const LinearShape& layer : plan->layers) {
            work.adapterPerRank += static_cast<double>(layer.in + layer.out);
        }
    }
    return work;
}

double curvatureGradients(const Experiment& experiment, const ModelWork& work)
{
    double gradients = 0;
    if (const auto& options = experiment.curvature) {
        for (const CurvatureQuantity quantity : options->quantities) {
            gradients += quantityCost(quantity, *options, experiment, work);
        }
    }
    return std::max(1.0, gradients);
}

StepWork stepWork(const Experiment& experiment, const ModelWork& work, const PlanDevice& device, double activationBytes,
                  std::int64_t devices)
{
    const PeakRates rates = peakRates(experiment, device);
    const PassCosts pass = passCosts(experiment, work);
    StepWork step;
    step.known = rates.known;
    step.flops = trainingFlops(experiment, work, pass);
    const double products = forwardBackwardTraffic(experiment, work, activationBytes);
    double others = scoreTraffic(experiment, work);
    double times = 1;
    if (experiment.kind == ExperimentKind::Curvature) {
        times = curvatureGradients(experiment, work);
    } else {
        others += optimizerTraffic(experiment, work, devices);
    }
    // Of adapters next to nothing.
    const bool muon = experiment.training.optimizer->orthogonalises() && experiment.training.lora.rank == 0 &&
                      experiment.kind != ExperimentKind::Curvature;
    const double update = muon ? work.newtonSchulz : 0;
    step.communicatedBytes = times * communication(experiment, work, devices);
    const double computed = step.flops / rates.flops + wideAdapterSeconds(experiment, work, pass, rates);
    step.seconds =
        times * (std::max(computed, products / rates.bandwidth) + others / rates.bandwidth + update / rates.brainFlops);
    step.flops = times * (step.flops + update);
    step.trafficBytes = times * (products + others);
    return step;
}

std::string rooflineNote(const PlanDevice& device)
{
    if (device.bandwidthBytesPerSecond <= 0 || device.float32Flops <= 0) {
        return fmt::format("the rates of {} are not known: no step times are given, and speed is ordered by the rates "
                           "of a usual {} device",
                           device.id, device.cuda ? "CUDA" : "CPU");
    }
    return fmt::format(
        "step times are a roofline bound, not a measurement. They are the larger of operations at {:.0f} % of the peak "
        "rate and bytes at {:.0f} % of {:.0f} GB/s, without transfers between devices",
        100 * kMatmulEfficiency, 100 * kBandwidthEfficiency, device.bandwidthBytesPerSecond / 1e9);
}

} // namespace peakscope
