// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an optimiser keeps beside a parameter where weights or states have fewer bits than the update computes in:
// float32 masters, Kahan compensations, states in blocks of 8-bit codes. The engine computes by it
// (core/engine/training/wide_update.cpp), the simulation counts its bytes. Any thread.
#pragma once

#include "core/optimizers/optimizer_description.h"

namespace peakscope {

// How a bfloat16 weight takes an update that was computed in float32.
enum class WeightRounding {
    Nearest,
    Kahan,     // what rounding lost is kept in bfloat16 and added to the next update
    Stochastic // up or down at random, right on average
};

struct UpdatePrecision {
    WeightRounding rounding = WeightRounding::Nearest;
    bool masters = false; // float32 copies of 16-bit weights, which the update is computed on
};

enum class KeptForm {
    AsParameter, // the parameter's shape and type
    Float32,     // its shape
    EightBit,    // codes of 8 bits, and a float32 scale for each kStateBlock of them
};

// Dettmers et al., "8-bit Optimizers via Block-wise Quantization" (2022), with bitsandbytes' sizes.
inline constexpr std::int64_t kStateBlock = 256;
inline constexpr std::int64_t kLeastEightBit = 4096; // elements; smaller tensors keep float32 states

// The update is computed on pieces of so many elements, so that its float32 temporaries stay small beside the model. A
// multiple of kStateBlock.
inline constexpr std::int64_t kUpdatePiece = std::int64_t{1} << 23;

// Calls f(count) for the pieces of `elements` that differ in what they take: the first two and the last. Those between
// repeat the second.
template <typename F>
void forPieces(std::int64_t elements, std::int64_t piece, F f)
{
    const std::int64_t whole = elements / piece, rest = elements % piece;
    for (std::int64_t i = 0; i < (whole < 2 ? whole : 2); ++i)
        f(piece);
    if (rest > 0)
        f(rest);
}

// Whether the update is computed in float32, one parameter and one piece after another.
bool updatesWide(const OptimizerDescription& optimizer, const UpdatePrecision& precision);

// The form of every state; `embedding`: the parameter is an embedding.
KeptForm stateForm(const OptimizerDescription& optimizer, const UpdatePrecision& precision, std::int64_t elements,
                   bool embedding);

// Blocks of codes for so many elements, the last one filled up.
constexpr std::int64_t stateBlocks(std::int64_t elements)
{
    return (elements + kStateBlock - 1) / kStateBlock;
}

// Bytes of all that is kept beside a parameter of numbers of `bytesEach`, masters and compensations among them.
std::int64_t keptBytes(const OptimizerDescription& optimizer, const UpdatePrecision& precision,
                       const TensorShape& shape, std::int64_t bytesEach);

} // namespace peakscope
