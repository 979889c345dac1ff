// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How plans look and are worded: verdicts, and the pale hatched fill that says "predicted" wherever measured values
// are solid. Shared by the strategy table, the capacity map, the ladder and their figures; GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/look/theme.h"
#include "widgets/plot/chart_canvas.h"

#include <QBrush>
#include <QColor>
#include <QString>

#include <vector>

namespace peakscope {

// "Comfortable", "Fits", "Tight", "Needs sharding", "Does not fit", translated.
QString verdictTitle(Verdict verdict);
// "Needs 4 devices" where it shards, else the title.
QString verdictText(Verdict verdict, std::int64_t devicesNeeded);
// One sentence that defines it, translated.
QString verdictDefinition(Verdict verdict);

// "Exact", "Precision", "Method", translated.
QString tierTitle(Tier tier);
// One sentence that defines it, translated.
QString tierDefinition(Tier tier);
// What stands above a part of a ranked list, translated.
QString partHeading(PlanPart part);

// The fill of a measured cell or badge; apart in hue for every kind of colour vision.
QColor verdictFill(Verdict verdict);

// What legends say beside verdicts and components, translated: what is reserved and not used at the peak, the line of a
// map, and a cell of it for which the model has no positions.
QString reservedTitle();
QString frontierTitle();
QString beyondPositionsTitle();

// What the bar of a strategy is as long as: what it reserves, and the device's context.
double strategyBytes(const PlanDocument& plan, const PlannedStrategy& strategy);
// The bytes at the right end of the bars of the first `rows` strategies: beyond the capacity, but never so far that
// what fits becomes a sliver.
double strategyScaleBytes(const PlanDocument& plan, std::size_t rows);
// The components that any bar of the first `rows` shows, from left to right.
std::vector<Component> strategyComponents(const PlanDocument& plan, std::size_t rows);

// The pale tint of what is predicted, and the same with diagonal lines: `ink` of 1 draws them in the full colour; large
// areas take less.
QColor predictedTint(const QColor& color, const ChartTheme& theme);
QBrush predictedBrush(const QColor& color, const ChartTheme& theme, double ink = 1);

// Pale, with the component's or verdict's own hatch: distinct when printed in grey.
Fill predictedFill(const ChartColors& colors, Component component);
Fill predictedFill(const ChartColors& colors, Verdict verdict);

// "train", "hessian", "dp-sgd", "prm" for people, translated; other words as they are.
QString goalTitle(const std::string& goal);

} // namespace peakscope
