// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax attention on a tape. The scores are computed anew by every method, a block of queries, heads, samples and
// directions at a time, so that no T x T matrix is ever held. Of a causal attention's block only the keys up to its
// last query are looked at.
#include "core/engine/curvature/tape/tape_ops.h"

#include "core/engine/model/attention.h"
#include "core/engine/model/soft_cap.h"
#include "core/model/curvature_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

namespace peakscope {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct AttentionBlock {
    std::int64_t direction = 0, directions = 1;
    std::int64_t row = 0, rows = 1;
    std::int64_t head = 0, heads = 1; // key heads
    std::int64_t query = 0, queries = 1;
    std::int64_t keys = 1; // from the first on
};

at::Tensor times(const at::Tensor& a, const at::Tensor& b)
{
    return a.defined() && b.defined() ? at::matmul(a, b) : at::Tensor();
}

// sum + a b, in the place of `sum` where autograd does not look on.
at::Tensor plusTimes(at::Tensor sum, const at::Tensor& a, const at::Tensor& b)
{
    if (!sum.defined() || at::GradMode::is_enabled())
        return sumOf(sum, times(a, b));
    if (!a.defined() || !b.defined())
        return sum;
    const auto matrices = [&](const at::Tensor& x) {
        std::vector<std::int64_t> shape(sum.sizes().begin(), sum.sizes().end() - 2);
        shape.insert(shape.end(), {x.size(-2), x.size(-1)});
        return x.expand(shape).reshape({-1, x.size(-2), x.size(-1)});
    };
    sum.view({-1, sum.size(-2), sum.size(-1)}).baddbmm_(matrices(a), matrices(b));
    return sum;
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
            return std::vector<at::Tensor>{at::matmul(weights(pass, own, part, 0).p, own.v)};
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
            const CappedSoftmax softmax = weights(pass, own, part, 1);
            const at::Tensor dp = softmaxTangent(softmax.p, softmax.through(scoreTangent(own, d)));
            return std::vector<at::Tensor>{plusTimes(times(dp, own.v), softmax.p, d.v)};
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
            const CappedSoftmax softmax = weights(pass, own, part, 1);
            const at::Tensor ds = softmax.through(softmaxTangent(softmax.p, at::matmul(y, turned(own.v))));
            return std::vector<at::Tensor>{at::matmul(ds, own.k) * m_shape.scale, at::matmul(turned(ds), own.q),
                                           at::matmul(turned(softmax.p), y)};
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
            const CappedSoftmax softmax = weights(pass, own, part, 2);
            const at::Tensor& p = softmax.p;
            const at::Tensor moved = scoreTangent(own, d), ds = softmax.through(moved);
            const at::Tensor dp = softmaxTangent(p, ds);
            at::Tensor dds = softmax.through(sumOf(scoreTangent(own, dd), scaled(times(d.q, turned(d.k)), 2)));
            if (softmax.bend.defined() && moved.defined())
                dds = sumOf(dds, moved * moved * softmax.bend);
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
        at::Tensor q, k, v; // [directions, rows, heads, group · queries or keys, D], q with the scores' scale
    };
    using Part = AttentionBlock;

    std::int64_t group() const { return m_shape.heads / m_shape.kvHeads; }
    bool anyTangent(TapePass& pass) const
    {
        return std::any_of(inputs.begin(), inputs.end(),
                           [&](std::size_t node) { return pass.tangent(node).defined(); });
    }

    // [K, B, T, heads · D] -> [directions, rows, key heads, group · queries, D] of the block.
    at::Tensor queryHeads(const at::Tensor& x, const Part& part, bool directed) const
    {
        if (!x.defined())
            return x;
        const std::int64_t width = x.size(3) / m_shape.heads;
        const at::Tensor cut = directed ? x.narrow(0, part.direction, part.directions) : x;
        return cut.narrow(1, part.row, part.rows)
            .narrow(2, part.query, part.queries)
            .reshape({cut.size(0), part.rows, part.queries, m_shape.kvHeads, group(), width})
            .narrow(3, part.head, part.heads)
            .permute({0, 1, 3, 4, 2, 5})
            .reshape({cut.size(0), part.rows, part.heads, group() * part.queries, width});
    }
    at::Tensor keyHeads(const at::Tensor& x, const Part& part, bool directed) const
    {
        if (!x.defined())
            return x;
        const std::int64_t width = x.size(3) / m_shape.kvHeads;
        const at::Tensor cut = directed ? x.narrow(0, part.direction, part.directions) : x;
        return cut.narrow(1, part.row, part.rows)
            .narrow(2, 0, part.keys)
            .reshape({cut.size(0), part.rows, part.keys, m_shape.kvHeads, width})
            .narrow(3, part.head, part.heads)
            .permute({0, 1, 3, 2, 4});
    }
    Heads primal(TapePass& pass, const Part& part) const
    {
        return {queryHeads(pass.value(inputs[0]).unsqueeze(0), part, false) * m_shape.scale,
                keyHeads(pass.value(inputs[1]).unsqueeze(0), part, false),
                keyHeads(pass.value(inputs[2]).unsqueeze(0), part, false)};
    }
    Heads tangents(TapePass& pass, const Part& part, bool second) const
    {
        const auto of = [&](std::size_t i) { return second ? pass.second(inputs[i]) : pass.tangent(inputs[i]); };
        return {scaled(queryHeads(of(0), part, true), m_shape.scale), keyHeads(of(1), part, true),
                keyHeads(of(2), part, true)};
    }

