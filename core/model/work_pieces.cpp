// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/work_pieces.h"

#include "core/model/curvature_pieces.h"

#include <numeric>

namespace peakscope {

AttentionBlocks attentionBlocks(std::int64_t batch, std::int64_t kvHeads, std::int64_t group, std::int64_t sequence,
                                std::int64_t bytes)
{
    constexpr std::int64_t kWantedQueries = 128;        // enough for an efficient product
    const std::int64_t line = group * sequence * bytes; // scores of one query position under one key head
    const std::int64_t wanted = std::min(sequence, kWantedQueries);
    const std::int64_t units = std::clamp<std::int64_t>(kAttentionChunkBytes / (line * wanted), 1, batch * kvHeads);
    AttentionBlocks blocks;
    blocks.heads = std::min(units, kvHeads);
    blocks.rows = units >= kvHeads ? units / kvHeads : 1;
    blocks.queries = std::clamp<std::int64_t>(kAttentionChunkBytes / (line * blocks.rows * blocks.heads), 1, sequence);
    return blocks;
}

ScoreBlock scoreBlock(const ScoreBlock& all, std::int64_t group, bool causal, std::int64_t bytes)
{
    constexpr std::int64_t kScoreBlockBytes = std::int64_t{16} << 20; // of one tensor of a block's scores
    constexpr std::int64_t kFewestQueries = 128; // that a causal block is cut to for the sake of speed
    constexpr std::int64_t kCausalBlocks = 4;    // more would spare little
    const std::int64_t length = all.queries, line = group * length * bytes;
    ScoreBlock block;
    block.queries = causal ? std::max(kFewestQueries, (length + kCausalBlocks - 1) / kCausalBlocks) : length;
    block.queries = std::min({block.queries, length, std::max<std::int64_t>(1, kScoreBlockBytes / line)});
    const std::int64_t units = std::max<std::int64_t>(1, kScoreBlockBytes / (line * block.queries));
    block.heads = std::min(units, all.heads);
    block.rows = std::clamp<std::int64_t>(units / block.heads, 1, all.rows);
    block.directions = std::clamp<std::int64_t>(units / (block.heads * block.rows), 1, all.directions);
    return block;
}

std::int64_t logitChunkRows(std::int64_t positions, std::int64_t directions, std::int64_t vocab, std::int64_t bytes)
{
    constexpr std::int64_t kLogitChunkBytes = std::int64_t{64} << 20; // of one tensor of all directions' logits
    const std::int64_t most = std::clamp<std::int64_t>(kLogitChunkBytes / (directions * vocab * bytes), 1, positions);
    const std::int64_t chunks = (positions + most - 1) / most;
    return (positions + chunks - 1) / chunks;
}

namespace {

// As many tensors a pass as come to no more than `most`, which is no less than the largest.
std::vector<AlignmentPass> passesOf(const std::vector<std::int64_t>& counts, std::int64_t most)
{
    std::vector<AlignmentPass> passes(1);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (passes.back().elements + counts[i] > most)
            passes.push_back({i, i, 0});
        passes.back().end = i + 1;
        passes.back().elements += counts[i];
    }
    return passes;
}

} // namespace

std::vector<AlignmentPass> alignmentPasses(const std::vector<std::int64_t>& counts, std::int64_t elementBytes,
                                           std::int64_t rows, std::int64_t onePassBytes)
{
    const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t kept = alignedGradients(rows) + 1;
    if (all * elementBytes <= onePassBytes || kept == 1)
        return passesOf(counts, all);
    std::int64_t least = *std::max_element(counts.begin(), counts.end()), most = std::max(least, all / (2 * kept));
    const std::size_t fewest = passesOf(counts, most).size();
    while (least < most) { // the smallest that makes no more of them
        const std::int64_t middle = least + (most - least) / 2;
        if (passesOf(counts, middle).size() > fewest)
            least = middle + 1;
        else
            most = middle;
    }
    return passesOf(counts, most);
}

std::int64_t mostElements(const std::vector<AlignmentPass>& passes)
{
    std::int64_t most = 0;
    for (const AlignmentPass& pass : passes)
        most = std::max(most, pass.elements);
    return most;
}

} // namespace peakscope
