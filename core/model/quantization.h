// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How frozen weights of linear layers are stored in fewer bits than they compute in. The engine stores by it
// (core/engine/model/quantized_matrix.cpp), the simulation counts its bytes. Any thread.
#pragma once

#include "core/base/enum_words.h"

#include <cstdint>

namespace peakscope {

// NF4: Dettmers et al., "QLoRA" (2023), section 3: 16 numbers, a float32 scale for each 64 weights; nested: those scales
// as 8-bit codes, a float32 scale for each 256 of them. int8: a float32 scale for each row.
enum class Quantization { None, Nf4, Nf4Nested, Int8 };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<Quantization>{"none", "nf4", "nf4_nested", "int8"};

inline constexpr std::int64_t kNf4Block = 64;
inline constexpr std::int64_t kNestedBlock = 256;
// Weights that are turned into numbers at a time, so that what that takes beside the result stays small. A multiple of
// both blocks' product.
inline constexpr std::int64_t kQuantizedPiece = std::int64_t{1} << 22;

constexpr std::int64_t blocksOf(std::int64_t elements, std::int64_t block)
{
    return (elements + block - 1) / block;
}

} // namespace peakscope
