// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/sample_head.h"

#include "core/engine/dpsgd/sample_functions.h"
#include "core/engine/dpsgd/sample_tape.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/checkpoint.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/model/soft_cap.h"
#include "core/engine/model/wide_type.h"
#include "core/model/work_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Counted tokens of each row, 1 at least, [B].
at::Tensor countsOf(const at::Tensor& labels, at::ScalarType type)
{
    return labels.ne(kIgnoredLabel).sum(1).clamp_min_(1).to(type);
}

// A block of tokens [n, E] of one sample.
struct Block {
    at::Tensor hidden; // [n, E] in the product's type
    at::Tensor labels; // [n]
    at::Tensor share;  // scalar: one over the sample's counted tokens, times its weight
};

// The block's summed cross-entropy times share, and what flows into its logits, in the product's type.
struct BlockResult {
    at::Tensor loss;
    at::Tensor flowing; // [n, vocab]
};

BlockResult blockLoss(const Block& block, const at::Tensor& matrix, double cap)
{
    at::Tensor logits = at::mm(block.hidden, matrix.t()).to(wideOf(matrix));
    const at::Tensor slope = softCap(logits, cap, true);
    const at::Tensor counted = block.labels.ne(kIgnoredLabel).unsqueeze(1);
    const at::Tensor target = block.labels.clamp_min(0).unsqueeze(1);
    logits.sub_(at::amax(logits, at::IntArrayRef{1}, /*keepdim=*/true));
    const at::Tensor chosen = logits.gather(1, target);
    logits.exp_();
    const at::Tensor sum = logits.sum(at::IntArrayRef{1}, /*keepdim=*/true);
    const at::Tensor loss = (sum.log() - chosen).mul_(counted).sum().mul_(block.share);
    const at::Tensor share = counted.to(logits.scalar_type()) * block.share;
    logits.mul_(share / sum).scatter_add_(1, target, -share);
    if (slope.defined())
        logits.mul_(slope);
    return {loss, logits.to(block.hidden.scalar_type())};
}

// What all blocks of a pass over the head share.
struct HeadPass {
    at::Tensor hidden; // [B, T, E]
    at::Tensor matrix; // [vocab, E] in the product's type
    at::Tensor labels; // [B, T]
    at::Tensor shares; // [B]
    double cap = 0;    // of the logits, softly

    // Tokens whose logits fit into the chunk.
    std::int64_t blockRows() const
    {
        const auto bytes = static_cast<std::int64_t>(c10::elementSize(wideOf(matrix)));
        return lossChunkRows(matrix.size(0), bytes, hidden.size(1));
    }

    Block block(std::int64_t sample, std::int64_t begin, std::int64_t size) const
    {
        return {hidden[sample].narrow(0, begin, size).to(matrix.scalar_type()), labels[sample].narrow(0, begin, size),
                shares[sample]};
    }

    template <typename Visit>
    void forEachBlock(Visit&& visit) const
    {
        for (std::int64_t begin = 0; begin < hidden.size(1); begin += blockRows())
            visit(begin, std::min(blockRows(), hidden.size(1) - begin));
    }
};

// The weighted sum of the samples' gradients, from logits made again.
void addWeighted(const HeadPass& pass, const std::vector<double>& weights, const at::Tensor& sum)
{
    const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
    HeadPass weighted = pass;
    weighted.shares = pass.shares * at::tensor(weights, at::TensorOptions(at::kDouble)).to(pass.shares.options());
    for (std::int64_t b = 0; b < pass.hidden.size(0); ++b) {
        weighted.forEachBlock([&](std::int64_t begin, std::int64_t size) {
            const Block block = weighted.block(b, begin, size);
            const BlockResult result = blockLoss(block, weighted.matrix, weighted.cap);
            if (sum.scalar_type() == block.hidden.scalar_type())
                sum.addmm_(result.flowing.t(), block.hidden);
            else
                sum.add_(at::mm(result.flowing.t(), block.hidden));
        });
    }
}

