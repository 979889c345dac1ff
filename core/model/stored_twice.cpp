// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two stored copies of a matrix are the same but for the rounding of one of them.
#include "core/model/weight_plan.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace peakscope {

namespace {

template <typename T>
T readAs(const std::byte* data)
{
    T value;
    std::memcpy(&value, data, sizeof value);
    return value;
}

double fromHalf(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    if (exponent == 31)
        value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return bits & 0x8000 ? -value : value;
}

using Reader = double (*)(const std::byte*);

Reader readerOf(std::string_view dtype)
{
    if (dtype == "F64")
        return [](const std::byte* data) { return readAs<double>(data); };
    if (dtype == "F32")
        return [](const std::byte* data) { return static_cast<double>(readAs<float>(data)); };
    if (dtype == "F16")
        return [](const std::byte* data) { return fromHalf(readAs<std::uint16_t>(data)); };
    if (dtype == "BF16")
        return [](const std::byte* data) {
            const std::uint32_t bits = static_cast<std::uint32_t>(readAs<std::uint16_t>(data)) << 16;
            return static_cast<double>(std::bit_cast<float>(bits));
        };
    return nullptr;
}

// To the nearest of a type with `digits` significant bits and no exponent below `smallest`, ties to even.
double rounded(double value, int digits, int smallest)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const int exponent = std::max(std::ilogb(value), smallest) - (digits - 1);
    return std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
}

struct Rounding {
    const char* dtype;
    int digits;
    int smallest;
    bool possible = true;
};

// Calls visit(i, j) with the byte offsets of each element of the two, row by row, until it is false.
template <typename Visit>
void forEachElement(const WeightEntry& a, const WeightEntry& b, Visit visit)
{
    const std::int64_t rows = a.shape[0], columns = a.shape[1];
    const auto step = [columns](const WeightEntry& entry, std::size_t dimension) {
        const std::int64_t elements = entry.strides.empty() ? (dimension == 0 ? columns : 1) : entry.strides[dimension];
        return static_cast<std::size_t>(elements) * bytesPerElement(entry.dtype);
    };
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::byte* left = a.data + static_cast<std::size_t>(row) * step(a, 0);
        const std::byte* right = b.data + static_cast<std::size_t>(row) * step(b, 0);
        for (std::int64_t column = 0; column < columns; ++column) {
            if (!visit(left, right))
                return;
            left += step(a, 1);
            right += step(b, 1);
        }
    }
}

} // namespace

std::optional<std::string> roundingBetween(const WeightEntry& a, const WeightEntry& b)
{
    const Reader readA = readerOf(a.dtype), readB = readerOf(b.dtype);
    if (a.shape != b.shape || a.shape.size() != 2 || !readA || !readB)
        return std::nullopt;
    if (a.dtype == b.dtype && a.strides == b.strides && (a.data == b.data || std::memcmp(a.data, b.data, a.bytes) == 0))
        return "";
    std::array<Rounding, 3> roundings{{{"F32", 24, -126}, {"BF16", 8, -126}, {"F16", 11, -14}}};
    bool equal = true;
    forEachElement(a, b, [&](const std::byte* left, const std::byte* right) {
        const double x = readA(left), y = readB(right);
        if (x == y)
            return true;
        equal = false;
        bool any = false;
        for (Rounding& rounding : roundings) {
            rounding.possible = rounding.possible && (rounded(x, rounding.digits, rounding.smallest) == y ||
                                                      rounded(y, rounding.digits, rounding.smallest) == x);
            any = any || rounding.possible;
        }
        return any;
    });
    if (equal)
        return "";
    for (const Rounding& rounding : roundings) {
        if (rounding.possible)
            return rounding.dtype;
    }
    return std::nullopt;
}

} // namespace peakscope
