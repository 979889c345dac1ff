// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/neighbors/thread_team.h"

#include <sched.h>

#include <system_error>
#include <utility>

namespace peakscope {
namespace {

constexpr std::uint64_t kCountMask = 0xffffffffULL;
constexpr std::int64_t kLargestLoop = 0x7fffffff;

// Long enough to meet the next loop of an epoch, short enough not to take a core from another process.
constexpr int kSpins = 2000;

void pauseProcessor()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

} // namespace

int resolveThreads(int threads)
{
    constexpr int kMostThreads = 1024;
    if (threads > 0)
        return std::min(threads, kMostThreads);
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int threads, std::stop_token stop) : m_stop(std::move(stop))
{
    const int others = resolveThreads(threads) - 1;
    m_workers.reserve(static_cast<std::size_t>(others));
    try {
        for (int i = 0; i < others; ++i)
            m_workers.emplace_back([this] { workerLoop(); });
    } catch (const std::system_error&) {
        // A process at its limit of threads works with those it got; the results are the same.
    }
}

ThreadTeam::~ThreadTeam()
{
    m_end.store(true);
    m_ticket.fetch_add(kCountMask + 1);
    m_ticket.notify_all();
    for (std::thread& worker : m_workers)
        worker.join();
}

bool ThreadTeam::takeChunk(std::int64_t& chunk)
{
    std::uint64_t ticket = m_ticket.load(std::memory_order_acquire);
    while ((ticket & kCountMask) != 0) {
        if (m_ticket.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) {
            chunk = m_chunks - static_cast<std::int64_t>(ticket & kCountMask);
            return true;
        }
    }
    return false;
}

void ThreadTeam::runChunk(std::int64_t chunk)
{
    if (!m_stop.stop_requested()) {
        try {
            (*m_work)(chunk);
        } catch (...) {
            const std::lock_guard lock(m_exceptionMutex);
            if (!m_exception)
                m_exception = std::current_exception();
        }
    }
    m_done.fetch_add(1, std::memory_order_acq_rel);
}

void ThreadTeam::workerLoop()
{
    while (!m_end.load()) {
        std::int64_t chunk = 0;
        if (takeChunk(chunk)) {
            runChunk(chunk);
            continue;
        }
        std::uint64_t seen = m_ticket.load();
        for (int i = 0; i < kSpins && (seen & kCountMask) == 0 && !m_end.load(); ++i) {
            pauseProcessor();
            seen = m_ticket.load();
        }
        if ((seen & kCountMask) == 0 && !m_end.load())
            m_ticket.wait(seen);
    }
}

bool ThreadTeam::forChunks(std::int64_t chunks, const std::function<void(std::int64_t)>& work)
{
    for (std::int64_t first = 0; first < chunks && !stopped(); first += kLargestLoop) {
        const std::int64_t count = std::min(chunks - first, kLargestLoop);
        const std::function<void(std::int64_t)> shifted = [&](std::int64_t chunk) { work(first + chunk); };
        m_work = first == 0 ? &work : &shifted;
        m_chunks = count;
        m_done.store(0);
        const std::uint64_t loop = (m_ticket.load() & ~kCountMask) + kCountMask + 1;
        m_ticket.store(loop | static_cast<std::uint64_t>(count), std::memory_order_release);
        if (!m_workers.empty() && count > 1)
            m_ticket.notify_all();
        std::int64_t chunk = 0;
        while (takeChunk(chunk))
            runChunk(chunk);
        for (int spins = 0; m_done.load(std::memory_order_acquire) != count; ++spins) {
            if (spins < kSpins)
                pauseProcessor();
            else
                std::this_thread::yield();
        }
        if (m_exception)
            std::rethrow_exception(std::exchange(m_exception, nullptr));
    }
    return !stopped();
}

} // namespace peakscope
