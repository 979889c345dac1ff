// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/model_checks.h"

#include "core/engine/model/attention.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/model/model.h"
#include "core/engine/model/rope.h"
#include "core/model/family.h"
#include "tests/engine/checks/model/model_case.h"
#include "tests/engine/checks/model/model_references.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <exception>
#include <functional>

namespace peakscope {
namespace {

using Tensors = std::vector<at::Tensor>;

// Collects results; a check that throws has failed with what it said.
class Checks
{
public:
    explicit Checks(const std::string& device) : m_options(at::TensorOptions(at::kDouble).device(device)) {}

    // `measure` returns a distance that must not be above `bound`; NaN fails.
    void add(const std::string& name, double bound, const std::function<double()>& measure)
    {
        CheckResult check{"model: " + name, false, ""};
        try {
            const double distance = measure();
            check.passed = distance <= bound;
            check.detail = "off by " + scientific(distance) + ", at most " + scientific(bound) + " is right";
        } catch (const std::exception& exception) {
            check.detail = std::string(exception.what()).substr(0, 300);
        }
        m_results.push_back(std::move(check));
    }

    const at::TensorOptions& options() const { return m_options; }

    // Normal numbers from `seed`, the same on every device.
    at::Tensor normal(std::vector<std::int64_t> shape, std::uint64_t seed) const
    {
        at::Generator generator = at::detail::createCPUGenerator(seed);
        const at::Tensor values = at::empty(shape, at::TensorOptions(at::kDouble)).normal_(0, 1, generator);
        return values.to(m_options.device());
    }
    at::Tensor tokens(std::int64_t rows, std::int64_t length, std::int64_t vocab, std::uint64_t seed) const
    {
        at::Generator generator = at::detail::createCPUGenerator(seed);
        return at::randint(0, vocab, {rows, length}, generator, at::TensorOptions(at::kLong)).to(m_options.device());
    }

