// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figure_board.h"

#include "widgets/figures/figure_legend.h"
#include "widgets/figures/figure_page.h"
#include "widgets/figures/figure_panels.h"
#include "widgets/figures/figure_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kPointsPerMm = 72.0 / 25.4;
// Names, bars and values stand beside one another above this width, in type sizes: that of a journal's column.
constexpr double kLeastWidth = 28;
constexpr double kShape = 0.85; // the tallest panel of a row that holds several, in parts of its width

struct BoardLayout {
    int columns = 1;
    double panelWidth = 0;
    double gutter = 0; // between panels
    double heading = 0;
    std::vector<double> rows; // without heading and gutter
    QSizeF page;
};

double gutterOf(const FigureCanvas& canvas)
{
    return canvas.gap() * 4;
}

FigurePreset panelPreset(const FigurePreset& page, double widthPt, double heightPt, bool fixed)
{
    FigurePreset preset = page;
    preset.widthMm = widthPt / kPointsPerMm;
    preset.heightMm = heightPt / kPointsPerMm;
    preset.titled = false; // its heading stands above it
    preset.fixedHeight = fixed;
    preset.onBoard = true;
    if (fixed && heightPt < widthPt / 2 + 1) { // several rows on a slide: type that leaves room for the plots
        constexpr double kSmaller = 0.75;
        preset.fontPt *= kSmaller;
        preset.smallFontPt *= kSmaller;
    }
    return preset;
}

BoardLayout layoutOf(const FigureBoard& board, const FigurePreset& preset)
{
    const FigureCanvas canvas(nullptr, preset, FigureTheme::Light);
    BoardLayout layout;
    layout.columns = boardColumns(board, preset);
    layout.gutter = gutterOf(canvas);
    layout.heading = canvas.lineHeight() + canvas.gap();
    const double width = preset.widthMm * kPointsPerMm;
    layout.panelWidth = (width - layout.gutter * (layout.columns - 1)) / layout.columns;
    const auto columns = static_cast<std::size_t>(layout.columns);
    const std::size_t rows = (board.panels.size() + columns - 1) / columns;
    const double between = layout.gutter * static_cast<double>(rows - 1);
    const double preferred = layout.columns == 1 ? preset.heightMm * kPointsPerMm
                                                 : std::min(preset.heightMm * kPointsPerMm, layout.panelWidth * kShape);
    double height = between;
    for (std::size_t row = 0; row < rows; ++row) {
        double tallest = 0;
        if (preset.fixedHeight) {
            const double all = preset.heightMm * kPointsPerMm - between - layout.heading * static_cast<double>(rows);
            tallest = all / static_cast<double>(rows);
        }
        for (std::size_t i = row * columns;
             !preset.fixedHeight && i < std::min((row + 1) * columns, board.panels.size()); ++i) {
            const FigurePreset own = panelPreset(preset, layout.panelWidth, preferred, false);
            tallest = std::max(tallest, figureSizePt(board.panels[i].figure, board.panels[i].results, own).height());
        }
        layout.rows.push_back(tallest);
        height += layout.heading + tallest;
    }
    layout.page = QSizeF(width, preset.fixedHeight ? preset.heightMm * kPointsPerMm : std::ceil(height - 1e-6));
    return layout;
}

// The runs of all panels, each once.
RunResults runsOf(const FigureBoard& board)
{
    RunResults runs;
    for (const BoardPanel& panel : board.panels) {
        for (const auto& run : panel.results) {
            if (std::find(runs.begin(), runs.end(), run) == runs.end())
                runs.push_back(run);
        }
    }
    return runs;
}

} // namespace

int boardColumns(const FigureBoard& board, const FigurePreset& preset)
{
    const FigureCanvas canvas(nullptr, preset, FigureTheme::Light);
    const double gutter = gutterOf(canvas);
    const double width = preset.widthMm * kPointsPerMm;
    const int fitting = std::max(1, static_cast<int>((width + gutter) / (kLeastWidth * preset.fontPt + gutter)));
    const int wanted = board.columns > 0 ? board.columns : 2;
    return std::clamp(std::min(wanted, fitting), 1, std::max(1, static_cast<int>(board.panels.size())));
}

QString panelCaption(const FigureBoard& board, std::size_t panel)
{
    const BoardPanel& asked = board.panels.at(panel);
    if (!asked.caption.isEmpty())
        return asked.caption;
    const QString title = figureTitle(asked.figure);
    const RunResults runs = runsOf(board);
    if (asked.results.size() != 1 || runs.size() < 2)
        return title;
    const auto found = std::find(runs.begin(), runs.end(), asked.results.front());
    return FigureText::tr("%1: %2", "figure title: run")
        .arg(title, runLabels(runs).at(static_cast<std::size_t>(found - runs.begin())));
}

Status checkBoard(const FigureBoard& board)
{
    if (board.panels.empty())
        return badInput("board", "it holds no figure; add at least one");
    if (board.panels.size() > FigureBoard::kMostPanels) {
        return badInput("board", std::to_string(board.panels.size()) + " figures were given; one page holds at most " +
                                     std::to_string(FigureBoard::kMostPanels));
    }
    for (std::size_t i = 0; i < board.panels.size(); ++i) {
        const BoardPanel& panel = board.panels[i];
        if (const Status status = checkFigure(panel.figure, panel.results); !status) {
            return badInput("board, panel " + std::to_string(i + 1) + ", " + status.error().context,
                            status.error().message);
        }
    }
    return Done{};
}

QSizeF boardSizePt(const FigureBoard& board, const FigurePreset& preset)
{
    return layoutOf(board, preset).page;
}

QSizeF boardSizeMm(const FigureBoard& board, const FigurePreset& preset)
{
    if (!checkBoard(board))
        return {preset.widthMm, preset.heightMm};
    return boardSizePt(board, preset) / kPointsPerMm;
}

std::vector<FigureCanvas::PlacedText> drawBoardPage(QPainter* painter, const FigureBoard& board,
                                                    const FigurePreset& preset, FigureTheme theme)
{
    const BoardLayout layout = layoutOf(board, preset);
    FigureCanvas canvas(painter, preset, theme);
    canvas.rect(QRectF(QPointF(0, 0), layout.page), canvas.colors().background);
    std::vector<FigureCanvas::PlacedText> texts;
    double top = 0;
    for (std::size_t i = 0; i < board.panels.size(); ++i) {
        const auto column = static_cast<int>(i % static_cast<std::size_t>(layout.columns));
        const double row = layout.rows[i / static_cast<std::size_t>(layout.columns)];
        const double left = column * (layout.panelWidth + layout.gutter);
        const double margin = canvas.gap();
        drawHeading(canvas, QRectF(left + margin, top, layout.panelWidth - 2 * margin, canvas.lineHeight()),
                    panelTitle(i, panelCaption(board, i)), {});
        const FigurePreset own = panelPreset(preset, layout.panelWidth, row, preset.fixedHeight);
        const QPointF corner(left, top + layout.heading);
        if (painter) {
            painter->save();
            painter->translate(corner);
        }
        for (FigureCanvas::PlacedText& placed :
             drawFigurePage(painter, board.panels[i].figure, board.panels[i].results, own, theme)) {
            placed.box.translate(corner);
            texts.push_back(std::move(placed));
        }
        if (painter)
            painter->restore();
        if (column == layout.columns - 1)
            top += layout.heading + row + layout.gutter;
    }
    const auto& own = canvas.placedTexts();
    texts.insert(texts.end(), own.begin(), own.end());
    return texts;
}

} // namespace peakscope
