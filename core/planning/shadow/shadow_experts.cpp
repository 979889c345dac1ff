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
    const auto count = static_cast<std::int64_t>(experts.all.size());
    const std::int64_t tokens = logits.elements() / count, pairs = tokens * experts.perToken;
    const ShadowType type = logits.type(), wide = wideType(type);
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
    return known && (*context.loads)[experts.layer].size() == experts.all.size() ? &(*context.loads)[experts.layer]
                                                                                 : nullptr;
}

// The rows of each expert; known ones are of another part of the step where they do not add up.
ExpertLoads loadsOf(const ShadowContext& context, const ShadowExperts& experts)
{
    const ExpertLoads* known = knownLoads(context, experts);
    if (known && std::accumulate(known->begin(), known->end(), std::int64_t{0}) == context.tokens() * experts.perToken)
        return *known;
    return plannedLoads(context.routing, context.tokens(), experts.perToken,
                        static_cast<std::int64_t>(experts.all.size()));
}

// Of every sample, in a clipped step.
ExpertLoads rowsOfSample(const ShadowContext& context, const ShadowExperts& experts)
{
    if (const ExpertLoads* known = knownLoads(context, experts))
        return *known;
    ExpertLoads rows = plannedLoads(context.routing, context.sequence, experts.perToken,
                                    static_cast<std::int64_t>(experts.all.size()));
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
        context.fresh(static_cast<std::int64_t>(experts.all.size()), ShadowType::Int64); // counts
        tokens = context.fresh(pairs, ShadowType::Int64);
        weights = shadowSplit(context, gathered(context, choice.weights, order, pairs, false), loads);
    }
    parts = shadowSplit(context, gathered(context, x, tokens, pairs * width, false), loads);
    ShadowTensor sum = context.fresh(x.elements(), x.type());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ShadowTensor product;
        {
            const ShadowTensor result = through(context, experts, experts.all[i], parts[i]);
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

} // namespace

ShadowTensor shadowExperts(ShadowContext& context, ShadowExperts& experts, ShadowTensor& x, ShadowTensor& logits)
{
    return context.tape != nullptr ? routedBySample(context, experts, x, logits) : routed(context, experts, x, logits);
}

} // namespace peakscope
