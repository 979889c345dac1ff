// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/dpsgd/dpsgd_checks.h"

#include "core/engine/dpsgd/clipped_step.h"
#include "core/model/adapter_specs.h"
#include "tests/engine/checks/model/model_case.h"
#include "tests/engine/checks/model/reference_folder.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace peakscope {
namespace {

constexpr Clipping kMethods[] = {Clipping::Microbatch, Clipping::PerSample, Clipping::Ghost, Clipping::Flash,
                                 Clipping::GhostBk,    Clipping::FlashBk,   Clipping::Auto};
constexpr double kClip = 0.7;
constexpr double kDoubleBound = 1e-12;
constexpr double kFloatNorms = 1e-6;
constexpr double kFloatSums = 1e-5;

// Gradients one row at a time and without its padding, by nothing but a plain backward.
struct RowByRow {
    std::vector<double> norms;
    std::vector<at::Tensor> sums; // clipped; undefined for a frozen parameter
};

Batch batchOf(const ModelConfig& config, const at::Device& device)
{
    at::manual_seed(7);
    Batch batch;
    batch.inputs = at::randint(config.vocab, {5, 13}, at::TensorOptions(at::kLong));
    batch.labels = at::randint(config.vocab, {5, 13}, at::TensorOptions(at::kLong));
    batch.labels[1].narrow(0, 6, 7).fill_(-100); // half padding
    batch.labels[3].fill_(-100);                 // nothing to predict
    batch.countedLabels = 3 * 13 + 6;
    batch.padded = true;
    batch.inputs = batch.inputs.to(device);
    batch.labels = batch.labels.to(device);
    return batch;
}

RowByRow rowByRow(Model& model, const Batch& batch, double safety = 0)
{
    RowByRow result;
    for (std::int64_t row = 0; row < batch.inputs.size(0); ++row) {
        for (Parameter& parameter : model.parameters())
            parameter.tensor.mutable_grad().reset();
        const auto counted =
            std::max<std::int64_t>(batch.labels.narrow(0, row, 1).ne(-100).sum().item<std::int64_t>(), 1);
        const at::Tensor labels = batch.labels.narrow(0, row, 1).narrow(1, 0, counted);
        const at::Tensor hidden = model.hidden(batch.inputs.narrow(0, row, 1).narrow(1, 0, counted), {});
        model.loss(hidden, labels, {}, counted).backward();
        double squares = 0;
        for (const Parameter& parameter : model.parameters()) {
            if (parameter.tensor.grad().defined())
                squares += parameter.tensor.grad().to(at::kDouble).pow(2).sum().item<double>();
        }
        result.norms.push_back(std::sqrt(squares));
        const double weight = std::min(1.0, kClip / (result.norms.back() * (1 + safety) + 1e-6));
        result.sums.resize(model.parameters().size());
        for (std::size_t i = 0; i < result.sums.size(); ++i) {
            const at::Tensor gradient = model.parameters()[i].tensor.grad();
            if (!gradient.defined())
                continue;
            const at::Tensor clipped = gradient.to(at::kDouble) * weight;
            result.sums[i] = result.sums[i].defined() ? result.sums[i] + clipped : clipped;
        }
    }
    for (Parameter& parameter : model.parameters())
        parameter.tensor.mutable_grad().reset();
    return result;
}

Experiment experimentFor(Clipping method, const ForwardOptions& options, std::int64_t physical)
{
    Experiment experiment;
    experiment.data.batch = 5;
    experiment.data.maxPhysicalBatch = physical;
    experiment.training.clipping = method;
    experiment.training.maxGradNorm = kClip;
    experiment.training.checkpointing = options.checkpointing;
    experiment.training.lossHead = options.lossHead;
    experiment.training.privacy.expectedBatch = 1;
    return experiment;
}

struct Distances {
    double norms = 0;
    double sums = 0;
};

Distances compare(Model& model, const ClippedGradients& clipped, const RowByRow& expected)
{
    Distances result;
    if (clipped.norms.size() != expected.norms.size())
        return {1, 1};
    for (std::size_t i = 0; i < expected.norms.size(); ++i)
        result.norms =
            std::max(result.norms, std::abs(clipped.norms[i] - expected.norms[i]) / std::max(expected.norms[i], 1e-3));
    double largest = 0;
    for (const at::Tensor& sum : expected.sums)
        largest = std::max(largest, sum.defined() ? sum.abs().max().item<double>() : 0);
    for (std::size_t i = 0; i < expected.sums.size(); ++i) {
        const at::Tensor gradient = model.parameters()[i].tensor.grad();
        if (gradient.defined() != expected.sums[i].defined())
            return {1, 1};
        if (gradient.defined())
            result.sums = std::max(result.sums,
                                   (gradient.to(at::kDouble) - expected.sums[i]).abs().max().item<double>() / largest);
    }
    return result;
}

std::string faultOf(ModelCase& model, const RowByRow& expected, const Batch& batch, const ForwardOptions& options,
                    const std::vector<std::int64_t>& rowsAtOnce, bool wide, double safety = 0)
{
    std::string fault;
    for (const Clipping method : kMethods) {
        for (const std::int64_t physical : rowsAtOnce) {
            Experiment experiment = experimentFor(method, options, physical);
            experiment.training.normSafety = safety;
            ClippedStep step(experiment, *model, options, Ledger::instance(), [](const std::string&) {});
            const Distances off = compare(*model, step.run(batch, 0), expected);
            for (Parameter& parameter : model->parameters())
                parameter.tensor.mutable_grad().reset();
            if (!(off.norms <= (wide ? kDoubleBound : kFloatNorms)) || !(off.sums <= (wide ? 1e-11 : kFloatSums)))
                fault += std::string(name(method)) + ", " + std::to_string(physical) + " rows at once: norms off by " +
                         scientific(off.norms) + ", sums by " + scientific(off.sums) + "; ";
        }
    }
    return fault;
}

Batch manyRows(const ModelConfig& config, const at::Device& device)
{
    at::manual_seed(8);
    const auto ids = at::TensorOptions(at::kLong);
    Batch batch{at::randint(config.vocab, {24, 7}, ids), at::randint(config.vocab, {24, 7}, ids), 24 * 7};
    batch.inputs = batch.inputs.to(device);
    batch.labels = batch.labels.to(device);
    return batch;
}

// Against the rows' own gradients summed in float64: the sum is rounded once, however many rows there are.
std::string narrowSumFault(Model& model, const Batch& batch)
{
    const RowByRow expected = rowByRow(model, batch);
    Experiment experiment = experimentFor(Clipping::Microbatch, {}, 1);
    experiment.data.batch = batch.inputs.size(0);
    ClippedStep step(experiment, model, {}, Ledger::instance(), [](const std::string&) {});
    step.run(batch, 0);
    constexpr double kHalfUnit = 1.0 / 256; // of bfloat16's last place
    double worst = 0;
    for (std::size_t i = 0; i < expected.sums.size(); ++i) {
        const at::Tensor gradient = model.parameters()[i].tensor.grad();
        if (!expected.sums[i].defined())
            continue;
        if (!gradient.defined() || gradient.scalar_type() != at::kBFloat16)
            return "a gradient is missing or of another type";
        // Sums that nearly cancel keep float32's own error.
        const at::Tensor allowed = expected.sums[i].abs() * (1.01 * kHalfUnit) + 1e-6;
        const at::Tensor off = (gradient.to(at::kDouble) - expected.sums[i]).abs() / allowed;
        worst = std::max(worst, off.max().item<double>());
    }
    for (Parameter& parameter : model.parameters())
        parameter.tensor.mutable_grad().reset();
    return worst <= 1 ? "" : "off by " + scientific(worst) + " times a single rounding";
}

void adapt(ModelCase& model, const ModelConfig& config, AdapterType type = AdapterType::Weights)
{
    LoraOptions lora;
    lora.dtype = type;
    lora.rank = 3;
    lora.targets.clear();
    for (const LinearShape& layer : linearLayers(config))
        lora.targets.push_back(layer.name.substr(layer.name.rfind('.') + 1));
    if (const Status added = model->addAdapters(lora, 5); !added)
        throw std::runtime_error(added.error().text());
    const at::NoGradGuard guard;
    for (Parameter& parameter : model->parameters()) {
        if (parameter.spec.name.ends_with(".lora_B.weight"))
            parameter.tensor.normal_(0, 0.3);
    }
}

// Float32 adapters over bfloat16 weights. Norms of all rows together come from one backward, whatever the method, and
// so do sums, but where a second backward begins with weighted losses. That one and a row alone round otherwise, by
// bfloat16's last places.
std::string wideAdapterFault(ModelCase& model, const Batch& batch)
{
    constexpr double kSameProducts = 2e-5, kRounded = 0.05;
    const RowByRow alone = rowByRow(*model, batch);
    RowByRow first;
    std::string fault;
    for (const Clipping method : {Clipping::PerSample, Clipping::Ghost, Clipping::Flash, Clipping::GhostBk,
                                  Clipping::FlashBk, Clipping::Auto, Clipping::Microbatch}) {
        ClippedStep step(experimentFor(method, {}, 5), *model, {}, Ledger::instance(), [](const std::string&) {});
        const ClippedGradients clipped = step.run(batch, 0);
        const Distances off = compare(*model, clipped, alone);
        const bool chosen = method == Clipping::Auto || method == Clipping::Microbatch; // rows of a pass
        Distances other = first.norms.empty() || chosen ? Distances{} : compare(*model, clipped, first);
        if (method == Clipping::Ghost || method == Clipping::Flash)
            other.sums = other.sums <= kRounded ? 0 : other.sums;
        if (first.norms.empty()) {
            first.norms = clipped.norms;
            for (const Parameter& parameter : model->parameters())
                first.sums.push_back(parameter.tensor.grad().defined() ? parameter.tensor.grad().to(at::kDouble)
                                                                       : at::Tensor());
        }
        for (Parameter& parameter : model->parameters()) {
            const at::Tensor gradient = parameter.tensor.grad();
            if (gradient.defined() && gradient.scalar_type() != at::kFloat)
                fault += parameter.spec.name + "'s gradient is not float32; ";
            parameter.tensor.mutable_grad().reset();
        }
        if (!(off.norms <= kRounded) || !(off.sums <= kRounded) || !(other.norms <= kSameProducts) ||
            !(other.sums <= kSameProducts))
            fault += std::string(name(method)) + ": off by " + scientific(off.norms) + ", " + scientific(off.sums) +
                     " of rows alone, " + scientific(other.norms) + ", " + scientific(other.sums) + " of per_sample; ";
    }
    return fault;
}

CheckResult checked(const std::string& name, const std::function<std::string()>& fault)
{
    CheckResult result{"dp-sgd: " + name, false, ""};
    try {
        result.detail = fault();
        result.passed = result.detail.empty();
    } catch (const std::exception& exception) {
        result.detail = std::string(exception.what()).substr(0, 300);
    }
    return result;
}

} // namespace

