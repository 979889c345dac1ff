// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Operations with parameters: embeddings and linear layers.
#include "core/engine/curvature/tape/tape_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>

namespace peakscope {
namespace {

class EmbeddingOp final : public TapeOp
{
public:
    explicit EmbeddingOp(std::size_t table) { parameters = {table}; }

    void forward(TapePass& pass) const override
    {
        pass.value(output) = at::embedding(pass.weight(parameters[0]), pass.tokens());
    }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        at::Tensor y = zeroTangent(pass, seeds, pass.weight(parameters[0]).size(1));
        if (const auto* dense = denseSeeds(seeds, parameters[0])) {
            addDirections(y, seeds.count, [&](std::int64_t k) {
                const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)];
                return own.defined() ? at::embedding(own, pass.tokens()) : at::Tensor();
            });
        }
        if (const auto* sparse = sparseSeeds(seeds, parameters[0])) {
            for (const SparseSeed& seed : *sparse)
                y.select(0, seed.direction).select(-1, column(pass, seed)).add_(positions(pass, seed));
        }
        pass.setTangent(output, y, seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        if (const at::Tensor sink = gradientSink(pass, parameters[0]); sink.defined() && pass.adjoint(output).defined())
            sink.index_add_(0, pass.tokens().reshape({-1}), asRows(pass.adjoint(output)));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const at::Tensor& dy = pass.adjointTangent(output);
        if (!dy.defined())
            return;
        if (auto* dense = denseSinks(sinks, parameters[0])) {
            for (std::size_t k = 0; k < dense->size(); ++k)
                (*dense)[k].index_add_(0, pass.tokens().reshape({-1}),
                                       asRows(dy.select(0, static_cast<std::int64_t>(k))));
        }
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        if (sinks.entries && sparse) {
            for (const SparseSeed& seed : *sparse)
                addEntry(sinks, seed.direction,
                         (dy.select(0, seed.direction).select(-1, column(pass, seed)) * positions(pass, seed)).sum());
        }
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override { tangent(pass, seeds); }

private:
    std::int64_t column(TapePass& pass, const SparseSeed& seed) const
    {
        return seed.index % pass.weight(parameters[0]).size(1);
    }
    // One where the seed's token stands, [B, T].
    at::Tensor positions(TapePass& pass, const SparseSeed& seed) const
    {
        const at::Tensor& table = pass.weight(parameters[0]);
        return pass.tokens().eq(seed.index / table.size(1)).to(table.scalar_type());
    }
};

class PositionOp final : public TapeOp
{
public:
    PositionOp(std::size_t table, std::int64_t offset) : m_offset(offset) { parameters = {table}; }

    void forward(TapePass& pass) const override
    {
        pass.value(output) = pass.value(inputs[0]) + rows(pass, pass.weight(parameters[0]));
    }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        at::Tensor y = pass.tangent(inputs[0]);
        const auto* dense = denseSeeds(seeds, parameters[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        if (dense || sparse)
            y = y.defined() ? y.clone() : zeroTangent(pass, seeds, pass.tape().width(output));
        if (dense) {
            addDirections(y, seeds.count, [&](std::int64_t k) {
                const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)];
                return own.defined() ? rows(pass, own) : at::Tensor();
            });
        }
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            if (const at::Tensor place = placeOf(pass, y, (*sparse)[i]); place.defined())
                place.add_(1);
        }
        pass.setTangent(output, y, seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        const at::Tensor& y = pass.adjoint(output);
        if (!y.defined())
            return;
        if (const at::Tensor sink = gradientSink(pass, parameters[0]); sink.defined())
            rows(pass, sink).add_(y.sum(0));
        pass.addAdjoint(inputs[0], y);
    }
    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const at::Tensor& dy = pass.adjointTangent(output);
        if (!dy.defined())
            return;
        if (auto* dense = denseSinks(sinks, parameters[0])) {
            for (std::size_t k = 0; k < dense->size(); ++k)
                rows(pass, (*dense)[k]).add_(dy.select(0, static_cast<std::int64_t>(k)).sum(0));
        }
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        for (std::size_t i = 0; sinks.entries && sparse && i < sparse->size(); ++i) {
            if (const at::Tensor place = placeOf(pass, dy, (*sparse)[i]); place.defined())
                addEntry(sinks, (*sparse)[i].direction, place.sum());
        }
        pass.addAdjointTangent(inputs[0], dy);
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        pass.second(output) = pass.second(inputs[0]);
        tangent(pass, seeds);
    }

private:
    at::Tensor rows(TapePass& pass, const at::Tensor& table) const
    {
        return table.narrow(0, m_offset, pass.tokens().size(1));
    }
    // The entry's numbers [B] in a [K, B, T, width] tensor; undefined where its position is beyond the sequence.
    at::Tensor placeOf(TapePass& pass, const at::Tensor& y, const SparseSeed& seed) const
    {
        const std::int64_t width = pass.tape().width(output);
        const std::int64_t position = seed.index / width - m_offset;
        if (position < 0 || position >= pass.tokens().size(1))
            return {};
        return y.select(0, seed.direction).select(1, position).select(1, seed.index % width);
    }

    std::int64_t m_offset;
};

