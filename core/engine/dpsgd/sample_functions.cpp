// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/sample_functions.h"

#include "core/engine/dpsgd/sample_tape.h"
#include "core/engine/model/checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

SampleTape& tapeOfBackward()
{
    SampleTape* tape = SampleTape::current();
    TORCH_CHECK(tape != nullptr, "backward of a clipped step outside of it");
    TORCH_CHECK(!at::GradMode::is_enabled(), "a clipped step has no second derivative");
    return *tape;
}

bool trained(const at::Tensor& parameter)
{
    return parameter.defined() && parameter.requires_grad();
}

at::Tensor flattened(const at::Tensor& x)
{
    return x.reshape({-1, x.size(-1)});
}

// [B, T, width] in memory of that order.
at::Tensor asSamples(const at::Tensor& rows, std::int64_t samples)
{
    return rows.view({samples, -1, rows.size(-1)});
}

std::vector<std::int64_t> withLast(const at::Tensor& x, std::int64_t width)
{
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = width;
    return shape;
}

// The type that autocast would compute a product in.
at::ScalarType productType(const at::Tensor& x, const at::Tensor& weight)
{
    const AutocastState autocast = AutocastState::current(x.device().type());
    return autocast.enabled ? autocast.dtype : weight.scalar_type();
}

// Function::apply takes no undefined tensor.
c10::optional<at::Tensor> optionally(const at::Tensor& x)
{
    return x.defined() ? c10::optional<at::Tensor>(x) : c10::nullopt;
}

at::Tensor converted(const at::Tensor& x, at::ScalarType type)
{
    return x.defined() ? x.to(type) : x;
}

// y = x W^T + b (or x W + b). Saves x where W is trained and W where x needs a gradient, as LibTorch's does.
struct SampleLinearFunction : torch::autograd::Function<SampleLinearFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const c10::optional<at::Tensor>& given, bool transposed)
    {
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const at::Tensor bias = given.value_or(at::Tensor());
        const at::Tensor matrix = weight.to(x.scalar_type());
        const at::Tensor rows = flattened(x);
        const at::Tensor offset = converted(bias, x.scalar_type());
        const at::Tensor out = transposed ? at::addmm(offset, rows, matrix) : at::linear(rows, matrix, offset);
        context->save_for_backward({trained(weight) ? x : at::Tensor(), x.requires_grad() ? matrix : at::Tensor(),
                                    weight, trained(bias) ? bias : at::Tensor()});
        context->saved_data["transposed"] = transposed;
        return out.view(withLast(x, out.size(1)));
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        SampleTape& tape = tapeOfBackward();
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &matrix = saved[1], &weight = saved[2], &bias = saved[3];
        const bool transposed = context->saved_data["transposed"].toBool();
        const std::int64_t samples = gradients[0].size(0);
        const std::vector<std::int64_t> shape = gradients[0].sizes().vec();
        const at::Tensor g = flattened(std::move(gradients[0]));
        gradients.clear();
        variable_list result(4);
        if (tape.pass() == SampleTape::Pass::Norms) {
            if (x.defined())
                tellProduct(tape, weight, asSamples(g, samples), asSamples(flattened(x), samples), transposed);
            if (bias.defined())
                tape.addVector(bias, asSamples(g, samples).sum(1));
        } else {
            if (x.defined() && tape.wantsGradient(weight))
                result[1] =
                    tape.productGradient(weight, weightGradient(flattened(x), g, transposed).to(weight.scalar_type()));
            if (bias.defined() && tape.wantsGradient(bias))
                result[2] = g.sum(0).to(bias.scalar_type());
        }
        if (matrix.defined())
            result[0] = at::mm(g, transposed ? matrix.t() : matrix).view(inputShape(shape, matrix, transposed));
        return result;
    }

    static void tellProduct(SampleTape& tape, const at::Tensor& weight, const at::Tensor& g, const at::Tensor& x,
                            bool transposed)
    {
        if (transposed)
            tape.addProduct(weight, x, g);
        else
            tape.addProduct(weight, g, x);
    }

    static at::Tensor weightGradient(const at::Tensor& x, const at::Tensor& g, bool transposed)
    {
        return transposed ? at::mm(x.t(), g) : at::mm(g.t(), x);
    }

    static std::vector<std::int64_t> inputShape(std::vector<std::int64_t> shape, const at::Tensor& matrix,
                                                bool transposed)
    {
        shape.back() = matrix.size(transposed ? 0 : 1);
        return shape;
    }
};