    std::vector<CheckResult> take() { return std::move(m_results); }

private:
    at::TensorOptions m_options;
    std::vector<CheckResult> m_results;
};

// The largest difference, in units of the largest number there.
double distance(const at::Tensor& a, const at::Tensor& b)
{
    const double scale = std::max(b.abs().max().item<double>(), 1e-300);
    return (a - b).abs().max().item<double>() / scale;
}

// The largest difference of all, in units of the largest number of all: gradients that are zero but for rounding (those
// of key biases) must not be compared with themselves.
double distance(const Tensors& a, const Tensors& b)
{
    double worst = 0;
    double scale = 1e-300;
    for (std::size_t i = 0; i < b.size(); ++i) {
        worst = std::max(worst, (a.at(i) - b[i]).abs().max().item<double>());
        scale = std::max(scale, b[i].abs().max().item<double>());
        if (std::isnan(a[i].sum().item<double>()))
            return std::nan("");
    }
    return a.size() == b.size() ? worst / scale : 1;
}

// The value of `function` at `inputs` and its gradients, weighted with fixed numbers.
Tensors valueAndGradients(const Checks& checks, const Tensors& inputs,
                          const std::function<at::Tensor(const Tensors&)>& function)
{
    Tensors leaves;
    for (const at::Tensor& input : inputs)
        leaves.push_back(input.detach().clone().requires_grad_(true));
    const at::Tensor value = function(leaves);
    torch::autograd::backward({value}, {checks.normal(value.sizes().vec(), 99)});
    Tensors result{value.detach()};
    for (const at::Tensor& leaf : leaves)
        result.push_back(leaf.grad());
    return result;
}

// --- attention

struct AttentionShape {
    std::string what;
    std::int64_t batch, sequence, heads, kvHeads, width;
    double scale;
};

Tensors attentionAnswer(const Checks& checks, const AttentionShape& shape, AttentionKind kind, bool causal)
{
    const std::int64_t b = shape.batch, t = shape.sequence, d = shape.width;
    const Tensors inputs{checks.normal({b, t, shape.heads, d}, 1), checks.normal({b, t, shape.kvHeads, d}, 2),
                         checks.normal({b, t, shape.kvHeads, d}, 3)};
    AttentionOptions options;
    options.kind = kind;
    options.causal = causal;
    options.scale = shape.scale;
    return valueAndGradients(checks, inputs, [&](const Tensors& x) { return attention(x[0], x[1], x[2], options); });
}

// softmax(q·k / sqrt(D)) v, number by number.
at::Tensor attentionByHand(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal)
{
    const std::int64_t t = q.size(1), heads = q.size(2), width = q.size(3);
    const at::Tensor out = at::zeros({q.size(0), t, heads * width}, at::TensorOptions(at::kDouble));
    const std::int64_t group = heads / k.size(2);
    const auto dot = [&](std::int64_t row, std::int64_t i, std::int64_t j, std::int64_t head) {
        double sum = 0;
        for (std::int64_t c = 0; c < width; ++c)
            sum += q[row][i][head][c].item<double>() * k[row][j][head / group][c].item<double>();
        return sum / std::sqrt(static_cast<double>(width));
    };
    for (std::int64_t row = 0; row < q.size(0); ++row)
        for (std::int64_t head = 0; head < heads; ++head)
            for (std::int64_t i = 0; i < t; ++i) {
                double sum = 0;
                at::Tensor mean = at::zeros({width}, at::TensorOptions(at::kDouble));
                for (std::int64_t j = 0; j < (causal ? i + 1 : t); ++j) {
                    const double weight = std::exp(dot(row, i, j, head));
                    sum += weight;
                    mean.add_(v[row][j][head / group], weight);
                }
                out[row][i].narrow(0, head * width, width).copy_(mean / sum);
            }
    return out;
}

void checkAttention(Checks& checks)
{
    for (const bool causal : {true, false}) {
        const std::string mask = causal ? "causal" : "unmasked";
        checks.add("attention math = sums by hand, " + mask, 1e-13, [&] {
            const at::Tensor q = checks.normal({2, 5, 4, 3}, 1), k = checks.normal({2, 5, 2, 3}, 2),
                             v = checks.normal({2, 5, 2, 3}, 3);
            AttentionOptions options;
            options.kind = AttentionKind::Math;
            options.causal = causal;
            return distance(attention(q, k, v, options).cpu(), attentionByHand(q.cpu(), k.cpu(), v.cpu(), causal));
        });
    }
    const std::vector<AttentionShape> shapes = {
        {"one position", 2, 1, 2, 2, 4, 0},
        {"odd sizes", 3, 37, 5, 5, 7, 0},
        {"grouped heads", 2, 29, 6, 2, 5, 0},
        {"one key head", 2, 13, 4, 1, 6, 0},
        {"scale 1", 1, 17, 3, 3, 8, 1},
        {"several blocks of queries", 1, 2100, 1, 1, 3, 0},
        {"several blocks of heads and rows", 3, 900, 6, 3, 2, 0},
    };
    for (const AttentionShape& shape : shapes) {
        for (const bool causal : {true, false}) {
            const std::string text = shape.what + (causal ? ", causal" : ", unmasked");
            const Tensors math = attentionAnswer(checks, shape, AttentionKind::Math, causal);
            checks.add("attention chunked = math, " + text, 1e-12,
                       [&] { return distance(attentionAnswer(checks, shape, AttentionKind::Chunked, causal), math); });
            checks.add("attention auto = math, " + text, 1e-12,
                       [&] { return distance(attentionAnswer(checks, shape, AttentionKind::Auto, causal), math); });
        }
    }
    checks.add("attention auto never means a kernel with a T×T matrix", 0, [&] {
        double wrong = 0;
        for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
            const at::Tensor q = checks.normal({1, 8, 2, 16}, 1).to(type);
            const AttentionKind kind = resolveAttention(AttentionKind::Auto, q, true);
            wrong += kind != AttentionKind::Fused && kind != AttentionKind::Chunked;
        }
        return wrong;
    });
}

// --- loss heads

void checkLossHeads(Checks& checks)
{
    checks.add("loss of equal logits = ln vocab", 1e-14, [&] {
        const at::Tensor hidden = at::zeros({6, 3}, checks.options());
        const at::Tensor loss = naiveLoss(hidden, checks.normal({11, 3}, 1), checks.tokens(1, 6, 11, 2).view({6}), 0);
        return std::abs(loss.item<double>() - std::log(11.0));
    });
    struct Case {
        std::string what;
        std::int64_t rows, vocab, denominator;
        bool ignored;
    };
    const std::vector<Case> cases = {{"one block", 19, 23, 0, false},
                                     {"ignored labels", 19, 23, 0, true},
                                     {"a denominator of its own", 19, 23, 31, true},
                                     {"several blocks", 500, 20011, 0, true}};
    for (const Case& one : cases) {
        checks.add("chunked loss head = naive, " + one.what, 1e-12, [&] {
            at::Tensor labels = checks.tokens(1, one.rows, one.vocab, 5).view({one.rows});
            if (one.ignored)
                labels.narrow(0, 3, 7).fill_(kIgnoredLabel);
            const Tensors inputs{checks.normal({one.rows, 6}, 1), checks.normal({one.vocab, 6}, 2)};
            const Tensors naive = valueAndGradients(
                checks, inputs, [&](const Tensors& x) { return naiveLoss(x[0], x[1], labels, one.denominator); });
            const Tensors chunked = valueAndGradients(
                checks, inputs, [&](const Tensors& x) { return chunkedLoss(x[0], x[1], labels, one.denominator); });
            return distance(chunked, naive);
        });
    }
}

// --- rotary positions

void checkRotary(Checks& checks)
{
    ModelConfig config = familyDefaults("gpt_neox");
    config.headDim = 12;
    config.rotaryFraction = 0.5;
    config.maxPositions = 64;
    const RopeTables tables = ropeTables(config, 9, checks.options());
    checks.add("rotation by position × frequency, the rest of the head as it was", 1e-14, [&] {
        const at::Tensor x = checks.normal({1, 9, 1, 12}, 1), turned = rotate(x, tables);
        at::Tensor expected = x.clone();
        for (std::int64_t t = 0; t < 9; ++t)
            for (std::int64_t i = 0; i < 3; ++i) {
                const double angle =
                    static_cast<double>(t) * std::pow(config.ropeTheta, -2.0 * static_cast<double>(i) / 6);
                const double a = x[0][t][0][i].item<double>(), b = x[0][t][0][i + 3].item<double>();
                expected[0][t][0][i].fill_(a * std::cos(angle) - b * std::sin(angle));
                expected[0][t][0][i + 3].fill_(b * std::cos(angle) + a * std::sin(angle));
            }
        return distance(turned, expected);
    });
    checks.add("rotation keeps lengths", 1e-14, [&] {
        const at::Tensor x = checks.normal({2, 9, 3, 12}, 1);
        return distance(rotate(x, tables).norm(2, {3}, false), x.norm(2, {3}, false));
    });
    checks.add("rotation's gradient turns back", 1e-14, [&] {
        const at::Tensor x = checks.normal({2, 9, 3, 12}, 1).requires_grad_(true);
        const at::Tensor y = rotate(x, tables);
        torch::autograd::backward({y}, {y.detach()});
        return distance(x.grad(), x.detach());
    });
    checks.add("scores of rotated vectors depend on the distance alone", 1e-13, [&] {
        const at::Tensor q = checks.normal({12}, 1), k = checks.normal({12}, 2);
        const at::Tensor turnedQ = rotate(q.expand({1, 9, 1, 12}), tables).view({9, 12});
        const at::Tensor turnedK = rotate(k.expand({1, 9, 1, 12}), tables).view({9, 12});
        const at::Tensor scores = turnedQ.matmul(turnedK.t());
        return distance(scores.narrow(0, 1, 8).narrow(1, 1, 8), scores.narrow(0, 0, 8).narrow(1, 0, 8));
    });
}

// --- whole models

double familyGradientError(Checks& checks, const ModelConfig& config)
{
    ModelCase model(config, checks.options(), 7);
    const at::Tensor tokens = checks.tokens(2, 12, config.vocab, 3);
    model.backward(tokens, {});
    const at::NoGradGuard guard;
    Tensors directions;
    double slope = 0;
    for (Parameter& parameter : model->parameters()) {
        directions.push_back(checks.normal(parameter.tensor.sizes().vec(), directions.size()));
        slope += (parameter.tensor.grad() * directions.back()).sum().item<double>();
    }
    const auto lossAt = [&](double step) {
        for (std::size_t i = 0; i < directions.size(); ++i)
            model->parameters()[i].tensor.add_(directions[i], step);
        const double loss = model.loss(tokens, {}).item<double>();
        for (std::size_t i = 0; i < directions.size(); ++i)
            model->parameters()[i].tensor.sub_(directions[i], step);
        return loss;
    };
    constexpr double kStep = 1e-4; // fourth-order differences: error about step⁴ and 1e-16/step
    const double numeric =
        (8 * (lossAt(kStep) - lossAt(-kStep)) - (lossAt(2 * kStep) - lossAt(-2 * kStep))) / (12 * kStep);
    return std::abs(numeric - slope) / std::abs(slope);
}

// Hessian × direction by double backward against differences of gradients.
double secondDerivativeError(Checks& checks, const ModelConfig& config)
{
    ModelCase model(config, checks.options(), 7);
    const at::Tensor tokens = checks.tokens(2, 9, config.vocab, 3);
    ForwardOptions options;
    options.attention = AttentionKind::Math;
    Tensors parameters, directions;
    for (Parameter& parameter : model->parameters()) {
        parameters.push_back(parameter.tensor);
        directions.push_back(checks.normal(parameter.tensor.sizes().vec(), directions.size()));
    }
    const Tensors gradients = torch::autograd::grad({model.loss(tokens, options)}, parameters, {}, true, true);
    at::Tensor slope = at::zeros({}, checks.options());
    for (std::size_t i = 0; i < gradients.size(); ++i)
        slope = slope + (gradients[i] * directions[i]).sum();
    const Tensors product = torch::autograd::grad({slope}, parameters);
    constexpr double kStep = 1e-4; // fourth-order differences again
    const auto gradientsAt = [&](double step) {
        {
            const at::NoGradGuard guard;
            for (std::size_t i = 0; i < parameters.size(); ++i)
                parameters[i].add_(directions[i], step);
        }
        Tensors result = torch::autograd::grad({model.loss(tokens, options)}, parameters);
        const at::NoGradGuard guard;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            parameters[i].sub_(directions[i], step);
        return result;
    };
    const Tensors above = gradientsAt(kStep), below = gradientsAt(-kStep);
    const Tensors farAbove = gradientsAt(2 * kStep), farBelow = gradientsAt(-2 * kStep);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
        const at::Tensor numeric = (8 * (above[i] - below[i]) - (farAbove[i] - farBelow[i])) / (12 * kStep);
        error += (product[i] - numeric).pow(2).sum().item<double>();
        size += product[i].pow(2).sum().item<double>();
    }
    return std::sqrt(error / size);
}