class LinearOp final : public TapeOp
{
public:
    LinearOp(std::size_t weight, std::optional<std::size_t> bias, bool transposed) : m_transposed(transposed)
    {
        parameters = {weight};
        if (bias)
            parameters.push_back(*bias);
    }

    void forward(TapePass& pass) const override
    {
        at::Tensor y = times(pass.value(inputs[0]), pass.weight(parameters[0]));
        pass.value(output) = parameters.size() > 1 ? y + pass.weight(parameters[1]) : y;
    }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor& dx = pass.tangent(inputs[0]);
        at::Tensor y = dx.defined() ? times(dx, pass.weight(parameters[0])) : at::Tensor();
        pass.setTangent(output, withOwn(pass, seeds, std::move(y), pass.value(inputs[0])), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        const at::Tensor& y = pass.adjoint(output);
        if (!y.defined())
            return;
        if (const at::Tensor sink = gradientSink(pass, parameters[0]); sink.defined())
            addOuter(sink, y, pass.value(inputs[0]));
        if (parameters.size() > 1) {
            if (const at::Tensor sink = gradientSink(pass, parameters[1]); sink.defined())
                sink.add_(asRows(y).sum(0));
        }
        pass.addAdjoint(inputs[0], timesTransposed(y, pass.weight(parameters[0])));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        if (pass.flowsBelow(index))
            flowDown(pass, seeds);
        const at::Tensor& y = pass.adjoint(output);
        const at::Tensor& dy = pass.adjointTangent(output);
        const at::Tensor& dx = pass.tangent(inputs[0]);
        if (auto* dense = denseSinks(sinks, parameters[0])) {
            for (std::size_t k = 0; k < dense->size(); ++k) {
                if (dy.defined())
                    addOuter((*dense)[k], dy.select(0, static_cast<std::int64_t>(k)), pass.value(inputs[0]));
                if (y.defined() && dx.defined())
                    addOuter((*dense)[k], y, dx.select(0, static_cast<std::int64_t>(k)));
            }
        }
        if (auto* dense = parameters.size() > 1 ? denseSinks(sinks, parameters[1]) : nullptr; dense && dy.defined()) {
            for (std::size_t k = 0; k < dense->size(); ++k)
                (*dense)[k].add_(asRows(dy.select(0, static_cast<std::int64_t>(k))).sum(0));
        }
        if (sinks.entries)
            collectEntries(pass, seeds, sinks);
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor dx = pass.tangent(inputs[0]);
        const at::Tensor& ddx = pass.second(inputs[0]);
        at::Tensor second = ddx.defined() ? times(ddx, pass.weight(parameters[0])) : at::Tensor();
        if (const auto* sparse = sparseSeeds(seeds, parameters[0]); sparse && dx.defined()) {
            if (!second.defined())
                second = zeroTangent(pass, seeds, pass.tape().width(output));
            for (const SparseSeed& seed : *sparse) {
                const auto [out, in] = place(pass, seed);
                second.select(0, seed.direction).select(-1, out).add_(dx.select(0, seed.direction).select(-1, in), 2);
            }
        }
        pass.second(output) = second;
        tangent(pass, seeds);
    }

private:
    struct Place {
        std::int64_t out, in;
    };
    Place place(TapePass& pass, const SparseSeed& seed) const
    {
        const std::int64_t columns = pass.weight(parameters[0]).size(1);
        return m_transposed ? Place{seed.index % columns, seed.index / columns}
                            : Place{seed.index / columns, seed.index % columns};
    }
    at::Tensor times(const at::Tensor& x, const at::Tensor& weight) const
    {
        return m_transposed ? at::matmul(x, weight) : at::linear(x, weight);
    }
    at::Tensor timesTransposed(const at::Tensor& y, const at::Tensor& weight) const
    {
        return m_transposed ? at::linear(y, weight) : at::matmul(y, weight);
    }
    void addOuter(const at::Tensor& sink, const at::Tensor& y, const at::Tensor& x) const
    {
        if (m_transposed)
            sink.addmm_(asRows(x).t(), asRows(y));
        else
            sink.addmm_(asRows(y).t(), asRows(x));
    }

