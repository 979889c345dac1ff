// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/layout_optimizer.h"

#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/neighbors/simd_lanes.h"

#include <algorithm>
#include <numeric>

namespace peakscope {
namespace {

constexpr std::uint64_t kSamplePurpose = 301;
constexpr int kGroup = 8; // forces computed together
constexpr int kMostDimensions = 64;
constexpr float kClip = 4;         // of each component of a force, as in umap-learn
constexpr float kNearest = 0.001f; // added to squared distances in repulsion
constexpr std::size_t kPairsBetweenStops = 8;
constexpr std::size_t kEdgesForThreads = 8000; // with fewer, meeting costs more than sharing saves

// An even number of blocks: enough work in a pair to pay for meeting, enough pairs for many threads.
std::int64_t blocksFor(std::int64_t rows)
{
    return rows < 64 ? 2 : rows < 8000 ? 4 : rows < 50'000 ? 16 : rows < 400'000 ? 32 : 64;
}

// Everything the visits of one pair of blocks need.
struct EdgeVisitor {
    float* now;
    const float* before;
    const std::int32_t* from;
    const std::int32_t* to;
    const float* period;
    float* due;
    float epoch;
    int dimensions;
    int negatives;
    std::uint32_t rows;
    float a, b, gamma, rate;
};

// Up to 8 forces on one point.
struct ForceGroup {
    const float* others[kGroup];
    Float8 use;     // 1 for lanes in use, else 0
    Float8 attract; // 1 for lanes of attraction, else 0
};

// Adds the group's forces to `own`, all as they are at its place before; `moved` is what lane 0 adds.
template <int kDimensions>
PEAKSCOPE_INLINE void addForces(const EdgeVisitor& visitor, const ForceGroup& group, float* own, float* moved)
{
    const int dimensions = kDimensions > 0 ? kDimensions : visitor.dimensions;
    Float8 difference[kDimensions > 0 ? kDimensions : kMostDimensions];
    Float8 squares = {};
    for (int d = 0; d < dimensions; ++d) {
        const Float8 other = {group.others[0][d], group.others[1][d], group.others[2][d], group.others[3][d],
                              group.others[4][d], group.others[5][d], group.others[6][d], group.others[7][d]};
        difference[d] = own[d] - other;
        squares += difference[d] * difference[d];
    }
    const Float8 safe = squares > 0.0f ? squares : Float8{} + 1.0f;
    Float8 power;
    powerLanes(power, safe, visitor.b);
    const Float8 repel = 1.0f - group.attract;
    const Float8 numerator = 2.0f * visitor.b * (repel * visitor.gamma - group.attract * (visitor.a * power));
    const Float8 denominator = (safe + repel * kNearest) * (1.0f + visitor.a * power);
    // Coincident points have no direction to move in.
    const Float8 weight = squares > 0.0f ? group.use * visitor.rate : Float8{};
    const Float8 factor = numerator / denominator;
    for (int d = 0; d < dimensions; ++d) {
        Float8 force = factor * difference[d];
        force = force > kClip ? Float8{} + kClip : force;
        force = force < -kClip ? Float8{} - kClip : force;
        const Float8 move = force * weight;
        moved[d] = move[0];
        own[d] += sumLanes(move);
    }
}

// The edge from `row`: both ends attract each other, and negative samples push the row.
template <int kDimensions>
PEAKSCOPE_INLINE void visitFrom(const EdgeVisitor& visitor, std::int32_t row, std::int32_t other, RandomStream& random)
{
    const int dimensions = kDimensions > 0 ? kDimensions : visitor.dimensions;
    float* own = visitor.now + static_cast<std::int64_t>(row) * dimensions;
    float* end = visitor.now + static_cast<std::int64_t>(other) * dimensions;
    float moved[kDimensions > 0 ? kDimensions : kMostDimensions];
    ForceGroup group;
    group.others[0] = end;
    group.use = group.attract = Float8{1, 0, 0, 0, 0, 0, 0, 0};
    int lane = 1, sample = 0;
    do {
        for (; lane < kGroup && sample < visitor.negatives; ++lane, ++sample) {
            const std::uint32_t index = random.below(visitor.rows);
            group.others[lane] = visitor.before + static_cast<std::int64_t>(index) * dimensions;
            group.use[lane] = index == static_cast<std::uint32_t>(row) ? 0.0f : 1.0f;
        }
        for (; lane < kGroup; ++lane)
            group.others[lane] = group.others[0];
        addForces<kDimensions>(visitor, group, own, moved);
        for (int d = 0; group.attract[0] > 0 && d < dimensions; ++d)
            end[d] -= moved[d];
        group.use = group.attract = Float8{};
        lane = 0;
    } while (sample < visitor.negatives);
}

template <int kDimensions>
PEAKSCOPE_INLINE void visitEdges(const EdgeVisitor& visitor, std::size_t begin, std::size_t end, RandomStream& random)
{
    for (std::size_t edge = begin; edge < end; ++edge) {
        if (visitor.due[edge] <= visitor.epoch)
            visitFrom<kDimensions>(visitor, visitor.from[edge], visitor.to[edge], random);
    }
    for (std::size_t edge = begin; edge < end; ++edge) {
        if (visitor.due[edge] <= visitor.epoch) {
            visitFrom<kDimensions>(visitor, visitor.to[edge], visitor.from[edge], random);
            visitor.due[edge] += visitor.period[edge];
        }
    }
}

PEAKSCOPE_SIMD_CLONES void visitEdges2(const EdgeVisitor& visitor, std::size_t begin, std::size_t end,
                                       RandomStream& random)
{
    visitEdges<2>(visitor, begin, end, random);
}

PEAKSCOPE_SIMD_CLONES void visitEdgesAny(const EdgeVisitor& visitor, std::size_t begin, std::size_t end,
                                         RandomStream& random)
{
    visitEdges<0>(visitor, begin, end, random);
}

} // namespace

LayoutOptimizer::LayoutOptimizer(const SparseGraph& graph, std::vector<float> start, const LayoutSettings& settings)
    : m_settings(settings), m_rows(graph.rows), m_now(std::move(start)), m_before(m_now)
{
    sortEdges(graph);
}

// Rounds by the circle method: the last block stays, the others turn by one place a round. Round 0 is every block with
// itself.
void LayoutOptimizer::sortEdges(const SparseGraph& graph)
{
    m_blocks = blocksFor(m_rows);
    const auto blocks = static_cast<std::size_t>(m_blocks);
    const auto blockRows = static_cast<std::size_t>((m_rows + m_blocks - 1) / m_blocks);
    std::vector<std::size_t> pairOf(blocks * blocks);
    std::size_t pairs = 0;
    m_roundBegin.push_back(0);
    for (std::size_t block = 0; block < blocks; ++block)
        pairOf[block * blocks + block] = pairs++;
    m_roundBegin.push_back(pairs);
    for (std::size_t round = 0; round + 1 < blocks; ++round) {
        for (std::size_t k = 0; k < blocks / 2; ++k) {
            const std::size_t one = k == 0 ? blocks - 1 : (round + k) % (blocks - 1);
            const std::size_t two = (round + blocks - 1 - k) % (blocks - 1);
            pairOf[one * blocks + two] = pairOf[two * blocks + one] = pairs++;
        }
        m_roundBegin.push_back(pairs);
    }
    const auto visitAll = [&](auto visit) {
        for (std::size_t row = 0; row < static_cast<std::size_t>(m_rows); ++row) {
            for (auto i = static_cast<std::size_t>(graph.begin[row]);
                 i < static_cast<std::size_t>(graph.begin[row + 1]); ++i) {
                const auto other = static_cast<std::size_t>(graph.target[i]);
                if (row < other)
                    visit(pairOf[row / blockRows * blocks + other / blockRows], row, other, graph.weight[i]);
            }
        }
    };
    m_pairBegin.assign(pairs + 1, 0);
    visitAll([&](std::size_t pair, std::size_t, std::size_t, float) { ++m_pairBegin[pair + 1]; });
    std::partial_sum(m_pairBegin.begin(), m_pairBegin.end(), m_pairBegin.begin());
    m_from.resize(m_pairBegin.back());
    m_to.resize(m_from.size());
    m_period.resize(m_from.size());
    const float heaviest = graph.weight.empty() ? 1 : *std::max_element(graph.weight.begin(), graph.weight.end());
    std::vector<std::size_t> at(m_pairBegin.begin(), m_pairBegin.end() - 1);
    visitAll([&](std::size_t pair, std::size_t row, std::size_t other, float weight) {
        const std::size_t to = at[pair]++;
        m_from[to] = static_cast<std::int32_t>(row);
        m_to[to] = static_cast<std::int32_t>(other);
        m_period[to] = heaviest / weight;
    });
    m_due = m_period;
}

void LayoutOptimizer::playPair(std::size_t pair)
{
    const double left = 1.0 - static_cast<double>(m_epoch) / m_settings.epochs;
    const EdgeVisitor visitor{m_now.data(),
                              m_before.data(),
                              m_from.data(),
                              m_to.data(),
                              m_period.data(),
                              m_due.data(),
                              static_cast<float>(m_epoch),
                              m_settings.dimensions,
                              m_settings.negativeSampleRate,
                              static_cast<std::uint32_t>(m_rows),
                              static_cast<float>(m_settings.curve.a),
                              static_cast<float>(m_settings.curve.b),
                              static_cast<float>(m_settings.repulsionStrength),
                              static_cast<float>(m_settings.learningRate * left)};
    RandomStream random(m_settings.seed, kSamplePurpose, static_cast<std::uint64_t>(m_epoch) << 32 | pair);
    if (m_settings.dimensions == 2)
        visitEdges2(visitor, m_pairBegin[pair], m_pairBegin[pair + 1], random);
    else
        visitEdgesAny(visitor, m_pairBegin[pair], m_pairBegin[pair + 1], random);
}

bool LayoutOptimizer::step(ThreadTeam& team, const std::stop_token& stop)
{
    if (m_nextPair == 0)
        m_before = m_now;
    for (std::size_t round = 0; round + 1 < m_roundBegin.size(); ++round) {
        while (m_nextPair < m_roundBegin[round + 1]) {
            if (stop.stop_requested())
                return false;
            const std::size_t first = m_nextPair;
            const std::size_t count = std::min(m_roundBegin[round + 1] - first, kPairsBetweenStops);
            if (m_from.size() < kEdgesForThreads) {
                for (std::size_t i = 0; i < count; ++i)
                    playPair(first + i);
            } else {
                team.forChunks(static_cast<std::int64_t>(count),
                               [&](std::int64_t i) { playPair(first + static_cast<std::size_t>(i)); });
            }
            m_nextPair += count;
        }
    }
    m_nextPair = 0;
    ++m_epoch;
    return true;
}

} // namespace peakscope
