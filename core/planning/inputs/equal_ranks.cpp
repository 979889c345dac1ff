// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/equal_ranks.h"

#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/shard_groups.h"

#include <map>

namespace peakscope {
namespace {

// What one rank's memory follows from, beside what all have alike.
using Signature = std::vector<std::int64_t>;

Signature signatureOf(const Experiment& experiment, std::int64_t rank, std::int64_t ranks)
{
    Signature own = {rowShare(experiment.data.batch, rank, ranks).count};
    if (experiment.training.sharding == Sharding::Fsdp) { // shards' last rows are missing on the last ranks
        const auto groups = shardGroups(experiment);
        for (std::size_t i = 0; groups && i < groups->size(); ++i) {
            for (std::size_t parameter = 0; parameter < (*groups)[i].parameters.size(); ++parameter)
                own.push_back((*groups)[i].part(parameter, rank, ranks).count);
        }
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
    std::map<Signature, std::int64_t> first;
    std::vector<std::int64_t> equal;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const bool alone = drawn || rank + 1 == ranks;
        equal.push_back(alone ? rank : first.emplace(signatureOf(experiment, rank, ranks), rank).first->second);
    }
    return equal;
}

} // namespace peakscope
