// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Dry runs of the strategies that the Plan page shows.
#include "app/plan/plan_page.h"
#include "widgets/plan/strategy_table_view.h"

#include <algorithm>
#include <utility>

namespace peakscope {

// The stand-in is of cards of the catalogue.
void PlanPage::requestProofs()
{
    std::vector<nlohmann::json> experiments;
    const std::string& device = m_plan.device.id;
    const bool card = m_plan.device.cuda && !device.starts_with("cuda") && !device.starts_with("bytes:");
    const bool trains = m_plan.goal == name(Goal::Train) || m_plan.goal == name(Goal::DpSgd);
    if (m_provable && card && trains && !m_hidden && isVisible()) {
        for (const PlannedStrategy& each : m_plan.strategies) {
            if (!each.proved && each.experiment.is_object())
                experiments.push_back(each.experiment);
        }
    }
    m_worker.releaseMap();
    emit proofsWanted(experiments, QString::fromStdString(device));
}

void PlanPage::takeProof(const nlohmann::json& experiment, const DryProof& proof)
{
    m_worker.releaseMap();
    if (!m_provable || !applyProof(*m_provable, experiment, proof))
        return;
    const PlannedStrategy* before = strategy(m_strategies->current());
    const nlohmann::json chosen = before ? before->experiment : nlohmann::json();
    std::optional<PlannedMap> map = std::move(m_plan.map);
    m_json = m_provable->json;
    m_plan = m_provable->plan;
    m_plan.map = std::move(map);
    const auto same = std::find_if(m_plan.strategies.begin(), m_plan.strategies.end(),
                                   [&](const PlannedStrategy& each) { return each.experiment == chosen; });
    m_strategies->setPlan(m_plan, same == m_plan.strategies.end() ? 0 : int(same - m_plan.strategies.begin()));
    rebuildResult();
    fillTables();
    inspectCurrent();
    requestMeasured();
}

void PlanPage::takeProofFailure(const QString& sentence)
{
    m_worker.releaseMap();
    m_strategies->setProofFailure(sentence);
}

} // namespace peakscope
