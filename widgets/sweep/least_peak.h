// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What pictures of a sweep say of points that did not fit. Any thread.
#pragma once

#include "core/results/sweeps/sweep_document.h"

namespace peakscope {

// A point's peak; of one that ran and did not fit the least that it takes, for what was held before it was refused
// says nothing of that: what would have been live then, and more than there was room for.
std::optional<std::int64_t> leastPeakBytes(const SweepDocument& sweep, const SweepPoint& point);

} // namespace peakscope
