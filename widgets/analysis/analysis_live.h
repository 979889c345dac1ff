// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the events of a running perturbation experiment say, as the Analyse workspace takes it: the sections as stages
// finish, the answers to noise as points come. One thread at a time (the run queue's); what it hands out is plain data
// that is never changed.
#pragma once

#include "core/protocol/event.h"
#include "core/results/analysis_sections.h"

#include <chrono>
#include <memory>

namespace peakscope {

class AnalysisFollower
{
public:
    void add(const Event& event);
    // What is known by now, where that is more than at the last call; null otherwise, and while the last answer is too
    // young for what it cost to make (`force`: never).
    std::shared_ptr<const AnalysisData> news(bool force);

private:
    void takeStage(const nlohmann::json& data);
    void takeUnits(const nlohmann::json& data);
    void takeResponses(AnalysisData&& read);
    bool addRow(const nlohmann::json& values);

    nlohmann::json m_units;          // features, embedding and partition as they came
    AnalysisData m_known;            // of these, of the section "prm" as it came last, and of the rows since
    bool m_fresh = false;            // m_known has what was not handed out
    bool m_rowsSinceSection = false; // points that the section's summary does not hold
    std::chrono::steady_clock::time_point m_next{};
};

} // namespace peakscope
