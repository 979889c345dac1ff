// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures of plans share: their plan, the line that says what was planned.
// Private to the figures.
#pragma once

#include "core/results/plans/plan_document.h"
#include "core/results/tables.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_panels.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace peakscope {

// The plan of a result that passed its check; an empty one otherwise.
PlanDocument figurePlan(const RunResult& run);
// Whether it holds a plan with strategies, and where `withMap` a capacity map.
Status checkPlan(const RunResult& run, bool withMap);

// "opt-6.7b (6.66 G parameters)", "Train", "NVIDIA A800 80GB, 79.0 GiB usable".
QStringList planCaption(const PlanDocument& plan);
// The parts of a caption on as many lines as they need, muted, from the top of a rectangle.
double captionHeight(const FigureCanvas& canvas, const QStringList& parts, double width);
void drawCaption(FigureCanvas& canvas, const QRectF& rect, const QStringList& parts);
BlockPart captionPart(const FigureCanvas& canvas, QStringList parts);
// Of charts whose numbers may have no room: `parts` with and without. Each chart that is drawn says whether its had.
struct NumbersDrawn {
    bool all = true; // on this page, so far
};
BlockPart captionPart(const FigureCanvas& canvas, QStringList numbered, QStringList unnumbered,
                      std::shared_ptr<NumbersDrawn> drawn);
// One block a plan: a panel without a title, which may shrink to `least` of its height.
std::vector<FigureBlock> planBlocks(const FigureCanvas& canvas, const RunResults& results, double least,
                                    double (*height)(const FigureCanvas&, const RunResult&, double width),
                                    void (*draw)(FigureCanvas&, const QRectF&, const RunResult&));
// The table with the plan's label before every row.
Table labelled(Table table, const QString& plan);
// "6.66 G", "125 M".
QString countText(double count);

} // namespace peakscope
