// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// In how large pieces the curvature engine works, and where it stops: what it goes by and what its memory is predicted
// by. No LibTorch; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace peakscope {

// ---- the tape

// A block of attention's scores: some directions, samples, key heads and queries, with all the keys that they look at.
struct ScoreBlock {
    std::int64_t directions = 1;
    std::int64_t rows = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
};
// `all`: with the whole length as queries; `group`: query heads of one key head; `bytes`: of one score.
ScoreBlock scoreBlock(const ScoreBlock& all, std::int64_t group, bool causal, std::int64_t bytes);

// The softmax of the logits is kept between the methods up to this size.
inline constexpr std::int64_t kKeptLogitBytes = std::int64_t{64} << 20;

// Positions of one chunk of so many directions' logits. Chunks are of one size: a matrix product of few rows costs more
// than its share. `bytes`: of one logit.
std::int64_t logitChunkRows(std::int64_t positions, std::int64_t directions, std::int64_t vocab, std::int64_t bytes);

// ---- vectors, in elements

inline constexpr std::int64_t kDotPiece = std::int64_t{1} << 18;    // of a dot product: float64 copies of 4 MiB
inline constexpr std::int64_t kColumnPiece = std::int64_t{1} << 20; // of a Lanczos basis that a restart works in

// ---- quantities

inline constexpr std::int64_t kHeadRows = 4096;        // of the head, whose diagonal is computed at one time
inline constexpr std::int64_t kDenseBlock = 256;       // entries of a block that is computed whole
inline constexpr std::int64_t kBlockBasis = 12;        // Lanczos vectors of a unit's own block
inline constexpr std::int64_t kFactorBasis = 30;       // and of a Kronecker factor
inline constexpr std::int64_t kAlignmentRows = 16;     // gradients of rows for alignment
inline constexpr std::int64_t kAlignmentProducts = 20; // with a unit's own Hessian block, at most
// Alignment with the Hessian's blocks takes products of every unit: it is computed where they are no more than this.
inline constexpr std::int64_t kMostAlignmentProducts = 2000;
inline constexpr std::int64_t kMostAlignedParameters = 2'000'000;

constexpr bool alignsBlocks(std::int64_t units, std::int64_t parameters)
{
    return units * kAlignmentProducts <= kMostAlignmentProducts && parameters <= kMostAlignedParameters;
}

// ---- alignment in passes

// Of a batch of so many rows: the gradients of the second half of those that are taken, which alignment keeps together,
// and beside them the first half's mean. Of fewer than three rows there is no alignment, and the mean alone is kept.
constexpr std::int64_t alignedGradients(std::int64_t rows)
{
    const std::int64_t samples = std::min(rows, kAlignmentRows);
    return samples < 3 ? 0 : samples - samples / 2;
}

inline constexpr std::int64_t kOnePassBytes = std::int64_t{1} << 30; // of a vector that alignment keeps whole

// Tensors [begin, end) of the space, whose parts of the rows' gradients are kept in one pass over the rows.
struct AlignmentPass {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t elements = 0;
};

// One pass where a vector of the space is no larger than `onePassBytes`; else as few as keep no more than half a vector
// at a time or, where that is more, what the largest tensor makes. Each has about as much. `counts`: the elements of
// the space's tensors.
std::vector<AlignmentPass> alignmentPasses(const std::vector<std::int64_t>& counts, std::int64_t elementBytes,
                                           std::int64_t rows, std::int64_t onePassBytes = kOnePassBytes);
std::int64_t mostElements(const std::vector<AlignmentPass>& passes); // of one of them

} // namespace peakscope
