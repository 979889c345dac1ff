// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers by counter: each (seed, purpose, position) has its own stream, whoever asks first. That is what keeps
// parallel loops independent of the number of threads.
#pragma once

#include <cmath>
#include <cstdint>

namespace peakscope {

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class RandomStream
{
public:
    explicit RandomStream(std::uint64_t seed, std::uint64_t purpose = 0, std::uint64_t position = 0)
        : m_state(scramble(scramble(seed + 0x632be59bd9b4e019ULL * (purpose + 1)) + position))
    {}

    std::uint64_t next() { return scramble(m_state += 0x9e3779b97f4a7c15ULL); }

    // 0 to bound - 1; the bias of at most bound / 2^32 does not matter to a sampler.
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

    // In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // Standard normal, by Box and Muller's transform.
    double normal()
    {
        constexpr double kTwoPi = 6.283185307179586;
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(kTwoPi * uniform());
    }

private:
    static std::uint64_t scramble(std::uint64_t z)
    {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return z ^ z >> 31;
    }

    std::uint64_t m_state;
};

} // namespace peakscope
