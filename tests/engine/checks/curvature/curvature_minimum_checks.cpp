// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Float32 where a model knows its batch by heart: probabilities are almost the targets, the whole curvature comes from
// what they miss, and whatever is rounded before that difference is taken is as large as the answer.
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace peakscope {
namespace {

constexpr double kLoss = 1e-3;
constexpr int kMostSteps = 1000;

// Adam (Kingma and Ba 2015) down to kLoss; returns the loss it came to.
double learnByHeart(CurvatureCase& one)
{
    constexpr double kRate = 0.01, kMomentum = 0.9, kScale = 0.99;
    const at::NoGradGuard guard;
    const at::Tensor gradient = one.space().vector();
    const at::Tensor mean = at::zeros_like(gradient), square = at::zeros_like(gradient);
    const std::vector<at::Tensor> weights = one.space().weights();
    double loss = 0;
    for (int step = 1; step <= kMostSteps; ++step) {
        {
            const at::AutoGradMode graph(true);
            loss = one.surface().gradient(gradient);
        }
        if (loss < kLoss)
            break;
        mean.mul_(kMomentum).add_(gradient, 1 - kMomentum);
        square.mul_(kScale).addcmul_(gradient, gradient, 1 - kScale);
        const at::Tensor spread = (square / (1 - std::pow(kScale, step))).sqrt_().add_(1e-10);
        const at::Tensor move = mean / (1 - std::pow(kMomentum, step)) / spread;
        const auto moves = one.space().views(move);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i].sub_(moves[i], kRate);
    }
    return loss;
}

// Both get the float32 numbers, so that only arithmetic differs.
void shareWeights(CurvatureCase& wide, CurvatureCase& narrow)
{
    const at::NoGradGuard guard;
    const auto exact = wide.space().weights(), rounded = narrow.space().weights();
    for (std::size_t i = 0; i < exact.size(); ++i) {
        rounded[i].copy_(exact[i]);
        exact[i].copy_(rounded[i]);
    }
}

void addMinimumChecks(const std::string& family, const ModelConfig& config, const std::string& device,
                      std::vector<CheckResult>& results)
{
    const std::string name = "curvature: " + family + " near a minimum, float32, ";
    CurvatureCase wide(config, at::TensorOptions(at::kDouble).device(device), 2, 9, 2);
    CurvatureCase narrow(config, at::TensorOptions(at::kFloat).device(device), 2, 9, 2);
    const double loss = learnByHeart(wide);
    results.push_back(boundCheck(name + "loss", loss, kLoss, "training came to"));
    shareWeights(wide, narrow);

    const at::Tensor rounded = narrow.space().vector();
    fillNormal(rounded, 3, DrawPurpose::SymmetryProbe, 0);
    const std::vector<at::Tensor> right{wide.space().vector()}, found{narrow.space().vector()};
    const auto error = [&] { return relativeDistance(found[0].to(at::kDouble), right[0]); };
    // As near to float64 as autograd comes in float32: its sums are only in another order.
    const auto add = [&](const std::string& what, double autograd, double bound) {
        results.push_back(boundCheck(name + what, error() / autograd, bound, "error, as a multiple of autograd's, is"));
    };
    wide.surface().products({rounded.to(at::kDouble)}, right);
    narrow.surface().products({rounded}, found);
    const double ofProduct = error();
    narrow.routes().products({rounded}, found, false);
    add("tangents of forward and backward", ofProduct, 2);
    narrow.routes().reverseOverForward(rounded, found[0]);
    add("reverse over forward", ofProduct, 2);

    wide.surface().gradient(right[0]);
    narrow.surface().gradient(found[0]);
    const double ofGradient = error();
    narrow.routes().gradient(found[0]);
    add("gradient", ofGradient, 1.5);
}

} // namespace

std::vector<CheckResult> curvatureMinimumChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    try {
        for (auto [family, config] : smallConfigs()) {
            if (config.logitCap > 0)
                config.logitCap = 12; // a lower one keeps every loss away from 0
            addMinimumChecks(family, config, device, results);
        }
    } catch (const std::exception& exception) {
        results.push_back({"curvature: near a minimum", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
