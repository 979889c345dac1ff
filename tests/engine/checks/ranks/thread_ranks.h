// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks as threads of one process, for checks that look at every rank's tensors. Only one of them computes at a time:
// they change at collectives, so that what is one a process (the ledger, the registry of modules) needs no locks.
#pragma once

#include "core/ranks/communicator.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace peakscope {

class ThreadRanks
{
public:
    explicit ThreadRanks(int count);
    ~ThreadRanks();

    // work(rank) on every rank; the first exception of any is thrown here, and the others are ended by RankFailure.
    void run(const std::function<void(Communicator&)>& work);

private:
    class Rank;
    struct Call {
        Collective what = Collective::AllReduce;
        const void* in = nullptr;
        void* out = nullptr;
        std::int64_t count = 0;
        NumberKind kind = NumberKind::Float64;
        int root = 0;
    };
    void meet(int rank, const Call& call, std::unique_lock<std::mutex>& lock);
    void perform();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<std::unique_ptr<Rank>> m_ranks;
    std::vector<Call> m_calls;
    std::size_t m_arrived = 0;
    std::uint64_t m_round = 0;
    bool m_failed = false;
};

} // namespace peakscope
