// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes and type sizes that figures are made for: a screen, the columns and pages of journals, a slide.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

inline constexpr double kPointsPerMm = 72.0 / 25.4;

struct FigurePreset {
    std::string name;
    double widthMm = 0;
    double heightMm = 0;      // of a figure of one run; figures of several runs may be taller (see figureSizeMm)
    double maxHeightMm = 0;   // the tallest a page may be, what has no room goes to further pages; 0: any height
    double fontPt = 8;        // axis titles, names, values
    double smallFontPt = 7;   // tick labels, strip names; nothing is smaller
    double lineWidthPt = 0.5; // the thinnest line
    int dpi = 300;            // of PNG
    bool titled = false;      // papers put the title into the caption
    bool captionApart = false; // what is said about the numbers goes into figureCaption() in place of the figure's head
    bool onBoard = false;     // a panel of a board: the letters are the board's, its own panels have numbers
    bool fixedHeight = false; // a page that cannot grow, such as a slide
    // Of the figure's panels (a), (b), ... those that are drawn, rising from 0; empty: all (see figurePanels).
    std::vector<std::size_t> panels;
    // The instant of snapshots that is drawn, as snapshotEvent() reads it; empty: what one looks at first.
    std::string at;
    // From where to where timelines go, in seconds, or events of snapshots; nothing: the steps (see shownRange).
    std::optional<std::pair<double, double>> range;
};

// screen, icml-column, icml-page, neurips-text, ieee-column, ieee-page, slide.
const std::vector<FigurePreset>& figurePresets();
// The preset with another greatest height of its pages; as it is where that is 0.
FigurePreset withGreatestHeight(FigurePreset preset, double maxHeightMm);
// Nothing for an unknown name.
std::optional<FigurePreset> figurePreset(std::string_view name);

} // namespace peakscope
