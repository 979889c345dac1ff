// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which timeline of a run is in front: the live one, that of a result, or, where a result holds none, its snapshots.
// Part of the Run workspace; GUI thread.
#pragma once

#include <QStackedWidget>

#include <cstddef>

namespace peakscope {

class MemoryTimelineView;
class PlotView;
class SnapshotTimelineView;
struct RunDocument;

class RunTimelines : public QStackedWidget
{
    Q_OBJECT

public:
    explicit RunTimelines(QWidget* parent);

    MemoryTimelineView* live() const { return m_live; }
    MemoryTimelineView* result() const { return m_result; }
    SnapshotTimelineView* snapshots() const { return m_snapshots; }
    PlotView* shown() const;

    void showLive(bool dry);
    // Hides itself where the result's memory has neither: bars and tables have its room then.
    void showDocument(const RunDocument& document);
    // The cursor goes to the snapshot of that row, taken at `seconds`.
    void showSnapshot(std::size_t row, double seconds);

private:
    MemoryTimelineView* m_live = nullptr;
    MemoryTimelineView* m_result = nullptr;
    SnapshotTimelineView* m_snapshots = nullptr;
};

} // namespace peakscope
