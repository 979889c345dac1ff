// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ranks/thread_ranks.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

namespace peakscope {
namespace {

template <typename Number>
void addTo(std::vector<std::byte>& sum, const void* values, std::int64_t first, std::int64_t count)
{
    auto* into = reinterpret_cast<Number*>(sum.data());
    const auto* from = static_cast<const Number*>(values) + first;
    for (std::int64_t i = 0; i < count; ++i)
        into[i] += from[i];
}

void addNumbers(std::vector<std::byte>& sum, const void* values, std::int64_t first, std::int64_t count,
                NumberKind kind)
{
    switch (kind) {
    case NumberKind::Float32:
        return addTo<float>(sum, values, first, count);
    case NumberKind::Float64:
        return addTo<double>(sum, values, first, count);
    case NumberKind::Int64:
        return addTo<std::int64_t>(sum, values, first, count);
    case NumberKind::BFloat16:
    case NumberKind::Float16:
        throw RankFailure("16-bit numbers are not added here");
    }
}

} // namespace

class ThreadRanks::Rank final : public Communicator
{
public:
    Rank(ThreadRanks& group, int number) : m_group(group), m_number(number) {}

    int rank() const override { return m_number; }
    int size() const override { return static_cast<int>(m_group.m_ranks.size()); }
    int localSize() const override { return size(); }
    const std::vector<CollectiveTotals>& totals() const override { return m_totals; }

    void allReduceSum(void* data, std::int64_t count, NumberKind kind) override
    {
        meet({Collective::AllReduce, data, data, count, kind, 0}, count * bytesOf(kind));
    }
    void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) override
    {
        meet({Collective::ReduceScatter, in, out, count, kind, 0}, size() * count * bytesOf(kind));
    }
    void allGather(const void* in, void* out, std::int64_t bytes) override
    {
        meet({Collective::AllGather, in, out, bytes, NumberKind::Int64, 0}, size() * bytes);
    }
    void broadcast(void* data, std::int64_t bytes, int root) override
    {
        meet({Collective::Broadcast, data, data, bytes, NumberKind::Int64, root}, bytes);
    }

    std::unique_lock<std::mutex> lock; // held while this rank computes

private:
    void meet(const Call& call, std::int64_t bytes)
    {
        m_group.meet(m_number, call, lock);
        m_totals[static_cast<std::size_t>(call.what)].add(bytes, phase());
    }

    ThreadRanks& m_group;
    int m_number;
    std::vector<CollectiveTotals> m_totals = std::vector<CollectiveTotals>(kCollectiveCount);
};

ThreadRanks::ThreadRanks(int count) : m_calls(static_cast<std::size_t>(count))
{
    for (int i = 0; i < count; ++i)
        m_ranks.push_back(std::make_unique<Rank>(*this, i));
}

ThreadRanks::~ThreadRanks() = default;

void ThreadRanks::meet(int rank, const Call& call, std::unique_lock<std::mutex>& lock)
{
    if (m_failed)
        throw RankFailure("another rank has failed");
    m_calls[static_cast<std::size_t>(rank)] = call;
    const std::uint64_t round = m_round;
    if (++m_arrived == m_ranks.size()) {
        m_arrived = 0;
        perform();
        ++m_round;
        m_changed.notify_all();
        return;
    }
    const bool came = m_changed.wait_for(lock, std::chrono::seconds(120), [&] { return m_round != round || m_failed; });
    if (!came)
        throw std::runtime_error("a rank waits for others that never come");
    if (m_round == round)
        throw RankFailure("another rank has failed");
}

void ThreadRanks::perform()
{
    const Call& first = m_calls.front();
    for (const Call& call : m_calls) {
        if (call.what != first.what || call.count != first.count || call.kind != first.kind)
            throw std::runtime_error("ranks meet in different collectives: " + std::string(name(first.what)) + " of " +
                                     std::to_string(first.count) + " and " + std::string(name(call.what)) + " of " +
                                     std::to_string(call.count));
    }
    const auto ranks = static_cast<std::int64_t>(m_calls.size());
    if (first.what == Collective::Broadcast) {
        const Call& root = m_calls[static_cast<std::size_t>(first.root)];
        for (const Call& call : m_calls) {
            if (call.out != root.in)
                std::memcpy(call.out, root.in, static_cast<std::size_t>(first.count));
        }
        return;
    }
    if (first.what == Collective::AllGather) {
        const auto bytes = static_cast<std::size_t>(first.count);
        std::vector<std::byte> all(bytes * m_calls.size());
        for (std::size_t i = 0; i < m_calls.size(); ++i)
            std::memcpy(all.data() + i * bytes, m_calls[i].in, bytes);
        for (const Call& call : m_calls)
            std::memcpy(call.out, all.data(), all.size());
        return;
    }
    const bool scatter = first.what == Collective::ReduceScatter;
    const std::int64_t blocks = scatter ? ranks : 1;
    std::vector<std::vector<std::byte>> sums(static_cast<std::size_t>(blocks));
    for (std::int64_t block = 0; block < blocks; ++block) {
        std::vector<std::byte>& sum = sums[static_cast<std::size_t>(block)];
        sum.assign(static_cast<std::size_t>(first.count * bytesOf(first.kind)), std::byte{0});
        for (const Call& call : m_calls)
            addNumbers(sum, call.in, block * first.count, first.count, first.kind);
    }
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
        const std::vector<std::byte>& sum = sums[scatter ? i : 0];
        std::memcpy(m_calls[i].out, sum.data(), sum.size());
    }
}

void ThreadRanks::run(const std::function<void(Communicator&)>& work)
{
    std::exception_ptr thrown;
    std::vector<std::thread> threads;
    for (const auto& rank : m_ranks) {
        threads.emplace_back([&, own = rank.get()] {
            own->lock = std::unique_lock(m_mutex);
            try {
                work(*own);
            } catch (...) {
                if (!thrown)
                    thrown = std::current_exception();
                m_failed = true;
                m_changed.notify_all();
            }
            own->lock.unlock();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    if (thrown)
        std::rethrow_exception(thrown);
}

} // namespace peakscope
