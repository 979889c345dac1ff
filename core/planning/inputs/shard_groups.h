// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a model's parameters are cut over ranks (ZeRO, Rajbhandari et al. 2020): units that are gathered together, and
// in each a flat row of the trained parameters and one of the frozen ones. The engine builds tensors from this, the
// estimator weighs it. No LibTorch; any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/model/model_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// Unit 0 is what comes before the layers (a tied head's matrix with it), 1 … layers the layers, layers + 1 what comes
// after them.
std::size_t shardUnit(const ParameterSpec& spec, std::int64_t layers);
std::size_t shardUnitCount(std::int64_t layers);

// A rank's part of one parameter: elements first … first + count of its numbers, at `inShard` of the rank's share of
// the row. Empty on ranks that have none of it.
struct ShardPart {
    std::int64_t first = 0, count = 0, inShard = 0;
};

// One row of parameters of one unit, cut into as many equal shares as there are ranks: as one flat row, or each
// parameter by itself along its first dimension (fsdp), the last share padded.
struct ShardGroup {
    std::size_t unit = 0;
    bool trained = true;
    bool byRows = false;
    std::vector<ParameterSpec> parameters;
    std::vector<std::int64_t> offsets; // of each in the flat row, in elements
    std::int64_t elements = 0;         // without padding

    std::int64_t share(std::int64_t ranks) const; // of one rank, in elements
    std::int64_t padded(std::int64_t ranks) const { return share(ranks) * ranks; }
    ShardPart part(std::size_t parameter, std::int64_t rank, std::int64_t ranks) const;
    // Elements of a share that the parameter has, padding among them; by rows.
    std::int64_t partElements(std::size_t parameter, std::int64_t ranks) const;
};

// By unit, the trained row before the frozen one; rows without parameters are left out. With adapters
// (training.lora.rank) only they are trained. Under fsdp what comes before and after the layers is one unit, as the
// root of FSDP2 is. Errors are adapterSpecs'.
Result<std::vector<ShardGroup>> shardGroups(const Experiment& experiment);

// Whether the stage spreads this row's parameters (zero3, fsdp), or at least its gradients' and states' shares (the
// others' trained rows).
bool isSharded(const ShardGroup& group, Sharding stage);
// Those rows of the experiment's.
Result<std::vector<ShardGroup>> shardedGroups(const Experiment& experiment);

// Rows [first, first + count) of a batch of `rows` are rank's; the passes over them, of at most maxPhysicalBatch rows,
// are as many on every rank.
struct RowShare {
    std::int64_t first = 0;
    std::int64_t count = 0;
};
RowShare rowShare(std::int64_t rows, std::int64_t rank, std::int64_t ranks);
std::int64_t passesOfStep(std::int64_t rows, std::int64_t maxPhysicalBatch, std::int64_t ranks);

} // namespace peakscope
