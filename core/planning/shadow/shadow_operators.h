// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What LibTorch's operators, and the engine's own, allocate, keep and free: one function an operator, written beside
// the engine's layers, attention and loss head, whose lifetimes they repeat. Checked against measured runs.
#pragma once

#include "core/experiment/experiment.h"
#include "core/model/expert_loads.h"
#include "core/model/model_config.h"
#include "core/planning/shadow/shadow_graph.h"

#include <array>
#include <deque>

namespace peakscope {

class ShadowTape;

// Cosines and sines of rotary positions.
struct ShadowTables {
    ShadowTensor cos, sin;
};

// The engine's RouterBalance.
struct ShadowBalance {
    bool wanted = false;
    bool closed = false;
    ShadowTensor sums, slopes, loss;
};

// What one forward pass runs under.
struct ShadowContext {
    ShadowGraph* graph = nullptr;
    bool cuda = false;
    bool fused = true; // LibTorch has a fused attention kernel
    std::int64_t threads = 1;
    std::optional<ShadowType> autocast;
    bool castCache = true;
    std::int64_t batch = 1;
    std::int64_t sequence = 1;
    AttentionKind attention = AttentionKind::Auto;
    LossHead lossHead = LossHead::Auto;
    bool causal = true;
    bool padded = false;        // rows may end before the batch does
    bool capsLogits = false;    // softly
    ExpertRouting routing = ExpertRouting::Even;
    const std::vector<ExpertLoads>* loads = nullptr; // of each layer, where they are known
    ShadowTensor mask;          // of the plain form, shared by all layers
    ShadowTensor localMask;     // and of those with a window
    ShadowTensor padding;       // without causal, in every form: keys at which nothing looks
    ShadowTables rope;          // rotary tables
    ShadowTables localRope;     // and those of layers with frequencies of their own
    ShadowTensor logits;        // held until backward is over by the naive head
    ShadowBalance balance;
    ShadowTape* tape = nullptr; // of a clipped step; null: a plain one
    bool fewPasses = false;     // of a step, those that would take what the second did are left out

    std::int64_t tokens() const { return batch * sequence; }
    // Whether pass i, of `rows` where a pass has `physical` at most, is left out.
    bool leavesOut(std::int64_t i, std::int64_t rows, std::int64_t physical) const
    {
        return fewPasses && i >= 2 && rows == physical;
    }
    // Checkpointed layers hold them until the graph is gone.
    void dropTables()
    {
        mask.reset();
        localMask.reset();
        padding.reset();
        rope = {};
        localRope = {};
    }
    ShadowTensor fresh(std::int64_t elements, ShadowType type) const { return graph->fresh(elements, type); }
};

// Low-rank adapter beside a linear layer.
struct ShadowAdapter {
    ShadowParameter down; // [rank, in]
    ShadowParameter up;   // [out, rank]
    std::int64_t rank = 0;
    std::uint16_t module = 0;
};

struct ShadowLinear {
    ShadowParameter* weight = nullptr;
    ShadowParameter* bias = nullptr; // null: none
    ShadowAdapter* adapter = nullptr;
    std::int64_t in = 0;
    std::int64_t out = 0;
    bool transposed = false; // GPT-2's: addmm on a weight [in, out]
    Quantization quantization = Quantization::None;
    ShadowType type = ShadowType::Float32; // of the weight's numbers

    bool hasWideAdapter() const { return adapter != nullptr && adapter->down.tensor.type() != type; }
};

// QuantizedMatrix::numbers of the engine: the weight in `type`, made a piece at a time.
ShadowTensor shadowNumbers(ShadowGraph& graph, const ShadowLinear& linear, ShadowType type);
// The engine's QuantizedMatrix made of a weight of so many rows and columns: what is stored.
std::vector<ShadowTensor> shadowQuantized(ShadowGraph& graph, Quantization kind, std::int64_t rows,
                                          std::int64_t columns);
// Its product, as the engine's quantizedRows.
ShadowTensor shadowQuantizedProduct(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x);

struct ShadowNorm {
    ShadowParameter* weight = nullptr; // null: no affine part
    ShadowParameter* bias = nullptr;
    std::int64_t width = 0;
    bool rootMeanSquare = false;
    bool shifted = false; // the gain is 1 + weight
};

// x [rows, in] -> [rows, out]; autocast's casts included.
ShadowTensor shadowLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x);
// Without its adapter; `viewed`: on a view of x as a matrix.
ShadowTensor shadowBaseLinear(ShadowContext& context, ShadowLinear& linear, const ShadowTensor& x, bool viewed);
// The engine's withWide.
ShadowTensor shadowWithWide(ShadowContext& context, const ShadowLinear& linear, ShadowTensor base, ShadowTensor delta);
// The product with a weight [out, in] alone, as the loss head makes it.
ShadowTensor shadowProduct(ShadowContext& context, ShadowParameter& weight, std::int64_t in, std::int64_t out,
                           const ShadowTensor& x);
