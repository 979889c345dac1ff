// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/hessian_memory_view.h"

#include "widgets/curvature/hessian_memory_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/mark_ticker.h"
#include "widgets/text/bytes_text.h"

#include <qcustomplot.h>

#include <QActionGroup>

#include <utility>

namespace peakscope {

namespace {

// The views of bars think in bytes, at least a KiB of them: a doubling is as many places.
constexpr double kDoubling = 1024;

QString modelTitle(const HessianAnalysisModel& model)
{
    return QString::fromStdString(model.model).section(u'/', -1);
}

QString toolTipOf(const HessianAnalysisModel& model, const HessianStrategy& strategy)
{
    QString text = QStringLiteral("<b>%1 · %2</b><br>%3")
                       .arg(QString::fromStdString(model.model).toHtmlEscaped(), hessianStrategyTitle(strategy.kind),
                            HessianMemoryView::tr("Sum: %1").arg(largeBytesText(strategy.total)));
    for (const HessianPart& part : hessianParts(strategy)) {
        if (!part.name.isEmpty())
            text += QStringLiteral("<br>%1: %2").arg(part.name, largeBytesText(part.bytes));
    }
    return text;
}

} // namespace

HessianMemoryView::HessianMemoryView(QWidget* parent)
    : BarsView([] { return tr("Memory of a Hessian, by strategy"); }, [] { return tr("Memory"); }, parent)
{
    explain([] { return tr("A bar is the memory of a model's Hessian under one strategy, from the imported file."); },
            "curvature");
    setBadge([] { return tr("imported"); }, false);
    m_byteTicker = plot()->xAxis->ticker();
    // After the label of an axis of bytes, which follows the range as well.
    const auto sayAxis = [this] {
        if (m_mode == Mode::Sums)
            plot()->xAxis->setLabel(tr("Memory (logarithmic)"));
    };
    connect(plot()->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, sayAxis);
    inLanguage(this, sayAxis);
    m_modes = addViewChoices({{static_cast<int>(Mode::Sums), [] { return tr("Sums (logarithmic)"); }},
                              {static_cast<int>(Mode::Parts), [] { return tr("Parts (linear)"); }}},
                             static_cast<int>(m_mode), [this](int mode) { setMode(static_cast<Mode>(mode)); });
}

void HessianMemoryView::setAnalysis(HessianAnalysis analysis)
{
    m_analysis = std::move(analysis);
    setPlaceholder([none = m_analysis.models.empty()] {
        return none ? tr("The Hessian sizes in this result cannot be read.") : QString();
    });
    setMode(m_mode);
}

void HessianMemoryView::setMode(Mode mode)
{
    m_mode = mode;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(mode));
    if (mode == Mode::Parts)
        plot()->xAxis->setTicker(m_byteTicker);
    else
        setMarks(plot()->xAxis, [scale = hessianByteScale(m_analysis)](double low, double high, int most) {
            std::vector<AxisMark> marks = scale.marks(low / kDoubling, high / kDoubling, most);
            for (AxisMark& mark : marks)
                mark.place *= kDoubling;
            return marks;
        });
    rebuild();
}

void HessianMemoryView::rebuild()
{
    const HessianByteScale scale = hessianByteScale(m_analysis);
    const bool sums = m_mode == Mode::Sums;
    std::vector<BarRow> rows;
    for (const HessianAnalysisModel& model : m_analysis.models) {
        const std::vector<HessianStrategy> strategies = hessianStrategies(model);
        const double most = hessianLinearMost(strategies);
        for (const HessianStrategy& strategy : strategies) {
            BarRow row;
            row.name = QString::fromStdString(model.model + " " + std::string(name(strategy.kind)));
            row.label = tr("%1 · %2", "model, strategy").arg(modelTitle(model), hessianStrategyTitle(strategy.kind));
            row.tooltip = toolTipOf(model, strategy);
            Bar bar;
            bar.valueText = largeBytesText(strategy.total);
            if (sums)
                bar.segments.push_back({scale.place(strategy.total) * kDoubling, componentColor(Component::Hessian),
                                        Qt::NoPen, QString()});
            else if (strategy.total > most)
                bar.valueText = tr("%1, beyond this axis").arg(bar.valueText);
            else
                for (const HessianPart& part : hessianParts(strategy))
                    bar.segments.push_back({part.bytes, componentColor(part.component), Qt::NoPen, part.name});
            row.bars.push_back(std::move(bar));
            rows.push_back(std::move(row));
        }
    }
    std::vector<LegendStrip::Entry> entries;
    for (const HessianPart& part : sums ? std::vector<HessianPart>() : hessianPartWords())
        entries.push_back({part.name, componentColor(part.component), Qt::NoPen});
    legend()->setEntries(std::move(entries));
    setRows(std::move(rows));
}

QString HessianMemoryView::summary() const
{
    QStringList sentences;
    for (const HessianAnalysisModel& model : m_analysis.models) {
        QStringList sums;
        for (const HessianStrategy& strategy : hessianStrategies(model))
            sums << tr("%1 %2", "strategy, memory")
                        .arg(hessianStrategyTitle(strategy.kind), largeBytesText(strategy.total));
        sentences << tr("%1: %2.", "model, memory of strategies").arg(modelTitle(model), sums.join(tr(", ")));
    }
    return sentences.isEmpty() ? tr("No models.") : sentences.join(u' ');
}

QString HessianMemoryView::visibleDataTsv() const
{
    return QString::fromStdString(toTsv(hessianMemoryTable(m_analysis)));
}

} // namespace peakscope