    // softmax(q kᵀ), capped and masked, and so many of the cap's derivatives.
    CappedSoftmax weights(const TapePass& pass, const Heads& own, const Part& part, int derivatives) const
    {
        at::Tensor scores = at::matmul(own.q, turned(own.k));
        CappedSoftmax result;
        if (m_shape.cap > 0) {
            if (at::GradMode::is_enabled())
                scores = softCapped(scores, m_shape.cap);
            else
                softCap(scores, m_shape.cap, false);
            if (derivatives > 0)
                result.slope = slopeOfCapped(scores, m_shape.cap);
            if (derivatives > 1)
                result.bend = bendOfCapped(scores, result.slope, m_shape.cap);
        }
        if (m_shape.causal) {
            // Keys before the block's first query are seen by all of it.
            const at::Tensor mask = causalMask(part.queries, own.k.device());
            std::vector<std::int64_t> shape(scores.sizes().begin(), scores.sizes().end() - 2);
            shape.insert(shape.end(), {group(), part.queries, part.keys});
            if (at::GradMode::is_enabled())
                scores = scores.view(shape).masked_fill(mask, kNever).view(scores.sizes());
            else
                scores.view(shape).narrow(-1, part.query, part.queries).masked_fill_(mask, kNever);
        }
        if (m_shape.window > 0 && part.keys > m_shape.window) {
            const at::Tensor before = at::ones({part.queries, part.keys}, own.k.options().dtype(at::kBool))
                                          .tril_(part.query - m_shape.window);
            std::vector<std::int64_t> shape(scores.sizes().begin(), scores.sizes().end() - 2);
            shape.insert(shape.end(), {group(), part.queries, part.keys});
            if (at::GradMode::is_enabled())
                scores = scores.view(shape).masked_fill(before, kNever).view(scores.sizes());
            else
                scores.view(shape).masked_fill_(before, kNever);
        }
        if (!m_shape.causal && pass.tape().padded()) {
            const at::Tensor padding =
                paddingOf(pass.labels().narrow(0, part.row, part.rows)).view({part.rows, 1, 1, -1});
            scores =
                at::GradMode::is_enabled() ? scores.masked_fill(padding, kNever) : scores.masked_fill_(padding, kNever);
        }
        result.p = at::softmax(scores, -1);
        return result;
    }
    at::Tensor scoreTangent(const Heads& own, const Heads& d) const
    {
        return plusTimes(times(d.q, turned(own.k)), own.q, turned(d.k));
    }

    std::vector<at::Tensor> blockAdjointTangent(TapePass& pass, const Part& part, bool primalFlows) const
    {
        const Heads own = primal(pass, part);
        const CappedSoftmax softmax = weights(pass, own, part, primalFlows ? 2 : 1);
        const at::Tensor& p = softmax.p;
        const at::Tensor dy = queryHeads(pass.adjointTangent(output), part, true);
        at::Tensor dV = times(turned(p), dy), dQ, dK;
        at::Tensor dScore = times(dy, turned(own.v)); // so far of the adjoint of p
        if (!primalFlows) {
            dScore = softmax.through(softmaxTangent(p, dScore));
        } else {
            const Heads d = tangents(pass, part, false);
            const at::Tensor y = queryHeads(pass.adjoint(output).unsqueeze(0), part, false);
            at::Tensor ds = scoreTangent(own, d);
            const at::Tensor dp = softmaxTangent(p, softmax.through(ds));
            if (!softmax.bend.defined())
                ds.reset();
            const at::Tensor flow = at::matmul(y, turned(own.v));
            dScore = softmaxTangent(p, plusTimes(dScore, y, turned(d.v)));
            if (dp.defined()) {
                dV = plusTimes(dV, turned(dp), y);
                const at::Tensor around = flow - lastSum(p * flow);
                dScore = dScore.defined() ? dScore.addcmul_(dp, around) : dp * around;
                dScore.addcmul_(p, lastSum(dp * flow), -1);
            }
            at::Tensor score = softmaxTangent(p, flow);
            dScore = softmax.through(dScore);
            if (softmax.bend.defined() && ds.defined())
                dScore = sumOf(dScore, ds * softmax.bend * score);
            score = softmax.through(score);
            dQ = times(score, d.k);
            dK = times(turned(score), d.q);
        }
        return {scaled(plusTimes(dQ, dScore, own.k), m_shape.scale), plusTimes(dK, turned(dScore), own.q), dV};
    }

