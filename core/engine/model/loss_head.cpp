// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/loss_head.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/checkpoint.h"
#include "core/engine/model/soft_cap.h"
#include "core/engine/model/wide_type.h"
#include "core/model/work_pieces.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Gradients of the sum of one chunk's cross-entropies over `denominator`.
struct ChunkGradients {
    at::Tensor hidden; // undefined: not wanted
    at::Tensor weight; // accumulates; undefined: not wanted
};

// The cross-entropies' sum of a chunk of tokens; works in one buffer of logits, which ends as their gradient.
at::Tensor chunkLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                     const at::Tensor& denominator, double cap, ChunkGradients gradients)
{
    const bool flows = gradients.hidden.defined() || gradients.weight.defined();
    at::Tensor logits = at::mm(hidden, weight.t()).to(wideOf(hidden));
    const at::Tensor slope = softCap(logits, cap, flows);
    const at::Tensor counted = labels.ne(kIgnoredLabel).unsqueeze(1);
    const at::Tensor target = labels.clamp_min(0).unsqueeze(1);
    logits.sub_(at::amax(logits, at::IntArrayRef{1}, /*keepdim=*/true));
    const at::Tensor chosen = logits.gather(1, target);
    logits.exp_();
    const at::Tensor sum = logits.sum(at::IntArrayRef{1}, /*keepdim=*/true);
    const at::Tensor loss = (sum.log() - chosen).mul_(counted).sum();
    if (!flows)
        return loss;
    // softmax - onehot, zero for ignored rows, over the denominator.
    const at::Tensor share = counted.to(logits.scalar_type()) / denominator;
    logits.mul_(share / sum).scatter_add_(1, target, -share);
    if (slope.defined())
        logits.mul_(slope);
    const at::Tensor flowing = logits.to(hidden.scalar_type());
    if (gradients.hidden.defined())
        gradients.hidden.copy_(at::mm(flowing, weight));
    if (gradients.weight.defined()) {
        if (gradients.weight.scalar_type() == hidden.scalar_type())
            gradients.weight.addmm_(flowing.t(), hidden);
        else
            gradients.weight.add_(at::mm(flowing.t(), hidden));
    }
    return loss;
}

// The gradients are made in the forward pass: both buffers would be alive at the start of backward in any case, when
// activations are at their highest, while this order spares a second product for the logits and need not keep
// the hidden states for it. Weight gradients are summed in float32 at least.
struct ChunkedLossFunction : torch::autograd::Function<ChunkedLossFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& labels, std::int64_t denominator, double cap, bool wantsHidden,
                              bool wantsWeight)
    {
        const AutocastState autocast = AutocastState::current(hidden.device().type());
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const at::ScalarType type = autocast.enabled ? autocast.dtype : weight.scalar_type();
        const at::Tensor matrix = weight.to(type);
        const at::ScalarType wide = wideOf(weight);
        const at::Tensor count = denominator > 0 ? at::zeros({}, hidden.options().dtype(wide)).add_(denominator)
                                                 : labels.ne(kIgnoredLabel).sum().to(wide);
        ChunkGradients all;
        if (wantsHidden) {
            all.hidden = at::empty_like(hidden, at::MemoryFormat::Contiguous);
            tagStorage(all.hidden, Component::ActivationGradients);
        }
        if (wantsWeight) {
            all.weight = at::zeros(weight.sizes(), weight.options().dtype(wide));
            tagStorage(all.weight, Component::Gradients);
        }
        const auto bytes = static_cast<std::int64_t>(c10::elementSize(wide));
        const std::int64_t rows = lossChunkRows(weight.size(0), bytes, hidden.size(0));
        at::Tensor total = at::zeros({}, hidden.options().dtype(wide));
        for (std::int64_t begin = 0; begin < hidden.size(0); begin += rows) {
            const std::int64_t size = std::min(rows, hidden.size(0) - begin);
            ChunkGradients part{wantsHidden ? all.hidden.narrow(0, begin, size) : at::Tensor(), all.weight};
            total.add_(chunkLoss(hidden.narrow(0, begin, size).to(type), matrix, labels.narrow(0, begin, size), count,
                                 cap, std::move(part)));
        }
        context->saved_data["hidden"] = all.hidden;
        context->saved_data["weight"] = all.weight;
        context->saved_data["type"] = static_cast<std::int64_t>(weight.scalar_type());
        return total.div_(count);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "the chunked loss head has no second derivative; set training.loss_head to naive");
        TORCH_CHECK(!context->saved_data.empty(),
                    "the chunked loss head's gradients were used up by an earlier backward");
        at::Tensor hidden = taken(context, "hidden");
        at::Tensor weight = taken(context, "weight");
        const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
        context->saved_data.clear();
        if (hidden.defined())
            hidden.mul_(gradients[0]);
        if (weight.defined())
            weight = weight.mul_(gradients[0]).to(type);
        return {hidden, weight, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }

    // Out of the node, so that the engine may hand the buffer on without a copy.
    static at::Tensor taken(AutogradContext* context, const char* key)
    {
        const auto entry = context->saved_data.find(key);
        c10::IValue value = std::move(entry->second);
        context->saved_data.erase(key);
        return std::move(value).toTensor();
    }
};

} // namespace

std::int64_t countedLabels(const at::Tensor& labels)
{
    if (const at::Tensor known = sentContents(labels); known.defined())
        answerNextRead(countedLabels(known));
    return labels.ne(kIgnoredLabel).sum().item<std::int64_t>();
}

at::Tensor naiveLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                     std::int64_t denominator, double cap, at::Tensor* logits)
{
    // Backward needs the logits' log-softmax only.
    at::Tensor scores = softCapped(at::linear(hidden, weight), cap);
    if (logits)
        *logits = scores.detach();
    const at::Tensor logProbabilities = at::log_softmax(scores, 1, wideOf(hidden));
    scores.reset();
    const std::int64_t reduction = denominator > 0 ? at::Reduction::Sum : at::Reduction::Mean;
    const at::Tensor loss = at::nll_loss(logProbabilities, labels, {}, reduction, kIgnoredLabel);
    return denominator > 0 ? loss / static_cast<double>(denominator) : loss;
}

at::Tensor chunkedLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                       std::int64_t denominator, double cap)
{
    const bool graph = at::GradMode::is_enabled();
    return ChunkedLossFunction::apply(hidden, weight, labels, denominator, cap, graph && hidden.requires_grad(),
                                      graph && weight.requires_grad());
}

} // namespace peakscope
