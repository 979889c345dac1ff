// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks of a training run say to each other in one step, before it runs: how often each collective is called
// and over how many bytes. Used by benchmarks that hold measured counts against it, and by docs. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"

#include <cstdint>

namespace peakscope {

// Bytes by the payload rule of core/ranks/communicator.h: all_reduce counts its buffer, reduce_scatter its input,
// all_gather its output, broadcast its buffer; the same on every rank.
struct CollectiveLoad {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    void add(std::int64_t payload)
    {
        ++count;
        bytes += payload;
    }
    bool operator==(const CollectiveLoad&) const = default;
};

struct CommunicationPlan {
    CollectiveLoad allReduce, reduceScatter, allGather, broadcast;

    std::int64_t bytes() const { return allReduce.bytes + reduceScatter.bytes + allGather.bytes + broadcast.bytes; }
    bool operator==(const CommunicationPlan&) const = default;
};

// One step of `experiment` (kind memory, no Poisson batches) on `ranks` ranks, counted in the simulated step: all
// passes, the gradients' sums, the parameters' gathers and the sum of the loss, clipped rows' norms. The norm of the
// gradient, taken once in the last measured step of a sharded run, is no part of it, nor of results.
Result<CommunicationPlan> communicationPlan(const Experiment& experiment, std::int64_t ranks);

// What the measured steps of a run make together, as results list it.
Result<CommunicationPlan> communicationOfRun(const Experiment& experiment, std::int64_t ranks);

} // namespace peakscope
