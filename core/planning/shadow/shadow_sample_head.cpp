// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loss heads of a clipped step, beside core/engine/dpsgd/sample_head.cpp.
#include "core/model/work_pieces.h"
#include "core/planning/shadow/shadow_sample_functions.h"
#include "core/planning/shadow/shadow_tape.h"

#include <algorithm>
#include <memory>

namespace peakscope {
namespace {

struct SampleHeadSizes {
    std::int64_t width = 0;
    std::int64_t vocab = 0;
    ShadowType type = ShadowType::Float32; // of products
    ShadowType wide = ShadowType::Float32;
    bool wantsHidden = false;
    bool trains = false;
};

// One over each sample's counted tokens.
ShadowTensor sampleShares(const ShadowContext& context, ShadowType wide)
{
    ShadowTensor counted = context.fresh(context.tokens(), ShadowType::Bool);
    const ShadowTensor sums = context.fresh(context.batch, ShadowType::Int64);
    counted.reset();
    return context.fresh(context.batch, wide);
}

// One sample's pass; its first block is the largest, and nothing but sums outlives a block.
void passSample(ShadowContext& context, const SampleHeadSizes& sizes, ShadowParameter& weight, ShadowType hiddenType,
                bool last)
{
    ShadowGraph& graph = *context.graph;
    const std::int64_t rows = lossChunkRows(sizes.vocab, bytesOf(sizes.wide), context.sequence);
    const bool summed = sizes.trains && (context.tape->holds(weight) || rows < context.sequence);
    const ShadowTensor buffer = summed ? context.tape->sampleBuffer(weight) : ShadowTensor();
    {
        const ShadowTensor block =
            hiddenType == sizes.type ? ShadowTensor() : graph.fresh(rows * sizes.width, sizes.type);
        ShadowBlockLoss made =
            shadowBlockLoss(graph, {rows, sizes.vocab, context.cuda, context.capsLogits}, sizes.type, sizes.wide);
        const ShadowTensor flowing = std::move(made.flowing), loss = std::move(made.loss);
        made = {};
        if (sizes.wantsHidden)
            graph.fresh(rows * sizes.width, sizes.type);
        if (summed && buffer.type() != sizes.type) {
            const ShadowTensor product = graph.fresh(weight.tensor.elements(), sizes.type);
            if (!context.cuda)
                graph.fresh(weight.tensor.elements(), sizes.wide);
        } else if (sizes.trains && !summed) {
            context.tape->addSampleProduct(weight, sizes.type, sizes.vocab, sizes.width);
        }
    }
    if (summed)
        context.tape->sampleDone(weight, last, sizes.width);
}

// SampleChunkedFunction's backward: the hidden states' gradient was made in the forward pass.
void chunkedSampleBackward(const ShadowContext& context, ShadowTensor& flowing, ShadowBackward& call)
{
    const ShadowTape& tape = *context.tape;
    ShadowTensor hidden = flowing;
    const bool weighted = tape.pass() == ShadowTape::Pass::Weighted;
    if (weighted || !tape.needsSecondPass())
        flowing.reset();
    ShadowTensor weights; // in the type of what they weigh
    if (hidden.defined() && weighted && hidden.type() != call.in[0].type())
        weights = context.fresh(context.batch, hidden.type());
    if (hidden.defined() && weighted)
        hidden = context.fresh(hidden.elements(), hidden.type());
    call.out[0] = std::move(hidden);
}

ShadowTensor chunkedSamples(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight,
                            std::int64_t width, std::int64_t vocab)
{
    ShadowGraph& graph = *context.graph;
    const ShadowTensor& stored = weight.tensor;
    SampleHeadSizes sizes{width, vocab, context.autocast ? *context.autocast : stored.type(), wideType(stored.type())};
    sizes.wantsHidden = graph.gradientMode() && hidden.needsGradient();
    sizes.trains = graph.gradientMode() && weight.trainable;
    const ShadowTensor matrix =
        stored.type() == sizes.type ? stored.detached() : context.fresh(stored.elements(), sizes.type);
    const ShadowTensor shares = sampleShares(context, sizes.wide);
    ShadowTensor flowing;
    if (sizes.wantsHidden) {
        flowing = context.fresh(hidden.elements(), hidden.type());
        graph.memory().tag(flowing.storage(), Component::ActivationGradients);
    }
    ShadowTensor losses = context.fresh(context.batch, sizes.wide);
    for (std::int64_t b = 0; b < context.batch; ++b)
        passSample(context, sizes, weight, hidden.type(), b + 1 == context.batch);
    if (sizes.trains && !context.tape->holds(weight))
        context.tape->setFinisher(weight, {hidden.detached(), matrix, shares, width, vocab, context.capsLogits});
    // Shared: a std::function must be copyable.
    auto state = std::make_shared<ShadowTensor>(std::move(flowing));
    const ShadowContext* own = &context;
    graph.record(losses, {&hidden, &stored}, {},
                 [own, state](ShadowBackward& call) { chunkedSampleBackward(*own, *state, call); });
    return losses;
}

ShadowTensor naiveSamples(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight,
                          std::int64_t width, std::int64_t vocab, const ShadowTensor& labels)
{
    ShadowGraph& graph = *context.graph;
    const ShadowType wide = wideType(weight.tensor.type());
    ShadowTensor logits = weight.trainable ? sampledProduct(context, weight, width, vocab, hidden)
                                           : shadowProduct(context, weight, width, vocab, hidden);
    graph.memory().markLogits(logits.storage());
    if (context.capsLogits)
        logits = shadowSoftCap(context, std::move(logits));
    const ShadowTensor logProbabilities = shadowLogSoftmax(context, std::move(logits), wide);
    const std::int64_t tokens = context.tokens();
    ShadowTensor each = context.fresh(tokens, wide);
    graph.record(each, {&logProbabilities}, {logProbabilities, labels}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.saved[0].elements(), call.saved[0].type());
        graph.memory().markLogits(call.out[0].storage());
    });
    ShadowTensor losses = context.fresh(context.batch, wide);
    graph.record(losses, {&each}, {},
                 [&graph, tokens, wide](ShadowBackward& call) { call.out[0] = graph.fresh(tokens, wide); });
    return losses;
}

} // namespace

ShadowTensor shadowSampleLosses(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight,
                                std::int64_t width, std::int64_t vocab, const ShadowTensor& labels)
{
    if (context.lossHead == LossHead::Chunked)
        return chunkedSamples(context, hidden, weight, width, vocab);
    return naiveSamples(context, hidden, weight, width, vocab, labels);
}

} // namespace peakscope
