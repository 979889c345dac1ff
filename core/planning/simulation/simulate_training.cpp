// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_training.h"

#include "core/base/units.h"
#include "core/planning/shadow/reserved_peak.h"
#include "core/planning/shadow/shadow_sharding.h"
#include "core/planning/simulation/depth_derivation.h"
#include "core/planning/simulation/simulate_clipping.h"
#include "core/planning/simulation/simulate_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace peakscope {
namespace {

class TrainingSimulation
{
public:
    TrainingSimulation(const Experiment& experiment, const EstimateOptions& options, ShadowMemory& memory,
                       const ClippingPlan* plan, const StepRows* stepRows, bool fromFirst)
        : m_experiment(experiment), m_memory(memory), m_plan(plan), m_stepRows(stepRows),
          m_ranks(ranksOf(experiment, options)), m_rank(std::max<std::int64_t>(0, options.rank)),
          m_rows(rowsOfRank(experiment, options)),
          m_inBackward(experiment.training.implementation == Implementation::InBackward), m_fromFirst(fromFirst),
          m_loads(options.loads), m_graph(memory)
    {
        m_context.graph = &m_graph;
        m_context.cuda = options.cuda;
        m_context.fewPasses = options.fewPasses || options.derived;
        m_context.fused = options.fusedAttention;
        m_context.threads = options.threads > 0 ? options.threads : std::max<std::int64_t>(1, experiment.threads);
        m_context.sequence = rowPositions(experiment);
        m_context.padded = padsRows(experiment);
        m_context.attention = experiment.training.attention;
        m_context.lossHead = experiment.training.lossHead;
        m_context.routing = experiment.data.routing;
        if (!m_loads.empty())
            m_context.loads = &m_loads;
        if (experiment.training.amp != Amp::None)
            m_context.autocast = experiment.training.amp == Amp::BFloat16 ? ShadowType::BFloat16 : ShadowType::Float16;
    }

    Status run()
    {
        m_memory.setPhase(Phase::Load);
        const bool shared = m_ranks > 1 || m_experiment.training.sharding != Sharding::None;
        std::unique_ptr<ShadowSharding> sharding; // ends with the run: the memory is handed on after it
        if (shared) {
            auto made = ShadowSharding::create(m_experiment, m_ranks, m_rank, m_graph, m_context.cuda);
            if (!made)
                return made.error();
            sharding = std::move(*made);
            m_sharding = sharding.get();
        }
        ShadowModel model(m_graph, m_experiment.model.config, shadowType(computeDtype(m_experiment)),
                          !m_experiment.pretrained, shared);
        m_model = &model;
        if (m_sharding)
            m_sharding->placeParameters(model);
        if (Status status = wrap(model); !status)
            return status;
        if (m_sharding)
            m_sharding->attach(model);
        m_memory.setPhase(Phase::Data);
        m_memory.setPhase(Phase::OptimizerSetup);
        m_update.emplace(m_experiment.training, m_graph, m_context.cuda);
        const std::int64_t total = m_experiment.training.warmupSteps + m_experiment.training.steps;
        const bool later = m_stepRows ? !m_stepRows->first : total > 1;
        if (later && !m_fromFirst) {
            for (const ShadowOptimised& each : optimised())
                m_update->makeStates(each);
        }
        if (m_inBackward) {
            m_graph.afterGradient([this](ShadowParameter& parameter) {
                m_update->updateOne(optimisedOf(parameter));
                parameter.gradient.reset();
            });
        }
        if (later && m_fromFirst)
            step();
        step();
        if (m_sharding)
            m_communication = m_sharding->communication();
        m_update.reset(); // as the model: the memory is handed on
        return Done{};
    }

    const CommunicationPlan& communication() const { return m_communication; }

private:
    Status wrap(ShadowModel& model)
    {
        if (m_experiment.training.lora.rank <= 0)
            return Done{};
        m_memory.setPhase(Phase::Wrap);
        if (Status status = model.addAdapters(m_experiment.training.lora); !status)
            return status;
        if (m_sharding)
            m_sharding->placeAdapters(model);
        return Done{};
    }

    std::int64_t rows() const { return m_rows; }

    ShadowTensor input(std::int64_t rows)
    {
        ShadowTensor tensor = m_graph.fresh(rows * m_context.sequence, ShadowType::Int64);
        m_memory.tag(tensor.storage(), Component::Inputs);
        return tensor;
    }

