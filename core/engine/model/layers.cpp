// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/layers.h"

#include "core/engine/model/checkpoint.h"
#include "core/engine/model/sample_sink.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sum.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// float64 stays; everything narrower is computed in float32.
at::Tensor widened(const at::Tensor& x)
{
    return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
}

// 1 / sqrt(mean(x²) + eps) of each row, [..., 1], without a squared copy of x.
at::Tensor reciprocalRms(const at::Tensor& wide, double eps)
{
    const at::Tensor norm = at::linalg_vector_norm(wide, 2, at::IntArrayRef{-1}, /*keepdim=*/true);
    return at::rsqrt(norm * norm / static_cast<double>(wide.size(-1)) + eps);
}

// Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), eq. 4, rounded as Hugging Face's Llama does.
struct RmsNormFunction : torch::autograd::Function<RmsNormFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double eps,
                              bool shifted)
    {
        at::Tensor wide = widened(x);
        const at::Tensor scale = reciprocalRms(wide, eps);
        context->save_for_backward({x, weight, scale});
        context->saved_data["eps"] = eps;
        context->saved_data["shifted"] = shifted;
        if (shifted) { // as in Hugging Face's Gemma, rounded once
            const at::Tensor gain = widened(weight) + 1;
            return (wide * scale).mul_(gain).to(x.scalar_type());
        }
        return (wide * scale).to(x.scalar_type()) * weight;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& x = saved[0];
        const at::Tensor& weight = saved[1];
        const at::Tensor wide = widened(x);
        // The saved number a row has no graph of its own: a second derivative needs it computed anew.
        const at::Tensor scale =
            at::GradMode::is_enabled() ? reciprocalRms(wide, context->saved_data["eps"].toDouble()) : saved[2];
        const at::Tensor normed = wide * scale;
        const bool shifted = context->saved_data["shifted"].toBool();
        at::Tensor weightGradient;
        if (weight.requires_grad()) {
            const at::Tensor& factor = shifted ? normed : normed.to(x.scalar_type());
            weightGradient = gradientOfWeight(widened(gradients[0]) * factor, weight);
        }
        const at::Tensor gain = shifted ? widened(weight) + 1 : weight;
        const at::Tensor inner = widened(gradients[0]) * gain;
        const at::Tensor overlap = at::mean(inner * normed, at::IntArrayRef{-1}, /*keepdim=*/true);
        const at::Tensor inputGradient = ((inner - normed * overlap) * scale).to(x.scalar_type());
        return {inputGradient, weightGradient, at::Tensor(), at::Tensor()};
    }

    // rows [B, …, width] -> [width], or nothing where a clipped step is told each sample's instead.
    static at::Tensor gradientOfWeight(const at::Tensor& rows, const at::Tensor& weight)
    {
        SampleSink* sink = SampleSink::current();
        if (sink != nullptr && sink->wantsSamples()) {
            sink->addVector(weight, rows.flatten(1, -2).sum(1).to(weight.scalar_type()));
            return {};
        }
        if (sink != nullptr && !sink->wantsGradient(weight))
            return {};
        return rows.reshape({-1, weight.size(0)}).sum(0).to(weight.scalar_type());
    }
};

// Adds to the base layer's rows in their own buffer, so that no second tensor of their size is made; keeps a x for
// backward, [N, rank]. Autocast knows no addition in place, so b is converted by hand.
at::Tensor addAdapter(const Adapter& adapter, const at::Tensor& rows, at::Tensor base)
{
    const ModuleScope scope(adapter.module);
    const at::Tensor inner = at::linear(rows, adapter.a);
    return base.addmm_(inner, adapter.b.to(base.scalar_type()).t(), 1, adapter.scale);
}

