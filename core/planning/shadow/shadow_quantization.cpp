// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a weight in fewer bits makes and keeps, statement by statement as core/engine/model/quantized_matrix.cpp.
#include "core/optimizers/kept_numbers.h"
#include "core/planning/shadow/shadow_operators.h"

#include <algorithm>

namespace peakscope {
namespace {

constexpr ShadowType kByte = ShadowType::Bool;     // as wide
constexpr ShadowType kInt32 = ShadowType::Float32; // likewise

// The scales of so many blocks, as numbers; nothing where they are kept as such.
ShadowTensor blockScales(ShadowGraph& graph, Quantization kind, std::int64_t blocks)
{
    if (kind != Quantization::Nf4Nested)
        return {};
    const std::int64_t filled = blocksOf(blocks, kNestedBlock) * kNestedBlock;
    const ShadowTensor places = graph.fresh(filled, kInt32);
    return graph.fresh(filled, ShadowType::Float32);
}

std::vector<ShadowTensor> quantizedBlocks(ShadowGraph& graph, std::int64_t elements)
{
    const std::int64_t all = blocksOf(elements, kNf4Block);
    std::vector<ShadowTensor> stored{graph.fresh(all * kNf4Block / 2, kByte), graph.fresh(all, ShadowType::Float32)};
    forPieces(elements, kQuantizedPiece, [&](std::int64_t count) {
        const std::int64_t blocks = blocksOf(count, kNf4Block);
        const ShadowTensor numbers = graph.fresh(blocks * kNf4Block, ShadowType::Float32);
        graph.fresh(blocks, ShadowType::Float32); // the largest of each
        graph.fresh(blocks, ShadowType::Float32); // scales of at least the smallest number
        const ShadowTensor places = graph.fresh(blocks * kNf4Block, kInt32);
        const ShadowTensor upper = graph.fresh(blocks * kNf4Block / 2, kInt32);
        graph.fresh(blocks * kNf4Block / 2, kInt32); // both halves of bytes
    });
    return stored;
}

void nestScales(ShadowGraph& graph, std::vector<ShadowTensor>& stored)
{
    const std::int64_t blocks = blocksOf(stored[1].elements(), kNestedBlock);
    const ShadowTensor filled = graph.fresh(blocks * kNestedBlock, ShadowType::Float32);
    ShadowTensor mean = graph.fresh(1, ShadowType::Float32);
    ShadowTensor codes = graph.fresh(blocks * kNestedBlock, kByte);
    stored[1] = graph.fresh(blocks, ShadowType::Float32);
    graph.fresh(blocks, ShadowType::Float32);
    graph.fresh(blocks * kNestedBlock, kInt32);
    stored.push_back(std::move(codes));
    stored.push_back(std::move(mean));
}

std::vector<ShadowTensor> quantizedLines(ShadowGraph& graph, std::int64_t rows, std::int64_t columns)
{
    std::vector<ShadowTensor> stored{graph.fresh(rows * columns, kByte), graph.fresh(rows, ShadowType::Float32)};
    const std::int64_t step = std::max<std::int64_t>(1, kQuantizedPiece / columns);
    forPieces(rows, step, [&](std::int64_t count) {
        const ShadowTensor numbers = graph.fresh(count * columns, ShadowType::Float32);
        graph.fresh(count, ShadowType::Float32);
        graph.fresh(count, ShadowType::Float32);
    });
    return stored;
}

} // namespace

std::vector<ShadowTensor> shadowQuantized(ShadowGraph& graph, Quantization kind, std::int64_t rows,
                                          std::int64_t columns)
{
    if (kind == Quantization::Int8)
        return quantizedLines(graph, rows, columns);
    std::vector<ShadowTensor> stored = quantizedBlocks(graph, rows * columns);
    if (kind == Quantization::Nf4Nested)
        nestScales(graph, stored);
    return stored;
}

ShadowTensor shadowNumbers(ShadowGraph& graph, const ShadowLinear& linear, ShadowType type)
{
    const std::int64_t elements = linear.in * linear.out;
    ShadowTensor numbers = graph.fresh(elements, type);
    if (linear.quantization == Quantization::Int8) {
        const std::int64_t columns = linear.transposed ? linear.out : linear.in, rows = elements / columns;
        const std::int64_t step = std::max<std::int64_t>(1, kQuantizedPiece / columns);
        forPieces(rows, step, [&](std::int64_t count) { graph.fresh(count * columns, ShadowType::Float32); });
        return numbers;
    }
    forPieces(elements, kQuantizedPiece, [&](std::int64_t count) {
        const std::int64_t blocks = blocksOf(count, kNf4Block);
        ShadowTensor places = graph.fresh(blocks * kNf4Block / 2, kInt32);
        const ShadowTensor piece = graph.fresh(blocks * kNf4Block, ShadowType::Float32);
        places.reset();
        blockScales(graph, linear.quantization, blocks);
    });
    return numbers;
}

ShadowTensor shadowQuantizedProduct(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x)
{
    ShadowGraph& graph = *context.graph;
    const ShadowType type = context.autocast.value_or(linear.type);
    const ShadowTensor input = shadowCast(context, x, type);
    const std::int64_t elements = input.elements();
    ShadowTensor out;
    {
        const ShadowTensor numbers = shadowNumbers(graph, linear, type);
        const bool converts = linear.bias != nullptr && linear.bias->tensor.type() != type;
        const ShadowTensor bias = converts ? graph.fresh(linear.out, type) : ShadowTensor();
        out = graph.fresh(elements / linear.in * linear.out, type);
    }
    graph.record(out, {&input}, {}, [&graph, &linear, elements](ShadowBackward& call) {
        const ShadowType flowing = call.in[0].type();
        const ShadowTensor numbers = shadowNumbers(graph, linear, flowing);
        call.out[0] = graph.fresh(elements, flowing);
        // As of any product: it reaches the input through a view's node.
        graph.memory().tag(call.out[0].storage(), Component::ActivationGradients);
        call.out[0].pinned = true;
    });
    return out;
}

} // namespace peakscope
