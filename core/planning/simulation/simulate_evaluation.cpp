// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_evaluation.h"

#include "core/allocator/allocator_settings.h"
#include "core/planning/shadow/shadow_model.h"
#include "core/planning/simulation/simulate_training.h"

#include <algorithm>

namespace peakscope {
namespace {

// Log-probability, mean and variance of every token, a piece of the logits at a time.
void tokenNumbers(ShadowContext& context, const ShadowTensor& hidden, const ModelConfig& config,
                  std::int64_t logitBytes)
{
    const ShadowType type = hidden.type(), wide = wideType(type);
    const std::int64_t piece = std::max<std::int64_t>(1, logitBytes / (config.vocab * bytesOf(wide)));
    std::vector<ShadowTensor> kept;
    for (std::int64_t begin = 0; begin < context.tokens(); begin += piece) {
        const std::int64_t rows = std::min(piece, context.tokens() - begin), cells = rows * config.vocab;
        ShadowTensor logits = context.fresh(cells, type);
        if (type != wide)
            logits = context.fresh(cells, wide);
        const ShadowTensor log = context.fresh(cells, wide);
        kept.push_back(context.fresh(rows, wide));
        const ShadowTensor weighted = context.fresh(cells, wide);
        kept.push_back(context.fresh(rows, wide));
        const ShadowTensor squares = context.fresh(rows, wide), square = context.fresh(rows, wide);
        kept.push_back(context.fresh(rows, wide));
    }
}

} // namespace

MemoryEstimate simulateEvaluation(const Experiment& experiment, const EvaluationSizes& sizes,
                                  const EstimateOptions& options)
{
    ShadowMemory memory(options.cuda ? kCudaGranule : 1);
    ShadowGraph graph(memory);
    const ModelConfig& config = experiment.model.config;
    const ShadowType type = shadowType(experiment.dtype);
    ShadowModel model(graph, config, type, /*drawn=*/false);
    std::vector<ShadowTensor> copies;
    for (std::int64_t i = 0; i < sizes.copies; ++i) {
        copies.push_back(graph.fresh(parameterCount(config), type));
        memory.tag(copies.back().storage(), Component::Parameters);
    }
    memory.setPhase(Phase::Evaluate);
    ShadowContext context;
    context.graph = &graph;
    context.cuda = options.cuda;
    context.fused = options.fusedAttention;
    context.threads = options.threads > 0 ? options.threads : std::max<std::int64_t>(1, experiment.threads);
    context.batch = sizes.rows;
    context.sequence = sizes.length;
    context.attention = experiment.training.attention;
    std::vector<ShadowTensor> batch; // ids and labels
    for (int i = 0; i < 2; ++i) {
        batch.push_back(graph.fresh(context.tokens(), ShadowType::Int64));
        memory.tag(batch.back().storage(), Component::Inputs);
    }
    graph.setGradientMode(false);
    const std::uint32_t work = memory.openWork(ShadowWork::Forward);
    const ShadowTensor hidden = model.hidden(context, batch.front(), /*checkpointing=*/false);
    context.dropTables();
    tokenNumbers(context, hidden, config, sizes.logitBytes);
    memory.closeWork(work);
    return memory.summary(false);
}

} // namespace peakscope
