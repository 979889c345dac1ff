// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A thread of the worker that sends the ledger's events out in batches while the run goes on, and that watches the
// machine's free memory and the worker's resident size for the ledger. Calls nothing of LibTorch.
#pragma once

#include "core/engine/ledger/event_sink.h"
#include "core/engine/ledger/ledger.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace peakscope {

class LedgerStream
{
public:
    // `residentCap`: bytes the process may be resident with (0: no cap).
    LedgerStream(Ledger& ledger, EventSink& sink, std::int64_t residentCap);
    ~LedgerStream(); // sends what is left

private:
    void run();
    void sendPending();
    void sendBatch(const Ledger::Slice& slice);
    void watchMachine();

    Ledger& m_ledger;
    EventSink& m_sink;
    std::int64_t m_residentCap;
    std::int64_t m_residentBytes = 0;
    std::size_t m_sentEvents = 0;
    std::size_t m_sentMarks = 0;
    std::int64_t m_sentTotal = 0;
    std::vector<Component> m_shown; // of each block: the component it was last sent with
    std::vector<bool> m_live;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    std::thread m_thread;
};

} // namespace peakscope
