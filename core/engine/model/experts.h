// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A layer's mixture of experts (Shazeer et al. 2017; Jiang et al. 2024): each token goes through the few feed-forward
// nets that its router rates highest, and their results are summed by the router's weights.
#pragma once

#include "core/engine/model/layers.h"
#include "core/model/expert_record.h"

#include <vector>

namespace peakscope {

class RouterBalance;

// down(activation(gate x) · up x), as feed-forward nets with a gate are.
struct Expert {
    Linear gate, up, down;
};

// All experts in one tensor each, as GPT-OSS has them: down((u + 1) · g sigmoid(alpha g)) with g and u the columns of
// gateUp x by turns, g at most `limit` and u no larger than it.
struct FusedExperts {
    at::Tensor gateUp;     // [experts, in, 2 · width]; undefined: each has its own
    at::Tensor gateUpBias; // [experts, 2 · width]
    at::Tensor down;       // [experts, width, in]
    at::Tensor downBias;   // [experts, in]
    double alpha = 0, limit = 0;
};

struct Experts {
    std::int64_t count = 0;
    std::vector<Expert> all; // empty where they are fused
    FusedExperts fused;      // whose router's weights are the softmax of the chosen logits
    std::int64_t perToken = 2;
    bool normed = true; // the weights of a token's experts sum up to 1
    bool wide = false;  // and stay in float32 at least, else they are rounded to the router's type
    Activation activation = Activation::Silu;
};

// x [B, T, H] and the router's logits [B, T, experts] -> [B, T, H]. Every expert runs, also without a token, so that
// all have gradients. The choice itself has no derivative. In a clipped step each sample's tokens stay its own; its
// experts get as many rows of every sample as the one that sends most. `record` receives tokens and rows of each;
// `balance` takes part in the routers' loss; `assumed` spreads the tokens on a stand-in of a card, which routes
// nothing.
at::Tensor apply(const Experts& experts, const at::Tensor& x, const at::Tensor& logits,
                 ExpertRecord::Layer* record = nullptr, RouterBalance* balance = nullptr,
                 ExpertRouting assumed = ExpertRouting::Even);

} // namespace peakscope
