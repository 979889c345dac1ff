// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_data.h"

#include "core/base/json/json_reader.h"
#include "core/results/module_kind.h"
#include "widgets/look/component_palette.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace peakscope {

namespace {

StepPart stepPart(std::optional<Phase> phase)
{
    if (!phase)
        return StepPart::Rest;
    switch (*phase) {
    case Phase::Forward:
        return StepPart::Forward;
    case Phase::Norms:
        return StepPart::Norms;
    case Phase::Backward:
        return StepPart::Backward;
    case Phase::OptimizerStep:
        return StepPart::Optimizer;
    default:
        return StepPart::Rest;
    }
}

} // namespace

std::int64_t componentBytes(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

std::vector<Component> componentsPresent(const MemorySection& memory)
{
    std::vector<Component> present;
    for (const Component component : componentStackOrder()) {
        if (componentBytes(memory.peakComponents, component) != 0 ||
            componentBytes(memory.maxComponents, component) != 0)
            present.push_back(component);
    }
    return present;
}

std::vector<Component> componentsPresent(const RunResults& results)
{
    std::set<Component> any;
    for (const auto& result : results) {
        if (!result->memory)
            continue;
        for (const Component component : componentsPresent(*result->memory))
            any.insert(component);
    }
    std::vector<Component> present;
    for (const Component component : componentStackOrder()) {
        if (any.count(component) != 0)
            present.push_back(component);
    }
    return present;
}

namespace {

// Among kinds and a last one for modules of none.
std::size_t placeOf(const ModuleUsage& module)
{
    const auto kind = kindOf(module);
    return kind ? static_cast<std::size_t>(*kind) : kModuleKindCount;
}

} // namespace

std::vector<KindUsage> kindUsages(const MemorySection& memory)
{
    // One place a kind and a last one for modules of no kind, in the order of ModuleKind.
    std::array<KindUsage, kModuleKindCount + 1> sums;
    for (std::size_t i = 0; i < kModuleKindCount; ++i)
        sums[i].kind = static_cast<ModuleKind>(i);
    for (const ModuleUsage& module : memory.modules) {
        KindUsage& sum = sums[placeOf(module)];
        sum.parameterBytes += module.parameterBytes;
        sum.gradientBytes += module.gradientBytes;
        sum.activationBytes += module.activationBytes;
    }
    std::vector<KindUsage> usages;
    std::copy_if(sums.begin(), sums.end(), std::back_inserter(usages),
                 [](const KindUsage& k) { return k.total() > 0; });
    return usages;
}

std::int64_t LayerUsage::total() const
{
    return std::accumulate(activationBytes.begin(), activationBytes.end(), std::int64_t{0});
}

std::vector<LayerUsage> layerUsages(const MemorySection& memory)
{
    std::map<std::int64_t, LayerUsage> layers;
    for (const ModuleUsage& module : memory.modules) {
        const std::optional<std::int64_t> layer = layerOf(module.name);
        if (!layer)
            continue;
        LayerUsage& usage = layers[*layer];
        usage.layer = *layer;
        usage.activationBytes[placeOf(module)] += module.activationBytes;
    }
    std::vector<LayerUsage> usages;
    for (const auto& [layer, usage] : layers)
        usages.push_back(usage);
    return usages;
}

std::int64_t OperatorTotals::totalBytes() const
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::vector<OperatorTotals> operatorTotals(const MemorySection& memory)
{
    constexpr std::string_view kNamespace = "aten::";
    std::map<std::string, OperatorTotals> totals;
    for (const OperatorUsage& usage : memory.operators) {
        const bool aten = usage.name.rfind(kNamespace, 0) == 0;
        OperatorTotals& sum = totals[aten ? usage.name.substr(kNamespace.size()) : usage.name];
        const auto part = static_cast<std::size_t>(stepPart(usage.phase));
        sum.bytes[part] += usage.allocatedBytes;
        sum.seconds[part] += usage.seconds;
        sum.count += usage.count;
    }
    std::vector<OperatorTotals> list;
    for (auto& [name, sum] : totals) {
        sum.name = name;
        list.push_back(std::move(sum));
    }
    return list;
}

std::int64_t budgetBytes(const RunResult& result)
{
    return lenient::integer(result.config, "budget_bytes", lenient::count(result.config, "budget_bytes"));
}

} // namespace peakscope
