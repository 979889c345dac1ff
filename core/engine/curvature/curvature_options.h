// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "curvature" block of an experiment as a struct. Read by the curvature experiment only.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <set>
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
std::string_view name(ProductMethod method);

enum class EntrySelection { All, Sample, Names, Entries };
enum class FeatureUnit { Tensor, Head, Row, Block };
std::string_view name(FeatureUnit unit);

struct EntryChoice {
    std::string parameter;
    std::int64_t index = 0; // flattened position in the tensor as stored
};

struct CurvatureOptions {
    std::set<std::string> quantities;
    ProductMethod method = ProductMethod::Auto;
    double step = 0; // of finite differences, relative: (1 + |weights|) / |vector| times this; 0: cube root of epsilon
    EntrySelection select = EntrySelection::All;
    std::int64_t count = 1000;        // entries of a sample
    std::vector<std::string> names;   // parameters, wildcards allowed
    std::vector<EntryChoice> entries; // diagonal entries
    std::int64_t probes = 100;        // at most
    double intervalWidth = 0;         // stop once the trace's 95 % interval is this wide; 0: use all probes
    std::int64_t topK = 5;            // eigenvalues, by magnitude
    std::int64_t densitySteps = 60;   // Lanczos steps of one density probe
    FeatureUnit unit = FeatureUnit::Tensor;
    double adapterScale = 1; // alpha / rank of the model's adapters, where it has some

    bool wants(const std::string& quantity) const { return quantities.count(quantity) != 0; }
};

// `block` was checked by the experiment's reader and has every key.
CurvatureOptions curvatureOptions(const nlohmann::json& block);

} // namespace peakscope