    void step()
    {
        m_memory.setPhase(Phase::Data);
        const ShadowTensor inputs = input(rows());
        const ShadowTensor labels = input(rows());
        for (ShadowParameter* parameter : m_model->parameters())
            parameter->gradient.reset();
        for (const ShadowOptimised& each : optimised())
            each.gradient->reset();
        if (m_plan != nullptr)
            ClippedSimulation(m_experiment, *m_plan, m_graph, m_context, *m_model, m_sharding, m_rows, m_ranks,
                              m_stepRows ? m_stepRows->distinct : std::vector<std::int64_t>())
                .run(inputs, labels);
        else
            plainGradients(inputs, labels);
        if (!m_inBackward) { // else there are no gradients any more
            m_memory.setPhase(Phase::Norms);
            takeNorm();
        }
        m_memory.setPhase(Phase::OptimizerStep);
        if (!m_inBackward)
            m_update->update(optimised());
        if (m_sharding)
            m_sharding->spreadParameters();
    }

    void plainGradients(const ShadowTensor& inputs, const ShadowTensor& labels)
    {
        const std::int64_t physical = m_experiment.data.maxPhysicalBatch;
        const std::int64_t passes = passesOfStep(m_experiment.data.batch, physical, m_ranks);
        for (std::int64_t i = 0; i < passes; ++i) {
            const std::int64_t count = std::min(physical, rows() - std::min(i * physical, rows()));
            if (m_context.leavesOut(i, count, physical))
                continue;
            if (count > 0) {
                forwardBackward(inputs, labels, count);
            } else { // a row without labels, while other ranks have some
                const ShadowTensor empty = m_graph.fresh(m_context.sequence, ShadowType::Int64);
                const ShadowTensor none = m_graph.fresh(m_context.sequence, ShadowType::Int64);
                forwardBackward(none, empty, 1);
            }
        }
        if (m_sharding)
            m_sharding->finishStep();
    }

    void forwardBackward(const ShadowTensor& inputs, const ShadowTensor& labels, std::int64_t rows)
    {
        m_context.batch = rows;
        m_memory.setPhase(Phase::Forward);
        m_context.balance = {};
        m_context.balance.wanted = m_experiment.model.config.routerLoss > 0;
        if (m_context.balance.wanted && m_context.padded) { // its weight is that of the labels that count
            const ShadowTensor counted = m_graph.fresh(rows * m_context.sequence, ShadowType::Bool);
            m_graph.fresh(1, ShadowType::Int64);
        }
        ShadowTensor loss;
        {
            const std::uint32_t work = m_memory.openWork(ShadowWork::Forward);
            ShadowTensor hidden = m_model->hidden(m_context, inputs, m_experiment.training.checkpointing);
            if (!m_experiment.training.checkpointing)
                m_context.dropTables();
            loss = shadowWithBalance(m_context, m_model->loss(m_context, hidden, labels, true));
            hidden.reset();
            m_model->dropCasts();
            m_memory.closeWork(work);
        }
        m_memory.setPhase(Phase::Backward);
        ShadowTensor one = m_graph.fresh(1, loss.type()); // held by the caller until backward is over
        m_graph.backward(loss, one);
        one.reset();
        loss.reset();
        m_graph.clear();
        m_context.logits.reset();
        m_context.dropTables();
        if (m_sharding)
            m_sharding->finishPass();
        m_context.balance = {};
    }

    void takeNorm()
    {
        if (!m_sharding || m_experiment.training.sharding == Sharding::None) {
            simulateGradientNorm(m_graph, *m_model, m_context.cuda);
            return;
        }
        std::vector<const ShadowTensor*> shards;
        for (const ShadowOptimised& each : m_sharding->optimised())
            shards.push_back(each.tensor);
        simulateNormOf(m_graph, shards, m_context.cuda);
    }

    ShadowOptimised optimisedOf(ShadowParameter& p) const
    {
        return {&p.tensor, &p.gradient, &p.optimizerStates, p.module, tensorShape(m_model->specOf(p))};
    }

    // What the optimiser steps on: the parameters, or this rank's shards of them.
    std::vector<ShadowOptimised> optimised()
    {
        if (m_sharding)
            return m_sharding->optimised();
        std::vector<ShadowOptimised> tensors;
        for (ShadowParameter* p : m_model->parameters()) {
            if (p->trainable)
                tensors.push_back(optimisedOf(*p));
        }
        return tensors;
    }

    const Experiment& m_experiment;
    ShadowMemory& m_memory;
    const ClippingPlan* m_plan; // null: a plain step
    const StepRows* m_stepRows; // null: of any step
    std::int64_t m_ranks;
    std::int64_t m_rank; // where ranks' parts differ
    std::int64_t m_rows; // this rank's of a step
    bool m_inBackward;
    bool m_fromFirst;
    std::vector<ExpertLoads> m_loads;
    ShadowGraph m_graph;
    ShadowContext m_context;
    std::optional<UpdateSimulation> m_update;
    ShadowSharding* m_sharding = nullptr; // where the training is not of one process alone
    CommunicationPlan m_communication;
    ShadowModel* m_model = nullptr;
};

} // namespace

