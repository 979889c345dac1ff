// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stochastic gradient descent of UMAP's layout (McInnes, Healy, Melville, arXiv 1802.03426, algorithm 5) with
// umap-learn's schedule, in a form that threads share without changing the result. Used by Umap.
#pragma once

#include "core/analysis/embedding/fuzzy_graph.h"
#include "core/analysis/neighbors/thread_team.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace peakscope {

struct LayoutSettings {
    int dimensions = 2;
    int epochs = 500;
    CurveFit curve;
    double learningRate = 1;
    int negativeSampleRate = 5;
    double repulsionStrength = 1;
    std::uint64_t seed = 42;
};

// umap-learn visits the edges one by one and moves both ends. So does this, but in an order that threads can share: the
// rows are cut into blocks, as many as their number alone decides, and an epoch is a tournament in which every block
// meets every other once. Of the pairs of one round no two share a block, so whoever works on a pair has its rows for
// itself; negative samples, which don't move, are seen as they were when the epoch began. Moves of a row's own and
// gathered neighbours' forces only (each row writing only itself) tear clusters apart.
class LayoutOptimizer
{
public:
    // `graph` holds each edge in both directions, with the same weight; `start` is rows x dimensions.
    LayoutOptimizer(const SparseGraph& graph, std::vector<float> start, const LayoutSettings& settings);

    int epoch() const { return m_epoch; } // epochs done
    const std::vector<float>& coordinates() const { return m_now; }

    // One epoch, or the rest of one that was interrupted; the settings' number of epochs fixes the learning rate's way
    // to 0. False where a stop was asked for before the epoch's end. `team` must not be stopped itself.
    bool step(ThreadTeam& team, const std::stop_token& stop);

private:
    void sortEdges(const SparseGraph& graph);
    void playPair(std::size_t pair);

    LayoutSettings m_settings;
    std::int64_t m_rows = 0;
    std::int64_t m_blocks = 1;
    std::vector<float> m_now;    // rows x dimensions
    std::vector<float> m_before; // the same when the epoch began
    // Each edge once, pair by pair of blocks.
    std::vector<std::int32_t> m_from, m_to;
    std::vector<float> m_period;           // epochs between two visits of an edge
    std::vector<float> m_due;              // epoch of an edge's next visit
    std::vector<std::size_t> m_pairBegin;  // of each pair's edges, and the end
    std::vector<std::size_t> m_roundBegin; // of each round's pairs, and the end
    int m_epoch = 0;
    std::size_t m_nextPair = 0; // where an interrupted epoch goes on
};

} // namespace peakscope
