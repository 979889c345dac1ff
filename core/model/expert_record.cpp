// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/expert_record.h"

#include "core/results/experts/expert_section.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace peakscope {
namespace {

constexpr std::size_t kPassesKept = 8;

std::int64_t mostRows(const std::vector<ExpertLoads>& pass)
{
    std::int64_t most = 0;
    for (const ExpertLoads& loads : pass) {
        for (const std::int64_t load : loads)
            most = std::max(most, load);
    }
    return most;
}

} // namespace

ExpertRecord::Layer& ExpertRecord::layer(std::size_t index)
{
    if (index >= m_pass.size())
        m_pass.resize(index + 1);
    return m_pass[index];
}

void ExpertRecord::endPass()
{
    if (m_pass.empty())
        return;
    m_totals.resize(std::max(m_totals.size(), m_pass.size()));
    std::vector<ExpertLoads> rows;
    for (std::size_t i = 0; i < m_pass.size(); ++i) {
        m_totals[i].resize(m_pass[i].tokens.size());
        for (std::size_t k = 0; k < m_totals[i].size(); ++k)
            m_totals[i][k] += m_pass[i].tokens[k];
        rows.push_back(std::move(m_pass[i].rows));
    }
    m_pass.clear();
    m_fullest.push_back(std::move(rows));
    std::stable_sort(m_fullest.begin(), m_fullest.end(),
                     [](const auto& a, const auto& b) { return mostRows(a) > mostRows(b); });
    if (m_fullest.size() > kPassesKept)
        m_fullest.pop_back();
}

nlohmann::json ExpertRecord::section() const
{
    ExpertSection section;
    for (std::size_t i = 0; i < m_totals.size(); ++i) {
        if (!m_totals[i].empty())
            section.layers.push_back({static_cast<std::int64_t>(i), m_totals[i]});
    }
    return toJson(section);
}

} // namespace peakscope
