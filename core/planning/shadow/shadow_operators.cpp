// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_operators.h"

#include "core/planning/shadow/shadow_sample_functions.h"
#include "core/planning/shadow/shadow_tape.h"

#include <algorithm>
#include <numeric>

namespace peakscope {
namespace {

ShadowType promoted(ShadowType a, ShadowType b)
{
    if (a == b)
        return a;
    if (a == ShadowType::Float64 || b == ShadowType::Float64)
        return ShadowType::Float64;
    return ShadowType::Float32;
}

// On the CPU an operand of another type than the result is converted into a copy for the operator's time.
ShadowTensor operandCopy(const ShadowContext& context, const ShadowTensor& x, ShadowType type)
{
    if (context.cuda || x.type() == type)
        return {};
    return context.fresh(x.elements(), type);
}

// A gradient brought to the shape and type of what it is for (the engine's validate_outputs).
ShadowTensor reduced(ShadowGraph& graph, ShadowTensor gradient, std::int64_t elements, ShadowType type)
{
    if (gradient.elements() != elements)
        gradient = graph.fresh(elements, gradient.type());
    if (gradient.type() != type)
        gradient = graph.fresh(elements, type);
    return gradient;
}

// Autocast's narrow copy of a weight: made once a forward pass where the cache is on. Autocast's wrapper evaluates an
// operator's arguments from the last to the first (as GCC does): bias, weight, input. Backward runs in the reverse.
ShadowTensor castParameter(ShadowContext& context, ShadowParameter& parameter)
{
    const ShadowTensor& tensor = parameter.tensor;
    if (!context.autocast || tensor.type() != ShadowType::Float32)
        return tensor;
    if (parameter.cast.defined())
        return parameter.cast;
    ShadowTensor cast = shadowCast(context, tensor, *context.autocast);
    if (context.castCache && parameter.trainable)
        parameter.cast = cast;
    return cast;
}

ShadowTensor castInput(ShadowContext& context, const ShadowTensor& x)
{
    if (!context.autocast || x.type() != ShadowType::Float32)
        return x;
    return shadowCast(context, x, *context.autocast);
}

// out = x W^T (+ b): what AddmmBackward and MmBackward keep and make. `viewed`: x comes through a view of its own,
// whose gradient is one too and is never added to in place.
ShadowTensor product(ShadowContext& context, const ShadowTensor& x, const ShadowTensor& weight,
                     const ShadowTensor& bias, std::int64_t in, std::int64_t out, bool viewed = false)
{
    const std::int64_t rows = x.elements() / in;
    ShadowTensor result = context.fresh(rows * out, x.type());
    SavedTensors saved;
    if (weight.needsGradient())
        saved.push_back(x);
    if (x.needsGradient())
        saved.push_back(weight);
    ShadowGraph& graph = *context.graph;
    const bool biased = bias.defined();
    graph.record(result, {&x, &weight, &bias}, std::move(saved),
                 [&graph, rows, in, out, biased, viewed](ShadowBackward& call) {
                     const ShadowType type = call.in[0].type();
                     const auto input = [&] {
                         call.out[0] = graph.fresh(rows * in, type);
                         // It reaches the input through a view's node, so it never dies where it was born.
                         graph.memory().tag(call.out[0].storage(), Component::ActivationGradients);
                         call.out[0].pinned = !biased || viewed;
                     };
                     if (biased && call.wants(0))
                         input();
                     if (call.wants(1)) {
                         call.out[1] = graph.fresh(in * out, type);
                         call.out[1].pinned = !biased;
                     }
                     if (!biased && call.wants(0))
                         input();
                     if (call.wants(2))
                         call.out[2] = graph.fresh(out, type);
                 });
    return result;
}

// base += scale B (A x) in base's own buffer; the products with the scale are tensors of their own in backward.
ShadowTensor adapted(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x, const ShadowTensor& base)
{
    ShadowAdapter& adapter = *linear.adapter;
    ShadowGraph& graph = *context.graph;
    const ShadowModuleScope scope(graph.memory(), adapter.module);
    ShadowTensor inner;
    {
        const ShadowTensor down = castParameter(context, adapter.down);
        inner = product(context, castInput(context, x), down, {}, linear.in, adapter.rank);
    }
    const ShadowTensor up = shadowCast(context, adapter.up.tensor, base.type());
    ShadowTensor sum = base;
    const std::array<std::int64_t, 2> elements{inner.elements(), up.elements()};
    graph.record(sum, {&base, &inner, &up}, {inner, up}, [&graph, elements](ShadowBackward& call) {
        const ShadowType type = call.in[0].type();
        call.out[0] = call.in[0];
        for (std::size_t i = 0; i < 2; ++i) {
            if (!call.wants(i + 1))
                continue;
            const ShadowTensor unscaled = graph.fresh(elements[i], type);
            call.out[i + 1] = graph.fresh(elements[i], type);
        }
    });
    return sum;
}

// The engine's addWideAdapter.
ShadowTensor addedWide(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x, ShadowTensor base)
{
    ShadowAdapter& adapter = *linear.adapter;
    const ShadowModuleScope scope(context.graph->memory(), adapter.module);
    const auto times = [&](const ShadowTensor& input, ShadowParameter& weight, std::int64_t in, std::int64_t out) {
        const ShadowTensor matrix = castParameter(context, weight);
        return product(context, castInput(context, input), matrix, {}, in, out);
    };
    const bool cast = linear.quantization == Quantization::None || !context.autocast;
    const ShadowTensor wide = cast ? shadowCast(context, x, adapter.down.tensor.type()) : x;
    ShadowTensor delta;
    {
        const ShadowTensor inner = times(wide, adapter.down, linear.in, adapter.rank);
        delta = shadowScale(context, times(inner, adapter.up, adapter.rank, linear.out));
    }
    return shadowWithWide(context, linear, std::move(base), std::move(delta));
}

ShadowTensor layerNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& x)
{
    const std::int64_t width = norm.width;
    const std::int64_t rows = x.elements() / width;
    const ShadowTensor weight = norm.weight ? norm.weight->tensor : ShadowTensor();
    const ShadowTensor bias = norm.bias ? norm.bias->tensor : ShadowTensor();
    ShadowTensor out = context.fresh(x.elements(), x.type());
    // Means and reciprocal deviations of the rows.
    const ShadowType narrowMoments = context.cuda ? wideType(x.type()) : x.type();
    const ShadowTensor mean = context.fresh(rows, narrowMoments);
    const ShadowTensor deviation = context.fresh(rows, narrowMoments);
    SavedTensors saved{x, mean, deviation};
    if (weight.defined())
        saved.push_back(weight);
    ShadowGraph& graph = *context.graph;
    const std::int64_t threads = context.cuda ? 0 : context.threads;
    graph.record(out, {&x, &weight, &bias}, std::move(saved), [&graph, width, threads](ShadowBackward& call) {
        const ShadowTensor& gradient = call.in[0];
        const ShadowType type = gradient.type();
        if (call.wants(0))
            call.out[0] = graph.fresh(gradient.elements(), type);
        if (call.wants(1))
            call.out[1] = graph.fresh(width, type);
        if (call.wants(2))
            call.out[2] = graph.fresh(width, type);
        // One partial sum a thread.
        if (threads > 0 && !isNarrow(type) && (call.wants(1) || call.wants(2)))
            graph.fresh(2 * threads * width, wideType(type));
    });
    return out;
}

// The weight's gradient out of its rows, or in a clipped step's first pass each sample's for the tape.
void rmsWeightGradient(const ShadowContext& context, const ShadowNorm& norm, ShadowType type, ShadowBackward& call)
{
    ShadowGraph& graph = *context.graph;
    const ShadowType wide = wideType(type);
    const auto summed = [&](std::int64_t elements) {
        const ShadowTensor sum = graph.fresh(elements, wide);
        return type == wide ? sum : graph.fresh(elements, type);
    };
    if (context.tape != nullptr && context.tape->pass() == ShadowTape::Pass::Norms)
        context.tape->addVector(*norm.weight, summed(context.batch * norm.width));
    else if (context.tape == nullptr || context.tape->wantsGradient(*norm.weight))
        call.out[1] = summed(norm.width);
}

// 1 + weight of the weight as it is widened, if that is a norm's gain.
ShadowTensor shiftedGain(const ShadowContext& context, const ShadowNorm& norm, ShadowType wide)
{
    if (!norm.shifted)
        return {};
    const bool narrow = norm.weight->tensor.type() != wide;
    const ShadowTensor wideWeight = narrow ? context.fresh(norm.width, wide) : ShadowTensor();
    return context.fresh(norm.width, wide);
}

// The engine's RmsNormFunction, statement by statement.
void rmsBackward(const ShadowContext& context, const ShadowNorm& norm, ShadowBackward& call)
{
    ShadowGraph& graph = *context.graph;
    const ShadowTensor& gradient = call.in[0];
    const ShadowTensor& x = call.saved[0];
    const std::int64_t elements = x.elements();
    const ShadowType type = x.type();
    const ShadowType wide = wideType(type);
    const bool narrow = type != wide;
    const ShadowTensor wideX = narrow ? graph.fresh(elements, wide) : x;
    const ShadowTensor normed = graph.fresh(elements, wide);
    if (norm.weight->trainable) {
        ShadowTensor rows;
        {
            const bool rounded = narrow && !norm.shifted;
            const ShadowTensor wideGradient = narrow ? graph.fresh(elements, wide) : gradient;
            const ShadowTensor narrowNormed = rounded ? graph.fresh(elements, type) : normed;
            const ShadowTensor copy = rounded && !context.cuda ? graph.fresh(elements, wide) : ShadowTensor();
            rows = graph.fresh(elements, wide);
        }
        rmsWeightGradient(context, norm, type, call);
    }
    const ShadowTensor gain = shiftedGain(context, norm, wide);
    ShadowTensor inner;
    {
        const ShadowTensor wideGradient = narrow ? graph.fresh(elements, wide) : gradient;
        inner = graph.fresh(elements, wide);
    }
    ShadowTensor overlap; // a row each
    {
        const ShadowTensor squares = graph.fresh(elements, wide);
        overlap = graph.fresh(elements / norm.width, wide);
    }
    const ShadowTensor shifted = graph.fresh(elements, wide);
    const ShadowTensor difference = graph.fresh(elements, wide);
    ShadowTensor result = graph.fresh(elements, wide);
    if (narrow)
        call.out[0] = graph.fresh(elements, type);
    else
        call.out[0] = std::move(result);
}

ShadowTensor rmsNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& x)
{
    const ShadowTensor& weight = norm.weight->tensor;
    const ShadowType wide = wideType(x.type());
    const bool narrow = x.type() != wide;
    const std::int64_t rows = x.elements() / norm.width;
    ShadowTensor out;
    ShadowTensor scale;
    {
        const ShadowTensor wideX = narrow ? context.fresh(x.elements(), wide) : x.detached();
        scale = context.fresh(rows, wide);
        const ShadowTensor gain = shiftedGain(context, norm, wide);
        ShadowTensor normed = context.fresh(x.elements(), wide);
        if (norm.shifted) {
            out = narrow ? context.fresh(x.elements(), x.type()) : std::move(normed);
        } else {
            const ShadowTensor rounded = narrow ? context.fresh(x.elements(), x.type()) : normed;
            const ShadowType type = promoted(x.type(), weight.type());
            const ShadowTensor copy = operandCopy(context, rounded, type);
            out = context.fresh(x.elements(), type);
        }
    }
    ShadowGraph& graph = *context.graph;
    const ShadowContext* own = &context;
    graph.record(out, {&x, &weight}, {x, weight, scale},
                 [own, &norm](ShadowBackward& call) { rmsBackward(*own, norm, call); });
    return out;
}

