// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which timeline of a run is in front: the live one, that of a result, or, where a result holds none, its snapshots.
// Part of the Run workspace; GUI thread.
#pragma once

#include <QStackedWidget>

#include <cstddef>
#include <cstdint>

namespace peakscope {

class MemoryTimelineView;
class PlotView;
class SnapshotTimelineView;
struct LiveBatch;
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

    // Empties the live one. Of the run that begins: its budget, and whether it is a program of the user's.
    void beginLive(std::int64_t budget, bool program);
    void appendLive(const LiveBatch& batch, bool inFront);
    // `begun`: the run in front is the one whose events it holds; otherwise it waits.
    void showLive(bool dry, bool begun, bool program);
    // Hides itself where it has none: bars and tables have its room then.
    void showDocument(const RunDocument& document);
    // The result's memory has a timeline or snapshots, or there is none to say so of.
    static bool hasAny(const RunDocument& document);
    // The cursor goes to the snapshot of that row, taken at `seconds`.
    void showSnapshot(std::size_t row, double seconds);

private:
    MemoryTimelineView* m_live = nullptr;
    MemoryTimelineView* m_result = nullptr;
    SnapshotTimelineView* m_snapshots = nullptr;
};

} // namespace peakscope
