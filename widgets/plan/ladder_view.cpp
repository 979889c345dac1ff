// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/ladder_view.h"

#include "widgets/plan/strategy_style.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/holder_words.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

QString savedText(std::int64_t saved)
{
    if (saved == 0)
        return LadderView::tr("saves nothing");
    return saved > 0 ? LadderView::tr("saves %1").arg(bytesText(saved))
                     : LadderView::tr("costs %1").arg(bytesText(-saved));
}

// "−27.2 GiB": what the step changes of the peak.
QString changeText(std::int64_t saved)
{
    return saved == 0 ? QStringLiteral("±0") : signedBytesText(-saved);
}

// What the step does, without how: that stands in the tooltip, for a name that is cut tells neither.
QString stepLabel(const PlannedStep& step)
{
    QString text = planChangeText(step.change);
    for (const auto& end : {QStringLiteral(": "), QStringLiteral("："), QStringLiteral(" ("), QStringLiteral("（"),
                            QStringLiteral(", "), QStringLiteral("，"), QStringLiteral(" instead")}) {
        if (const qsizetype at = text.indexOf(end); at > 0)
            text.truncate(at);
    }
    text.replace(QStringLiteral("->"), QStringLiteral("→"));
    return text;
}

} // namespace

LadderView::LadderView(QWidget* parent)
    : BarsView([] { return tr("Ladder: what each step saves"); }, [] { return tr("Peak of one device"); }, parent)
{
    explain(
        [] {
            return tr(
                "A bar is the predicted peak after one more change. The vertical line is the capacity of the device.");
        },
        "planning");
    connect(this, &BarsView::rowActivated, this, [this](const QString& name) { m_current = name.toInt(); });
    clear();
}

void LadderView::setLadder(std::vector<PlannedStep> steps, const PlannedDevice& device)
{
    m_steps = std::move(steps);
    m_device = device;
    m_current = -1;
    setPlaceholder([none = m_steps.empty()] { return none ? tr("This plan has no ladder.") : QString(); });
    setLimit(static_cast<double>(std::max<std::int64_t>(m_device.capacityBytes(), 0)));
    rebuild();
}

void LadderView::clear()
{
    m_steps.clear();
    m_current = -1;
    setPlaceholder(
        [] { return tr("Shows what saves memory, step by step and exact steps first, once strategies are ranked."); });
    rebuild();
}

void LadderView::rebuild()
{
    std::vector<BarRow> rows;
    std::array<bool, kVerdictCount> present{};
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const PlannedStep& step = m_steps[i];
        const QColor color = verdictFill(step.verdict);
        present[static_cast<std::size_t>(step.verdict)] = true;
        BarRow row;
        row.name = QString::number(i);
        row.shortLabel = stepLabel(step);
        row.label = step.tier && i > 0 ? tr("%1 · %2", "tier, step").arg(tierTitle(*step.tier), row.shortLabel)
                                       : row.shortLabel;
        // Short, so that it has room beside its bar in a narrow view; the tooltip has both numbers.
        const bool start = i == 0 && step.savedBytes == 0;
        const QString value = start ? bytesText(step.peakBytes) : changeText(step.savedBytes);
        row.tooltip = tr("<b>%1</b><br>Predicted peak: %2<br>%3<br>%4")
                          .arg(planChangeText(step.change).toHtmlEscaped(), bytesText(step.peakBytes),
                               savedText(step.savedBytes), verdictDefinition(step.verdict).toHtmlEscaped());
        if (step.tier)
            row.tooltip += QStringLiteral("<br>") + tierDefinition(*step.tier).toHtmlEscaped();
        Bar bar;
        bar.segments.push_back(
            {static_cast<double>(step.peakBytes), predictedBrush(color, theme()), QPen(color, 1), tr("peak")});
        if (step.savedBytes > 0)
            bar.segments.push_back(
                {static_cast<double>(step.savedBytes), Qt::NoBrush, QPen(theme().axis, 1, Qt::DashLine), tr("saved")});
        bar.valueText = value;
        row.bars.push_back(std::move(bar));
        rows.push_back(std::move(row));
    }
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < kVerdictCount; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (present[i])
            entries.push_back(
                {verdictTitle(verdict), predictedBrush(verdictFill(verdict), theme()), QPen(verdictFill(verdict), 1)});
    }
    if (!m_steps.empty()) {
        entries.push_back(
            {tr("Hatched: predicted"), predictedBrush(theme().mutedText, theme()), QPen(theme().mutedText, 1)});
        entries.push_back({tr("Saved by this step"), Qt::NoBrush, QPen(theme().axis, 1, Qt::DashLine)});
        if (m_device.capacityBytes() > 0)
            entries.push_back(
                {tr("Usable less context: %1").arg(bytesText(m_device.capacityBytes())), theme().warning, Qt::NoPen});
    }
    legend()->setEntries(std::move(entries));
    setRows(std::move(rows));
}

bool LadderView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == plot() && event->type() == QEvent::MouseButtonDblClick) {
        const int row = rowAt(static_cast<QMouseEvent*>(event)->position().y());
        if (row >= 0) {
            emit stepActivated(row);
            return true; // elsewhere a double click shows everything
        }
    }
    if (watched == plot() && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_current >= 0) {
            emit stepActivated(m_current);
            return true;
        }
    }
    return BarsView::eventFilter(watched, event);
}

QString LadderView::summary() const
{
    if (m_steps.empty())
        return tr("No steps.");
    const auto best = std::max_element(m_steps.begin(), m_steps.end(), [](const PlannedStep& a, const PlannedStep& b) {
        return a.savedBytes < b.savedBytes;
    });
    return tr("%1 steps from %2 to %3. The largest saving is %4, by: %5.")
        .arg(QString::number(m_steps.size()), bytesText(m_steps.front().peakBytes), bytesText(m_steps.back().peakBytes),
             bytesText(best->savedBytes), planChangeText(best->change));
}

} // namespace peakscope
