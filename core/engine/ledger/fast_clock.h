// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A monotonic clock cheap enough to be read twice for every operator: the processor's time stamp counter where it runs
// at a constant rate, else the steady clock.
#pragma once

#include <cstdint>

namespace peakscope {

class FastClock
{
public:
    // Measures the counter's rate against the steady clock (2 ms).
    FastClock();

    // Since construction. May differ by some ten nanoseconds between cores.
    std::int64_t nanoseconds() const;

private:
    bool m_usesCounter = false;
    std::uint64_t m_firstCount = 0;
    double m_nanosecondsPerCount = 0;
    std::int64_t m_firstSteady = 0;
};

} // namespace peakscope
