// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a device's caching allocator tells beside its blocks: how much it holds, and what it could not give. Written by
// the CUDA ledger under the allocator's lock, read by the ledger, the event stream and the run. Any thread.
#pragma once

#include "core/engine/ledger/ledger.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace peakscope {

class DeviceLedger
{
public:
    static DeviceLedger& instance();

    // Bytes held of the device; -1 where no caching allocator is watched.
    void setReserved(std::int64_t bytes) { m_reserved.store(bytes, std::memory_order_relaxed); }
    std::int64_t reservedBytes() const { return m_reserved.load(std::memory_order_relaxed); }

    // The allocator gives up on a request and will throw. Takes down what was being done: phase, module, operator.
    void noteOutOfMemory(std::int64_t bytes, std::int64_t deviceFreeBytes);
    bool ranOut() const { return m_ranOut.load(std::memory_order_relaxed); }
    std::optional<AllocationRefused> outOfMemory() const; // the last one; counts where its exception is caught

    // Called at every phase mark, by the thread that sets it. Set before the run.
    void setMarkObserver(std::function<void()> observer) { m_markObserver = std::move(observer); }
    void phaseMarked() const
    {
        if (m_markObserver)
            m_markObserver();
    }

private:
    std::atomic<std::int64_t> m_reserved{-1};
    std::atomic<bool> m_ranOut{false};
    mutable std::mutex m_mutex;
    std::optional<AllocationRefused> m_outOfMemory;
    std::function<void()> m_markObserver;
};

} // namespace peakscope
