// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What every figure brings along: its check, its natural height, its drawing and its data. figure.cpp holds the table.
// Private to the figures.
#pragma once

#include "widgets/figures/figure.h"
#include "widgets/figures/figure_canvas.h"

#include <QStringList>

namespace peakscope {

// The most runs that one page holds.
inline constexpr std::size_t kMostRuns = 8;

struct FigureKind {
    QString (*title)();
    // Every run is checked alone; the context names the run.
    Status (*check)(const RunResult& run);
    // Of the body without header and margins, in points, at this width; 0: the preset's height will do.
    double (*height)(const FigureCanvas& canvas, const RunResults& results, double width);
    void (*draw)(FigureCanvas& canvas, const QRectF& body, const RunResults& results);
    std::string (*csv)(const RunResults& results);
};

const FigureKind& memoryTimelineFigure();
const FigureKind& memoryBreakdownFigure();
const FigureKind& memoryHeatmapFigure();
const FigureKind& memoryRanksFigure();
const FigureKind& detailedMemoryFigure();
const FigureKind& operatorBreakdownFigure();
const FigureKind& strategyTableFigure();
const FigureKind& capacityMapFigure();
const FigureKind& umapFigure();
const FigureKind& parameterClusteringFigure();
const FigureKind& phaseDiagramFigure();
const FigureKind& noiseResponseFigure();
const FigureKind& statisticalSummaryFigure();
const FigureKind& performanceTradeoffFigure();
const FigureKind& memoryOverviewFigure();
const FigureKind& hessianSpectrumFigure();
const FigureKind& hessianHistogramFigure();

} // namespace peakscope
