// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Operations without parameters, and what all operations' files share.
#include "core/engine/curvature/tape/tape_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace peakscope {

const std::vector<at::Tensor>* denseSeeds(const TangentSeeds& seeds, std::size_t parameter)
{
    const auto found = seeds.dense.find(parameter);
    return found == seeds.dense.end() ? nullptr : &found->second;
}

const std::vector<SparseSeed>* sparseSeeds(const TangentSeeds& seeds, std::size_t parameter)
{
    const auto found = seeds.sparse.find(parameter);
    return found == seeds.sparse.end() ? nullptr : &found->second;
}

std::vector<at::Tensor>* denseSinks(TangentSinks& sinks, std::size_t parameter)
{
    const auto found = sinks.dense.find(parameter);
    return found == sinks.dense.end() ? nullptr : &found->second;
}

at::Tensor gradientSink(TapePass& pass, std::size_t parameter)
{
    if (!pass.gradientSinks())
        return {};
    const auto found = pass.gradientSinks()->find(parameter);
    return found == pass.gradientSinks()->end() ? at::Tensor() : found->second;
}

void addEntry(TangentSinks& sinks, std::int64_t direction, const at::Tensor& value)
{
    sinks.entryValues.data_ptr<double>()[direction] += value.item<double>();
}

at::Tensor zeroTangent(TapePass& pass, const TangentSeeds& seeds, std::int64_t width)
{
    const at::Tensor& any = pass.weight(0);
    return at::zeros({seeds.count, pass.tokens().size(0), pass.tokens().size(1), width},
                     at::TensorOptions(any.device()).dtype(any.scalar_type()));
}

at::Tensor asRows(const at::Tensor& x)
{
    return x.reshape({-1, x.size(-1)});
}

at::Tensor sumOf(const at::Tensor& left, const at::Tensor& right)
{
    if (!left.defined())
        return right;
    return right.defined() ? left + right : left;
}

at::Tensor lastSum(const at::Tensor& x)
{
    return x.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
}

at::Tensor softmaxTangent(const at::Tensor& p, const at::Tensor& x)
{
    if (!x.defined())
        return x;
    if (at::GradMode::is_enabled())
        return p * (x - lastSum(p * x));
    if (p.numel() == x.numel() && x.device().is_cpu()) // one pass over memory, not four
        return at::_softmax_backward_data(x, p.reshape(x.sizes()), -1, x.scalar_type());
    at::Tensor result = p * x;
    at::sub_out(result, x, lastSum(result));
    return result.mul_(p);
}

namespace {

// An operation that is linear in one input: its tangent, second derivative and adjoint's tangent are maps of the
// same kind.
class LinearMapOp : public TapeOp
{
public:
    void forward(TapePass& pass) const override { pass.value(output) = map(pass, pass.value(inputs[0])); }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        pass.setTangent(output, mapped(pass, pass.tangent(inputs[0])), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        if (pass.adjoint(output).defined())
            pass.addAdjoint(inputs[0], transposedMap(pass, pass.adjoint(output)));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds&, TangentSinks&) const override
    {
        if (pass.adjointTangent(output).defined() && pass.flowsBelow(index))
            pass.addAdjointTangent(inputs[0], transposedMap(pass, pass.adjointTangent(output)));
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        pass.setTangent(output, mapped(pass, pass.tangent(inputs[0])), seeds);
        pass.second(output) = mapped(pass, pass.second(inputs[0]));
    }

private:
    at::Tensor mapped(TapePass& pass, const at::Tensor& x) const { return x.defined() ? map(pass, x) : at::Tensor(); }
    virtual at::Tensor map(TapePass& pass, const at::Tensor& x) const = 0;
    virtual at::Tensor transposedMap(TapePass& pass, const at::Tensor& y) const = 0;
};

class ScaleOp final : public LinearMapOp
{
public:
    explicit ScaleOp(double factor) : m_factor(factor) {}

private:
    at::Tensor map(TapePass&, const at::Tensor& x) const override { return x * m_factor; }
    at::Tensor transposedMap(TapePass&, const at::Tensor& y) const override { return y * m_factor; }

    double m_factor;
};

class PickOp final : public LinearMapOp
{
public:
    PickOp(std::int64_t groups, const std::vector<std::int64_t>& sections, std::size_t part)
        : m_groups(groups), m_begin(std::accumulate(sections.begin(), sections.begin() + part, std::int64_t{0})),
          m_width(sections[part]), m_all(std::accumulate(sections.begin(), sections.end(), std::int64_t{0}))
    {}

private:
    // x's last dimension by groups, or as one again.
    at::Tensor grouped(const at::Tensor& x, std::int64_t width) const
    {
        std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end() - 1);
        shape.insert(shape.end(), {m_groups, width});
        return x.reshape(shape);
    }
    at::Tensor flat(const at::Tensor& x) const
    {
        std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end() - 1);
        shape.back() *= x.size(-1);
        return x.reshape(shape);
    }
    at::Tensor map(TapePass&, const at::Tensor& x) const override
    {
        return flat(grouped(x, m_all).narrow(-1, m_begin, m_width));
    }
    at::Tensor transposedMap(TapePass&, const at::Tensor& y) const override
    {
        const at::Tensor part = grouped(y, m_width);
        std::vector<std::int64_t> shape(part.sizes().begin(), part.sizes().end());
        shape.back() = m_all;
        const at::Tensor x = at::zeros(shape, y.options());
        x.narrow(-1, m_begin, m_width).copy_(part);
        return flat(x);
    }

    std::int64_t m_groups, m_begin, m_width, m_all; // of a group: where it begins, how wide it and the whole are
};

