// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/tape_attention_bytes.h"

#include <algorithm>

namespace peakscope {
namespace {

// What a soft cap adds, in scores of one direction: its derivatives and what passes through them.
std::int64_t capTensors(AttentionFlow flow, std::int64_t k)
{
    switch (flow) {
    case AttentionFlow::Values:
        return 0;
    case AttentionFlow::Adjoints:
        return 2;
    case AttentionFlow::Tangents:
    case AttentionFlow::GaussNewton:
        return 1 + k;
    default:
        return 2 + 3 * k;
    }
}

// Counted on the allocator for short and for long blocks, whose worst moments are not the same.
std::int64_t plainBytes(AttentionFlow flow, std::int64_t k, std::int64_t s, std::int64_t h)
{
    switch (flow) {
    case AttentionFlow::Values:
        return std::max(2 * s + h, s + 3 * h);
    case AttentionFlow::Tangents:
        return k == 1 ? std::max(3 * s + 2 * h, 2 * s + 4 * h) : (2 * k + 1) * s + (3 * k + 1) * h;
    case AttentionFlow::Adjoints:
        return std::max({3 * s + h, 2 * s + 5 * h, 6 * h});
    case AttentionFlow::AdjointTangents:
        return k == 1 ? std::max({6 * s + 3 * h, 5 * s + 7 * h, s + 8 * h})
                      : std::max((3 * k + 3) * s + (5 * k + 1) * h, 3 * s + 7 * k * h);
    case AttentionFlow::GaussNewton:
        return k == 1 ? std::max({3 * s + 2 * h, 2 * s + 5 * h, 6 * h})
                      : std::max((3 * k + 2) / 2 * s + (3 * k + 1) * h, 6 * k * h);
    case AttentionFlow::Jets:
        break;
    }
    return (1 + 10 * k) * s + (2 + 8 * k) * h;
}

} // namespace

std::int64_t attentionBytes(AttentionFlow flow, const AttentionBlockBytes& block)
{
    const std::int64_t caps = block.capped ? capTensors(flow, block.directions) * block.scores : 0;
    return plainBytes(flow, block.directions, block.scores, block.heads) + caps;
}

} // namespace peakscope
