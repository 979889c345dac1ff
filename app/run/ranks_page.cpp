// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/ranks_page.h"

#include "core/results/dry_result.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/timeline/ranks_view.h"

#include <QLabel>

#include <algorithm>
#include <utility>

namespace peakscope {

RanksPage::RanksPage(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this);
    m_view = new RanksView(this);
    m_view->setObjectName(QStringLiteral("ranksView"));
    m_margin = new QLabel(this);
    m_margin->setObjectName(QStringLiteral("ranksMargin"));
    m_margin->setWordWrap(true);
    m_margin->setContentsMargins(8, 2, 8, 2);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_margin);
    inLanguage(this, [this] { showMargin(); });
}

void RanksPage::showMargin()
{
    m_margin->setVisible(m_marginBytes > 0);
    m_margin->setText(tr("Not drawn: NCCL may take %1 more on each GPU, a margin that users of other cards reported.")
                          .arg(bytesText(m_marginBytes)));
}

void RanksPage::showNothing()
{
    m_showsLive = false;
    m_ranks = 0;
    m_marginBytes = 0;
    showMargin();
    m_view->setRanks({}, {});
}

void RanksPage::showDocument(const RunDocument& document)
{
    m_showsLive = false;
    const std::vector<RankSection>& ranks = document.result->ranks;
    m_ranks = static_cast<int>(ranks.size());
    if (m_ranks < 2) {
        showNothing();
        return;
    }
    m_marginBytes = outsideBytes(*document.result, "communicator_bytes");
    showMargin();
    m_view->setBadge([synthetic = document.result->synthetic, dry = isDry(*document.result)] {
        return synthetic ? tr("synthetic") : dry ? tr("dry run") : QString();
    });
    m_view->setRanks(rankLanes(ranks, document.rankTimelines), rankBalance(ranks));
}

void RanksPage::beginLive()
{
    m_live.clear();
    if (m_showsLive)
        showGrown(true);
}

void RanksPage::appendLive(const std::vector<RankBatch>& batches)
{
    for (const RankBatch& batch : batches) {
        LiveRank& rank = m_live[batch.rank];
        rank.timeline->append(batch.timeSeconds, batch.deltaBytes, batch.component);
        rank.phases.insert(rank.phases.end(), batch.phases.begin(), batch.phases.end());
        m_changed = true;
    }
    if (m_showsLive)
        m_ranks = static_cast<int>(m_live.size());
}

void RanksPage::showLive()
{
    m_view->setBadge({});
    m_marginBytes = 0;
    showMargin();
    m_showsLive = true;
    showGrown(true);
}

void RanksPage::refreshLive()
{
    if (m_showsLive && m_changed && isVisible())
        showGrown(false);
}

void RanksPage::showGrown(bool anew)
{
    m_changed = false;
    m_ranks = static_cast<int>(m_live.size());
    std::vector<RankSection> sections; // what is known while they run: the memory until now
    std::vector<std::shared_ptr<const MemoryTimeline>> timelines;
    for (const auto& [number, rank] : m_live) {
        RankSection section;
        section.rank = number;
        section.memory.emplace();
        section.memory->peakBytes = rank.timeline->peakBytes();
        section.memory->phases = rank.phases;
        sections.push_back(std::move(section));
        timelines.push_back(rank.timeline);
    }
    if (anew)
        m_view->setRanks(rankLanes(sections, timelines), rankBalance(sections));
    else
        m_view->refresh(rankLanes(sections, timelines), rankBalance(sections));
}

} // namespace peakscope
