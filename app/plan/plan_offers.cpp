// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan's page offers for a strategy, a cell of the map or a step of the ladder: to run it or to set it up.
#include "app/plan/plan_page.h"

#include "app/plan/plan_words.h"
#include "app/window/message_bar.h"

namespace peakscope {

void PlanPage::offer(const LanguageText& sentence, const nlohmann::json& experiment)
{
    if (!experiment.is_object())
        return;
    m_messages->showMessage(
        MessageBar::Kind::Info, sentence,
        {{[] { return tr("Run this"); }, [this, experiment] { emit runRequested(experiment); }},
         {[] { return tr("Open in set-up"); }, [this, experiment] { emit editRequested(experiment); }}});
}

void PlanPage::offerStrategy(int index)
{
    if (const PlannedStrategy* chosen = strategy(index))
        offer(strategySentence(*chosen), chosen->experiment);
}

void PlanPage::offerCell(qint64 sequence, qint64 batch)
{
    if (!m_plan.map || !m_plan.map->experiment.is_object())
        return;
    const PlannedMap& map = *m_plan.map;
    for (std::size_t cell = 0; cell < map.peakBytes.size(); ++cell) {
        if (map.sequences[cell / map.batches.size()] != sequence || map.batches[cell % map.batches.size()] != batch)
            continue;
        if (map.possible(cell))
            offer(cellSentence(map, cell), experimentForCell(map.experiment, sequence, batch));
        else
            say(MessageBar::Kind::Info, cellSentence(map, cell));
        return;
    }
}

void PlanPage::offerStep(int index)
{
    if (index >= 0 && index < static_cast<int>(m_plan.ladder.size())) {
        const PlannedStep& step = m_plan.ladder[static_cast<std::size_t>(index)];
        offer(stepSentence(step), step.experiment);
    }
}

} // namespace peakscope
