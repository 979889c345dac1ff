// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_panels.h"

#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_columns.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

double columnGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 6;
}

double rowGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 4;
}

double blockGap(const FigureCanvas& canvas)
{
    return canvas.gap() * 5;
}

double headingHeight(const FigureCanvas& canvas, const FigureBlock& block)
{
    return block.heading.isEmpty() ? 0 : canvas.lineHeight() + canvas.gap();
}

// Heights that a thing asks for: as it should be, and as it can still be read.
struct PanelRoom {
    double natural = 0;
    double least = 0;

    void add(const PanelRoom& other) { natural += other.natural, least += other.least; }
    void atLeast(const PanelRoom& other)
    {
        natural = std::max(natural, other.natural);
        least = std::max(least, other.least);
    }
    void add(double fixed) { add(PanelRoom{fixed, fixed}); }
};

// The heights that several things get of `height`, which may be more or less than they ask for.
std::vector<double> sharedOut(const std::vector<PanelRoom>& rooms, double height)
{
    PanelRoom sum;
    for (const PanelRoom& room : rooms)
        sum.add(room);
    std::vector<double> shares;
    for (const PanelRoom& room : rooms) {
        if (height >= sum.natural && sum.natural > 0)
            shares.push_back(room.natural * height / sum.natural);
        else if (height >= sum.least && sum.natural > sum.least)
            shares.push_back(room.least +
                             (room.natural - room.least) * (height - sum.least) / (sum.natural - sum.least));
        else
            shares.push_back(sum.least > 0 ? room.least * std::max(height, 0.0) / sum.least : 0);
    }
    return shares;
}

// The panels of one block on one page.
struct BlockPage {
    const FigureBlock* block = nullptr;
    std::vector<const Panel*> panels;
    std::vector<QString> marks; // as long as panels
    QString heading;
    int columns = 1;
};

int usualColumns(const FigureCanvas& canvas, double width, const std::vector<const Panel*>& panels)
{
    const auto beside = std::count_if(panels.begin(), panels.end(), [](const Panel* p) { return !p->wholeRow; });
    const int columns = beside > 1 ? panelColumns(canvas, width) : 1;
    // A page that cannot grow is wide rather than high.
    constexpr int kMostInTwo = 4;
    return canvas.preset().fixedHeight && columns > 1 && beside > kMostInTwo ? 3 : columns;
}

// 3 where the panels are such as can be read at a third of the width.
int mostColumns(const FigureCanvas& canvas, double width, const std::vector<const Panel*>& panels)
{
    constexpr double kThird = 17; // the width of a panel, in type sizes
    const int usual = usualColumns(canvas, width, panels);
    const bool thin = std::all_of(panels.begin(), panels.end(), [](const Panel* p) { return p->mayBeThird; });
    const bool room = (width - 2 * columnGap(canvas)) / 3 >= kThird * canvas.preset().fontPt;
    return usual == 2 && thin && room && panels.size() > 2 ? 3 : usual;
}

std::vector<BlockPage> blockPages(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks,
                                  const PanelPage& page, double width)
{
    const std::size_t all = panelCount(blocks);
    std::vector<BlockPage> parts;
    std::size_t first = 0;
    for (const FigureBlock& block : blocks) {
        BlockPage part{&block, {}, {}, block.heading, 1};
        for (std::size_t i = 0; i < block.panels.size(); ++i) {
            if (!std::binary_search(page.panels.begin(), page.panels.end(), first + i))
                continue;
            const QString mark = all > 1 ? panelMark(canvas, first + i) : QString();
            // The only panel of a run is marked beside the run's name.
            const bool onHeading = block.panels.size() == 1 && !block.heading.isEmpty();
            part.panels.push_back(&block.panels[i]);
            part.marks.push_back(onHeading ? QString() : mark);
            part.heading = onHeading ? mark + block.heading : block.heading;
        }
        first += block.panels.size();
        if (part.panels.empty())
            continue;
        part.columns = page.columns > 0 ? std::min(page.columns, std::max(1, mostColumns(canvas, width, part.panels)))
                                        : usualColumns(canvas, width, part.panels);
        parts.push_back(std::move(part));
        if (canvas.preset().fixedHeight && blocks.size() > 1) {
            parts.back().heading =
                FigureText::tr("%1 (first of %2 runs)").arg(parts.back().heading, QString::number(blocks.size()));
            break; // a page that cannot grow
        }
    }
    return parts;
}

