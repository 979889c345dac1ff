// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A k-d tree over points of few dimensions, for distances to k-th neighbours. Used by kDistances; searching is const
// and may be done from several threads.
#pragma once

#include "core/analysis/clusters/cluster_scores.h"

#include <cstdint>
#include <vector>

namespace peakscope {

class PointTree
{
public:
    // The points must outlive the tree.
    explicit PointTree(const PointTable& points);

    // The squared distance of `point` to its k-th nearest, itself being the first; k is 1 to the number of points.
    double squaredDistanceToNearest(std::int64_t point, int k) const;

private:
    struct Node {
        std::int64_t begin = 0, end = 0; // into m_order
        std::int32_t left = -1, right = -1;
        std::int64_t axis = 0;
        double split = 0;
    };
    void search(std::int32_t node, const double* own, std::size_t k, std::vector<double>& nearest) const;
    const double* at(std::int64_t point) const { return m_points.values.data() + point * m_points.columns; }

    PointTable m_points;
    std::vector<std::int64_t> m_order;
    std::vector<Node> m_nodes;
};

} // namespace peakscope