ShadowTensor shadowNorm(ShadowContext& context, ShadowNorm& norm, const ShadowTensor& x);
ShadowTensor shadowActivation(ShadowContext& context, Activation activation, const ShadowTensor& x);
ShadowTensor shadowAdd(ShadowContext& context, const ShadowTensor& a, const ShadowTensor& b);
ShadowTensor shadowMultiply(ShadowContext& context, const ShadowTensor& a, const ShadowTensor& b);
// x times a number: a tensor of its own that keeps nothing.
ShadowTensor shadowScale(ShadowContext& context, const ShadowTensor& x);
// Rows of a table [rows, width] for each token.
ShadowTensor shadowEmbedding(ShadowContext& context, ShadowParameter& table, std::int64_t width,
                             const ShadowTensor& tokens);
// x + positions 0 … T - 1 of a table with `rows` rows, for every sample.
ShadowTensor shadowAddPositions(ShadowContext& context, ShadowParameter& table, std::int64_t rows, std::int64_t width,
                                const ShadowTensor& x);
// x turned by rotary tables; `rotated` of `width` columns of a head turn.
ShadowTensor shadowRotate(ShadowContext& context, const ShadowTensor& x, const ShadowTables& tables, std::int64_t width,
                          std::int64_t rotated);
// x with a soft cap; logits stay marked as such.
ShadowTensor shadowSoftCap(ShadowContext& context, ShadowTensor x);
// Slices of x, as wide as `sections` to one another: views whose gradients are joined into one tensor.
std::vector<ShadowTensor> shadowSplit(ShadowContext& context, const ShadowTensor& x,
                                      const std::vector<std::int64_t>& sections);
ShadowTensor shadowContiguous(ShadowContext& context, const ShadowTensor& x);
// A cast to `type`; x itself where it has it.
ShadowTensor shadowCast(ShadowContext& context, const ShadowTensor& x, ShadowType type);

// shadow_attention.cpp: q [B, T, heads, D], k and v [B, T, kvHeads, D] -> [B, T, heads · D].
struct ShadowHeads {
    std::int64_t heads = 1;
    std::int64_t kvHeads = 1;
    std::int64_t width = 1; // of a head
    bool ownScale = false;  // another scale than 1/sqrt(width)
    bool packed = false;    // q, k and v are slices of one tensor
    std::int64_t window = 0; // keys that queries look back at, where fewer than all
    bool capped = false;     // the scores, softly
    ShadowParameter* sinks = nullptr; // null: none
};
ShadowTensor shadowAttention(ShadowContext& context, ShadowTensor q, ShadowTensor k, ShadowTensor v,
                             const ShadowHeads& heads);
ShadowTensor shadowCausalMask(ShadowContext& context, bool windowed);

// shadow_experts.cpp: the engine's Experts; x [B, T, H] and the logits [B, T, experts] -> [B, T, H].
struct ShadowExpert {
    ShadowLinear gate, up, down;
};
struct ShadowExperts {
    std::int64_t count = 0;
    std::deque<ShadowExpert> all;            // which backward functions refer to; empty where they are fused
    std::array<ShadowParameter*, 4> fused{}; // gate and up, their biases, down, its biases; null: each has its own
    std::int64_t width = 0;                  // of one
    std::int64_t perToken = 2;
    bool normed = true;
    bool wide = false; // a token's weights stay in float32 at least
    Activation activation = Activation::Silu;
    std::size_t layer = 0;
};
ShadowTensor shadowExperts(ShadowContext& context, ShadowExperts& experts, ShadowTensor& x, ShadowTensor& logits);
// The routers' loss, once the last layer has run; and its sum with the tokens'.
void shadowCloseBalance(ShadowContext& context);
ShadowTensor shadowWithBalance(ShadowContext& context, ShadowTensor loss);

// shadow_loss.cpp: hidden [N, E] -> the loss.
ShadowTensor shadowLoss(ShadowContext& context, const ShadowTensor& hidden, ShadowParameter& weight, std::int64_t width,
                        std::int64_t vocab, const ShadowTensor& labels, bool denominator);
// A block of tokens whose logits a chunked head makes, turns into their gradient and lets go.
struct ShadowBlockSizes {
    std::int64_t rows = 0; // tokens
    std::int64_t vocab = 0;
    bool cuda = false;
    bool capped = false; // softly
    bool gradients = true;
};
// What is alive at its end: a number a token beside the logits.
struct ShadowBlockLoss {
    ShadowTensor logits, counted, target, chosen, sum, share;
    ShadowTensor slope; // of the cap
    ShadowTensor loss;
    ShadowTensor flowing; // into the logits, in the type of products
};
// The engine's chunkLoss up to its products, and its blockLoss.
ShadowBlockLoss shadowBlockLoss(ShadowGraph& graph, const ShadowBlockSizes& sizes, ShadowType type, ShadowType wide);
// The naive head's logits -> log-probabilities in the type of sums, `wide`; the logits die here unless the experiment
// asks for them.
ShadowTensor shadowLogSoftmax(ShadowContext& context, ShadowTensor logits, ShadowType wide);

} // namespace peakscope
