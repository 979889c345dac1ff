// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of measured values and how far they lie from it. Any thread.
#pragma once

#include <optional>
#include <vector>

namespace peakscope {

// The mean of both where two values are in the middle; nothing of no values.
std::optional<double> medianOf(std::vector<double> values);

// Median absolute deviation from the median; nothing for fewer than two values.
std::optional<double> medianDeviation(std::vector<double> values);

} // namespace peakscope
