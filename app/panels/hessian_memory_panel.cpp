// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/hessian_memory_panel.h"

#include "core/results/plans/hessian_analysis.h"
#include "widgets/curvature/hessian_memory_view.h"
#include "widgets/tables/usage_tables.h"

namespace peakscope {

bool holdsHessianMemory(const RunResult& result)
{
    return result.other.contains("hessian_memory");
}

HessianMemoryPanel::HessianMemoryPanel(QWidget* parent) : QSplitter(Qt::Vertical, parent)
{
    m_bars = new HessianMemoryView(this);
    m_table = new DataTableView(this);
    m_table->setObjectName(QStringLiteral("hessian_memory"));
    addWidget(m_bars);
    addWidget(m_table);
    setStretchFactor(0, 3);
    setStretchFactor(1, 2);
    setChildrenCollapsible(false);
    connect(m_bars, &PlotView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("hessian_memory")); });
    connect(m_bars, &PlotView::showDataRequested, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_table, &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_table->objectName()); });
}

void HessianMemoryPanel::showResult(const RunResult& result)
{
    auto analysis = hessianAnalysisOf(result);
    m_table->setTable(analysis ? hessianMemoryTable(*analysis) : Table());
    m_bars->setAnalysis(analysis ? std::move(*analysis) : HessianAnalysis());
}

} // namespace peakscope
