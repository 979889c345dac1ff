// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_timelines.h"

#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "core/base/json/json_reader.h"
#include "core/results/component_reading.h"
#include "core/results/dry_result.h"
#include "core/results/prediction_bound.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"
#include "widgets/timeline/timeline_span.h"

#include <initializer_list>

namespace peakscope {

namespace {

bool holdsTimeline(const RunDocument& document)
{
    return document.result->memory && document.timeline && document.timeline->size() > 0;
}

} // namespace

RunTimelines::RunTimelines(QWidget* parent) : QStackedWidget(parent)
{
    m_live = new MemoryTimelineView(this);
    m_result = new MemoryTimelineView(this);
    m_snapshots = new SnapshotTimelineView(this);
    m_live->setObjectName(QStringLiteral("liveTimeline"));
    m_result->setObjectName(QStringLiteral("resultTimeline"));
    m_snapshots->setObjectName(QStringLiteral("snapshotTimeline"));
    for (QWidget* view : std::initializer_list<QWidget*>{m_live, m_result, m_snapshots})
        addWidget(view);
}

PlotView* RunTimelines::shown() const
{
    return static_cast<PlotView*>(currentWidget());
}

void RunTimelines::beginLive(std::int64_t budget, bool program)
{
    m_live->suggestFollowSeconds(program ? kLastSteps : 0); // a program's imports may take longer than its steps
    m_live->beginLive();
    m_live->setBudget(budget);
}

void RunTimelines::appendLive(const LiveBatch& batch, bool inFront)
{
    if (!batch.timeSeconds.empty() && !m_live->showsPlot() && inFront)
        m_live->setPlaceholder({});
    for (const PhaseMark& phase : batch.phases)
        m_live->addPhase(phase);
    m_live->appendLive(batch.timeSeconds, batch.deltaBytes, batch.component);
    // Where the allocator takes what it hands out, a second line would only hide the first.
    if (!batch.timeSeconds.empty() && batch.reservedBytes > batch.allocatedBytes)
        m_live->appendReserved(batch.timeSeconds.back(), batch.reservedBytes);
    if (batch.prediction)
        m_live->setPrediction(batch.prediction->peakBytes, batch.predictionIsBound);
}

void RunTimelines::showLive(bool dry, bool begun, bool program)
{
    if (!begun) { // the live view is of the run whose turn it is
        m_result->setTimeline(nullptr, {});
        m_result->setBadge({});
        m_result->setPlaceholder([] { return tr("Waiting for its turn in the queue."); });
        setCurrentWidget(m_result);
        show();
        return;
    }
    m_live->setBadge([dry] { return dry ? tr("dry run") : QString(); });
    if (!m_live->timeline() || m_live->timeline()->size() == 0)
        m_live->setLoading([program] {
            return program ? tr("The program is starting: waiting for its first allocation.")
                           : tr("The worker is starting.");
        });
    setCurrentWidget(m_live);
    show();
}

bool RunTimelines::hasAny(const RunDocument& document)
{
    const RunResult& result = *document.result;
    return result.memory ? holdsTimeline(document) || drawsSnapshots(*result.memory) : !result.curvature;
}

void RunTimelines::showDocument(const RunDocument& document)
{
    const RunResult& result = *document.result;
    const bool timeline = holdsTimeline(document);
    const bool snapshots = result.memory && !timeline && drawsSnapshots(*result.memory);
    setCurrentWidget(snapshots ? static_cast<QWidget*>(m_snapshots) : m_result);
    setVisible(hasAny(document));
    m_snapshots->setCourse(snapshots ? snapshotCourse(*result.memory) : SnapshotCourse(),
                           snapshots ? result.memory->peakBytes : 0);
    m_result->setTimeline(document.timeline, componentDoubt(result));
    if (timeline) {
        m_result->setPlaceholder({});
        m_result->setPhases(result.memory->phases);
        m_result->setMarks(result.memory->marks);
        m_result->setBudget(lenient::integer(result.config, "budget_bytes", 0));
        m_result->showSteps();
    } else {
        m_result->setPlaceholder([] { return tr("This result holds no memory timeline."); });
    }
    m_result->setPrediction(result.prediction ? result.prediction->peakBytes : 0, predictionIsBound(result));
    for (PlotView* view : std::initializer_list<PlotView*>{m_result, m_snapshots})
        view->setBadge([synthetic = result.synthetic, dry = isDry(result)] {
            return synthetic ? tr("synthetic") : dry ? tr("dry run") : QString();
        });
}

void RunTimelines::showSnapshot(std::size_t row, double seconds)
{
    if (currentWidget() == m_snapshots)
        m_snapshots->showSnapshot(row);
    else
        static_cast<MemoryTimelineView*>(currentWidget())->setCursor(seconds);
}

} // namespace peakscope
