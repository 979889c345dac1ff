// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a figure: its size, and one call that draws it. Private to the figures and their tests.
#pragma once

#include "widgets/figures/page/figure_board.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/figures/page/figure_panels.h"

#include <vector>

namespace peakscope {

struct FigureKind;

// The pages of one figure, measured once for drawing. checkFigure must hold; `preset` is kept as it is.
class FigurePages
{
public:
    FigurePages(std::string_view figure, const RunResults& results, const FigurePreset& preset, FigureTheme theme);
    ~FigurePages();

    std::size_t count() const { return m_pages.size(); }
    // Whole points (1/72 inch) high.
    QSizeF size(std::size_t page = 0) const;
    // Draws in points from (0, 0), background included, and returns every text with its box. `painter` may be null:
    // then only the texts are laid out. `bound`: other pages follow in the same file; else the first one says how the
    // panels that it lacks are asked for.
    std::vector<FigureCanvas::PlacedText> draw(QPainter* painter, std::size_t page = 0, bool bound = false) const;
    // The least height that every page can have, in points.
    double leastHeight() const;
    std::vector<QString> panelTitles() const;
    // What is said about all pages; empty where the figure itself says it.
    QStringList caption() const;

private:
    FigureCanvas drawn(QPainter* painter, std::size_t page, bool bound) const;
    double bodyWidth() const;
    double around() const; // header and margins
    QString note(std::size_t page, bool bound) const;
    double noteHeight() const;

    const FigureKind& m_kind;
    const RunResults m_results;
    FigureCanvas m_measure;
    FigureTheme m_theme;
    std::vector<FigureBlock> m_blocks;
    std::vector<PanelPage> m_pages; // one without panels where the figure lays itself out
};

// Those of the first page.
QSizeF figureSizePt(std::string_view figure, const RunResults& results, const FigurePreset& preset);
std::vector<FigureCanvas::PlacedText> drawFigurePage(QPainter* painter, std::string_view figure,
                                                     const RunResults& results, const FigurePreset& preset,
                                                     FigureTheme theme);

// The same for a board; checkBoard must hold.
QSizeF boardSizePt(const FigureBoard& board, const FigurePreset& preset);
std::vector<FigureCanvas::PlacedText> drawBoardPage(QPainter* painter, const FigureBoard& board,
                                                    const FigurePreset& preset, FigureTheme theme);

} // namespace peakscope
