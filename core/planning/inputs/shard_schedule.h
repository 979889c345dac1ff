// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// When the flat rows of a sharded model are gathered, released and summed as a step passes the units' borders. The
// engine does it with tensors, the estimator with sizes; both follow this one schedule. No LibTorch; one thread at a
// time.
#pragma once

#include "core/planning/inputs/shard_groups.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace peakscope {

// What has the rows. A row is named by its place among the groups that the schedule was made with.
class ShardRows
{
public:
    virtual ~ShardRows() = default;
    virtual void gather(std::size_t row) = 0; // begins; every rank's part comes
    virtual void await(std::size_t row) = 0;  // what follows may read the gathered row
    virtual void release(std::size_t row) = 0;
    virtual bool reduce(std::size_t row) = 0; // begins the sum of its gradients; false: there are none
    virtual void settle(std::size_t row) = 0; // the sum is there: this rank keeps its part
};

class ShardSchedule
{
public:
    // `rows` must outlive it.
    ShardSchedule(const Experiment& experiment, const std::vector<ShardGroup>& groups, ShardRows& rows);

    // From now on the next unit is gathered while one computes, and a unit's gradients are summed while the next one's
    // are computed: for devices, which do both at once.
    void overlap()
    {
        m_overlaps = true;
        m_fetchesAhead = m_prefetches;
    }
    // While set, backward leaves the gradients where they are (a clipped step weighs and noises them first); the
    // units are still released.
    void holdGradients(bool hold) { m_hold = hold; }

    void enterForward(std::size_t unit);
    void leaveForward(std::size_t unit);
    void enterBackward(std::size_t unit);
    void leaveBackward(std::size_t unit);
    void finishPass();
    void finishStep();

    // Whether the unit works with the embedding's matrix too.
    bool tiedHead(std::size_t unit) const { return m_tied && unit == headUnit(); }
    bool tableReadInBackward() const { return m_tableInBackward; }

private:
    std::size_t headUnit() const { return m_units - 1; }
    bool isRoot(std::size_t unit) const { return m_root && (unit == 0 || unit == headUnit()); }
    template <typename Work>
    void forRowsOf(std::size_t unit, const Work& work);
    void gatherUnit(std::size_t unit);
    void fetchAhead(std::size_t unit);
    void releaseUnit(std::size_t unit);
    void reduceUnit(std::size_t unit);
    void settlePending();

    Sharding m_stage;
    std::size_t m_units;
    bool m_tied;
    bool m_tableInBackward; // OPT-350M's projection needs its parameters there, a lookup does not
    bool m_gathers;         // parameters are divided
    bool m_root;            // what comes before and after the layers is one unit, there for the whole pass
    bool m_reshards;        // after forward
    bool m_prefetches;
    std::vector<bool> m_trained; // by row
    std::vector<std::vector<std::size_t>> m_rowsOfUnit;
    std::vector<bool> m_gathered;
    ShardRows& m_rows;
    bool m_overlaps = false;
    bool m_fetchesAhead = false;
    bool m_hold = false;
    bool m_backward = false;              // of this pass has begun
    std::optional<std::size_t> m_pending; // its sum is under way
};

} // namespace peakscope
