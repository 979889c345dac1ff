// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// operation_level_breakdown: the operators that allocate most and those that take most time, split by the part of the
// step in which they ran.
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_data.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"

#include "core/results/tables.h"

#include <algorithm>

namespace peakscope {
namespace operator_breakdown_figure {
namespace {

Status checkRun(const RunResult& run)
{
    if (!run.memory || run.memory->operators.empty())
        return failed({}, "it holds no memory by operator; profile it with the memory ledger");
    return Done{};
}

constexpr std::size_t kMostOperators = 10;

// Indexed by StepPart. Parts of a step are no components: their colours are softer than any of those.
struct Part {
    std::string_view name; // in files
    const char* title;
    Fill fill;
};
const std::array<Part, kStepPartCount> kParts{{
    {"forward", QT_TRANSLATE_NOOP("peakscope::FigureText", "Forward"), {QColor(0x6b, 0xa3, 0xd6), Hatch::None, {}}},
    {"norms",
     QT_TRANSLATE_NOOP("peakscope::FigureText", "Norms"),
     {QColor(0xe6, 0xd8, 0x5c), Hatch::Falling, QColor(0x7d, 0x70, 0x14)}},
    {"backward",
     QT_TRANSLATE_NOOP("peakscope::FigureText", "Backward"),
     {QColor(0xf2, 0xc1, 0x78), Hatch::Rising, QColor(0x9a, 0x6a, 0x1e)}},
    {"optimizer_step",
     QT_TRANSLATE_NOOP("peakscope::FigureText", "Optimiser step"),
     {QColor(0x7c, 0xc2, 0xa0), Hatch::Crossed, QColor(0x2e, 0x6b, 0x4d)}},
    {"other",
     QT_TRANSLATE_NOOP("peakscope::FigureText", "Other phases"),
     {QColor(0xd0, 0xd0, 0xd0), Hatch::Dots, QColor(0x70, 0x70, 0x70)}},
}};

template <typename Values, typename Text>
FigureBarRow rowOf(const QString& title, const Values& values, Text text)
{
    FigureBarRow row;
    row.name = title;
    FigureBar bar;
    double sum = 0;
    for (std::size_t part = 0; part < kStepPartCount; ++part) {
        const auto value = static_cast<double>(values[part]);
        sum += value;
        if (value > 0)
            bar.parts.push_back({value, kParts[part].fill});
    }
    bar.label = text(sum);
    row.bars.push_back(std::move(bar));
    return row;
}

// The operators with the largest totals, and one row for all others together. `values` picks what is compared.
template <typename Pick, typename Text>
std::vector<FigureBarRow> topRows(std::vector<OperatorTotals> totals, Pick pick, Text text)
{
    const auto total = [&pick](const OperatorTotals& op) {
        double sum = 0;
        for (const auto value : pick(op))
            sum += static_cast<double>(value);
        return sum;
    };
    totals.erase(std::remove_if(totals.begin(), totals.end(), [&](const auto& op) { return !(total(op) > 0); }),
                 totals.end());
    // Equal totals stay in the order of their names.
    std::stable_sort(totals.begin(), totals.end(), [&](const auto& a, const auto& b) { return total(a) > total(b); });
    std::vector<FigureBarRow> rows;
    std::array<double, kStepPartCount> rest{};
    for (std::size_t i = 0; i < totals.size(); ++i) {
        if (i < kMostOperators) {
            rows.push_back(rowOf(QString::fromStdString(totals[i].name), pick(totals[i]), text));
            continue;
        }
        for (std::size_t part = 0; part < kStepPartCount; ++part)
            rest[part] += static_cast<double>(pick(totals[i])[part]);
    }
    if (totals.size() > kMostOperators) {
        const auto count = static_cast<int>(totals.size() - kMostOperators);
        rows.push_back(rowOf(FigureText::tr("%n others", nullptr, count), rest, text));
    }
    return rows;
}

double longestBar(const std::vector<FigureBarRow>& rows)
{
    double most = 0;
    for (const FigureBarRow& row : rows) {
        double sum = 0;
        for (const BarPart& part : row.bars.front().parts)
            sum += part.value;
        most = std::max(most, sum);
    }
    return most;
}

BarPanel bytesPanel(const RunResult& run)
{
    BarPanel panel;
    panel.title = FigureText::tr("Operators by allocated memory");
    panel.rows = topRows(
        operatorTotals(*run.memory), [](const OperatorTotals& op) { return op.bytes; },
        [](double bytes) { return bytesText(bytes); });
    panel.unit = byteUnit(longestBar(panel.rows));
    panel.axisTitle = FigureText::tr("Allocated over all calls (%1)").arg(panel.unit.name);
    return panel;
}

BarPanel secondsPanel(const RunResult& run)
{
    BarPanel panel;
    panel.title = FigureText::tr("Operators by own time");
    panel.rows = topRows(
        operatorTotals(*run.memory), [](const OperatorTotals& op) { return op.seconds; }, secondsText);
    panel.unit = timeUnit(longestBar(panel.rows));
    panel.axisTitle = FigureText::tr("Time in all calls (%1)").arg(panel.unit.name);
    return panel;
}

std::vector<LegendEntry> legendOf(const RunResult& run)
{
    std::array<bool, kStepPartCount> used{};
    for (const OperatorTotals& op : operatorTotals(*run.memory)) {
        for (std::size_t part = 0; part < kStepPartCount; ++part)
            used[part] = used[part] || op.bytes[part] > 0 || op.seconds[part] > 0;
    }
    std::vector<LegendEntry> entries;
    for (std::size_t part = 0; part < kStepPartCount; ++part) {
        if (used[part])
            entries.push_back({FigureText::tr(kParts[part].title), kParts[part].fill, {}, {}});
    }
    return entries;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run)
{
    FigureBlock block;
    addPanel(block.panels, canvas, bytesPanel(run));
    BarPanel seconds = secondsPanel(run);
    QStringList said;
    if (seconds.rows.empty())
        said << (run.other.contains("dry") ? FigureText::tr("No times: a dry run computes nothing")
                                           : FigureText::tr("No times of operators were recorded"));
    addPanel(block.panels, canvas, std::move(seconds));
    said << takeLonePanels(block.panels);
    if (!said.isEmpty())
        block.above = captionPart(canvas, said);
    block.below = legendPart(canvas, legendOf(run));
    return block;
}

std::string csv(const RunResults& results)
{
    const std::vector<QString> labels = runLabels(results);
    Table table;
    table.columns = {{"run", ""}, {"operator", ""}, {"part", ""}, {"allocated_bytes", "bytes"}, {"seconds", "seconds"}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        for (const OperatorTotals& op : operatorTotals(*results[i]->memory)) {
            for (std::size_t part = 0; part < kStepPartCount; ++part)
                table.rows.push_back({labels[i].toStdString(), op.name, std::string(kParts[part].name), op.bytes[part],
                                      op.seconds[part]});
        }
    }
    return toCsv(table);
}

} // namespace
} // namespace operator_breakdown_figure

constinit const FigureKind kOperatorBreakdownFigure{
    QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory and time by operator"), &operator_breakdown_figure::checkRun,
    &operator_breakdown_figure::csv, &eachRun<&operator_breakdown_figure::blockOf>};

} // namespace peakscope
