// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a simulated run: storages without bytes behind them, born and freed in the order in which the real run
// would, under the same phases, modules and scopes as the engine's ledger. One simulation, one thread.
#pragma once

#include "core/planning/inputs/memory_estimate.h"
#include "core/results/component.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace peakscope {

using StorageId = std::uint32_t; // 0: none

// To a multiple of a power of two; a division would be much of what a simulation takes.
constexpr std::int64_t roundedUp(std::int64_t bytes, std::int64_t granule)
{
    return (bytes + granule - 1) & -granule;
}

// What kind of work a storage is born in; with whether it outlives that work, it decides what it was for.
enum class ShadowWork : std::uint8_t { None, Forward, Recompute, Node };

class ShadowMemory
{
public:
    struct ModuleEntry {
        std::string name; // "model.decoder.layers.0.self_attn"
        ModuleKind kind = ModuleKind::Mlp;
        bool listed = true; // among the summary's modules
    };

    // Every request is rounded up to a multiple of `granule` bytes (CUDA: kCudaGranule; CPU: 1), a power of two.
    explicit ShadowMemory(std::int64_t granule) : m_granule(granule)
    {
        constexpr std::size_t kOfFewLayers = 2048; // storages
        m_blocks.reserve(kOfFewLayers);
        m_events.reserve(2 * kOfFewLayers);
    }

    StorageId allocate(std::int64_t bytes);
    void retain(StorageId storage) { ++m_blocks[storage].references; }
    void release(StorageId storage)
    {
        if (--m_blocks[storage].references == 0)
            free(storage);
    }
    std::uint32_t references(StorageId storage) const { return m_blocks[storage].references; }
    StorageId storages() const { return static_cast<StorageId>(m_blocks.size()); } // ids are below it

    // The storage is for this from its birth on.
    void tag(StorageId storage, Component component);
    void tag(StorageId storage, Component component, std::uint16_t module);
    // From now on the storage is for something else.
    void retag(StorageId storage, Component component);
    void markLogits(StorageId storage) { m_blocks[storage].logits = true; }
    bool isLogits(StorageId storage) const { return m_blocks[storage].logits; }

    void setPhase(Phase phase);
    std::uint16_t addModule(ModuleEntry entry);
    std::uint16_t module() const { return m_module; }
    void setModule(std::uint16_t module) { m_module = module; }
    // Parameters of the module that live in storages which several modules share.
    void addShared(std::uint16_t module, std::int64_t bytes) { m_shared[module] += bytes; }
    std::uint32_t openWork(ShadowWork work);
    void closeWork(std::uint32_t token);

    std::int64_t liveBytes() const { return m_live; }
    std::int64_t peakBytes() const { return m_peak; }
    std::int64_t bytesOf(StorageId storage) const { return m_blocks[storage].bytes; }

    // Everything that the run showed; `modules` false leaves the modules and each component's own maximum out.
    MemoryEstimate summary(bool modules) const;

    std::size_t events() const { return m_events.size(); }
    // In order of time, with its size: above 0 an allocation, below 0 its free.
    std::pair<StorageId, std::int64_t> event(std::size_t index) const
    {
        const std::int32_t event = m_events[index];
        const auto id = static_cast<StorageId>(event > 0 ? event : -event);
        return {id, event > 0 ? m_blocks[id].bytes : -m_blocks[id].bytes};
    }
    // The first event of every stretch of a phase.
    const std::vector<std::pair<std::uint32_t, Phase>>& marks() const { return m_marks; }
    // In the words of the ledger's timeline: the final component, until it was told anew.
    Component componentOf(StorageId storage) const;
    struct Retag {
        std::uint32_t time = 0; // events before it
        StorageId storage = 0;
        Component component = Component::Other;
    };
    // In order of time.
    const std::vector<Retag>& retags() const { return m_retags; }
    Phase phaseOf(StorageId storage) const { return m_blocks[storage].phase; }
    const std::string& moduleName(std::uint16_t module) const { return m_modules[module].name; }
    std::uint16_t moduleOf(StorageId storage) const { return m_blocks[storage].module; }

private:
    struct Block {
        std::int64_t bytes = 0; // as requested
        std::uint32_t birth = 0;
        std::uint32_t death = 0; // 0: lives on
        std::uint32_t work = 0;
        std::uint32_t references = 0;
        std::uint16_t module = 0;
        Phase phase = Phase::Load;
        ShadowWork workKind = ShadowWork::None;
        Component component = Component::Other; // where tagged
        bool tagged = false;
        bool diedInWork = false;
        bool logits = false;
    };
    struct Moment {
        std::uint32_t time = 0;
        std::uint32_t retags = 0; // before it
    };
    struct PhasePeak {
        std::int64_t bytes = -1; // -1: the phase was never reached
        Moment moment;
    };

    void free(StorageId storage);
    void notePeak();
    std::int64_t rounded(std::int64_t bytes) const { return roundedUp(bytes, m_granule); }
    Moment now() const;
    ComponentBytes composition(const Moment& moment) const;
    void addModules(MemoryEstimate& estimate) const;
    void addLogits(MemoryEstimate& estimate) const;

    std::int64_t m_granule;
    std::vector<Block> m_blocks{Block{}};
    std::vector<std::int32_t> m_events; // + born, - freed
    std::vector<std::pair<std::uint32_t, Phase>> m_marks;
    std::vector<Retag> m_retags;
    std::vector<std::pair<std::uint32_t, ShadowWork>> m_open;
    std::uint32_t m_lastWork = 0;
    std::int64_t m_live = 0;
    Phase m_phase = Phase::Load;
    std::uint16_t m_module = 0;
    std::uint16_t m_peakModule = 0;
    Phase m_peakPhase = Phase::Load;
    Moment m_peakMoment;
    std::int64_t m_peak = 0;
    std::array<PhasePeak, kPhaseCount> m_phasePeaks{};
    std::vector<ModuleEntry> m_modules{ModuleEntry{}};
    std::unordered_map<std::uint16_t, std::int64_t> m_shared;
};

} // namespace peakscope
