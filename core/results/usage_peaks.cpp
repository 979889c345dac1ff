// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/usage_peaks.h"

#include <algorithm>

namespace peakscope {

void UsagePeaks::RunningPeak::add(std::int64_t bytes)
{
    live += bytes;
    peak = std::max(peak, live);
}

void UsagePeaks::change(double timeSeconds, std::int64_t bytes, Component component, std::uint32_t module)
{
    m_timeline.timeSeconds.push_back(timeSeconds);
    m_timeline.deltaBytes.push_back(bytes);
    m_timeline.component.push_back(component);
    m_module.push_back(module);
    if (module == 0)
        return;
    if (module >= m_modules.size())
        m_modules.resize(module + 1);
    ModulePeaks& own = m_modules[module];
    own.all.add(bytes);
    if (component == Component::Parameters)
        own.parameters.add(bytes);
    else if (component == Component::Gradients)
        own.gradients.add(bytes);
    else if (component == Component::Activations)
        own.activations.add(bytes);
}

void UsagePeaks::changeOfOperator(std::uint32_t operation, Phase phase, std::int64_t bytes)
{
    OperatorBytes& own = m_operators[{operation, phase}];
    own.allocated += std::max<std::int64_t>(bytes, 0);
    own.live.add(bytes);
}

std::vector<ModuleUsage> UsagePeaks::modules(std::size_t peakEntries) const
{
    std::vector<ModuleUsage> usages(m_modules.size());
    for (std::size_t i = 0; i < m_modules.size(); ++i) {
        usages[i].parameterBytes = m_modules[i].parameters.peak;
        usages[i].gradientBytes = m_modules[i].gradients.peak;
        usages[i].activationBytes = m_modules[i].activations.peak;
        usages[i].peakBytes = m_modules[i].all.peak;
        usages[i].atPeak = ComponentBytes{};
    }
    for (std::size_t i = 0; i < peakEntries; ++i) {
        if (m_module[i] != 0)
            (*usages[m_module[i]].atPeak)[static_cast<std::size_t>(m_timeline.component[i])] +=
                m_timeline.deltaBytes[i];
    }
    return usages;
}

std::map<std::pair<std::uint32_t, Phase>, OperatorUsage> UsagePeaks::operators() const
{
    std::map<std::pair<std::uint32_t, Phase>, OperatorUsage> rows;
    for (const auto& [key, bytes] : m_operators) {
        rows[key].allocatedBytes = bytes.allocated;
        rows[key].peakBytes = bytes.live.peak;
    }
    return rows;
}

} // namespace peakscope
