// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures of embeddings, classes and perturbations share: markers and their legend, scatter panels, axes of
// noise and answers, and blocks of caption, panels and legend. Private to the figures.
#pragma once

#include "core/results/tables.h"
#include "widgets/analysis/analysis_style.h"
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_panels.h"

#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace peakscope {

// The sections of a run, empty where it has none, or what is wrong in them.
const Result<AnalysisData>& sectionsOf(const RunResult& run);
// Those of a run that passed its check; empty ones otherwise.
const AnalysisData& figureAnalysis(const RunResult& run);

void drawMarker(FigureCanvas& canvas, QPointF centre, double radius, const MarkerStyle& style, bool framed);
double markerRadius(const FigureCanvas& canvas, std::size_t points);

struct MarkerKey {
    QString text;
    std::optional<MarkerStyle> marker{};
    std::optional<Dash> dash{}; // a piece of line, behind the marker where there is one
    QColor lineColor{};
};
double markerKeyHeight(const FigureCanvas& canvas, const std::vector<MarkerKey>& keys, double width);
void drawMarkerKeys(FigureCanvas& canvas, const QRectF& rect, const std::vector<MarkerKey>& keys);

struct AnalysisPanel {
    QString title;
    std::function<double(double width)> height;             // without the title
    std::function<void(FigureCanvas&, const QRectF&)> draw; // below the title
    double least = 1;                                       // as Panel has it
    bool wholeRow = false;
    bool mayBeThird = false;
};

// Caption, panels, legend of one run.
struct AnalysisBlock {
    QStringList caption;
    std::vector<AnalysisPanel> panels;
    std::vector<MarkerKey> keys;
};
FigureBlock figureBlock(const FigureCanvas& canvas, const AnalysisBlock& analysis);
template <AnalysisBlock (*blockOf)(const FigureCanvas& canvas, const RunResult& run)>
std::vector<FigureBlock> analysisBlocks(const FigureCanvas& canvas, const RunResults& results)
{
    return blocksOfRuns(results, [&canvas](const RunResult& run) { return figureBlock(canvas, blockOf(canvas, run)); });
}

// One point of a scatter: where and how.
struct ScatterMark {
    double x = 0, y = 0;
    MarkerStyle style;
};
// Translucent, in paintOrder(), with rims where they are few. Points of one colour that would lie on one another at
// print size are drawn once.
void drawScatterMarks(FigureCanvas& canvas, const AxisArea& area, const std::vector<ScatterMark>& marks);
// A panel of an embedding: both axes in one measure; marks without a place hollow along the upper border, and counted.
void drawEmbeddingPanel(FigureCanvas& canvas, const QRectF& rect, const std::vector<ScatterMark>& marks);

// How many ticks stand apart along an upright axis of such a length.
int ticksAlong(const FigureCanvas& canvas, double length);
// Place of the plot inside a panel with both axes titled.
QRectF plotRect(const FigureCanvas& canvas, const QRectF& rect, const Ticks& left);
// The rows of a table of every run, a column "run" before them.
std::string tablesCsv(const RunResults& results, Table (*table)(const AnalysisData&));
template <Table (*table)(const AnalysisData&)>
std::string analysisCsv(const RunResults& results)
{
    return tablesCsv(results, table);
}

} // namespace peakscope
