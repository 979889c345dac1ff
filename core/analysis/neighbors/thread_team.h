// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A team of threads for loops of fixed chunks. Used by everything in core/analysis. How a loop is cut into chunks never
// depends on the number of threads, so a loop whose chunks write disjoint results gives the same bits with any number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace peakscope {

class ThreadTeam
{
public:
    // `threads` counts the caller's own; 0: as many as the machine has for this process. A request to stop makes every
    // loop skip its remaining chunks.
    explicit ThreadTeam(int threads = 0, std::stop_token stop = {});
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int size() const { return static_cast<int>(m_workers.size()) + 1; }
    bool stopped() const { return m_stop.stop_requested(); }

    // Calls work(chunk) once for each chunk from 0 to chunks - 1, in any order and on any thread of the team, and waits
    // for all of them. False where a stop was asked for and chunks may have been left out. The first exception of a
    // chunk is thrown again here. One loop at a time, never from inside another.
    bool forChunks(std::int64_t chunks, const std::function<void(std::int64_t)>& work);

    // The same for the ranges [begin, end) of at most `grain` indices that cover 0 to count - 1.
    template <typename Work>
    bool forRanges(std::int64_t count, std::int64_t grain, Work work)
    {
        return forChunks((count + grain - 1) / grain,
                         [&](std::int64_t chunk) { work(chunk * grain, std::min(count, (chunk + 1) * grain)); });
    }

private:
    bool takeChunk(std::int64_t& chunk);
    void runChunk(std::int64_t chunk);
    void workerLoop();

    std::stop_token m_stop;
    // Loop number in the upper half, chunks not yet taken in the lower: taking a chunk is one compare-and-swap, and a
    // thread that comes late can't take a chunk of a loop that is over.
    std::atomic<std::uint64_t> m_ticket{0};
    std::atomic<std::int64_t> m_done{0};
    std::atomic<bool> m_end{false};
    std::int64_t m_chunks = 0;
    const std::function<void(std::int64_t)>* m_work = nullptr;
    std::mutex m_exceptionMutex;
    std::exception_ptr m_exception;
    std::vector<std::thread> m_workers;
};

// Threads that a setting asks for: at least 1, 0 meaning what the machine gives this process.
int resolveThreads(int threads);

} // namespace peakscope
