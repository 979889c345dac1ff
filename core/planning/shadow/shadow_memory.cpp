// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_memory.h"

#include <algorithm>

namespace peakscope {

StorageId ShadowMemory::allocate(std::int64_t bytes)
{
    const auto id = static_cast<StorageId>(m_blocks.size());
    Block& block = m_blocks.emplace_back();
    block.bytes = bytes;
    block.module = m_module;
    block.phase = m_phase;
    block.references = 1;
    if (!m_open.empty()) {
        block.work = m_open.back().first;
        block.workKind = m_open.back().second;
    }
    m_events.push_back(static_cast<std::int32_t>(id));
    block.birth = static_cast<std::uint32_t>(m_events.size());
    m_live += rounded(bytes);
    notePeak();
    return id;
}

void ShadowMemory::notePeak()
{
    PhasePeak& own = m_phasePeaks[static_cast<std::size_t>(m_phase)];
    if (m_live > own.bytes) {
        own.bytes = m_live;
        own.moment = now();
    }
    if (m_live > m_peak) {
        m_peak = m_live;
        m_peakMoment = now();
        m_peakModule = m_module;
        m_peakPhase = m_phase;
    }
}

void ShadowMemory::free(StorageId storage)
{
    Block& block = m_blocks[storage];
    m_events.push_back(-static_cast<std::int32_t>(storage));
    block.death = static_cast<std::uint32_t>(m_events.size());
    block.diedInWork = block.work != 0 && std::any_of(m_open.begin(), m_open.end(),
                                                      [&](const auto& work) { return work.first == block.work; });
    m_live -= rounded(block.bytes);
}

void ShadowMemory::tag(StorageId storage, Component component)
{
    m_blocks[storage].component = component;
    m_blocks[storage].tagged = true;
}

void ShadowMemory::tag(StorageId storage, Component component, std::uint16_t module)
{
    tag(storage, component);
    m_blocks[storage].module = module;
}

void ShadowMemory::retag(StorageId storage, Component component)
{
    m_retags.push_back({static_cast<std::uint32_t>(m_events.size()), storage, component});
}

ShadowMemory::Moment ShadowMemory::now() const
{
    return {static_cast<std::uint32_t>(m_events.size()), static_cast<std::uint32_t>(m_retags.size())};
}

void ShadowMemory::setPhase(Phase phase)
{
    m_phase = phase;
    m_marks.emplace_back(static_cast<std::uint32_t>(m_events.size()), phase);
    notePeak();
}

std::uint16_t ShadowMemory::addModule(ModuleEntry entry)
{
    m_modules.push_back(std::move(entry));
    return static_cast<std::uint16_t>(m_modules.size() - 1);
}

std::uint32_t ShadowMemory::openWork(ShadowWork work)
{
    m_open.emplace_back(++m_lastWork, work);
    return m_lastWork;
}

void ShadowMemory::closeWork(std::uint32_t token)
{
    while (!m_open.empty()) {
        const bool last = m_open.back().first == token;
        m_open.pop_back();
        if (last)
            break;
    }
}

// The rule of the ledger's report (finalComponent), so that prediction and measurement use the words alike.
Component ShadowMemory::componentOf(StorageId storage) const
{
    const Block& block = m_blocks[storage];
    if (block.tagged)
        return block.component;
    switch (block.workKind) {
    case ShadowWork::Forward:
    case ShadowWork::Recompute:
        return block.diedInWork ? Component::Workspace : Component::Activations;
    case ShadowWork::Node:
        return block.diedInWork ? Component::Workspace : Component::ActivationGradients;
    case ShadowWork::None:
        break;
    }
    if (block.phase == Phase::Backward)
        return Component::ActivationGradients;
    return block.death != 0 ? Component::Workspace : Component::Other;
}

ComponentBytes ShadowMemory::composition(const Moment& moment) const
{
    ComponentBytes bytes{};
    const auto lives = [&moment](const Block& block) {
        return block.birth <= moment.time && (block.death == 0 || block.death > moment.time);
    };
    for (StorageId id = 1; id < m_blocks.size(); ++id) {
        const Block& block = m_blocks[id];
        if (!lives(block))
            continue;
        bytes[static_cast<std::size_t>(componentOf(id))] += block.bytes;
        bytes[static_cast<std::size_t>(Component::Rounding)] += rounded(block.bytes) - block.bytes;
    }
    std::unordered_map<StorageId, Component> latest;
    for (std::uint32_t i = 0; i < moment.retags; ++i) {
        const Retag& retag = m_retags[i];
        const Block& block = m_blocks[retag.storage];
        if (!lives(block))
            continue;
        Component& component = latest.try_emplace(retag.storage, componentOf(retag.storage)).first->second;
        bytes[static_cast<std::size_t>(component)] -= block.bytes;
        component = retag.component;
        bytes[static_cast<std::size_t>(component)] += block.bytes;
    }
    return bytes;
}

MemoryEstimate ShadowMemory::summary(bool modules) const
{
    MemoryEstimate estimate;
    estimate.peakBytes = m_peak;
    estimate.peakReservedBytes = m_peak;
    estimate.components = composition(m_peakMoment);
    estimate.peakPhase = m_peakPhase;
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
        if (m_phasePeaks[i].bytes < 0)
            continue;
        estimate.phases.push_back({static_cast<Phase>(i), m_phasePeaks[i].bytes,
                                   modules || m_phasePeaks[i].moment.time == m_peakMoment.time
                                       ? composition(m_phasePeaks[i].moment)
                                       : ComponentBytes{}});
    }
    addLogits(estimate);
    if (modules) {
        estimate.peakModule = m_modules[m_peakModule].name;
        addModules(estimate);
    }
    return estimate;
}

