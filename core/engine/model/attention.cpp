// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/attention.h"

#include "core/engine/device/torch_compat.h"
#include "core/engine/model/soft_cap.h"
#include "core/engine/model/wide_type.h"
#include "core/model/model_config.h"
#include "core/model/operations.h"
#include "core/model/work_pieces.h"
#include "core/text/ignored_label.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#if PEAKSCOPE_TORCH_HAS_SDPA
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#endif
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

double scaleOf(const AttentionOptions& options, const at::Tensor& q)
{
    return options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(q.size(-1)));
}

// Key heads repeated for their group of query heads: [B, T, kvHeads, D] -> [B, T, heads, D]; no copy where they are as
// many.
at::Tensor repeatHeads(const at::Tensor& x, std::int64_t heads)
{
    const std::int64_t own = x.size(2);
    if (own == heads)
        return x;
    return x.unsqueeze(3)
        .expand({x.size(0), x.size(1), own, heads / own, x.size(3)})
        .reshape({x.size(0), x.size(1), heads, x.size(3)});
}

// [B, heads, T, D] -> [B, T, heads · D].
at::Tensor mergeHeads(const at::Tensor& x)
{
    return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

// The tensors of one pass, q-like as [B, kvHeads, group, T, D], k-like as [B, kvHeads, T, D]; all views.
struct ChunkedPass {
    at::Tensor q, k, v, padding, sinks;
    at::ScalarType wide = at::kFloat; // scores, softmax and sums
    bool causal = true;
    std::int64_t window = 0;
    double scale = 1;
    double cap = 0;
    AttentionBlocks blocks;

    ChunkedPass(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool isCausal,
                std::int64_t lastKeys, double factor, double most, at::Tensor hidden, at::Tensor headSinks)
        : q(grouped(query, key.size(2))), k(key.transpose(1, 2)), v(value.transpose(1, 2)), padding(std::move(hidden)),
          sinks(std::move(headSinks)), causal(isCausal), window(lastKeys), scale(factor), cap(most)
    {
        wide = wideOf(query);
        const auto bytes = static_cast<std::int64_t>(c10::elementSize(wide));
        blocks = attentionBlocks(q.size(0), q.size(1), q.size(2), q.size(3), bytes);
    }

    // [B, T, heads, D] -> [B, kvHeads, group, T, D].
    static at::Tensor grouped(const at::Tensor& x, std::int64_t kvHeads)
    {
        return x.view({x.size(0), x.size(1), kvHeads, x.size(2) / kvHeads, x.size(3)}).permute({0, 2, 3, 1, 4});
    }

    std::int64_t sequence() const { return q.size(3); }
    // Keys that queries before `end` look at.
    std::int64_t keys(std::int64_t end) const { return causal ? end : sequence(); }
    // The part of x [rows · heads, T, D] that queries [begin, end) look at.
    at::Tensor seen(const at::Tensor& x, std::int64_t begin, std::int64_t end) const
    {
        const std::int64_t first = firstKeyOf(begin, window);
        return x.narrow(1, first, keys(end) - first);
    }

    // visit(row, head): the first sample and key head of every block.
    template <typename Visitor>
    void forEachBlock(const Visitor& visit) const
    {
        for (std::int64_t row = 0; row < q.size(0); row += blocks.rows) {
            for (std::int64_t head = 0; head < q.size(1); head += blocks.heads)
                visit(row, head);
        }
    }
    // visit(begin, end): query positions.
    template <typename Visitor>
    void forEachChunk(const Visitor& visit) const
    {
        for (std::int64_t begin = 0; begin < sequence(); begin += blocks.queries)
            visit(begin, std::min(begin + blocks.queries, sequence()));
    }

    // The block of a tensor whose first two dimensions are [B, kvHeads].
    at::Tensor block(const at::Tensor& x, std::int64_t row, std::int64_t head) const
    {
        return x.narrow(0, row, std::min(blocks.rows, x.size(0) - row))
            .narrow(1, head, std::min(blocks.heads, x.size(1) - head));
    }
    // [rows, heads, T, D] -> [rows · heads, T, D] in the wide type.
    at::Tensor keyMatrix(const at::Tensor& x) const { return x.to(wide).reshape({-1, x.size(2), x.size(3)}); }
    // [rows, heads, group, T, D] -> [rows · heads, group · chunk, D] in the wide type.
    at::Tensor queryMatrix(const at::Tensor& x, std::int64_t begin, std::int64_t end) const
    {
        return x.narrow(3, begin, end - begin).to(wide).reshape({-1, x.size(2) * (end - begin), x.size(4)});
    }

    // The sinks of a block's lines, [rows · heads, group · chunk, 1]; may be a view of them.
    at::Tensor sinkLines(std::int64_t head, std::int64_t units, std::int64_t chunk) const
    {
        const std::int64_t own = std::min(blocks.heads, q.size(1) - head), group = q.size(2);
        return sinks.view({q.size(1), group})
            .narrow(0, head, own)
            .to(wide)
            .view({1, own, group, 1})
            .expand({units / own, own, group, chunk})
            .reshape({units, group * chunk, 1});
    }

    // Scaled, capped and masked scores [rows · heads, group · chunk, keys], in a buffer of their own; `row`: the first.
    // `slope`, where it is wanted: the cap's derivative, nothing without one.
    at::Tensor scores(const at::Tensor& queries, const at::Tensor& keyBlock, std::int64_t row, std::int64_t begin,
                      std::int64_t end, at::Tensor* slope = nullptr) const
    {
        at::Tensor result = at::bmm(queries, seen(keyBlock, begin, end).transpose(1, 2)).mul_(scale);
        if (const at::Tensor found = softCap(result, cap, slope != nullptr); found.defined())
            *slope = found;
        const std::int64_t first = firstKeyOf(begin, window);
        if (causal) {
            const std::int64_t chunk = end - begin;
            const at::Tensor later = at::ones({chunk, chunk}, queries.options().dtype(at::kBool)).triu_(1);
            result.view({result.size(0), -1, chunk, end - first})
                .narrow(3, begin - first, chunk)
                .masked_fill_(later, kMinusInfinity);
        }
        if (window > 0 && end > window) {
            const at::Tensor before =
                at::ones({end - begin, end - first}, queries.options().dtype(at::kBool)).tril_(begin - first - window);
            result.view({result.size(0), -1, end - begin, end - first}).masked_fill_(before, kMinusInfinity);
        }
        if (padding.defined()) {
            const std::int64_t rows = std::min(blocks.rows, padding.size(0) - row);
            result.view({rows, -1, result.size(1), result.size(2)})
                .masked_fill_(padding.narrow(0, row, rows).unsqueeze(1).unsqueeze(1), kMinusInfinity);
        }
        return result;
    }
};

// Attention without a T×T matrix; forward keeps q, k, v, the result and the logarithm of each query's softmax sum, and
// backward makes the probabilities again (Rabe and Staats 2021; Dao et al. 2022, section 3.1, for the gradients).
struct ChunkedAttention : torch::autograd::Function<ChunkedAttention> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              bool causal, std::int64_t window, double scale, double cap,
                              const std::optional<at::Tensor>& hidden, const std::optional<at::Tensor>& headSinks)
    {
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const at::Tensor padding = hidden.value_or(at::Tensor()), sinks = headSinks.value_or(at::Tensor());
        const ChunkedPass pass(q, k, v, causal, window, scale, cap, padding, sinks);
        const at::Tensor out = at::empty(q.sizes(), q.options());
        const at::Tensor outView = ChunkedPass::grouped(out, k.size(2));
        const at::Tensor logSum = at::empty(pass.q.sizes().slice(0, 4), q.options().dtype(pass.wide));
        pass.forEachBlock([&](std::int64_t row, std::int64_t head) {
            forwardBlock(pass, pass.block(outView, row, head), pass.block(logSum, row, head), row, head);
        });
        context->save_for_backward({q, k, v, out, logSum, padding, sinks});
        context->saved_data["causal"] = causal;
        context->saved_data["window"] = window;
        context->saved_data["scale"] = scale;
        context->saved_data["cap"] = cap;
        return out;
    }

    static void forwardBlock(const ChunkedPass& pass, const at::Tensor& out, const at::Tensor& logSum, std::int64_t row,
                             std::int64_t head)
    {
        const at::Tensor q = pass.block(pass.q, row, head);
        const at::Tensor k = pass.keyMatrix(pass.block(pass.k, row, head));
        const at::Tensor v = pass.keyMatrix(pass.block(pass.v, row, head));
        pass.forEachChunk([&](std::int64_t begin, std::int64_t end) {
            at::Tensor weights = pass.scores(pass.queryMatrix(q, begin, end), k, row, begin, end);
            at::Tensor largest = at::amax(weights, at::IntArrayRef{2}, /*keepdim=*/true), sink;
            if (pass.sinks.defined()) {
                sink = pass.sinkLines(head, weights.size(0), end - begin);
                largest = at::maximum(largest, sink);
            }
            weights.sub_(largest).exp_();
            const at::Tensor sum = weights.sum(at::IntArrayRef{2}, /*keepdim=*/true);
            if (sink.defined())
                sum.add_((sink - largest).exp_());
            const at::Tensor mean = at::bmm(weights, pass.seen(v, begin, end)).div_(sum);
            at::Tensor target = out.narrow(3, begin, end - begin);
            target.copy_(mean.view(target.sizes()));
            at::Tensor logTarget = logSum.narrow(3, begin, end - begin);
            logTarget.copy_(sum.log().add_(largest).view(logTarget.sizes()));
        });
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "chunked attention has no second derivative; set training.attention to math");
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
        const ChunkedPass pass(q, k, v, context->saved_data["causal"].toBool(), context->saved_data["window"].toInt(),
                               context->saved_data["scale"].toDouble(), context->saved_data["cap"].toDouble(), saved[5],
                               saved[6]);
        BackwardTensors all;
        all.out = ChunkedPass::grouped(saved[3], k.size(2));
        all.logSum = saved[4];
        all.outGradient = ChunkedPass::grouped(gradients[0].contiguous(), k.size(2));
        const at::Tensor qGradient = at::empty(q.sizes(), q.options());
        const at::Tensor kGradient = at::empty(k.sizes(), k.options());
        const at::Tensor vGradient = at::empty(v.sizes(), v.options());
        all.qGradient = ChunkedPass::grouped(qGradient, k.size(2));
        all.kGradient = kGradient.transpose(1, 2);
        all.vGradient = vGradient.transpose(1, 2);
        const at::Tensor& sinks = saved[6];
        if (sinks.defined())
            all.sinks = at::zeros(sinks.sizes(), sinks.options().dtype(pass.wide));
        pass.forEachBlock([&](std::int64_t row, std::int64_t head) { backwardBlock(pass, all, row, head); });
        const at::Tensor sinkGradient = sinks.defined() ? all.sinks.to(sinks.scalar_type()) : at::Tensor();
        return {qGradient,    kGradient,    vGradient,    at::Tensor(), at::Tensor(),
                at::Tensor(), at::Tensor(), at::Tensor(), sinkGradient};
    }

    struct BackwardTensors {
        at::Tensor out, logSum, outGradient;
        at::Tensor qGradient, kGradient, vGradient;
        at::Tensor sinks; // their gradient
    };

    static void backwardBlock(const ChunkedPass& pass, const BackwardTensors& all, std::int64_t row, std::int64_t head)
    {
        const at::Tensor q = pass.block(pass.q, row, head);
        const at::Tensor k = pass.keyMatrix(pass.block(pass.k, row, head));
        const at::Tensor v = pass.keyMatrix(pass.block(pass.v, row, head));
        const at::Tensor out = pass.block(all.out, row, head);
        const at::Tensor outGradient = pass.block(all.outGradient, row, head);
        const at::Tensor logSum = pass.block(all.logSum, row, head);
        const at::Tensor qTarget = pass.block(all.qGradient, row, head);
        const at::Tensor kSum = at::zeros(k.sizes(), k.options());
        const at::Tensor vSum = at::zeros(v.sizes(), v.options());
        pass.forEachChunk([&](std::int64_t begin, std::int64_t end) {
            const at::Tensor queries = pass.queryMatrix(q, begin, end);
            const at::Tensor flowing = pass.queryMatrix(outGradient, begin, end);
            const at::Tensor logs = logSum.narrow(3, begin, end - begin).reshape({queries.size(0), -1, 1});
            at::Tensor slope;
            const at::Tensor weights = pass.scores(queries, k, row, begin, end, &slope).sub_(logs).exp_();
            pass.seen(vSum, begin, end).baddbmm_(weights.transpose(1, 2), flowing);
            const at::Tensor overlap =
                (flowing * pass.queryMatrix(out, begin, end)).sum(at::IntArrayRef{2}, /*keepdim=*/true);
            if (all.sinks.defined()) {
                const at::Tensor flow =
                    (pass.sinkLines(head, queries.size(0), end - begin) - logs).exp_().mul_(overlap);
                const std::int64_t own = std::min(pass.blocks.heads, pass.q.size(1) - head);
                all.sinks.view({pass.q.size(1), -1})
                    .narrow(0, head, own)
                    .sub_(flow.view({-1, own, pass.q.size(2), end - begin}).sum(at::IntArrayRef{0, 3}));
            }
            at::Tensor scoreGradient = at::bmm(flowing, pass.seen(v, begin, end).transpose(1, 2));
            scoreGradient.sub_(overlap).mul_(weights).mul_(pass.scale);
            if (slope.defined())
                scoreGradient.mul_(slope);
            pass.seen(kSum, begin, end).baddbmm_(scoreGradient.transpose(1, 2), queries);
            at::Tensor target = qTarget.narrow(3, begin, end - begin);
            target.copy_(at::bmm(scoreGradient, pass.seen(k, begin, end)).view(target.sizes()));
        });
        at::Tensor kTarget = pass.block(all.kGradient, row, head);
        kTarget.copy_(kSum.view(kTarget.sizes()));
        at::Tensor vTarget = pass.block(all.vGradient, row, head);
        vTarget.copy_(vSum.view(vTarget.sizes()));
    }
};

