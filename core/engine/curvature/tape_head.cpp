// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Logits and cross-entropy on a tape. With p = softmax(z) the gradient is (p - e) / N and its derivative along dz is
// p (dz - sum p dz) / N: no graph of the logits is ever held, and a chunk of positions is enough at a time.
#include "core/engine/curvature/tape_ops.h"

#include "core/text/batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

namespace peakscope {
namespace {

constexpr std::int64_t kLogitChunkBytes = std::int64_t{32} << 20; // of one tensor of K directions' logits
constexpr std::int64_t kKeptLogitBytes = std::int64_t{64} << 20;  // softmax kept between the methods up to this size

at::Tensor lastSum(const at::Tensor& x)
{
    return x.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
}

class HeadOp final : public TapeOp
{
public:
    explicit HeadOp(std::size_t weight) { parameters = {weight}; }

    void forward(TapePass& pass) const override
    {
        std::vector<at::Tensor>& kept = pass.kept(index);
        kept.clear();
        const Rows all = rowsOf(pass);
        const std::int64_t bytes = all.count * vocab(pass) * static_cast<std::int64_t>(all.hidden.element_size());
        const bool keep = !at::GradMode::is_enabled() && bytes <= kKeptLogitBytes;
        if (keep)
            kept.push_back(at::empty({all.count, vocab(pass)}, all.hidden.options()));
        overChunks(pass, 1, [&](std::int64_t begin, std::int64_t count) {
            const at::Tensor logits = at::linear(all.hidden.narrow(0, begin, count), pass.weight(parameters[0]));
            const at::Tensor chosen = logits.gather(1, all.target.narrow(0, begin, count));
            const at::Tensor sums = at::logsumexp(logits, at::IntArrayRef{-1}, /*keepdim=*/true);
            pass.addLoss(((sums - chosen) * all.share.narrow(0, begin, count)).sum());
            if (keep)
                kept[0].narrow(0, begin, count).copy_((logits - sums).exp_());
        });
    }

    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!pass.wantsDirectional())
            return;
        const Rows all = rowsOf(pass);
        overChunks(pass, seeds.count, [&](std::int64_t begin, std::int64_t count) {
            const at::Tensor dz = logitTangent(pass, seeds, all, begin, count);
            if (dz.defined())
                pass.addDirectional((logitAdjoint(pass, all, begin, count) * dz).sum());
        });
    }

