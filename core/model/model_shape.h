// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of model configurations share: limits, and the checks of a shape under the key names of its source.
// Used by this folder and the experiment's "model" block; any thread.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/model/model_config.h"

namespace peakscope {

// Far above any model, and small enough that no count of parameters or bytes overflows 64 bits.
inline constexpr std::int64_t kMostWidth = 1 << 20;
inline constexpr std::int64_t kMostFeedForward = 1 << 24;
inline constexpr std::int64_t kMostHeads = 1 << 16;
inline constexpr std::int64_t kMostExperts = 1 << 12;
inline constexpr std::int64_t kMostLayers = 10000;
inline constexpr std::int64_t kMostVocabulary = 1 << 28;
inline constexpr std::int64_t kMostPositions = 1 << 30;

// The names under which a source writes the parts of a shape.
struct ShapeKeys {
    std::string hidden = "hidden";
    std::string layers = "layers";
    std::string heads = "heads";
    std::string kvHeads = "kv_heads";
    std::string headDim = "head_dim";
    std::string ffn = "ffn";
    std::string vocab = "vocab";
    std::string maxPositions = "max_positions";
    std::string embedDim = "embed_dim";
    std::string rotaryFraction = "rotary_fraction";
    std::string ropeTheta = "rope_theta";
    std::string ropeScaling = "rope_scaling";
    std::string normEps = "norm_eps";
    std::string localRopeTheta = "local_rope_theta";
    std::string scoreCap = "score_cap";
    std::string logitCap = "logit_cap";
    std::string experts = "experts";
    std::string swigluAlpha = "swiglu_alpha";
    std::string swigluLimit = "swiglu_limit";
    std::string expertsPerToken = "experts_per_token";
    std::string expertFfn = "expert_ffn";
};

// Everything that is impossible about a shape, each under the key to change.
Problems shapeProblems(const ModelConfig& config, const ShapeKeys& keys = {});

// "7 does not divide hidden 64; 4 or 8 would": of heads that do not share out the width.
std::string headsSentence(const ModelConfig& config, const ShapeKeys& keys);

// Reads the experiment's keys of a shape over `base`, whose derived sizes follow (feed-forward width where
// `ffnFollows`; key heads, head width and embedding width where the base has the usual ones).
ModelConfig readShape(ObjectReader& reader, const ModelConfig& base, bool ffnFollows);

} // namespace peakscope
