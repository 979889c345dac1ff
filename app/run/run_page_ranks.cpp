// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of a run in the Run workspace: side by side in place of the plots, each with its row in a table.
#include "app/run/ranks_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/run/run_timelines.h"
#include "app/snapshot/run_instant_panel.h"
#include "app/window/inspector_content.h"
#include "app/window/table_tabs.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/ranks_view.h"

#include <QVBoxLayout>

namespace peakscope {

void RunPage::buildRanks(QVBoxLayout* layout)
{
    m_ranks = new RanksPage(this);
    m_ranks->hide();
    layout->addWidget(m_ranks, 1);
    connect(m_ranks->view(), &PlotView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("memory_ranks")); });
    connect(m_ranks->view(), &PlotView::showDataRequested, this, [this] {
        setRanksWanted(false);
        m_tables->bringToFront(QStringLiteral("ranks"));
    });
    connect(m_ranks->view(), &RanksView::rankActivated, this, &RunPage::inspectRankAt);
    connect(m_header, &RunHeader::ranksToggled, this, &RunPage::setRanksWanted);
}

bool RunPage::showsRanks() const
{
    return m_ranksWanted && m_ranks->ranks() > 1 && !m_instead;
}

void RunPage::setRanksWanted(bool wanted)
{
    PlotView* single = m_timelines->shown();
    PlotView* from = showsRanks() ? m_ranks->view() : single;
    m_ranksWanted = wanted;
    PlotView* to = showsRanks() ? m_ranks->view() : single;
    m_ranks->refreshLive();
    showRanks();
    // The stretch of time that was looked at is the one looked at.
    if (from != to && from->canGoBack() && to->showsPlot())
        to->setVisibleRange(from->visibleLower(), from->visibleUpper());
}

// After what is in front has changed.
void RunPage::showRanks()
{
    const bool any = m_ranks->ranks() > 1;
    m_header->setRanks(any ? m_ranks->ranks() : 0, m_ranksWanted);
    const int tab = m_tables->indexOf(table(QStringLiteral("ranks")));
    m_tables->setTabVisible(tab, any && m_document.result);
    m_tables->setTabVisible(m_tables->indexOf(m_instant), m_instant->hasResult());
    fitPanel();
}

void RunPage::inspectRankAt(int lane)
{
    if (!m_document.result || lane < 0 || lane >= static_cast<int>(m_document.result->ranks.size()))
        return;
    const std::vector<RankSection>& ranks = m_document.result->ranks;
    const auto index = static_cast<std::size_t>(lane);
    table(QStringLiteral("ranks"))->setCurrentName(QString::number(ranks[index].rank));
    inspect([result = m_document.result, index] { return inspectRank(result->ranks, index); });
}

} // namespace peakscope