struct SampleChunkedFunction : torch::autograd::Function<SampleChunkedFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& labels, double cap, bool graph)
    {
        const AutocastState autocast = AutocastState::current(hidden.device().type());
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        HeadPass pass;
        pass.hidden = hidden.detach();
        pass.matrix = weight.detach().to(autocast.enabled ? autocast.dtype : weight.scalar_type());
        pass.labels = labels;
        pass.cap = cap;
        pass.shares = countsOf(labels, wideOf(weight)).reciprocal_();
        const bool wantsHidden = graph && hidden.requires_grad();
        SampleTape* tape = graph && weight.requires_grad() ? SampleTape::current() : nullptr;
        TORCH_CHECK(tape != nullptr || !(graph && weight.requires_grad()), "a clipped loss outside of a clipped step");
        at::Tensor flowing;
        if (wantsHidden) {
            flowing = at::empty_like(hidden, at::MemoryFormat::Contiguous);
            tagStorage(flowing, Component::ActivationGradients);
        }
        const at::Tensor losses = at::zeros({hidden.size(0)}, hidden.options().dtype(wideOf(weight)));
        for (std::int64_t b = 0; b < hidden.size(0); ++b)
            passSample(pass, b, losses[b], flowing, weight, tape);
        if (tape != nullptr && tape->rule(weight).sum != SumRule::Hold)
            tape->setFinisher(weight, [pass](const std::vector<double>& weights, const at::Tensor& sum) {
                addWeighted(pass, weights, sum);
            });
        context->saved_data["hidden"] = flowing;
        return losses;
    }

    static void passSample(const HeadPass& pass, std::int64_t b, at::Tensor loss, const at::Tensor& flowing,
                           const at::Tensor& weight, SampleTape* tape)
    {
        const bool whole = pass.blockRows() >= pass.hidden.size(1);
        const bool held = tape != nullptr && tape->rule(weight).sum == SumRule::Hold;
        const bool summed = tape != nullptr && (held || !whole);
        const at::Tensor buffer = summed ? tape->sampleBuffer(weight, b) : at::Tensor();
        pass.forEachBlock([&](std::int64_t begin, std::int64_t size) {
            const Block block = pass.block(b, begin, size);
            const BlockResult result = blockLoss(block, pass.matrix, pass.cap);
            loss.add_(result.loss);
            if (flowing.defined())
                flowing[b].narrow(0, begin, size).copy_(at::mm(result.flowing, pass.matrix));
            if (summed && buffer.scalar_type() == block.hidden.scalar_type())
                buffer.addmm_(result.flowing.t(), block.hidden);
            else if (summed)
                buffer.add_(at::mm(result.flowing.t(), block.hidden));
            else if (tape != nullptr)
                tape->addSampleProduct(weight, b, result.flowing, block.hidden);
        });
        if (summed)
            tape->sampleDone(weight, b, buffer);
    }

    // The weights of the losses are all ones in a pass for norms.
    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        TORCH_CHECK(!at::GradMode::is_enabled(), "a clipped step has no second derivative");
        const SampleTape* tape = SampleTape::current();
        at::Tensor hidden = context->saved_data["hidden"].toTensor();
        const bool weighted = tape != nullptr && tape->pass() == SampleTape::Pass::Weighted;
        if (weighted || tape == nullptr || !tape->needsSecondPass())
            context->saved_data.clear(); // nothing asks for it again
        if (hidden.defined() && weighted)
            hidden = hidden * gradients[0].view({-1, 1, 1}).to(hidden.scalar_type());
        return {hidden, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

at::Tensor naiveLosses(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels, double cap,
                       at::Tensor* logits)
{
    // Backward needs the log-softmax only.
    at::Tensor scores = softCapped(sampleProduct(hidden, weight), cap);
    if (logits != nullptr)
        *logits = scores.detach();
    const at::Tensor logProbabilities = at::log_softmax(scores, 2, wideOf(weight)).view({-1, weight.size(0)});
    scores.reset();
    const at::Tensor losses =
        at::nll_loss(logProbabilities, labels.reshape({-1}), {}, at::Reduction::None, kIgnoredLabel);
    return losses.view(labels.sizes()).sum(1) / countsOf(labels, losses.scalar_type());
}

} // namespace

at::Tensor sampleLosses(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels, LossHead head,
                        double cap, at::Tensor* logits)
{
    if (head == LossHead::Chunked)
        return SampleChunkedFunction::apply(hidden, weight, labels, cap, at::GradMode::is_enabled());
    return naiveLosses(hidden, weight, labels, cap, logits);
}

} // namespace peakscope
