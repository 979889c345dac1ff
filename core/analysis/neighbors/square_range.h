// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers whose squares a double cannot hold are brought near 1 by a power of two, which changes no digit. Any thread.
#pragma once

#include <cmath>

namespace peakscope {

// The exponent of that power for numbers of at most this size; 0 where squares are held as they are.
inline int exponentForSquares(double largest)
{
    constexpr double kLarge = 0x1p500, kSmall = 0x1p-500;
    return largest == 0 || (largest < kLarge && largest > kSmall) ? 0 : -std::ilogb(largest);
}

} // namespace peakscope
