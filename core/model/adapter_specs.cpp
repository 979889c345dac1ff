// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adapter_specs.h"

#include "core/base/recent_values.h"
#include "core/model/family.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::string_view kWeight = ".weight";
constexpr const char* kWhere = "training.lora";

bool isLinear(const ParameterSpec& spec)
{
    if (spec.shape.size() != 2 || !spec.name.ends_with(kWeight)) {
        return false;
    }
    return spec.layer >= 0 || spec.name.ends_with("project_in.weight") || spec.name.ends_with("project_out.weight");
}

bool matches(const LinearShape& layer, const std::string& target)
{
    const std::string& name = layer.name;
    return name.ends_with(target) && (name.size() == target.size() || name[name.size() - target.size() - 1] == '.');
}

// The model's projections by their last names, each once, in the model's order.
std::string projectionNames(const std::vector<LinearShape>& layers)
{
    std::vector<std::string> names;
    for (const LinearShape& layer : layers) {
        std::string last = layer.name.substr(layer.name.rfind('.') + 1);
        if (std::find(names.begin(), names.end(), last) == names.end()) {
            names.push_back(std::move(last));
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

namespace {

std::vector<LinearShape> listedLayers(const ModelConfig& config)
{
    std::vector<LinearShape> layers;
    const std::string_view prefix = describe(config.family).experts.prefix;
    const std::string experts = config.experts > 0 ? fmt::format(".{}.", prefix) : std::string();
    for (const ParameterSpec& spec : parameterSpecs(config)) {
        if (!isLinear(spec)) {
            continue;
        }
        LinearShape layer;
        layer.name = spec.name.substr(0, spec.name.size() - kWeight.size());
        layer.in = spec.shape[spec.transposed ? 0 : 1];
        layer.out = spec.shape[spec.transposed ? 1 : 0];
        layer.layer = spec.layer;
        if (!experts.empty() && layer.name.find(experts) != std::string::npos)
            layer.share = static_cast<double>(config.expertsPerToken) / static_cast<double>(config.experts);
        layers.push_back(std::move(layer));
    }
    return layers;
}

} // namespace

std::vector<LinearShape> linearLayers(const ModelConfig& config)
{
    thread_local RecentValues<ModelConfig, std::vector<LinearShape>> known; // a search asks for the same few
    return known.of(config, [&config] { return listedLayers(config); });
}

Result<AdapterPlan> adapterPlan(const ModelConfig& config, const LoraOptions& options)
{
    AdapterPlan plan;
    if (options.rank > 0 && options.alpha == 0) {
        return badInput(std::string(kWhere) + ".alpha", "0 leaves nothing to train, give a number above 0");
    }
    std::vector<std::string> targets = options.targets;
    if (options.rank <= 0 && targets == LoraOptions().targets) {
        return plan; // nobody named them
    }
    const std::vector<LinearShape> all = linearLayers(config);
    const std::string fused(describe(config.family).fused);
    if (!fused.empty() && targets == LoraOptions().targets) {
        plan.notes.push_back(fmt::format("lora: {} has no {}; its {}, which holds queries, keys and values, is adapted",
                                         name(config.family), fmt::join(targets, " and "), fused));
        targets = {fused};
    }
    std::vector<bool> chosen(all.size()); // however many targets name a layer
    for (const std::string& target : targets) {
        bool known = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (matches(all[i], target)) {
                chosen[i] = true;
                known = true;
            }
        }
        if (!known) {
            return badInput(std::string(kWhere) + ".targets",
                            fmt::format("\"{}\" is not a projection of this model, which has {}", target.substr(0, 60),
                                        projectionNames(all)));
        }
    }
    if (options.rank <= 0) {
        return plan; // no adapters, but a name that means nothing is a slip all the same
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!chosen[i]) {
            continue;
        }
        const LinearShape& layer = all[i];
        if (options.rank > std::min(layer.in, layer.out)) {
            return badInput(std::string(kWhere) + ".rank",
                            fmt::format("{} is above {}, the smaller side of {} ({} x {})", options.rank,
                                        std::min(layer.in, layer.out), layer.name, layer.out, layer.in));
        }
        plan.specs.push_back({layer.name + ".lora_A.weight",
                              {options.rank, layer.in},
                              ModuleKind::Lora,
                              layer.layer,
                              Initializer::Normal});
        plan.specs.push_back({layer.name + ".lora_B.weight",
                              {layer.out, options.rank},
                              ModuleKind::Lora,
                              layer.layer,
                              Initializer::Zeros});
        plan.layers.push_back(layer);
    }
    return plan;
}

Result<std::vector<ParameterSpec>> adapterSpecs(const ModelConfig& config, const LoraOptions& options)
{
    auto plan = adapterPlan(config, options);
    if (!plan) {
        return plan.error();
    }
    return std::move(plan->specs);
}

Result<std::vector<ParameterSpec>> adaptedSpecs(const ModelConfig& config, const LoraOptions& options)
{
    const auto adapters = adapterSpecs(config, options);
    if (!adapters) {
        return adapters.error();
    }
    std::vector<ParameterSpec> specs = parameterSpecs(config);
    specs.insert(specs.end(), adapters->begin(), adapters->end());
    return specs;
}

} // namespace peakscope
