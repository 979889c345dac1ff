// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/plan/plan_figure.h"

#include "widgets/figures/page/figure_axis.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/theme.h"
#include "widgets/plan/strategy_style.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

const TextStyle kCaption{TextSize::Small, false, true};

QStringList captionLines(const FigureCanvas& canvas, const QStringList& parts, double width)
{
    QStringList lines;
    for (const QString& part : parts) {
        const QString longer = lines.isEmpty() ? part : lines.last() + QStringLiteral(" · ") + part;
        if (!lines.isEmpty() && canvas.width(longer, kCaption) <= width)
            lines.last() = longer;
        else
            lines << canvas.elided(part, width, kCaption);
    }
    return lines;
}

} // namespace

PlanDocument figurePlan(const RunResult& run)
{
    Result<PlanDocument> plan = planOf(run);
    return plan ? std::move(plan).value() : PlanDocument();
}

Status checkPlan(const RunResult& run, bool withMap)
{
    if (!isPlan(run))
        return failed({}, "it is no plan; peakscope-cli recommend --json and the Plan workspace make one");
    const Result<PlanDocument> plan = planOf(run);
    if (!plan)
        return plan.error();
    if (withMap && !plan->map)
        return failed(
            {},
            "this plan holds no capacity map; recommend --json --map writes one, and the Plan workspace saves its own");
    if (!withMap && plan->strategies.empty())
        return failed({}, "this plan holds no strategies");
    return Done{};
}

QString countText(double count)
{
    static constexpr std::pair<double, const char*> kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (const auto& [unit, letter] : kUnits) {
        if (count >= unit)
            return QLocale().toString(count / unit, 'g', 3) + QChar(0xa0) + QLatin1String(letter);
    }
    return QLocale().toString(count, 'f', 0);
}

QStringList planCaption(const PlanDocument& plan)
{
    QString model = QString::fromStdString(plan.model);
    if (plan.parameters > 0)
        model = FigureText::tr("%1 (%2 parameters)").arg(model, countText(static_cast<double>(plan.parameters)));
    QStringList parts{model};
    if (!plan.goal.empty())
        parts << goalTitle(plan.goal);
    if (!plan.device.name.empty()) {
        const QString device = QString::fromStdString(plan.device.name);
        parts << (plan.device.usableBytes > 0
                      ? FigureText::tr("%1, %2 usable")
                            .arg(device, bytesText(static_cast<double>(plan.device.usableBytes)))
                      : device);
    }
    parts << FigureText::tr("predicted for Peakscope's own training step"); // estimated_loop.h
    return parts;
}

double captionHeight(const FigureCanvas& canvas, const QStringList& parts, double width)
{
    if (canvas.preset().captionApart || parts.isEmpty())
        return 0;
    return static_cast<double>(captionLines(canvas, parts, width).size()) * canvas.lineHeight(TextSize::Small) +
           canvas.gap();
}

BlockPart captionPart(const FigureCanvas& canvas, QStringList parts)
{
    return {[&canvas, parts](double width) { return captionHeight(canvas, parts, width); },
            [parts](FigureCanvas& target, const QRectF& rect) { drawCaption(target, rect, parts); }};
}

BlockPart captionPart(const FigureCanvas& canvas, QStringList numbered, QStringList unnumbered,
                      std::shared_ptr<NumbersDrawn> drawn)
{
    return {[&canvas, numbered, unnumbered](double width) {
                return std::max(captionHeight(canvas, numbered, width), captionHeight(canvas, unnumbered, width));
            },
            [numbered, unnumbered, drawn](FigureCanvas& target, const QRectF& rect) {
                drawCaption(target, rect, std::exchange(drawn->all, true) ? numbered : unnumbered);
            }};
}

void drawCaption(FigureCanvas& canvas, const QRectF& rect, const QStringList& parts)
{
    if (canvas.preset().captionApart)
        return canvas.addCaption(parts);
    double y = rect.top() + canvas.lineHeight(TextSize::Small) / 2;
    for (const QString& line : captionLines(canvas, parts, rect.width())) {
        canvas.text({rect.left(), y}, line, Qt::AlignLeft, kCaption);
        y += canvas.lineHeight(TextSize::Small);
    }
}

std::vector<FigureBlock> planBlocks(const FigureCanvas& canvas, const RunResults& results, double least,
                                    double (*height)(const FigureCanvas&, const RunResult&, double width),
                                    void (*draw)(FigureCanvas&, const QRectF&, const RunResult&))
{
    return blocksOfRuns(results, [&canvas, least, height, draw](const RunResult& run) {
        FigureBlock block;
        block.panels.push_back(
            {QString(), [&canvas, &run, height](double width) { return height(canvas, run, width); },
             [&run, draw](FigureCanvas& target, const QRectF& rect, const QString&) { draw(target, rect, run); },
             least});
        return block;
    });
}

Table labelled(Table table, const QString& plan)
{
    table.columns.insert(table.columns.begin(), {"plan", ""});
    for (auto& row : table.rows)
        row.insert(row.begin(), plan.toStdString());
    return table;
}

} // namespace peakscope