    void adjoint(TapePass& pass) const override
    {
        const Rows all = rowsOf(pass);
        const at::Tensor sink = gradientSink(pass, parameters[0]);
        const at::Tensor result = at::empty(all.hidden.sizes(), all.hidden.options());
        overChunks(pass, 1, [&](std::int64_t begin, std::int64_t count) {
            const at::Tensor z = logitAdjoint(pass, all, begin, count);
            result.narrow(0, begin, count).copy_(at::matmul(z, pass.weight(parameters[0])));
            if (sink.defined())
                sink.addmm_(z.t(), all.hidden.narrow(0, begin, count));
        });
        pass.addAdjoint(inputs[0], result.view(pass.value(inputs[0]).sizes()));
    }

    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const Rows all = rowsOf(pass);
        const at::Tensor& hiddenTangent = pass.tangent(inputs[0]);
        const bool own = denseSeeds(seeds, parameters[0]) || sparseSeeds(seeds, parameters[0]);
        if (!hiddenTangent.defined() && !own)
            return;
        const bool flows = pass.flowsBelow(index);
        const at::Tensor result =
            flows ? at::empty({seeds.count, all.count, all.hidden.size(1)}, all.hidden.options()) : at::Tensor();
        overChunks(pass, seeds.count, [&](std::int64_t begin, std::int64_t count) {
            const at::Tensor dz = logitTangent(pass, seeds, all, begin, count);
            const at::Tensor p = probabilities(pass, all, begin, count);
            const at::Tensor dFlow = (dz - lastSum(p * dz)).mul_(p).mul_(all.share.narrow(0, begin, count));
            const at::Tensor flow = pass.gaussNewton() ? at::Tensor() : logitAdjoint(pass, all, begin, count);
            if (flows)
                flowDown(pass, seeds, dFlow, flow, result.narrow(1, begin, count));
            collect(pass, seeds, sinks, all, dFlow, flow, begin);
        });
        if (flows) {
            std::vector<std::int64_t> shape = pass.value(inputs[0]).sizes().vec();
            shape.insert(shape.begin(), seeds.count);
            pass.addAdjointTangent(inputs[0], result.view(shape));
        }
    }

    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        const Rows all = rowsOf(pass);
        const at::Tensor& second = pass.second(inputs[0]);
        overChunks(pass, seeds.count, [&](std::int64_t begin, std::int64_t count) {
            const at::Tensor dz = logitTangent(pass, seeds, all, begin, count);
            if (!dz.defined())
                return;
            const at::Tensor p = probabilities(pass, all, begin, count);
            const at::Tensor around = dz - lastSum(p * dz);
            at::Tensor sum = (around * around * p).mul(all.share.narrow(0, begin, count)).sum({1, 2});
            at::Tensor ddz = second.defined()
                                 ? at::linear(directed(second).narrow(1, begin, count), pass.weight(parameters[0]))
                                 : at::Tensor();
            const auto* sparse = sparseSeeds(seeds, parameters[0]);
            if (const at::Tensor& d = pass.tangent(inputs[0]); sparse && d.defined()) {
                if (!ddz.defined())
                    ddz = at::zeros(dz.sizes(), dz.options());
                for (const SparseSeed& seed : *sparse)
                    ddz.select(0, seed.direction)
                        .select(1, row(seed, all))
                        .add_(
                            directed(d).select(0, seed.direction).narrow(0, begin, count).select(1, column(seed, all)),
                            2);
            }
            if (ddz.defined())
                sum = sum + (logitAdjoint(pass, all, begin, count) * ddz).sum({1, 2});
            pass.addJet(sum);
        });
    }