class RopeOp final : public LinearMapOp
{
public:
    RopeOp(const ModelConfig& config, std::int64_t heads) : m_config(config), m_heads(heads) {}

private:
    const std::vector<at::Tensor>& tables(TapePass& pass) const
    {
        std::vector<at::Tensor>& own = pass.kept(index);
        if (own.empty()) {
            const RopeTables made = ropeTables(m_config, pass.tokens().size(1), pass.weight(0).options());
            own = {made.cos.unsqueeze(1), made.sin.unsqueeze(1)}; // [T, 1, half]
        }
        return own;
    }
    at::Tensor turned(TapePass& pass, const at::Tensor& x, bool inverse) const
    {
        const at::Tensor& cos = tables(pass)[0];
        const at::Tensor sin = inverse ? -tables(pass)[1] : tables(pass)[1];
        std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end() - 1);
        shape.insert(shape.end(), {m_heads, x.size(-1) / m_heads});
        const at::Tensor heads = x.reshape(shape);
        const std::int64_t half = cos.size(-1);
        const at::Tensor first = heads.narrow(-1, 0, half), second = heads.narrow(-1, half, half);
        const at::Tensor rest = heads.narrow(-1, 2 * half, heads.size(-1) - 2 * half);
        return at::cat({first * cos - second * sin, second * cos + first * sin, rest}, -1).reshape(x.sizes());
    }
    at::Tensor map(TapePass& pass, const at::Tensor& x) const override { return turned(pass, x, false); }
    at::Tensor transposedMap(TapePass& pass, const at::Tensor& y) const override { return turned(pass, y, true); }

    ModelConfig m_config;
    std::int64_t m_heads;
};

class AddOp final : public TapeOp
{
public:
    void forward(TapePass& pass) const override { pass.value(output) = pass.value(inputs[0]) + pass.value(inputs[1]); }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        pass.setTangent(output, sumOf(pass.tangent(inputs[0]), pass.tangent(inputs[1])), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        for (const std::size_t input : inputs) {
            if (pass.adjoint(output).defined())
                pass.addAdjoint(input, pass.adjoint(output));
        }
    }
    void adjointTangent(TapePass& pass, const TangentSeeds&, TangentSinks&) const override
    {
        for (const std::size_t input : inputs) {
            if (pass.adjointTangent(output).defined())
                pass.addAdjointTangent(input, pass.adjointTangent(output));
        }
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        tangent(pass, seeds);
        pass.second(output) = sumOf(pass.second(inputs[0]), pass.second(inputs[1]));
    }
};

// The gate of a Llama feed-forward net.
class MultiplyOp final : public TapeOp
{
public:
    void forward(TapePass& pass) const override { pass.value(output) = pass.value(inputs[0]) * pass.value(inputs[1]); }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        pass.setTangent(output, crossed(pass, pass.tangent(inputs[0]), pass.tangent(inputs[1])), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        const at::Tensor& y = pass.adjoint(output);
        if (!y.defined())
            return;
        pass.addAdjoint(inputs[0], y * pass.value(inputs[1]));
        pass.addAdjoint(inputs[1], y * pass.value(inputs[0]));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds&, TangentSinks&) const override
    {
        const at::Tensor& y = pass.adjoint(output);
        const at::Tensor& dy = pass.adjointTangent(output);
        for (int side = 0; side < 2; ++side) {
            const std::size_t other = inputs[static_cast<std::size_t>(1 - side)];
            at::Tensor part = dy.defined() ? dy * pass.value(other) : at::Tensor();
            if (y.defined() && pass.tangent(other).defined())
                part = sumOf(part, y * pass.tangent(other));
            if (part.defined())
                pass.addAdjointTangent(inputs[static_cast<std::size_t>(side)], part);
        }
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor a = pass.tangent(inputs[0]), b = pass.tangent(inputs[1]);
        at::Tensor second = crossed(pass, pass.second(inputs[0]), pass.second(inputs[1]));
        if (a.defined() && b.defined())
            second = sumOf(second, a * b * 2);
        pass.second(output) = second;
        pass.setTangent(output, crossed(pass, a, b), seeds);
    }

private:
    at::Tensor crossed(TapePass& pass, const at::Tensor& a, const at::Tensor& b) const
    {
        return sumOf(a.defined() ? a * pass.value(inputs[1]) : at::Tensor(),
                     b.defined() ? b * pass.value(inputs[0]) : at::Tensor());
    }
};

class ActivationOp final : public TapeOp
{
public:
    explicit ActivationOp(Activation activation) : m_activation(activation) {}
    bool isActivation() const override { return true; }

