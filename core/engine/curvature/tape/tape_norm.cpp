// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Norms of a tape: of the whole width or of each group of it.
#include "core/engine/curvature/tape/tape_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>

#include <numeric>

namespace peakscope {
namespace {

// y = gain · n + shift, the gain the weight or 1 + weight, of n = (x - mean) / sqrt(variance + eps), or x / sqrt(mean
// square + eps).
class NormOp final : public TapeOp
{
public:
    NormOp(std::vector<std::size_t> own, const TapeNormShape& shape, double eps)
        : m_centered(shape.centered), m_shifted(shape.shifted), m_eps(eps), m_groups(shape.groups)
    {
        parameters = std::move(own);
    }

    void forward(TapePass& pass) const override
    {
        const at::Tensor centered = lessMean(grouped(pass.value(inputs[0])));
        const at::Tensor scale = at::rsqrt(meanOf(centered * centered) + m_eps);
        const at::Tensor normed = centered * scale;
        pass.kept(index) = {normed, scale};
        at::Tensor y = parameters.empty() ? normed : normed * gain(pass);
        pass.value(output) = whole(parameters.size() > 1 ? y + pass.weight(parameters[1]) : y);
    }
    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor dn = normedTangent(pass);
        at::Tensor y = dn.defined() && !parameters.empty() ? dn * gain(pass) : dn;
        pass.setTangent(output, whole(withOwn(pass, seeds, std::move(y))), seeds);
    }
    void adjoint(TapePass& pass) const override
    {
        const at::Tensor y = grouped(pass.adjoint(output));
        if (!y.defined())
            return;
        if (!parameters.empty()) {
            if (const at::Tensor sink = gradientSink(pass, parameters[0]); sink.defined())
                sink.add_(asRows(y * pass.kept(index)[0]).sum(0));
        }
        if (parameters.size() > 1) {
            if (const at::Tensor sink = gradientSink(pass, parameters[1]); sink.defined())
                sink.add_(asRows(y).sum(0));
        }
        pass.addAdjoint(inputs[0], whole(inputAdjoint(pass, gained(pass, y))));
    }
    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const at::Tensor y = grouped(pass.adjoint(output));
        const at::Tensor dy = grouped(pass.adjointTangent(output));
        const at::Tensor dn = normedTangent(pass);
        if (pass.flowsBelow(index))
            flowDown(pass, seeds, dn);
        collect(pass, seeds, sinks, y, dy, dn);
    }
    void jet(TapePass& pass, const TangentSeeds& seeds) const override;

private:
    static at::Tensor meanOf(const at::Tensor& x) { return at::mean(x, at::IntArrayRef{-1}, /*keepdim=*/true); }
    at::Tensor lessMean(const at::Tensor& x) const { return m_centered ? x - meanOf(x) : x; }
    at::Tensor gain(TapePass& pass) const
    {
        const at::Tensor& weight = pass.weight(parameters[0]);
        return m_shifted ? weight + 1 : weight;
    }
    at::Tensor gained(TapePass& pass, const at::Tensor& y) const { return parameters.empty() ? y : y * gain(pass); }

    // r' / r of the scale r, [K, B, T, 1].
    at::Tensor relativeScaleTangent(TapePass& pass) const
    {
        const std::vector<at::Tensor>& own = pass.kept(index);
        return -own[1] * meanOf(own[0] * grouped(pass.tangent(inputs[0])));
    }
    at::Tensor normedTangent(TapePass& pass) const
    {
        const at::Tensor dx = grouped(pass.tangent(inputs[0]));
        if (!dx.defined())
            return {};
        const std::vector<at::Tensor>& own = pass.kept(index);
        return lessMean(dx) * own[1] + own[0] * relativeScaleTangent(pass);
    }
    // r (g - mean g - n mean(g n)) of the adjoint g of n.
    at::Tensor inputAdjoint(TapePass& pass, const at::Tensor& g) const
    {
        const std::vector<at::Tensor>& own = pass.kept(index);
        return (lessMean(g) - own[0] * meanOf(g * own[0])) * own[1];
    }