double panelWidth(const FigureCanvas& canvas, double width, int columns)
{
    return (width - (columns - 1) * columnGap(canvas)) / columns;
}

struct PanelCell {
    std::size_t panel = 0;
    std::size_t row = 0; // within its group
    int column = 0;
};

// Rows over the whole width, or columns that are filled each for itself.
struct PanelGrid {
    std::vector<PanelCell> cells;
    std::vector<std::vector<PanelRoom>> groups; // rows, one group; or a group a column
    bool packed = false;

    PanelRoom room(double gap) const
    {
        PanelRoom most;
        for (const std::vector<PanelRoom>& rows : groups) {
            PanelRoom sum;
            for (const PanelRoom& row : rows)
                sum.add(row);
            sum.add(gap * static_cast<double>(rows.empty() ? 0 : rows.size() - 1));
            most.atLeast(sum);
        }
        return most;
    }
};

PanelGrid gridOf(const FigureCanvas& canvas, const BlockPage& page, double width)
{
    PanelGrid grid;
    grid.packed = page.block->packed && page.columns > 1;
    grid.groups.resize(grid.packed ? static_cast<std::size_t>(page.columns) : 1);
    const double each = panelWidth(canvas, width, page.columns);
    int column = page.columns; // full: the next panel begins a row
    for (std::size_t i = 0; i < page.panels.size(); ++i) {
        const Panel& panel = *page.panels[i];
        const double height = panel.height(panel.wholeRow ? width : each);
        const PanelRoom room{height, height * panel.least};
        if (grid.packed) {
            const auto lower = [](const auto& a, const auto& b) {
                const auto sum = [](const auto& rows) {
                    return std::accumulate(rows.begin(), rows.end(), 0.0,
                                           [](double s, const PanelRoom& row) { return s + row.natural; });
                };
                return sum(a) < sum(b);
            };
            const auto shortest = std::min_element(grid.groups.begin(), grid.groups.end(), lower);
            grid.cells.push_back({i, shortest->size(), static_cast<int>(shortest - grid.groups.begin())});
            shortest->push_back(room);
            continue;
        }
        if (column >= page.columns || panel.wholeRow) {
            grid.groups.front().emplace_back();
            column = 0;
        }
        grid.groups.front().back().atLeast(room);
        grid.cells.push_back({i, grid.groups.front().size() - 1, column});
        column = panel.wholeRow ? page.columns : column + 1;
    }
    return grid;
}

double partHeight(const std::optional<BlockPart>& part, double width)
{
    return part ? part->height(width) : 0;
}

PanelRoom roomOf(const FigureCanvas& canvas, const BlockPage& page, double width)
{
    PanelRoom room = gridOf(canvas, page, width).room(rowGap(canvas));
    room.add(headingHeight(canvas, *page.block) + partHeight(page.block->above, width) +
             partHeight(page.block->below, width));
    return room;
}

void drawGrid(FigureCanvas& canvas, const QRectF& rect, const BlockPage& page)
{
    const PanelGrid grid = gridOf(canvas, page, rect.width());
    const double each = panelWidth(canvas, rect.width(), page.columns);
    std::vector<std::vector<double>> heights;
    for (const std::vector<PanelRoom>& rows : grid.groups) {
        const double gaps = rowGap(canvas) * static_cast<double>(rows.empty() ? 0 : rows.size() - 1);
        heights.push_back(sharedOut(rows, rect.height() - gaps));
    }
    for (const PanelCell& cell : grid.cells) {
        const Panel& panel = *page.panels[cell.panel];
        const std::vector<double>& rows = heights[grid.packed ? static_cast<std::size_t>(cell.column) : 0];
        double y = rect.top() + rowGap(canvas) * static_cast<double>(cell.row);
        y = std::accumulate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cell.row), y);
        const double x = rect.left() + cell.column * (each + columnGap(canvas));
        panel.draw(canvas, QRectF(x, y, panel.wholeRow ? rect.width() : each, rows[cell.row]), page.marks[cell.panel]);
    }
}

void drawBlock(FigureCanvas& canvas, const QRectF& rect, const BlockPage& page)
{
    const FigureBlock& block = *page.block;
    const double heading = headingHeight(canvas, block);
    if (heading > 0)
        drawHeading(canvas, QRectF(rect.left(), rect.top(), rect.width(), canvas.lineHeight()), page.heading,
                    block.badges);
    const double above = partHeight(block.above, rect.width()), below = partHeight(block.below, rect.width());
    const QRectF inside = rect.adjusted(0, heading, 0, 0);
    drawGrid(canvas, inside.adjusted(0, above, 0, -below), page);
    if (block.above) // after the panels, of which it may say how they came out
        block.above->draw(canvas, QRectF(inside.left(), inside.top(), inside.width(), above));
    if (block.below)
        block.below->draw(canvas, QRectF(inside.left(), inside.bottom() - below, inside.width(), below));
}