// Checkpointing, chunked heads and linear layers as modules of their own change nothing.
double variantError(Checks& checks, const ModelConfig& config, const ForwardOptions& variant, bool scoped)
{
    ModelCase plain(config, checks.options(), 7);
    ModelCase changed(config, checks.options(), 7);
    if (scoped)
        changed->scopeLinearLayers();
    const at::Tensor tokens = checks.tokens(3, 14, config.vocab, 3);
    const double a = plain.backward(tokens, {}), b = changed.backward(tokens, variant);
    return std::max(distance(changed.gradients(), plain.gradients()), std::abs(a - b));
}

double leakError(Checks& checks, const ModelConfig& config, bool causal)
{
    ModelCase model(config, checks.options(), 7);
    const at::Tensor tokens = checks.tokens(1, 10, config.vocab, 3);
    at::Tensor other = tokens.clone();
    other.narrow(1, 9, 1).fill_((tokens[0][9].item<std::int64_t>() + 1) % config.vocab);
    const at::NoGradGuard guard;
    const at::Tensor before = model->hidden(tokens, {}).narrow(1, 0, 9);
    const double change = distance(model->hidden(other, {}).narrow(1, 0, 9), before);
    return causal ? change : (change > 1e-9 ? 0 : 1);
}

void checkFamilies(Checks& checks)
{
    for (const auto& [text, config] : trainedConfigs()) {
        checks.add("gradient = finite differences, " + text, 1e-8, [&] { return familyGradientError(checks, config); });
        checks.add("second derivative = finite differences, " + text, 1e-7,
                   [&] { return secondDerivativeError(checks, config); });
        checks.add("checkpointing changes no gradient, " + text, 1e-14, [&] {
            ForwardOptions options;
            options.checkpointing = true;
            return variantError(checks, config, options, true);
        });
        checks.add("checkpointing, chunked attention and chunked loss, " + text, 1e-12, [&] {
            ForwardOptions options;
            options.checkpointing = true;
            options.attention = AttentionKind::Chunked;
            options.lossHead = LossHead::Chunked;
            return variantError(checks, config, options, false);
        });
        const bool causal = describe(config.family).causal;
        checks.add((causal ? "no position sees a later one, " : "every position sees the last one, ") + text, 1e-13,
                   [&] { return leakError(checks, config, causal); });
    }
}