// What turning x allocates; the result is as large as x.
ShadowTensor turned(const ShadowContext& context, const ShadowTensor& x, ShadowType tables, std::int64_t width,
                    std::int64_t rotated)
{
    ShadowTensor out = context.fresh(x.elements(), x.type());
    const std::int64_t half = x.elements() / width * (rotated / 2);
    const ShadowType type = promoted(x.type(), tables);
    for (int part = 0; part < 2; ++part) {
        const auto times = [&] {
            const bool copies = !context.cuda && x.type() != type;
            const ShadowTensor copy = copies ? context.fresh(half, type) : ShadowTensor();
            return context.fresh(half, type);
        };
        const ShadowTensor first = times();
        const ShadowTensor second = times();
    }
    return out;
}

} // namespace

ShadowTensor shadowCast(ShadowContext& context, const ShadowTensor& x, ShadowType type)
{
    if (x.type() == type)
        return x;
    ShadowTensor out = context.fresh(x.elements(), type);
    ShadowGraph& graph = *context.graph;
    const ShadowType former = x.type();
    graph.record(out, {&x}, {},
                 [&graph, former](ShadowBackward& call) { call.out[0] = graph.fresh(call.in[0].elements(), former); });
    return out;
}

ShadowTensor shadowSoftCap(ShadowContext& context, ShadowTensor x)
{
    ShadowGraph& graph = *context.graph;
    const bool logits = graph.memory().isLogits(x.storage());
    const auto made = [&graph, logits](const ShadowTensor& like) {
        ShadowTensor tensor = graph.fresh(like.elements(), like.type());
        if (logits)
            graph.memory().markLogits(tensor.storage());
        return tensor;
    };
    for (const bool keepsResult : {false, true, false}) { // x / cap, its tanh, and that · cap
        ShadowTensor next = made(x);
        graph.record(next, {&x}, keepsResult ? SavedTensors{next} : SavedTensors{},
                     [made](ShadowBackward& call) { call.out[0] = made(call.in[0]); });
        x = std::move(next);
    }
    return x;
}