    at::Tensor withOwn(TapePass& pass, const TangentSeeds& seeds, at::Tensor y) const
    {
        const at::Tensor& normed = pass.kept(index)[0];
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            const auto* dense = denseSeeds(seeds, parameters[p]);
            const auto* sparse = sparseSeeds(seeds, parameters[p]);
            if (!y.defined() && (dense || sparse))
                y = grouped(zeroTangent(pass, seeds, normed.size(-1) * m_groups));
            if (dense) {
                addDirections(y, seeds.count, [&](std::int64_t k) {
                    const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)];
                    if (!own.defined())
                        return at::Tensor();
                    return p == 0 ? normed * own : own.expand(normed.sizes());
                });
            }
            for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
                const at::Tensor column = y.select(0, (*sparse)[i].direction).select(-1, (*sparse)[i].index);
                if (p == 0)
                    column.add_(normed.select(-1, (*sparse)[i].index));
                else
                    column.add_(1);
            }
        }
        return y;
    }

    void flowDown(TapePass& pass, const TangentSeeds& seeds, const at::Tensor& dn) const
    {
        const std::vector<at::Tensor>& own = pass.kept(index);
        const at::Tensor y = grouped(pass.adjoint(output));
        const at::Tensor dy = grouped(pass.adjointTangent(output));
        at::Tensor dg = dy.defined() ? gained(pass, dy) : at::Tensor();
        if (y.defined() && !parameters.empty()) {
            const auto* dense = denseSeeds(seeds, parameters[0]);
            const auto* sparse = sparseSeeds(seeds, parameters[0]);
            if ((dense || sparse) && !dg.defined())
                dg = grouped(zeroTangent(pass, seeds, own[0].size(-1) * m_groups));
            if (dense) {
                addDirections(dg, seeds.count, [&](std::int64_t k) {
                    const at::Tensor& gain = (*dense)[static_cast<std::size_t>(k)];
                    return gain.defined() ? y * gain : at::Tensor();
                });
            }
            for (std::size_t i = 0; sparse && i < sparse->size(); ++i)
                dg.select(0, (*sparse)[i].direction)
                    .select(-1, (*sparse)[i].index)
                    .add_(y.select(-1, (*sparse)[i].index));
        }
        at::Tensor part = dg.defined() ? inputAdjoint(pass, dg) : at::Tensor();
        if (y.defined() && dn.defined()) {
            const at::Tensor g = gained(pass, y);
            const at::Tensor turned = dn * meanOf(g * own[0]) + own[0] * meanOf(g * dn);
            part = sumOf(part, inputAdjoint(pass, g) * relativeScaleTangent(pass) - turned * own[1]);
        }
        if (part.defined())
            pass.addAdjointTangent(inputs[0], whole(part));
    }

    void collect(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks, const at::Tensor& y,
                 const at::Tensor& dy, const at::Tensor& dn) const
    {
        const at::Tensor& normed = pass.kept(index)[0];
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            auto* dense = denseSinks(sinks, parameters[p]);
            const auto* sparse = sinks.entries ? sparseSeeds(seeds, parameters[p]) : nullptr;
            if (!dense && !sparse)
                continue;
            at::Tensor sums; // [K, width of the weight]
            if (dy.defined())
                sums = overPositions(p == 0 ? dy * normed : dy);
            if (p == 0 && y.defined() && dn.defined())
                sums = sumOf(sums, overPositions(y * dn));
            for (std::size_t k = 0; dense && sums.defined() && k < dense->size(); ++k)
                (*dense)[k].add_(sums.select(0, static_cast<std::int64_t>(k)));
            for (std::size_t i = 0; sparse && sums.defined() && i < sparse->size(); ++i)
                addEntry(sinks, (*sparse)[i].direction, sums[(*sparse)[i].direction][(*sparse)[i].index]);
        }
    }

    // Over all but the directions and the weight's own numbers.
    static at::Tensor overPositions(const at::Tensor& x)
    {
        std::vector<std::int64_t> middle(static_cast<std::size_t>(x.dim() - 2));
        std::iota(middle.begin(), middle.end(), 1);
        return x.sum(middle);
    }
    // [..., groups · width] as [..., groups, width] and back; views.
    at::Tensor grouped(const at::Tensor& x) const
    {
        return m_groups == 1 || !x.defined() ? x : x.unflatten(-1, {m_groups, x.size(-1) / m_groups});
    }
    at::Tensor whole(const at::Tensor& x) const { return m_groups == 1 || !x.defined() ? x : x.flatten(-2, -1); }

    bool m_centered, m_shifted;
    double m_eps;
    std::int64_t m_groups; // of the width, each normed by itself
};

// n = c r with r = (mean c² + eps)^(-1/2), m = mean(c c'): r' = -r³ m, r'' = -r³ m' + 3 r⁵ m², m' = mean(c'c' + c c'').
void NormOp::jet(TapePass& pass, const TangentSeeds& seeds) const
{
    const at::Tensor dx = grouped(pass.tangent(inputs[0]));
    const at::Tensor ddx = grouped(pass.second(inputs[0]));
    const std::vector<at::Tensor>& own = pass.kept(index);
    const at::Tensor& normed = own[0];
    const at::Tensor& scale = own[1];
    at::Tensor second;
    if (dx.defined()) {
        const at::Tensor d = lessMean(dx) * scale; // r c'
        const at::Tensor m = meanOf(normed * d);   // r² mean(c c')
        at::Tensor moments = meanOf(d * d);
        second = d * m * -2;
        if (ddx.defined()) {
            const at::Tensor dd = lessMean(ddx) * scale;
            moments = moments + meanOf(normed * dd);
            second = second + dd;
        }
        second = second + normed * (m * m * 3 - moments);
        if (!parameters.empty()) {
            second = second * gain(pass);
            if (const auto* sparse = sparseSeeds(seeds, parameters[0])) {
                const at::Tensor dn = normedTangent(pass);
                for (const SparseSeed& seed : *sparse)
                    second.select(0, seed.direction)
                        .select(-1, seed.index)
                        .add_(dn.select(0, seed.direction).select(-1, seed.index), 2);
            }
        }
    }
    pass.second(output) = whole(second);
    tangent(pass, seeds);
}

} // namespace

std::unique_ptr<TapeOp> makeNormOp(std::vector<std::size_t> parameters, const TapeNormShape& shape, double eps)
{
    return std::make_unique<NormOp>(std::move(parameters), shape, eps);
}

} // namespace peakscope
