// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/memory_estimate.h"

#include "core/planning/inputs/shard_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

std::int64_t ranksOf(const Experiment& experiment, const EstimateOptions& options)
{
    return std::max({std::int64_t{1}, options.devices, experiment.ranks});
}

std::int64_t rowsOfRank(const Experiment& experiment, const EstimateOptions& options)
{
    const std::int64_t ranks = ranksOf(experiment, options);
    const std::int64_t rows = experiment.data.batch;
    return options.rank >= 0 ? rowShare(rows, options.rank, ranks).count : (rows + ranks - 1) / ranks;
}

std::string ranksNote(const Experiment& experiment, std::int64_t ranks)
{
    const std::int64_t batch = experiment.data.batch;
    const std::int64_t rows = (batch + ranks - 1) / ranks;
    return fmt::format("All bytes are those of one of {} ranks: data.batch {} is {}{} row{} on each.", ranks, batch,
                       rows * ranks == batch ? "" : "at most ", rows, rows == 1 ? "" : "s");
}

} // namespace peakscope