at::Tensor mathAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& options)
{
    const std::int64_t heads = q.size(2);
    const at::Tensor queries = q.transpose(1, 2) * scaleOf(options, q);
    at::Tensor weights = softCapped(at::matmul(queries, repeatHeads(k, heads).permute({0, 2, 3, 1})), options.cap);
    if (options.causal) {
        const at::Tensor mask =
            options.mask.defined() ? options.mask : causalMask(q.size(1), q.device(), options.window);
        weights = weights.masked_fill(mask, kMinusInfinity);
    }
    if (options.padding.defined())
        weights = weights.masked_fill(options.padding.unsqueeze(1).unsqueeze(1), kMinusInfinity);
    const at::ScalarType wide = wideOf(weights);
    if (options.sinks.defined()) {
        const at::Tensor sinks = options.sinks.to(weights.scalar_type()).view({1, heads, 1, 1});
        weights = at::cat({weights, sinks.expand({q.size(0), heads, q.size(1), 1})}, -1);
    }
    weights = at::softmax(weights, -1, wide).to(v.scalar_type());
    if (options.sinks.defined())
        weights = weights.narrow(-1, 0, q.size(1));
    return mergeHeads(at::matmul(weights, repeatHeads(v, heads).transpose(1, 2)));
}

#if PEAKSCOPE_TORCH_HAS_SDPA
// Whether LibTorch would use a kernel that never holds all scores. Once their heads are repeated, keys and values are
// alike to q in all that counts for the choice.
bool fusedKernelExists(const at::Tensor& q, bool causal)
{
    constexpr std::int64_t kMathBackend = 0; // sdp::SDPBackend::math; -1 is an error
    const at::Tensor heads = q.transpose(1, 2);
    return at::_fused_sdp_choice(heads, heads, heads, {}, 0.0, causal) > kMathBackend;
}

