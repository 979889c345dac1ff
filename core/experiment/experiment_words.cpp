// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words of an experiment, in the order of what they stand for.
#include "core/experiment/experiment.h"

#include "core/results/run_result.h"

#include <algorithm>

namespace peakscope {

const std::vector<std::string>& wordsOf(ExperimentKind)
{
    static const std::vector<std::string> words = [] {
        const std::vector<std::string>& results = wordsOf(ResultKind::Memory);
        return std::vector(results.begin(), results.begin() + int(ExperimentKind::Prm) + 1);
    }();
    return words;
}

const std::vector<std::string>& wordsOf(OptimizerKind)
{
    static const std::vector<std::string> words = [] {
        std::vector<std::string> names;
        for (const OptimizerDescription& optimizer : optimizers()) {
            names.push_back(optimizer.name);
        }
        return names;
    }();
    return words;
}

const std::vector<std::string>& wordsOf(CurvatureQuantity)
{
    static const std::vector<std::string> words = [] {
        std::vector<std::string> names;
        for (const CurvatureQuantity quantity : kCurvatureQuantities) {
            names.emplace_back(traitsOf(quantity).name);
        }
        return names;
    }();
    return words;
}

const std::vector<std::string>& attackNames()
{
    static const std::vector<std::string> names{"loss", "reference", "zlib", "min_k", "min_k_pp"};
    return names;
}

namespace {

Dtype chosen(ShardDtype choice, Dtype automatic)
{
    switch (choice) {
    case ShardDtype::Auto:
        break;
    case ShardDtype::Float32:
        return Dtype::Float32;
    case ShardDtype::Float64:
        return Dtype::Float64;
    case ShardDtype::BFloat16:
        return Dtype::BFloat16;
    case ShardDtype::Float16:
        return Dtype::Float16;
    }
    return automatic;
}

} // namespace

Dtype computeDtype(const Experiment& experiment)
{
    const TrainingOptions& training = experiment.training;
    if (training.sharding != Sharding::Fsdp)
        return experiment.dtype;
    return chosen(training.fsdp.paramDtype, experiment.dtype == Dtype::Float32 ? Dtype::BFloat16 : experiment.dtype);
}

Dtype reduceDtype(const Experiment& experiment)
{
    const TrainingOptions& training = experiment.training;
    const Dtype wide = experiment.dtype == Dtype::Float64 ? Dtype::Float64 : Dtype::Float32;
    return training.sharding == Sharding::Fsdp ? chosen(training.fsdp.reduceDtype, wide) : wide;
}

std::int64_t bytesPerElement(Dtype value)
{
    switch (value) {
    case Dtype::Float32:
        return 4;
    case Dtype::Float64:
        return 8;
    case Dtype::BFloat16:
    case Dtype::Float16:
        return 2;
    }
    return 4;
}

std::int64_t trainedElementBytes(const Experiment& experiment)
{
    const LoraOptions& lora = experiment.training.lora;
    const std::int64_t bytes = bytesPerElement(experiment.dtype);
    return lora.rank > 0 && lora.dtype == AdapterType::Float32 ? std::max<std::int64_t>(bytes, 4) : bytes;
}

Status checkCurvaturePrecision(const Experiment& experiment)
{
    if (bytesPerElement(experiment.dtype) <= 2)
        return badInput("dtype",
                        "second derivatives of " + std::string(name(experiment.dtype)) +
                            " weights drown in rounding; \"float32\" reads the same weights and has them exactly");
    if (experiment.training.amp != Amp::None)
        return badInput("training.amp", "curvature is not computed under autocast; it runs \"none\"");
    return Done{};
}

std::vector<double> noiseScales(const PrmOptions& options)
{
    std::vector<double> scales = options.sigmas;
    std::sort(scales.begin(), scales.end());
    scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
    return scales;
}

Status checkPrm(const PrmOptions& options)
{
    if (options.sigmas.empty())
        return badInput("prm.sigmas", "holds no scale; list at least one such as 0.1, or 0 for the baseline alone");
    if (const Status fine = checkThresholds(options.thresholds); !fine)
        return badInput("prm." + fine.error().context, fine.error().message);
    return Done{};
}

} // namespace peakscope
