// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the snapshots of a run without a timeline are drawn: what each mark means, its shape, which names have room, and
// the picture itself for the views of the window. Used by views and figures. Private to the widgets.
#pragma once

#include "core/results/sweeps/snapshot_course.h"
#include "widgets/look/theme.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/painted_plottable.h"

#include <QFont>
#include <QPolygonF>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

class QPainter;

namespace peakscope {

enum class SnapshotSeries { Allocated, Reserved, Maximum };

// Those that the course has.
std::vector<SnapshotSeries> snapshotSeries(const SnapshotCourse& course);
// The same from the bottom up, as they are drawn.
std::vector<SnapshotSeries> snapshotSeriesDrawn(const SnapshotCourse& course);
// "Allocated at a snapshot", translated.
QString snapshotSeriesTitle(SnapshotSeries series);
// What the lines between the marks are worth.
QString betweenSnapshotsText();
// "Snapshot, in order": the axis of a course without times.
QString snapshotOrderTitle();
std::optional<std::int64_t> snapshotBytes(const SnapshotCourse& course, SnapshotSeries series, std::size_t snapshot);

// Beside the first and the last mark, as a share of the way between them.
inline constexpr double kSnapshotSideRoom = 0.02;
// A closed outline of about `size`: a disc, a square, a triangle that points down to the value.
QPolygonF snapshotMarker(SnapshotSeries series, QPointF at, double size);
// The disc is filled, the others are hollow.
bool isFilled(SnapshotSeries series);

// A long name in two lines, cut at a word's end near its middle: "6_iter0_", "after_backward".
QStringList snapshotNameLines(const QString& name);
// The snapshots whose names have room at the places `x` where names are `apart`: those with the most memory first,
// then in their order. Rising.
std::vector<std::size_t> namedSnapshots(const SnapshotCourse& course, const std::vector<double>& x, double apart);

struct SnapshotPicture {
    const SnapshotCourse* course = nullptr; // not owned
    ChartTheme theme;
    QFont font;
    std::optional<std::size_t> current{}; // the snapshot at the cursor
};
// Lines, then marks, of all series.
void paintSnapshots(QPainter& painter, const PlotGeometry& geometry, const SnapshotPicture& picture);
// The keys of what is painted; `several`: a course has more than one snapshot, so that there is something between.
std::vector<LegendStrip::Entry> snapshotEntries(const std::vector<SnapshotSeries>& series, bool several,
                                                const ChartTheme& theme);
// Names that read upwards, in a strip above the plot; what is longer than the strip is cut in its middle.
void paintSnapshotNames(QPainter& painter, const PlotGeometry& strip, const SnapshotPicture& picture);

} // namespace peakscope
