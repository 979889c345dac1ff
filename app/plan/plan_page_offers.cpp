// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the Plan page asks and offers about a strategy, a cell of the map or a step of the ladder.
#include "app/parts/message_bar.h"
#include "app/plan/plan_page.h"
#include "app/plan/plan_words.h"

#include <utility>

namespace peakscope {

void PlanPage::ask(LanguageText question, const std::vector<MessageBar::Action>& answers)
{
    m_question = m_messages->showMessage(MessageBar::Kind::Info, std::move(question), answers);
}

void PlanPage::dropQuestion()
{
    if (m_messages->shows(std::exchange(m_question, 0)))
        m_messages->dismiss();
}

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
    const auto cell = m_plan.map ? m_plan.map->find(sequence, batch) : std::nullopt;
    if (!cell || !m_plan.map->experiment.is_object())
        return;
    if (m_plan.map->possible(*cell))
        offer(cellSentence(*m_plan.map, *cell), experimentForCell(m_plan.map->experiment, sequence, batch));
    else
        say(MessageBar::Kind::Info, cellSentence(*m_plan.map, *cell));
}

void PlanPage::offerStep(int index)
{
    if (index >= 0 && index < static_cast<int>(m_plan.ladder.size())) {
        const PlannedStep& step = m_plan.ladder[static_cast<std::size_t>(index)];
        offer(stepSentence(step), step.experiment);
    }
}

} // namespace peakscope
