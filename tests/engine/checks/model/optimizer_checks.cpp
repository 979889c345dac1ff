// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/optimizer_checks.h"

#include "core/engine/training/optimizer.h"
#include "tests/engine/checks/model/model_case.h"

#include <ATen/ATen.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <array>
#include <cmath>

namespace peakscope {
namespace {

constexpr double kRate = 0.01;
constexpr int kUpdates = 5;

using TorchOptimizer = std::unique_ptr<torch::optim::Optimizer>;

template <typename Torch, typename Options>
TorchOptimizer torchOptimizer(std::vector<at::Tensor> tensors)
{
    return std::make_unique<Torch>(std::move(tensors), Options(kRate));
}

struct OptimizerCase {
    const char* name;
    std::array<double, 3> reference;                   // of tests/engine/data/make_optimizer_cases.py
    double (*constantGradient)(double p, double g);    // the parameter after kUpdates of one; null: no number's own
    TorchOptimizer (*torchs)(std::vector<at::Tensor>); // null: LibTorch has none
    bool roundsTogether = false;                       // torch.optim's foreach form rounds once more than its loop
};

// With one gradient Adam's corrected averages are the gradient and its square.
double afterAdam(double p, double g)
{
    return p - kUpdates * kRate * g / (std::abs(g) + 1e-8);
}

double afterAdamW(double p, double g)
{
    for (int i = 0; i < kUpdates; ++i)
        p = p * (1 - kRate * 0.01) - kRate * g / (std::abs(g) + 1e-8);
    return p;
}

double afterSgd(double p, double g)
{
    return p - kUpdates * kRate * g;
}

double afterLion(double p, double g)
{
    return p - kUpdates * kRate * (g > 0 ? 1 : -1);
}

// The average of t equal squares from zero on is 1 - 0.99^t of one.
double afterRmsprop(double p, double g)
{
    for (int t = 1; t <= kUpdates; ++t)
        p -= kRate * g / (std::sqrt(1 - std::pow(0.99, t)) * std::abs(g) + 1e-8);
    return p;
}

double afterAdagrad(double p, double g)
{
    for (int t = 1; t <= kUpdates; ++t)
        p -= kRate * g / (std::sqrt(t) * std::abs(g) + 1e-10);
    return p;
}

constexpr OptimizerCase kCases[] = {
    {"adam",
     {0.47194355633850504, -1.2952178251461857, 1.9519940824731716},
     afterAdam,
     torchOptimizer<torch::optim::Adam, torch::optim::AdamOptions>},
    {"adamw",
     {0.47170214425295576, -1.2945832530127359, 1.9510041438346983},
     afterAdamW,
     torchOptimizer<torch::optim::AdamW, torch::optim::AdamWOptions>},
    {"sgd", {0.5, -1.2624999999999997, 1.975}, afterSgd, torchOptimizer<torch::optim::SGD, torch::optim::SGDOptions>},
    {"lion", {0.48999999999999999, -1.3, 1.95}, afterLion, nullptr},
    {"rmsprop",
     {0.46028266534850487, -1.4660686930343672, 1.7358498712638548},
     afterRmsprop,
     torchOptimizer<torch::optim::RMSprop, torch::optim::RMSpropOptions>},
    {"adagrad",
     {0.49593490227264253, -1.2715396486181132, 1.9736965646449494},
     afterAdagrad,
     torchOptimizer<torch::optim::Adagrad, torch::optim::AdagradOptions>,
     true},
    {"muon", {0.47170214425295576, -1.2945832530127359, 1.9510041438346983}, afterAdamW, nullptr}, // of vectors
    {"adafactor", {0.50896440039207169, -1.2909322891705419, 1.945388765153292}, nullptr, nullptr},
};

const OptimizerCase* caseOf(const OptimizerDescription& optimizer)
{
    const auto found = std::find_if(std::begin(kCases), std::end(kCases),
                                    [&](const OptimizerCase& each) { return each.name == optimizer.name; });
    return found == std::end(kCases) ? nullptr : found;
}

Optimizer engineOptimizer(const OptimizerDescription& optimizer, const std::vector<at::Tensor>& tensors,
                          Implementation implementation = Implementation::Loop)
{
    TrainingOptions options;
    options.implementation = implementation;
    options.optimizer = &optimizer;
    options.lr = kRate;
    std::vector<Parameter> parameters;
    for (const at::Tensor& tensor : tensors)
        parameters.push_back({{}, tensor, 0});
    return {options, parameters, 0};
}

// Three numbers after kUpdates with gradient(place, step).
template <typename Gradient>
std::array<double, 3> updated(const OptimizerDescription& optimizer, const at::Device& device, Gradient gradient)
{
    const auto options = at::TensorOptions(at::kDouble);
    at::Tensor tensor = at::tensor({0.5, -1.25, 2.0}, options).to(device).requires_grad_();
    Optimizer engine = engineOptimizer(optimizer, {tensor});
    for (int step = 0; step < kUpdates; ++step) {
        tensor.mutable_grad() =
            at::tensor({gradient(0, step), gradient(1, step), gradient(2, step)}, options).to(device);
        engine.step();
    }
    const at::Tensor values = tensor.detach().cpu();
    return {values[0].item<double>(), values[1].item<double>(), values[2].item<double>()};
}

CheckResult compared(const std::string& name, const std::array<double, 3>& values, const std::array<double, 3>& right)
{
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i)
        worst = std::max(worst, std::abs(values[i] / right[i] - 1));
    return {name, worst < 1e-14, "off by " + scientific(worst)};
}

// Bit by bit, also where a parameter now and then has no gradient.
bool equalsTorch(const OptimizerDescription& optimizer, const OptimizerCase& entry, const at::TensorOptions& options)
{
    std::vector<at::Tensor> mine, theirs;
    for (const std::int64_t columns : {1, 33}) {
        mine.push_back(at::randn({9, columns}, at::kFloat).to(options).requires_grad_());
        theirs.push_back(mine.back().detach().clone().requires_grad_());
    }
    Optimizer engine = engineOptimizer(optimizer, mine);
    const TorchOptimizer torchs = entry.torchs(theirs);
    for (int step = 0; step < kUpdates; ++step) {
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const bool left = i == 1 && step % 2 == 1;
            mine[i].mutable_grad() = left ? at::Tensor() : at::randn(mine[i].sizes(), at::kFloat).to(options);
            theirs[i].mutable_grad() = mine[i].grad();
        }
        engine.step();
        torchs->step();
    }
    return at::equal(mine[0], theirs[0]) && at::equal(mine[1], theirs[1]);
}

