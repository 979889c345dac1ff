// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a figure: its size, and one call that draws it. Private to the figures and their tests.
#pragma once

#include "widgets/figures/figure_board.h"
#include "widgets/figures/figure_canvas.h"

#include <vector>

namespace peakscope {

// Whole points (1/72 inch) high; checkFigure must hold.
QSizeF figureSizePt(std::string_view figure, const RunResults& results, const FigurePreset& preset);

// Draws in points from (0, 0), background included, and returns every text with its box. `painter` may be null: then
// only the texts are laid out. checkFigure must hold.
std::vector<FigureCanvas::PlacedText> drawFigurePage(QPainter* painter, std::string_view figure,
                                                     const RunResults& results, const FigurePreset& preset,
                                                     FigureTheme theme);

// The same for a board; checkBoard must hold.
QSizeF boardSizePt(const FigureBoard& board, const FigurePreset& preset);
std::vector<FigureCanvas::PlacedText> drawBoardPage(QPainter* painter, const FigureBoard& board,
                                                    const FigurePreset& preset, FigureTheme theme);

// The data behind the figure; checkFigure must hold.
std::string figureCsvText(std::string_view figure, const RunResults& results);

} // namespace peakscope