    void forward(TapePass& pass) const override
    {
        const at::Tensor& x = pass.value(inputs[0]);
        switch (m_activation) {
        case Activation::Relu:
            pass.value(output) = at::relu(x);
            break;
        case Activation::Gelu:
            pass.value(output) = at::gelu(x);
            break;
        case Activation::GeluTanh:
            pass.value(output) = at::gelu(x, "tanh");
            break;
        case Activation::Silu:
            pass.value(output) = at::silu(x);
            break;
        }
    }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor& dx = pass.tangent(inputs[0]);
        pass.setTangent(output, dx.defined() ? sloped(pass.value(inputs[0]), dx) : at::Tensor(), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        if (pass.adjoint(output).defined())
            pass.addAdjoint(inputs[0], sloped(pass.value(inputs[0]), pass.adjoint(output)));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds&, TangentSinks&) const override
    {
        const at::Tensor& x = pass.value(inputs[0]);
        const at::Tensor& dx = pass.tangent(inputs[0]);
        const at::Tensor& y = pass.adjoint(output);
        const at::Tensor& dy = pass.adjointTangent(output);
        at::Tensor part = dy.defined() ? sloped(x, dy) : at::Tensor();
        if (m_activation != Activation::Relu && y.defined() && dx.defined())
            part = sumOf(part, second(x) * y * dx);
        if (part.defined())
            pass.addAdjointTangent(inputs[0], part);
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor& x = pass.value(inputs[0]);
        const at::Tensor dx = pass.tangent(inputs[0]);
        const at::Tensor slope = first(x);
        at::Tensor result = pass.second(inputs[0]).defined() ? slope * pass.second(inputs[0]) : at::Tensor();
        if (m_activation != Activation::Relu && dx.defined())
            result = sumOf(result, second(x) * dx * dx);
        pass.second(output) = result;
        pass.setTangent(output, dx.defined() ? slope * dx : at::Tensor(), seeds);
    }

private:
    static constexpr double kTanhFactor = 0.7978845608028654; // sqrt(2 / pi)
    static constexpr double kTanhCubic = 0.044715;

    // The first derivative times y.
    at::Tensor sloped(const at::Tensor& x, const at::Tensor& y) const
    {
        return m_activation == Activation::Relu ? at::threshold_backward(y, x, 0) : first(x) * y;
    }
    // The first derivative. Of ReLU at zero: 0, as autograd has it.
    at::Tensor first(const at::Tensor& x) const
    {
        switch (m_activation) {
        case Activation::Relu:
            return (x > 0).to(x.scalar_type());
        case Activation::Gelu:
            return (at::erf(x * std::numbers::sqrt2 / 2) + 1) * 0.5 + x * density(x);
        case Activation::GeluTanh: {
            const at::Tensor t = at::tanh(inner(x));
            return (t + 1) * 0.5 + x * 0.5 * (1 - t * t) * innerSlope(x);
        }
        case Activation::Silu:
            break;
        }
        const at::Tensor s = at::sigmoid(x);
        return s * (1 + x * (1 - s));
    }
    at::Tensor second(const at::Tensor& x) const
    {
        switch (m_activation) {
        case Activation::Relu:
            return at::zeros(x.sizes(), x.options());
        case Activation::Gelu:
            return density(x) * (2 - x * x);
        case Activation::GeluTanh: {
            const at::Tensor t = at::tanh(inner(x)), slope = innerSlope(x), rest = 1 - t * t;
            return rest * (slope + x * (3 * kTanhFactor * kTanhCubic) * x - x * t * slope * slope);
        }
        case Activation::Silu:
            break;
        }
        const at::Tensor s = at::sigmoid(x);
        return s * (1 - s) * (2 + x * (1 - 2 * s));
    }
    static at::Tensor density(const at::Tensor& x)
    {
        return at::exp(x * x * -0.5) * (1 / std::sqrt(2 * std::numbers::pi));
    }
    static at::Tensor inner(const at::Tensor& x) { return (x + x * x * x * kTanhCubic) * kTanhFactor; }
    static at::Tensor innerSlope(const at::Tensor& x) { return (x * x * (3 * kTanhCubic) + 1) * kTanhFactor; }

    Activation m_activation;
};

} // namespace

std::unique_ptr<TapeOp> makePickOp(std::int64_t groups, const std::vector<std::int64_t>& sections, std::int64_t part)
{
    return std::make_unique<PickOp>(groups, sections, static_cast<std::size_t>(part));
}

std::unique_ptr<TapeOp> makeScaleOp(double factor)
{
    return std::make_unique<ScaleOp>(factor);
}

std::unique_ptr<TapeOp> makeRopeOp(const ModelConfig& config, std::int64_t heads)
{
    return std::make_unique<RopeOp>(config, heads);
}

std::unique_ptr<TapeOp> makeAddOp()
{
    return std::make_unique<AddOp>();
}

std::unique_ptr<TapeOp> makeMultiplyOp()
{
    return std::make_unique<MultiplyOp>();
}

std::unique_ptr<TapeOp> makeActivationOp(Activation activation)
{
    return std::make_unique<ActivationOp>(activation);
}

} // namespace peakscope
