// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtures of experts, beside core/engine/model/experts.cpp.
#include "core/planning/shadow/shadow_operators.h"

#include <algorithm>
#include <numeric>

namespace peakscope {
namespace {

// The router's choice, whose numbers are few beside the rest.
struct ShadowChoice {
    ShadowTensor weights; // a number a token and expert
    ShadowTensor experts;
};

ShadowChoice choose(ShadowContext& context, const ShadowExperts& experts, const ShadowTensor& logits)
{
    ShadowGraph& graph = *context.graph;
    const std::int64_t count = experts.count;
    const std::int64_t tokens = logits.elements() / count, pairs = tokens * experts.perToken;
    const ShadowType type = logits.type(), wide = wideType(type);
    if (experts.fused[0]) {
        ShadowTensor scores = context.fresh(pairs, type);
        ShadowChoice choice;
        choice.experts = context.fresh(pairs, ShadowType::Int64);
        const std::int64_t all = logits.elements();
        graph.record(scores, {&logits}, {choice.experts},
                     [&graph, all](ShadowBackward& call) { call.out[0] = graph.fresh(all, call.in[0].type()); });
        choice.weights = context.fresh(pairs, type);
        graph.record(choice.weights, {&scores}, {choice.weights}, [&graph](ShadowBackward& call) {
            call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
        });
        return choice;
    }
    const ShadowTensor wideLogits = shadowCast(context, logits, wide);
    ShadowTensor probabilities = context.fresh(logits.elements(), wide);
    graph.record(probabilities, {&wideLogits}, {probabilities}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
    });
    ShadowChoice choice;
    ShadowTensor top = context.fresh(pairs, wide);
    choice.experts = context.fresh(pairs, ShadowType::Int64);
    const std::int64_t all = logits.elements();
    graph.record(top, {&probabilities}, {choice.experts},
                 [&graph, all](ShadowBackward& call) { call.out[0] = graph.fresh(all, call.in[0].type()); });
    if (experts.normed) {
        const ShadowTensor sum = context.fresh(tokens, wide); // its gradient is a view that is added in place
        ShadowTensor shares = context.fresh(pairs, wide);
        graph.record(shares, {&top}, {top, sum}, [&graph, pairs, tokens](ShadowBackward& call) {
            const ShadowType own = call.in[0].type();
            call.out[0] = graph.fresh(pairs, own);
            const ShadowTensor negative = graph.fresh(pairs, own);
            ShadowTensor quotient = graph.fresh(pairs, own);
            quotient = graph.fresh(pairs, own);
            const ShadowTensor product = graph.fresh(pairs, own);
            graph.fresh(tokens, own);
        });
        top = std::move(shares);
    }
    choice.weights = experts.wide ? std::move(top) : shadowCast(context, top, type);
    return choice;
}

// What `index` names of x, by index_select, or by gather, which keeps x itself for backward.
ShadowTensor gathered(ShadowContext& context, const ShadowTensor& x, const ShadowTensor& index, std::int64_t elements,
                      bool keepsSource)
{
    ShadowGraph& graph = *context.graph;
    ShadowTensor rows = context.fresh(elements, x.type());
    const std::int64_t whole = x.elements();
    SavedTensors saved{index};
    if (keepsSource)
        saved.push_back(x);
    graph.record(rows, {&x}, std::move(saved),
                 [&graph, whole](ShadowBackward& call) { call.out[0] = graph.fresh(whole, call.in[0].type()); });
    return rows;
}

ShadowTensor through(ShadowContext& context, const ShadowExperts& experts, ShadowExpert& expert, ShadowTensor& x)
{
    ShadowTensor inner;
    {
        const ShadowTensor gate = shadowLinear(context, expert.gate, x);
        inner = shadowActivation(context, experts.activation, gate);
    }
    {
        const ShadowTensor up = shadowLinear(context, expert.up, x);
        inner = shadowMultiply(context, inner, up);
    }
    x.reset();
    return shadowLinear(context, expert.down, inner);
}

// A fused tensor's parts, whose gradients are stacked in one.
std::vector<ShadowTensor> unbound(ShadowContext& context, ShadowParameter& parameter, std::int64_t count)
{
    return shadowSplit(context, parameter.tensor, std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
}

struct ShadowFusedParts {
    std::vector<ShadowTensor> gateUp, gateUpBias, down, downBias;

    ShadowFusedParts(ShadowContext& context, ShadowExperts& experts)
    {
        if (!experts.fused[0])
            return;
        gateUp = unbound(context, *experts.fused[0], experts.count);
        gateUpBias = unbound(context, *experts.fused[1], experts.count);
        down = unbound(context, *experts.fused[2], experts.count);
        downBias = unbound(context, *experts.fused[3], experts.count);
    }
};

ShadowTensor narrowed(ShadowContext& context, const ShadowTensor& x)
{
    return context.autocast ? shadowCast(context, x, *context.autocast) : x;
}

// addmm of rows with a matrix [in, out] and a bias.
ShadowTensor product(ShadowContext& context, const ShadowTensor& x, const ShadowTensor& matrix,
                     const ShadowTensor& offset, std::int64_t out)
{
    ShadowGraph& graph = *context.graph;
    const ShadowTensor bias = narrowed(context, offset), rows = narrowed(context, x),
                       weight = narrowed(context, matrix);
    const std::int64_t count = x.elements() * out / matrix.elements();
    ShadowTensor result = context.fresh(count * out, rows.type());
    SavedTensors saved;
    if (weight.needsGradient())
        saved.push_back(rows);
    if (rows.needsGradient())
        saved.push_back(weight);
    const std::int64_t xs = x.elements(), ws = matrix.elements();
    graph.record(result, {&bias, &rows, &weight}, std::move(saved), [&graph, out, xs, ws](ShadowBackward& call) {
        const ShadowType type = call.in[0].type();
        if (call.wants(0))
            call.out[0] = graph.fresh(out, type);
        if (call.wants(1))
            call.out[1] = graph.fresh(xs, type);
        if (call.wants(2))
            call.out[2] = graph.fresh(ws, type);
    });
    return result;
}

// Every other column of x, clamped: x stays for backward, which fills a gradient of its width.
ShadowTensor clampedColumns(ShadowContext& context, const ShadowTensor& x, bool bothSides)
{
    ShadowGraph& graph = *context.graph;
    const std::int64_t half = x.elements() / 2;
    ShadowTensor out = context.fresh(half, x.type());
    graph.record(out, {&x}, {x}, [&graph, half, bothSides](ShadowBackward& call) {
        const ShadowType type = call.in[0].type();
        ShadowTensor gradient;
        {
            const ShadowTensor mask = graph.fresh(half, ShadowType::Bool);
            const ShadowTensor other = bothSides ? graph.fresh(half, ShadowType::Bool) : ShadowTensor();
            const ShadowTensor both = bothSides ? graph.fresh(half, ShadowType::Bool) : ShadowTensor();
            gradient = graph.fresh(half, type);
        }
        call.out[0] = graph.fresh(2 * half, type);
    });
    return out;
}

ShadowTensor through(ShadowContext& context, ShadowExperts& experts, const ShadowFusedParts& parts, std::size_t expert,
                     ShadowTensor& x)
{
    if (parts.gateUp.empty())
        return through(context, experts, experts.all[expert], x);
    ShadowGraph& graph = *context.graph;
    const std::int64_t width = experts.width;
    ShadowTensor both = product(context, x, parts.gateUp[expert], parts.gateUpBias[expert], 2 * width);
    x.reset();
    ShadowTensor inner = clampedColumns(context, both, false);
    {
        ShadowTensor share;
        {
            const ShadowTensor scaled = shadowScale(context, inner);
            share = context.fresh(inner.elements(), inner.type());
            graph.record(share, {&scaled}, {share}, [&graph](ShadowBackward& call) {
                call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
            });
        }
        inner = shadowMultiply(context, inner, share);
    }
    ShadowTensor up = clampedColumns(context, both, true);
    both.reset();
    ShadowTensor more = context.fresh(up.elements(), up.type());
    graph.record(more, {&up}, {}, [](ShadowBackward& call) { call.out[0] = call.in[0]; });
    up = std::move(more);
    inner = shadowMultiply(context, up, inner);
    return product(context, inner, parts.down[expert], parts.downBias[expert],
                   experts.fused[3]->tensor.elements() / experts.count);
}

// result · weights, rows of `width` and a number each.
ShadowTensor weighted(ShadowContext& context, const ShadowTensor& result, const ShadowTensor& weights)
{
    ShadowGraph& graph = *context.graph;
    const ShadowType type = result.type(), own = weights.type();
    const bool widens = bytesOf(own) > bytesOf(type);
    const ShadowType product = widens ? own : type;
    const ShadowTensor copy = widens && !context.cuda ? context.fresh(result.elements(), own) : ShadowTensor();
    ShadowTensor out = context.fresh(result.elements(), product);
    SavedTensors saved;
    if (weights.needsGradient())
        saved.push_back(result);
    if (result.needsGradient())
        saved.push_back(weights);
    const std::int64_t rows = weights.elements();
    graph.record(out, {&result, &weights}, std::move(saved), [&graph, type, own, widens, rows](ShadowBackward& call) {
        const std::int64_t elements = call.in[0].elements();
        if (call.wants(0)) {
            call.out[0] = graph.fresh(elements, call.in[0].type());
            if (widens)
                call.out[0] = graph.fresh(elements, type);
        }
        if (!call.wants(1))
            return;
        const ShadowTensor products = graph.fresh(elements, call.in[0].type());
        call.out[1] = graph.fresh(rows, call.in[0].type());
        if (own != call.in[0].type())
            call.out[1] = graph.fresh(rows, own);
    });
    return out;
}

// `sum` with rows added in its place; what flows back to them is gathered.
void addRows(ShadowContext& context, ShadowTensor& sum, ShadowTensor rows, const ShadowTensor& index)
{
    ShadowGraph& graph = *context.graph;
    const ShadowTensor source = shadowCast(context, rows, sum.type());
    rows.reset();
    ShadowTensor next = sum.detached();
    const std::int64_t elements = source.elements();
    graph.record(next, {&sum, &source}, {index}, [&graph, elements](ShadowBackward& call) {
        call.out[0] = call.in[0];
        call.out[1] = graph.fresh(elements, call.in[0].type());
    });
    sum = std::move(next);
}

const ExpertLoads* knownLoads(const ShadowContext& context, const ShadowExperts& experts)
{
    const bool known = context.loads != nullptr && experts.layer < context.loads->size();
    return known && (*context.loads)[experts.layer].size() == static_cast<std::size_t>(experts.count)
               ? &(*context.loads)[experts.layer]
               : nullptr;
}

// The rows of each expert; known ones are of another part of the step where they do not add up.
ExpertLoads loadsOf(const ShadowContext& context, const ShadowExperts& experts)
{
    const ExpertLoads* known = knownLoads(context, experts);
    if (known && std::accumulate(known->begin(), known->end(), std::int64_t{0}) == context.tokens() * experts.perToken)
        return *known;
    return plannedLoads(context.routing, context.tokens(), experts.perToken, experts.count);
}

// Of every sample, in a clipped step.
ExpertLoads rowsOfSample(const ShadowContext& context, const ShadowExperts& experts)
{
    if (const ExpertLoads* known = knownLoads(context, experts))
        return *known;
    ExpertLoads rows = plannedLoads(context.routing, context.sequence, experts.perToken, experts.count);
    for (std::int64_t& each : rows)
        each = std::max<std::int64_t>(1, each);
    return rows;
}

ShadowTensor routed(ShadowContext& context, ShadowExperts& experts, ShadowTensor& x, ShadowTensor& logits)
{
    const ExpertLoads loads = loadsOf(context, experts);
    const std::int64_t pairs = context.tokens() * experts.perToken, width = x.elements() / context.tokens();
    ShadowTensor tokens;
    std::vector<ShadowTensor> weights, parts;
    {
        const ShadowChoice choice = choose(context, experts, logits);
        ShadowTensor order;
        {
            const ShadowTensor sorted = context.fresh(pairs, ShadowType::Int64);
            order = context.fresh(pairs, ShadowType::Int64);
        }
        context.fresh(experts.count, ShadowType::Int64); // counts
        tokens = context.fresh(pairs, ShadowType::Int64);
        weights = shadowSplit(context, gathered(context, choice.weights, order, pairs, false), loads);
    }
    const ShadowFusedParts fused(context, experts);
    parts = shadowSplit(context, gathered(context, x, tokens, pairs * width, false), loads);
    ShadowTensor sum = context.fresh(x.elements(), x.type());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ShadowTensor product;
        {
            const ShadowTensor result = through(context, experts, fused, i, parts[i]);
            product = weighted(context, result, weights[i]);
        }
        addRows(context, sum, std::move(product), tokens);
    }
    return sum;
}

// In a clipped step: as many rows of every sample as the fullest has.
ShadowTensor routedBySample(ShadowContext& context, ShadowExperts& experts, ShadowTensor& x, ShadowTensor& logits)
{
    const ExpertLoads own = rowsOfSample(context, experts);
    const std::int64_t width = x.elements() / context.tokens();
    const ShadowChoice choice = choose(context, experts, logits);
    ShadowTensor sum = context.fresh(x.elements(), x.type());
    for (std::size_t i = 0; i < experts.all.size(); ++i) {
        const std::int64_t rows = context.batch * own[i];
        const ShadowTensor positions = context.fresh(rows, ShadowType::Int64);
        const ShadowTensor places = context.fresh(rows, ShadowType::Int64);
        const ShadowTensor counted = context.fresh(rows, choice.weights.type());
        ShadowTensor mine;
        {
            const ShadowTensor weights = gathered(context, choice.weights, places, rows, true);
            mine = shadowMultiply(context, weights, counted);
        }
        ShadowTensor part = gathered(context, x, positions, rows * width, true);
        ShadowTensor product;
        {
            const ShadowTensor result = through(context, experts, experts.all[i], part);
            product = weighted(context, result, mine);
        }
        addRows(context, sum, std::move(product), positions);
    }
    return sum;
}

// The engine's RouterBalance::watch.
ShadowTensor watched(ShadowContext& context, const ShadowTensor& logits, std::int64_t experts)
{
    ShadowGraph& graph = *context.graph;
    const std::int64_t all = logits.elements();
    const ShadowType type = logits.type(), wide = wideType(type);
    ShadowTensor probabilities;
    {
        const ShadowTensor widened = type == wide ? ShadowTensor() : context.fresh(all, wide);
        probabilities = context.fresh(all, wide);
    }
    if (!context.balance.closed) {
        ShadowTensor sums = context.fresh(experts, wide);
        if (!context.balance.sums.defined())
            context.balance.sums = std::move(sums);
    }
    ShadowTensor out = logits.detached();
    graph.record(out, {&logits}, {probabilities}, [&graph, experts, all, wide](ShadowBackward& call) {
        ShadowTensor own = graph.fresh(all, wide);
        graph.fresh(all / experts, wide);
        if (call.in[0].type() != wide)
            own = graph.fresh(all, call.in[0].type());
        call.out[0] = std::move(own);
    });
    return out;
}

} // namespace

