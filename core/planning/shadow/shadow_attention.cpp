// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_operators.h"

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
    std::int64_t window = 0; // keys that a query looks back at; 0: all
    bool capped = false;     // the scores
    ShadowParameter* sinks = nullptr;
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

// Chunks of queries of one block of samples and heads.
class ChunkedBlock
{
public:
    ChunkedBlock(ShadowGraph& graph, const AttentionSizes& sizes, ShadowType type, bool causal, bool backward)
        : m_graph(graph), m_sizes(sizes), m_wide(wideType(type)), m_causal(causal), m_backward(backward),
          m_blocks(attentionBlocks(sizes.batch, sizes.kvHeads, sizes.group(), sizes.sequence, bytesOf(m_wide)))
    {
        const std::int64_t rows = std::min(m_blocks.rows, sizes.batch);
        m_units = rows * std::min(m_blocks.heads, sizes.kvHeads);
        m_copiesKeys = type != m_wide || (rows > 1 && m_blocks.heads > 1);
        m_copiesQueries = m_copiesKeys || sizes.group() > 1;
    }

    // The largest chunks: the last full one, and the rest, which is shorter and looks at more keys. `backward` holds a
    // second matrix of scores and the sums of key and value gradients.
    void run() const
    {
        const std::int64_t keyElements = m_units * m_sizes.sequence * m_sizes.width;
        const ShadowTensor k = copy(m_copiesKeys, keyElements);
        const ShadowTensor v = copy(m_copiesKeys, keyElements);
        const ShadowTensor kSum = copy(m_backward, keyElements);
        const ShadowTensor vSum = copy(m_backward, keyElements);
        const std::int64_t rest = m_sizes.sequence % m_blocks.queries;
        chunk(m_blocks.queries, m_sizes.sequence - rest);
        if (rest > 0)
            chunk(rest, m_sizes.sequence);
    }

private:
    ShadowTensor copy(bool wanted, std::int64_t elements) const
    {
        return wanted ? m_graph.fresh(elements, m_wide) : ShadowTensor();
    }

    // The `count` queries before position `end`.
    void chunk(std::int64_t count, std::int64_t end) const
    {
        const std::int64_t first = firstKeyOf(end - count, m_sizes.window);
        const std::int64_t keys = (m_causal ? end : m_sizes.sequence) - first;
        const std::int64_t lines = m_units * m_sizes.group() * count;
        const std::int64_t queryElements = lines * m_sizes.width;
        ShadowTensor queries = copy(m_copiesQueries, queryElements);
        const ShadowTensor flowing = copy(m_backward && m_copiesQueries, queryElements);
        const ShadowTensor weights = m_graph.fresh(lines * keys, m_wide);
        const ShadowTensor slope = copy(m_backward && m_sizes.capped, lines * keys);
        if (m_causal)
            m_graph.fresh(count * count, ShadowType::Bool); // the later keys
        if (m_sizes.window > 0 && end > m_sizes.window)
            m_graph.fresh(count * keys, ShadowType::Bool); // those before the window
        const bool sinks = m_sizes.sinks != nullptr;
        if (!m_backward) {
            queries.reset();
            ShadowTensor largest = m_graph.fresh(lines, m_wide);
            const ShadowTensor sink = copy(sinks, lines);
            if (sinks)
                largest = m_graph.fresh(lines, m_wide);
            const ShadowTensor sum = m_graph.fresh(lines, m_wide);
            const ShadowTensor mean = m_graph.fresh(queryElements, m_wide);
            m_graph.fresh(lines, m_wide); // the sums' logarithms
            return;
        }
        ShadowTensor overlap;
        { // the products of gradient and result, summed in each row
            const ShadowTensor outs = copy(m_copiesQueries, queryElements);
            const ShadowTensor product = m_graph.fresh(queryElements, m_wide);
            overlap = m_graph.fresh(lines, m_wide);
        }
        copy(sinks, lines);
        const ShadowTensor scoreGradient = m_graph.fresh(lines * keys, m_wide);
        m_graph.fresh(queryElements, m_wide);
    }

    ShadowGraph& m_graph;
    const AttentionSizes& m_sizes;
    ShadowType m_wide; // of scores, softmax and sums
    bool m_causal;
    bool m_backward;
    AttentionBlocks m_blocks;
    std::int64_t m_units = 1; // samples times key heads
    bool m_copiesKeys = false;
    bool m_copiesQueries = false;
};

