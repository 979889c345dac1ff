// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_sample_functions.h"

#include "core/planning/shadow/shadow_tape.h"

#include <algorithm>

namespace peakscope {
namespace {

using Pass = ShadowTape::Pass;

ShadowType productType(const ShadowContext& context, const ShadowParameter& weight)
{
    return context.autocast ? *context.autocast : weight.tensor.type();
}

// A weight in the product's type: itself or a copy that no cache keeps.
ShadowTensor converted(const ShadowContext& context, const ShadowTensor& weight, ShadowType type)
{
    return !weight.defined() || weight.type() == type ? weight.detached() : context.fresh(weight.elements(), type);
}

// A gradient of a parameter, made in the product's type and brought to the parameter's.
ShadowTensor parameterGradient(ShadowGraph& graph, const ShadowParameter& parameter, ShadowType type)
{
    ShadowTensor gradient = graph.fresh(parameter.tensor.elements(), type);
    if (type != parameter.tensor.type())
        gradient = graph.fresh(parameter.tensor.elements(), parameter.tensor.type());
    return gradient;
}

// An input's gradient: a view, which autograd never adds to in place.
ShadowTensor inputGradient(ShadowGraph& graph, std::int64_t elements, ShadowType type)
{
    ShadowTensor gradient = graph.fresh(elements, type);
    gradient.pinned = true;
    return gradient;
}

// SampleLinearFunction: y = x W^T (+ b), or x W + b for a transposed weight.
struct LinearSizes {
    ShadowParameter* weight = nullptr;
    ShadowParameter* bias = nullptr; // null: none
    std::int64_t in = 0;
    std::int64_t out = 0;
    bool transposed = false;
};

void linearBackward(const ShadowContext& context, const LinearSizes& sizes, ShadowBackward& call)
{
    ShadowGraph& graph = *context.graph;
    ShadowTape& tape = *context.tape;
    const ShadowTensor &g = call.in[0], &x = call.saved[0], &matrix = call.saved[1];
    const ShadowType type = g.type();
    const bool biased = sizes.bias != nullptr && sizes.bias->trainable;
    if (tape.pass() == Pass::Norms) {
        if (x.defined() && sizes.transposed)
            tape.addProduct(*sizes.weight, x, sizes.in, g, sizes.out);
        else if (x.defined())
            tape.addProduct(*sizes.weight, g, sizes.out, x, sizes.in);
        if (biased)
            tape.addVector(*sizes.bias, graph.fresh(context.batch * sizes.out, type));
    } else {
        if (x.defined() && tape.wantsGradient(*sizes.weight))
            call.out[1] = parameterGradient(graph, *sizes.weight, type);
        if (biased && tape.wantsGradient(*sizes.bias))
            call.out[2] = parameterGradient(graph, *sizes.bias, type);
    }
    if (matrix.defined())
        call.out[0] = inputGradient(graph, g.elements() / sizes.out * sizes.in, type);
}

ShadowTensor sampled(ShadowContext& context, const ShadowTensor& input, const LinearSizes& sizes)
{
    const ShadowTensor& weight = sizes.weight->tensor;
    const ShadowTensor bias = sizes.bias != nullptr ? sizes.bias->tensor : ShadowTensor();
    const ShadowType type = input.type();
    const ShadowTensor matrix = converted(context, weight, type);
    const ShadowTensor offset = converted(context, bias, type);
    ShadowTensor out = context.fresh(input.elements() / sizes.in * sizes.out, type);
    SavedTensors saved{sizes.weight->trainable ? input : ShadowTensor(),
                       input.needsGradient() ? matrix : ShadowTensor()};
    const ShadowContext* own = &context;
    context.graph->record(out, {&input, &weight, &bias}, std::move(saved),
                          [own, sizes](ShadowBackward& call) { linearBackward(*own, sizes, call); });
    return out;
}

// SampleAdapterFunction: base + scale (x A^T) B^T in base's own memory.
void adapterBackward(const ShadowContext& context, const ShadowLinear& linear, bool wantsX, ShadowBackward& call)
{
    ShadowGraph& graph = *context.graph;
    ShadowTape& tape = *context.tape;
    const ShadowAdapter& adapter = *linear.adapter;
    const ShadowTensor &g = call.in[0], &x = call.saved[0], &inner = call.saved[1];
    const ShadowType type = g.type();
    const ShadowTensor scaled = graph.fresh(inner.elements(), type);
    if (tape.pass() == Pass::Norms) {
        tape.addProduct(adapter.up, g, linear.out, graph.fresh(inner.elements(), type), adapter.rank);
        tape.addProduct(adapter.down, scaled, adapter.rank, x, linear.in);
    } else {
        if (tape.wantsGradient(adapter.down))
            call.out[2] = parameterGradient(graph, adapter.down, type);
        if (tape.wantsGradient(adapter.up))
            call.out[3] = parameterGradient(graph, adapter.up, type);
    }
    if (call.wants(0))
        call.out[0] = g;
    if (wantsX)
        call.out[1] = inputGradient(graph, x.elements(), type);
}

ShadowTensor adaptedSamples(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x,
                            const ShadowTensor& base)
{
    ShadowAdapter& adapter = *linear.adapter;
    const ShadowModuleScope scope(context.graph->memory(), adapter.module);
    const ShadowTensor first = converted(context, adapter.down.tensor, x.type());
    const ShadowTensor second = converted(context, adapter.up.tensor, base.type());
    const ShadowTensor inner = context.fresh(x.elements() / linear.in * adapter.rank, x.type());
    ShadowTensor sum = base;
    const ShadowContext* own = &context;
    const bool wantsX = x.needsGradient();
    context.graph->record(
        sum, {&base, &x, &adapter.down.tensor, &adapter.up.tensor}, {x, inner, first, second},
        [own, &linear, wantsX](ShadowBackward& call) { adapterBackward(*own, linear, wantsX, call); });
    return sum;
}

// The engine's addWideSamples.
ShadowTensor wideSamples(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x, ShadowTensor base)
{
    ShadowAdapter& adapter = *linear.adapter;
    const ShadowModuleScope scope(context.graph->memory(), adapter.module);
    const ShadowTensor wide = shadowCast(context, x, productType(context, adapter.down));
    ShadowTensor delta;
    {
        const ShadowTensor inner = sampled(context, wide, {&adapter.down, nullptr, linear.in, adapter.rank});
        delta = shadowScale(context, sampled(context, inner, {&adapter.up, nullptr, adapter.rank, linear.out}));
    }
    return shadowWithWide(context, linear, std::move(base), std::move(delta));
}

// Norms of a layer norm's two parameters, sample by sample.
void tellNormSamples(const ShadowContext& context, const ShadowNorm& norm, ShadowType type, std::int64_t threads)
{
    ShadowGraph& graph = *context.graph;
    const ShadowType stored = norm.weight->tensor.type();
    const ShadowTensor weights = graph.fresh(context.batch * norm.width, stored);
    const ShadowTensor biases = graph.fresh(context.batch * norm.width, stored);
    {
        const ShadowTensor weight = graph.fresh(norm.width, stored);
        const ShadowTensor bias = graph.fresh(norm.width, stored);
        if (threads > 0 && !isNarrow(type))
            graph.fresh(2 * threads * norm.width, wideType(type));
    }
    context.tape->addVector(*norm.weight, weights);
    context.tape->addVector(*norm.bias, biases);
}

void layerNormBackward(const ShadowContext& context, const ShadowNorm& norm, bool wantsX, ShadowBackward& call)
{
    ShadowGraph& graph = *context.graph;
    ShadowTape& tape = *context.tape;
    const ShadowTensor& g = call.in[0];
    const ShadowType type = g.type();
    const std::int64_t threads = context.cuda ? 0 : context.threads;
    const bool weighted = tape.pass() == Pass::Weighted;
    const bool whole = weighted || context.batch == 1;
    const bool wantsWeight = weighted ? tape.wantsGradient(*norm.weight) : context.batch == 1;
    ShadowTensor weight, bias;
    if (wantsX)
        call.out[0] = graph.fresh(g.elements(), type);
    if (whole && wantsWeight) {
        weight = graph.fresh(norm.width, norm.weight->tensor.type());
        bias = graph.fresh(norm.width, norm.weight->tensor.type());
        // One partial sum a thread.
        if (threads > 0 && !isNarrow(type))
            graph.fresh(2 * threads * norm.width, wideType(type));
    }
    if (weighted) {
        call.out[1] = std::move(weight);
        call.out[2] = std::move(bias);
    } else if (whole) {
        tape.addVector(*norm.weight, weight);
        tape.addVector(*norm.bias, bias);
    } else {
        tellNormSamples(context, norm, type, threads);
    }
}

} // namespace

ShadowTensor sampledLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x)
{
    const ShadowTensor input = shadowCast(context, x, context.autocast.value_or(linear.type));
    if (!linear.weight->trainable) {
        ShadowTensor base = shadowBaseLinear(context, linear, input, true);
        if (linear.hasWideAdapter())
            return wideSamples(context, linear, input, std::move(base));
        return linear.adapter ? adaptedSamples(context, linear, input, base) : base;
    }
    return sampled(context, input, {linear.weight, linear.bias, linear.in, linear.out, linear.transposed});
}

