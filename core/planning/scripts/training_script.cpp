// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/scripts/training_script.h"

#include "core/planning/scripts/script_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace peakscope {

namespace {

bool hasPagedForm(OptimizerKind optimizer)
{
    const OptimizerWords& words = wordsFor(optimizer);
    return !words.pagedTrainer.empty() || !words.pagedMade.empty();
}

} // namespace

Result<TrainingScript> trainingScript(const Experiment& experiment, const ScriptOptions& options)
{
    const bool tunes = options.loop == ScriptLoop::Sft;
    if (experiment.training.sharding != Sharding::None || experiment.ranks > 1)
        return tunes ? badInput("", "TRL's scripts are for one device; --program transformers has those of several")
                     : distributedScript(experiment, options);
    if (experiment.training.clipping != Clipping::None)
        return tunes ? badInput("", "TRL has no DP-SGD; --program transformers has scripts with Opacus")
                     : privateScript(experiment, options);
    return trainerScript(experiment, options);
}

std::int64_t rowsOfPass(std::int64_t batch, std::int64_t most)
{
    std::int64_t rows = std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, batch));
    while (batch % rows != 0)
        --rows;
    return rows;
}

std::int64_t rowsOfStep(const Experiment& experiment)
{
    return experiment.data.batch / std::max<std::int64_t>(1, experiment.ranks);
}

std::string scriptName(const Experiment& experiment, bool pages)
{
    const TrainingOptions& t = experiment.training;
    std::vector<std::string> words{t.amp == Amp::None ? std::string(name(experiment.dtype))
                                                      : fmt::format("{}-autocast", name(t.amp))};
    if (t.lora.rank > 0)
        words.push_back(fmt::format("lora{}", t.lora.rank));
    if (experiment.model.config.quantization != Quantization::None)
        words.emplace_back(name(experiment.model.config.quantization));
    if (t.optimizer != defaultOptimizer())
        words.push_back((pages && hasPagedForm(t.optimizer) ? "paged-" : "") + std::string(t.optimizer->name));
    if (t.implementation == Implementation::Loop)
        words.emplace_back("loop");
    if (t.clipping != Clipping::None)
        words.emplace_back(name(t.clipping));
    if (t.checkpointing)
        words.emplace_back("checkpointing");
    if (t.lossHead == LossHead::Chunked)
        words.emplace_back("chunked");
    if (t.attention != AttentionKind::Auto)
        words.push_back(fmt::format("{}-attention", name(t.attention)));
    if (experiment.ranks > 1)
        words.push_back(
            fmt::format("{}-over-{}", t.sharding == Sharding::None ? "ddp" : name(t.sharding), experiment.ranks));
    words.push_back(fmt::format("{}x{}", experiment.data.batch, experiment.data.seq));
    return fmt::format("{}", fmt::join(words, "-"));
}

} // namespace peakscope