ShadowTensor shadowBaseLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x, bool viewed)
{
    if (linear.quantization != Quantization::None)
        return shadowQuantizedProduct(context, linear, x);
    const ShadowTensor bias = linear.bias ? castParameter(context, *linear.bias) : ShadowTensor();
    const ShadowTensor weight = castParameter(context, *linear.weight);
    const ShadowTensor input = castInput(context, x);
    return product(context, input, weight, bias, linear.in, linear.out, viewed);
}

ShadowTensor shadowLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x)
{
    if (context.tape != nullptr)
        return sampledLinear(context, linear, x);
    ShadowTensor out = shadowBaseLinear(context, linear, x, linear.transposed || linear.adapter != nullptr);
    if (linear.hasWideAdapter())
        return addedWide(context, linear, x, std::move(out));
    return linear.adapter ? adapted(context, linear, x, out) : out;
}

ShadowTensor shadowWithWide(ShadowContext& context, const ShadowLinear& linear, ShadowTensor base, ShadowTensor delta)
{
    const ShadowType type = base.type();
    if (linear.quantization != Quantization::None)
        delta = shadowCast(context, delta, type);
    base = shadowAdd(context, base, delta);
    delta.reset();
    return shadowCast(context, base, type);
}

ShadowTensor shadowProduct(ShadowContext& context, ShadowParameter& weight, std::int64_t in, std::int64_t out,
                           const ShadowTensor& x)
{
    const ShadowTensor narrow = castParameter(context, weight);
    return product(context, castInput(context, x), narrow, {}, in, out);
}

