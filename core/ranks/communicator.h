// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What processes that run one experiment together say to each other: collectives on plain memory. One implementation
// stands alone (one rank), the other is MPI's, in a module of its own that is loaded where a launcher started this
// process. One thread at a time calls collectives; every rank calls the same ones in the same order.
#pragma once

#include "core/base/enum_words.h"
#include "core/results/component.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace peakscope {

enum class NumberKind { Float32, Float64, Int64, BFloat16, Float16 }; // the last two on devices only

std::int64_t bytesOf(NumberKind kind);

// What a collective was for.
enum class Collective { AllReduce, ReduceScatter, AllGather, Broadcast };
constexpr std::size_t kCollectiveCount = 4;
template <>
inline constexpr std::array<std::string_view, kCollectiveCount> kEnumWords<Collective>{"all_reduce", "reduce_scatter",
                                                                                       "all_gather", "broadcast"};

struct CollectivePayload {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};

// Logical bytes by the payload rule: all_reduce counts its buffer, reduce_scatter its input, all_gather its output,
// broadcast its buffer; the same on every rank, whatever the algorithm moves.
struct CollectiveTotals {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    double seconds = 0; // blocked in it, or a device busy with it, waiting for slower ranks included
    double waited = 0;  // of a device's: what its computing waited for them
    std::array<CollectivePayload, kPhaseCount> phases = {}; // count and bytes by the phase in which it began

    void add(std::int64_t payload, Phase phase);
    // `times` 1 or -1: adds or takes off.
    void add(const CollectiveTotals& other, int times = 1);
};

// sums[i] += now[i] - before[i], of one communicator's totals at two moments. Empty sums are zeros.
void addSince(std::vector<CollectiveTotals>& sums, const std::vector<CollectiveTotals>& before,
              const std::vector<CollectiveTotals>& now);

// A rank that is gone, silent for longer than the timeout, or has failed; or this run was asked to stop. The sentence
// names the rank and its phase.
class RankFailure : public std::runtime_error
{
public:
    explicit RankFailure(const std::string& sentence, bool stopped = false)
        : std::runtime_error(sentence), m_stopped(stopped)
    {}
    bool stopped() const { return m_stopped; } // asked for, nobody's failure

private:
    bool m_stopped;
};

// The same on the memory of a device: in the order in which they are begun, beside the device's other work. The memory
// of one stays until await(). All throw RankFailure.
class DeviceCollectives
{
public:
    using Ticket = std::uint64_t;
    virtual ~DeviceCollectives() = default;
    virtual Ticket beginAllReduceSum(void* data, std::int64_t count, NumberKind kind) = 0;
    virtual Ticket beginReduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) = 0;
    virtual Ticket beginAllGather(const void* in, void* out, std::int64_t bytes) = 0;
    // What the device is told from now on it does after that collective; this thread does not wait.
    virtual void await(Ticket ticket) = 0;
};

class Communicator
{
public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual int localSize() const = 0; // ranks on this host
    virtual bool alone() const { return false; } // the others are not there

    // All of these block, and throw RankFailure where a rank fails meanwhile or the run is asked to stop.
    // data[count] becomes the sum over ranks, on every rank bit for bit the same.
    virtual void allReduceSum(void* data, std::int64_t count, NumberKind kind) = 0;
    // in[size · count] -> out[count]: the sum over ranks of in's block number rank(). `out` may be that block of `in`.
    virtual void reduceScatterSum(const void* in, void* out, std::int64_t count, NumberKind kind) = 0;
    // in[bytes] of every rank, in rank order -> out[size · bytes]. `in` may be out's block number rank().
    virtual void allGather(const void* in, void* out, std::int64_t bytes) = 0;
    virtual void broadcast(void* data, std::int64_t bytes, int root) = 0;

    // Throws RankFailure where a rank has failed or the run is to stop.
    virtual void check() {}
    // Null: tensors are in this process's own memory.
    virtual DeviceCollectives* device() { return nullptr; }

    // What says in which phase a collective begins, from now on; any thread. Without it all count as Phase::Load.
    void countBy(Phase (*phase)()) { m_phase = phase; }
    // [kCollectiveCount], since the start.
    virtual const std::vector<CollectiveTotals>& totals() const = 0;

    void barrier()
    {
        std::int64_t one = 1;
        allReduceSum(&one, 1, NumberKind::Int64);
    }

protected:
    Phase phase() const { return m_phase ? m_phase() : Phase::Load; }

private:
    Phase (*m_phase)() = nullptr;
};

// One rank of `size` without the others: they are taken to hold what this one holds, and sums stay this one's.
std::unique_ptr<Communicator> communicatorAlone(int rank = 0, int size = 1);

} // namespace peakscope
