// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model as a list of operations: what the curvature engine's tape runs, and what its plan is simulated on. From the
// configuration and the list of parameters alone; no LibTorch; any thread.
#pragma once

#include "core/experiment/experiment.h"
#include "core/planning/model_config.h"

#include <optional>
#include <vector>

namespace peakscope {

enum class TapeKind {
    Embedding,
    Position,
    Linear,
    Norm,
    Activation,
    Add,
    Multiply,
    Pick,
    Rope,
    Attention,
    Scale,
    Head
};

struct TapeEntry {
    TapeKind kind = TapeKind::Add;
    std::int64_t layer = -1;                      // -1: before the layers, `layers`: after them
    std::vector<std::size_t> inputs;              // nodes; an operation's own node has its place in the list
    std::vector<std::size_t> parameters;          // places in the list of parameters: weight, then bias
    std::int64_t width = 1;                       // of its output
    bool transposed = false;                      // linear: stored [in, out]
    std::int64_t groups = 1, parts = 1, part = 0; // pick: of the width read as [groups, parts, rest]
    std::int64_t heads = 1;                       // rope
    double scale = 1;                             // attention: of the scores; scale: the factor
    bool causal = true;                           // attention
};

// `parameters`: the model's, in its own order; adapters' among them, whose factor is alpha / rank.
std::vector<TapeEntry> tapeLayout(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                                  double adapterScale);

} // namespace peakscope
