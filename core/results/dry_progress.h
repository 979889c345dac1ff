// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How far a program is that runs dry: a line of JSON that packaging/python writes, and a part of `record`'s progress
// events.
#pragma once

#include "core/results/json_fields.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace peakscope {

struct DryProgress {
    std::int64_t steps = 0, of = 0; // of an optimiser; of 0: until it ends by itself
    std::int64_t allocatedBytes = 0, reservedBytes = 0;
    std::int64_t peakAllocatedBytes = 0, peakReservedBytes = 0; // so far
    std::optional<std::int64_t> rank = {};                      // of several
};

void members(auto& fields, Of<DryProgress> auto& progress)
{
    fields("steps", progress.steps, Field::Required);
    fields("of", progress.of, Field::Required);
    fields("allocated_bytes", progress.allocatedBytes, Field::Required);
    fields("reserved_bytes", progress.reservedBytes, Field::Required);
    fields("peak_allocated_bytes", progress.peakAllocatedBytes, Field::Required);
    fields("peak_reserved_bytes", progress.peakReservedBytes, Field::Required);
    fields("rank", progress.rank, Field::IfSet);
}

// Nothing: the line says no such thing.
std::optional<DryProgress> dryProgress(std::string_view line);

} // namespace peakscope
