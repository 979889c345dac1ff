// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures of embeddings, classes and perturbations share: markers and their legend, scatter panels, axes of
// noise and answers, and blocks of caption, panels and legend. Private to the figures.
#pragma once

#include "widgets/analysis_style.h"
#include "widgets/figures/figure_axis.h"
#include "widgets/figures/figure_canvas.h"

#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace peakscope {

// The sections of a run that passed its check; empty ones otherwise.
AnalysisData figureAnalysis(const RunResult& run);

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
    double height = 0;                                      // with the title
    std::function<void(FigureCanvas&, const QRectF&)> draw; // below the title
};

// Caption, panels in columns, legend.
struct AnalysisBlock {
    QStringList caption;
    std::vector<AnalysisPanel> panels;
    std::optional<AnalysisPanel> wide; // under them, over the whole width
    std::vector<MarkerKey> keys;
    int columns = 1;
};
double blockHeight(const FigureCanvas& canvas, const AnalysisBlock& block, double width);
void drawBlock(FigureCanvas& canvas, const QRectF& rect, const AnalysisBlock& block);
// Width of one panel of the block that will have so many.
int blockColumns(const FigureCanvas& canvas, double width, std::size_t panels);

// The whole body: a block a run, under one another.
using BlockOf = AnalysisBlock (*)(const FigureCanvas& canvas, const RunResult& run, double width);
double blocksOfRunsHeight(const FigureCanvas& canvas, const RunResults& results, double width, BlockOf blockOf);
void drawBlocksOfRuns(FigureCanvas& canvas, const QRectF& body, const RunResults& results, BlockOf blockOf);

// One point of a scatter: where and how.
struct ScatterMark {
    double x = 0, y = 0;
    MarkerStyle style;
};
// Points that would lie on one another at print size are drawn once. Later ones are on top.
void drawScatterMarks(FigureCanvas& canvas, const AxisArea& area, const std::vector<ScatterMark>& marks);
// A panel of an embedding: both axes in one measure.
void drawEmbeddingPanel(FigureCanvas& canvas, const QRectF& rect, const std::vector<ScatterMark>& marks);

// How many ticks stand apart along an upright axis of such a length.
int ticksAlong(const FigureCanvas& canvas, double length);
// Place of the plot inside a panel with both axes titled.
QRectF plotRect(const FigureCanvas& canvas, const QRectF& rect, const Ticks& left);
// The rows of a table of every run, a column "run" before them.
std::string tablesCsv(const RunResults& results, Table (*table)(const AnalysisData&));

} // namespace peakscope