    ScoreBlock blockSize(TapePass& pass, std::int64_t directions) const
    {
        const ScoreBlock all{directions, pass.tokens().size(0), m_shape.kvHeads, pass.tokens().size(1)};
        if (at::GradMode::is_enabled())
            return all;
        return scoreBlock(all, group(), m_shape.causal,
                          static_cast<std::int64_t>(pass.value(inputs[0]).element_size()));
    }

    // work(block) gives one tensor an output, query-like [.., group · queries, D] or key-like [.., keys, D]; the
    // results are [directions, B, T, width] again.
    template <typename Work>
    std::vector<at::Tensor> overBlocks(TapePass& pass, std::int64_t directions, const std::vector<bool>& queryLike,
                                       const Work& work) const
    {
        const std::int64_t batch = pass.tokens().size(0), length = pass.tokens().size(1);
        const ScoreBlock size = blockSize(pass, directions);
        std::vector<at::Tensor> results(queryLike.size());
        Part part;
        const auto each = [](std::int64_t all, std::int64_t step, std::int64_t& begin, std::int64_t& count,
                             const auto& inner) {
            for (begin = 0; begin < all; begin += step) {
                count = std::min(step, all - begin);
                inner();
            }
        };
        const auto block = [&] {
            part.keys = m_shape.causal ? part.query + part.queries : length;
            const std::vector<at::Tensor> pieces = work(part);
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                if (pieces[i].defined())
                    place(results[i], pieces[i], part, queryLike[i], {directions, batch, length});
            }
        };
        each(directions, size.directions, part.direction, part.directions, [&] {
            each(batch, size.rows, part.row, part.rows, [&] {
                each(m_shape.kvHeads, size.heads, part.head, part.heads,
                     [&] { each(length, size.queries, part.query, part.queries, block); });
            });
        });
        return results;
    }

    struct Extent {
        std::int64_t directions, batch, length;
    };
    // A query's rows are written once; every block of queries adds to the keys that it looked at.
    void place(at::Tensor& result, const at::Tensor& piece, const Part& part, bool queryLike, const Extent& all) const
    {
        const std::int64_t parts = queryLike ? group() : 1, width = piece.size(-1);
        const std::int64_t length = queryLike ? part.queries : part.keys;
        // [.., heads, parts · length, D] -> [.., length, heads, parts, D]
        const at::Tensor turnedPiece =
            piece.reshape({piece.size(0), part.rows, part.heads, parts, length, width}).permute({0, 1, 4, 2, 3, 5});
        if (part.directions == all.directions && part.rows == all.batch && part.heads == m_shape.kvHeads &&
            part.queries == all.length) {
            result = turnedPiece.reshape({piece.size(0), all.batch, all.length, -1});
            return;
        }
        const std::vector<std::int64_t> shape{all.directions, all.batch, all.length, m_shape.kvHeads, parts, width};
        if (!result.defined())
            result = at::zeros(shape, piece.options()).view({all.directions, all.batch, all.length, -1});
        const at::Tensor target = result.view(shape)
                                      .narrow(0, part.direction, part.directions)
                                      .narrow(1, part.row, part.rows)
                                      .narrow(2, queryLike ? part.query : 0, length)
                                      .narrow(3, part.head, part.heads);
        if (queryLike)
            target.copy_(turnedPiece);
        else
            target.add_(turnedPiece);
    }

    TapeAttentionShape m_shape;
};

} // namespace

std::unique_ptr<TapeOp> makeAttentionOp(const TapeAttentionShape& shape)
{
    return std::make_unique<AttentionOp>(shape);
}

} // namespace peakscope
