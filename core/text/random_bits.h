// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A seeded generator whose numbers are the same on every platform and with every standard library. Used for data that
// a run must be able to make again.
#pragma once

#include <cstdint>

namespace peakscope {

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class RandomBits
{
public:
    explicit RandomBits(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next() { return mix(m_state += 0x9e3779b97f4a7c15ULL); }

    // 0 to bound - 1, each equally likely. `bound` is above 0.
    std::uint64_t below(std::uint64_t bound)
    {
        const std::uint64_t skipped =
            (0 - bound) % bound; // 2^64 mod bound: the lowest values would come once too often
        std::uint64_t value = next();
        while (value < skipped)
            value = next();
        return value % bound;
    }

    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return z ^ z >> 31;
    }

private:
    std::uint64_t m_state;
};

// Which index stands at `position` when 0 to count - 1 are shuffled with `seed`; position < count. A permutation that
// needs no memory: four Feistel rounds over the next even power of two, repeated until the value is inside.
inline std::uint64_t shuffledIndex(std::uint64_t position, std::uint64_t count, std::uint64_t seed)
{
    int halfBits = 1;
    while (halfBits < 32 && (std::uint64_t{1} << (2 * halfBits)) < count)
        ++halfBits;
    const std::uint64_t mask = (std::uint64_t{1} << halfBits) - 1;
    std::uint64_t value = position;
    do {
        std::uint64_t left = value >> halfBits;
        std::uint64_t right = value & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t mixed = left ^ (RandomBits::mix(right + (round << 40) + RandomBits::mix(seed)) & mask);
            left = right;
            right = mixed;
        }
        value = left << halfBits | right;
    } while (value >= count);
    return value;
}

} // namespace peakscope