    // What the directions do to this layer's own weights, added to `y`.
    at::Tensor withOwn(TapePass& pass, const TangentSeeds& seeds, at::Tensor y, const at::Tensor& x) const
    {
        const auto* dense = denseSeeds(seeds, parameters[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        const bool bias = parameters.size() > 1;
        const auto* denseBias = bias ? denseSeeds(seeds, parameters[1]) : nullptr;
        const auto* sparseBias = bias ? sparseSeeds(seeds, parameters[1]) : nullptr;
        if (!y.defined() && (dense || sparse || denseBias || sparseBias))
            y = zeroTangent(pass, seeds, pass.tape().width(output));
        if (dense)
            addProducts(y, asRows(x), *dense, !m_transposed);
        if (denseBias) {
            addDirections(y, seeds.count, [&](std::int64_t k) {
                const at::Tensor& own = (*denseBias)[static_cast<std::size_t>(k)];
                return own.defined() ? own.expand({x.size(0), x.size(1), -1}) : at::Tensor();
            });
        }
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            const auto [out, in] = place(pass, (*sparse)[i]);
            y.select(0, (*sparse)[i].direction).select(-1, out).add_(x.select(-1, in));
        }
        for (std::size_t i = 0; sparseBias && i < sparseBias->size(); ++i)
            y.select(0, (*sparseBias)[i].direction).select(-1, (*sparseBias)[i].index).add_(1);
        return y;
    }

    void flowDown(TapePass& pass, const TangentSeeds& seeds) const
    {
        const at::Tensor& y = pass.adjoint(output);
        const at::Tensor& dy = pass.adjointTangent(output);
        const auto* dense = denseSeeds(seeds, parameters[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        at::Tensor part = dy.defined() ? timesTransposed(dy, pass.weight(parameters[0])) : at::Tensor();
        if (y.defined() && (dense || sparse) && !part.defined())
            part = zeroTangent(pass, seeds, pass.tape().width(inputs[0]));
        if (y.defined() && dense)
            addProducts(part, asRows(y), *dense, m_transposed);
        for (std::size_t i = 0; y.defined() && sparse && i < sparse->size(); ++i) {
            const auto [out, in] = place(pass, (*sparse)[i]);
            part.select(0, (*sparse)[i].direction).select(-1, in).add_(y.select(-1, out));
        }
        if (part.defined())
            pass.addAdjointTangent(inputs[0], part);
    }

    void collectEntries(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const
    {
        const at::Tensor& y = pass.adjoint(output);
        const at::Tensor& dy = pass.adjointTangent(output);
        const at::Tensor& dx = pass.tangent(inputs[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            const std::int64_t k = (*sparse)[i].direction;
            const auto [out, in] = place(pass, (*sparse)[i]);
            if (dy.defined())
                addEntry(sinks, k, (dy.select(0, k).select(-1, out) * pass.value(inputs[0]).select(-1, in)).sum());
            if (y.defined() && dx.defined())
                addEntry(sinks, k, (y.select(-1, out) * dx.select(0, k).select(-1, in)).sum());
        }
        const auto* bias = parameters.size() > 1 ? sparseSeeds(seeds, parameters[1]) : nullptr;
        for (std::size_t i = 0; bias && dy.defined() && i < bias->size(); ++i)
            addEntry(sinks, (*bias)[i].direction,
                     dy.select(0, (*bias)[i].direction).select(-1, (*bias)[i].index).sum());
    }

    bool m_transposed;
};

} // namespace

void addDirections(at::Tensor& tangent, std::int64_t count, const std::function<at::Tensor(std::int64_t)>& part)
{
    if (!at::GradMode::is_enabled()) {
        for (std::int64_t k = 0; k < count; ++k) {
            if (const at::Tensor own = part(k); own.defined())
                tangent.select(0, k).add_(own);
        }
        return;
    }
    std::vector<at::Tensor> sums;
    for (std::int64_t k = 0; k < count; ++k)
        sums.push_back(sumOf(tangent.select(0, k), part(k)));
    tangent = at::stack(sums);
}

void addProducts(at::Tensor& tangent, const at::Tensor& rows, const std::vector<at::Tensor>& factors, bool turned)
{
    const auto factor = [&](std::int64_t k) {
        const at::Tensor& own = factors[static_cast<std::size_t>(k)];
        return turned && own.defined() ? own.t() : own;
    };
    const auto count = static_cast<std::int64_t>(factors.size());
    if (at::GradMode::is_enabled()) {
        addDirections(tangent, count, [&](std::int64_t k) {
            const at::Tensor own = factor(k);
            return own.defined() ? at::mm(rows, own).view(tangent.sizes().slice(1)) : at::Tensor();
        });
        return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        if (const at::Tensor own = factor(k); own.defined())
            tangent.select(0, k).view({rows.size(0), -1}).addmm_(rows, own);
    }
}

std::unique_ptr<TapeOp> makeEmbeddingOp(std::size_t table)
{
    return std::make_unique<EmbeddingOp>(table);
}

std::unique_ptr<TapeOp> makePositionOp(std::size_t table, std::int64_t offset)
{
    return std::make_unique<PositionOp>(table, offset);
}

std::unique_ptr<TapeOp> makeLinearOp(std::size_t weight, std::optional<std::size_t> bias, bool transposed)
{
    return std::make_unique<LinearOp>(weight, bias, transposed);
}

} // namespace peakscope
