// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_options.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace peakscope {
namespace {

FeatureUnit unitByName(const std::string& word)
{
    for (const FeatureUnit unit : {FeatureUnit::Tensor, FeatureUnit::Head, FeatureUnit::Row, FeatureUnit::Block}) {
        if (name(unit) == word)
            return unit;
    }
    return FeatureUnit::Row;
}

SampleKind samplesByName(const std::string& word)
{
    return word == "lines" ? SampleKind::Lines : word == "rows" ? SampleKind::Rows : SampleKind::Auto;
}

} // namespace

Result<PrmOptions> prmOptions(const nlohmann::json& block)
{
    PrmOptions options;
    try {
        options.sigmas = block.at("sigmas").get<std::vector<double>>();
        options.relative = block.at("relative");
        options.repeats = block.at("repeats");
        options.attacks = block.at("attacks").get<std::vector<std::string>>();
        options.baseEpochs = block.at("base_epochs");
        options.finetuneEpochs = block.at("finetune_epochs");
        options.members = block.at("members");
        options.attacked = block.at("attacked");
        options.evaluation = block.at("evaluation");
        options.samples = samplesByName(block.at("samples"));
        options.unit = unitByName(block.at("unit"));
        const nlohmann::json& thresholds = block.at("thresholds");
        options.thresholds = {thresholds.at("func_alignment"), thresholds.at("func_sparsity"),
                              thresholds.at("sens_alignment"), thresholds.at("sens_sparsity")};
        options.synthetic = block.at("synthetic");
        options.smallNoise = block.at("small_noise");
    } catch (const nlohmann::json::exception& exception) {
        return badInput("prm", std::string("not a complete block of an experiment: ") + exception.what());
    }
    std::sort(options.sigmas.begin(), options.sigmas.end());
    options.sigmas.erase(std::unique(options.sigmas.begin(), options.sigmas.end()), options.sigmas.end());
    if (options.sigmas.empty() || options.sigmas.back() <= 0)
        return badInput("prm.sigmas", "holds no noise above 0; list at least one scale such as 0.1");
    if (const Status fine = checkThresholds(options.thresholds); !fine)
        return badInput("prm." + fine.error().context, fine.error().message);
    return options;
}

} // namespace peakscope