ShadowTensor chunkedForward(ShadowContext& context, const ShadowTensor& q, const ShadowTensor& k, const ShadowTensor& v,
                            const AttentionSizes& sizes)
{
    ShadowTensor out = context.fresh(sizes.queries(), q.type());
    const ShadowTensor logSum = context.fresh(sizes.batch * sizes.heads * sizes.sequence, wideType(q.type()));
    ShadowGraph& graph = *context.graph;
    const bool causal = context.causal;
    ChunkedBlock(graph, sizes, q.type(), causal, /*backward=*/false).run();
    SavedTensors saved{q, k, v, out, logSum};
    if (context.padding.defined())
        saved.push_back(context.padding);
    const ShadowTensor sinks = sizes.sinks ? sizes.sinks->tensor : ShadowTensor();
    if (sinks.defined())
        saved.push_back(sinks);
    graph.record(out, {&q, &k, &v, &sinks}, std::move(saved), [&graph, sizes, causal](ShadowBackward& call) {
        if (sizes.sinks)
            call.out[3] = graph.fresh(sizes.heads, wideType(sizes.sinks->tensor.type()));
        const ShadowType type = call.in[0].type();
        ShadowTensor dq = graph.fresh(sizes.queries(), type);
        ShadowTensor dk = graph.fresh(sizes.keys(), type);
        ShadowTensor dv = graph.fresh(sizes.keys(), type);
        ChunkedBlock(graph, sizes, type, causal, /*backward=*/true).run();
        call.out[0] = std::move(dq);
        call.out[1] = std::move(dk);
        call.out[2] = std::move(dv);
        if (sizes.sinks && call.out[3].type() != sizes.sinks->tensor.type())
            call.out[3] = graph.fresh(sizes.heads, sizes.sinks->tensor.type());
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
    SavedTensors saved;
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

// Scores with one more column, the sinks of all heads.
ShadowTensor withSinks(ShadowContext& context, const ShadowTensor& scores, const AttentionSizes& sizes)
{
    ShadowGraph& graph = *context.graph;
    const std::int64_t lines = sizes.batch * sizes.heads * sizes.sequence, heads = sizes.heads;
    const ShadowTensor sinks = shadowCast(context, sizes.sinks->tensor, scores.type());
    ShadowTensor joined = context.fresh(scores.elements() + lines, scores.type());
    graph.record(joined, {&scores, &sinks}, {}, [&graph, heads](ShadowBackward& call) {
        call.out[0] = call.in[0]; // views
        call.out[1] = graph.fresh(heads, call.in[0].type());
    });
    return joined;
}

// Without that column.
ShadowTensor withoutSinks(ShadowContext& context, const ShadowTensor& weights, std::int64_t elements)
{
    ShadowGraph& graph = *context.graph;
    ShadowTensor view = weights.viewOf(elements);
    const std::int64_t all = weights.elements();
    graph.record(view, {&weights}, {},
                 [&graph, all](ShadowBackward& call) { call.out[0] = graph.fresh(all, call.in[0].type()); });
    return view;
}

ShadowTensor softmaxOfScores(ShadowContext& context, ShadowTensor scores, const AttentionSizes& sizes)
{
    const bool windowed = sizes.window > 0;
    const std::int64_t cells = scores.elements();
    ShadowGraph& graph = *context.graph;
    if (context.causal || context.padding.defined()) {
        const ShadowTensor& mask = !context.causal ? context.padding : windowed ? context.localMask : context.mask;
        ShadowTensor masked = context.fresh(scores.elements(), scores.type());
        graph.record(masked, {&scores}, {mask}, [&graph](ShadowBackward& call) {
            call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
        });
        scores = std::move(masked);
    }
    const ShadowType type = scores.type();
    if (sizes.sinks)
        scores = withSinks(context, scores, sizes);
    scores = shadowCast(context, scores, wideType(type));
    ShadowTensor weights = context.fresh(scores.elements(), scores.type());
    graph.record(weights, {&scores}, {weights}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
    });
    scores.reset();
    weights = shadowCast(context, weights, type);
    return sizes.sinks ? withoutSinks(context, weights, cells) : weights;
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
    if (sizes.capped)
        weights = shadowSoftCap(context, std::move(weights));
    weights = softmaxOfScores(context, std::move(weights), sizes);
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
    const AttentionSizes sizes{context.batch, context.sequence, heads.heads,  heads.kvHeads,
                               heads.width,   heads.window,     heads.capped, heads.sinks};
    if (context.attention == AttentionKind::Math)
        return mathAttentionShadow(context, q, k, v, sizes);
    if (!context.fused ||
        !mayFuse(context.attention, heads.window > 0 || heads.capped || heads.sinks || context.padding.defined()))
        return chunkedForward(context, q, k, v, sizes);
    if (heads.ownScale)
        q = shadowScale(context, q);
    k = repeated(context, k, sizes);
    v = repeated(context, v, sizes);
    if (!context.autocast)
        return fusedForward(context, q, k, v, sizes);
    // Norms of queries and keys have widened them.
    const ShadowTensor narrowV = shadowCast(context, v, *context.autocast);
    const ShadowTensor narrowK = shadowCast(context, k, *context.autocast);
    const ShadowTensor narrowQ = shadowCast(context, q, *context.autocast);
    return fusedForward(context, narrowQ, narrowK, narrowV, sizes);
}

} // namespace peakscope
