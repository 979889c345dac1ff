// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace peakscope {

// Bytes along an axis, where they change: each holds until the next place.
struct PlacedBytes {
    std::vector<double> places; // seconds, events or steps
    std::vector<std::int64_t> bytes;
};

} // namespace peakscope
