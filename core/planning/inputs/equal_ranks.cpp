// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/equal_ranks.h"

#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/shard_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace peakscope {
namespace {

// What one rank's memory follows from, beside what all have alike.
using Signature = std::vector<std::int64_t>;

// Lengths of all parameters' first dimensions, by which fsdp cuts.
std::set<std::int64_t> rowsOfParameters(const Experiment& experiment)
{
    std::set<std::int64_t> rows;
    if (experiment.training.sharding != Sharding::Fsdp)
        return rows;
    const auto groups = shardGroups(experiment);
    for (std::size_t i = 0; groups && i < groups->size(); ++i) {
        for (const ParameterSpec& spec : (*groups)[i].parameters)
            rows.insert(spec.shape.front());
    }
    return rows;
}

Signature signatureOf(const Experiment& experiment, const std::set<std::int64_t>& cut, std::int64_t rank,
                      std::int64_t ranks)
{
    Signature own = {rowShare(experiment.data.batch, rank, ranks).count};
    for (const std::int64_t rows : cut) { // the last ones are missing on the last ranks
        const std::int64_t each = (rows + ranks - 1) / ranks;
        own.push_back(std::clamp<std::int64_t>(rows - rank * each, 0, each));
    }
    // A table's gradients of single rows take memory for each different token.
    if (experiment.training.clipping != Clipping::None && experiment.training.lora.rank == 0) {
        for (const StepRows& step : heaviestSteps(experiment, ranks, rank, true))
            own.insert(own.end(), step.distinct.begin(), step.distinct.end());
    }
    return own;
}

} // namespace

std::vector<std::int64_t> equalRanks(const Experiment& experiment, std::int64_t ranks)
{
    const bool drawn = experiment.training.privacy.poisson; // each rank has its own number of rows
    const std::set<std::int64_t> cut = rowsOfParameters(experiment);
    std::map<Signature, std::int64_t> first;
    std::vector<std::int64_t> equal;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const bool alone = drawn || rank + 1 == ranks;
        equal.push_back(alone ? rank : first.emplace(signatureOf(experiment, cut, rank, ranks), rank).first->second);
    }
    return equal;
}

} // namespace peakscope