void checkTying(Checks& checks)
{
    checks.add("gradient of a tied weight = embedding's + head's", 1e-13, [&] {
        ModelConfig config = smallConfigs().front().second;
        config.tied = true;
        ModelCase tied(config, checks.options(), 7);
        config.tied = false;
        ModelCase untied(config, checks.options(), 8);
        {
            const at::NoGradGuard guard;
            for (Parameter& parameter : untied->parameters()) {
                const bool head = parameter.spec.name == "lm_head.weight";
                parameter.tensor.copy_(head ? tied->headWeight() : tied->parameter(parameter.spec.name));
            }
        }
        const at::Tensor tokens = checks.tokens(2, 9, config.vocab, 3);
        tied.backward(tokens, {});
        untied.backward(tokens, {});
        const std::string embedding = "model.decoder.embed_tokens.weight";
        return distance(tied->parameter(embedding).grad(),
                        untied->parameter(embedding).grad() + untied->parameter("lm_head.weight").grad());
    });
}

void checkRandomWeights(Checks& checks)
{
    const ModelConfig config = smallConfigs().front().second;
    checks.add("random weights follow from the seed, whatever the dtype", 0, [&] {
        ModelCase first(config, checks.options(), 42), again(config, checks.options(), 42),
            narrow(config, checks.options().dtype(at::kFloat), 42), other(config, checks.options(), 43);
        double wrong = 0;
        bool differs = false;
        for (const Parameter& parameter : first->parameters()) {
            const std::string& name = parameter.spec.name;
            wrong += !at::equal(parameter.tensor, again->parameter(name));
            wrong += !at::equal(parameter.tensor.to(at::kFloat), narrow->parameter(name));
            differs = differs || !at::equal(parameter.tensor, other->parameter(name));
        }
        return wrong + (differs ? 0 : 1);
    });
    checks.add("random weights have the configuration's standard deviation", 0.02, [&] {
        ModelConfig large = config;
        large.vocab = 2000;
        ModelCase model(large, checks.options(), 42);
        return std::abs(model->parameter("model.decoder.embed_tokens.weight").std().item<double>() / large.initStd - 1);
    });
    checks.add("every parameter belongs to a module", 0, [&] {
        double wrong = 0;
        for (const auto& [text, each] : smallConfigs()) {
            ModelCase model(each, checks.options(), 1);
            for (const Parameter& parameter : model->parameters())
                wrong += parameter.module == 0;
        }
        return wrong;
    });
}

void checkReferences(Checks& checks)
{
    for (const ModelReference& reference : modelReferences()) {
        for (const bool other : {false, true}) {
            ForwardOptions options;
            options.checkpointing = other;
            options.attention = other ? AttentionKind::Chunked : AttentionKind::Auto;
            options.lossHead = other ? LossHead::Chunked : LossHead::Naive;
            const std::string ways = other ? " (checkpointed, chunked)" : "";
            checks.add("transformers' loss and gradient norms, " + reference.name + ways, 1e-12,
                       [&] { return referenceError(reference, options, checks.options()); });
        }
    }
}

} // namespace

std::vector<CheckResult> modelChecks(const std::string& device)
{
    Checks checks(device);
    checkAttention(checks);
    checkLossHeads(checks);
    checkRotary(checks);
    checkFamilies(checks);
    checkTying(checks);
    checkRandomWeights(checks);
    checkReferences(checks);
    std::vector<CheckResult> results = checks.take();
    for (CheckResult& check : weightLoaderChecks())
        results.push_back(std::move(check));
    return results;
}

} // namespace peakscope