ShadowTensor shadowNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& x)
{
    if (norm.rootMeanSquare)
        return rmsNorm(context, norm, x);
    const bool sampled = context.tape != nullptr && norm.weight && norm.weight->trainable;
    return sampled ? sampledLayerNorm(context, norm, x) : layerNorm(context, norm, x);
}

ShadowTensor shadowActivation(ShadowContext& context, Activation activation, const ShadowTensor& x)
{
    ShadowTensor out = context.fresh(x.elements(), x.type());
    ShadowGraph& graph = *context.graph;
    // ReLU keeps its result, the others what they were given.
    graph.record(out, {&x}, {activation == Activation::Relu ? out : x}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
    });
    return out;
}

ShadowTensor shadowAdd(ShadowContext& context, const ShadowTensor& a, const ShadowTensor& b)
{
    const ShadowType type = promoted(a.type(), b.type());
    ShadowTensor out;
    {
        const ShadowTensor first = operandCopy(context, a, type);
        const ShadowTensor second = operandCopy(context, b, type);
        out = context.fresh(std::max(a.elements(), b.elements()), type);
    }
    ShadowGraph& graph = *context.graph;
    const std::array<std::int64_t, 2> elements{a.elements(), b.elements()};
    const std::array<ShadowType, 2> types{a.type(), b.type()};
    graph.record(out, {&a, &b}, {}, [&graph, elements, types](ShadowBackward& call) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (call.wants(i))
                call.out[i] = reduced(graph, call.in[0], elements[i], types[i]);
        }
    });
    return out;
}

