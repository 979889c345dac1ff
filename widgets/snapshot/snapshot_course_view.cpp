// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/snapshot/snapshot_course_view.h"

#include "core/snapshots/cuda_snapshot.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/timeline_painter.h"

#include <QActionGroup>
#include <QLocale>

#include <algorithm>

namespace peakscope {

TimelineAxis timelineAxis(SnapshotAxis axis)
{
    return axis == SnapshotAxis::Time    ? TimelineAxis::Seconds
           : axis == SnapshotAxis::Steps ? TimelineAxis::Steps
                                         : TimelineAxis::Events;
}

SnapshotCourseView::SnapshotCourseView(QWidget* parent) : MemoryTimelineView(parent)
{
    explain(
        [] {
            return tr("A band is what a class of blocks holds. The line above is what the allocator reserved. Click: "
                      "who holds it then.");
        },
        "snapshots");
    m_axes = addViewChoices({{static_cast<int>(SnapshotAxis::Events), [] { return tr("Events"); },
                              [] { return tr("All events of the allocator have the same width"); }},
                             {static_cast<int>(SnapshotAxis::Time), [] { return tr("Time"); },
                              [] { return tr("Seconds since the first event"); }},
                             {static_cast<int>(SnapshotAxis::Steps), [] { return tr("Steps"); },
                              [] { return tr("All steps of the optimiser have the same width"); }}},
                            static_cast<int>(m_snapshotAxis),
                            [this](int axis) { setSnapshotAxis(static_cast<SnapshotAxis>(axis)); });
    connect(interaction(), &PlotInteraction::clicked, this, [this](double x, double) {
        if (!m_recording)
            return;
        setEvent(SnapshotPlaces(*m_recording, m_snapshotAxis).eventAt(x));
        emit eventChosen(m_event);
    });
    connect(this, &PlotView::rangeSelected, this, [this](double lower, double upper) {
        if (!m_recording)
            return;
        setEvent(highestIn(lower, upper));
        emit eventChosen(m_event);
    });
    inLanguage(this, [this] { showInstants(); });
}

void SnapshotCourseView::setRecording(std::shared_ptr<const SnapshotRecording> recording)
{
    m_recording = std::move(recording);
    m_event = -1;
    m_chosen.clear();
    const bool steps = m_recording && !m_recording->replay.stepEnds.empty();
    if (!steps && m_snapshotAxis == SnapshotAxis::Steps)
        m_snapshotAxis = SnapshotAxis::Events;
    for (QAction* action : m_axes->actions()) {
        if (action->data().toInt() == static_cast<int>(SnapshotAxis::Steps))
            action->setEnabled(steps);
    }
    showAxis();
}

void SnapshotCourseView::setSnapshotAxis(SnapshotAxis axis)
{
    if (axis == m_snapshotAxis)
        return;
    m_snapshotAxis = axis;
    showAxis();
}

void SnapshotCourseView::showAxis()
{
    for (QAction* action : m_axes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(m_snapshotAxis));
    setAxis(timelineAxis(m_snapshotAxis));
    if (!m_recording || !m_recording->replay.hasPeak()) {
        setTimeline(nullptr);
        setPhases({});
        setReserved({}, {});
        showChosen();
        setInstants({});
        if (m_recording)
            setPlaceholder(
                [] { return tr("No history was recorded: only the memory held when the file was written is shown."); });
        return;
    }
    setTimeline(std::make_shared<const MemoryTimeline>(timelineAlong(*m_recording, m_snapshotAxis)),
                m_recording->snapshot->namesBlocks ? ComponentDoubt::None : ComponentDoubt::Inferred);
    setPhases(snapshotPhases(*m_recording, m_snapshotAxis));
    PlacedBytes reserved = reservedAlong(*m_recording, m_snapshotAxis);
    setReserved(std::move(reserved.places), std::move(reserved.bytes));
    showChosen();
    showInstants();
}

void SnapshotCourseView::setChosen(const ChosenBlocks& blocks)
{
    if (blocks == m_chosen)
        return;
    m_chosen = blocks;
    showChosen();
}

void SnapshotCourseView::showChosen()
{
    PlacedBytes part;
    if (m_recording && m_recording->replay.hasPeak() && !m_chosen.empty())
        part = courseOf(*m_recording, m_snapshotAxis, m_chosen);
    setChosenPart(std::move(part.places), std::move(part.bytes));
}

void SnapshotCourseView::setEvent(std::int64_t event)
{
    m_event = event;
    showInstants();
}

void SnapshotCourseView::showInstants()
{
    std::vector<TimelineInstant> instants;
    std::optional<double> chosen; // the legend says of the peak by itself that it is the peak
    if (m_recording && m_recording->replay.hasPeak()) {
        const SnapshotPlaces places(*m_recording, m_snapshotAxis);
        if (m_event >= 0 && m_event != m_recording->replay.peak(SnapshotMeasure::Requested).event)
            chosen = places.of(m_event);
        for (const OutOfMemory& end : m_recording->replay.outOfMemory)
            instants.push_back(
                {places.of(end.event), tr("out of memory, %1 requested").arg(bytesText(end.askedBytes)), true});
        if (m_event >= 0)
            instants.push_back(
                {places.of(m_event), tr("event %1").arg(QLocale().toString(static_cast<qlonglong>(m_event))), false});
    }
    setInstants(std::move(instants));
    setPinned(chosen);
}

std::int64_t SnapshotCourseView::highestIn(double lower, double upper) const
{
    const SnapshotPlaces places(*m_recording, m_snapshotAxis);
    const std::vector<std::int64_t> curve =
        snapshotCurve(*m_recording->snapshot, m_recording->replay, SnapshotMeasure::Allocated);
    const auto at = [&](double place) { return curve.begin() + 1 + places.eventAt(place); };
    return std::max_element(at(lower), at(upper) + 1) - curve.begin() - 1;
}

} // namespace peakscope