PanelRoom roomOf(const FigureCanvas& canvas, const std::vector<BlockPage>& parts, double width)
{
    PanelRoom room;
    for (const BlockPage& part : parts)
        room.add(roomOf(canvas, part, width));
    room.add(blockGap(canvas) * static_cast<double>(parts.empty() ? 0 : parts.size() - 1));
    return room;
}

// Panels in order, as many a page as have room.
std::vector<PanelPage> filled(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks,
                              const std::vector<std::size_t>& chosen, double width, double most, bool squeezed)
{
    std::vector<PanelPage> pages;
    for (const std::size_t panel : chosen) {
        if (!pages.empty()) {
            PanelPage longer = pages.back();
            longer.panels.push_back(panel);
            if (pageHeight(canvas, blocks, longer, width, squeezed) <= most) {
                pages.back() = std::move(longer);
                continue;
            }
        }
        pages.push_back({{panel}, 0});
    }
    return pages;
}

// Of a run that passed the check and whose numbers are all zero.
Panel emptyPanel()
{
    return {QString(), [](double) { return 24.0; },
            [](FigureCanvas& canvas, const QRectF& rect, const QString&) {
                const TextStyle style{TextSize::Small, false, true};
                canvas.text(rect.center(), canvas.elided(FigureText::tr("nothing to show"), rect.width(), style),
                            Qt::AlignHCenter, style);
            }};
}

// The heading that the panel's own title becomes.
QString headed(const QString& mark, const QString& title)
{
    return title.isEmpty() ? title : mark + title;
}

} // namespace

int panelColumns(const FigureCanvas& canvas, double width)
{
    return width >= canvas.preset().fontPt * 42 ? 2 : 1;
}

// A bar of several parts shows how large they are beside one another.
static QString loneText(const BarPanel& panel)
{
    if (panel.rows.size() != 1 || panel.rows.front().bars.size() != 1 ||
        panel.rows.front().bars.front().parts.size() > 1)
        return {};
    const FigureBarRow& row = panel.rows.front();
    return FigureText::tr("%1, %2: %3", "panel, bar: its number").arg(panel.title, row.name, row.bars.front().label);
}

QStringList takeLonePanels(std::vector<Panel>& panels)
{
    QStringList said;
    std::vector<Panel> kept;
    for (const Panel& panel : panels) {
        if (panel.lone.isEmpty())
            kept.push_back(panel);
        else
            said << panel.lone;
    }
    if (kept.empty())
        return {};
    panels = std::move(kept);
    return said;
}

void addPanel(std::vector<Panel>& panels, const FigureCanvas& canvas, BarPanel content)
{
    if (content.rows.empty())
        return;
    constexpr double kLabelled = 0.9; // below it bars have no room for their labels
    const auto kept = std::make_shared<BarPanel>(std::move(content));
    panels.push_back({kept->title, [&canvas, kept](double) { return barPanelHeight(canvas, *kept); },
                      [kept](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                          BarPanel marked = *kept;
                          marked.title = headed(mark, kept->title);
                          marked.compactTitle = headed(mark, kept->compactTitle);
                          drawBarPanel(target, rect, marked);
                      },
                      kLabelled});
    panels.back().lone = loneText(*kept);
}

void addPanel(std::vector<Panel>& panels, const FigureCanvas& canvas, ColumnPanel content)
{
    if (content.columns.empty())
        return;
    constexpr double kLow = 0.75;
    const auto kept = std::make_shared<ColumnPanel>(std::move(content));
    panels.push_back({kept->title, [&canvas, kept](double width) { return columnPanelHeight(canvas, *kept, width); },
                      [kept](FigureCanvas& target, const QRectF& rect, const QString& mark) {
                          ColumnPanel marked = *kept;
                          marked.title = headed(mark, kept->title);
                          drawColumnPanel(target, rect, marked);
                      },
                      kLow});
}

