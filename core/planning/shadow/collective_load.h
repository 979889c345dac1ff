// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How often each collective is called in a step of several ranks, and over how many bytes.
#pragma once

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

} // namespace peakscope
