// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a snapshot: what was allocated by inferred component, what was reserved, steps, the peak and the ends
// for lack of memory, over events, time or steps. A click asks about an instant, a selected range about its highest
// point; the legend is of that instant while the mouse is elsewhere. GUI thread.
#pragma once

#include "core/snapshots/chosen_blocks.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <memory>

class QActionGroup;

namespace peakscope {

TimelineAxis timelineAxis(SnapshotAxis axis);

class SnapshotCourseView : public MemoryTimelineView
{
    Q_OBJECT
public:
    explicit SnapshotCourseView(QWidget* parent = nullptr);

    // Null: nothing. The axis stays where the recording has it.
    void setRecording(std::shared_ptr<const SnapshotRecording> recording);
    void setSnapshotAxis(SnapshotAxis axis);
    SnapshotAxis snapshotAxis() const { return m_snapshotAxis; }
    // Marks it, and the legend is of it; does not emit.
    void setEvent(std::int64_t event);
    std::int64_t shownEvent() const { return m_event; }
    // Outlines what those blocks took; empty: nothing.
    void setChosen(const ChosenBlocks& blocks);

signals:
    void eventChosen(std::int64_t event); // after which the user asks

private:
    void showAxis();
    void showInstants();
    void showChosen();
    std::int64_t highestIn(double lower, double upper) const;

    std::shared_ptr<const SnapshotRecording> m_recording;
    SnapshotAxis m_snapshotAxis = SnapshotAxis::Events;
    std::int64_t m_event = -1;
    ChosenBlocks m_chosen;
    QActionGroup* m_axes = nullptr;
};

} // namespace peakscope
