// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/lora_checks.h"

#include "core/engine/model/autocast_scope.h"
#include "core/engine/model/layers.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "tests/engine/checks/model/model_case.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace peakscope {
namespace {

constexpr double kLoraBound = 1e-11; // relative, of the largest number compared

double loraDistance(const at::Tensor& value, const at::Tensor& expected)
{
    const double scale = expected.abs().max().item<double>();
    return (value - expected).abs().max().item<double>() / (scale > 0 ? scale : 1);
}

// Everything that the family's layers have.
LoraOptions onEverything(const ModelConfig& config)
{
    LoraOptions options;
    options.rank = 3;
    options.alpha = 7;
    options.targets.clear();
    for (const LinearShape& layer : linearLayers(config))
        options.targets.push_back(layer.name.substr(layer.name.rfind('.') + 1));
    return options;
}

at::Tensor tokensFor(const ModelConfig& config, const std::string& device)
{
    at::manual_seed(11);
    return at::randint(config.vocab, {3, 12}, at::TensorOptions(at::kLong)).to(at::Device(device));
}

struct Adapted {
    Adapted(const ModelConfig& config, const LoraOptions& options, const at::TensorOptions& tensors)
        : model(config, tensors, 5), lora(options), layers(adapterPlan(config, options)->layers)
    {
        if (const Status added = model->addAdapters(options, 5); !added)
            throw std::runtime_error(added.error().text());
        const at::NoGradGuard guard;
        for (Parameter& parameter : model->parameters()) {
            if (parameter.spec.name.ends_with(".lora_B.weight"))
                parameter.tensor.normal_(0, 0.3);
        }
    }

    at::Tensor part(const LinearShape& layer, const char* which)
    {
        return model->parameter(layer.name + ".lora_" + which + ".weight");
    }

    // A model of the same loss without adapters: each adapter's product added to its weight.
    void addTo(ModelCase& dense)
    {
        const at::NoGradGuard guard;
        for (const LinearShape& layer : layers) {
            const at::Tensor weight = dense->parameter(layer.name + ".weight").detach();
            const at::Tensor delta = at::mm(part(layer, "B").detach(), part(layer, "A").detach()) * scale();
            weight.add_(transposed(layer) ? delta.t() : delta);
        }
    }

    bool transposed(const LinearShape& layer)
    {
        const auto& parameters = model->parameters();
        return std::any_of(parameters.begin(), parameters.end(), [&layer](const Parameter& parameter) {
            return parameter.spec.transposed && parameter.spec.name == layer.name + ".weight";
        });
    }

    double scale() const { return lora.alpha / static_cast<double>(lora.rank); }

