// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures made of panels (a), (b), ...: which of them are drawn, in how many columns, on which page. A figure gives its
// panels in blocks (one a run, or one of all runs); everything else is done here, alike for all. Private to the
// figures.
#pragma once

#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_legend.h"

#include <functional>
#include <optional>
#include <vector>

namespace peakscope {

struct BarPanel;
struct ColumnPanel;

struct Panel {
    QString title;                              // what it shows, without its letter
    std::function<double(double width)> height; // that it needs, its heading included, in points
    // `mark` stands before its heading: "(a) ", or nothing where no other panel is.
    std::function<void(FigureCanvas&, const QRectF&, const QString& mark)> draw;
    double least = 1;        // the share of its height at which it can still be read
    bool wholeRow = false;   // as wide as the figure, beside no other
    bool mayBeThird = false; // can be read in a column of a third of a page
    QString lone{};          // of a single bar that is beside no other, what it says: "Peak memory, train.py: 963 MiB"
};

// A panel of bars, or of columns; none where it has nothing to show.
void addPanel(std::vector<Panel>& panels, const FigureCanvas& canvas, BarPanel content);
void addPanel(std::vector<Panel>& panels, const FigureCanvas& canvas, ColumnPanel content);
// Takes the panels out that compare nothing, and gives what they say; one panel stays in any case.
QStringList takeLonePanels(std::vector<Panel>& panels);

// Caption or legend: what a block has above or below its panels. The height holds the space to the panels.
struct BlockPart {
    std::function<double(double width)> height;
    std::function<void(FigureCanvas&, const QRectF&)> draw;
};

struct FigureBlock {
    QString heading; // the run, where the figure has several blocks
    QStringList badges;
    std::optional<BlockPart> above;
    std::vector<Panel> panels; // at least one
    std::optional<BlockPart> below;
    bool packed = false; // panels go to the shortest column, not row by row
};
// A block a run, with its name and badges where there are several.
std::vector<FigureBlock> blocksOfRuns(const RunResults& results,
                                      const std::function<FigureBlock(const RunResult&)>& blockOf);
// The blocks of a kind that draws every run by itself.
template <FigureBlock (*blockOf)(const FigureCanvas& canvas, const RunResult& run)>
std::vector<FigureBlock> eachRun(const FigureCanvas& canvas, const RunResults& results)
{
    return blocksOfRuns(results, [&canvas](const RunResult& run) { return blockOf(canvas, run); });
}
BlockPart legendPart(const FigureCanvas& canvas, std::vector<LegendEntry> entries);

// What one page of a figure holds.
struct PanelPage {
    std::vector<std::size_t> panels; // counted over all blocks
    int columns = 0;                 // of panels; 0: as many as usual
};
std::size_t panelCount(const std::vector<FigureBlock>& blocks);
// Every panel's words: its title, with the run where there are several.
std::vector<QString> panelTitles(const std::vector<FigureBlock>& blocks);

// The pages that the panels `chosen` (sorted) need: one if they fit `most` points as they are, in more columns or
// squeezed as far as they can be read; else several, filled in order. 0: no bound.
std::vector<PanelPage> pagesOf(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks,
                               const std::vector<std::size_t>& chosen, double width, double most);
// Of the body that holds the page; `squeezed`: at least.
double pageHeight(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks, const PanelPage& page,
                  double width, bool squeezed = false);
// Height to spare goes to the rows in proportion; height that lacks is taken from those that can be squeezed.
void drawPage(FigureCanvas& canvas, const QRectF& body, const std::vector<FigureBlock>& blocks, const PanelPage& page);

// "a", ..., "z", "aa", ...
QString panelLetter(std::size_t index);
// "(a) ", and "(i) " in a panel of a board, whose letters are the board's.
QString panelMark(const FigureCanvas& canvas, std::size_t index);
// "(d)–(f)" or "(b), (d)".
QString panelRange(const std::vector<std::size_t>& panels);

// Panels beside one another: 2 where half the width can hold names, bars and values.
int panelColumns(const FigureCanvas& canvas, double width);

} // namespace peakscope
