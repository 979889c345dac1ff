// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/work_pieces.h"
#include "core/planning/shadow/shadow_operators.h"

#include <algorithm>

namespace peakscope {
namespace {

struct LossSizes {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t vocab = 0;
};

ShadowTensor marked(ShadowTensor tensor)
{
    tensor.memory().markLogits(tensor.storage());
    return tensor;
}

ShadowTensor naive(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight, const LossSizes& sizes,
                   const ShadowTensor& labels, bool denominator)
{
    ShadowGraph& graph = *context.graph;
    ShadowTensor logits = marked(shadowProduct(context, weight, sizes.width, sizes.vocab, hidden));
    if (context.capsLogits)
        logits = shadowSoftCap(context, std::move(logits));
    const ShadowType wide = wideType(logits.type());
    const ShadowTensor logProbabilities = shadowLogSoftmax(context, std::move(logits), wide);
    ShadowTensor loss = context.fresh(1, wide);
    const ShadowTensor totalWeight = context.fresh(1, wide);
    graph.record(loss, {&logProbabilities}, {logProbabilities, labels, totalWeight}, [&graph](ShadowBackward& call) {
        call.out[0] = marked(graph.fresh(call.saved[0].elements(), call.saved[0].type()));
    });
    if (!denominator)
        return loss;
    ShadowTensor mean = context.fresh(1, wide);
    const ShadowTensor divisor = context.fresh(1, wide);
    graph.record(mean, {&loss}, {divisor},
                 [&graph](ShadowBackward& call) { call.out[0] = graph.fresh(1, call.in[0].type()); });
    return mean;
}

// One chunk of the engine's chunkLoss.
void chunk(const ShadowContext& context, const LossSizes& sizes, ShadowType type, ShadowType wide, bool wantsHidden,
           bool wantsWeight, bool sameWeightType)
{
    const ShadowBlockLoss block = shadowBlockLoss(
        *context.graph, {sizes.rows, sizes.vocab, context.cuda, context.capsLogits, wantsHidden || wantsWeight}, type,
        wide);
    if (wantsHidden)
        context.fresh(sizes.rows * sizes.width, type);
    if (wantsWeight && !sameWeightType) {
        const ShadowTensor product = context.fresh(sizes.vocab * sizes.width, type);
        // The sum in place widens what it adds, on the CPU into a copy.
        if (!context.cuda)
            context.fresh(sizes.vocab * sizes.width, wide);
    }
}

// The number that the loss is divided by: known, or counted from the labels.
ShadowTensor denominatorOf(const ShadowContext& context, std::int64_t rows, ShadowType wide, bool known)
{
    if (known)
        return context.fresh(1, wide);
    ShadowTensor counted = context.fresh(rows, ShadowType::Bool);
    const ShadowTensor sum = context.fresh(1, ShadowType::Int64);
    counted.reset();
    return context.fresh(1, wide);
}

struct ChunkedBackward {
    ShadowGraph& graph;
    ShadowType hiddenType;
    ShadowType weightType;
    ShadowTensor hidden, weight; // the gradients, made in the forward pass

