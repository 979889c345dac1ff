// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/experts/expert_section.h"

#include "core/results/field_schema.h"
#include "core/results/json_fields.h"
#include "core/results/result_schema.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <algorithm>
#include <numeric>

namespace peakscope {

void members(auto& fields, Of<ExpertTokens> auto& layer)
{
    fields("layer", layer.layer);
    fields("tokens", layer.tokens);
}

void members(auto& fields, Of<ExpertSection> auto& section)
{
    fields("layers", section.layers);
}

double ExpertTokens::timesEven(std::size_t expert) const
{
    const double all = std::accumulate(tokens.begin(), tokens.end(), 0.0);
    const auto experts = static_cast<double>(tokens.size());
    return all > 0 ? static_cast<double>(tokens[expert]) * experts / all : kNoNumber;
}

std::size_t ExpertSection::experts() const
{
    std::size_t most = 0;
    for (const ExpertTokens& layer : layers)
        most = std::max(most, layer.tokens.size());
    return most;
}

nlohmann::json toJson(const ExpertSection& section)
{
    return membersJson(section);
}

ExpertSection expertsFromJson(const nlohmann::json& section)
{
    auto read = lenientMembers<ExpertSection>(section);
    std::erase_if(read.layers, [](const ExpertTokens& layer) { return layer.tokens.empty(); });
    return read;
}

ExpertSection expertsOf(const RunResult& result)
{
    return expertsFromJson(lenient::member(result.other, "experts"));
}

Table expertLoadsTable(const ExpertSection& section)
{
    Table table{"experts", {{"layer", ""}, {"expert", ""}, {"tokens", ""}, {"times_even", "ratio"}}, {}};
    for (const ExpertTokens& layer : section.layers) {
        for (std::size_t expert = 0; expert < layer.tokens.size(); ++expert)
            table.rows.push_back(
                {layer.layer, static_cast<std::int64_t>(expert), layer.tokens[expert], layer.timesEven(expert)});
    }
    return table;
}

nlohmann::json expertSchema()
{
    return membersSchema<ExpertSection>();
}

} // namespace peakscope