ShadowTensor sampledProduct(ShadowContext& context, ShadowParameter& weight, std::int64_t in, std::int64_t out,
                            const ShadowTensor& x)
{
    return sampled(context, shadowCast(context, x, productType(context, weight)), {&weight, nullptr, in, out, false});
}

ShadowTensor sampledLayerNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& given)
{
    const bool widened = context.cuda && context.autocast;
    const ShadowTensor x = widened ? shadowCast(context, given, ShadowType::Float32) : given;
    const std::int64_t rows = x.elements() / norm.width;
    ShadowTensor out = context.fresh(x.elements(), x.type());
    const ShadowType moments = context.cuda ? wideType(x.type()) : x.type();
    const ShadowTensor mean = context.fresh(rows, moments);
    const ShadowTensor deviation = context.fresh(rows, moments);
    const ShadowContext* own = &context;
    const bool wantsX = x.needsGradient();
    context.graph->record(out, {&x, &norm.weight->tensor, &norm.bias->tensor}, {x, mean, deviation},
                          [own, &norm, wantsX](ShadowBackward& call) { layerNormBackward(*own, norm, wantsX, call); });
    return out;
}

ShadowTensor sampledEmbedding(ShadowContext& context, ShadowParameter& table, std::int64_t width,
                              const ShadowTensor& tokens)
{
    ShadowTensor out = context.fresh(context.tokens() * width, table.tensor.type());
    const ShadowContext* own = &context;
    context.graph->record(out, {&table.tensor}, {tokens}, [own, &table, width](ShadowBackward& call) {
        ShadowTape& tape = *own->tape;
        if (tape.pass() == Pass::Norms)
            tape.addRows(table, call.in[0], width);
        else if (tape.wantsGradient(table))
            call.out[0] = own->fresh(table.tensor.elements(), call.in[0].type());
    });
    return out;
}

ShadowTensor sampledAddPositions(ShadowContext& context, ShadowParameter& table, std::int64_t rows, std::int64_t width,
                                 const ShadowTensor& x)
{
    ShadowTensor out = context.fresh(x.elements(), x.type());
    const ShadowContext* own = &context;
    context.graph->record(out, {&x, &table.tensor}, {}, [own, &table, rows, width](ShadowBackward& call) {
        ShadowTape& tape = *own->tape;
        const ShadowTensor& g = call.in[0];
        if (tape.pass() == Pass::Norms) {
            tape.addPositions(table, g);
        } else if (tape.wantsGradient(table)) {
            call.out[1] = own->fresh(rows * width, table.tensor.type());
            own->fresh(own->sequence * width, g.type());
        }
        if (call.wants(0))
            call.out[0] = g;
    });
    return out;
}

} // namespace peakscope