void ShadowMemory::addLogits(MemoryEstimate& estimate) const
{
    std::int64_t live = 0;
    std::int64_t withoutPeak = 0;
    for (const std::int32_t event : m_events) {
        const Block& block = m_blocks[static_cast<std::size_t>(event > 0 ? event : -event)];
        if (block.logits)
            continue;
        live += event > 0 ? rounded(block.bytes) : -rounded(block.bytes);
        withoutPeak = std::max(withoutPeak, live);
    }
    for (const Block& block : m_blocks) {
        if (block.logits && block.birth <= m_peakMoment.time && (block.death == 0 || block.death > m_peakMoment.time))
            estimate.logitsBytes += rounded(block.bytes);
    }
    // The peak is the logits' where the run without them would reach less than what is left of it then.
    estimate.logitsMakePeak = estimate.logitsBytes > 0 && withoutPeak < m_peak && estimate.logitsBytes * 20 >= m_peak;
}

namespace {

struct RunningMost {
    std::int64_t live = 0;
    std::int64_t most = 0;
    void add(std::int64_t bytes)
    {
        live += bytes;
        most = std::max(most, live);
    }
};

struct ShadowModulePeaks {
    RunningMost parameters, gradients, activations, all;

    void add(Component component, std::int64_t bytes)
    {
        all.add(bytes);
        if (component == Component::Parameters)
            parameters.add(bytes);
        else if (component == Component::Gradients)
            gradients.add(bytes);
        else if (component == Component::Activations)
            activations.add(bytes);
    }
};

} // namespace

void ShadowMemory::addModules(MemoryEstimate& estimate) const
{
    std::vector<ShadowModulePeaks> peaks(m_modules.size());
    std::array<RunningMost, kComponentCount> components{};
    std::unordered_map<StorageId, Component> latest;
    const auto change = [&](const Block& block, Component component, std::int64_t bytes) {
        components[static_cast<std::size_t>(component)].add(bytes);
        if (block.module != 0)
            peaks[block.module].add(component, bytes);
    };
    std::size_t retag = 0;
    for (std::uint32_t time = 0; time < m_events.size(); ++time) {
        for (; retag < m_retags.size() && m_retags[retag].time <= time; ++retag) {
            const StorageId id = m_retags[retag].storage;
            Component& component = latest.try_emplace(id, componentOf(id)).first->second;
            change(m_blocks[id], component, -m_blocks[id].bytes);
            component = m_retags[retag].component;
            change(m_blocks[id], component, m_blocks[id].bytes);
        }
        const std::int32_t event = m_events[time];
        const auto id = static_cast<StorageId>(event > 0 ? event : -event);
        const Block& block = m_blocks[id];
        const auto told = latest.find(id);
        change(block, told == latest.end() ? componentOf(id) : told->second, event > 0 ? block.bytes : -block.bytes);
        const std::int64_t slack = rounded(block.bytes) - block.bytes;
        components[static_cast<std::size_t>(Component::Rounding)].add(event > 0 ? slack : -slack);
    }
    for (std::size_t i = 0; i < kComponentCount; ++i)
        estimate.maxComponents[i] = components[i].most;
    for (std::size_t i = 1; i < m_modules.size(); ++i) {
        if (!m_modules[i].listed)
            continue;
        const auto found = m_shared.find(static_cast<std::uint16_t>(i));
        const std::int64_t shared = found == m_shared.end() ? 0 : found->second;
        estimate.modules.push_back({m_modules[i].name, m_modules[i].kind, peaks[i].parameters.most + shared,
                                    peaks[i].gradients.most, peaks[i].activations.most, peaks[i].all.most + shared});
    }
}

} // namespace peakscope
