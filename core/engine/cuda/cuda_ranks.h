// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The communicator of ranks that each have a CUDA device: what is in the process's own memory goes the way of the
// communicator that it was made with, tensors go by NCCL. The thread of the run, or autograd's.
#pragma once

#include "core/base/result.h"
#include "core/engine/cuda/cuda_module.h"
#include "core/ranks/communicator.h"

#include <memory>
#include <mutex>

namespace peakscope {

class CudaRanks final : public Communicator, private DeviceCollectives
{
public:
    // Joins the devices of all ranks, for which it waits. The module and `host` must outlive it.
    static Result<std::unique_ptr<CudaRanks>> join(const CudaModule& module, int device, Communicator& host);
    ~CudaRanks() override;

    int rank() const override { return m_host.rank(); }
    int size() const override { return m_host.size(); }
    int localSize() const override { return m_host.localSize(); }
    bool alone() const override { return m_host.alone(); }
    void allReduceSum(void* data, std::int64_t count, NumberKind kind) override;
    void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override;
    void allGather(const void* in, void* out, std::int64_t bytes) override;
    void broadcast(void* data, std::int64_t bytes, int root) override;
    void check() override { m_host.check(); }
    DeviceCollectives* device() override { return this; }
    // Both kinds'. Seconds of a device's collectives count once they are over.
    const std::vector<CollectiveTotals>& totals() const override;

private:
    CudaRanks(const CudaCollectives& calls, void* joined, Communicator& host);
    Ticket beginAllReduceSum(void* data, std::int64_t count, NumberKind kind) override;
    Ticket beginReduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override;
    Ticket beginAllGather(const void* in, void* out, std::int64_t bytes) override;
    void await(Ticket ticket) override;
    Ticket begun(Collective collective, std::int64_t bytes, Ticket ticket);

    CudaCollectives m_calls;
    void* m_joined;
    Communicator& m_host;
    std::vector<CollectiveTotals> m_own = std::vector<CollectiveTotals>(kCollectiveCount);
    mutable std::vector<CollectiveTotals> m_totals;
};

// Any thread: ends what ranks of this process wait for on their device. Nothing where there is none.
void abortCudaRanks();

} // namespace peakscope
