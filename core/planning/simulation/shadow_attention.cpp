// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/shadow_operators.h"

#include "core/model/work_pieces.h"

#include <algorithm>

namespace peakscope {
namespace {

struct AttentionSizes {
    std::int64_t batch = 1;
    std::int64_t sequence = 1;
    std::int64_t heads = 1;
    std::int64_t kvHeads = 1;
    std::int64_t width = 1;
    bool windowed = false;
    std::int64_t queries() const { return batch * sequence * heads * width; }
    std::int64_t keys() const { return batch * sequence * kvHeads * width; }
    std::int64_t group() const { return heads / kvHeads; }
};

// Key heads repeated for their query heads: a view where there is one head only.
ShadowTensor repeated(ShadowContext& context, const ShadowTensor& x, const AttentionSizes& sizes)
{
    if (sizes.heads == sizes.kvHeads)
        return x;
    ShadowTensor out = sizes.kvHeads == 1 ? x.viewOf(sizes.queries()) : context.fresh(sizes.queries(), x.type());
    ShadowGraph& graph = *context.graph;
    graph.record(out, {&x}, {},
                 [&graph, sizes](ShadowBackward& call) { call.out[0] = graph.fresh(sizes.keys(), call.in[0].type()); });
    return out;
}

// ---- LibTorch's fused kernels

struct FlashBlocks {
    std::int64_t queries = 32;
    std::int64_t keys = 512;
};

// How LibTorch's CPU kernel cuts queries (aten/src/ATen/native/cpu/FlashAttentionKernel.cpp).
FlashBlocks flashBlocks(std::int64_t sequence)
{
    FlashBlocks blocks;
    blocks.queries = sequence >= 768 ? 256 : sequence >= 192 ? 64 : 32;
    blocks.queries = std::min(blocks.queries, sequence);
    blocks.keys = std::min<std::int64_t>(512, sequence);
    return blocks;
}

// Scores, running maxima and sums, and the output of one block, for every thread.
std::int64_t flashForwardBuffer(const AttentionSizes& sizes, std::int64_t threads)
{
    const FlashBlocks blocks = flashBlocks(sizes.sequence);
    return threads * (blocks.queries * blocks.keys + 2 * blocks.queries + blocks.queries * sizes.width);
}

// Probabilities and their gradients, a row of sums, and for 16-bit types narrow copies of both and what the matrix
// library packs for one block.
std::int64_t flashBackwardBytes(const AttentionSizes& sizes, std::int64_t threads, ShadowType type)
{
    const FlashBlocks blocks = flashBlocks(sizes.sequence);
    const std::int64_t cells = blocks.queries * blocks.keys;
    std::int64_t bytes = (2 * cells + blocks.queries) * bytesOf(wideType(type));
    if (isNarrow(type))
        bytes += 2 * cells * bytesOf(type) + blocks.keys * sizes.width * 4 + cells * 2;
    return threads * bytes;
}

ShadowTensor fusedForward(ShadowContext& context, const ShadowTensor& q, const ShadowTensor& k, const ShadowTensor& v,
                          const AttentionSizes& sizes)
{
    const ShadowType wide = wideType(q.type());
    ShadowTensor out = context.fresh(sizes.queries(), q.type());
    ShadowTensor logSum = context.fresh(sizes.batch * sizes.heads * sizes.sequence, wide);
    if (!context.cuda) {
        const ShadowTensor buffer = context.fresh(flashForwardBuffer(sizes, context.threads), wide);
        if (isNarrow(q.type())) {
            const FlashBlocks blocks = flashBlocks(sizes.sequence);
            context.fresh(context.threads * blocks.queries * blocks.keys, q.type());
        }
    }
    ShadowGraph& graph = *context.graph;
    const std::int64_t threads = context.cuda ? 0 : context.threads;
    graph.record(out, {&q, &k, &v}, {q, k, v, out, logSum}, [&graph, sizes, threads](ShadowBackward& call) {
        const ShadowType type = call.in[0].type();
        for (std::size_t i = 0; i < 3; ++i)
            call.out[i] = graph.fresh(sizes.queries(), type);
        if (threads > 0)
            graph.fresh(flashBackwardBytes(sizes, threads, type), ShadowType::Bool);
    });
    return out;
}

// ---- the engine's chunked form

// One block at its largest (the last chunk sees all keys). `backward` holds a second matrix of scores and the sums of
// key and value gradients.
void chunkedBlock(ShadowGraph& graph, const AttentionSizes& sizes, ShadowType type, bool causal, bool backward)
{
    const ShadowType wide = wideType(type);
    const AttentionBlocks chunk =
        attentionBlocks(sizes.batch, sizes.kvHeads, sizes.group(), sizes.sequence, bytesOf(wide));
    const std::int64_t rows = std::min(chunk.rows, sizes.batch);
    const std::int64_t units = rows * std::min(chunk.heads, sizes.kvHeads);
    const std::int64_t keyBytes = units * sizes.sequence * sizes.width;
    const std::int64_t queryBytes = units * sizes.group() * chunk.queries * sizes.width;
    const std::int64_t lines = units * sizes.group() * chunk.queries;
    const std::int64_t scores = lines * sizes.sequence;
    const bool copiesKeys = type != wide || (rows > 1 && chunk.heads > 1);
    const bool copiesQueries = copiesKeys || sizes.group() > 1;
    const auto copy = [&](bool wanted, std::int64_t elements) {
        return wanted ? graph.fresh(elements, wide) : ShadowTensor();
    };
    const ShadowTensor k = copy(copiesKeys, keyBytes);
    const ShadowTensor v = copy(copiesKeys, keyBytes);
    const ShadowTensor kSum = copy(backward, keyBytes);
    const ShadowTensor vSum = copy(backward, keyBytes);
    ShadowTensor queries = copy(copiesQueries, queryBytes);
    const ShadowTensor flowing = copy(backward && copiesQueries, queryBytes);
    const ShadowTensor weights = graph.fresh(scores, wide);
    if (causal)
        graph.fresh(chunk.queries * chunk.queries, ShadowType::Bool); // the later keys
    if (sizes.windowed)
        graph.fresh(chunk.queries * sizes.sequence, ShadowType::Bool); // those before the window
    if (!backward) {
        queries.reset();
        const ShadowTensor largest = graph.fresh(lines, wide);
        const ShadowTensor sum = graph.fresh(lines, wide);
        graph.fresh(queryBytes, wide);
        return;
    }
    { // the products of gradient and result, a row each
        const ShadowTensor outs = copy(copiesQueries, queryBytes);
        const ShadowTensor product = graph.fresh(queryBytes, wide);
    }
    const ShadowTensor overlap = graph.fresh(lines, wide);
    const ShadowTensor scoreGradient = graph.fresh(scores, wide);
    graph.fresh(queryBytes, wide);
}

ShadowTensor chunkedForward(ShadowContext& context, const ShadowTensor& q, const ShadowTensor& k, const ShadowTensor& v,
                            const AttentionSizes& sizes)
{
    ShadowTensor out = context.fresh(sizes.queries(), q.type());
    const ShadowTensor logSum = context.fresh(sizes.batch * sizes.heads * sizes.sequence, wideType(q.type()));
    ShadowGraph& graph = *context.graph;
    const bool causal = context.causal;
    chunkedBlock(graph, sizes, q.type(), causal, false);
    graph.record(out, {&q, &k, &v}, {q, k, v, out, logSum}, [&graph, sizes, causal](ShadowBackward& call) {
        const ShadowType type = call.in[0].type();
        ShadowTensor dq = graph.fresh(sizes.queries(), type);
        ShadowTensor dk = graph.fresh(sizes.keys(), type);
        ShadowTensor dv = graph.fresh(sizes.keys(), type);
        chunkedBlock(graph, sizes, type, causal, true);
        call.out[0] = std::move(dq);
        call.out[1] = std::move(dk);
        call.out[2] = std::move(dv);
    });
    return out;
}

// ---- plain operators

// A batched product of copies a and b (kept where the other's gradient is wanted).
ShadowTensor batchedProduct(ShadowContext& context, const ShadowTensor& a, const ShadowTensor& b, std::int64_t elements)
{
    ShadowTensor out = context.fresh(elements, a.type());
    ShadowGraph& graph = *context.graph;
    const std::int64_t first = a.elements();
    const std::int64_t second = b.elements();
    std::vector<ShadowTensor> saved;
    if (b.needsGradient())
        saved.push_back(a);
    if (a.needsGradient())
        saved.push_back(b);
    graph.record(out, {&a, &b}, std::move(saved), [&graph, first, second](ShadowBackward& call) {
        if (call.wants(0))
            call.out[0] = graph.fresh(first, call.in[0].type());
        if (call.wants(1))
            call.out[1] = graph.fresh(second, call.in[0].type());
    });
    return out;
}

ShadowTensor softmaxOfScores(ShadowContext& context, ShadowTensor scores, bool windowed)
{
    ShadowGraph& graph = *context.graph;
    if (context.causal) {
        ShadowTensor masked = context.fresh(scores.elements(), scores.type());
        graph.record(masked, {&scores}, {windowed ? context.localMask : context.mask}, [&graph](ShadowBackward& call) {
            call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
        });
        scores = std::move(masked);
    }
    const ShadowType type = scores.type();
    scores = shadowCast(context, scores, wideType(type));
    ShadowTensor weights = context.fresh(scores.elements(), scores.type());
    graph.record(weights, {&scores}, {weights}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
    });
    scores.reset();
    return shadowCast(context, weights, type);
}

// [B, T, heads, D] as the batch of matrices that a product takes: a copy unless batch and heads are one extent already.
ShadowTensor folded(ShadowContext& context, const ShadowTensor& x, const AttentionSizes& sizes)
{
    const bool copies = sizes.batch > 1 && sizes.heads > 1 && sizes.sequence > 1;
    return copies ? shadowContiguous(context, x) : x;
}

ShadowTensor mathAttentionShadow(ShadowContext& context, const ShadowTensor& q, const ShadowTensor& k,
                                 const ShadowTensor& v, const AttentionSizes& sizes)
{
    const std::int64_t cells = sizes.batch * sizes.heads * sizes.sequence * sizes.sequence;
    const ShadowTensor queries = shadowScale(context, q);
    ShadowTensor weights;
    {
        const ShadowTensor queryCopy = folded(context, queries, sizes);
        const ShadowTensor keyCopy = folded(context, repeated(context, k, sizes), sizes);
        weights = batchedProduct(context, queryCopy, keyCopy, cells);
    }
    weights = softmaxOfScores(context, std::move(weights), sizes.windowed);
    const ShadowTensor values = folded(context, repeated(context, v, sizes), sizes);
    const ShadowTensor mixed = batchedProduct(context, weights, values, sizes.queries());
    return shadowContiguous(context, mixed);
}

} // namespace

ShadowTensor shadowCausalMask(ShadowContext& context, bool windowed)
{
    const std::int64_t cells = context.sequence * context.sequence;
    const auto triangle = [&] {
        const ShadowTensor ones = context.fresh(cells, ShadowType::Bool);
        return context.fresh(cells, ShadowType::Bool);
    };
    ShadowTensor mask = triangle();
    if (windowed)
        triangle();
    return mask;
}

ShadowTensor shadowAttention(ShadowContext& context, ShadowTensor q, ShadowTensor k, ShadowTensor v,
                             const ShadowHeads& heads)
{
    const AttentionSizes sizes{context.batch, context.sequence, heads.heads,
                               heads.kvHeads, heads.width,      heads.windowed};
    if (context.attention == AttentionKind::Math)
        return mathAttentionShadow(context, q, k, v, sizes);
    if (!context.fused || !mayFuse(context.attention, heads.windowed))
        return chunkedForward(context, q, k, v, sizes);
    if (heads.ownScale)
        q = shadowScale(context, q);
    k = repeated(context, k, sizes);
    v = repeated(context, v, sizes);
    return fusedForward(context, q, k, v, sizes);
}

} // namespace peakscope
