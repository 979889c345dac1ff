// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// strategy_table: the ranked strategies of a plan, each with its verdict, its predicted memory as a stacked bar against
// the device's capacity, and its numbers, under a heading for each part of the list. A narrow column writes the names
// above the bars.
#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/note_words.h"

#include "core/results/tables.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace strategy_table_figure {
namespace {

constexpr TextSize kSize = TextSize::Small;
constexpr std::size_t kMostRows = 12; // of a figure; its data hold all

Status checkRun(const RunResult& run)
{
    return checkPlan(run, false);
}

// Where the columns of a wide page stand; all zero on a narrow one.
struct Columns {
    bool wide = false;
    std::vector<QStringList> titles;                                         // of a narrow page's rows, in lines
    double rank = 0, verdict = 0, title = 0, peak = 0, margin = 0, step = 0; // widths
};

struct RowTexts {
    QString rank, verdict, title, peak, margin, step;
};

RowTexts textsOf(const PlannedStrategy& strategy, std::size_t index)
{
    QString title = strategyTitleText(strategy.title);
    if (!strategy.verified)
        title += QStringLiteral(" *");
    return {QLocale().toString(static_cast<qulonglong>(index + 1)),
            verdictText(strategy.verdict, strategy.devicesNeeded),
            title,
            bytesText(strategy.peakBytes),
            bytesText(strategy.marginBytes),
            strategy.stepSeconds > 0 ? secondsText(strategy.stepSeconds) : QStringLiteral("–")};
}

RowTexts headTexts()
{
    return {QStringLiteral("#"),    FigureText::tr("Verdict"), FigureText::tr("Strategy"),
            FigureText::tr("Peak"), FigureText::tr("Margin"),  FigureText::tr("Step")};
}

double swatchWidth(const FigureCanvas& canvas)
{
    return canvas.fontPt(kSize) * 0.8;
}

double verdictWidth(const FigureCanvas& canvas, const RowTexts& texts)
{
    return swatchWidth(canvas) + canvas.gap() + canvas.width(texts.verdict, {kSize});
}

// The title of a narrow page's row: beside the verdict, and what is too long for that in lines under it, whole, since
// rows often differ at their ends only. Broken between its parts, or between words where a part is too long for a line.
QStringList titleLines(const FigureCanvas& canvas, const RowTexts& texts, double width)
{
    const TextStyle style{kSize, true};
    const QString comma = listComma(), end = comma.trimmed();
    QStringList parts = (texts.rank + QStringLiteral("  ") + texts.title).split(comma);
    for (QString& part : parts) {
        if (&part != &parts.back())
            part += end;
    }
    QStringList lines{QString()};
    const double first = width - verdictWidth(canvas, texts) - canvas.gap() * 2;
    const auto fits = [&](const QString& line) {
        return canvas.width(line, style) <= (lines.size() == 1 ? first : width);
    };
    const auto add = [&](const QString& gap, const QString& piece) {
        const QString longer = lines.back().isEmpty() ? piece : lines.back() + gap + piece;
        if (fits(longer) || lines.back().isEmpty())
            lines.back() = longer;
        else
            lines << piece;
    };
    const QString gap = comma.sliced(end.size());
    for (const QString& part : parts) {
        if (canvas.width(part, style) <= width && (fits(part) || !lines.back().isEmpty())) {
            add(gap, part);
            continue;
        }
        QString before = gap;
        for (const QString& word : part.split(u' ')) {
            add(before, word);
            before = QStringLiteral(" ");
        }
    }
    for (QString& line : lines) // a word may be longer than one
        line = canvas.elided(line, &line == &lines.front() ? first : width, style);
    return lines;
}

Columns columnsFor(const FigureCanvas& canvas, const PlanDocument& plan, std::size_t rows, double width)
{
    Columns columns;
    double title = 0;
    const auto widen = [&canvas](double& column, const QString& text) {
        column = std::max(column, canvas.width(text, {kSize, true}));
    };
    const auto take = [&](const RowTexts& texts) {
        widen(columns.rank, texts.rank);
        widen(columns.verdict, texts.verdict);
        widen(title, texts.title);
        widen(columns.peak, texts.peak);
        widen(columns.margin, texts.margin);
        widen(columns.step, texts.step);
    };
    take(headTexts());
    for (std::size_t i = 0; i < rows; ++i)
        take(textsOf(plan.strategies[i], i));
    columns.verdict += swatchWidth(canvas) + canvas.gap();
    const double gaps = canvas.gap() * 2.5 * 6;
    const double fixed = columns.rank + columns.verdict + columns.peak + columns.margin + columns.step + gaps;
    const double em = canvas.fontPt(kSize);
    columns.title = std::min(title, std::max(em * 14, (width - fixed) * 0.62));
    columns.wide = width - fixed - columns.title >= em * 14;
    for (std::size_t i = 0; i < rows && !columns.wide; ++i) {
        const RowTexts texts = textsOf(plan.strategies[i], i);
        columns.titles.push_back(titleLines(canvas, texts, width));
    }
    return columns;
}

double titleHeight(const FigureCanvas& canvas, const Columns& columns, std::size_t row)
{
    return columns.wide ? 0 : canvas.lineHeight(kSize) * static_cast<double>(columns.titles[row].size());
}

double rowHeight(const FigureCanvas& canvas, const Columns& columns, std::size_t row)
{
    return canvas.lineHeight(kSize) * (columns.wide ? 1.3 : 1.25) + titleHeight(canvas, columns, row);
}

double rowsHeight(const FigureCanvas& canvas, const Columns& columns, std::size_t rows)
{
    double height = 0;
    for (std::size_t row = 0; row < rows; ++row)
        height += rowHeight(canvas, columns, row);
    return height;
}

double partHeadingHeight(const FigureCanvas& canvas)
{
    return canvas.lineHeight(kSize) * 1.5;
}

// Of the headings that stand above the first `rows` strategies.
double partHeadingsHeight(const FigureCanvas& canvas, const PlanDocument& plan, std::size_t rows)
{
    const auto headings = partHeadings(plan);
    const auto last = headings.begin() + static_cast<std::ptrdiff_t>(rows);
    const auto count = std::count_if(headings.begin(), last, [](const auto& part) { return part.has_value(); });
    return static_cast<double>(count) * partHeadingHeight(canvas);
}

QStringList captionOf(const PlanDocument& plan, std::size_t rows)
{
    QStringList parts = planCaption(plan);
    if (rows < plan.strategies.size())
        parts << FigureText::tr("%1 of %2 strategies")
                     .arg(QString::number(rows), QString::number(plan.strategies.size()));
    const auto unverified = [](const PlannedStrategy& strategy) { return !strategy.verified; };
    if (std::any_of(plan.strategies.begin(), plan.strategies.begin() + static_cast<std::ptrdiff_t>(rows), unverified))
        parts << FigureText::tr("* not checked against measurements");
    return parts;
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const PlanDocument& plan, std::size_t rows)
{
    std::vector<LegendEntry> entries;
    if (plan.device.contextBytes > 0)
        entries.push_back({FigureText::tr("Context"), Fill{canvas.colors().grid}, {}, {}});
    for (const Component component : strategyComponents(plan, rows))
        entries.push_back({componentTitle(component), predictedFill(canvas.colors(), component), {}, {}});
    bool reserved = false;
    for (std::size_t i = 0; i < rows; ++i)
        reserved = reserved || plan.strategies[i].reservedBytes > plan.strategies[i].peakBytes;
    if (reserved)
        entries.push_back({reservedTitle(), Fill{canvas.colors().background}, {}, {}});
    if (plan.device.usableBytes > 0)
        entries.push_back({FigureText::tr("Usable"), {}, Dash::Solid, canvas.colors().warning});
    return entries;
}

double fixedHeight(const FigureCanvas& canvas, const QStringList& caption, const std::vector<LegendEntry>& legend,
                   const Columns& columns, double width)
{
    return captionHeight(canvas, caption, width) + (columns.wide ? canvas.lineHeight(kSize) * 1.2 : 0) +
           bottomAxisHeight(canvas, true) + canvas.gap() * 3 + legendHeight(canvas, legend, width);
}

struct Layout {
    std::size_t rows = 0;
    Columns columns;
    QStringList caption;
    std::vector<LegendEntry> legend;
    double height = 0;
};

// As many rows as the height allows; all that a figure may have where it is 0.
Layout layoutFor(const FigureCanvas& canvas, const PlanDocument& plan, double width, double height)
{
    Layout layout;
    layout.rows = std::min(plan.strategies.size(), kMostRows);
    for (;;) {
        layout.columns = columnsFor(canvas, plan, layout.rows, width);
        layout.legend = legendOf(canvas, plan, layout.rows);
        layout.caption = captionOf(plan, layout.rows);
        layout.height = fixedHeight(canvas, layout.caption, layout.legend, layout.columns, width) +
                        partHeadingsHeight(canvas, plan, layout.rows) + rowsHeight(canvas, layout.columns, layout.rows);
        if (height <= 0 || layout.height <= height + 0.5 || layout.rows <= 1)
            return layout;
        --layout.rows;
    }
}

void drawBar(FigureCanvas& canvas, const AxisArea& area, const QRectF& slot, const PlanDocument& plan,
             const PlannedStrategy& strategy)
{
    double bytes = 0;
    const auto part = [&](std::int64_t size, const Fill& fill) {
        const double from = area.x(std::min(bytes, area.xHigh));
        bytes += static_cast<double>(size);
        const double to = area.x(std::min(bytes, area.xHigh));
        if (size > 0 && to > from)
            canvas.area(QRectF(from, slot.top(), to - from, slot.height()), fill);
    };
    part(plan.device.contextBytes, {canvas.colors().grid});
    for (const Component component : componentStackOrder())
        part(strategy.components[static_cast<std::size_t>(component)], predictedFill(canvas.colors(), component));
    const double end = std::min(strategyBytes(plan, strategy), area.xHigh);
    const QRectF box(area.x(0), slot.top(), area.x(end) - area.x(0), slot.height());
    const QPolygonF edge{box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft(), box.topLeft()};
    canvas.polyline(edge, canvas.colors().axis, canvas.hairline(), Dash::Dashed);
    if (strategyBytes(plan, strategy) <= area.xHigh)
        return;
    const double size = slot.height() * 0.45; // it goes on beyond the axis
    canvas.polygon({{box.right(), slot.center().y()},
                    {box.right() - size, slot.center().y() - size},
                    {box.right() - size, slot.center().y() + size}},
                   canvas.colors().text);
}

void drawVerdict(FigureCanvas& canvas, const QPointF& left, const RowTexts& texts, Verdict verdict)
{
    const double side = swatchWidth(canvas);
    const QRectF swatch(left.x(), left.y() - side / 2, side, side);
    canvas.rect(swatch, verdictFill(verdict));
    canvas.outline(swatch, canvas.colors().axis, canvas.hairline());
    canvas.text({swatch.right() + canvas.gap(), left.y()}, texts.verdict, Qt::AlignLeft, {kSize});
}

void drawWideRow(FigureCanvas& canvas, const QRectF& row, const Columns& columns, const RowTexts& texts,
                 std::optional<Verdict> verdict, const QRectF& bars)
{
    const double gap = canvas.gap() * 2.5;
    const double y = row.center().y();
    const TextStyle style{kSize, !verdict};
    double x = row.left();
    canvas.text({x + columns.rank, y}, texts.rank, Qt::AlignRight, style);
    x += columns.rank + gap;
    if (verdict)
        drawVerdict(canvas, {x, y}, texts, *verdict);
    else
        canvas.text({x, y}, texts.verdict, Qt::AlignLeft, style);
    x += columns.verdict + gap;
    canvas.text({x, y}, canvas.elided(texts.title, columns.title, style), Qt::AlignLeft, style);
    double right = row.right();
    for (const auto& [text, width] :
         {std::pair(texts.step, columns.step), {texts.margin, columns.margin}, {texts.peak, columns.peak}}) {
        canvas.text({right, y}, text, Qt::AlignRight, style);
        right -= width + gap;
    }
    if (!verdict)
        canvas.text({bars.left(), y}, canvas.elided(FigureText::tr("Memory of one device"), bars.width(), style),
                    Qt::AlignLeft, style);
}

void drawNarrowRow(FigureCanvas& canvas, const QRectF& row, const QStringList& lines, const RowTexts& texts,
                   Verdict verdict)
{
    double y = row.top() + canvas.lineHeight(kSize) * 0.55;
    drawVerdict(canvas, {row.right() - verdictWidth(canvas, texts), y}, texts, verdict);
    for (const QString& line : lines) {
        canvas.text({row.left(), y}, line, Qt::AlignLeft, {kSize, true});
        y += canvas.lineHeight(kSize);
    }
}

// The bars' column: what the wide page's other columns leave, or on a narrow one all but the value beside a bar.
QRectF barsRect(const FigureCanvas& canvas, const QRectF& rows, const Columns& columns)
{
    const double gap = canvas.gap() * 2.5;
    if (!columns.wide) {
        const double label = canvas.width(QStringLiteral("0000 GiB"), {kSize}) + canvas.gap();
        return rows.adjusted(canvas.gap(), 0, -label, 0);
    }
    const double left = columns.rank + columns.verdict + columns.title + 3 * gap;
    const double right = columns.peak + columns.margin + columns.step + 3 * gap;
    return rows.adjusted(left, 0, -right, 0);
}

// Where each row stands: under its part's heading, as high as its title needs, with an equal part of what is to spare.
std::vector<QRectF> rowRects(const FigureCanvas& canvas, const QRectF& rows, const PlanDocument& plan,
                             const Layout& layout)
{
    const std::size_t count = layout.rows;
    const auto headings = partHeadings(plan);
    const double spare =
        (rows.height() - partHeadingsHeight(canvas, plan, count) - rowsHeight(canvas, layout.columns, count)) /
        static_cast<double>(count);
    std::vector<QRectF> rects;
    double top = rows.top();
    for (std::size_t i = 0; i < count; ++i) {
        top += headings[i] ? partHeadingHeight(canvas) : 0;
        rects.emplace_back(rows.left(), top, rows.width(), rowHeight(canvas, layout.columns, i) + spare);
        top += rects.back().height();
    }
    return rects;
}

void drawHeadings(FigureCanvas& canvas, const std::vector<QRectF>& rects, const PlanDocument& plan)
{
    const auto headings = partHeadings(plan);
    const double height = partHeadingHeight(canvas);
    for (std::size_t i = 0; i < rects.size(); ++i) {
        if (!headings[i])
            continue;
        const QRectF& row = rects[i];
        const QString text = canvas.elided(partHeading(*headings[i]), row.width(), {kSize, true});
        canvas.text({row.left(), row.top() - height * 0.42}, text, Qt::AlignLeft, {kSize, true});
        if (i > 0)
            canvas.line({row.left(), row.top() - height * 0.92}, {row.right(), row.top() - height * 0.92},
                        canvas.colors().axis, canvas.hairline());
    }
}

void drawRows(FigureCanvas& canvas, const QRectF& rows, const PlanDocument& plan, const Layout& layout,
              const AxisArea& area)
{
    const double line = canvas.lineHeight(kSize);
    const std::vector<QRectF> rects = rowRects(canvas, rows, plan, layout);
    drawHeadings(canvas, rects, plan);
    for (std::size_t i = 0; i < layout.rows; ++i) {
        const PlannedStrategy& strategy = plan.strategies[i];
        const QRectF& row = rects[i];
        const RowTexts texts = textsOf(strategy, i);
        if (layout.columns.wide) {
            const double height = std::min(row.height() * 0.76, line * 1.6);
            drawWideRow(canvas, row, layout.columns, texts, strategy.verdict, area.rect);
            drawBar(canvas, area, QRectF(row.left(), row.center().y() - height / 2, 0, height), plan, strategy);
            continue;
        }
        drawNarrowRow(canvas, row, layout.columns.titles[i], texts, strategy.verdict);
        const double titles = titleHeight(canvas, layout.columns, i);
        const QRectF slot(row.left(), row.top() + titles + line * 0.12, 0,
                          std::min(row.height() - titles - line * 0.35, line * 1.2));
        drawBar(canvas, area, slot, plan, strategy);
        canvas.text({rows.right(), slot.center().y()}, texts.peak, Qt::AlignRight, {kSize});
    }
    if (plan.device.usableBytes > 0) {
        const double x = area.x(static_cast<double>(plan.device.usableBytes));
        // Between the names of a narrow page the line would run through words.
        for (std::size_t i = 0; i < rects.size(); ++i) {
            const QRectF& row = rects[i];
            const double inset = layout.columns.wide ? 0 : line;
            const double top = row.top() + titleHeight(canvas, layout.columns, i) + inset * 0.05;
            const double bottom = row.bottom() - inset * 0.1;
            canvas.line({x, top}, {x, bottom}, canvas.colors().warning, canvas.hairline() * 2);
        }
    }
}

double blockHeight(const FigureCanvas& canvas, const RunResult& run, double width)
{
    return layoutFor(canvas, figurePlan(run), width, 0).height;
}

void drawBlock(FigureCanvas& canvas, const QRectF& rect, const RunResult& run)
{
    const PlanDocument plan = figurePlan(run);
    const Layout layout = layoutFor(canvas, plan, rect.width(), rect.height());
    if (layout.rows == 0)
        return;
    const double line = canvas.lineHeight(kSize);
    const double caption = captionHeight(canvas, layout.caption, rect.width());
    drawCaption(canvas, rect, layout.caption);
    const double legend = legendHeight(canvas, layout.legend, rect.width());
    const double head = layout.columns.wide ? line * 1.2 : 0;
    const QRectF rows(rect.left(), rect.top() + caption + head, rect.width(),
                      rect.height() - caption - head - bottomAxisHeight(canvas, true) - canvas.gap() * 3 - legend);
    AxisArea area;
    area.rect = barsRect(canvas, rows, layout.columns);
    area.xHigh = strategyScaleBytes(plan, layout.rows);
    const AxisUnit unit = byteUnit(area.xHigh);
    const int count = std::max(2, static_cast<int>(area.rect.width() / (canvas.fontPt(kSize) * 4)));
    const Ticks ticks = roundTicks(0, area.xHigh, count, unit);
    if (layout.columns.wide) {
        const QRectF headRow(rect.left(), rows.top() - head, rect.width(), line);
        drawWideRow(canvas, headRow, layout.columns, headTexts(), std::nullopt, area.rect);
        canvas.line(rows.topLeft(), rows.topRight(), canvas.colors().axis, canvas.hairline());
        drawVerticalGrid(canvas, area, ticks);
    }
    drawRows(canvas, rows, plan, layout, area);
    drawBottomAxis(canvas, area, ticks, FigureText::tr("Predicted memory (%1)").arg(unit.name));
    drawLegend(canvas, QRectF(rect.left(), rect.bottom() - legend, rect.width(), legend), layout.legend);
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    constexpr double kLow = 0.3;
    return planBlocks(canvas, results, kLow, &blockHeight, &drawBlock);
}

std::string csv(const RunResults& results)
{
    if (results.size() == 1)
        return toCsv(strategiesTable(figurePlan(*results.front())));
    // Components differ from plan to plan, so the tables stand under one another with their own head lines.
    const std::vector<QString> labels = runLabels(results);
    std::string text;
    for (std::size_t i = 0; i < results.size(); ++i)
        text += toCsv(labelled(strategiesTable(figurePlan(*results[i])), labels[i]));
    return text;
}

} // namespace
} // namespace strategy_table_figure

constinit const FigureKind kStrategyTableFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Strategies"),
                                                &strategy_table_figure::checkRun, &strategy_table_figure::csv,
                                                &strategy_table_figure::blocks};

} // namespace peakscope