private:
    struct Rows {
        std::int64_t count = 0;
        at::Tensor hidden; // [N, E]
        at::Tensor target; // [N, 1], 0 where not counted
        at::Tensor share;  // [N, 1], 1 / denominator or 0
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
    static std::int64_t row(const SparseSeed& seed, const Rows& all) { return seed.index / all.hidden.size(1); }
    static std::int64_t column(const SparseSeed& seed, const Rows& all) { return seed.index % all.hidden.size(1); }
    // [K, B, T, E] -> [K, N, E]
    static at::Tensor directed(const at::Tensor& x) { return x.reshape({x.size(0), -1, x.size(-1)}); }

    template <typename Work>
    void overChunks(TapePass& pass, std::int64_t directions, const Work& work) const
    {
        const std::int64_t total = pass.tokens().numel();
        const std::int64_t line = directions * vocab(pass) * static_cast<std::int64_t>(pass.weight(0).element_size());
        const std::int64_t step =
            at::GradMode::is_enabled() ? total : std::clamp<std::int64_t>(kLogitChunkBytes / line, 1, total);
        for (std::int64_t begin = 0; begin < total; begin += step)
            work(begin, std::min(step, total - begin));
    }

    at::Tensor probabilities(TapePass& pass, const Rows& all, std::int64_t begin, std::int64_t count) const
    {
        if (const auto& kept = pass.kept(index); !kept.empty())
            return kept[0].narrow(0, begin, count);
        return at::softmax(at::linear(all.hidden.narrow(0, begin, count), pass.weight(parameters[0])), -1);
    }
    // (p - e) / N
    at::Tensor logitAdjoint(TapePass& pass, const Rows& all, std::int64_t begin, std::int64_t count) const
    {
        const at::Tensor share = all.share.narrow(0, begin, count);
        const at::Tensor p = probabilities(pass, all, begin, count) * share;
        return p.scatter_add(1, all.target.narrow(0, begin, count), -share);
    }
    // [K, rows, vocab]; undefined where no direction reaches the head.
    at::Tensor logitTangent(TapePass& pass, const TangentSeeds& seeds, const Rows& all, std::int64_t begin,
                            std::int64_t count) const
    {
        const at::Tensor& d = pass.tangent(inputs[0]);
        const at::Tensor hidden = all.hidden.narrow(0, begin, count);
        at::Tensor dz =
            d.defined() ? at::linear(directed(d).narrow(1, begin, count), pass.weight(parameters[0])) : at::Tensor();
        const auto* dense = denseSeeds(seeds, parameters[0]);
        const auto* sparse = sparseSeeds(seeds, parameters[0]);
        if (!dz.defined() && (dense || sparse))
            dz = at::zeros({seeds.count, count, vocab(pass)}, all.hidden.options());
        for (std::int64_t k = 0; dense && k < seeds.count; ++k) {
            if (const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)]; own.defined())
                dz.select(0, k).add_(at::linear(hidden, own));
        }
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i)
            dz.select(0, (*sparse)[i].direction)
                .select(1, row((*sparse)[i], all))
                .add_(hidden.select(1, column((*sparse)[i], all)));
        return dz;
    }

    void flowDown(TapePass& pass, const TangentSeeds& seeds, const at::Tensor& dFlow, const at::Tensor& flow,
                  const at::Tensor& result) const
    {
        result.copy_(at::matmul(dFlow, pass.weight(parameters[0])));
        if (!flow.defined())
            return;
        if (const auto* dense = denseSeeds(seeds, parameters[0])) {
            for (std::int64_t k = 0; k < seeds.count; ++k) {
                if (const at::Tensor& own = (*dense)[static_cast<std::size_t>(k)]; own.defined())
                    result.select(0, k).addmm_(flow, own);
            }
        }
        if (const auto* sparse = sparseSeeds(seeds, parameters[0])) {
            const std::int64_t width = result.size(-1);
            for (const SparseSeed& seed : *sparse)
                result.select(0, seed.direction).select(1, seed.index % width).add_(flow.select(1, seed.index / width));
        }
    }

    void collect(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks, const Rows& all,
                 const at::Tensor& dFlow, const at::Tensor& flow, std::int64_t begin) const
    {
        const std::int64_t count = dFlow.size(1);
        const at::Tensor hidden = all.hidden.narrow(0, begin, count);
        const at::Tensor& d = pass.tangent(inputs[0]);
        const at::Tensor dHidden = d.defined() && flow.defined() ? directed(d).narrow(1, begin, count) : at::Tensor();
        if (auto* dense = denseSinks(sinks, parameters[0])) {
            for (std::size_t k = 0; k < dense->size(); ++k) {
                (*dense)[k].addmm_(dFlow.select(0, static_cast<std::int64_t>(k)).t(), hidden);
                if (dHidden.defined())
                    (*dense)[k].addmm_(flow.t(), dHidden.select(0, static_cast<std::int64_t>(k)));
            }
        }
        const auto* sparse = sinks.entries ? sparseSeeds(seeds, parameters[0]) : nullptr;
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            const SparseSeed& seed = (*sparse)[i];
            at::Tensor value =
                (dFlow.select(0, seed.direction).select(1, row(seed, all)) * hidden.select(1, column(seed, all))).sum();
            if (dHidden.defined())
                value = value + (flow.select(1, row(seed, all)) *
                                 dHidden.select(0, seed.direction).select(1, column(seed, all)))
                                    .sum();
            addEntry(sinks, seed.direction, value);
        }
    }
};

} // namespace

std::unique_ptr<TapeOp> makeHeadOp(std::size_t weight)
{
    return std::make_unique<HeadOp>(weight);
}

} // namespace peakscope
