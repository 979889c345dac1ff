// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/ledger_stream.h"

#include "core/base/machine.h"
#include "core/base/units.h"
#include "core/engine/ledger/device_ledger.h"

#include <algorithm>
#include <chrono>

namespace peakscope {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(40);
constexpr std::size_t kBatchEvents = 8192; // a line of about 200 KB

} // namespace

LedgerStream::LedgerStream(Ledger& ledger, EventSink& sink, std::int64_t residentCap)
    : m_ledger(ledger), m_sink(sink), m_residentCap(residentCap)
{
    watchMachine();
    m_thread = std::thread([this] { run(); });
}

LedgerStream::~LedgerStream()
{
    {
        std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
    sendPending();
}

void LedgerStream::run()
{
    std::unique_lock lock(m_mutex);
    while (!m_stop) {
        m_wake.wait_for(lock, kInterval, [this] { return m_stop; });
        lock.unlock();
        watchMachine();
        sendPending();
        lock.lock();
    }
}

void LedgerStream::watchMachine()
{
    m_ledger.setMachineFree(machineMemory().value_or(MachineMemory{}).availableBytes);
    m_residentBytes = processMemory().residentBytes;
    if (m_residentCap > 0 && m_residentBytes > m_residentCap) {
        m_ledger.refuseNext("over budget: the worker is resident with " + formatBytes(m_residentBytes) +
                            ", its cap for this budget is " + formatBytes(m_residentCap));
    }
}

void LedgerStream::sendPending()
{
    const auto marks = m_ledger.marks();
    for (; m_sentMarks < marks.size(); ++m_sentMarks) {
        const Ledger::Mark& mark = marks[m_sentMarks];
        m_sink.send(PhaseEvent{mark.phase, mark.step, static_cast<double>(mark.nanoseconds) * 1e-9});
    }
    for (;;) {
        const Ledger::Slice slice = m_ledger.slice(m_sentEvents, kBatchEvents);
        if (slice.events.empty())
            break;
        sendBatch(slice);
        m_sentEvents += slice.events.size();
    }
}

void LedgerStream::sendBatch(const Ledger::Slice& slice)
{
    MemoryEvent batch;
    const auto add = [&](const LedgerEvent& event, std::int64_t bytes, Component component) {
        batch.timeSeconds.push_back(static_cast<double>(event.nanoseconds) * 1e-9);
        batch.deltaBytes.push_back(bytes);
        batch.component.push_back(component);
    };
    for (std::size_t i = 0; i < slice.events.size(); ++i) {
        const LedgerEvent& event = slice.events[i];
        const std::int64_t bytes = slice.blockBytes[i];
        if (m_shown.size() <= event.block) {
            m_shown.resize(event.block + 1, Component::Other);
            m_live.resize(event.block + 1, false);
        }
        Component& shown = m_shown[event.block];
        switch (event.kind) {
        case LedgerEvent::Kind::Allocate:
            shown = event.component;
            m_live[event.block] = true;
            m_sentTotal += bytes;
            add(event, bytes, shown);
            break;
        case LedgerEvent::Kind::Free:
            m_live[event.block] = false;
            m_sentTotal -= bytes;
            add(event, -bytes, shown);
            break;
        case LedgerEvent::Kind::Tag:
        case LedgerEvent::Kind::Retag:
            if (shown != event.component && m_live[event.block]) {
                add(event, -bytes, shown);
                add(event, bytes, event.component);
            }
            shown = event.component;
            break;
        }
    }
    batch.allocatedBytes = m_sentTotal;
    if (const std::int64_t reserved = DeviceLedger::instance().reservedBytes(); reserved >= 0)
        batch.reservedBytes = std::max(m_sentTotal, reserved);
    batch.residentBytes = m_residentBytes;
    if (!batch.timeSeconds.empty())
        m_sink.send(batch);
}

} // namespace peakscope
