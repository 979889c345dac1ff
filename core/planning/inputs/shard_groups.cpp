// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/shard_groups.h"

#include "core/model/adapter_specs.h"

#include <algorithm>

namespace peakscope {

std::size_t shardUnitCount(std::int64_t layers)
{
    return static_cast<std::size_t>(layers) + 2;
}

std::size_t shardUnit(const ParameterSpec& spec, std::int64_t layers)
{
    if (spec.layer >= 0)
        return static_cast<std::size_t>(spec.layer) + 1;
    // OPT-350M's projections may carry adapters, which are not of the embedding's kind.
    const bool before = spec.kind == ModuleKind::Embedding || spec.name.find(".project_in.") != std::string::npos;
    return before ? 0 : static_cast<std::size_t>(layers) + 1;
}

std::int64_t ShardGroup::partElements(std::size_t parameter, std::int64_t ranks) const
{
    const ParameterSpec& spec = parameters[parameter];
    const std::int64_t rows = spec.shape.front();
    return (rows + ranks - 1) / ranks * (spec.count() / rows);
}

std::int64_t ShardGroup::share(std::int64_t ranks) const
{
    if (!byRows)
        return (elements + ranks - 1) / ranks;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        all += partElements(i, ranks);
    return all;
}

ShardPart ShardGroup::part(std::size_t parameter, std::int64_t rank, std::int64_t ranks) const
{
    const std::int64_t count = parameters[parameter].count();
    if (byRows) {
        std::int64_t inShard = 0;
        for (std::size_t i = 0; i < parameter; ++i)
            inShard += partElements(i, ranks);
        const std::int64_t own = partElements(parameter, ranks);
        const std::int64_t first = std::min(rank * own, count);
        return {first, std::min(own, count - first), inShard};
    }
    const std::int64_t shard = rank * share(ranks), offset = offsets[parameter];
    const std::int64_t begin = std::max(shard, offset);
    const std::int64_t end = std::min(shard + share(ranks), offset + count);
    return {begin - offset, std::max<std::int64_t>(0, end - begin), begin - shard};
}

Result<std::vector<ShardGroup>> shardGroups(const Experiment& experiment)
{
    const ModelConfig& config = experiment.model.config;
    const bool byRows = experiment.training.sharding == Sharding::Fsdp;
    const auto adapters = adapterSpecs(config, experiment.training.lora);
    if (!adapters)
        return adapters.error();
    std::vector<ShardGroup> groups(2 * shardUnitCount(config.layers));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].unit = i / 2;
        groups[i].trained = i % 2 == 0;
        groups[i].byRows = byRows;
    }
    const auto add = [&](const ParameterSpec& spec, bool trained) {
        const std::size_t unit = shardUnit(spec, config.layers);
        const bool root = byRows && unit + 1 == shardUnitCount(config.layers);
        ShardGroup& group = groups[2 * (root ? 0 : unit) + (trained ? 0 : 1)];
        group.offsets.push_back(group.elements);
        group.elements += spec.count();
        group.parameters.push_back(spec);
    };
    for (const ParameterSpec& spec : parameterSpecs(config))
        add(spec, adapters->empty());
    for (const ParameterSpec& spec : *adapters)
        add(spec, true);
    groups.erase(std::remove_if(groups.begin(), groups.end(), [](const ShardGroup& g) { return g.parameters.empty(); }),
                 groups.end());
    return groups;
}

bool isSharded(const ShardGroup& group, Sharding stage)
{
    return dividesParameters(stage) || (stage != Sharding::None && group.trained);
}

Result<std::vector<ShardGroup>> shardedGroups(const Experiment& experiment)
{
    auto groups = shardGroups(experiment);
    if (groups)
        std::erase_if(*groups,
                      [&](const ShardGroup& group) { return !isSharded(group, experiment.training.sharding); });
    return groups;
}

RowShare rowShare(std::int64_t rows, std::int64_t rank, std::int64_t ranks)
{
    const std::int64_t first = rank * rows / ranks;
    return {first, (rank + 1) * rows / ranks - first};
}

std::int64_t passesOfStep(std::int64_t rows, std::int64_t maxPhysicalBatch, std::int64_t ranks)
{
    const std::int64_t most = (rows + ranks - 1) / ranks;
    const std::int64_t physical = std::max<std::int64_t>(1, maxPhysicalBatch);
    return (most + physical - 1) / physical;
}

} // namespace peakscope
