// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a curvature experiment computes, and how: the block "curvature" of an experiment. Plain data; any thread.
#pragma once

#include "core/base/enum_words.h"
#include "core/experiment/curvature_quantity.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

enum class ProductMethod {
    Auto,
    DoubleBackward,     // autograd twice over the model's own graph
    ReverseOverForward, // forward tangents, then one backward pass through them
    ForwardOverReverse, // tangents of forward and backward pass, by hand
    FiniteDifference,   // central difference of the gradient
    Row,                // diagonal: whole rows of linear layers
    Jets,               // diagonal: second-order forward
};
enum class EntrySelection { All, Sample, Names, Entries };
enum class FeatureUnit { Tensor, Head, Row, Block };

template <>
inline constexpr std::array<std::string_view, 7> kEnumWords<ProductMethod>{
    "auto", "double_backward", "reverse_over_forward", "forward_over_reverse", "finite_difference", "row", "jets"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<EntrySelection>{"all", "sample", "names", "entries"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<FeatureUnit>{"tensor", "head", "row", "block"};

// Whether products are computed by hand, over the tape of a recorded step: these alone run over sharded parameters, and
// of them the memory is foreseen.
constexpr bool byTape(ProductMethod method)
{
    using enum ProductMethod;
    return method == Auto || method == ForwardOverReverse || method == Row || method == Jets;
}

struct EntryChoice {
    std::string parameter;
    std::int64_t index = 0; // flattened position in the tensor as stored
};

inline constexpr std::int64_t kUsualSample = 1000;

struct CurvatureOptions {
    // As written; one may stand there twice. The default is what every model has room and time for.
    std::vector<CurvatureQuantity> quantities{CurvatureQuantity::Diagonal, CurvatureQuantity::Trace,
                                              CurvatureQuantity::Eigenvalues};
    ProductMethod method = ProductMethod::Auto;
    double step = 0; // of finite differences, relative: (1 + |weights|) / |vector| times this; 0: cube root of epsilon
    EntrySelection select = EntrySelection::Sample;
    std::int64_t count = kUsualSample; // entries of a sample
    std::vector<std::string> names;    // parameters, wildcards allowed
    std::vector<EntryChoice> entries;  // diagonal entries
    std::int64_t probes = 100;         // at most
    double intervalWidth = 0;          // stop once the trace's 95 % interval is this wide; 0: use all probes
    std::int64_t topK = 5;             // eigenvalues, by magnitude
    std::int64_t densitySteps = 60;    // Lanczos steps of one density probe
    FeatureUnit unit = FeatureUnit::Tensor;
    double adapterScale = 1; // alpha / rank of the model's adapters, where it has some

    bool wants(CurvatureQuantity quantity) const
    {
        return std::find(quantities.begin(), quantities.end(), quantity) != quantities.end();
    }
    // Entries of a sample of so many parameters: the default is all of them where they are fewer.
    std::int64_t sampleOf(std::int64_t parameters) const
    {
        return count == kUsualSample ? std::min(count, parameters) : count;
    }
};

} // namespace peakscope
