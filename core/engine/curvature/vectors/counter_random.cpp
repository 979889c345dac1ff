// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/counter_random.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace peakscope {
namespace {

constexpr std::int64_t kSignsAtATime = std::int64_t{1} << 20; // what a device's copy needs beside it

// Elements `first` and on of the stream.
template <typename T>
void writeSigns(T* out, std::int64_t count, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                std::int64_t first)
{
    at::parallel_for(first / 64, (first + count + 63) / 64, 1024, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t word = begin; word < end; ++word) {
            const std::uint64_t bits = counterBits(seed, purpose, number, static_cast<std::uint64_t>(word));
            const std::int64_t last = std::min(first + count, (word + 1) * 64);
            for (std::int64_t i = std::max(first, word * 64); i < last; ++i)
                out[i - first] = ((bits >> (i - word * 64)) & 1) ? T(1) : T(-1);
        }
    });
}

template <typename T>
void writeNormal(T* out, std::int64_t count, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                 std::int64_t first)
{
    constexpr double kUnit = 0x1p-53;
    at::parallel_for(first / 2, (first + count + 1) / 2, 1024, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t pair = begin; pair < end; ++pair) {
            const std::uint64_t counter = 2 * static_cast<std::uint64_t>(pair);
            const double u = (static_cast<double>(counterBits(seed, purpose, number, counter) >> 11) + 0.5) * kUnit;
            const double v = static_cast<double>(counterBits(seed, purpose, number, counter + 1) >> 11) * kUnit;
            const double radius = std::sqrt(-2 * std::log(u));
            if (2 * pair >= first)
                out[2 * pair - first] = static_cast<T>(radius * std::cos(2 * std::numbers::pi * v));
            if (2 * pair + 1 < first + count)
                out[2 * pair + 1 - first] = static_cast<T>(radius * std::sin(2 * std::numbers::pi * v));
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

void fillSigns(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
               std::int64_t position)
{
    inPieces(vector, [&](const at::Tensor& part, std::int64_t begin) {
        if (part.scalar_type() == at::kDouble)
            writeSigns(part.data_ptr<double>(), part.numel(), seed, purpose, number, position + begin);
        else
            writeSigns(part.data_ptr<float>(), part.numel(), seed, purpose, number, position + begin);
    });
}

void fillNormal(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose, std::uint64_t number,
                std::int64_t position)
{
    inPieces(vector, [&](const at::Tensor& part, std::int64_t begin) {
        if (part.scalar_type() == at::kDouble)
            writeNormal(part.data_ptr<double>(), part.numel(), seed, purpose, number, position + begin);
        else
            writeNormal(part.data_ptr<float>(), part.numel(), seed, purpose, number, position + begin);
    });
}

} // namespace peakscope
