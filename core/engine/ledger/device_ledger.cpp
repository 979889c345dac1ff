// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/device_ledger.h"

#include "core/base/units.h"

namespace peakscope {
namespace {

// "512 MiB more in phase forward, module layers.3.mlp, operator aten::linear"
std::string requestText(const Ledger& ledger, std::int64_t bytes)
{
    std::string text = formatBytes(bytes) + " more in phase " + std::string(name(ledger.phase()));
    const auto modules = ledger.moduleNames();
    const auto operators = ledger.operatorNames();
    if (const ModuleId module = ledger.module(); module != 0 && module < modules.size())
        text += ", module " + modules[module].name;
    if (const OperatorId operation = ledger.operation(); operation != 0 && operation < operators.size())
        text += ", operator " + operators[operation];
    return text;
}

} // namespace

DeviceLedger& DeviceLedger::instance()
{
    static auto* ledger = new DeviceLedger; // the allocator may still tell of frees when static objects are gone
    return *ledger;
}

void DeviceLedger::noteOutOfMemory(std::int64_t bytes, std::int64_t deviceFreeBytes)
{
    const Ledger& ledger = Ledger::instance();
    const std::int64_t live = ledger.liveBytes(), budget = ledger.budget();
    const bool limited = budget > 0 && deviceFreeBytes >= bytes;
    std::string sentence = limited ? "over budget: " : "out of memory: ";
    sentence += requestText(ledger, bytes) + " on top of " + formatBytes(live) + " live";
    if (reservedBytes() >= 0)
        sentence += " and " + formatBytes(reservedBytes()) + " reserved";
    sentence += limited ? " would pass the budget of " + formatBytes(budget)
                        : ", but the device has " + formatBytes(deviceFreeBytes) + " free";
    std::lock_guard lock(m_mutex);
    m_outOfMemory = AllocationRefused(limited ? AllocationRefused::Reason::Budget : AllocationRefused::Reason::Machine,
                                      sentence, live + bytes);
    m_ranOut = true; // what is torn down from here on would have lived on
}

std::optional<AllocationRefused> DeviceLedger::outOfMemory() const
{
    std::lock_guard lock(m_mutex);
    return m_outOfMemory;
}

} // namespace peakscope
