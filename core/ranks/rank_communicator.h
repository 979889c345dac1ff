// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The communicator over the MPI module. Everything passes through buffers of its own in chunks, so that what is under
// way when a rank dies never touches memory that the run has given back, and so that MPI's temporaries stay small.
#pragma once

#include "core/ranks/communicator.h"
#include "core/ranks/rank_module.h"

#include <array>
#include <functional>

namespace peakscope {

class RankCommunicator final : public Communicator
{
public:
    struct Place {
        int rank = 0;
        int size = 1;
        int localSize = 1;
    };
    // `check` throws RankFailure where waiting has become useless; called often, by the waiting thread.
    RankCommunicator(const RankTransport& module, Place place, std::function<void()> check);
    // The most that one operation of MPI carries, of its larger side.
    void setChunkBytes(std::int64_t bytes);

    int rank() const override { return m_place.rank; }
    int size() const override { return m_place.size; }
    int localSize() const override { return m_place.localSize; }
    void allReduceSum(void* data, std::int64_t count, NumberKind kind) override;
    void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override;
    void allGather(const void* in, void* out, std::int64_t bytes) override;
    void broadcast(void* data, std::int64_t bytes, int root) override;
    void check() override { m_check(); }
    const std::vector<CollectiveTotals>& totals() const override { return m_totals; }
    void forgetTotals() { m_totals.assign(kCollectiveCount, {}); }

private:
    // One operation of MPI under way, with its buffers.
    struct Lane {
        std::vector<std::byte> in, out;
        TransportRequest* request = nullptr;
        std::int64_t from = 0, count = 0;
    };
    struct Chunked {
        std::int64_t count = 0;     // of numbers or bytes
        std::int64_t unitBytes = 1; // of one of them
        std::int64_t inBlocks = 1;  // the larger side decides how many go at once
        std::int64_t outBlocks = 1;
        std::function<void(Lane&)> load; // fills in, starts the request
        std::function<void(Lane&)> store;
    };
    void run(Collective collective, std::int64_t bytes, const Chunked& work);
    void wait(Lane& lane);

    const RankTransport& m_module;
    Place m_place;
    std::function<void()> m_check;
    std::int64_t m_chunkBytes = 4 << 20;
    std::array<Lane, 2> m_lanes; // while one is on its way, the other is filled or emptied
    bool m_broken = false;       // something is left under way
    std::vector<CollectiveTotals> m_totals = std::vector<CollectiveTotals>(kCollectiveCount);
};

} // namespace peakscope