    ModelCase model;
    LoraOptions lora;
    std::vector<LinearShape> layers;
};

std::string compareWithDense(const ModelConfig& config, const LoraOptions& options, const ForwardOptions& forward,
                             const std::string& device)
{
    const auto tensors = at::TensorOptions(at::kDouble).device(at::Device(device));
    Adapted adapted(config, options, tensors);
    ModelCase dense(config, tensors, 5);
    adapted.addTo(dense);
    const at::Tensor tokens = tokensFor(config, device);
    const double loss = adapted.model.backward(tokens, forward);
    const double expected = dense.backward(tokens, {});
    double worst = std::abs(loss - expected) / expected;
    for (const LinearShape& layer : adapted.layers) {
        at::Tensor gradient = dense->parameter(layer.name + ".weight").grad();
        if (adapted.transposed(layer))
            gradient = gradient.t();
        const at::Tensor a = adapted.part(layer, "A"), b = adapted.part(layer, "B");
        if (!a.grad().defined() || !b.grad().defined())
            return layer.name + "'s adapter has no gradient";
        worst = std::max(worst, loraDistance(a.grad(), at::mm(b.detach().t(), gradient) * adapted.scale()));
        worst = std::max(worst, loraDistance(b.grad(), at::mm(gradient, a.detach().t()) * adapted.scale()));
    }
    for (const Parameter& parameter : adapted.model->parameters()) {
        const bool adapter = parameter.spec.kind == ModuleKind::Lora;
        if (parameter.tensor.grad().defined() != adapter || parameter.tensor.requires_grad() != adapter)
            return parameter.spec.name + (adapter ? " is not trained" : " is not frozen");
    }
    return worst <= kLoraBound ? "" : "off by " + scientific(worst);
}

std::string startsAsTheBase(const ModelConfig& config, const std::string& device)
{
    const auto tensors = at::TensorOptions(at::kDouble).device(at::Device(device));
    LoraOptions options;
    options.rank = 2;
    ModelCase base(config, tensors, 5), first(config, tensors, 5), second(config, tensors, 5);
    if (!first->addAdapters(options, 5) || !second->addAdapters(options, 5))
        return "no adapters";
    const at::Tensor tokens = tokensFor(config, device);
    const double expected = base.loss(tokens, {}).item<double>();
    if (std::abs(first.loss(tokens, {}).item<double>() - expected) > 1e-13 * expected)
        return "the loss moves with adapters that add nothing yet";
    for (const Parameter& parameter : first->parameters()) {
        if (!parameter.tensor.equal(second->parameter(parameter.spec.name)))
            return parameter.spec.name + " differs between two models of one seed";
        if (!parameter.spec.name.ends_with(".lora_A.weight"))
            continue;
        const double bound = 1 / std::sqrt(static_cast<double>(parameter.tensor.size(1)));
        const double most = parameter.tensor.abs().max().item<double>();
        if (most > bound || most < 0.8 * bound)
            return parameter.spec.name + " reaches " + scientific(most) + ", the bound is " + scientific(bound);
    }
    return "";
}

std::string underAutocast(const ModelConfig& config, const std::string& device)
{
    const auto tensors = at::TensorOptions(at::kFloat).device(at::Device(device));
    Adapted adapted(config, onEverything(config), tensors);
    const at::Tensor tokens = tokensFor(config, device);
    const double expected = adapted.model.loss(tokens, {}).item<double>();
    at::Tensor loss;
    {
        const AutocastScope scope(Amp::BFloat16, at::Device(device));
        loss = adapted.model.loss(tokens, {});
    }
    loss.backward();
    for (const Parameter& parameter : adapted.model->parameters()) {
        if (parameter.tensor.requires_grad() && parameter.tensor.grad().scalar_type() != at::kFloat)
            return parameter.spec.name + "'s gradient is not float32";
    }
    const double error = std::abs(loss.item<double>() - expected) / expected;
    return error < 0.03 ? "" : "the loss is off by " + scientific(error);
}

// What of a finished run contradicts adapters of `bytes` in all; nothing where all holds.
std::string runFault(const WorkerRun& run, const Experiment& experiment)
{
    if (!run.error.empty() || run.result.status != RunStatus::Complete || !run.result.memory)
        return run.error + run.result.message;
    const MemorySection& memory = *run.result.memory;
    if (std::string fault = timelineFault(memory); !fault.empty())
        return fault;
    std::int64_t bytes = 0;
    const auto specs = adapterSpecs(experiment.model.config, experiment.training.lora);
    for (const ParameterSpec& spec : *specs)
        bytes += spec.count() * 4;
    const std::int64_t base = parameterCount(experiment.model.config) * 4;
    const auto differs = [](const char* what, std::int64_t is, std::int64_t should) {
        return std::string(what) + " are " + std::to_string(is) + ", should be " + std::to_string(should);
    };
    if (at(memory.maxComponents, Component::Parameters) != base + bytes)
        return differs("parameters", at(memory.maxComponents, Component::Parameters), base + bytes);
    if (at(memory.maxComponents, Component::OptimizerStates) != 2 * bytes)
        return differs("optimiser states", at(memory.maxComponents, Component::OptimizerStates), 2 * bytes);
    // Accumulation over physical batches holds a matrix's new gradient beside the old one.
    const std::int64_t gradients = at(memory.maxComponents, Component::Gradients);
    if (gradients < bytes || gradients > 2 * bytes)
        return differs("gradients", gradients, bytes);
    if (at(memory.maxComponents, Component::Other) != 0)
        return differs("other bytes", at(memory.maxComponents, Component::Other), 0);
    std::int64_t inModules = 0;
    for (const ModuleUsage& module : memory.modules)
        inModules += module.kind == ModuleKind::Lora ? module.parameterBytes : 0;
    if (inModules != bytes)
        return differs("parameters of the adapters' modules", inModules, bytes);
    const auto& phases = memory.phases;
    if (std::none_of(phases.begin(), phases.end(), [](const PhaseMark& mark) { return mark.phase == Phase::Wrap; }))
        return "there is no phase wrap";
    if (run.result.losses.back() >= run.result.losses.front())
        return "training the adapters does not lower the loss";
    return "";
}

at::Tensor loraWaves(at::IntArrayRef shape, double frequency, double height)
{
    std::vector<double> values;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(height * std::sin(frequency * static_cast<double>(i) + 0.1));
    return at::tensor(values, at::TensorOptions(at::kDouble)).view(shape);
}

// peft 0.18's lora.Linear on torch.nn.Linear(8, 6) in bfloat16, r=2, lora_alpha=7, autocast_adapter_dtype=True.
std::string asInPeft(const std::string& device)
{
    const std::vector<double> out{2.375,  3.96875, 8.9375,   5.59375, 4.875, -2.03125, 5.84375, 9.875,  19.125,
                                  12.875, 9.125,   -4.09375, 5.09375, 8.75,  15.5,     10.875,  6.6875, -3.34375};
    const std::vector<double> ofA{1.90922356, 2.05384541, 2.14934015, 2.20379829, 2.27438498, 2.26396465,
                                  2.25365353, 2.22708416, 1.79954767, 1.91061115, 1.97686911, 2.00538158,
                                  2.04796958, 2.01839209, 1.98889875, 1.94472742};
    const std::vector<double> ofB{0.564136028, 0.419197798, 2.24192667, 1.12330151, 3.37944698, 1.55793476,
                                  3.48694324,  1.51857328,  2.68240595, 1.07535267, 1.16826844, 0.361272216};
    const std::vector<double> ofX{5.3125,   6.03125, 6.4375,  6.53125, 6.25,     5.65625,  4.78125, 3.65625,
                                  -5.40625, -6.125,  -6.5625, -6.625,  -6.34375, -5.71875, -4.8125, -3.65625,
                                  5.53125,  6.25,    6.65625, 6.71875, 6.40625,  5.78125,  4.84375, 3.65625};
    const at::Device place(device);
    const auto leaf = [&](at::IntArrayRef shape, double frequency, double height, at::ScalarType type) {
        return loraWaves(shape, frequency, height).to(at::kFloat).to(type).to(place).set_requires_grad(true);
    };
    Linear linear;
    linear.weight = leaf({6, 8}, 0.37, 0.5, at::kBFloat16).set_requires_grad(false);
    linear.bias = leaf({6}, 0.9, 0.2, at::kBFloat16).set_requires_grad(false);
    linear.adapter.a = leaf({2, 8}, 0.23, 0.7, at::kFloat);
    linear.adapter.b = leaf({6, 2}, 0.31, 0.9, at::kFloat);
    linear.adapter.scale = 3.5;
    const at::Tensor x = leaf({3, 8}, 0.11, 1, at::kBFloat16);
    const at::Tensor y = apply(linear, x);
    y.backward(leaf({3, 6}, 0.53, 1, at::kBFloat16).detach());
    struct Compared {
        const char* what;
        at::Tensor tensor;
        const std::vector<double>& right;
        at::ScalarType type;
        double bound; // of bfloat16 a last place, for sums have an order
    };
    for (const Compared& each : {Compared{"y", y.detach(), out, at::kBFloat16, 1.0 / 128},
                                 Compared{"A's gradient", linear.adapter.a.grad(), ofA, at::kFloat, 1e-6},
                                 Compared{"B's gradient", linear.adapter.b.grad(), ofB, at::kFloat, 1e-6},
                                 Compared{"x's gradient", x.grad(), ofX, at::kBFloat16, 1.0 / 128}}) {
        if (each.tensor.scalar_type() != each.type)
            return std::string(each.what) + " is of another type";
        const at::Tensor right = at::tensor(each.right, at::TensorOptions(at::kDouble));
        const at::Tensor off = (each.tensor.to(at::kDouble).cpu().view({-1}) - right).abs() / right.abs();
        if (const double worst = off.max().item<double>(); worst > each.bound)
            return std::string(each.what) + " is off by " + scientific(worst);
    }
    return "";
}

// Float32 adapters over 16-bit weights, quantised too: as trained as those over the same weights in float32, up to
// bfloat16's rounding; and in checkpointed layers as in others.
std::string wideAdapters(ModelConfig config, const std::string& device)
{
    LoraOptions options = onEverything(config);
    options.dtype = AdapterType::Float32;
    const auto tensors = at::TensorOptions(at::kBFloat16).device(at::Device(device));
    const at::Tensor tokens = tokensFor(config, device);
    for (const Quantization kind : {Quantization::None, Quantization::Nf4}) {
        if (config.experts > 0 && kind != Quantization::None)
            continue;
        config.quantization = kind;
        Adapted plain(config, options, tensors), again(config, options, tensors);
        ForwardOptions checkpointing;
        checkpointing.checkpointing = true;
        at::manual_seed(3);
        const double loss = plain.model.backward(tokens, {});
        for (std::size_t i = 0; i < plain.model->parameters().size(); ++i) {
            const at::NoGradGuard guard;
            const Parameter& parameter = plain.model->parameters()[i];
            if (parameter.tensor.requires_grad())
                again.model->parameters()[i].tensor.copy_(parameter.tensor);
        }
        const double same = again.model.backward(tokens, checkpointing);
        if (loss != same)
            return "a checkpointed loss is another";
        for (std::size_t i = 0; i < plain.model->parameters().size(); ++i) {
            const Parameter& parameter = plain.model->parameters()[i];
            if (!parameter.tensor.requires_grad())
                continue;
            if (parameter.tensor.scalar_type() != at::kFloat || parameter.tensor.grad().scalar_type() != at::kFloat)
                return parameter.spec.name + " is not float32";
            if (!parameter.tensor.grad().equal(again.model->parameters()[i].tensor.grad()))
                return parameter.spec.name + " has another gradient in checkpointed layers";
        }
    }
    return "";
}

} // namespace

void loraRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const std::string& family : familyNames()) {
        for (const bool checkpointing : {false, true}) {
            const nlohmann::json document = {
                {"kind", "memory"},
                {"model",
                 {{"family", family}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"ffn", 160}, {"vocab", 300}}},
                {"device", device},
                {"data", {{"batch", 3}, {"seq", 48}, {"max_physical_batch", 2}}},
                {"training", {{"lr", 0.01}, {"steps", 6}, {"checkpointing", checkpointing}, {"lora", {{"rank", 4}}}}}};
            const auto experiment = experimentFromJson(document);
            const std::string fault =
                experiment ? runFault(runInWorker(document), *experiment) : experiment.error().text();
            onResult({"lora: run of " + family + (checkpointing ? ", checkpointing" : ""), fault.empty(), fault});
        }
    }
}

std::vector<CheckResult> loraChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const auto add = [&](const std::string& name, const std::function<std::string()>& fault) {
        CheckResult result{"lora: " + name, false, ""};
        try {
            result.detail = fault();
            result.passed = result.detail.empty();
        } catch (const std::exception& exception) {
            result.detail = exception.what();
        }
        results.push_back(result);
    };
    add("float32 over bfloat16 as in peft", [&] { return asInPeft(device); });
    ForwardOptions other;
    other.checkpointing = true;
    other.attention = AttentionKind::Chunked;
    other.lossHead = LossHead::Chunked;
    for (const auto& [name, config] : trainedConfigs()) {
        LoraOptions few;
        few.rank = 2;
        add(name + ", all projections against dense weights",
            [&, &config = config] { return compareWithDense(config, onEverything(config), {}, device); });
        add(name + ", all projections, checkpointed, chunked",
            [&, &config = config] { return compareWithDense(config, onEverything(config), other, device); });
        add(name + ", the default projections against dense weights",
            [&, &config = config] { return compareWithDense(config, few, {}, device); });
        add(name + ", the default projections, checkpointed, chunked",
            [&, &config = config] { return compareWithDense(config, few, other, device); });
        add(name + ", starts as the base model", [&, &config = config] { return startsAsTheBase(config, device); });
        add(name + ", float32 over bfloat16", [&, &config = config] { return wideAdapters(config, device); });
        add(name + ", bfloat16 autocast", [&, &config = config] { return underAutocast(config, device); });
    }
    return results;
}

} // namespace peakscope
