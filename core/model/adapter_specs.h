// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Low-rank adapters (LoRA) of a model: which linear layers get one, and the exact list of the parameters they add. The
// engine builds tensors from this list, the estimator weighs it. No LibTorch; any thread.
#pragma once

#include "core/base/enum_words.h"
#include "core/base/result.h"
#include "core/model/model_config.h"

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Of adapters over 16-bit weights: the weights' own number type, or float32 as peft's (autocast_adapter_dtype).
enum class AdapterType { Weights, Float32 };
template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<AdapterType>{"weights", "float32"};

struct LoraOptions {
    std::int64_t rank = 0;
    double alpha = 16;
    std::vector<std::string> targets = {"q_proj", "v_proj"};
    AdapterType dtype = AdapterType::Weights;
    auto operator<=>(const LoraOptions&) const = default;
};

// A linear layer of a model, y = W x.
struct LinearShape {
    std::string name; // "model.decoder.layers.0.self_attn.q_proj"
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t layer = -1; // -1: outside the layers (OPT-350M's project_in and project_out)
    double share = 1;        // of the tokens, that go through it: an expert gets few
};

// Every linear layer but the head, in the order of parameterSpecs.
std::vector<LinearShape> linearLayers(const ModelConfig& config);

struct AdapterPlan {
    std::vector<LinearShape> layers;  // those that get an adapter
    std::vector<ParameterSpec> specs; // the two matrices of each, as adapterSpecs gives them
    std::vector<std::string> notes;   // what was understood other than written, sentence by sentence
};

// The layers whose name ends in one of the targets ("q_proj", "attn.c_proj"). The default targets, which a family with
// one projection for queries, keys and values lacks, mean that projection there, as in Hugging Face's peft. An unknown
// target is an error, with rank 0 too, which gives an empty plan; so are a rank above a layer's smaller side and, with
// adapters, an alpha of 0.
Result<AdapterPlan> adapterPlan(const ModelConfig& config, const LoraOptions& options);

// The two matrices of every adapter, y = W x + (alpha / rank) B A x (Hu et al. 2021, section 4.1): NAME.lora_A.weight
// [rank, in], which starts with uniform numbers in ±1/sqrt(in), and NAME.lora_B.weight [out, rank], which starts with
// zeros. Empty for rank 0.
Result<std::vector<ParameterSpec>> adapterSpecs(const ModelConfig& config, const LoraOptions& options);

// The model's own parameters, then those of its adapters.
Result<std::vector<ParameterSpec>> adaptedSpecs(const ModelConfig& config, const LoraOptions& options);

} // namespace peakscope