    void operator()(ShadowBackward& call)
    {
        call.out[0] = std::move(hidden);
        if (!weight.defined())
            return;
        call.out[1] = std::move(weight);
        if (call.out[1].type() != weightType)
            call.out[1] = graph.fresh(call.out[1].elements(), weightType);
    }
};

ShadowTensor chunked(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight,
                     const LossSizes& sizes, bool denominator)
{
    ShadowGraph& graph = *context.graph;
    ShadowMemory& memory = graph.memory();
    const ShadowTensor& stored = weight.tensor;
    const ShadowType type = context.autocast ? *context.autocast : stored.type();
    const ShadowType wide = wideType(stored.type());
    const bool wantsHidden = graph.gradientMode() && hidden.needsGradient();
    const bool wantsWeight = graph.gradientMode() && stored.needsGradient();
    const ShadowTensor matrix = type == stored.type() ? stored : context.fresh(stored.elements(), type);
    const ShadowTensor count = denominatorOf(context, sizes.rows, wide, denominator);
    ShadowTensor hiddenGradient, weightGradient;
    if (wantsHidden) {
        hiddenGradient = context.fresh(hidden.elements(), hidden.type());
        memory.tag(hiddenGradient.storage(), Component::ActivationGradients);
    }
    if (wantsWeight) {
        weightGradient = context.fresh(stored.elements(), wide);
        memory.tag(weightGradient.storage(), Component::Gradients);
    }
    const std::int64_t rows = lossChunkRows(sizes.vocab, bytesOf(wide), sizes.rows);
    ShadowTensor loss = context.fresh(1, wide);
    for (std::int64_t begin = 0; begin < sizes.rows; begin += rows) {
        const LossSizes part{std::min(rows, sizes.rows - begin), sizes.width, sizes.vocab};
        const ShadowTensor narrow =
            hidden.type() == type ? ShadowTensor() : context.fresh(part.rows * sizes.width, type);
        chunk(context, part, type, wide, wantsHidden, wantsWeight, wide == type);
    }
    // Moved through shared ownership: a std::function must be copyable.
    auto state = std::make_shared<ChunkedBackward>(
        ChunkedBackward{graph, hidden.type(), stored.type(), std::move(hiddenGradient), std::move(weightGradient)});
    graph.record(loss, {&hidden, &stored}, {}, [state](ShadowBackward& call) { (*state)(call); });
    return loss;
}

} // namespace

ShadowBlockLoss shadowBlockLoss(ShadowGraph& graph, const ShadowBlockSizes& sizes, ShadowType type, ShadowType wide)
{
    const std::int64_t cells = sizes.rows * sizes.vocab;
    const auto ofTokens = [&] { return graph.fresh(sizes.rows, wide); };
    ShadowBlockLoss block;
    block.logits = marked(graph.fresh(cells, type));
    if (type != wide)
        block.logits = marked(graph.fresh(cells, wide));
    if (sizes.capped && sizes.gradients)
        block.slope = marked(graph.fresh(cells, wide));
    block.counted = graph.fresh(sizes.rows, ShadowType::Bool);
    block.target = graph.fresh(sizes.rows, ShadowType::Int64);
    ofTokens(); // the largest logits
    block.chosen = ofTokens();
    block.sum = ofTokens();
    {
        const ShadowTensor logarithm = ofTokens(), difference = ofTokens();
        if (!sizes.cuda)
            ofTokens(); // the factor `counted` in the type of what it multiplies
        block.loss = graph.fresh(1, wide);
    }
    if (!sizes.gradients)
        return block;
    {
        const ShadowTensor counted = ofTokens();
        block.share = ofTokens();
    }
    {
        const ShadowTensor quotient = ofTokens(), negative = ofTokens();
    }
    block.flowing = type == wide ? block.logits : marked(graph.fresh(cells, type));
    return block;
}

ShadowTensor shadowLogSoftmax(ShadowContext& context, ShadowTensor logits, ShadowType wide)
{
    ShadowGraph& graph = *context.graph;
    marked(logits);
    if (context.lossHead == LossHead::Naive)
        context.logits = logits.detached();
    // On CUDA the softmax widens 16-bit logits as it reads them.
    const ShadowTensor wideLogits =
        context.cuda && logits.type() == ShadowType::Float16 ? logits : shadowCast(context, logits, wide);
    if (wideLogits.storage() != logits.storage())
        marked(wideLogits);
    ShadowTensor logProbabilities = marked(context.fresh(logits.elements(), wide));
    const ShadowType inputType = wideLogits.type();
    graph.record(logProbabilities, {&wideLogits}, {logProbabilities}, [&graph, inputType](ShadowBackward& call) {
        call.out[0] = marked(graph.fresh(call.in[0].elements(), inputType));
    });
    return logProbabilities;
}

ShadowTensor shadowLoss(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight, std::int64_t width,
                        std::int64_t vocab, const ShadowTensor& labels, bool denominator)
{
    const LossSizes sizes{hidden.elements() / width, width, vocab};
    if (context.lossHead == LossHead::Chunked)
        return chunked(context, hidden, weight, sizes, denominator);
    return naive(context, hidden, weight, sizes, labels, denominator);
}

} // namespace peakscope
