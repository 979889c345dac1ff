// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/depth_derivation.h"

#include "core/allocator/allocator_settings.h"
#include "core/planning/simulation/simulate_training.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <map>
#include <span>

namespace peakscope {

namespace {

struct RunMoment {
    std::int64_t liveBytes = 0;
    std::int64_t logitsBytes = 0; // of these
    std::uint32_t event = 0;
};

// Where memory may peak within a phase: near a layer counted from the first or from the last, or outside all of them.
enum Near { LastButOne, Last, First, Second, Outside, NearCount };

// One for each change of phase.
struct RunSegment {
    Phase phase = Phase::Load;
    std::array<std::vector<RunMoment>, NearCount> moments;
};

using RunProfile = std::vector<RunSegment>;

// The layer that a module's name counts ("model.decoder.layers.12.mlp" -> 12); -1 for one outside the layers.
std::int64_t layerOfName(const std::string& name)
{
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        if (dot + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[dot + 1])) != 0) {
            return std::stoll(name.substr(dot + 1));
        }
    }
    return -1;
}

// Layers of modules, looked up once each.
class LayerTable
{
public:
    explicit LayerTable(const ShadowMemory& memory) : m_memory(memory) {}

    std::int64_t layerOf(StorageId storage)
    {
        const std::uint16_t module = m_memory.moduleOf(storage);
        if (module >= m_layers.size()) {
            m_layers.resize(module + 16, kUnknown);
        }
        if (m_layers[module] == kUnknown) {
            m_layers[module] = layerOfName(m_memory.moduleName(module));
        }
        return m_layers[module];
    }

private:
    static constexpr std::int64_t kUnknown = -2;
    const ShadowMemory& m_memory;
    std::vector<std::int64_t> m_layers;
};

class Profiler
{
public:
    Profiler(const ShadowMemory& memory, std::int64_t layers, std::int64_t granule)
        : m_memory(memory), m_layers(layers), m_granule(granule), m_table(memory)
    {}

    RunProfile profile()
    {
        for (std::size_t i = 0; i < m_memory.events(); ++i) {
            const auto [storage, bytes] = m_memory.event(i);
            const bool logits = m_memory.isLogits(storage);
            if (bytes < 0) {
                m_live -= roundedUp(-bytes, m_granule);
                m_logits -= logits ? roundedUp(-bytes, m_granule) : 0;
                continue;
            }
            enter(m_memory.phaseOf(storage), static_cast<std::uint32_t>(i));
            m_live += roundedUp(bytes, m_granule);
            m_logits += logits ? roundedUp(bytes, m_granule) : 0;
            note(m_table.layerOf(storage), static_cast<std::uint32_t>(i + 1));
        }
        return std::move(m_profile);
    }

private:
    // What lives when a phase begins counts for it as well.
    void enter(Phase phase, std::uint32_t event)
    {
        if (!m_profile.empty() && m_profile.back().phase == phase)
            return;
        m_profile.push_back({phase, {}});
        m_near = -1;
        add(Outside, event);
    }

    // What belongs to no layer counts for the one before it: the sums between layers.
    void note(std::int64_t layer, std::uint32_t event)
    {
        m_near = layer >= 0 ? layer : m_near;
        if (m_near < 0) {
            add(Outside, event);
            return;
        }
        if (m_near < 2)
            add(m_near == 0 ? First : Second, event);
        if (m_near >= m_layers - 2)
            add(m_near == m_layers - 1 ? Last : LastButOne, event);
    }

    void add(Near place, std::uint32_t event) { m_profile.back().moments[place].push_back({m_live, m_logits, event}); }

    const ShadowMemory& m_memory;
    std::int64_t m_layers;
    std::int64_t m_granule;
    LayerTable m_table;
    RunProfile m_profile;
    std::int64_t m_live = 0;
    std::int64_t m_logits = 0;
    std::int64_t m_near = -1;
};

// The components of what lives after each number of events in `counts`, by that number.
std::map<std::uint32_t, ComponentBytes> compositionsAfter(const ShadowMemory& memory, std::vector<std::uint32_t> counts,
                                                          std::int64_t granule)
{
    std::sort(counts.begin(), counts.end());
    std::map<std::uint32_t, ComponentBytes> compositions;
    ComponentBytes components{};
    std::vector<Component> now(memory.storages()); // of each, as far as it was told anew
    for (StorageId storage = 1; storage < now.size(); ++storage) {
        now[storage] = memory.componentOf(storage);
    }
    const std::vector<ShadowMemory::Retag>& retags = memory.retags();
    std::size_t retag = 0;
    std::uint32_t event = 0;
    for (const std::uint32_t count : counts) {
        for (; event < count; ++event) {
            for (; retag < retags.size() && retags[retag].time <= event; ++retag) {
                const StorageId storage = retags[retag].storage;
                const std::int64_t bytes = memory.bytesOf(storage);
                components[static_cast<std::size_t>(now[storage])] -= bytes;
                now[storage] = retags[retag].component;
                components[static_cast<std::size_t>(now[storage])] += bytes;
            }
            const auto [storage, bytes] = memory.event(event);
            const std::int64_t slack = roundedUp(std::abs(bytes), granule) - std::abs(bytes);
            components[static_cast<std::size_t>(now[storage])] += bytes;
            components[static_cast<std::size_t>(Component::Rounding)] += bytes < 0 ? -slack : slack;
        }
        compositions[count] = components;
    }
    return compositions;
}

