// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Short vectors of floats in the compilers' own notation, and the arithmetic the embedding needs on them. Used by the
// inner loops of core/analysis. Sums go over a fixed number of lanes in a fixed order and files that use this are
// compiled without fused multiply-add, so every processor gives the same bits.
#pragma once

#include <cstdint>
#include <cstring>

// One copy of a function for each instruction set, chosen when the program starts; that is too early for sanitizers.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PEAKSCOPE_SIMD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PEAKSCOPE_SIMD_CLONES
#endif
#define PEAKSCOPE_INLINE inline __attribute__((always_inline))

namespace peakscope {

using Float16 = float __attribute__((vector_size(64)));
using Float8 = float __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));
using Int16 = std::int32_t __attribute__((vector_size(64)));
using Int8 = std::int32_t __attribute__((vector_size(32)));

inline constexpr int kLanes = 16;

template <typename Lanes>
PEAKSCOPE_INLINE void loadLanes(Lanes& out, const float* from)
{
    std::memcpy(&out, from, sizeof out);
}

// The sum of all lanes, pairwise.
PEAKSCOPE_INLINE float sumLanes(const Float8& lanes)
{
    const float low = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
    const float high = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
    return low + high;
}

PEAKSCOPE_INLINE float sumLanes(const Float16& lanes)
{
    Float8 halves[2];
    std::memcpy(halves, &lanes, sizeof halves);
    const Float8 sum = halves[0] + halves[1];
    return sumLanes(sum);
}

// Whether any lane of a comparison is true.
PEAKSCOPE_INLINE bool anyLane(const Int16& mask)
{
    using Long2 = std::int64_t __attribute__((vector_size(16)));
    Long2 quarters[4];
    std::memcpy(quarters, &mask, sizeof quarters);
    const Long2 any = (quarters[0] | quarters[1]) | (quarters[2] | quarters[3]);
    return (any[0] | any[1]) != 0;
}

// x^power for x > 0 within about 1e-6 of its value, as 2^(power log2 x): log2 by the series of atanh around the nearest
// power of two, 2^x by its Taylor series on [-1/2, 1/2]. Results beyond float's range are held at its ends.
PEAKSCOPE_INLINE void powerLanes(Float8& out, const Float8& x, float power)
{
    Int8 bits;
    std::memcpy(&bits, &x, sizeof bits);
    const Int8 exponent = (bits - 0x3f3504f3) >> 23; // mantissa in [sqrt(1/2), sqrt(2))
    const Int8 mantissaBits = bits - (exponent << 23);
    Float8 mantissa;
    std::memcpy(&mantissa, &mantissaBits, sizeof mantissa);
    const Float8 t = (mantissa - 1.0f) / (mantissa + 1.0f);
    const Float8 tt = t * t;
    const Float8 log2Mantissa = t * (2.88539008f + tt * (0.961796694f + tt * (0.577078016f + tt * 0.412198583f)));
    Float8 y = (__builtin_convertvector(exponent, Float8) + log2Mantissa) * power;
    y = y > 126.0f ? Float8{} + 126.0f : y;
    y = y < -126.0f ? Float8{} - 126.0f : y;
    const Float8 shifted = y + 12582912.0f; // 1.5 * 2^23: rounds to the nearest integer
    const Float8 whole = shifted - 12582912.0f;
    const Float8 f = y - whole;
    const Float8 fraction =
        1.0f + f * (0.693147181f +
                    f * (0.240226507f +
                         f * (0.0555041087f + f * (0.00961812911f + f * (0.00133335581f + f * 0.000154035304f)))));
    const Int8 scaleBits = (__builtin_convertvector(whole, Int8) + 127) << 23;
    Float8 scale;
    std::memcpy(&scale, &scaleBits, sizeof scale);
    out = fraction * scale;
}

} // namespace peakscope