std::vector<CheckResult> clippingChecks(const std::string& device)
{
    ForwardOptions naive, chunked;
    naive.lossHead = LossHead::Naive;
    chunked.lossHead = LossHead::Chunked;
    chunked.checkpointing = true;
    chunked.attention = AttentionKind::Chunked;
    std::vector<CheckResult> results;
    for (const auto& [name, config] : smallConfigs()) {
        for (const bool flip : {false, true}) {
            for (const bool lora : {false, true}) {
                if (flip && lora)
                    continue;
                const std::string label = name + (lora ? ", adapters" : flip ? ", tied the other way" : "");
                results.push_back(checked(label + ", every method in float64", [&, &config = config] {
                    ModelConfig own = config;
                    own.tied = own.tied != flip;
                    ModelCase model(own, at::TensorOptions(at::kDouble).device(at::Device(device)), 5);
                    if (lora)
                        adapt(model, own);
                    const Batch batch = batchOf(own, at::Device(device));
                    const RowByRow expected = rowByRow(*model, batch);
                    // Tying changes the model, not how rows are clipped: one way of passing the rows shows it.
                    return (flip ? std::string() : faultOf(model, expected, batch, naive, {2, 5}, true)) +
                           faultOf(model, expected, batch, chunked, {flip ? 5 : 2}, true);
                }));
            }
        }
        results.push_back(checked(name + ", norms with a safety factor", [&, &config = config] {
            ModelCase model(config, at::TensorOptions(at::kDouble).device(at::Device(device)), 5);
            const Batch batch = batchOf(config, at::Device(device));
            return faultOf(model, rowByRow(*model, batch, 0.25), batch, naive, {5}, true, 0.25);
        }));
        results.push_back(
            checked(name + ", rows one at a time in bfloat16 are summed in float32", [&, &config = config] {
                ModelCase model(config, at::TensorOptions(at::kBFloat16).device(at::Device(device)), 5);
                return narrowSumFault(*model, manyRows(config, at::Device(device)));
            }));
        results.push_back(checked(name + ", float32 adapters over bfloat16", [&, &config = config] {
            ModelCase model(config, at::TensorOptions(at::kBFloat16).device(at::Device(device)), 5);
            adapt(model, config, AdapterType::Float32);
            return wideAdapterFault(model, batchOf(config, at::Device(device)));
        }));
        results.push_back(checked(name + ", every method in float32", [&, &config = config] {
            ModelCase wide(config, at::TensorOptions(at::kDouble).device(at::Device(device)), 5);
            ModelCase model(config, at::TensorOptions(at::kFloat).device(at::Device(device)), 5);
            const Batch batch = batchOf(config, at::Device(device));
            return faultOf(model, rowByRow(*wide, batch), batch, naive, {2}, false);
        }));
    }
    return results;
}

