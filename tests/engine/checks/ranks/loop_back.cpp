// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ranks/loop_back.h"

#include <ATen/ATen.h>

#include <cstring>
#include <deque>
#include <stdexcept>

namespace peakscope {
namespace {

using Bytes = std::vector<std::byte>;

struct Begun {
    std::uint64_t ticket = 0;
    const void* in = nullptr;
    void* out = nullptr;
    Bytes before, made;
};

struct LoopBack {
    Communicator* host = nullptr;
    std::uint64_t last = 0;
    std::deque<Begun> begun;
};

thread_local LoopBack t_loop;

std::int64_t bytesOf(CudaNumber number)
{
    switch (number) {
    case CudaNumber::Byte:
        return 1;
    case CudaNumber::Float16:
    case CudaNumber::BFloat16:
        return 2;
    case CudaNumber::Float32:
        return 4;
    case CudaNumber::Int64:
    case CudaNumber::Float64:
        break;
    }
    return 8;
}

Bytes copyOf(const void* data, std::int64_t bytes)
{
    const auto* first = static_cast<const std::byte*>(data);
    return {first, first + bytes};
}

at::ScalarType typeOf(CudaNumber number)
{
    return number == CudaNumber::BFloat16 ? at::kBFloat16 : at::kHalf;
}

// The sum over ranks of `count` numbers each.
Bytes summed(const void* data, std::int64_t count, CudaNumber number)
{
    Bytes sum = copyOf(data, count * bytesOf(number));
    if (bytesOf(number) == 2) {
        const at::Tensor own = at::from_blob(sum.data(), {count}, at::TensorOptions(typeOf(number)));
        at::Tensor wide = own.to(at::kFloat);
        t_loop.host->allReduceSum(wide.data_ptr(), count, NumberKind::Float32);
        own.copy_(wide);
        return sum;
    }
    const NumberKind kind = number == CudaNumber::Float32 ? NumberKind::Float32
                            : number == CudaNumber::Int64 ? NumberKind::Int64
                                                          : NumberKind::Float64;
    t_loop.host->allReduceSum(sum.data(), count, kind);
    return sum;
}

std::uint64_t begin(const void* in, Bytes before, void* out, Bytes made)
{
    t_loop.begun.push_back({++t_loop.last, in, out, std::move(before), std::move(made)});
    return t_loop.last;
}

bool makeId(char*)
{
    return true;
}

void* join(int, const char*, int, int)
{
    return &t_loop;
}

std::uint64_t allReduceSum(void*, void* data, std::int64_t count, CudaNumber number)
{
    return begin(data, copyOf(data, count * bytesOf(number)), data, summed(data, count, number));
}

std::uint64_t reduceScatterSum(void*, const void* in, void* out, std::int64_t count, CudaNumber number)
{
    const std::int64_t block = count * bytesOf(number), ranks = t_loop.host->size();
    const Bytes all = summed(in, count * ranks, number);
    return begin(in, copyOf(in, block * ranks), out, copyOf(all.data() + block * t_loop.host->rank(), block));
}

std::uint64_t allGather(void*, const void* in, void* out, std::int64_t count, CudaNumber number)
{
    const std::int64_t block = count * bytesOf(number);
    Bytes all(static_cast<std::size_t>(block * t_loop.host->size()));
    t_loop.host->allGather(in, all.data(), block);
    Bytes before = copyOf(in, block);
    for (int rank = 0; rank < t_loop.host->size(); ++rank) {
        auto* place = static_cast<std::byte*>(out) + block * rank;
        if (place != in)
            std::memset(place, 0xff, static_cast<std::size_t>(block)); // NaN until it is awaited
    }
    return begin(in, std::move(before), out, std::move(all));
}

// In order, as a stream is.
bool follow(void*, std::uint64_t ticket)
{
    while (!t_loop.begun.empty() && t_loop.begun.front().ticket <= ticket) {
        const Begun one = std::move(t_loop.begun.front());
        t_loop.begun.pop_front();
        if (std::memcmp(one.in, one.before.data(), one.before.size()) != 0)
            throw std::logic_error("what a collective reads changed before it was awaited");
        std::memcpy(one.out, one.made.data(), one.made.size());
    }
    return ticket <= t_loop.last;
}

void seconds(void*, double each[3], double waited[3])
{
    for (const int kind : {0, 1, 2}) { // whatever was passed on
        each[kind] = 4 << kind;
        waited[kind] = 1 << kind;
    }
}

bool abortAll(void*)
{
    return true;
}

} // namespace

void onLoopBack(Communicator& host, const std::function<void(Communicator&)>& work)
{
    CudaModule module = {};
    module.collectives = {makeId, join, allReduceSum, reduceScatterSum, allGather, follow, seconds, abortAll};
    t_loop = {&host, 0, {}};
    const auto ranks = CudaRanks::join(module, 0, host);
    work(**ranks);
    if (!t_loop.begun.empty())
        throw std::logic_error("a collective was not awaited");
}

} // namespace peakscope
