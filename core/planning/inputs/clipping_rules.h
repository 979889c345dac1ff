// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a clipped step treats each parameter: how the norms of its per-sample gradients are found and how their weighted
// sum is made. The engine follows it, the estimator weighs it. No LibTorch; any thread.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// How ||G_b^T A_b||^2 of a linear layer is found (A: inputs [T, in], G: gradients of the outputs [T, out]).
enum class NormRule {
    Tiles, // a tile of G_b^T A_b at a time; no T x T and no in x out matrix
    Gram,  // <A_b A_b^T, G_b G_b^T>, two T x T matrices a sample (Goodfellow 2015; Li et al. 2022)
};

// Where the weighted sum comes from once the norms are known.
enum class SumRule {
    SecondPass, // another backward pass of the weighted losses over the same graph
    Keep,       // A and G of the only pass, one product more (book-keeping, Bu et al. 2023)
    Hold,       // the per-sample gradients themselves
};

template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<NormRule>{"tiles", "gram"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<SumRule>{"second_pass", "keep", "hold"};

struct ClippingRule {
    NormRule norm = NormRule::Tiles;
    SumRule sum = SumRule::SecondPass;
};

struct ClippingPlan {
    std::int64_t rowsPerPass = 1;            // rows of one forward pass
    bool microbatch = false;                 // rows one at a time through the plain step, no rules needed
    ClippingRule rule;                       // of every parameter
    std::map<std::string, ClippingRule> own; // of single parameters, by name
    std::vector<std::string> notes;

    const ClippingRule& of(const std::string& parameter) const
    {
        const auto found = own.find(parameter);
        return found == own.end() ? rule : found->second;
    }
};

// Side of the tile of a weight in which Tiles sums, and of the one that a Gram rule of a plan never passes. On CUDA a
// tile must give work to more than a hundred multiprocessors: 16 MiB in float32.
constexpr std::int64_t normTileSide(bool cuda)
{
    return cuda ? 2048 : 512;
}

} // namespace peakscope
