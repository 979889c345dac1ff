// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax attention on a tape. The scores are computed anew by every method, a block of samples, heads and directions
// at a time, so that no T x T matrix outlives it.
#include "core/engine/curvature/tape_ops.h"

#include "core/engine/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

namespace peakscope {
namespace {

constexpr std::int64_t kScoreBlockBytes = std::int64_t{16} << 20; // of one T x T sized tensor of a block

struct AttentionBlock {
    std::int64_t direction = 0, directions = 1;
    std::int64_t row = 0, rows = 1;
    std::int64_t head = 0, heads = 1; // key heads
};

// Sums along the last dimension, kept.
at::Tensor lastSum(const at::Tensor& x)
{
    return x.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
}

at::Tensor times(const at::Tensor& a, const at::Tensor& b)
{
    return a.defined() && b.defined() ? at::matmul(a, b) : at::Tensor();
}

at::Tensor turned(const at::Tensor& x)
{
    return x.defined() ? x.transpose(-1, -2) : x;
}

at::Tensor scaled(const at::Tensor& x, double factor)
{
    return x.defined() ? x * factor : x;
}

class AttentionOp final : public TapeOp
{
public:
    explicit AttentionOp(const TapeAttentionShape& shape) : m_shape(shape) {}

    void forward(TapePass& pass) const override
    {
        pass.value(output) = overBlocks(pass, 1, {true}, [&](const Part& part) {
            const Heads own = primal(pass, part);
            return std::vector<at::Tensor>{at::matmul(weights(own), own.v)};
        })[0][0];
    }

    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!anyTangent(pass)) {
            pass.setTangent(output, at::Tensor(), seeds);
            return;
        }
        const auto results = overBlocks(pass, seeds.count, {true}, [&](const Part& part) {
            const Heads own = primal(pass, part), d = tangents(pass, part, false);
            const at::Tensor p = weights(own);
            const at::Tensor dp = softmaxTangent(p, scoreTangent(own, d));
            return std::vector<at::Tensor>{sumOf(times(dp, own.v), times(p, d.v))};
        });
        pass.setTangent(output, results[0], seeds);
    }

    void adjoint(TapePass& pass) const override
    {
        if (!pass.adjoint(output).defined())
            return;
        const auto results = overBlocks(pass, 1, {true, false, false}, [&](const Part& part) {
            const Heads own = primal(pass, part);
            const at::Tensor y = queryHeads(pass.adjoint(output).unsqueeze(0), part, false);
            const at::Tensor p = weights(own);
            const at::Tensor ds = softmaxTangent(p, at::matmul(y, turned(own.v)));
            return std::vector<at::Tensor>{at::matmul(ds, own.k) * m_shape.scale,
                                           at::matmul(turned(ds), own.q) * m_shape.scale, at::matmul(turned(p), y)};
        });
        for (std::size_t i = 0; i < 3; ++i)
            pass.addAdjoint(inputs[i], results[i][0]);
    }

    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks&) const override
    {
        const bool primalFlows = pass.adjoint(output).defined() && anyTangent(pass);
        if (!pass.adjointTangent(output).defined() && !primalFlows)
            return;
        const auto results = overBlocks(pass, seeds.count, {true, false, false},
                                        [&](const Part& part) { return blockAdjointTangent(pass, part, primalFlows); });
        for (std::size_t i = 0; i < 3; ++i)
            pass.addAdjointTangent(inputs[i], results[i]);
    }

    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!anyTangent(pass)) {
            pass.setTangent(output, at::Tensor(), seeds);
            return;
        }
        auto results = overBlocks(pass, seeds.count, {true, true}, [&](const Part& part) {
            const Heads own = primal(pass, part), d = tangents(pass, part, false), dd = tangents(pass, part, true);
            const at::Tensor p = weights(own);
            const at::Tensor ds = scoreTangent(own, d);
            const at::Tensor dp = softmaxTangent(p, ds);
            at::Tensor dds = sumOf(scoreTangent(own, dd), scaled(times(d.q, turned(d.k)), 2 * m_shape.scale));
            at::Tensor ddp = softmaxTangent(p, dds);
            if (ds.defined()) {
                const at::Tensor around = ds - lastSum(p * ds);
                ddp = sumOf(ddp, softmaxTangent(p, around * around));
            }
            return std::vector<at::Tensor>{sumOf(times(dp, own.v), times(p, d.v)),
                                           sumOf(sumOf(times(ddp, own.v), scaled(times(dp, d.v), 2)), times(p, dd.v))};
        });
        pass.second(output) = results[1];
        pass.setTangent(output, results[0], seeds);
    }

