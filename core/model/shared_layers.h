// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that layers of several families are made of: each is named once and gives its tensors and its operations.
// Used by the families' files alone; any thread.
#pragma once

#include "core/model/family.h"

#include <string_view>

namespace peakscope {

// Attention with a projection each for queries, keys and values: PREFIXq_proj, PREFIXk_proj and PREFIXv_proj. They
// turn where the family has rotary positions.
struct AttentionParts {
    std::string_view module = "self_attn"; // that memory and times are told apart by
    std::string_view prefix = "self_attn.";
    std::string_view out = "out_proj";
    std::string_view order = "qkv"; // in which they are registered, `out` after them
    QueryNorms norms = QueryNorms::None; // of queries and keys before they turn: q_norm and k_norm
};
void attentionTensors(TensorList& list, const ModelConfig& config, const AttentionParts& parts);
OperationList::Value attention(OperationList& list, const ModelConfig& config, const AttentionParts& parts,
                               OperationList::Value normed, const AttentionForm& form = {});

// down(activation(up x)), with a gate down(activation(gate x) · up x).
struct FeedForwardParts {
    std::string_view gate = {}; // empty: none
    std::string_view up;
    std::string_view down;
    bool transposed = false; // stored [in, out]
};
void feedForwardTensors(TensorList& list, const ModelConfig& config, const FeedForwardParts& parts);
OperationList::Value feedForward(OperationList& list, const FeedForwardParts& parts, OperationList::Value normed);

// A mixture's tensors and its operations, by the names that the family has for them.
void expertTensors(TensorList& list, const ModelConfig& config);
OperationList::Value mixture(OperationList& list, const ModelConfig& config, OperationList::Value normed);

// Llama's layers under their names, and what a family that has them is else: RMSNorm, rotary positions, grouped key
// heads, gated feed-forward net.
FamilyDescription llamaLayers(std::string_view name, std::string_view title);

// Gemma's: these with gains of 1 + weight and tied, scaled embeddings; `normsAfter`: each part's result is normed too.
FamilyDescription gemmaLayers(std::string_view name, std::string_view title, bool normsAfter);

// The usual width of a feed-forward net with a gate: 8/3 of the model's, rounded up to 64.
std::int64_t gatedFfn(std::int64_t hidden);

} // namespace peakscope
