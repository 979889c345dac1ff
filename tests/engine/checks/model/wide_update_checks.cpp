// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/wide_update_checks.h"

#include "core/engine/training/optimizer.h"
#include "tests/engine/checks/model/model_case.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>

namespace peakscope {
namespace {

constexpr std::int64_t kElements = 5000; // above kLeastEightBit, and the last block of codes is short

OptimizerKind optimizerNamed(const std::string& name)
{
    for (const OptimizerDescription& one : optimizers()) {
        if (one.name == name)
            return &one;
    }
    return defaultOptimizer();
}

TrainingOptions optionsOf(const std::string& optimizer, double lr)
{
    TrainingOptions options;
    options.optimizer = optimizerNamed(optimizer);
    options.implementation = Implementation::Loop;
    options.lr = lr;
    return options;
}

at::Tensor weights(const at::TensorOptions& options, std::uint64_t seed = 5)
{
    at::manual_seed(seed);
    return at::randn({kElements}, at::kFloat).to(options).requires_grad_();
}

// `steps` updates of `tensor` by gradients that depend on the step alone.
void train(const TrainingOptions& options, at::Tensor& tensor, int steps)
{
    Parameter parameter;
    parameter.tensor = tensor;
    Optimizer optimizer(options, {parameter}, 1);
    for (int step = 0; step < steps; ++step) {
        at::manual_seed(100 + static_cast<std::uint64_t>(step));
        const at::Tensor gradient = at::randn({kElements}, at::kFloat).mul_(0.01).add_(0.002).to(at::kBFloat16);
        tensor.mutable_grad() = gradient.to(tensor.options().requires_grad(false));
        optimizer.step();
    }
}

CheckResult within(const std::string& name, double value, double bound)
{
    return {name, value <= bound, scientific(value) + ", at most " + scientific(bound)};
}

// bitsandbytes 0.50.2, functional.create_dynamic_map.
void checkCodes(const c10::Device& device, std::vector<CheckResult>& results)
{
    struct Reference {
        bool isSigned;
        std::array<double, 8> numbers; // of the codes 0, 1, 126, 127, 128, 200, 254, 255
        double sum;
    };
    constexpr Reference kReferences[] = {
        {true,
         {-0.992968738079071, -0.9789062738418579, -5.500000384017767e-07, 0, 5.500000384017767e-07,
          0.23359374701976776, 0.992968738079071, 1},
         1},
        {false,
         {0, 3.2500003044333425e-07, 0.09929687529802322, 0.103515625, 0.11054687201976776, 0.6167968511581421,
          0.9964843988418579, 1},
         75.1052632433869},
    };
    constexpr std::array<std::int64_t, 8> kCodes{0, 1, 126, 127, 128, 200, 254, 255};
    for (const Reference& reference : kReferences) {
        const std::string name = reference.isSigned ? "8-bit codes, signed: " : "8-bit codes, unsigned: ";
        const DynamicCode code(reference.isSigned, device);
        const at::Tensor book = code.book().cpu();
        bool same = true;
        for (std::size_t i = 0; i < kCodes.size(); ++i)
            same = same && book[kCodes[i]].item<double>() == reference.numbers[i];
        results.push_back({name + "the book is bitsandbytes'", same, "a number differs"});
        results.push_back(
            within(name + "their sum", std::abs(book.to(at::kDouble).sum().item<double>() - reference.sum), 1e-12));

        // Each number of the book times a scale is found again, and a block of zeros stays one.
        const at::TensorOptions wide = at::TensorOptions(at::kFloat).device(device);
        at::Tensor numbers = at::zeros({2 * kStateBlock}, wide);
        numbers.narrow(0, 0, kStateBlock).copy_(code.book() * 3);
        const at::Tensor before = numbers.clone();
        const at::Tensor codes = at::empty({2 * kStateBlock}, wide.dtype(at::kByte)), scales = at::empty({2}, wide);
        code.write(numbers, codes, scales);
        results.push_back(
            {name + "numbers of the book are kept", at::equal(code.read(codes, scales), before), "changed"});

        // Any other number becomes the nearest.
        at::manual_seed(3);
        at::Tensor drawn = at::randn({2 * kStateBlock}, wide);
        if (!reference.isSigned)
            drawn = drawn.abs();
        const at::Tensor kept = drawn.clone();
        code.write(drawn, codes, scales);
        const at::Tensor scale = scales.repeat_interleave(kStateBlock);
        const at::Tensor distances = (kept.unsqueeze(1) - scale.unsqueeze(1) * code.book().unsqueeze(0)).abs();
        const at::Tensor nearest = std::get<0>(distances.min(1));
        const double worse = ((code.read(codes, scales) - kept).abs() - nearest).max().item<double>();
        results.push_back(within(name + "codes are the nearest", worse, 1e-6));
    }
}

// Float32 masters take the very updates of float32 weights, and are rounded once.
void checkMasters(const at::Device& device, std::vector<CheckResult>& results)
{
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
        const at::TensorOptions narrow = at::TensorOptions(type).device(device);
        TrainingOptions options = optionsOf("adamw", 1e-3);
        at::Tensor plain = weights(narrow).detach().to(at::kFloat).requires_grad_();
        at::Tensor copied = weights(narrow);
        train(options, plain, 7);
        options.masters = true;
        train(options, copied, 7);
        results.push_back({std::string("masters: ") + at::toString(type) + " weights are float32's, rounded",
                           at::equal(plain.detach().to(type), copied.detach()), "bits differ"});
    }
}

// Updates of a thousandth of a bfloat16's last place: rounded to nearest they are lost.
void checkSmallUpdates(const at::Device& device, std::vector<CheckResult>& results)
{
    constexpr int kSteps = 2000; // several last places in all
    constexpr double kRate = 2e-5;
    const at::TensorOptions narrow = at::TensorOptions(at::kBFloat16).device(device);
    TrainingOptions options = optionsOf("adamw", kRate);
    at::Tensor reference = weights(narrow).detach().to(at::kFloat).requires_grad_();
    const at::Tensor start = reference.detach().clone();
    train(options, reference, kSteps);
    const at::Tensor moved = reference.detach() - start;
    // The mean of all weights tells what came of the updates; each weight alone is known to 1/256 of itself.
    const auto shareKept = [&](const TrainingOptions& training) {
        at::Tensor tensor = weights(narrow);
        train(training, tensor, kSteps);
        return ((tensor.detach().to(at::kFloat) - start).mean() / moved.mean()).item<double>();
    };
    const double nearest = shareKept(options);
    results.push_back(
        {"16 bits rounded to nearest lose small updates", nearest < 0.8, scientific(nearest) + " is kept"});
    options.rounding = WeightRounding::Kahan;
    results.push_back(within("kahan keeps small updates", std::abs(shareKept(options) - 1), 0.05));
    options.rounding = WeightRounding::Stochastic;
    results.push_back(within("stochastic rounding keeps small updates", std::abs(shareKept(options) - 1), 0.05));
}

// Without moments an update is known: Kahan's sum is float32's to the bits of two bfloat16.
void checkKahanSum(const at::Device& device, std::vector<CheckResult>& results)
{
    const at::TensorOptions narrow = at::TensorOptions(at::kBFloat16).device(device);
    TrainingOptions options = optionsOf("sgd", 1e-3);
    at::Tensor reference = weights(narrow).detach().to(at::kFloat).requires_grad_();
    at::Tensor kept = weights(narrow);
    train(options, reference, 50);
    options.rounding = WeightRounding::Kahan;
    train(options, kept, 50);
    const at::Tensor ratio = (kept.detach().to(at::kFloat) - reference.detach()).abs() / reference.detach().abs();
    results.push_back(
        within("kahan: weights are float32's to a bfloat16's last place", ratio.max().item<double>(), 1.0 / 256));
    // Half a place: nearest of the sum but where it lies on the border.
    const double same =
        at::eq(kept.detach(), reference.detach().to(at::kBFloat16)).to(at::kFloat).mean().item<double>();
    results.push_back({"kahan: nearly all are float32's, rounded", same > 0.97, scientific(same)});
}

void checkEightBit(const at::Device& device, std::vector<CheckResult>& results)
{
    const at::TensorOptions wide = at::TensorOptions(at::kFloat).device(device);
    at::Tensor reference = weights(wide), coded = weights(wide);
    const at::Tensor start = reference.detach().clone();
    train(optionsOf("adamw", 1e-3), reference, 20);
    train(optionsOf("adamw8bit", 1e-3), coded, 20);
    const double moved = (reference.detach() - start).norm().item<double>();
    const double apart = (reference.detach() - coded.detach()).norm().item<double>();
    results.push_back(within("adamw8bit: apart from AdamW's way, of its length", apart / moved, 0.1));
    results.push_back({"adamw8bit: states are in fewer bits", apart > 0, "the same bits"});
    // bitsandbytes 0.50.2's AdamW8bit on a CPU: five steps of sin(0.11 i) by gradients 0.1 cos(0.07 i (step + 1)).
    const auto line = [&](double step, bool cosine) {
        std::vector<float> values;
        for (int i = 0; i < 4096; ++i)
            values.push_back(static_cast<float>(cosine ? 0.1 * std::cos(step * i) : std::sin(step * i)));
        return at::tensor(values, at::TensorOptions(at::kFloat)).to(device);
    };
    Parameter theirs;
    theirs.tensor = line(0.11, false).requires_grad_();
    Optimizer steps(optionsOf("adamw8bit", 1e-2), {theirs}, 1);
    for (int step = 0; step < 5; ++step) {
        theirs.tensor.mutable_grad() = line(0.07 * (step + 1), true);
        steps.step();
    }
    const at::Tensor stepped = theirs.tensor.detach().cpu().to(at::kDouble);
    results.push_back(within("adamw8bit: the norm is bitsandbytes'",
                             std::abs(stepped.norm().item<double>() / 45.24916087521348 - 1), 1e-5));
    results.push_back(within("adamw8bit: the sum is bitsandbytes'",
                             std::abs(stepped.sum().item<double>() - 18.51628745684866), 1e-2));
    // Small tensors keep float32 states.
    at::Tensor small = weights(wide).detach().narrow(0, 0, 64).clone().requires_grad_(),
               twin = small.detach().clone().requires_grad_();
    for (auto& [tensor, name] : {std::pair<at::Tensor&, const char*>(small, "adamw"), {twin, "adamw8bit"}}) {
        Parameter parameter;
        parameter.tensor = tensor;
        Optimizer optimizer(optionsOf(name, 1e-3), {parameter}, 1);
        for (int step = 0; step < 3; ++step) {
            tensor.mutable_grad() = at::full({64}, 0.01 * (step + 1), wide);
            optimizer.step();
        }
    }
    results.push_back(
        {"adamw8bit: a small tensor's update is AdamW's", at::equal(small.detach(), twin.detach()), "bits differ"});
}

// Two steps of a small network whose first weight is also its last.
std::vector<at::Tensor> trainedNetwork(const at::Device& device, const TrainingOptions& options, bool inBackward)
{
    at::manual_seed(8);
    std::vector<at::Tensor> tensors;
    std::vector<Parameter> parameters;
    for (int i = 0; i < 3; ++i) {
        tensors.push_back(at::randn({64, 64}, at::TensorOptions(at::kFloat).device(device)).requires_grad_());
        parameters.push_back({{}, tensors.back(), 0});
    }
    Optimizer optimizer(options, parameters, 1);
    if (inBackward)
        optimizer.stepInBackward();
    for (int step = 0; step < 2; ++step) {
        at::Tensor x = at::ones({2, 64}, tensors.front().options().requires_grad(false)).mul_(0.1 * (step + 1));
        for (const std::size_t i : {0, 1, 2, 0})
            x = at::tanh(at::matmul(x, tensors[i]));
        for (at::Tensor& tensor : tensors)
            tensor.mutable_grad().reset();
        x.square().mean().backward();
        if (!inBackward)
            optimizer.step();
    }
    return tensors;
}

void checkInBackward(const at::Device& device, std::vector<CheckResult>& results)
{
    for (const char* optimizer : {"adamw", "adamw8bit", "lion"}) {
        const TrainingOptions options = optionsOf(optimizer, 1e-2);
        const auto after = trainedNetwork(device, options, false), within = trainedNetwork(device, options, true);
        bool same = true, gone = true;
        for (std::size_t i = 0; i < after.size(); ++i) {
            same = same && at::equal(after[i].detach(), within[i].detach());
            gone = gone && !within[i].grad().defined();
        }
        results.push_back(
            {std::string("in backward: ") + optimizer + " takes the ordinary steps", same, "bits differ"});
        results.push_back({std::string("in backward: ") + optimizer + " keeps no gradient", gone, "one is left"});
    }
}

} // namespace

std::vector<CheckResult> wideUpdateChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const at::Device place(device);
    checkCodes(place, results);
    checkMasters(place, results);
    checkKahanSum(place, results);
    checkSmallUpdates(place, results);
    checkEightBit(place, results);
    checkInBackward(place, results);
    for (CheckResult& result : results)
        result.name = "precision: " + result.name;
    return results;
}

} // namespace peakscope