// As peft: in the adapter's type, of a copy of x in it that backward keeps.
at::Tensor addWideAdapter(const Linear& linear, const at::Tensor& rows, at::Tensor base)
{
    const Adapter& adapter = linear.adapter;
    const ModuleScope scope(adapter.module);
    const bool cast = !linear.quantized || !AutocastState::current(rows.device().type()).enabled;
    const at::Tensor wide = cast ? rows.to(adapter.a.scalar_type()) : rows;
    at::Tensor delta = at::linear(at::linear(wide, adapter.a), adapter.b) * adapter.scale;
    return withWide(linear, std::move(base), std::move(delta));
}

at::Tensor applyLinear(const Linear& linear, const at::Tensor& x)
{
    if (SampleSink* sink = SampleSink::current())
        return sink->linear(linear, x);
    const bool adapted = linear.adapter.a.defined();
    if (!linear.transposed && !adapted && !linear.quantized)
        return at::linear(x, linear.weight, linear.bias);
    const at::Tensor rows = x.reshape({-1, x.size(-1)});
    at::Tensor out = linear.quantized    ? quantizedRows(linear, rows)
                     : linear.transposed ? at::addmm(linear.bias, rows, linear.weight)
                                         : at::linear(rows, linear.weight, linear.bias);
    if (linear.hasWideAdapter())
        out = addWideAdapter(linear, rows, std::move(out));
    else if (adapted)
        out = addAdapter(linear.adapter, rows, std::move(out));
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = out.size(1);
    return out.view(shape);
}

} // namespace

at::Tensor withWide(const Linear& linear, at::Tensor base, at::Tensor delta)
{
    const at::ScalarType type = base.scalar_type();
    if (linear.quantized)
        delta = delta.to(type);
    base = base + delta;
    delta.reset();
    return base.to(type);
}

at::Tensor quantizedRows(const Linear& linear, const at::Tensor& x)
{
    const AutocastState autocast = AutocastState::current(x.device().type());
    const at::Tensor input = x.to(autocast.enabled ? autocast.dtype : linear.quantized->type());
    return quantizedProduct(linear.quantized, linear.bias, linear.transposed, input);
}

at::Tensor apply(const Linear& linear, const at::Tensor& x)
{
    if (linear.module == 0)
        return applyLinear(linear, x);
    const ModuleScope scope(linear.module);
    return applyLinear(linear, x);
}

at::Tensor apply(const LayerNorm& norm, const at::Tensor& x)
{
    if (SampleSink* sink = SampleSink::current(); sink && norm.weight.defined() && norm.weight.requires_grad())
        return sink->layerNorm(norm, x);
    return at::layer_norm(x, {norm.width}, norm.weight, norm.bias, norm.eps);
}

at::Tensor apply(const RmsNorm& norm, const at::Tensor& x)
{
    return RmsNormFunction::apply(x, norm.weight, norm.eps, norm.shifted);
}

at::Tensor embedTokens(const at::Tensor& table, const at::Tensor& tokens)
{
    if (SampleSink* sink = SampleSink::current(); sink && table.requires_grad())
        return sink->embedding(table, tokens);
    return at::embedding(table, tokens);
}

at::Tensor addPositions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset)
{
    if (SampleSink* sink = SampleSink::current(); sink && table.requires_grad())
        return sink->positions(x, table, offset);
    return x + table.narrow(0, offset, x.size(1));
}

at::Tensor activate(Activation activation, const at::Tensor& x)
{
    switch (activation) {
    case Activation::Relu:
        return at::relu(x);
    case Activation::Gelu:
        return at::gelu(x);
    case Activation::GeluTanh:
        return at::gelu(x, "tanh");
    case Activation::Silu:
        break;
    }
    return at::silu(x);
}

double roundedTo(double factor, at::ScalarType type)
{
    switch (type) {
    case at::kBFloat16:
        return static_cast<float>(c10::BFloat16(static_cast<float>(factor)));
    case at::kHalf:
        return static_cast<float>(c10::Half(static_cast<float>(factor)));
    default:
        return factor;
    }
}

at::Tensor splitHeads(const at::Tensor& x, std::int64_t heads)
{
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads});
}

} // namespace peakscope