// base + scale · (x Aᵀ) Bᵀ, in base's own memory; base [N, out], x [B, T, in]. Saves x and x Aᵀ.
struct SampleAdapterFunction : torch::autograd::Function<SampleAdapterFunction> {
    static at::Tensor forward(AutogradContext* context, at::Tensor base, const at::Tensor& x, const at::Tensor& a,
                              const at::Tensor& b, double scale)
    {
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const at::Tensor first = a.to(x.scalar_type()), second = b.to(base.scalar_type());
        const at::Tensor inner = at::mm(flattened(x), first.t());
        base.addmm_(inner, second.t(), 1, scale);
        context->mark_dirty({base});
        context->save_for_backward({x, inner, first, second, a, b});
        context->saved_data["scale"] = scale;
        context->saved_data["wants_base"] = base.requires_grad();
        context->saved_data["wants_x"] = x.requires_grad();
        return base;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        SampleTape& tape = tapeOfBackward();
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &inner = saved[1], &first = saved[2], &second = saved[3];
        const at::Tensor &a = saved[4], &b = saved[5];
        const double scale = context->saved_data["scale"].toDouble();
        const std::int64_t samples = x.size(0);
        const at::Tensor g = flattened(gradients[0]);
        const at::Tensor scaled = at::mm(g, second).mul_(scale); // gradient of x Aᵀ, [N, rank]
        variable_list result(5);
        if (tape.pass() == SampleTape::Pass::Norms) {
            tape.addProduct(b, asSamples(g, samples), asSamples(inner * scale, samples));
            tape.addProduct(a, asSamples(scaled, samples), asSamples(flattened(x), samples));
        } else {
            if (tape.wantsGradient(a))
                result[2] = at::mm(scaled.t(), flattened(x)).to(a.scalar_type());
            if (tape.wantsGradient(b))
                result[3] = at::mm(g.t(), inner).mul_(scale).to(b.scalar_type());
        }
        if (context->saved_data["wants_base"].toBool())
            result[0] = gradients[0];
        if (context->saved_data["wants_x"].toBool())
            result[1] = at::mm(scaled, first).view(x.sizes());
        return result;
    }
};

struct SampleLayerNormFunction : torch::autograd::Function<SampleLayerNormFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias, double eps)
    {
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        auto [out, mean, scale] = at::native_layer_norm(x, weight.sizes(), weight, bias, eps);
        context->save_for_backward({x, mean, scale, weight, bias});
        context->saved_data["wants_x"] = x.requires_grad();
        return out;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        SampleTape& tape = tapeOfBackward();
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &mean = saved[1], &scale = saved[2], &weight = saved[3], &bias = saved[4];
        const at::Tensor& g = gradients[0];
        const bool wantsX = context->saved_data["wants_x"].toBool();
        const bool weighted = tape.pass() == SampleTape::Pass::Weighted;
        const bool whole = weighted || x.size(0) == 1; // one sample's gradients are the whole ones
        const bool wantsWeight = weighted ? tape.wantsGradient(weight) : x.size(0) == 1;
        auto [inputGradient, weightGradient, biasGradient] = at::native_layer_norm_backward(
            g, x, weight.sizes(), mean, scale, weight, bias, {wantsX, whole && wantsWeight, whole && wantsWeight});
        if (weighted)
            return {inputGradient, weightGradient, biasGradient, at::Tensor()};
        if (whole) {
            tape.addVector(weight, weightGradient.unsqueeze(0));
            tape.addVector(bias, biasGradient.unsqueeze(0));
        } else {
            tellSamples(tape, g, x, mean, scale, weight, bias);
        }
        return {inputGradient, at::Tensor(), at::Tensor(), at::Tensor()};
    }

    static void tellSamples(SampleTape& tape, const at::Tensor& g, const at::Tensor& x, const at::Tensor& mean,
                            const at::Tensor& scale, const at::Tensor& weight, const at::Tensor& bias)
    {
        const at::Tensor weights = at::empty({x.size(0), weight.size(0)}, weight.options());
        const at::Tensor biases = at::empty({x.size(0), bias.size(0)}, bias.options());
        for (std::int64_t b = 0; b < x.size(0); ++b) {
            const auto sample = at::native_layer_norm_backward(g[b], x[b], weight.sizes(), mean[b], scale[b], weight,
                                                               bias, {false, true, true});
            weights[b].copy_(std::get<1>(sample));
            biases[b].copy_(std::get<2>(sample));
        }
        tape.addVector(weight, weights);
        tape.addVector(bias, biases);
    }
};