namespace {
thread_local std::uint64_t s_runs = 0;
}

std::uint64_t simulatedRuns()
{
    return s_runs;
}

Result<ShadowMemory> simulateRun(const Experiment& experiment, const EstimateOptions& options, const ClippingPlan* plan,
                                 CommunicationPlan* communication, const StepRows* rows)
{
    ++s_runs;
    ShadowMemory memory(options.cuda ? kCudaGranule : 1);
    // The states of the first update split what the step before it had left in the caching allocator, and later steps
    // reserve more: what it reserves begins with that step.
    const bool fromFirst = options.cuda && options.wholeRun && !options.derived && communication == nullptr;
    TrainingSimulation simulation(experiment, options, memory, plan, rows, fromFirst);
    if (Status status = simulation.run(); !status)
        return status.error();
    if (communication != nullptr)
        *communication = simulation.communication();
    return memory;
}

namespace {

// Where LibTorch's own scratch, some 40 KiB of 16-bit kernels on a CPU, is not small beside the run; and what was seen
// to miss.
void addPrecisionNotes(const Experiment& experiment, MemoryEstimate& estimate)
{
    constexpr std::int64_t kSmall = std::int64_t{8} << 20;
    const bool cast = experiment.training.amp != Amp::None;
    if ((cast || experiment.dtype == Dtype::BFloat16 || experiment.dtype == Dtype::Float16) &&
        estimate.peakBytes < kSmall) {
        estimate.verified = false;
        estimate.notes.push_back("16-bit kernels take scratch of their own, which in a run this small is not nothing.");
    }
    if (cast && experiment.dtype == Dtype::Float64) {
        estimate.verified = false;
        estimate.notes.push_back("Autocast over float64 weights was not found to agree with every measured run.");
    }
}

// Whose bytes they are, and what the modules' shares of flat rows are.
void addRankNotes(const Experiment& experiment, const EstimateOptions& options, MemoryEstimate& estimate)
{
    const std::int64_t ranks = ranksOf(experiment, options);
    const Sharding stage = experiment.training.sharding;
    if (ranks > 1)
        estimate.notes.push_back(ranksNote(experiment, ranks));
    else if (stage != Sharding::None)
        estimate.notes.push_back(
            fmt::format("{} over one rank divides nothing; its buffers are all it adds.", name(stage)));
}

// What a clipped step depends on and nobody knows beforehand.
void addClippingNotes(const Experiment& experiment, const EstimateOptions& options, const ClippingPlan& plan,
                      MemoryEstimate& estimate)
{
    estimate.notes.insert(estimate.notes.end(), plan.notes.begin(), plan.notes.end());
    if (experiment.training.privacy.poisson) {
        estimate.verified = false;
        estimate.notes.push_back("A Poisson batch has as many rows as are drawn; predicted for data.batch of them.");
    }
    const bool looksUp = experiment.training.lora.rank == 0 && !plan.microbatch;
    if (looksUp && !knowsDistinctTokens(experiment, options.countRows)) {
        estimate.verified = false;
        estimate.notes.push_back(fmt::format("The embedding's norms take memory for each different token of a row; "
                                             "predicted for {} of {} tokens.",
                                             distinctTokens(experiment), rowPositions(experiment)));
    }
}

// What a clipped step takes depends on its rows' tokens where an embedding is trained: the step that takes most is the
// run's.
Result<ShadowMemory> simulateHeaviest(const Experiment& experiment, const EstimateOptions& options,
                                      const ClippingPlan* plan, std::vector<std::string>& notes)
{
    constexpr std::size_t kMost = 24; // simulations
    std::vector<StepRows> steps;
    if (plan != nullptr && !plan->microbatch && experiment.training.lora.rank == 0)
        steps = heaviestSteps(experiment, ranksOf(experiment, options), options.rank, options.countRows);
    if (steps.empty())
        return simulateRun(experiment, options, plan);
    if (steps.size() > kMost) {
        const auto tokens = [](const StepRows& step) {
            return std::accumulate(step.distinct.begin(), step.distinct.end(), std::int64_t{0});
        };
        std::stable_sort(steps.begin(), steps.end(),
                         [&](const StepRows& a, const StepRows& b) { return tokens(a) > tokens(b); });
        notes.push_back(fmt::format("{} steps differ in how many different tokens their rows have; predicted for the "
                                    "{} that have most.",
                                    steps.size(), kMost));
        steps.resize(kMost);
    }
    auto heaviest = simulateRun(experiment, options, plan, nullptr, &steps.front());
    for (std::size_t i = 1; heaviest && i < steps.size(); ++i) {
        auto memory = simulateRun(experiment, options, plan, nullptr, &steps[i]);
        if (!memory || memory->peakBytes() > heaviest->peakBytes())
            heaviest = std::move(memory);
    }
    return heaviest;
}

// Blocks are larger than what is requested of them: that is rounding, too.
void addBlocks(const AllocatorPeaks& peaks, MemoryEstimate& estimate)
{
    const auto grow = [](std::int64_t more, ComponentBytes& components) {
        if (components != ComponentBytes{}) // else nobody asked for them
            components[static_cast<std::size_t>(Component::Rounding)] += more;
    };
    for (PhaseEstimate& phase : estimate.phases) {
        const std::int64_t allocated = peaks.allocated[static_cast<std::size_t>(phase.phase)];
        grow(allocated - phase.peakBytes, phase.components);
        phase.peakBytes = std::max(phase.peakBytes, allocated);
    }
    const auto highest = std::max_element(estimate.phases.begin(), estimate.phases.end(),
                                          [](const auto& a, const auto& b) { return a.peakBytes < b.peakBytes; });
    if (highest == estimate.phases.end() || highest->peakBytes <= estimate.peakBytes)
        return;
    if (highest->phase != estimate.peakPhase) {
        estimate.peakPhase = highest->phase;
        estimate.components = highest->components;
    } else {
        grow(highest->peakBytes - estimate.peakBytes, estimate.components);
    }
    estimate.peakBytes = highest->peakBytes;
}

// What is reserved on a card that has room for all of it. Where that passes `capacity` (0: no limit), the run as the
// full card meets it: what the allocator does not use goes back to the card before a request fails.
void addReserved(const ShadowMemory& memory, const CudaAllocatorOptions& allocator, std::int64_t capacity, bool blocks,
                 MemoryEstimate& estimate)
{
    auto peaks = allocatorPeaks(memory, allocator);
    if (!peaks)
        return; // more than addresses are for: the requests stand
    const std::int64_t unlimited = peaks->reserved;
    if (capacity > 0 && unlimited > capacity) {
        if (const auto full = allocatorPeaks(memory, allocator, capacity)) {
            peaks = full;
            estimate.notes.push_back(fmt::format("fits because the allocator frees unused memory of the full card and "
                                                 "retries, which takes time; a larger card would have {} reserved",
                                                 formatBytes(unlimited)));
        }
    }
    estimate.peakReservedBytes = peaks->reserved;
    if (blocks)
        addBlocks(*peaks, estimate);
}

Result<MemoryEstimate> simulatePlanned(const Experiment& experiment, const EstimateOptions& options,
                                       const ClippingPlan* plan)
{
    std::vector<std::string> notes;
    auto memory = simulateHeaviest(experiment, options, plan, notes);
    if (!memory)
        return memory.error();
    MemoryEstimate estimate = memory->summary(options.modules);
    if (options.cuda) {
        // What streams of collectives hold cannot be told from what may go back to the card.
        const bool alone = ranksOf(experiment, options) == 1;
        addReserved(*memory, experiment.cudaAllocator, alone ? options.capacityBytes : 0, options.wholeRun, estimate);
        estimate.verified = false;
        estimate.notes.push_back(
            "operators as LibTorch's CUDA kernels allocate; training steps on an H100 took 0.1 to 0.5 % more, what "
            "cuBLAS keeps for itself (docs/gpu.md)");
    }
    estimate.verified = estimate.verified && notes.empty();
    estimate.notes.insert(estimate.notes.end(), notes.begin(), notes.end());
    addPrecisionNotes(experiment, estimate);
    addRankNotes(experiment, options, estimate);
    if (plan != nullptr)
        addClippingNotes(experiment, options, *plan, estimate);
    return estimate;
}

} // namespace

Result<MemoryEstimate> simulateTraining(const Experiment& experiment, const EstimateOptions& options)
{
    const bool clips = experiment.training.clipping != Clipping::None;
    if (options.derived)
        return deriveTraining(experiment, options);
    // Searching for a plan takes simulations of its own: it is made once, for the run and for what is said of it.
    std::optional<ClippingPlan> plan;
    if (clips)
        plan = clippingPlanOfRank(experiment, options, ranksOf(experiment, options));
    return simulatePlanned(experiment, options, plan ? &*plan : nullptr);
}

} // namespace peakscope
