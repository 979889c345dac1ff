// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/cuda_ranks.h"

#include <array>
#include <atomic>
#include <functional>

namespace peakscope {
namespace {

CudaNumber cudaNumber(NumberKind kind)
{
    switch (kind) {
    case NumberKind::Float32:
        return CudaNumber::Float32;
    case NumberKind::Float64:
        return CudaNumber::Float64;
    case NumberKind::Int64:
        return CudaNumber::Int64;
    case NumberKind::BFloat16:
        return CudaNumber::BFloat16;
    case NumberKind::Float16:
        break;
    }
    return CudaNumber::Float16;
}

// Those of this process that can be aborted.
struct Abortable {
    std::mutex mutex;
    std::function<void()> abort;
};

Abortable& abortable()
{
    static auto* one = new Abortable; // used while the process ends
    return *one;
}

void setAbort(std::function<void()> abort)
{
    const std::lock_guard lock(abortable().mutex);
    abortable().abort = std::move(abort);
}

} // namespace

Result<std::unique_ptr<CudaRanks>> CudaRanks::join(const CudaModule& module, int device, Communicator& host)
{
    std::array<char, kCudaIdBytes + 1> id = {}; // and whether it is one
    if (host.rank() == 0 || host.alone())
        id.back() = module.collectives.makeId(id.data()) ? 1 : 0;
    host.broadcast(id.data(), static_cast<std::int64_t>(id.size()), 0);
    if (id.back() == 0)
        return failed("ranks", "NCCL does not start on rank 0");
    void* joined = module.collectives.join(device, id.data(), host.rank(), host.size());
    if (!joined)
        return failed("ranks", "NCCL could not join the devices of " + std::to_string(host.size()) +
                                   " ranks; set NCCL_DEBUG=INFO in the environment to see why");
    return std::unique_ptr<CudaRanks>(new CudaRanks(module.collectives, joined, host));
}

CudaRanks::CudaRanks(const CudaCollectives& calls, void* joined, Communicator& host)
    : m_calls(calls), m_joined(joined), m_host(host)
{
    setAbort([calls, joined] { calls.abort(joined); });
}

CudaRanks::~CudaRanks()
{
    setAbort({});
}

void CudaRanks::allReduceSum(void* data, std::int64_t count, NumberKind kind)
{
    m_host.allReduceSum(data, count, kind);
}

void CudaRanks::reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind)
{
    m_host.reduceScatterSum(in, out, count, kind);
}

void CudaRanks::allGather(const void* in, void* out, std::int64_t bytes)
{
    m_host.allGather(in, out, bytes);
}

void CudaRanks::broadcast(void* data, std::int64_t bytes, int root)
{
    m_host.broadcast(data, bytes, root);
}

const std::vector<CollectiveTotals>& CudaRanks::totals() const
{
    m_totals = m_host.totals();
    for (std::size_t i = 0; i < m_totals.size(); ++i) {
        m_totals[i].waited = m_totals[i].seconds; // the host's block
        m_totals[i].add(m_own[i]);
    }
    std::array<double, 3> seconds = {}, waited = {};
    static_assert(Collective{0} == Collective::AllReduce && Collective{1} == Collective::ReduceScatter &&
                  Collective{2} == Collective::AllGather);
    m_calls.seconds(m_joined, seconds.data(), waited.data());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        m_totals[i].seconds += seconds[i];
        m_totals[i].waited += waited[i];
    }
    return m_totals;
}

CudaRanks::Ticket CudaRanks::begun(Collective collective, std::int64_t bytes, Ticket ticket)
{
    if (ticket == 0) {
        m_host.check(); // aborted, because of what this says
        throw RankFailure("NCCL could not pass tensors on between the ranks");
    }
    if (size() > 1)
        m_own[static_cast<std::size_t>(collective)].add(bytes, phase());
    return ticket;
}

CudaRanks::Ticket CudaRanks::beginAllReduceSum(void* data, std::int64_t count, NumberKind kind)
{
    return begun(Collective::AllReduce, count * bytesOf(kind),
                 m_calls.allReduceSum(m_joined, data, count, cudaNumber(kind)));
}

CudaRanks::Ticket CudaRanks::beginReduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind)
{
    return begun(Collective::ReduceScatter, size() * count * bytesOf(kind),
                 m_calls.reduceScatterSum(m_joined, in, out, count, cudaNumber(kind)));
}

CudaRanks::Ticket CudaRanks::beginAllGather(const void* in, void* out, std::int64_t bytes)
{
    return begun(Collective::AllGather, size() * bytes,
                 m_calls.allGather(m_joined, in, out, bytes, CudaNumber::Byte));
}

void CudaRanks::await(Ticket ticket)
{
    if (m_calls.follow(m_joined, ticket))
        return;
    m_host.check();
    throw RankFailure("NCCL could not pass tensors on between the ranks");
}

void abortCudaRanks()
{
    const std::lock_guard lock(abortable().mutex);
    if (abortable().abort)
        abortable().abort();
}

} // namespace peakscope
