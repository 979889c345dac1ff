// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/curvature_options.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace peakscope {
namespace {

constexpr std::array<std::string_view, 7> kMethodNames{
    "auto", "double_backward", "reverse_over_forward", "forward_over_reverse", "finite_difference", "row", "jets"};
constexpr std::array<std::string_view, 4> kSelectionNames{"all", "sample", "names", "entries"};
constexpr std::array<std::string_view, 4> kFeatureUnitNames{"tensor", "head", "row", "block"};

template <typename Enum, std::size_t N>
Enum byName(const std::array<std::string_view, N>& names, const nlohmann::json& value)
{
    const auto found = std::find(names.begin(), names.end(), value.get<std::string>());
    return static_cast<Enum>(found == names.end() ? 0 : found - names.begin());
}

} // namespace

std::string_view name(ProductMethod method)
{
    return kMethodNames[static_cast<std::size_t>(method)];
}

std::string_view name(FeatureUnit unit)
{
    return kFeatureUnitNames[static_cast<std::size_t>(unit)];
}

CurvatureOptions curvatureOptions(const nlohmann::json& block)
{
    CurvatureOptions options;
    for (const auto& quantity : block.at("quantities"))
        options.quantities.insert(quantity.get<std::string>());
    options.method = byName<ProductMethod>(kMethodNames, block.at("method"));
    options.step = block.at("step").get<double>();
    const nlohmann::json& parameters = block.at("parameters");
    options.select = byName<EntrySelection>(kSelectionNames, parameters.at("select"));
    options.count = parameters.at("count").get<std::int64_t>();
    options.names = parameters.at("names").get<std::vector<std::string>>();
    for (const auto& entry : parameters.at("entries"))
        options.entries.push_back({entry.at("parameter").get<std::string>(), entry.at("index").get<std::int64_t>()});
    options.probes = block.at("probes").get<std::int64_t>();
    options.intervalWidth = block.at("interval_width").get<double>();
    options.topK = block.at("top_k").get<std::int64_t>();
    options.densitySteps = block.at("density_steps").get<std::int64_t>();
    options.unit = byName<FeatureUnit>(kFeatureUnitNames, block.at("unit"));
    return options;
}

} // namespace peakscope
