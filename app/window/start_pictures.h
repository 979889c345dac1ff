// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as small pictures without words, for the doors of the start page. Each fills `area`. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "widgets/look/theme.h"
#include "widgets/sweep/fit_view.h"

#include <QRectF>

class QPainter;

namespace peakscope {

struct PlanDocument;

struct MemoryCourse {
    std::shared_ptr<const MemoryTimeline> timeline; // null: the result has none
    std::vector<PhaseMark> phases;
    std::int64_t predictedBytes = 0; // 0: not predicted
    bool ranOut = false;             // of memory
};
MemoryCourse courseOf(const RunDocument& document);
// Memory over time, or over events, by component, with the predicted peak, and in red where the program ran out.
void paintCourse(QPainter& painter, const QRectF& area, const MemoryCourse& course, const ChartTheme& theme);

// What a plan gives up, step by step, against the card's line.
void paintSteps(QPainter& painter, const QRectF& area, const PlanDocument& plan, const ChartTheme& theme);

// A search for what fits: reserved bytes against what was varied, a line a card, up to that card's own line. Hollow:
// it does not fit.
void paintFit(QPainter& painter, const QRectF& area, const std::vector<FitCurve>& curves, const ChartTheme& theme);

} // namespace peakscope
