// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/fast_clock.h"

#include <chrono>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace peakscope {
namespace {

std::int64_t steadyNanoseconds()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

#if defined(__x86_64__)
std::uint64_t counter()
{
    return __rdtsc();
}

// "Invariant TSC": the same rate in every power state (AMD64 manual, CPUID function 8000_0007h, EDX bit 8).
bool counterIsConstant()
{
    unsigned int a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}
#else
std::uint64_t counter()
{
    return 0;
}

bool counterIsConstant()
{
    return false;
}
#endif

} // namespace

FastClock::FastClock() : m_firstCount(counter()), m_firstSteady(steadyNanoseconds())
{
    if (!counterIsConstant())
        return;
    constexpr std::int64_t kCalibration = 2'000'000;
    std::int64_t elapsed = 0;
    while (elapsed < kCalibration)
        elapsed = steadyNanoseconds() - m_firstSteady;
    const std::uint64_t counts = counter() - m_firstCount;
    m_usesCounter = counts > 0;
    m_nanosecondsPerCount = m_usesCounter ? static_cast<double>(elapsed) / static_cast<double>(counts) : 0;
}

std::int64_t FastClock::nanoseconds() const
{
    if (!m_usesCounter)
        return steadyNanoseconds() - m_firstSteady;
    // A core whose counter is a little behind must not give a huge unsigned difference.
    const auto counts = static_cast<std::int64_t>(counter() - m_firstCount);
    return static_cast<std::int64_t>(static_cast<double>(counts) * m_nanosecondsPerCount);
}

} // namespace peakscope
