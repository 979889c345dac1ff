// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/collective_view.h"

#include "widgets/timeline/collective_chart.h"

namespace peakscope {

CollectiveView::CollectiveView(QWidget* parent)
    : ChartView([] { return tr("Collectives"); }, std::make_unique<CollectiveChart>(), parent),
      m_chart(static_cast<CollectiveChart&>(chart()))
{
    explain(
        [] {
            return tr(
                "A bar is what a rank's collectives send in a phase, over all measured steps. A collective counts "
                "in the phase in which it begins.");
        },
        "sharding");
    setRank({}, 0);
}

void CollectiveView::setRank(const RunResult& result, std::size_t index)
{
    m_chart.setRank(result, index);
    setPlaceholder(
        [none = m_chart.empty()] { return none ? tr("No collectives of this rank are known.") : QString(); });
    setCurrent(std::nullopt);
    showChart();
}

} // namespace peakscope
