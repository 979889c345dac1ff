// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/rope.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The frequencies without a scaling: base^(-2i / dimension).
std::vector<double> plainFrequencies(double base, std::int64_t dimension, std::int64_t pairs)
{
    std::vector<double> frequencies(static_cast<std::size_t>(pairs));
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(dimension));
    return frequencies;
}

// Dynamic NTK-aware base (Hugging Face: _compute_dynamic_ntk_parameters).
double dynamicBase(const ModelConfig& config, std::int64_t sequence)
{
    const double dimension = static_cast<double>(config.rotaryDim());
    const double trained = static_cast<double>(config.maxPositions);
    const double length = std::max(static_cast<double>(sequence), trained);
    const double factor = config.ropeScaling.factor;
    return config.ropeTheta * std::pow(factor * length / trained - (factor - 1), dimension / (dimension - 2));
}

// Llama 3.1: long wavelengths are divided by the factor, short ones stay, between them a linear mixture.
void scaleLlama3(std::vector<double>& frequencies, const RopeScaling& scaling)
{
    const double length = static_cast<double>(scaling.originalMaxPositions);
    for (double& frequency : frequencies) {
        const double wavelength = 2 * std::numbers::pi / frequency;
        if (wavelength > length / scaling.lowFreqFactor) {
            frequency /= scaling.factor;
        } else if (wavelength >= length / scaling.highFreqFactor) {
            const double smooth =
                (length / wavelength - scaling.lowFreqFactor) / (scaling.highFreqFactor - scaling.lowFreqFactor);
            frequency = (1 - smooth) * frequency / scaling.factor + smooth * frequency;
        }
    }
}

// YaRN (Peng et al. 2023), as in Hugging Face's _compute_yarn_parameters: dimensions that turn often keep their
// frequency, slow ones are interpolated, with a linear ramp between the two correction dimensions.
void scaleYarn(std::vector<double>& frequencies, const ModelConfig& config)
{
    const RopeScaling& scaling = config.ropeScaling;
    const double dimension = static_cast<double>(config.rotaryDim());
    const auto correction = [&](double rotations) {
        const double length = static_cast<double>(scaling.originalMaxPositions);
        return dimension * std::log(length / (rotations * 2 * std::numbers::pi)) / (2 * std::log(config.ropeTheta));
    };
    double low = correction(scaling.betaFast);
    double high = correction(scaling.betaSlow);
    if (scaling.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dimension - 1);
    if (low == high)
        high += 0.001; // as there: no division by zero
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
        frequencies[i] = frequencies[i] / scaling.factor * ramp + frequencies[i] * (1 - ramp);
    }
}

// Turns the pairs by +angle, or by -angle where `inverse`. Computed in the tables' precision at least.
at::Tensor rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, bool inverse)
{
    const std::int64_t half = cos.size(1);
    const at::Tensor c = cos.unsqueeze(1);
    const at::Tensor s = sin.unsqueeze(1);
    const at::Tensor first = x.narrow(-1, 0, half);
    const at::Tensor second = x.narrow(-1, half, half);
    at::Tensor out = at::empty_like(x, at::MemoryFormat::Contiguous);
    {
        at::Tensor part = first * c;
        const at::Tensor other = second * s;
        out.narrow(-1, 0, half).copy_(inverse ? part.add_(other) : part.sub_(other));
    }
    {
        at::Tensor part = second * c;
        const at::Tensor other = first * s;
        out.narrow(-1, half, half).copy_(inverse ? part.sub_(other) : part.add_(other));
    }
    const std::int64_t rest = x.size(-1) - 2 * half;
    if (rest > 0)
        out.narrow(-1, 2 * half, rest).copy_(x.narrow(-1, 2 * half, rest));
    return out;
}

// A rotation is its own derivative; its transpose turns back.
struct RotateFunction : torch::autograd::Function<RotateFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                              const at::Tensor& sin, bool inverse)
    {
        context->save_for_backward({cos, sin});
        context->saved_data["inverse"] = inverse;
        return rotated(x, cos, sin, inverse);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const variable_list saved = context->get_saved_variables();
        const bool inverse = context->saved_data["inverse"].toBool();
        return {RotateFunction::apply(gradients[0], saved[0], saved[1], !inverse), at::Tensor(), at::Tensor(),
                at::Tensor()};
    }
};

} // namespace

std::vector<double> ropeFrequencies(const ModelConfig& config, std::int64_t sequence)
{
    const RopeScaling& scaling = config.ropeScaling;
    const bool dynamic = scaling.kind == RopeScaling::Kind::DynamicNtk;
    const double base = dynamic ? dynamicBase(config, sequence) : config.ropeTheta;
    std::vector<double> frequencies = plainFrequencies(base, config.rotaryDim(), config.rotatedWidth() / 2);
    switch (scaling.kind) {
    case RopeScaling::Kind::Linear:
        for (double& frequency : frequencies)
            frequency /= scaling.factor;
        break;
    case RopeScaling::Kind::Llama3:
        scaleLlama3(frequencies, scaling);
        break;
    case RopeScaling::Kind::Yarn:
        scaleYarn(frequencies, config);
        break;
    case RopeScaling::Kind::LongRope: {
        const bool longer = sequence > scaling.originalMaxPositions;
        const std::vector<double>& factors = longer ? scaling.longFactors : scaling.shortFactors;
        for (std::size_t i = 0; i < frequencies.size(); ++i)
            frequencies[i] /= factors[i];
        break;
    }
    case RopeScaling::Kind::None:
    case RopeScaling::Kind::DynamicNtk:
        break;
    }
    return frequencies;
}

double ropeAttentionFactor(const RopeScaling& scaling)
{
    const bool longRope = scaling.kind == RopeScaling::Kind::LongRope;
    if (scaling.kind != RopeScaling::Kind::Yarn && !longRope)
        return 1;
    if (scaling.attentionFactor != 0)
        return scaling.attentionFactor;
    if (scaling.factor <= 1)
        return 1;
    const double growth = std::log(scaling.factor);
    return longRope ? std::sqrt(1 + growth / std::log(static_cast<double>(scaling.originalMaxPositions)))
                    : 0.1 * growth + 1;
}

RopeTables ropeTables(const ModelConfig& config, std::int64_t sequence, const c10::TensorOptions& options)
{
    const c10::TensorOptions wide = options.dtype(at::kDouble);
    const at::ScalarType stored = options.dtype() == at::kDouble ? at::kDouble : at::kFloat;
    // A row's last token predicts nothing and is not run here; Hugging Face's library runs it, and lets it count.
    const std::vector<double> frequencies = ropeFrequencies(config, sequence + 1);
    const at::Tensor angles = at::arange(sequence, wide).unsqueeze(1) *
                              at::tensor(at::ArrayRef<double>(frequencies), at::kDouble).to(options.device());
    const double factor = ropeAttentionFactor(config.ropeScaling);
    return {(angles.cos() * factor).to(stored), (angles.sin() * factor).to(stored)};
}

at::Tensor rotate(const at::Tensor& x, const RopeTables& tables)
{
    return RotateFunction::apply(x, tables.cos, tables.sin, false);
}

} // namespace peakscope
