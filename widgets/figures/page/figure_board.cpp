// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_board.h"

#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_page.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

// Names, bars and values stand beside one another above this width, in type sizes: that of a journal's column.
constexpr double kLeastWidth = 28;
constexpr double kShape = 0.85; // the tallest panel of a row that holds several, in parts of its width

struct BoardLayout {
    int columns = 1;
    double panelWidth = 0;
    double gutter = 0; // between panels
    double heading = 0;
    double scale = 1;         // of the panels' type, on a page that cannot grow
    bool forced = false;      // even the smallest type was too large
    double most = 0;          // of a row, where the rows together are too tall for the page; 0: any height
    std::vector<double> rows; // without heading and gutter
    QSizeF page;
};

double gutterOf(const FigureCanvas& canvas)
{
    return canvas.gap() * 4;
}

FigurePreset panelPreset(const FigurePreset& page, const BoardLayout& layout, double heightPt, bool fixed)
{
    FigurePreset preset = page;
    preset.widthMm = layout.panelWidth / kPointsPerMm;
    preset.heightMm = heightPt / kPointsPerMm;
    preset.fontPt *= layout.scale;
    preset.smallFontPt *= layout.scale;
    preset.titled = false; // its heading stands above it
    preset.fixedHeight = fixed;
    preset.onBoard = true;
    preset.maxHeightMm = (fixed ? heightPt : layout.most) / kPointsPerMm;
    preset.panels.clear();
    return preset;
}

// What every row needs, its panels being `preferred` high unless they need more.
std::vector<double> rowHeights(const FigureBoard& board, const FigurePreset& preset, const BoardLayout& layout,
                               double preferred)
{
    const FigurePreset own = panelPreset(preset, layout, preferred, false);
    std::vector<double> rows;
    for (std::size_t i = 0; i < board.panels.size(); ++i) {
        const double height = figureSizePt(board.panels[i].figure, board.panels[i].results, own).height();
        if (i % static_cast<std::size_t>(layout.columns) == 0)
            rows.push_back(height);
        else
            rows.back() = std::max(rows.back(), height);
    }
    return rows;
}

// A page that cannot grow: the type gets smaller until all rows have room, and what is left over is theirs.
void fitRows(const FigureBoard& board, const FigurePreset& preset, double room, std::size_t count, BoardLayout& layout)
{
    constexpr double kLeastHeight = 20; // of a panel, in type sizes
    constexpr double kLeastScale = 0.4;
    constexpr double kStep = 0.05;
    const double each = room / static_cast<double>(count);
    layout.scale = std::clamp(each / (kLeastHeight * preset.fontPt), kLeastScale, 1.0);
    while (true) {
        layout.rows = rowHeights(board, preset, layout, each);
        const double sum = std::accumulate(layout.rows.begin(), layout.rows.end(), 0.0);
        if (sum <= room || layout.scale - kStep < kLeastScale) {
            layout.forced = sum > room;
            for (double& row : layout.rows)
                row = layout.forced ? each : row + (room - sum) / static_cast<double>(count);
            return;
        }
        layout.scale -= kStep;
    }
}

BoardLayout layoutOf(const FigureBoard& board, const FigurePreset& preset)
{
    const FigureCanvas canvas(nullptr, preset, FigureTheme::Light);
    BoardLayout layout;
    layout.columns = boardColumns(board, preset);
    layout.gutter = gutterOf(canvas);
    layout.heading = canvas.lineHeight() + canvas.gap();
    const double width = preset.widthMm * kPointsPerMm;
    const double pageHeight = preset.heightMm * kPointsPerMm;
    layout.panelWidth = (width - layout.gutter * (layout.columns - 1)) / layout.columns;
    const auto columns = static_cast<std::size_t>(layout.columns);
    const std::size_t count = (board.panels.size() + columns - 1) / columns;
    const double around = layout.gutter * static_cast<double>(count - 1) + layout.heading * static_cast<double>(count);
    if (preset.fixedHeight) {
        fitRows(board, preset, pageHeight - around, count, layout);
        layout.page = QSizeF(width, pageHeight);
        return layout;
    }
    const double preferred = layout.columns == 1 ? pageHeight : std::min(pageHeight, layout.panelWidth * kShape);
    layout.rows = rowHeights(board, preset, layout, preferred);
    double sum = std::accumulate(layout.rows.begin(), layout.rows.end(), around);
    // Every row gets an equal part of a page that is too low for all, as long as a panel can still be read in it.
    constexpr double kLeastRow = 14; // in type sizes
    const double share = (preset.maxHeightMm * kPointsPerMm - around) / static_cast<double>(count);
    if (preset.maxHeightMm > 0 && sum > preset.maxHeightMm * kPointsPerMm && share > kLeastRow * preset.fontPt) {
        layout.most = share;
        layout.rows = rowHeights(board, preset, layout, std::min(preferred, share));
        sum = std::accumulate(layout.rows.begin(), layout.rows.end(), around);
    }
    layout.page = QSizeF(width, std::ceil(sum - 1e-6));
    return layout;
}

} // namespace

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
                    QStringLiteral("(%1) %2").arg(panelLetter(i), panelCaption(board, i)), {});
        const FigurePreset own = panelPreset(preset, layout, row, layout.forced);
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
