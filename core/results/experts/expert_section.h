// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The section "experts" of a result: how many of a run's tokens each expert of a mixture computed. Written by the
// engine, read by views, figures and tables. Plain data; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace peakscope {

struct RunResult;
struct Table;

struct ExpertTokens {
    std::int64_t layer = 0;
    std::vector<std::int64_t> tokens; // of each expert; a token counts once for each expert that it goes to

    // An expert's tokens over what it had if all had as many; no number where the layer had no token.
    double timesEven(std::size_t expert) const;
};

struct ExpertSection {
    std::vector<ExpertTokens> layers; // those with experts, in the order of the model

    bool empty() const { return layers.empty(); }
    std::size_t experts() const; // of the layer with most
};

nlohmann::json toJson(const ExpertSection& section);
// Takes what is there and right in its type; layers without experts are left out. Empty for what is no such section.
ExpertSection expertsFromJson(const nlohmann::json& section);
ExpertSection expertsOf(const RunResult& result);
// A row an expert of a layer.
Table expertLoadsTable(const ExpertSection& section);

} // namespace peakscope