std::vector<FigureBlock> blocksOfRuns(const RunResults& results,
                                      const std::function<FigureBlock(const RunResult&)>& blockOf)
{
    std::vector<FigureBlock> blocks;
    const std::vector<QString> labels = runLabels(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        blocks.push_back(blockOf(*results[i]));
        if (blocks.back().panels.empty())
            blocks.back().panels.push_back(emptyPanel());
        if (results.size() > 1) {
            blocks.back().heading = labels[i];
            blocks.back().badges = runBadges(*results[i]);
        }
    }
    return blocks;
}

BlockPart legendPart(const FigureCanvas& canvas, std::vector<LegendEntry> entries)
{
    const auto kept = std::make_shared<const std::vector<LegendEntry>>(std::move(entries));
    return {[&canvas, kept](double width) { return legendHeight(canvas, *kept, width) + canvas.gap() * 2; },
            [kept](FigureCanvas& target, const QRectF& rect) {
                drawLegend(target, rect.adjusted(0, target.gap() * 2, 0, 0), *kept);
            }};
}

std::size_t panelCount(const std::vector<FigureBlock>& blocks)
{
    return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                           [](std::size_t sum, const FigureBlock& block) { return sum + block.panels.size(); });
}

std::vector<QString> panelTitles(const std::vector<FigureBlock>& blocks)
{
    std::vector<QString> titles;
    for (const FigureBlock& block : blocks) {
        for (const Panel& panel : block.panels) {
            const bool both = !block.heading.isEmpty() && !panel.title.isEmpty();
            titles.push_back(both ? FigureText::tr("%1: %2", "run: panel").arg(block.heading, panel.title)
                                  : block.heading + panel.title);
        }
    }
    return titles;
}

double pageHeight(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks, const PanelPage& page,
                  double width, bool squeezed)
{
    const PanelRoom room = roomOf(canvas, blockPages(canvas, blocks, page, width), width);
    return squeezed ? room.least : room.natural;
}

std::vector<PanelPage> pagesOf(const FigureCanvas& canvas, const std::vector<FigureBlock>& blocks,
                               const std::vector<std::size_t>& chosen, double width, double most)
{
    constexpr int kMostColumns = 3;
    const std::vector<PanelPage> whole{{chosen, 0}, {chosen, kMostColumns}};
    if (most <= 0 || canvas.preset().fixedHeight)
        return {whole.front()};
    for (const bool squeezed : {false, true}) {
        for (const PanelPage& page : whole) {
            if (pageHeight(canvas, blocks, page, width, squeezed) <= most)
                return {page};
        }
    }
    std::vector<PanelPage> loose = filled(canvas, blocks, chosen, width, most, false);
    std::vector<PanelPage> tight = filled(canvas, blocks, chosen, width, most, true);
    return loose.size() <= tight.size() ? loose : tight;
}

void drawPage(FigureCanvas& canvas, const QRectF& body, const std::vector<FigureBlock>& blocks, const PanelPage& page)
{
    const std::vector<BlockPage> parts = blockPages(canvas, blocks, page, body.width());
    std::vector<PanelRoom> rooms;
    for (const BlockPage& part : parts)
        rooms.push_back(roomOf(canvas, part, body.width()));
    const double gaps = blockGap(canvas) * static_cast<double>(parts.empty() ? 0 : parts.size() - 1);
    const std::vector<double> heights = sharedOut(rooms, body.height() - gaps);
    double y = body.top();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        drawBlock(canvas, QRectF(body.left(), y, body.width(), heights[i]), parts[i]);
        y += heights[i] + blockGap(canvas);
    }
}

QString panelLetter(std::size_t index)
{
    QString letters;
    for (std::size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26)
        letters.prepend(QChar(static_cast<char16_t>(u'a' + (rest - 1) % 26)));
    return letters;
}

QString panelMark(const FigureCanvas& canvas, std::size_t index)
{
    static const QStringList numbers{"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"};
    const auto place = static_cast<qsizetype>(index);
    const bool numbered = canvas.preset().onBoard && place < numbers.size();
    return QStringLiteral("(%1) ").arg(numbered ? numbers[place] : panelLetter(index));
}

QString panelRange(const std::vector<std::size_t>& panels)
{
    const auto marked = [](std::size_t panel) { return QStringLiteral("(%1)").arg(panelLetter(panel)); };
    const bool inOrder = panels.size() > 2 && panels.back() - panels.front() + 1 == panels.size();
    if (inOrder)
        return marked(panels.front()) + QChar(0x2013) + marked(panels.back());
    QStringList words;
    for (const std::size_t panel : panels)
        words << marked(panel);
    return words.join(QStringLiteral(", "));
}

} // namespace peakscope
