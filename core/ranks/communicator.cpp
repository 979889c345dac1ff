// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/communicator.h"

#include <cstring>

namespace peakscope {
namespace {

std::size_t bytesOf(NumberKind kind)
{
    return kind == NumberKind::Float32 ? 4 : 8;
}

class AloneCommunicator final : public Communicator
{
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    int localSize() const override { return 1; }
    void allReduceSum(void*, std::int64_t, NumberKind) override {}

    void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override
    {
        copy(in, out, static_cast<std::size_t>(count) * bytesOf(kind));
    }

    void allGather(const void* in, void* out, std::int64_t bytes) override
    {
        copy(in, out, static_cast<std::size_t>(bytes));
    }

    void broadcast(void*, std::int64_t, int) override {}
    const std::vector<CollectiveTotals>& totals() const override { return m_totals; }

private:
    static void copy(const void* in, void* out, std::size_t bytes)
    {
        if (in != out)
            std::memcpy(out, in, bytes);
    }

    std::vector<CollectiveTotals> m_totals = std::vector<CollectiveTotals>(kCollectiveCount);
};

} // namespace

void addSince(std::vector<CollectiveTotals>& sums, const std::vector<CollectiveTotals>& before,
              const std::vector<CollectiveTotals>& now)
{
    sums.resize(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
        sums[i].count += now[i].count - before[i].count;
        sums[i].bytes += now[i].bytes - before[i].bytes;
        sums[i].seconds += now[i].seconds - before[i].seconds;
    }
}

std::unique_ptr<Communicator> communicatorAlone()
{
    return std::make_unique<AloneCommunicator>();
}

} // namespace peakscope
