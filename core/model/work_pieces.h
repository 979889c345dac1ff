// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// In how large pieces a training step works: the engine cuts its work by these numbers, the predictions count by them
// what it holds at a time. No LibTorch; any thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace peakscope {

// Elements of random weights that the host draws at one time, in float32.
inline constexpr std::int64_t kDrawnPiece = std::int64_t{1} << 20;

// ---- attention over chunks of queries

// Bytes that it may use for one block of scores (backward holds two).
inline constexpr std::int64_t kAttentionChunkBytes = std::int64_t{16} << 20;

// How a pass over all scores is cut: a block is `rows` samples × `heads` key heads × `queries` queries × all keys.
struct AttentionBlocks {
    std::int64_t rows = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
};
// `group`: query heads of one key head; `bytes`: of one score.
AttentionBlocks attentionBlocks(std::int64_t batch, std::int64_t kvHeads, std::int64_t group, std::int64_t sequence,
                                std::int64_t bytes);

// ---- the loss head over chunks of tokens

// Bytes that it may use for one block of logits.
inline constexpr std::int64_t kLossChunkBytes = std::int64_t{32} << 20;

// Tokens of one block where there are so many; `bytes`: of one logit.
constexpr std::int64_t lossChunkRows(std::int64_t vocab, std::int64_t bytes, std::int64_t tokens)
{
    return std::clamp<std::int64_t>(kLossChunkBytes / (vocab * bytes), 1, std::max<std::int64_t>(tokens, 1));
}

// ---- norms, sums and noise of gradients, in elements; more on CUDA, where each piece is a launch

// Of a tensor whose norm is taken in float64, and of one in 16 bits that is added to a sum in float32.
inline constexpr std::int64_t kWidenedPiece = std::int64_t{1} << 18;

// Of a row's norm, summed in its own precision: few enough for float32 to keep seven digits.
constexpr std::int64_t normPiece(bool cuda)
{
    return std::int64_t{1} << (cuda ? 22 : 16);
}

constexpr std::int64_t noisePiece(bool cuda)
{
    return std::int64_t{1} << (cuda ? 22 : 18);
}

// Columns that are gathered at one time of a matrix of `rows` elements of so many bytes a column, of `count` wanted.
constexpr std::int64_t gatheredColumns(std::int64_t rows, std::int64_t bytes, std::int64_t count)
{
    constexpr std::int64_t kGatherBytes = std::int64_t{16} << 20;
    return std::clamp<std::int64_t>(kGatherBytes / (rows * bytes), 1, count);
}

} // namespace peakscope
