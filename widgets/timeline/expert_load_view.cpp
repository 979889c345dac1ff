// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/expert_load_view.h"

#include "widgets/timeline/expert_load_chart.h"

namespace peakscope {

ExpertLoadView::ExpertLoadView(QWidget* parent)
    : ChartView([] { return tr("Expert loads"); }, std::make_unique<ExpertLoadChart>(), parent),
      m_chart(static_cast<ExpertLoadChart&>(chart()))
{
    explain(
        [] {
            return tr("A cell is an expert of a layer, coloured by the tokens that went there. 1 × is an even share.");
        },
        "estimates");
    setSection({});
}

void ExpertLoadView::setSection(ExpertSection section)
{
    m_chart.setSection(std::move(section));
    setPlaceholder([none = m_chart.empty()] {
        return none ? tr("Shows how many tokens each expert of a mixture had.") : QString();
    });
    setCurrent(std::nullopt);
    showChart();
}

} // namespace peakscope