std::vector<CheckResult> clippingReferenceChecks(const std::string& cases, const std::string& device)
{
    std::vector<CheckResult> results;
    for (const std::string& folder : referenceFolders(cases)) {
        ReferenceFolder reference;
        const std::string label = std::filesystem::path(folder).filename().string();
        results.push_back(checked("reference case " + label, [&] {
            reference = loadReferenceFolder(folder, at::TensorOptions(at::kDouble).device(at::Device(device)));
            const std::int64_t length = reference.tokens.size(1) - 1;
            Batch batch{reference.tokens.narrow(1, 0, length).contiguous(),
                        reference.tokens.narrow(1, 1, length).contiguous(), reference.tokens.size(0) * length};
            double worst = 0;
            for (const Clipping method : kMethods) {
                const Experiment experiment = experimentFor(method, {}, reference.tokens.size(0));
                ClippedStep step(experiment, **reference.model, {}, Ledger::instance(), [](const std::string&) {});
                const std::vector<double> norms = step.run(batch, 0).norms;
                for (Parameter& parameter : (*reference.model)->parameters())
                    parameter.tensor.mutable_grad().reset();
                for (std::size_t i = 0; i < reference.sampleNorms.size(); ++i)
                    worst = std::max(worst, std::abs(norms.at(i) / reference.sampleNorms[i] - 1));
            }
            return worst <= kDoubleBound ? std::string() : "norms off by " + scientific(worst);
        }));
        if (reference.sampleNorms.empty() && results.back().passed)
            results.pop_back(); // the folder has no answers for single rows
    }
    return results;
}

} // namespace peakscope
