// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The inner step of each metric on 16 lanes: one accumulation per pair of values, one comparable distance at the end.
// Used by the neighbour searches only.
#pragma once

#include "core/analysis/neighbors/neighbors.h"
#include "core/analysis/neighbors/simd_lanes.h"

namespace peakscope {

struct SquaredKernel {
    static PEAKSCOPE_INLINE void add(Float16& sum, Float16&, const Float16& a, const Float16& b)
    {
        const Float16 difference = a - b;
        sum += difference * difference;
    }
    static PEAKSCOPE_INLINE float reduce(const Float16& sum, const Float16&) { return sumLanes(sum); }
    static constexpr bool kSecond = false;
};

struct ManhattanKernel {
    static PEAKSCOPE_INLINE void add(Float16& sum, Float16&, const Float16& a, const Float16& b)
    {
        const Float16 difference = a - b;
        sum += difference < 0.0f ? -difference : difference;
    }
    static PEAKSCOPE_INLINE float reduce(const Float16& sum, const Float16&) { return sumLanes(sum); }
    static constexpr bool kSecond = false;
};

struct ChebyshevKernel {
    static PEAKSCOPE_INLINE void add(Float16& largest, Float16&, const Float16& a, const Float16& b)
    {
        Float16 difference = a - b;
        difference = difference < 0.0f ? -difference : difference;
        largest = difference > largest ? difference : largest;
    }
    static PEAKSCOPE_INLINE float reduce(const Float16& largest, const Float16&)
    {
        float result = 0;
        for (int lane = 0; lane < kLanes; ++lane)
            result = largest[lane] > result ? largest[lane] : result;
        return result;
    }
    static constexpr bool kSecond = false;
};

struct CanberraKernel {
    static PEAKSCOPE_INLINE void add(Float16& sum, Float16&, const Float16& a, const Float16& b)
    {
        Float16 difference = a - b;
        difference = difference < 0.0f ? -difference : difference;
        const Float16 size = (a < 0.0f ? -a : a) + (b < 0.0f ? -b : b);
        sum += size > 0.0f ? difference / (size > 0.0f ? size : Float16{} + 1.0f) : Float16{};
    }
    static PEAKSCOPE_INLINE float reduce(const Float16& sum, const Float16&) { return sumLanes(sum); }
    static constexpr bool kSecond = false;
};

struct BrayCurtisKernel {
    static PEAKSCOPE_INLINE void add(Float16& sum, Float16& size, const Float16& a, const Float16& b)
    {
        Float16 difference = a - b;
        difference = difference < 0.0f ? -difference : difference;
        Float16 together = a + b;
        together = together < 0.0f ? -together : together;
        sum += difference;
        size += together;
    }
    static PEAKSCOPE_INLINE float reduce(const Float16& sum, const Float16& size)
    {
        const float total = sumLanes(size);
        return total > 0 ? sumLanes(sum) / total : 0;
    }
    static constexpr bool kSecond = true;
};

} // namespace peakscope
