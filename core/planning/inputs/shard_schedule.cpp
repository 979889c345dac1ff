// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/shard_schedule.h"

namespace peakscope {

ShardSchedule::ShardSchedule(const Experiment& experiment, const std::vector<ShardGroup>& groups, ShardRows& rows)
    : m_stage(experiment.training.sharding), m_units(shardUnitCount(experiment.model.config.layers)),
      m_tied(experiment.model.config.tied),
      m_tableInBackward(experiment.model.config.embedDim != experiment.model.config.hidden),
      m_gathers(dividesParameters(m_stage)), m_root(m_stage == Sharding::Fsdp),
      m_reshards(!m_root || experiment.training.fsdp.reshardAfterForward),
      m_prefetches(!m_root || experiment.training.fsdp.prefetch), m_rowsOfUnit(m_units),
      m_gathered(groups.size(), false), m_rows(rows)
{
    for (std::size_t row = 0; row < groups.size(); ++row) {
        m_rowsOfUnit[groups[row].unit].push_back(row);
        m_trained.push_back(groups[row].trained);
    }
}

template <typename Work>
void ShardSchedule::forRowsOf(std::size_t unit, const Work& work)
{
    if (tiedHead(unit) || (isRoot(unit) && unit != 0)) {
        for (const std::size_t row : m_rowsOfUnit[0])
            work(row);
    }
    for (const std::size_t row : m_rowsOfUnit[unit])
        work(row);
}

void ShardSchedule::gatherUnit(std::size_t unit)
{
    if (!m_gathers)
        return;
    forRowsOf(unit, [this](std::size_t row) {
        if (!m_gathered[row])
            m_rows.gather(row);
        m_gathered[row] = true;
        m_rows.await(row);
    });
}

// What computes next. A head's backward follows its forward, and nobody says where it begins.
void ShardSchedule::fetchAhead(std::size_t unit)
{
    if (!m_gathers || !m_fetchesAhead || (m_backward ? unit == 0 : unit == headUnit()))
        return;
    const std::size_t next = m_backward ? unit - 1 : unit + 1;
    if (m_backward && next == 0 && !m_tableInBackward)
        return;
    forRowsOf(next, [this](std::size_t row) {
        if (!m_gathered[row])
            m_rows.gather(row);
        m_gathered[row] = true;
    });
}

void ShardSchedule::enterForward(std::size_t unit)
{
    if (unit == 0) // which nobody recomputes
        m_backward = false;
    gatherUnit(unit);
    fetchAhead(unit);
}

void ShardSchedule::leaveForward(std::size_t unit)
{
    if (m_reshards && !isRoot(unit))
        releaseUnit(unit);
}

void ShardSchedule::enterBackward(std::size_t unit)
{
    m_backward = true;
    if (unit == 0 && !m_tableInBackward)
        return; // a lookup's gradient does not need the table
    gatherUnit(unit);
    fetchAhead(unit);
}

void ShardSchedule::leaveBackward(std::size_t unit)
{
    m_backward = true;
    if (isRoot(unit))
        return; // finishPass() releases it
    if (m_hold && unit == headUnit())
        return; // a clipped step goes through the head again, which no border announces; finishPass() frees it
    releaseUnit(unit);
    if (!m_hold)
        reduceUnit(unit);
}

void ShardSchedule::releaseUnit(std::size_t unit)
{
    forRowsOf(unit, [this](std::size_t row) {
        if (m_gathered[row])
            m_rows.release(row);
        m_gathered[row] = false;
    });
}

void ShardSchedule::reduceUnit(std::size_t unit)
{
    for (const std::size_t row : m_rowsOfUnit[unit]) {
        if (!m_trained[row])
            continue;
        settlePending();
        if (m_rows.reduce(row))
            m_pending = row;
        if (!m_overlaps)
            settlePending();
    }
}

void ShardSchedule::settlePending()
{
    if (m_pending)
        m_rows.settle(*m_pending);
    m_pending.reset();
}

void ShardSchedule::finishPass()
{
    const bool early = !m_hold && (m_stage == Sharding::Zero2 || m_gathers);
    for (std::size_t unit = m_units; unit-- > 0;) {
        releaseUnit(unit);
        if (early)
            reduceUnit(unit);
    }
    settlePending();
    m_backward = false;
}

void ShardSchedule::finishStep()
{
    if (m_stage == Sharding::None)
        return;
    for (std::size_t unit = m_units; unit-- > 0;)
        reduceUnit(unit);
    settlePending();
}

} // namespace peakscope