struct ShallowRun {
    ShadowMemory memory;
    RunProfile profile;
};

// A clipped step's plan is that of the whole model.
Result<ShallowRun> shallowRun(Experiment experiment, const EstimateOptions& options, const ClippingPlan* plan,
                              std::int64_t layers, std::int64_t granule)
{
    experiment.model.config.layers = layers;
    auto memory = simulateRun(experiment, options, plan);
    if (!memory) {
        return memory.error();
    }
    RunProfile profile = Profiler(*memory, layers, granule).profile();
    return ShallowRun{std::move(*memory), std::move(profile)};
}

// The most that a phase reaches, and the two moments it was derived from.
struct DerivedPeak {
    std::int64_t bytes = -1;
    std::int64_t withoutLogits = 0; // the most that lives besides logits, at any moment of the phase
    RunMoment shallow, deeper;
};

// Peaks of the phases, by phase; nothing where the two runs don't match.
std::optional<std::map<Phase, DerivedPeak>> derivedPeaks(const RunProfile& shallow, const RunProfile& deeper,
                                                         std::int64_t further)
{
    const auto samePhase = [](const RunSegment& a, const RunSegment& b) { return a.phase == b.phase; };
    if (!std::equal(shallow.begin(), shallow.end(), deeper.begin(), deeper.end(), samePhase))
        return std::nullopt;
    std::map<Phase, DerivedPeak> peaks;
    const auto less = [](const RunMoment& a, const RunMoment& b) { return a.liveBytes < b.liveBytes; };
    for (std::size_t place = 0; place < shallow.size() * NearCount; ++place) {
        std::span<const RunMoment> first = shallow[place / NearCount].moments[place % NearCount];
        std::span<const RunMoment> second = deeper[place / NearCount].moments[place % NearCount];
        if (first.empty() != second.empty() || (first.size() != second.size() && place % NearCount != Outside))
            return std::nullopt;
        if (first.size() != second.size()) {
            // One entry per parameter (the optimiser's own tensors): the largest of each is the same parameter's.
            first = {std::max_element(first.begin(), first.end(), less), 1};
            second = {std::max_element(second.begin(), second.end(), less), 1};
        }
        DerivedPeak& peak = peaks[shallow[place / NearCount].phase];
        for (std::size_t i = 0; i < first.size(); ++i) {
            const std::int64_t step = second[i].liveBytes - first[i].liveBytes;
            const std::int64_t bytes = second[i].liveBytes + further * step;
            peak.withoutLogits = std::max(peak.withoutLogits, bytes - second[i].logitsBytes);
            if (bytes > peak.bytes) {
                peak.bytes = bytes;
                peak.shallow = first[i];
                peak.deeper = second[i];
            }
        }
    }
    return peaks;
}

// Every phase's peak with its components.
std::vector<PhaseEstimate> derivedPhases(const ShallowRun& shallow, const ShallowRun& deeper,
                                         const std::map<Phase, DerivedPeak>& peaks, std::int64_t further,
                                         std::int64_t granule)
{
    std::vector<std::uint32_t> shallowEvents, deeperEvents;
    for (const auto& [phase, peak] : peaks) {
        shallowEvents.push_back(peak.shallow.event);
        deeperEvents.push_back(peak.deeper.event);
    }
    const auto a = compositionsAfter(shallow.memory, shallowEvents, granule);
    const auto b = compositionsAfter(deeper.memory, deeperEvents, granule);
    std::vector<PhaseEstimate> phases;
    for (const auto& [phase, peak] : peaks) {
        PhaseEstimate& estimate = phases.emplace_back(PhaseEstimate{phase, peak.bytes, b.at(peak.deeper.event)});
        const ComponentBytes& less = a.at(peak.shallow.event);
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            estimate.components[i] += further * (estimate.components[i] - less[i]);
        }
    }
    return phases;
}

// With the components of every phase, as the derived estimate has them.
Result<MemoryEstimate> wholeTraining(const Experiment& experiment, const EstimateOptions& options,
                                     const ClippingPlan* plan)
{
    const auto memory = simulateRun(experiment, options, plan);
    if (!memory) {
        return memory.error();
    }
    MemoryEstimate estimate = memory->summary(true);
    estimate.modules.clear();
    return estimate;
}

