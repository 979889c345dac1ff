// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the ranks that mpirun started and tries what they say to each other, without LibTorch. $PEAKSCOPE_PROBE says
// what: "collectives CHUNK" compares every collective with its closed form, "work SECONDS" goes through phases until it
// is over or stopped, "fail RANK" lets one rank fail in the middle of it. Started by test_ranks.
#include "core/ranks/rank_communicator.h"
#include "core/ranks/rank_group.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <thread>
#include <typeinfo>
#include <unistd.h>

using namespace peakscope;

namespace {

std::atomic<bool> stopped{false};
std::string fault;

void expect(bool holds, const std::string& what)
{
    if (!holds && fault.empty())
        fault = what;
}

template <typename T>
NumberKind kindOf();
template <>
NumberKind kindOf<float>()
{
    return NumberKind::Float32;
}
template <>
NumberKind kindOf<double>()
{
    return NumberKind::Float64;
}
template <>
NumberKind kindOf<std::int64_t>()
{
    return NumberKind::Int64;
}

// What rank r holds at place i: small whole numbers, so that sums are exact in every kind.
template <typename T>
T held(int rank, std::int64_t i)
{
    return static_cast<T>((i * 7 + rank * 13) % 101 - 50);
}

template <typename T>
T sumOf(int size, std::int64_t i)
{
    T sum = 0;
    for (int rank = 0; rank < size; ++rank)
        sum += held<T>(rank, i);
    return sum;
}

template <typename T>
void tryNumbers(Communicator& ranks, std::int64_t count)
{
    const std::string where = std::string(typeid(T).name()) + " of " + std::to_string(count);
    const int size = ranks.size(), rank = ranks.rank();
    std::vector<T> data(static_cast<std::size_t>(count) + 1, T{77});
    for (std::int64_t i = 0; i < count; ++i)
        data[static_cast<std::size_t>(i)] = held<T>(rank, i);
    ranks.allReduceSum(data.data(), count, kindOf<T>());
    for (std::int64_t i = 0; i < count; ++i)
        expect(data[static_cast<std::size_t>(i)] == sumOf<T>(size, i), "all_reduce " + where);
    expect(data.back() == T{77}, "all_reduce writes beyond its end: " + where);

    for (const bool inPlace : {false, true}) {
        std::vector<T> in(static_cast<std::size_t>(count * size)), apart(static_cast<std::size_t>(count) + 1, T{77});
        for (std::int64_t i = 0; i < count * size; ++i)
            in[static_cast<std::size_t>(i)] = held<T>(rank, i);
        T* out = inPlace ? in.data() + count * rank : apart.data();
        ranks.reduceScatterSum(in.data(), out, count, kindOf<T>());
        for (std::int64_t i = 0; i < count; ++i)
            expect(out[i] == sumOf<T>(size, count * rank + i), "reduce_scatter " + where);
        expect(apart.back() == T{77}, "reduce_scatter writes beyond its end: " + where);
    }
}

void tryBytes(Communicator& ranks, std::int64_t bytes)
{
    const int size = ranks.size(), rank = ranks.rank();
    const auto byteAt = [](int of, std::int64_t i) { return static_cast<unsigned char>((i * 31 + of * 5) % 251); };
    for (const bool inPlace : {false, true}) {
        std::vector<unsigned char> all(static_cast<std::size_t>(bytes * size) + 1, 254);
        std::vector<unsigned char> own(static_cast<std::size_t>(bytes) + 1);
        unsigned char* in = inPlace ? all.data() + bytes * rank : own.data();
        for (std::int64_t i = 0; i < bytes; ++i)
            in[i] = byteAt(rank, i);
        ranks.allGather(in, all.data(), bytes);
        for (int of = 0; of < size; ++of) {
            for (std::int64_t i = 0; i < bytes; ++i)
                expect(all[static_cast<std::size_t>(of * bytes + i)] == byteAt(of, i),
                       "all_gather of " + std::to_string(bytes));
        }
        expect(all.back() == 254, "all_gather writes beyond its end");
    }
    for (int root = 0; root < size; ++root) {
        std::vector<unsigned char> data(static_cast<std::size_t>(bytes) + 1, 254);
        for (std::int64_t i = 0; rank == root && i < bytes; ++i)
            data[static_cast<std::size_t>(i)] = byteAt(root, i);
        ranks.broadcast(data.data(), bytes, root);
        for (std::int64_t i = 0; i < bytes; ++i)
            expect(data[static_cast<std::size_t>(i)] == byteAt(root, i), "broadcast of " + std::to_string(bytes));
        expect(data.back() == 254, "broadcast writes beyond its end");
    }
}

// Numbers whose sum depends on the order: every rank must have the same bits.
void trySameBits(Communicator& ranks)
{
    std::vector<float> data(10'007);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = std::sin(static_cast<float>(i + 1) * static_cast<float>(ranks.rank() + 1)) * 1e3f;
    ranks.allReduceSum(data.data(), static_cast<std::int64_t>(data.size()), NumberKind::Float32);
    std::vector<float> all(data.size() * static_cast<std::size_t>(ranks.size()));
    ranks.allGather(data.data(), all.data(), static_cast<std::int64_t>(data.size() * sizeof(float)));
    for (int of = 0; of < ranks.size(); ++of)
        expect(std::memcmp(data.data(), all.data() + static_cast<std::size_t>(of) * data.size(),
                           data.size() * sizeof(float)) == 0,
               "all_reduce gives other bits on rank " + std::to_string(of));
}

void tryTotals(Communicator& ranks)
{
    const auto before = ranks.totals();
    std::vector<double> data(static_cast<std::size_t>(10 * ranks.size()));
    ranks.allReduceSum(data.data(), 10, NumberKind::Float64);
    ranks.reduceScatterSum(data.data(), data.data(), 10, NumberKind::Float64);
    ranks.allGather(data.data(), data.data(), 80 / ranks.size());
    ranks.broadcast(data.data(), 80, 0);
    const std::int64_t expected[] = {80, 80 * ranks.size(), 80 / ranks.size() * ranks.size(), 80};
    for (std::size_t i = 0; i < kCollectiveCount; ++i) {
        expect(ranks.totals()[i].count - before[i].count == 1, "totals: counts");
        expect(ranks.totals()[i].bytes - before[i].bytes == expected[i], "totals: bytes");
        expect(ranks.totals()[i].seconds >= before[i].seconds, "totals: seconds");
    }
}

EndEvent collectives(RankGroup& group, std::int64_t chunkBytes)
{
    group.setChunkBytes(chunkBytes);
    Communicator& ranks = group.communicator();
    for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1001}) {
        tryNumbers<float>(ranks, count);
        tryNumbers<double>(ranks, count);
        tryNumbers<std::int64_t>(ranks, count);
        tryBytes(ranks, count);
    }
    trySameBits(ranks);
    tryTotals(ranks);
    const std::string text = group.share(ranks.rank() == 0 ? "the same words" : "others");
    expect(text == "the same words", "share");
    ranks.barrier();
    if (!fault.empty())
        return {RunStatus::Failed, fault, {}, false};
    return {};
}

