// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_communicator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kBroken = "numbers could not be passed on between the ranks";
constexpr auto kSpinning = std::chrono::microseconds(200);
constexpr auto kLongestSleep = std::chrono::microseconds(100);

TransportNumber transportNumber(NumberKind kind)
{
    switch (kind) {
    case NumberKind::Float32:
        return TransportNumber::Float32;
    case NumberKind::Float64:
        return TransportNumber::Float64;
    case NumberKind::Int64:
        return TransportNumber::Int64;
    case NumberKind::BFloat16:
    case NumberKind::Float16:
        break;
    }
    throw RankFailure("MPI adds no 16-bit numbers");
}

// `blocks` runs of `bytes` between a dense buffer and memory where they lie `stride` apart.
void gatherBlocks(std::byte* dense, const std::byte* apart, std::int64_t blocks, std::int64_t bytes,
                  std::int64_t stride)
{
    for (std::int64_t i = 0; i < blocks; ++i)
        std::memcpy(dense + i * bytes, apart + i * stride, static_cast<std::size_t>(bytes));
}

void scatterBlocks(std::byte* apart, const std::byte* dense, std::int64_t blocks, std::int64_t bytes,
                   std::int64_t stride)
{
    for (std::int64_t i = 0; i < blocks; ++i)
        std::memcpy(apart + i * stride, dense + i * bytes, static_cast<std::size_t>(bytes));
}

} // namespace

RankCommunicator::RankCommunicator(const RankTransport& module, Place place, std::function<void()> check)
    : m_module(module), m_place(place), m_check(std::move(check))
{}

void RankCommunicator::setChunkBytes(std::int64_t bytes)
{
    m_chunkBytes = std::clamp<std::int64_t>(bytes, 1, 1 << 30);
}

void RankCommunicator::wait(Lane& lane)
{
    const auto start = Clock::now();
    m_broken = true; // unless this ends well
    auto sleep = std::chrono::microseconds(10);
    for (;;) {
        const TransportTest state = m_module.test(lane.request);
        if (state != TransportTest::Waiting)
            lane.request = nullptr;
        if (state == TransportTest::Over) {
            m_broken = false;
            return;
        }
        m_check();
        if (state == TransportTest::Failed)
            throw RankFailure(kBroken);
        if (Clock::now() - start < kSpinning) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(sleep);
            sleep = std::min(sleep * 2, kLongestSleep);
        }
    }
}

void RankCommunicator::run(Collective collective, std::int64_t bytes, const Chunked& work)
{
    const auto start = Clock::now();
    m_check();
    if (m_broken)
        throw RankFailure(kBroken);
    const std::int64_t widest = std::max(work.inBlocks, work.outBlocks) * work.unitBytes;
    const std::int64_t chunk = std::max<std::int64_t>(1, m_chunkBytes / widest);
    std::size_t next = 0; // lane
    for (std::int64_t from = 0; from < work.count; from += chunk, next = 1 - next) {
        Lane& lane = m_lanes[next];
        if (lane.request) {
            wait(lane);
            work.store(lane);
        }
        lane.from = from;
        lane.count = std::min(chunk, work.count - from);
        const std::int64_t runBytes = lane.count * work.unitBytes;
        lane.in.resize(std::max(lane.in.size(), static_cast<std::size_t>(runBytes * work.inBlocks)));
        lane.out.resize(std::max(lane.out.size(), static_cast<std::size_t>(runBytes * work.outBlocks)));
        work.load(lane);
    }
    for (int i = 0; i < 2; ++i, next = 1 - next) {
        if (m_lanes[next].request) {
            wait(m_lanes[next]);
            work.store(m_lanes[next]);
        }
    }
    CollectiveTotals& totals = m_totals[static_cast<std::size_t>(collective)];
    totals.add(bytes, phase());
    totals.seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

void RankCommunicator::allReduceSum(void* data, std::int64_t count, NumberKind kind)
{
    auto* bytes = static_cast<std::byte*>(data);
    const std::int64_t unit = bytesOf(kind);
    Chunked work{count, unit, 1, 1, {}, {}};
    work.load = [&](Lane& lane) {
        std::memcpy(lane.in.data(), bytes + lane.from * unit, static_cast<std::size_t>(lane.count * unit));
        lane.request = m_module.startAllReduce(lane.in.data(), lane.out.data(), static_cast<int>(lane.count),
                                               transportNumber(kind));
    };
    work.store = [&](Lane& lane) {
        std::memcpy(bytes + lane.from * unit, lane.out.data(), static_cast<std::size_t>(lane.count * unit));
    };
    run(Collective::AllReduce, count * unit, work);
}

void RankCommunicator::reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind)
{
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    const std::int64_t unit = bytesOf(kind);
    Chunked work{count, unit, size(), 1, {}, {}};
    work.load = [&](Lane& lane) {
        gatherBlocks(lane.in.data(), from + lane.from * unit, size(), lane.count * unit, count * unit);
        lane.request = m_module.startReduceScatter(lane.in.data(), lane.out.data(), static_cast<int>(lane.count),
                                                   transportNumber(kind));
    };
    work.store = [&](Lane& lane) {
        std::memcpy(to + lane.from * unit, lane.out.data(), static_cast<std::size_t>(lane.count * unit));
    };
    run(Collective::ReduceScatter, size() * count * unit, work);
}

void RankCommunicator::allGather(const void* in, void* out, std::int64_t bytes)
{
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    Chunked work{bytes, 1, 1, size(), {}, {}};
    work.load = [&](Lane& lane) {
        std::memcpy(lane.in.data(), from + lane.from, static_cast<std::size_t>(lane.count));
        lane.request = m_module.startAllGather(lane.in.data(), lane.out.data(), static_cast<int>(lane.count));
    };
    work.store = [&](Lane& lane) { scatterBlocks(to + lane.from, lane.out.data(), size(), lane.count, bytes); };
    run(Collective::AllGather, size() * bytes, work);
}

void RankCommunicator::broadcast(void* data, std::int64_t bytes, int root)
{
    auto* all = static_cast<std::byte*>(data);
    Chunked work{bytes, 1, 1, 1, {}, {}};
    work.load = [&](Lane& lane) {
        if (rank() == root)
            std::memcpy(lane.in.data(), all + lane.from, static_cast<std::size_t>(lane.count));
        lane.request = m_module.startBroadcast(lane.in.data(), static_cast<int>(lane.count), root);
    };
    work.store = [&](Lane& lane) {
        if (rank() != root)
            std::memcpy(all + lane.from, lane.in.data(), static_cast<std::size_t>(lane.count));
    };
    run(Collective::Broadcast, bytes, work);
}

} // namespace peakscope