ShadowTensor shadowExperts(ShadowContext& context, ShadowExperts& experts, ShadowTensor& x, ShadowTensor& logits)
{
    ShadowTensor seen = context.balance.wanted ? watched(context, logits, experts.count) : logits;
    return context.tape != nullptr ? routedBySample(context, experts, x, seen) : routed(context, experts, x, seen);
}

void shadowCloseBalance(ShadowContext& context)
{
    ShadowBalance& balance = context.balance;
    balance.closed = true;
    if (!balance.sums.defined())
        return;
    const std::int64_t experts = balance.sums.elements();
    const ShadowType wide = balance.sums.type();
    if (!context.cuda)
        balance.slopes = context.fresh(experts, ShadowType::Float64); // there it is the host's
    if (context.cuda || wide != ShadowType::Float64)
        balance.slopes = context.fresh(experts, wide);
    {
        const ShadowTensor products = context.fresh(experts, wide);
        balance.loss = context.fresh(1, wide);
    }
    balance.sums.reset();
}

ShadowTensor shadowWithBalance(ShadowContext& context, ShadowTensor loss)
{
    if (!context.balance.loss.defined())
        return loss;
    ShadowTensor sum = context.fresh(1, loss.type());
    context.graph->record(sum, {&loss}, {}, [](ShadowBackward& call) { call.out[0] = call.in[0]; });
    return sum;
}

} // namespace peakscope