at::Tensor fusedAttention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options)
{
    const std::int64_t heads = q.size(2);
    // The scale is put into q where it is not the usual one: early 2.x have no argument for it.
    const double ratio = scaleRatio(scaleOf(options, q), q.size(-1));
    if (ratio != 1)
        q = q * ratio;
    k = repeatHeads(k, heads);
    v = repeatHeads(v, heads);
    return mergeHeads(at::scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), {}, 0.0,
                                                       options.causal));
}
#endif

} // namespace

AttentionKind resolveAttention(AttentionKind kind, const at::Tensor& q, bool causal, bool altered)
{
    if (kind != AttentionKind::Auto && kind != AttentionKind::Fused)
        return kind;
#if PEAKSCOPE_TORCH_HAS_SDPA
    const bool fused = mayFuse(kind, altered) && fusedKernelExists(q, causal);
#else
    const bool fused = false;
    static_cast<void>(causal);
    static_cast<void>(altered);
#endif
    TORCH_CHECK(fused || kind == AttentionKind::Auto || !altered,
                "training.attention: no fused kernel supports windows, soft caps, sinks or the padding of shorter "
                "rows; chunked does");
    TORCH_CHECK(fused || kind == AttentionKind::Auto, "training.attention: this LibTorch has no fused kernel for ",
                q.scalar_type(), " on ", q.device(), "; chunked works everywhere");
    return fused ? AttentionKind::Fused : AttentionKind::Chunked;
}

