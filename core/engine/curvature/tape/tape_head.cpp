// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Logits and cross-entropy on a tape. With p = softmax(z) the gradient is (p - e) / N and its derivative along dz is
// p (dz - sum p dz) / N: no graph of the logits is ever held, and a chunk of positions is enough at a time. A logit
// wide tensor is costly to go over: e is taken off p in p's own place, 1 / N is put on the hidden states. With a soft
// cap z are the capped logits, and what flows passes through its slope.
#include "core/engine/curvature/tape/tape_ops.h"

#include "core/engine/model/soft_cap.h"
#include "core/model/curvature_pieces.h"
#include "core/text/batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace peakscope {
namespace {

class HeadOp final : public TapeOp
{
public:
    HeadOp(std::size_t weight, double cap) : m_cap(cap) { parameters = {weight}; }

    void forward(TapePass& pass) const override
    {
        std::vector<at::Tensor>& kept = pass.kept(index);
        kept.clear();
        const Rows all = rowsOf(pass);
        const std::int64_t bytes = all.count * vocab(pass) * static_cast<std::int64_t>(all.hidden.element_size());
        const bool keep = !at::GradMode::is_enabled() && bytes <= kKeptLogitBytes;
        for (int i = 0; keep && i < (m_cap > 0 ? 2 : 1); ++i) // p, and the capped logits
            kept.push_back(at::empty({all.count, vocab(pass)}, all.hidden.options()));
        // The logarithm of p by the logits' distance to the largest: near a minimum, where p is almost e, what a sum
        // over the logits themselves rounds away is as large as p - e.
        overChunks(pass, 1, [&](const Rows& rows) {
            const at::Tensor logits = logitsOf(pass, rows);
            if (keep && m_cap > 0)
                rows.of(kept[1], 0).copy_(logits);
            at::Tensor p = keep ? rows.of(kept[0], 0) : at::Tensor();
            const at::Tensor logP =
                keep ? at::_log_softmax_out(p, logits, -1, /*half_to_float=*/false) : at::log_softmax(logits, -1);
            pass.addLoss((logP.gather(1, rows.target) * -rows.share).sum());
            if (keep)
                p.exp_();
        });
    }

    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!pass.wantsDirectional())
            return;
        overChunks(pass, seeds.count, [&](const Rows& rows) {
            const at::Tensor dz = logitTangent(pass, seeds, rows);
            if (dz.defined()) {
                const CappedSoftmax softmax = softmaxOf(pass, rows, 1);
                pass.addDirectional((logitAdjoint(softmax.p, rows) * softmax.through(dz)).sum());
            }
        });
    }

    void adjoint(TapePass& pass) const override
    {
        const at::Tensor& weight = pass.weight(parameters[0]);
        const at::Tensor sink = gradientSink(pass, parameters[0]);
        const at::Tensor result = at::empty(asRows(pass.value(inputs[0])).sizes(), weight.options());
        overChunks(pass, 1, [&](const Rows& rows) {
            const CappedSoftmax softmax = softmaxOf(pass, rows, 1);
            lessTargets(softmax.p, rows, [&] {
                const at::Tensor flow = softmax.through(softmax.p);
                at::Tensor part = rows.of(result, 0);
                at::mm_out(part, flow, weight).mul_(rows.share);
                if (sink.defined())
                    sink.addmm_(flow.t(), rows.hidden * rows.share);
            });
        });
        pass.addAdjoint(inputs[0], result.view(pass.value(inputs[0]).sizes()));
    }

    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const bool own = denseSeeds(seeds, parameters[0]) || sparseSeeds(seeds, parameters[0]);
        if (!pass.tangent(inputs[0]).defined() && !own)
            return;
        const bool flows = pass.flowsBelow(index);
        const at::Tensor& hidden = pass.value(inputs[0]);
        const at::Tensor result =
            flows ? at::empty({seeds.count, pass.tokens().numel(), hidden.size(-1)}, hidden.options()) : at::Tensor();
        overChunks(pass, seeds.count, [&](const Rows& rows) {
            at::Tensor dFlow = logitTangent(pass, seeds, rows);
            const CappedSoftmax softmax = softmaxOf(pass, rows, pass.gaussNewton() ? 1 : 2);
            const at::Tensor bent = softmax.bend.defined() ? dFlow * softmax.bend : at::Tensor();
            dFlow = softmax.through(softmaxTangent(softmax.p, softmax.through(dFlow)));
            lessTargets(softmax.p, rows, [&] {
                if (bent.defined())
                    dFlow.addcmul_(bent, softmax.p);
                const at::Tensor flow = softmax.through(softmax.p);
                if (flows)
                    flowDown(pass, seeds, dFlow, flow, rows, rows.of(result, 1));
                collect(pass, seeds, sinks, dFlow, flow, rows);
            });
        });
        if (flows) {
            std::vector<std::int64_t> shape = hidden.sizes().vec();
            shape.insert(shape.begin(), seeds.count);
            pass.addAdjointTangent(inputs[0], result.view(shape));
        }
    }

    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const at::Tensor& second = pass.second(inputs[0]);
        overChunks(pass, seeds.count, [&](const Rows& rows) {
            const at::Tensor moved = logitTangent(pass, seeds, rows);
            if (!moved.defined())
                return;
            const CappedSoftmax softmax = softmaxOf(pass, rows, 2);
            const at::Tensor &p = softmax.p, dz = softmax.through(moved);
            const at::Tensor around = dz - lastSum(p * dz);
            at::Tensor sum = (around * around * p).mul(rows.share).sum({1, 2});
            at::Tensor ddz =
                second.defined() ? at::linear(rows.of(directed(second), 1), pass.weight(parameters[0])) : at::Tensor();
            const auto* sparse = sparseSeeds(seeds, parameters[0]);
            if (const at::Tensor& d = pass.tangent(inputs[0]); sparse && d.defined()) {
                if (!ddz.defined())
                    ddz = at::zeros(dz.sizes(), dz.options());
                const at::Tensor states = rows.of(directed(d), 1);
                for (const SparseSeed& seed : *sparse)
                    ddz.select(0, seed.direction)
                        .select(1, row(seed, rows))
                        .add_(states.select(0, seed.direction).select(1, column(seed, rows)), 2);
            }
            ddz = softmax.through(ddz);
            if (softmax.bend.defined())
                ddz = sumOf(ddz, moved * moved * softmax.bend);
            if (ddz.defined())
                sum = sum + (logitAdjoint(p, rows) * ddz).sum({1, 2});
            pass.addJet(sum);
        });
    }

