// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/clusters/point_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

constexpr std::int64_t kLeaf = 16;

} // namespace

PointTree::PointTree(const PointTable& points) : m_points(points)
{
    m_order.resize(static_cast<std::size_t>(points.rows));
    std::iota(m_order.begin(), m_order.end(), 0);
    m_nodes.push_back({0, points.rows});
    for (std::size_t number = 0; number < m_nodes.size(); ++number) {
        Node node = m_nodes[number];
        if (node.end - node.begin <= kLeaf)
            continue;
        double widest = 0;
        for (std::int64_t axis = 0; axis < points.columns; ++axis) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (std::int64_t i = node.begin; i < node.end; ++i) {
                const double value = at(m_order[static_cast<std::size_t>(i)])[axis];
                low = std::min(low, value);
                high = std::max(high, value);
            }
            if (high - low > widest) {
                widest = high - low;
                node.axis = axis;
            }
        }
        if (!(widest > 0))
            continue; // all in one place: a leaf, however many
        const std::int64_t middle = (node.begin + node.end) / 2;
        std::nth_element(m_order.begin() + node.begin, m_order.begin() + middle, m_order.begin() + node.end,
                         [&](std::int64_t a, std::int64_t b) {
                             return std::pair(at(a)[node.axis], a) < std::pair(at(b)[node.axis], b);
                         });
        node.split = at(m_order[static_cast<std::size_t>(middle)])[node.axis];
        node.left = static_cast<std::int32_t>(m_nodes.size());
        node.right = node.left + 1;
        m_nodes[number] = node;
        m_nodes.push_back({node.begin, middle});
        m_nodes.push_back({middle, node.end});
    }
}

void PointTree::search(std::int32_t number, const double* own, std::size_t k, std::vector<double>& nearest) const
{
    const Node& node = m_nodes[static_cast<std::size_t>(number)];
    if (node.left < 0) {
        for (std::int64_t i = node.begin; i < node.end; ++i) {
            // k points in one place are enough.
            if (nearest.size() == k && nearest.front() == 0)
                return;
            const double* other = at(m_order[static_cast<std::size_t>(i)]);
            double squares = 0;
            for (std::int64_t axis = 0; axis < m_points.columns; ++axis)
                squares += (own[axis] - other[axis]) * (own[axis] - other[axis]);
            if (nearest.size() == k && squares >= nearest.front())
                continue;
            if (nearest.size() == k) {
                std::pop_heap(nearest.begin(), nearest.end());
                nearest.pop_back();
            }
            nearest.push_back(squares);
            std::push_heap(nearest.begin(), nearest.end());
        }
        return;
    }
    const double beyond = own[node.axis] - node.split;
    search(beyond < 0 ? node.left : node.right, own, k, nearest);
    if (nearest.size() < k || beyond * beyond <= nearest.front())
        search(beyond < 0 ? node.right : node.left, own, k, nearest);
}

double PointTree::squaredDistanceToNearest(std::int64_t point, int k) const
{
    std::vector<double> nearest; // a heap, the largest first
    nearest.reserve(static_cast<std::size_t>(k));
    search(0, at(point), static_cast<std::size_t>(k), nearest);
    return nearest.front();
}

} // namespace peakscope
