// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_training.h"

#include "core/planning/depth_derivation.h"
#include "core/planning/simulation/caching_allocator.h"
#include "core/planning/simulation/shadow_model.h"

#include <algorithm>

namespace peakscope {
namespace {

// Pieces that the engine draws random weights in (core/engine/model.cpp) and computes the gradient's norm in
// (core/engine/trainer.cpp), in elements.
constexpr std::int64_t kRandomPiece = std::int64_t{1} << 20;
constexpr std::int64_t kNormPiece = std::int64_t{1} << 18;

constexpr std::int64_t kCudaGranule = 512;

class TrainingSimulation
{
public:
    TrainingSimulation(const Experiment& experiment, const EstimateOptions& options, ShadowMemory& memory)
        : m_experiment(experiment), m_memory(memory), m_graph(memory)
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
        ShadowModel model(m_graph, m_experiment.model.config, shadowType(m_experiment.dtype));
        m_model = &model;
        if (!m_experiment.pretrained)
            drawWeights();
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

    void drawWeights()
    {
        std::int64_t largest = 0;
        for (const ShadowParameter* parameter : m_model->parameters())
            largest = std::max(largest, parameter->tensor.elements());
        m_graph.fresh(std::min(kRandomPiece, largest), ShadowType::Float32);
    }

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
        const std::int64_t physical = std::min(rows(), m_experiment.data.maxPhysicalBatch);
        for (std::int64_t begin = 0; begin < rows(); begin += physical)
            forwardBackward(inputs, labels, std::min(physical, rows() - begin));
        m_memory.setPhase(Phase::Norms);
        norm();
        m_memory.setPhase(Phase::OptimizerStep);
        update();
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
                dropTables();
            m_memory.closeWork(work);
        }
        m_memory.setPhase(Phase::Backward);
        ShadowTensor one = m_graph.fresh(1, loss.type()); // held by the caller until backward is over
        m_graph.backward(loss, one);
        one.reset();
        loss.reset();
        m_graph.clear();
        m_context.logits.reset();
        dropTables();
    }

    // Checkpointed layers hold them until the graph is gone.
    void dropTables()
    {
        m_context.mask.reset();
        m_context.cos.reset();
        m_context.sin.reset();
    }

    void norm()
    {
        std::int64_t largest = 0;
        for (const ShadowParameter* parameter : m_model->parameters()) {
            if (parameter->trainable)
                largest = std::max(largest, parameter->tensor.elements());
        }
        m_graph.fresh(std::min(kNormPiece, largest), ShadowType::Float64);
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

Result<ShadowMemory> simulateRun(const Experiment& experiment, const EstimateOptions& options)
{
    ShadowMemory memory(options.cuda ? kCudaGranule : 1);
    TrainingSimulation simulation(experiment, options, memory);
    if (Status status = simulation.run(); !status)
        return status.error();
    return memory;
}

Result<MemoryEstimate> simulateTraining(const Experiment& experiment, const EstimateOptions& options)
{
    if (options.derived)
        return deriveTraining(experiment, options);
    auto memory = simulateRun(experiment, options);
    if (!memory)
        return memory.error();
    MemoryEstimate estimate = memory->summary(options.modules);
    if (options.cuda) {
        estimate.peakReservedBytes = reservedPeak(*memory, experiment.cudaAllocator);
        estimate.verified = false;
        estimate.notes.push_back("operators as LibTorch's CUDA kernels allocate; not yet compared with a measured run");
    }
    return estimate;
}

} // namespace peakscope