private:
    // Some of the part's N positions.
    struct Rows {
        std::int64_t begin = 0;
        std::int64_t count = 0;
        at::Tensor hidden; // [count, E]
        at::Tensor target; // [count, 1], 0 where not counted
        at::Tensor share;  // [count, 1], 1 / denominator or 0

        // These rows of what has all N along a dimension.
        at::Tensor of(const at::Tensor& all, std::int64_t dimension) const
        {
            return all.narrow(dimension, begin, count);
        }
    };
    Rows rowsOf(TapePass& pass) const
    {
        Rows rows;
        rows.hidden = asRows(pass.value(inputs[0]));
        rows.count = rows.hidden.size(0);
        const at::Tensor labels = pass.labels().reshape({-1, 1});
        rows.target = labels.clamp_min(0);
        rows.share = labels.ne(kIgnoredLabel).to(rows.hidden.scalar_type()) / pass.denominator();
        return rows;
    }
    std::int64_t vocab(TapePass& pass) const { return pass.weight(parameters[0]).size(0); }
    static std::int64_t row(const SparseSeed& seed, const Rows& rows) { return seed.index / rows.hidden.size(1); }
    static std::int64_t column(const SparseSeed& seed, const Rows& rows) { return seed.index % rows.hidden.size(1); }
    // [K, B, T, E] -> [K, N, E]
    static at::Tensor directed(const at::Tensor& x) { return x.reshape({x.size(0), -1, x.size(-1)}); }

    template <typename Work>
    void overChunks(TapePass& pass, std::int64_t directions, const Work& work) const
    {
        const Rows all = rowsOf(pass);
        const auto bytes = static_cast<std::int64_t>(pass.weight(0).element_size());
        const std::int64_t step =
            at::GradMode::is_enabled() ? all.count : logitChunkRows(all.count, directions, vocab(pass), bytes);
        for (std::int64_t begin = 0; begin < all.count; begin += step) {
            Rows rows;
            rows.begin = begin;
            rows.count = std::min(step, all.count - begin);
            rows.hidden = rows.of(all.hidden, 0);
            rows.target = rows.of(all.target, 0);
            rows.share = rows.of(all.share, 0);
            work(rows);
        }
    }

    // The capped logits.
    at::Tensor logitsOf(TapePass& pass, const Rows& rows) const
    {
        const at::Tensor logits = at::linear(rows.hidden, pass.weight(parameters[0]));
        if (at::GradMode::is_enabled())
            return softCapped(logits, m_cap);
        softCap(logits, m_cap, false);
        return logits;
    }
    // With so many of the cap's derivatives.
    CappedSoftmax softmaxOf(TapePass& pass, const Rows& rows, int derivatives) const
    {
        CappedSoftmax result;
        const auto& kept = pass.kept(index);
        const at::Tensor logits = kept.empty() ? logitsOf(pass, rows) : rows.of(kept.back(), 0);
        result.p = kept.empty() ? at::softmax(logits, -1) : rows.of(kept[0], 0);
        if (m_cap > 0 && derivatives > 0)
            result.slope = slopeOfCapped(logits, m_cap);
        if (m_cap > 0 && derivatives > 1)
            result.bend = bendOfCapped(logits, result.slope, m_cap);
        return result;
    }
    // (p - e) / N
    static at::Tensor logitAdjoint(const at::Tensor& p, const Rows& rows)
    {
        return (p * rows.share).scatter_add(1, rows.target, -rows.share);
    }
    // work() while p is p - e; afterwards it is p again, bit by bit. Taken off before any sum: near a minimum, where p
    // is almost e, the difference of two sums would be their rounding.
    template <typename Work>
    static void lessTargets(const at::Tensor& p, const Rows& rows, const Work& work)
    {
        const at::Tensor chosen = p.gather(1, rows.target);
        p.scatter_(1, rows.target, chosen - 1);
        work();
        p.scatter_(1, rows.target, chosen);
    }
    // [K, count, vocab]; undefined where no direction reaches the head.
    at::Tensor logitTangent(TapePass& pass, const TangentSeeds& seeds, const Rows& rows) const
    {
        const at::Tensor& d = pass.tangent(inputs[0]);
        at::Tensor dz = d.defined() ? at::linear(rows.of(directed(d), 1), pass.weight(parameters[0])) : at::Tensor();
        const auto* dense = denseSeeds(seeds, parameters[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        if (!dz.defined() && (dense || sparse))
            dz = at::zeros({seeds.count, rows.count, vocab(pass)}, rows.hidden.options());
        if (dense)
            addProducts(dz, rows.hidden, *dense, true);
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i)
            dz.select(0, (*sparse)[i].direction)
                .select(1, row((*sparse)[i], rows))
                .add_(rows.hidden.select(1, column((*sparse)[i], rows)));
        return dz;
    }

    // `flow`: p - e; `result`: [K, count, E].
    void flowDown(TapePass& pass, const TangentSeeds& seeds, const at::Tensor& dFlow, const at::Tensor& flow,
                  const Rows& rows, const at::Tensor& result) const
    {
        result.copy_(at::matmul(dFlow, pass.weight(parameters[0])));
        const auto* dense = pass.gaussNewton() ? nullptr : denseSeeds(seeds, parameters[0]);
        for (std::int64_t k = 0; dense && k < seeds.count; ++k) {
            if (const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)]; own.defined())
                result.select(0, k).addmm_(flow, own);
        }
        const auto* sparse = pass.gaussNewton() ? nullptr : sparseSeeds(seeds, parameters[0]);
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i)
            result.select(0, (*sparse)[i].direction)
                .select(1, column((*sparse)[i], rows))
                .add_(flow.select(1, row((*sparse)[i], rows)));
        result.mul_(rows.share);
    }

    void collect(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks, const at::Tensor& dFlow,
                 const at::Tensor& flow, const Rows& rows) const
    {
        const at::Tensor hidden = rows.hidden * rows.share;
        const at::Tensor& d = pass.tangent(inputs[0]);
        const at::Tensor moved =
            d.defined() && !pass.gaussNewton() ? rows.of(directed(d), 1) * rows.share : at::Tensor();
        if (auto* dense = denseSinks(sinks, parameters[0])) {
            for (std::size_t k = 0; k < dense->size(); ++k) {
                (*dense)[k].addmm_(dFlow.select(0, static_cast<std::int64_t>(k)).t(), hidden);
                if (moved.defined())
                    (*dense)[k].addmm_(flow.t(), moved.select(0, static_cast<std::int64_t>(k)));
            }
        }
        const auto* sparse = sinks.entries ? sparseSeeds(seeds, parameters[0]) : nullptr;
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            const std::int64_t k = (*sparse)[i].direction, logit = row((*sparse)[i], rows),
                               unit = column((*sparse)[i], rows);
            at::Tensor value = (dFlow.select(0, k).select(1, logit) * hidden.select(1, unit)).sum();
            if (moved.defined())
                value = value + (flow.select(1, logit) * moved.select(0, k).select(1, unit)).sum();
            addEntry(sinks, k, value);
        }
    }

    double m_cap;
};

} // namespace

std::unique_ptr<TapeOp> makeHeadOp(std::size_t weight, double cap)
{
    return std::make_unique<HeadOp>(weight, cap);
}

} // namespace peakscope
