// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/communicator.h"

#include <cstring>

namespace peakscope {
namespace {

class AloneCommunicator final : public Communicator
{
public:
    AloneCommunicator(int rank, int size) : m_rank(rank), m_size(size) {}
    int rank() const override { return m_rank; }
    int size() const override { return m_size; }
    int localSize() const override { return 1; }
    bool alone() const override { return true; }

    void allReduceSum(void*, std::int64_t count, NumberKind kind) override
    {
        add(Collective::AllReduce, count * bytesOf(kind));
    }

    void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override
    {
        const std::int64_t block = count * bytesOf(kind);
        copy(static_cast<const std::byte*>(in) + m_rank * block, out, block);
        add(Collective::ReduceScatter, m_size * block);
    }

    void allGather(const void* in, void* out, std::int64_t bytes) override
    {
        for (int block = 0; block < m_size; ++block)
            copy(in, static_cast<std::byte*>(out) + block * bytes, bytes);
        add(Collective::AllGather, m_size * bytes);
    }

    void broadcast(void*, std::int64_t bytes, int) override { add(Collective::Broadcast, bytes); }
    const std::vector<CollectiveTotals>& totals() const override { return m_totals; }

private:
    static void copy(const void* in, void* out, std::int64_t bytes)
    {
        if (in != out)
            std::memcpy(out, in, static_cast<std::size_t>(bytes));
    }

    void add(Collective collective, std::int64_t bytes)
    {
        if (m_size > 1)
            m_totals[static_cast<std::size_t>(collective)].add(bytes, phase());
    }

    int m_rank, m_size;
    std::vector<CollectiveTotals> m_totals = std::vector<CollectiveTotals>(kCollectiveCount);
};

} // namespace

std::int64_t bytesOf(NumberKind kind)
{
    switch (kind) {
    case NumberKind::BFloat16:
    case NumberKind::Float16:
        return 2;
    case NumberKind::Float32:
        return 4;
    case NumberKind::Float64:
    case NumberKind::Int64:
        break;
    }
    return 8;
}

void CollectiveTotals::add(std::int64_t payload, Phase phase)
{
    ++count;
    bytes += payload;
    CollectivePayload& part = phases[static_cast<std::size_t>(phase)];
    ++part.count;
    part.bytes += payload;
}

void CollectiveTotals::add(const CollectiveTotals& other, int times)
{
    count += times * other.count;
    bytes += times * other.bytes;
    seconds += times * other.seconds;
    waited += times * other.waited;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        phases[i].count += times * other.phases[i].count;
        phases[i].bytes += times * other.phases[i].bytes;
    }
}

void addSince(std::vector<CollectiveTotals>& sums, const std::vector<CollectiveTotals>& before,
              const std::vector<CollectiveTotals>& now)
{
    sums.resize(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
        sums[i].add(now[i]);
        sums[i].add(before[i], -1);
    }
}

std::unique_ptr<Communicator> communicatorAlone(int rank, int size)
{
    return std::make_unique<AloneCommunicator>(rank, size);
}

} // namespace peakscope