private:
    struct Heads {
        at::Tensor q, k, v; // [directions, rows, heads, (group ·) T, D]
    };
    using Part = AttentionBlock;

    std::int64_t group() const { return m_shape.heads / m_shape.kvHeads; }
    bool anyTangent(TapePass& pass) const
    {
        return std::any_of(inputs.begin(), inputs.end(),
                           [&](std::size_t node) { return pass.tangent(node).defined(); });
    }

    // [K, B, T, heads · D] -> [directions, rows, key heads, group · T, D] of the block.
    at::Tensor queryHeads(const at::Tensor& x, const Part& part, bool directed) const
    {
        if (!x.defined())
            return x;
        const std::int64_t length = x.size(2), width = x.size(3) / m_shape.heads;
        const at::Tensor cut = directed ? x.narrow(0, part.direction, part.directions) : x;
        return cut.narrow(1, part.row, part.rows)
            .reshape({cut.size(0), part.rows, length, m_shape.kvHeads, group(), width})
            .narrow(3, part.head, part.heads)
            .permute({0, 1, 3, 4, 2, 5})
            .reshape({cut.size(0), part.rows, part.heads, group() * length, width});
    }
    at::Tensor keyHeads(const at::Tensor& x, const Part& part, bool directed) const
    {
        if (!x.defined())
            return x;
        const std::int64_t length = x.size(2), width = x.size(3) / m_shape.kvHeads;
        const at::Tensor cut = directed ? x.narrow(0, part.direction, part.directions) : x;
        return cut.narrow(1, part.row, part.rows)
            .reshape({cut.size(0), part.rows, length, m_shape.kvHeads, width})
            .narrow(3, part.head, part.heads)
            .permute({0, 1, 3, 2, 4});
    }
    Heads primal(TapePass& pass, const Part& part) const
    {
        return {queryHeads(pass.value(inputs[0]).unsqueeze(0), part, false),
                keyHeads(pass.value(inputs[1]).unsqueeze(0), part, false),
                keyHeads(pass.value(inputs[2]).unsqueeze(0), part, false)};
    }
    Heads tangents(TapePass& pass, const Part& part, bool second) const
    {
        const auto of = [&](std::size_t i) { return second ? pass.second(inputs[i]) : pass.tangent(inputs[i]); };
        return {queryHeads(of(0), part, true), keyHeads(of(1), part, true), keyHeads(of(2), part, true)};
    }

    // softmax(scale q kᵀ), masked.
    at::Tensor weights(const Heads& own) const
    {
        at::Tensor scores = at::matmul(own.q, turned(own.k)) * m_shape.scale;
        if (m_shape.causal) {
            const std::int64_t length = own.k.size(-2);
            std::vector<std::int64_t> shape(scores.sizes().begin(), scores.sizes().end() - 2);
            shape.insert(shape.end(), {group(), length, length});
            scores = scores.view(shape)
                         .masked_fill(causalMask(length, own.k.device()), -std::numeric_limits<double>::infinity())
                         .view(scores.sizes());
        }
        return at::softmax(scores, -1);
    }
    // p (x - sum p x): the derivative of softmax applied to x, and its own transpose.
    static at::Tensor softmaxTangent(const at::Tensor& p, const at::Tensor& x)
    {
        return x.defined() ? p * (x - lastSum(p * x)) : x;
    }
    at::Tensor scoreTangent(const Heads& own, const Heads& d) const
    {
        return scaled(sumOf(times(d.q, turned(own.k)), times(own.q, turned(d.k))), m_shape.scale);
    }

    std::vector<at::Tensor> blockAdjointTangent(TapePass& pass, const Part& part, bool primalFlows) const
    {
        const Heads own = primal(pass, part);
        const at::Tensor p = weights(own);
        const at::Tensor dy = queryHeads(pass.adjointTangent(output), part, true);
        const at::Tensor dFlow = times(dy, turned(own.v)); // of the adjoint of p
        at::Tensor dScore = softmaxTangent(p, dFlow);
        at::Tensor dV = times(turned(p), dy), dQ, dK;
        if (primalFlows) {
            const Heads d = tangents(pass, part, false);
            const at::Tensor y = queryHeads(pass.adjoint(output).unsqueeze(0), part, false);
            const at::Tensor dp = softmaxTangent(p, scoreTangent(own, d));
            const at::Tensor flow = at::matmul(y, turned(own.v));
            const at::Tensor score = softmaxTangent(p, flow);
            if (d.v.defined())
                dScore = sumOf(dScore, softmaxTangent(p, at::matmul(y, turned(d.v))));
            if (dp.defined()) {
                dV = sumOf(dV, times(turned(dp), y));
                dScore = sumOf(dScore, dp * (flow - lastSum(p * flow)) - p * lastSum(dp * flow));
            }
            dQ = times(score, d.k);
            dK = times(turned(score), d.q);
        }
        dQ = scaled(sumOf(dQ, times(dScore, own.k)), m_shape.scale);
        dK = scaled(sumOf(dK, times(turned(dScore), own.q)), m_shape.scale);
        return {dQ, dK, dV};
    }

    // work(block) gives one tensor an output, query-like [.., group · T, D] or key-like [.., T, D]; the results are
    // [directions, B, T, width] again.
    template <typename Work>
    std::vector<at::Tensor> overBlocks(TapePass& pass, std::int64_t directions, const std::vector<bool>& queryLike,
                                       const Work& work) const
    {
        const std::int64_t batch = pass.tokens().size(0), length = pass.tokens().size(1);
        const at::Tensor& any = pass.value(inputs[0]);
        const std::int64_t line = group() * length * length * static_cast<std::int64_t>(any.element_size());
        const std::int64_t units = at::GradMode::is_enabled() ? std::numeric_limits<std::int64_t>::max()
                                                              : std::max<std::int64_t>(1, kScoreBlockBytes / line);
        Part size;
        size.heads = std::min(units, m_shape.kvHeads);
        size.rows = std::clamp<std::int64_t>(units / size.heads, 1, batch);
        size.directions = std::clamp<std::int64_t>(units / (size.heads * size.rows), 1, directions);
        std::vector<at::Tensor> results(queryLike.size());
        for (Part part; part.direction < directions; part.direction += size.directions) {
            part.directions = std::min(size.directions, directions - part.direction);
            for (part.row = 0; part.row < batch; part.row += size.rows) {
                part.rows = std::min(size.rows, batch - part.row);
                for (part.head = 0; part.head < m_shape.kvHeads; part.head += size.heads) {
                    part.heads = std::min(size.heads, m_shape.kvHeads - part.head);
                    std::vector<at::Tensor> pieces = work(part);
                    const bool whole =
                        part.directions == directions && part.rows == batch && part.heads == m_shape.kvHeads;
                    for (std::size_t i = 0; i < pieces.size(); ++i)
                        place(results[i], pieces[i], part, queryLike[i], whole, {directions, batch, length});
                }
            }
        }
        return results;
    }

    struct Extent {
        std::int64_t directions, batch, length;
    };
    void place(at::Tensor& result, const at::Tensor& piece, const Part& part, bool queryLike, bool whole,
               const Extent& extent) const
    {
        const std::int64_t parts = queryLike ? group() : 1;
        const std::int64_t width = piece.defined() ? piece.size(-1) : 0;
        // [.., heads, parts · T, D] -> [.., T, heads, parts, D]
        at::Tensor turnedPiece;
        if (piece.defined())
            turnedPiece = piece.reshape({piece.size(0), part.rows, part.heads, parts, extent.length, width})
                              .permute({0, 1, 4, 2, 3, 5});
        if (whole) {
            if (piece.defined())
                result = turnedPiece.reshape({piece.size(0), extent.batch, extent.length, -1});
            return;
        }
        if (!piece.defined())
            return;
        const std::vector<std::int64_t> shape{extent.directions, extent.batch, extent.length,
                                              m_shape.kvHeads,   parts,        width};
        if (!result.defined())
            result = at::zeros(shape, piece.options()).view({extent.directions, extent.batch, extent.length, -1});
        result.view(shape)
            .narrow(0, part.direction, part.directions)
            .narrow(1, part.row, part.rows)
            .narrow(3, part.head, part.heads)
            .copy_(turnedPiece);
    }

    TapeAttentionShape m_shape;
};

} // namespace

std::unique_ptr<TapeOp> makeAttentionOp(const TapeAttentionShape& shape)
{
    return std::make_unique<AttentionOp>(shape);
}

} // namespace peakscope
