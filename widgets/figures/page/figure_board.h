// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Several figures on one page, (a), (b), (c), in columns and rows: each drawn anew for the width it gets, so that type
// and lines have the size of the page's preset and not that of a picture made smaller. As figure.h: needs a
// QGuiApplication, any thread.
#pragma once

#include "widgets/figures/page/figure.h"

#include <vector>

namespace peakscope {

struct BoardPanel {
    std::string figure;
    RunResults results;
    QString caption; // after its letter; empty: the figure's title, with the run where the board holds several
};

struct FigureBoard {
    static constexpr std::size_t kMostPanels = 12;

    std::vector<BoardPanel> panels; // row by row
    int columns = 0;                // 0: as many as fit; never more than a panel's words allow
};

// The columns that the board gets on that page.
int boardColumns(const FigureBoard& board, const FigurePreset& preset);
// The runs of all panels, each once.
RunResults runsOf(const FigureBoard& board);
// "Memory timeline: opt-125m": what stands after the panel's letter.
QString panelCaption(const FigureBoard& board, std::size_t panel);

// BadInput where it has no panel, too many, or one that its results do not hold; the message names the panel.
Status checkBoard(const FigureBoard& board);
// The page in millimetres: the preset's width, and the height of all rows (a slide keeps its own).
QSizeF boardSizeMm(const FigureBoard& board, const FigurePreset& preset);
// A null image where checkBoard fails. `dpi` 0: the preset's.
QImage renderBoardImage(const FigureBoard& board, const FigurePreset& preset, FigureTheme theme = FigureTheme::Light,
                        int dpi = 0);
// As writeFigure: vectors with embedded fonts, all runs in the metadata.
Status writeBoard(QIODevice& device, const FigureBoard& board, const FigurePreset& preset, FigureFormat format);

} // namespace peakscope
