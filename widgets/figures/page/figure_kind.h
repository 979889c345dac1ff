// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What every figure brings along: its check, its natural height, its drawing and its data. figure.cpp holds the table.
// Private to the figures.
#pragma once

#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_panels.h"

#include <QStringList>

namespace peakscope {

// The most runs that one page holds; with a bar a run, more.
inline constexpr std::size_t kMostRuns = 8;
inline constexpr std::size_t kMostBars = 24;

// A figure of panels gives its blocks, and everything else about its page is done for it (figure_panels.h); one that
// lays itself out gives height and draw.
struct FigureKind {
    const char* title; // in the context of FigureText
    // Every run is checked alone; the context names the run.
    Status (*check)(const RunResult& run);
    std::string (*csv)(const RunResults& results);
    // `canvas` measures, has the colours of the drawing and outlives the blocks.
    std::vector<FigureBlock> (*blocks)(const FigureCanvas& canvas, const RunResults& results) = nullptr;
    // Of the body without header and margins, in points, at this width; 0: the preset's height will do.
    double (*height)(const FigureCanvas& canvas, const RunResults& results, double width) = nullptr;
    void (*draw)(FigureCanvas& canvas, const QRectF& body, const RunResults& results) = nullptr;
    // The panels of one that lays itself out: it draws those that the preset has chosen.
    std::vector<QString> (*panels)(const RunResults& results) = nullptr;
    std::size_t mostRuns = kMostRuns;
    std::size_t leastRuns = 1;
};

// Of a figure that checkFigure accepts.
const FigureKind& kindOf(std::string_view figure);

// What the figure draws of them: files of a point each are one sweep where it draws sweeps.
RunResults drawnResults(std::string_view figure, const RunResults& results);

// Whether the canvas' preset has chosen the panel.
bool isChosen(const FigureCanvas& canvas, std::size_t panel);

extern const FigureKind kMemoryTimelineFigure;
extern const FigureKind kMemoryBreakdownFigure;
extern const FigureKind kMemoryHeatmapFigure;
extern const FigureKind kMemoryTrendsFigure;
extern const FigureKind kMemoryRanksFigure;
extern const FigureKind kDetailedMemoryFigure;
extern const FigureKind kOperatorBreakdownFigure;
extern const FigureKind kStrategyTableFigure;
extern const FigureKind kCapacityMapFigure;
extern const FigureKind kUmapFigure;
extern const FigureKind kParameterClusteringFigure;
extern const FigureKind kPhaseDiagramFigure;
extern const FigureKind kNoiseResponseFigure;
extern const FigureKind kStatisticalSummaryFigure;
extern const FigureKind kPerformanceTradeoffFigure;
extern const FigureKind kMemoryOverviewFigure;
extern const FigureKind kHessianSpectrumFigure;
extern const FigureKind kHessianHistogramFigure;
extern const FigureKind kHessianMemoryFigure;
extern const FigureKind kMemoryTreemapFigure;
extern const FigureKind kMemoryFlameGraphFigure;
extern const FigureKind kSegmentMapFigure;
extern const FigureKind kMemoryDifferenceFigure;
extern const FigureKind kExpertLoadsFigure;
extern const FigureKind kCollectivesFigure;

} // namespace peakscope
