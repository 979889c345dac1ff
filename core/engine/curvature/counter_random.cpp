// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/counter_random.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace peakscope {
namespace {

constexpr std::int64_t kSignsAtATime = std::int64_t{1} << 20; // a multiple of 64; what a device's copy needs beside it

template <typename T>
void writeSigns(T* out, std::int64_t count, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                std::uint64_t firstWord)
{
    at::parallel_for(0, (count + 63) / 64, 1024, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t word = begin; word < end; ++word) {
            std::uint64_t bits = counterBits(seed, purpose, number, firstWord + static_cast<std::uint64_t>(word));
            const std::int64_t last = std::min(count, (word + 1) * 64);
            for (std::int64_t i = word * 64; i < last; ++i, bits >>= 1)
                out[i] = (bits & 1) ? T(1) : T(-1);
        }
    });
}

template <typename T>
void writeNormal(T* out, std::int64_t count, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                 std::uint64_t firstPair)
{
    constexpr double kUnit = 0x1p-53;
    at::parallel_for(0, (count + 1) / 2, 1024, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t pair = begin; pair < end; ++pair) {
            const std::uint64_t counter = 2 * (firstPair + static_cast<std::uint64_t>(pair));
            const double u = (static_cast<double>(counterBits(seed, purpose, number, counter) >> 11) + 0.5) * kUnit;
            const double v = static_cast<double>(counterBits(seed, purpose, number, counter + 1) >> 11) * kUnit;
            const double radius = std::sqrt(-2 * std::log(u));
            out[2 * pair] = static_cast<T>(radius * std::cos(2 * std::numbers::pi * v));
            if (2 * pair + 1 < count)
                out[2 * pair + 1] = static_cast<T>(radius * std::sin(2 * std::numbers::pi * v));
        }
    });
}

// write(data, count, first element) for pieces of the vector in host memory.
template <typename Write>
void inPieces(const at::Tensor& vector, const Write& write)
{
    if (vector.device().is_cpu()) {
        write(vector, std::int64_t{0});
        return;
    }
    const at::Tensor piece =
        at::empty({std::min(kSignsAtATime, vector.numel())}, vector.options().device(c10::DeviceType::CPU));
    for (std::int64_t begin = 0; begin < vector.numel(); begin += kSignsAtATime) {
        const at::Tensor part = piece.narrow(0, 0, std::min(kSignsAtATime, vector.numel() - begin));
        write(part, begin);
        vector.narrow(0, begin, part.numel()).copy_(part);
    }
}

} // namespace

void fillSigns(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number)
{
    inPieces(vector, [&](const at::Tensor& part, std::int64_t begin) {
        const auto word = static_cast<std::uint64_t>(begin / 64);
        if (part.scalar_type() == at::kDouble)
            writeSigns(part.data_ptr<double>(), part.numel(), seed, purpose, number, word);
        else
            writeSigns(part.data_ptr<float>(), part.numel(), seed, purpose, number, word);
    });
}

void fillNormal(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number)
{
    inPieces(vector, [&](const at::Tensor& part, std::int64_t begin) {
        const auto pair = static_cast<std::uint64_t>(begin / 2);
        if (part.scalar_type() == at::kDouble)
            writeNormal(part.data_ptr<double>(), part.numel(), seed, purpose, number, pair);
        else
            writeNormal(part.data_ptr<float>(), part.numel(), seed, purpose, number, pair);
    });
}

} // namespace peakscope
