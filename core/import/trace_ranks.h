// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory events of a trace by device, and ranks that share a process number in one file. Private to this folder.
#pragma once

#include "core/import/trace_operators.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace peakscope {

// What has a timeline of its own: accelerators first, and of several processes the first one.
struct DeviceKey {
    std::int64_t type = 0;
    std::int64_t id = -1;
    std::uint32_t process = 0;

    bool operator<(const DeviceKey& other) const
    {
        return std::tuple(-type, process, id) < std::tuple(-other.type, other.process, other.id);
    }
};

// The memory events of one device.
struct TraceDevice {
    std::vector<TraceAllocation> allocations;
    std::vector<Component> components; // only where the trace names them
    std::vector<std::int64_t> totals;  // Total Allocated; -1 where an event has none
    std::int64_t reserved = 0;
    bool hasComponents = false;
};

// Each one's total after an event is its total before with that event's bytes, so that the events fall into chains that
// run beside each other. One device, moved from `device`, where they do not.
std::vector<TraceDevice> ranksOf(TraceDevice& device);

} // namespace peakscope