// Steps of three phases with a sum in each, as a run has them.
EndEvent work(RankGroup& group, double seconds, int failing)
{
    StartEvent start;
    start.id = "probe";
    start.created = "2026-01-01T00:00:00Z";
    start.config = {{"kind", "memory"}};
    start.environment = {{"device", "cpu"}, {"host", "probe"}};
    group.send(start);
    const auto began = std::chrono::steady_clock::now();
    std::vector<float> data(50'000, 1);
    for (std::int64_t step = 0;; ++step) {
        for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::OptimizerStep}) {
            const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            group.send(PhaseEvent{phase, step, time});
            group.send(
                MemoryEvent{{time, time}, {1000, -1000}, {Component::Parameters, Component::Parameters}, 0, 0, 0});
            if (step == 3 && group.rank() == failing)
                return {RunStatus::OverBudget, "over budget: made up", {}, false};
            if (stopped)
                return {RunStatus::Interrupted, "cancelled in phase " + std::string(name(phase)), {}, false};
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            group.communicator().allReduceSum(data.data(), static_cast<std::int64_t>(data.size()), NumberKind::Float32);
        }
        std::int64_t over = std::chrono::steady_clock::now() - began > std::chrono::duration<double>(seconds);
        group.communicator().allReduceSum(&over, 1, NumberKind::Int64);
        if (over > 0)
            return {};
    }
}

EndEvent perform(RankGroup& group, const std::string& what, const std::string& how)
{
    try {
        if (what == "collectives")
            return collectives(group, std::atoll(how.c_str()));
        if (what == "fail")
            return work(group, 60, std::atoi(how.c_str()));
        return work(group, std::atof(how.c_str()), -1);
    } catch (const RankFailure& failure) {
        return {failure.stopped() ? RunStatus::Interrupted : RunStatus::Failed, failure.what(), {}, false};
    }
}

} // namespace

int main()
{
    const char* asked = std::getenv("PEAKSCOPE_PROBE");
    std::istringstream words(asked ? asked : "");
    std::string what, how;
    words >> what >> how;
    const int events = ::dup(1);
    ::dup2(2, 1);
    const LaunchEnvironment launch = launchEnvironment([](const char* name) { return std::getenv(name); });
    auto group = RankGroup::join(launch, events, [] { stopped = true; });
    if (!group) {
        std::cerr << group.error().text() << std::endl;
        return 2;
    }
    if ((*group)->rank() == 0) {
        std::thread([&group] {
            for (std::string line; std::getline(std::cin, line);) {
                if (line.find("cancel") != std::string::npos)
                    break;
            }
            (*group)->requestStop();
        }).detach();
    }
    (*group)->end(perform(**group, what, how));
}