at::Tensor paddingOf(const at::Tensor& labels)
{
    at::Tensor padding = labels.eq(kIgnoredLabel);
    padding.narrow(1, 0, 1).zero_();
    return padding;
}

at::Tensor causalMask(std::int64_t sequence, c10::Device device, std::int64_t window)
{
    const auto all = [&] { return at::ones({sequence, sequence}, at::TensorOptions(device).dtype(at::kBool)); };
    at::Tensor mask = all().triu_(1);
    if (window > 0)
        mask.logical_or_(all().tril_(-window));
    return mask;
}

at::Tensor attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options)
{
    const bool altered = options.window > 0 || options.cap > 0 || options.padding.defined() || options.sinks.defined();
    switch (resolveAttention(options.kind, q, options.causal, altered)) {
    case AttentionKind::Math:
        return mathAttention(q, k, v, options);
#if PEAKSCOPE_TORCH_HAS_SDPA
    case AttentionKind::Fused:
        return fusedAttention(std::move(q), std::move(k), std::move(v), options);
#endif
    default:
        break;
    }
    const std::int64_t width = q.size(2) * q.size(3);
    std::optional<at::Tensor> padding, sinks; // never an undefined tensor: autograd asks each for its device
    if (options.padding.defined())
        padding = options.padding;
    if (options.sinks.defined())
        sinks = options.sinks;
    return ChunkedAttention::apply(q, k, v, options.causal, options.window, scaleOf(options, q), options.cap, padding,
                                   sinks)
        .reshape({q.size(0), q.size(1), width});
}

} // namespace peakscope