// As in the whole simulation's summary: a share of the peak that is worth a word.
bool logitsWeigh(const MemoryEstimate& estimate)
{
    return estimate.logitsBytes * 20 >= estimate.peakBytes;
}

Result<MemoryEstimate> derived(const Experiment& experiment, const EstimateOptions& options, const ClippingPlan* plan)
{
    const std::int64_t layers = experiment.model.config.layers;
    const bool alike = experiment.model.config.layersAlike(rowPositions(experiment));
    if (layers < kLeastDepth || !alike) {
        return wholeTraining(experiment, options, plan);
    }
    const std::int64_t granule = options.cuda ? kCudaGranule : 1;
    // Over shards the head's weights are gathered while the last layer but one is at work, which is the second of
    // three.
    const Sharding sharding = experiment.training.sharding;
    const bool gathers = sharding == Sharding::Zero3 || sharding == Sharding::Fsdp;
    const std::int64_t depth = gathers ? kDeeper : kShallow;
    const auto shallow = shallowRun(experiment, options, plan, depth, granule);
    const auto deeper = shallowRun(experiment, options, plan, depth + 1, granule);
    if (!shallow || !deeper) {
        return wholeTraining(experiment, options, plan);
    }
    const std::int64_t further = layers - depth - 1;
    const auto peaks = derivedPeaks(shallow->profile, deeper->profile, further);
    if (!peaks) {
        return wholeTraining(experiment, options, plan);
    }
    MemoryEstimate estimate;
    estimate.phases = derivedPhases(*shallow, *deeper, *peaks, further, granule);
    const auto highest =
        std::max_element(estimate.phases.begin(), estimate.phases.end(),
                         [](const PhaseEstimate& a, const PhaseEstimate& b) { return a.peakBytes < b.peakBytes; });
    estimate.peakPhase = highest->phase;
    estimate.peakBytes = estimate.peakReservedBytes = highest->peakBytes;
    estimate.components = highest->components;
    std::int64_t withoutLogits = 0;
    for (const auto& [phase, peak] : *peaks) {
        withoutLogits = std::max(withoutLogits, peak.withoutLogits);
    }
    estimate.logitsBytes = peaks->at(highest->phase).deeper.logitsBytes;
    estimate.logitsMakePeak = estimate.logitsBytes > 0 && withoutLogits < estimate.peakBytes && logitsWeigh(estimate);
    return estimate;
}

// What a simulation reads, whole structs rather than their fields: one that is added later tells simulations apart too.
struct SimulationKey {
    ModelConfig model;
    DataOptions data;
    TrainingOptions training;
    EstimateOptions options;
    bool pretrained = false;
    Dtype dtype = Dtype::Float32;
    std::int64_t threads = 0;
    std::int64_t ranks = 1;
    std::int64_t budgetBytes = 0;
    std::int64_t positions = 0; // of a row; with the tokens below what is read of the rows themselves
    std::int64_t tokens = 0;
    auto operator<=>(const SimulationKey&) const = default;
};

SimulationKey simulationKey(const Experiment& e, const EstimateOptions& options)
{
    const Clipping clipping = e.training.clipping;
    return {e.model.config,
            e.data,
            e.training,
            options,
            e.pretrained,
            e.dtype,
            e.threads,
            ranksOf(e, options),
            clipping == Clipping::Auto ? e.budgetBytes : 0,
            rowPositions(e),
            clipping != Clipping::None ? distinctTokens(e) : 0};
}

constexpr std::size_t kRememberedSimulations = 512; // of some kilobytes each

} // namespace

// Quantities and their methods are closed forms over one and the same simulated step, so that a search asks for each of
// them many times.
Result<MemoryEstimate> deriveTraining(const Experiment& experiment, const EstimateOptions& options)
{
    thread_local std::map<SimulationKey, MemoryEstimate> remembered;
    SimulationKey key = simulationKey(experiment, options);
    if (const auto known = remembered.find(key); known != remembered.end()) {
        return known->second;
    }
    std::optional<ClippingPlan> plan;
    if (experiment.training.clipping != Clipping::None) {
        plan = clippingPlanOfRank(experiment, options, ranksOf(experiment, options));
    }
    auto estimate = derived(experiment, options, plan ? &*plan : nullptr);
    if (estimate) {
        if (remembered.size() >= kRememberedSimulations) {
            remembered.clear();
        }
        remembered.emplace(std::move(key), *estimate);
    }
    return estimate;
}

Result<MemoryEstimate> deriveTraining(const Experiment& experiment, const EstimateOptions& options,
                                      const ClippingPlan& plan)
{
    return derived(experiment, options, &plan);
}

} // namespace peakscope