ShadowTensor shadowMultiply(ShadowContext& context, const ShadowTensor& a, const ShadowTensor& b)
{
    ShadowTensor out = context.fresh(a.elements(), promoted(a.type(), b.type()));
    ShadowGraph& graph = *context.graph;
    SavedTensors saved;
    if (b.needsGradient())
        saved.push_back(a);
    if (a.needsGradient())
        saved.push_back(b);
    graph.record(out, {&a, &b}, std::move(saved), [&graph](ShadowBackward& call) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (call.wants(i))
                call.out[i] = graph.fresh(call.in[0].elements(), call.in[0].type());
        }
    });
    return out;
}

ShadowTensor shadowScale(ShadowContext& context, const ShadowTensor& x)
{
    ShadowTensor out = context.fresh(x.elements(), x.type());
    ShadowGraph& graph = *context.graph;
    graph.record(out, {&x}, {}, [&graph](ShadowBackward& call) {
        call.out[0] = graph.fresh(call.in[0].elements(), call.in[0].type());
    });
    return out;
}

ShadowTensor shadowEmbedding(ShadowContext& context, ShadowParameter& table, std::int64_t width,
                             const ShadowTensor& tokens)
{
    if (context.tape != nullptr && table.trainable)
        return sampledEmbedding(context, table, width, tokens);
    ShadowTensor out = context.fresh(context.tokens() * width, table.tensor.type());
    ShadowGraph& graph = *context.graph;
    const std::int64_t elements = table.tensor.elements();
    graph.record(out, {&table.tensor}, {tokens},
                 [&graph, elements](ShadowBackward& call) { call.out[0] = graph.fresh(elements, call.in[0].type()); });
    return out;
}

ShadowTensor shadowAddPositions(ShadowContext& context, ShadowParameter& table, std::int64_t rows, std::int64_t width,
                                const ShadowTensor& x)
{
    if (context.tape != nullptr && table.trainable)
        return sampledAddPositions(context, table, rows, width, x);
    ShadowTensor part = table.tensor.viewOf(context.sequence * width);
    ShadowGraph& graph = *context.graph;
    graph.record(part, {&table.tensor}, {}, [&graph, rows, width](ShadowBackward& call) {
        call.out[0] = graph.fresh(rows * width, call.in[0].type());
    });
    return shadowAdd(context, x, part);
}

ShadowTensor shadowRotate(ShadowContext& context, const ShadowTensor& x, const ShadowTables& tables, std::int64_t width,
                          std::int64_t rotated)
{
    const ShadowType type = tables.cos.type();
    ShadowTensor out = turned(context, x, type, width, rotated);
    const ShadowContext* own = &context;
    context.graph->record(out, {&x}, {tables.cos, tables.sin}, [own, type, width, rotated](ShadowBackward& call) {
        call.out[0] = turned(*own, call.in[0], type, width, rotated);
    });
    return out;
}

std::vector<ShadowTensor> shadowSplit(ShadowContext& context, const ShadowTensor& x,
                                      const std::vector<std::int64_t>& sections)
{
    ShadowTensor whole = x;
    ShadowGraph& graph = *context.graph;
    const std::int64_t elements = x.elements();
    ShadowNode* node = graph.record(whole, {&x}, {}, [&graph, elements](ShadowBackward& call) {
        call.out[0] = graph.fresh(elements, call.in[0].type());
    });
    const std::int64_t all = std::accumulate(sections.begin(), sections.end(), std::int64_t{0});
    std::vector<ShadowTensor> views;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (node && i > 0)
            node->inputs.push_back({});
        views.push_back(whole.viewOf(elements / all * sections[i]));
        views.back().edge = {node, static_cast<int>(i)};
    }
    return views;
}

ShadowTensor shadowContiguous(ShadowContext& context, const ShadowTensor& x)
{
    ShadowTensor out = context.fresh(x.elements(), x.type());
    context.graph->record(out, {&x}, {}, [](ShadowBackward& call) { call.out[0] = call.in[0]; });
    return out;
}

} // namespace peakscope
