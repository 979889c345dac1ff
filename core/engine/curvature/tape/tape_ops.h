// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a tape. Made by the tape's builder only.
#pragma once

#include "core/engine/curvature/tape/tape.h"
#include "core/engine/model/rope.h"

#include <functional>
#include <vector>

namespace peakscope {

std::unique_ptr<TapeOp> makeEmbeddingOp(std::size_t table);
// Adds rows `offset` ... of the table to the positions.
std::unique_ptr<TapeOp> makePositionOp(std::size_t table, std::int64_t offset);
std::unique_ptr<TapeOp> makeLinearOp(std::size_t weight, std::optional<std::size_t> bias, bool transposed);
// Layer norm, or RMS norm where not `centered`; no parameters: no affine part.
struct TapeNormShape {
    bool centered = true;    // a LayerNorm; false: by the root of the mean square alone
    bool shifted = false;    // the gain is 1 + weight
    std::int64_t groups = 1; // of the width, each normed by itself
};
std::unique_ptr<TapeOp> makeNormOp(std::vector<std::size_t> parameters, const TapeNormShape& shape, double eps);
std::unique_ptr<TapeOp> makeActivationOp(Activation activation);
std::unique_ptr<TapeOp> makeAddOp();
std::unique_ptr<TapeOp> makeMultiplyOp();
// The input's width read as [groups, parts, rest]: part number `part` of every group, side by side.
std::unique_ptr<TapeOp> makePickOp(std::int64_t groups, const std::vector<std::int64_t>& sections, std::int64_t part);
std::unique_ptr<TapeOp> makeRopeOp(const ModelConfig& config, std::int64_t heads);
// An adapter's factor.
std::unique_ptr<TapeOp> makeScaleOp(double factor);
struct TapeAttentionShape {
    std::int64_t heads = 1;
    std::int64_t kvHeads = 1;
    double scale = 1;
    bool causal = true;
    std::int64_t window = 0; // with causal: of each query the last so many keys; 0: all
    double cap = 0;          // of the scores, softly; 0: none
};
std::unique_ptr<TapeOp> makeAttentionOp(const TapeAttentionShape& shape);
// A layer's mixture of experts, of a value and the logits that rate them; `weights`: its parameters, adapters too.
std::unique_ptr<TapeOp> makeExpertsOp(std::vector<std::size_t> weights);
// Logits and mean cross-entropy, a chunk of positions at a time. `cap`: of the logits, softly; 0: none.
std::unique_ptr<TapeOp> makeHeadOp(std::size_t weight, double cap);

// ---- shared by the operations' files

// The K dense seeds of a parameter, or nothing.
const std::vector<at::Tensor>* denseSeeds(const TangentSeeds& seeds, std::size_t parameter);
const std::vector<SparseSeed>* sparseSeeds(const TangentSeeds& seeds, std::size_t parameter);
std::vector<at::Tensor>* denseSinks(TangentSinks& sinks, std::size_t parameter);
// The gradient's place for a parameter, undefined where it is not wanted.
at::Tensor gradientSink(TapePass& pass, std::size_t parameter);
// Adds a scalar tensor to the result of one direction.
void addEntry(TangentSinks& sinks, std::int64_t direction, const at::Tensor& value);
// [K, B, T, width] of zeros.
at::Tensor zeroTangent(TapePass& pass, const TangentSeeds& seeds, std::int64_t width);
// [.., width] -> [rows, width]
at::Tensor asRows(const at::Tensor& x);
// left + right where undefined is zero.
at::Tensor sumOf(const at::Tensor& left, const at::Tensor& right);
// tangent[k] += part(k) for the directions that have one; out of place where autograd looks on.
void addDirections(at::Tensor& tangent, std::int64_t count, const std::function<at::Tensor(std::int64_t)>& part);
// tangent[k] += rows factors[k], or its transpose where `turned`, for the directions that have a factor.
void addProducts(at::Tensor& tangent, const at::Tensor& rows, const std::vector<at::Tensor>& factors, bool turned);
// Sums along the last dimension, kept.
at::Tensor lastSum(const at::Tensor& x);
// p (x - sum p x): the derivative of softmax along x, and its own transpose. x may be of several directions, [K, ..].
at::Tensor softmaxTangent(const at::Tensor& p, const at::Tensor& x);

// The softmax of capped values and the cap's derivatives at them, which are undefined where there is no cap.
struct CappedSoftmax {
    at::Tensor p;
    at::Tensor slope; // dc/dx
    at::Tensor bend;  // d²c/dx²

    // What flows through the cap: slope x, undefined where x is.
    at::Tensor through(const at::Tensor& x) const { return slope.defined() && x.defined() ? x * slope : x; }
};

} // namespace peakscope
