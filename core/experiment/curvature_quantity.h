// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every quantity of the Hessian that can be asked for, with what is known of it wherever it is chosen, planned or
// refused. A new one is its row here, what it takes, costs and is called where the compiler then asks for it (no switch
// over quantities has a default), and its computing in core/engine/curvature. Plain data; any thread.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstddef>

namespace peakscope {

// In the order in which help and forms list them.
enum class CurvatureQuantity {
    Diagonal,
    BlockDiagonal,
    Full,
    Trace,
    Eigenvalues,
    Density,
    GgnDiagonal,
    FisherDiagonal,
    Kfac,
    Lbfgs,
    Features,
};

struct QuantityTraits {
    std::string_view name;
    // Computed over sharded parameters (zero3; other stages divide nothing that curvature has): it takes no matrix of
    // vectors and looks into no tensor's part of one.
    bool onShards = false;
    // By the tape its planned bytes are what it takes, a few percent above at the most; else they are the most that it
    // can take, which is known when it is done (which entries a sample holds, whether a basis is filled).
    bool foreseen = false;
    bool byTensor = false; // by the tape it holds nothing as long as the parameters
    bool products = true;  // made of Hessian products, by whatever method; else in a way of its own
};

constexpr QuantityTraits traitsOf(CurvatureQuantity quantity)
{
    switch (quantity) {
    case CurvatureQuantity::Diagonal:
        return {.name = "diagonal", .onShards = true, .byTensor = true};
    case CurvatureQuantity::BlockDiagonal:
        return {.name = "block_diagonal"};
    case CurvatureQuantity::Full:
        return {.name = "full"};
    case CurvatureQuantity::Trace:
        return {.name = "trace", .onShards = true, .foreseen = true};
    case CurvatureQuantity::Eigenvalues:
        return {.name = "eigenvalues", .onShards = true};
    case CurvatureQuantity::Density:
        return {.name = "density", .onShards = true, .foreseen = true};
    case CurvatureQuantity::GgnDiagonal:
        return {.name = "ggn_diagonal", .onShards = true, .byTensor = true, .products = false};
    case CurvatureQuantity::FisherDiagonal:
        return {.name = "fisher_diagonal", .onShards = true, .products = false};
    case CurvatureQuantity::Kfac:
        return {.name = "kfac", .byTensor = true, .products = false};
    case CurvatureQuantity::Lbfgs:
        return {.name = "lbfgs", .products = false};
    case CurvatureQuantity::Features:
        return {.name = "features", .foreseen = true};
    }
    return {}; // past the last
}

inline constexpr std::size_t kCurvatureQuantityCount = [] {
    std::size_t count = 0;
    while (!traitsOf(static_cast<CurvatureQuantity>(count)).name.empty())
        ++count;
    return count;
}();

inline constexpr auto kCurvatureQuantities = [] {
    std::array<CurvatureQuantity, kCurvatureQuantityCount> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<CurvatureQuantity>(i);
    return all;
}();

// Whether a table, whose rows have a member `quantity`, has each quantity exactly once.
consteval bool hasEachQuantityOnce(const auto& table)
{
    std::array<int, kCurvatureQuantityCount> rows{}, once{};
    once.fill(1);
    for (const auto& row : table)
        ++rows[static_cast<std::size_t>(row.quantity)];
    return rows == once;
}

const std::vector<std::string>& wordsOf(CurvatureQuantity);

} // namespace peakscope
