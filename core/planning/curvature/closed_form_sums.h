// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sums over a model's tensors that the closed forms are made of, counted from one layer and the parts outside the
// layers, so that a model of 80 layers costs no more than one of 4. Used within this folder only; any thread.
#pragma once

#include "core/experiment/experiment.h"

#include <cstdint>
#include <vector>

namespace peakscope {

// A trained matrix that multiplies activations: y [rows, T, out] = x [rows, T, in] W.
struct FormLinear {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t count = 1;   // how many layers have it
    bool sharesInput = false; // an earlier one of its layer reads the same x (k and v beside q, up beside gate)
};

// Layers with the same parameters: all of a model but for a mixture some of whose layers are dense.
struct FormLayers {
    std::int64_t count = 0;
    std::int64_t all = 0;     // parameters of one, trained or not (adapters included)
    std::int64_t trained = 0; // of them trained
};

// All numbers are elements, not bytes. "Trained": all parameters, or with LoRA the adapters only.
struct FormParts {
    std::vector<FormLinear> linears; // trained; without the head
    bool trainsHead = false;         // the head's matrix is trained
    std::int64_t headIn = 0;         // width that the head multiplies
    std::int64_t vocab = 0;          // rows of the head
    std::int64_t trained = 0;        // trained parameters
    std::int64_t trainedTensors = 0; // how many tensors they are
    std::int64_t largestTrained = 0; // the largest of them
    std::vector<FormLayers> layers;
    std::int64_t allOfEmbedding = 0; // parameters outside the layers that are not the head's
    std::int64_t allOfHead = 0;      // 0 where the head is the embedding

    std::int64_t all() const;
    std::int64_t layerCount() const;
    std::int64_t largestLayer() const;
    std::int64_t mostTrainedOfLayer() const;
    std::int64_t largestUnit() const; // of layer, embedding and head: what sharding gathers at one time
};

// An unusable LoRA target is the error.
Result<FormParts> formParts(const ModelConfig& config, const LoraOptions& lora);

// Sums and products that stop at kMostFormBytes rather than overflow: a dense Hessian of 2.7·10^9 parameters has more
// bytes than 64 bits count.
inline constexpr std::int64_t kMostFormBytes = 9'000'000'000'000'000'000;
std::int64_t cappedProduct(std::int64_t a, std::int64_t b);
std::int64_t cappedSum(std::int64_t a, std::int64_t b);

} // namespace peakscope
