// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a model's operations are with ATen: linear layers, norms, tables, activation functions. Used by Model and the
// functions of a clipped step; holds no state of a forward pass.
#pragma once

#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/attention.h"
#include "core/engine/model/quantized_matrix.h"
#include "core/engine/model/rope.h"
#include "core/model/expert_record.h"
#include "core/model/model_config.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

class RouterBalance;

// What LoRA adds to a linear layer: scale · b (a x).
struct Adapter {
    at::Tensor a; // [rank, in]; undefined: no adapter
    at::Tensor b; // [out, rank]
    double scale = 1;
    ModuleId module = 0;
};

struct Linear {
    at::Tensor weight;       // [out, in]; [in, out] where transposed
    at::Tensor bias;         // [out]; undefined: none
    bool transposed = false; // GPT-2's Conv1D
    ModuleId module = 0;     // its own module; 0: it belongs to the scope it is used in
    Adapter adapter;
    std::shared_ptr<const QuantizedMatrix> quantized; // in the place of the weight, whose codes `weight` is

    // Of numbers of the weight.
    at::TensorOptions options() const
    {
        return quantized ? weight.options().dtype(quantized->type()) : weight.options();
    }
    // Whether its adapter has float32 numbers and the weight has 16-bit ones.
    bool hasWideAdapter() const
    {
        return adapter.a.defined() && adapter.a.scalar_type() != c10::typeMetaToScalarType(options().dtype());
    }
};

// What a wide adapter made, [N, out], added as peft's layers add it: the sum is rounded, of a quantised base both are.
at::Tensor withWide(const Linear& linear, at::Tensor base, at::Tensor delta);

// x W^T + b of a weight in fewer bits, in the type that its product has; x [rows, in].
at::Tensor quantizedRows(const Linear& linear, const at::Tensor& x);

// x [..., in] -> [..., out].
at::Tensor apply(const Linear& linear, const at::Tensor& x);

struct LayerNorm {
    at::Tensor weight; // [width]; undefined: no affine part
    at::Tensor bias;
    std::int64_t width = 0;
    double eps = 1e-5;
};

at::Tensor apply(const LayerNorm& norm, const at::Tensor& x);

struct RmsNorm {
    at::Tensor weight; // [width]
    double eps = 1e-5;
    bool shifted = false; // the gain is 1 + weight, added and applied in float32 at least
};

// weight · x / sqrt(mean(x²) + eps), the quotient computed in float32 at least and rounded to x's dtype before it meets
// the weight. Saves x and one number a row for backward. Twice differentiable.
at::Tensor apply(const RmsNorm& norm, const at::Tensor& x);

// A table's rows: tokens [B, T] int64 -> [B, T, width].
at::Tensor embedTokens(const at::Tensor& table, const at::Tensor& tokens);

// x [B, T, width] + table[offset … offset + T), the learned positions.
at::Tensor addPositions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset);

at::Tensor activate(Activation activation, const at::Tensor& x);

// A factor as the weights' type holds it.
double roundedTo(double factor, at::ScalarType type);

// What all layers of one forward pass share.
struct ForwardContext {
    AttentionOptions attention;
    at::Tensor localMask; // as attention.mask, of layers with a window
    RopeTables rope;
    RopeTables localRope; // of layers with frequencies of their own
    ExpertRecord* experts = nullptr; // null: nobody asks
    RouterBalance* balance = nullptr; // null: routers have no loss
};

// [B, T, n · D] -> [B, T, n, D], a view.
at::Tensor splitHeads(const at::Tensor& x, std::int64_t heads);

} // namespace peakscope
