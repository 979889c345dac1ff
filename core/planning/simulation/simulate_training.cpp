// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_training.h"

#include "core/planning/depth_derivation.h"
#include "core/planning/simulation/caching_allocator.h"
#include "core/planning/simulation/shadow_model.h"
#include "core/planning/simulation/simulate_clipping.h"

#include <algorithm>

namespace peakscope {
namespace {

constexpr std::int64_t kCudaGranule = 512;

class TrainingSimulation
{
public:
    TrainingSimulation(const Experiment& experiment, const EstimateOptions& options, ShadowMemory& memory,
                       const ClippingPlan* plan)
        : m_experiment(experiment), m_memory(memory), m_plan(plan), m_graph(memory)
    {
        m_context.graph = &m_graph;
        m_context.cuda = options.cuda;
        m_context.fused = options.fusedAttention;
        m_context.threads = options.threads > 0 ? options.threads : std::max<std::int64_t>(1, experiment.threads);
        m_context.sequence = experiment.data.seq;
        m_context.attention = experiment.training.attention;
        m_context.lossHead = experiment.training.lossHead;
        if (experiment.training.amp != Amp::None)
            m_context.autocast = experiment.training.amp == Amp::BFloat16 ? ShadowType::BFloat16 : ShadowType::Float16;
    }

    Status run()
    {
        m_memory.setPhase(Phase::Load);
        ShadowModel model(m_graph, m_experiment.model.config, shadowType(m_experiment.dtype), !m_experiment.pretrained);
        m_model = &model;
        if (m_experiment.training.lora.rank > 0) {
            m_memory.setPhase(Phase::Wrap);
            if (Status status = model.addAdapters(m_experiment.training.lora); !status)
                return status;
        }
        m_memory.setPhase(Phase::Data);
        m_memory.setPhase(Phase::OptimizerSetup);
        const std::int64_t total = m_experiment.training.warmupSteps + m_experiment.training.steps;
        if (total > 1)
            makeStates();
        step();
        return Done{};
    }

private:
    std::int64_t rows() const { return m_experiment.data.batch; }

    ShadowTensor input(std::int64_t rows)
    {
        ShadowTensor tensor = m_graph.fresh(rows * m_experiment.data.seq, ShadowType::Int64);
        m_memory.tag(tensor.storage(), Component::Inputs);
        return tensor;
    }

    void step()
    {
        m_memory.setPhase(Phase::Data);
        const ShadowTensor inputs = input(rows());
        const ShadowTensor labels = input(rows());
        if (m_plan != nullptr)
            ClippedSimulation(m_experiment, *m_plan, m_graph, m_context, *m_model).run(inputs, labels);
        else
            plainGradients(inputs, labels);
        m_memory.setPhase(Phase::Norms);
        simulateGradientNorm(m_graph, *m_model);
        m_memory.setPhase(Phase::OptimizerStep);
        update();
    }

    void plainGradients(const ShadowTensor& inputs, const ShadowTensor& labels)
    {
        const std::int64_t physical = std::min(rows(), m_experiment.data.maxPhysicalBatch);
        for (std::int64_t begin = 0; begin < rows(); begin += physical)
            forwardBackward(inputs, labels, std::min(physical, rows() - begin));
    }