// All parameters together against one after another, bit by bit where nothing is said of rounding.
bool sameTogether(const OptimizerDescription& optimizer, const at::TensorOptions& options, bool rounds)
{
    std::vector<at::Tensor> apart, together;
    for (const std::int64_t columns : {1, 33}) {
        apart.push_back(at::randn({9, columns}, at::kFloat).to(options).requires_grad_());
        together.push_back(apart.back().detach().clone().requires_grad_());
    }
    Optimizer loop = engineOptimizer(optimizer, apart);
    Optimizer all = engineOptimizer(optimizer, together, Implementation::Foreach);
    for (int step = 0; step < kUpdates; ++step) {
        for (std::size_t i = 0; i < apart.size(); ++i) {
            const bool left = i == 1 && step % 2 == 1;
            apart[i].mutable_grad() = left ? at::Tensor() : at::randn(apart[i].sizes(), at::kFloat).to(options);
            together[i].mutable_grad() = left ? at::Tensor() : apart[i].grad().clone();
        }
        loop.step();
        all.step();
    }
    const double bound = rounds ? 4 * std::ldexp(1.0, options.dtype() == at::kBFloat16 ? -8 : -24) : 0;
    return at::allclose(apart[0], together[0], bound, bound) && at::allclose(apart[1], together[1], bound, bound);
}

void checkOptimizer(const OptimizerDescription& optimizer, const at::Device& device, std::vector<CheckResult>& results)
{
    const std::string name = "optimizer: " + optimizer.name;
    const OptimizerCase* entry = caseOf(optimizer);
    if (entry == nullptr) {
        results.push_back({name, false, "has no case"});
        return;
    }
    const auto falling = [](int place, int step) { return (place + 1) * 0.25 - 0.125 * step; };
    results.push_back(
        compared(name + " against the stored reference", updated(optimizer, device, falling), entry->reference));

    const auto constant = [](int place, int) { return place == 1 ? -3.0 : 0.25 * (place + 1); };
    if (entry->constantGradient != nullptr) {
        results.push_back(
            compared(name + " with one gradient", updated(optimizer, device, constant),
                     {entry->constantGradient(0.5, constant(0, 0)), entry->constantGradient(-1.25, constant(1, 0)),
                      entry->constantGradient(2, constant(2, 0))}));
    }
    at::manual_seed(4);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        if (optimizer.orthogonalises())
            break; // has no such form
        results.push_back({name + " of all together in " + at::toString(type),
                           sameTogether(optimizer, at::TensorOptions(type).device(device), entry->roundsTogether),
                           "bits differ"});
    }
    if (entry->torchs == nullptr)
        return;
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
        results.push_back({name + " is LibTorch's in " + at::toString(type),
                           equalsTorch(optimizer, *entry, at::TensorOptions(type).device(device)), "bits differ"});
    }
}

} // namespace

std::vector<CheckResult> optimizerChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    for (const OptimizerDescription& optimizer : optimizers()) {
        if (optimizer.eightBit != EightBitStates::None)
            continue; // AdamW's numbers, of codes: wideUpdateChecks
        checkOptimizer(optimizer, at::Device(device), results);
    }
    return results;
}

} // namespace peakscope