struct SampleEmbeddingFunction : torch::autograd::Function<SampleEmbeddingFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& table, const at::Tensor& tokens)
    {
        context->save_for_backward({table, tokens});
        return at::embedding(table, tokens);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        SampleTape& tape = tapeOfBackward();
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &table = saved[0], &tokens = saved[1];
        variable_list result(2);
        if (tape.pass() == SampleTape::Pass::Norms)
            tape.addRows(table, tokens, gradients[0]);
        else if (tape.wantsGradient(table))
            result[0] = tape.lookupGradient(
                table, at::embedding_dense_backward(gradients[0], tokens, table.size(0), -1, false));
        return result;
    }
};

struct SamplePositionsFunction : torch::autograd::Function<SamplePositionsFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& table,
                              std::int64_t offset)
    {
        context->save_for_backward({table});
        context->saved_data["offset"] = offset;
        context->saved_data["wants_x"] = x.requires_grad();
        return x + table.narrow(0, offset, x.size(1));
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        SampleTape& tape = tapeOfBackward();
        const at::Tensor table = context->get_saved_variables()[0];
        const std::int64_t offset = context->saved_data["offset"].toInt();
        variable_list result(3);
        if (tape.pass() == SampleTape::Pass::Norms) {
            tape.addPositions(table, offset, gradients[0]);
        } else if (tape.wantsGradient(table)) {
            result[1] = at::zeros(table.sizes(), table.options());
            result[1].narrow(0, offset, gradients[0].size(1)).copy_(gradients[0].sum(0));
        }
        if (context->saved_data["wants_x"].toBool())
            result[0] = gradients[0];
        return result;
    }
};

// A wide adapter's two products, each with its own samples; x [B, T, in].
at::Tensor addWideSamples(const Linear& linear, const at::Tensor& x, at::Tensor base)
{
    const Adapter& adapter = linear.adapter;
    const ModuleScope scope(adapter.module);
    const auto product = [](const at::Tensor& input, const at::Tensor& weight) {
        return SampleLinearFunction::apply(input, weight, c10::optional<at::Tensor>(), false);
    };
    const at::Tensor wide = x.to(productType(x, adapter.a));
    at::Tensor delta = product(product(wide, adapter.a), adapter.b) * adapter.scale;
    return withWide(linear, std::move(base), delta.view({-1, delta.size(-1)}));
}

} // namespace

at::Tensor sampleLinear(const Linear& linear, const at::Tensor& x)
{
    const AutocastState autocast = AutocastState::current(x.device().type());
    const at::Tensor input =
        x.to(autocast.enabled ? autocast.dtype : c10::typeMetaToScalarType(linear.options().dtype()));
    if (trained(linear.weight))
        return SampleLinearFunction::apply(input, linear.weight, optionally(linear.bias), linear.transposed);
    const at::Tensor rows = flattened(input);
    at::Tensor out = linear.quantized    ? quantizedRows(linear, rows)
                     : linear.transposed ? at::addmm(linear.bias, rows, linear.weight)
                                         : at::linear(rows, linear.weight, linear.bias);
    if (linear.hasWideAdapter()) {
        out = addWideSamples(linear, input, std::move(out));
    } else if (linear.adapter.a.defined()) {
        const ModuleScope scope(linear.adapter.module);
        out = SampleAdapterFunction::apply(out, input, linear.adapter.a, linear.adapter.b, linear.adapter.scale);
    }
    return out.view(withLast(x, out.size(1)));
}

at::Tensor sampleProduct(const at::Tensor& x, const at::Tensor& weight)
{
    if (!trained(weight))
        return at::linear(x, weight);
    return SampleLinearFunction::apply(x.to(productType(x, weight)), weight, c10::optional<at::Tensor>(), false);
}

at::Tensor sampleLayerNorm(const LayerNorm& norm, const at::Tensor& x)
{
    // Autocast computes it in float32 on CUDA and takes mixed types on a CPU.
    const bool widened = x.is_cuda() && AutocastState::current(x.device().type()).enabled;
    return SampleLayerNormFunction::apply(widened ? x.to(at::kFloat) : x, norm.weight, norm.bias, norm.eps);
}

at::Tensor sampleEmbedding(const at::Tensor& table, const at::Tensor& tokens)
{
    return SampleEmbeddingFunction::apply(table, tokens);
}

at::Tensor samplePositions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset)
{
    return SamplePositionsFunction::apply(x, table, offset);
}

} // namespace peakscope