    void forwardBackward(const ShadowTensor& inputs, const ShadowTensor& labels, std::int64_t rows)
    {
        m_context.batch = rows;
        m_memory.setPhase(Phase::Forward);
        ShadowTensor loss;
        {
            const std::uint32_t work = m_memory.openWork(ShadowWork::Forward);
            ShadowTensor hidden = m_model->hidden(m_context, inputs, m_experiment.training.checkpointing);
            loss = m_model->loss(m_context, hidden, labels, true);
            hidden.reset();
            m_model->dropCasts();
            if (!m_experiment.training.checkpointing)
                m_context.dropTables();
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
    }

    bool keepsMoments() const { return m_experiment.training.optimizer != OptimizerKind::Sgd; }

    void makeMoments(ShadowParameter& parameter)
    {
        if (parameter.firstMoment.defined() || !parameter.trainable || !keepsMoments())
            return;
        for (ShadowTensor* moment : {&parameter.firstMoment, &parameter.secondMoment}) {
            *moment = m_graph.fresh(parameter.tensor.elements(), parameter.tensor.type());
            m_memory.tag(moment->storage(), Component::OptimizerStates, parameter.module);
        }
    }

    void makeStates()
    {
        for (ShadowParameter* parameter : m_model->parameters())
            makeMoments(*parameter);
    }

    // torch::optim: Adam and AdamW hold the root of the second moment and the quotient's denominator for one parameter
    // at a time; SGD without momentum needs nothing.
    void update()
    {
        for (ShadowParameter* parameter : m_model->parameters()) {
            if (!parameter->trainable || !keepsMoments())
                continue;
            makeMoments(*parameter);
            // A number in an expression becomes a tensor of its own.
            const ShadowTensor number = m_graph.fresh(1, ShadowType::Float64);
            const ShadowTensor narrowNumber = m_graph.fresh(1, parameter->tensor.type());
            const ShadowTensor root = m_graph.fresh(parameter->tensor.elements(), parameter->tensor.type());
            const ShadowTensor denominator = m_graph.fresh(parameter->tensor.elements(), parameter->tensor.type());
        }
    }

    const Experiment& m_experiment;
    ShadowMemory& m_memory;
    const ClippingPlan* m_plan; // null: a plain step
    ShadowGraph m_graph;
    ShadowContext m_context;
    ShadowModel* m_model = nullptr;
};

} // namespace

ShadowType shadowType(Dtype dtype)
{
    switch (dtype) {
    case Dtype::Float32:
        return ShadowType::Float32;
    case Dtype::Float64:
        return ShadowType::Float64;
    case Dtype::BFloat16:
        return ShadowType::BFloat16;
    case Dtype::Float16:
        break;
    }
    return ShadowType::Float16;
}

namespace {
thread_local std::uint64_t s_runs = 0;
}

std::uint64_t simulatedRuns()
{
    return s_runs;
}

Result<ShadowMemory> simulateRun(const Experiment& experiment, const EstimateOptions& options, const ClippingPlan* plan)
{
    ++s_runs;
    ShadowMemory memory(options.cuda ? kCudaGranule : 1);
    std::optional<ClippingPlan> own;
    if (plan == nullptr && experiment.training.clipping != Clipping::None)
        plan = &own.emplace(clippingPlan(experiment, options));
    TrainingSimulation simulation(experiment, options, memory, plan);
    if (Status status = simulation.run(); !status)
        return status.error();
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

// What a clipped step depends on and nobody knows beforehand.
void addClippingNotes(const Experiment& experiment, const ClippingPlan& plan, MemoryEstimate& estimate)
{
    estimate.notes.insert(estimate.notes.end(), plan.notes.begin(), plan.notes.end());
    if (experiment.training.privacy.poisson) {
        estimate.verified = false;
        estimate.notes.push_back("A Poisson batch has as many rows as are drawn; predicted for data.batch of them.");
    }
    const bool ties = experiment.model.config.tied && experiment.training.lora.rank == 0 && !plan.microbatch;
    if (ties && !knowsDistinctTokens(experiment)) {
        estimate.verified = false;
        estimate.notes.push_back("The tied embedding's norms take memory for each different token of a row; predicted "
                                 "for rows whose tokens are all different.");
    }
}

} // namespace

Result<MemoryEstimate> simulateTraining(const Experiment& experiment, const EstimateOptions& options)
{
    if (options.derived)
        return deriveTraining(experiment, options);
    // Searching for a plan takes simulations of its own: it is made once, for the run and for what is said of it.
    std::optional<ClippingPlan> plan;
    if (experiment.training.clipping != Clipping::None)
        plan = clippingPlan(experiment, options);
    auto memory = simulateRun(experiment, options, plan ? &*plan : nullptr);
    if (!memory)
        return memory.error();
    MemoryEstimate estimate = memory->summary(options.modules);
    if (options.cuda) {
        estimate.peakReservedBytes = reservedPeak(*memory, experiment.cudaAllocator);
        estimate.verified = false;
        estimate.notes.push_back("operators as LibTorch's CUDA kernels allocate; not yet compared with a measured run");
    }
    addPrecisionNotes(experiment, estimate);
    if (plan)
        addClippingNotes(experiment, *plan, estimate);
    return estimate;
}

} // namespace peakscope
