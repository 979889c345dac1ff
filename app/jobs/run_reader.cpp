// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/run_reader.h"

#include "core/base/json/json_reader.h"
#include "core/results/prediction_bound.h"

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

void append(const MemoryEvent& memory, auto& batch)
{
    batch.timeSeconds.insert(batch.timeSeconds.end(), memory.timeSeconds.begin(), memory.timeSeconds.end());
    batch.deltaBytes.insert(batch.deltaBytes.end(), memory.deltaBytes.begin(), memory.deltaBytes.end());
    batch.component.insert(batch.component.end(), memory.component.begin(), memory.component.end());
}

} // namespace

RunReader::RunReader(int id) : m_id(id), m_timer(this), m_batch(std::make_shared<LiveBatch>())
{
    m_timer.setInterval(kBatchInterval);
    connect(&m_timer, &QTimer::timeout, this, [this] { sendBatch(false); });
}

void RunReader::begin()
{
    m_sinceSent.start();
    m_sinceStart.start();
    m_timer.start();
}

// Of an experiment that is fitted to its budget: what came so far was another attempt.
void RunReader::beginAgain()
{
    m_batch = std::make_shared<LiveBatch>();
    m_batch->restarts = true;
    m_curvature = {};
    m_analysis = {};
}

void RunReader::hear(const Event& event)
{
    if (std::holds_alternative<StartEvent>(event) && event.rank <= 0 && std::exchange(m_began, true))
        beginAgain();
    if (event.rank >= 0)
        addOfRank(event);
    if (event.rank > 0)
        return;
    if (const auto* start = std::get_if<StartEvent>(&event))
        m_batch->config = start->config;
    m_batch->curvature.take(m_curvature.add(event, static_cast<double>(m_sinceStart.elapsed()) / 1000));
    m_analysis.add(event);
    if (const auto* memory = std::get_if<MemoryEvent>(&event)) {
        append(*memory, *m_batch);
        m_batch->allocatedBytes = memory->allocatedBytes;
        m_batch->reservedBytes = memory->reservedBytes;
        m_batch->residentBytes = memory->residentBytes;
    } else if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
        m_batch->phases.push_back({phase->phase, phase->step, phase->timeSeconds});
    } else if (const auto* snapshot = std::get_if<SnapshotEvent>(&event)) {
        m_batch->snapshots.push_back(snapshot->snapshot);
    } else if (const auto* progress = std::get_if<ProgressEvent>(&event)) {
        m_batch->progress = *progress;
    } else if (const auto* stage = std::get_if<StageEvent>(&event)) {
        addStage(*stage);
    }
}

// What each of several ranks sends goes to its own place; the run as a whole is shown by the first rank.
void RunReader::addOfRank(const Event& event)
{
    auto& ranks = m_batch->ranks;
    const auto batchOf = [&ranks, &event]() -> RankBatch& {
        const auto found = std::ranges::find(ranks, event.rank, &RankBatch::rank);
        if (found != ranks.end())
            return *found;
        ranks.emplace_back().rank = event.rank;
        return ranks.back();
    };
    if (const auto* memory = std::get_if<MemoryEvent>(&event))
        append(*memory, batchOf());
    else if (const auto* phase = std::get_if<PhaseEvent>(&event))
        batchOf().phases.push_back({phase->phase, phase->step, phase->timeSeconds});
}

void RunReader::addStage(const StageEvent& stage)
{
    const nlohmann::json* section = lenient::find(stage.data, "prediction");
    RunResult read;
    if (section && mergeSections(read, {{"prediction", *section}})) {
        m_batch->prediction = read.prediction;
        m_batch->predictionIsBound = predictionIsBound(read);
    }
}

void RunReader::sendBatch(bool evenIfBusy)
{
    constexpr qint64 kLate = 1000;
    if (*m_inFlight && !evenIfBusy)
        return;
    if (auto analysis = m_analysis.news(evenIfBusy))
        m_batch->analysis = std::move(analysis);
    if (m_batch->empty())
        return;
    m_batch->id = m_id;
    m_batch->late = *m_inFlight && m_sinceSent.elapsed() > kLate;
    *m_inFlight = true;
    m_sinceSent.restart();
    auto next = std::make_shared<LiveBatch>();
    // Totals hold until the next memory event.
    next->allocatedBytes = m_batch->allocatedBytes;
    next->reservedBytes = m_batch->reservedBytes;
    next->residentBytes = m_batch->residentBytes;
    emit batchReady(std::exchange(m_batch, std::move(next)));
}

} // namespace peakscope
