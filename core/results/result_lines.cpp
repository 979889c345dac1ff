// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/result_lines.h"

#include "core/base/json/json_reader.h"
#include "core/base/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

std::string diagonalLine(const CurvatureDiagonal& diagonal)
{
    std::string name = diagonal.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (diagonal.name == "fisher_diagonal")
        name += " (empirical, per row)";
    // With an interval it is the mean of all parameters, estimated from the entries.
    const CurvatureInterval& mean = diagonal.mean;
    const std::string of =
        mean.hasInterval() ? fmt::format(" (of all parameters, 95 %: {:.4g} to {:.4g})", mean.low, mean.high) : "";
    return fmt::format("{}: {} entries, min {:.4g}, mean {:.4g}{}, max {:.4g}", name, diagonal.count, diagonal.least,
                       mean.mean, of, diagonal.most);
}

std::string traceLine(const CurvatureInterval& trace)
{
    std::string line = fmt::format("trace {:.6g}", trace.mean);
    if (trace.exact())
        return line + ", exact";
    if (trace.hasInterval())
        line += fmt::format(" (95 %: {:.6g} to {:.6g})", trace.low, trace.high);
    return trace.samples > 0 ? line + fmt::format(", {} probes", trace.samples) : line;
}

std::string eigenvaluesLine(const CurvatureData& data)
{
    std::string line = "top eigenvalues";
    double residual = 0;
    for (std::size_t i = 0; i < data.eigenvalues.size(); ++i) {
        line += fmt::format("{} {:.6g}", i > 0 ? "," : "", data.eigenvalues[i].value);
        residual = std::max(residual, data.eigenvalues[i].residual);
    }
    return data.eigenConverged.value_or(true) ? line : line + fmt::format(" (not settled, within {:.2g})", residual);
}

} // namespace

std::vector<std::string> curvatureLines(const CurvatureData& data)
{
    std::vector<std::string> lines;
    for (const CurvatureDiagonal& diagonal : data.diagonals)
        lines.push_back(diagonalLine(diagonal));
    if (data.trace)
        lines.push_back(traceLine(*data.trace));
    if (!data.eigenvalues.empty())
        lines.push_back(eigenvaluesLine(data));
    return lines;
}

std::vector<std::string> unitLines(const nlohmann::json& sections)
{
    std::string line;
    const nlohmann::json& embedding = lenient::member(sections, "embedding");
    if (const double silhouette = lenient::number(embedding, "silhouette"); std::isfinite(silhouette)) {
        line = fmt::format("silhouette {:.3g}", silhouette);
        if (const auto clusters = jsonInteger(lenient::member(embedding, "cluster_count")))
            line += fmt::format(" of {} cluster{}", *clusters, *clusters == 1 ? "" : "s");
    }
    const nlohmann::json& features = lenient::member(sections, "features");
    const nlohmann::json& names = lenient::array(features, "names");
    const auto column = std::find(names.begin(), names.end(), "sparsity") - names.begin();
    double sum = 0;
    std::size_t count = 0;
    for (const nlohmann::json& unit : lenient::array(features, "units")) {
        const nlohmann::json& values = lenient::array(unit, "values");
        if (column < static_cast<std::ptrdiff_t>(values.size()) &&
            values[static_cast<std::size_t>(column)].is_number()) {
            sum += values[static_cast<std::size_t>(column)].get<double>();
            ++count;
        }
    }
    if (count > 0)
        line += fmt::format("{}mean sparsity {:.3g} of {} units", line.empty() ? "" : "; ",
                            sum / static_cast<double>(count), count);
    return line.empty() ? std::vector<std::string>{} : std::vector{line};
}

std::optional<NormRange> sampleNormRange(const RunResult& result)
{
    const std::vector<double>& norms = result.perSampleGradientNorms;
    const auto median = medianOf(norms);
    if (!median)
        return std::nullopt;
    if (std::isnan(*median)) // as that of a row whose norm is not a number
        return NormRange{*median, *median, *median, norms.size()};
    const auto [least, most] = std::minmax_element(norms.begin(), norms.end());
    return NormRange{*least, *median, *most, norms.size()};
}

std::optional<EpsilonDelta> privacyOf(const RunResult& result)
{
    const nlohmann::json& section = lenient::member(result.other, "privacy");
    const EpsilonDelta cost{lenient::number(section, "epsilon"), lenient::number(section, "delta")};
    return std::isfinite(cost.epsilon) && std::isfinite(cost.delta) ? std::optional(cost) : std::nullopt;
}

std::vector<std::string> privacyLines(const RunResult& result)
{
    std::vector<std::string> lines;
    if (const auto cost = privacyOf(result))
        lines.push_back(fmt::format("epsilon {:.4g} at delta {:.4g}", cost->epsilon, cost->delta));
    if (const auto norms = sampleNormRange(result))
        lines.push_back(fmt::format("per-sample gradient norms of {} row{}: min {:.4g}, median {:.4g}, max {:.4g}",
                                    norms->count, norms->count == 1 ? "" : "s", norms->least, norms->median,
                                    norms->most));
    return lines;
}

Table privacyTable(const RunResult& result)
{
    Table table{"privacy",
                {{"epsilon", ""},
                 {"delta", ""},
                 {"gradient_norm_rows", ""},
                 {"gradient_norm_min", ""},
                 {"gradient_norm_median", ""},
                 {"gradient_norm_max", ""}},
                {}};
    const auto cost = privacyOf(result);
    const auto norms = sampleNormRange(result);
    if (!cost && !norms)
        return table;
    const EpsilonDelta paid = cost.value_or(EpsilonDelta());
    const auto range = norms.value_or(NormRange());
    const auto count = static_cast<std::int64_t>(range.count);
    table.rows.push_back({cellIf(cost.has_value(), paid.epsilon), cellIf(cost.has_value(), paid.delta),
                          cellIf(norms.has_value(), count), cellIf(norms.has_value(), range.least),
                          cellIf(norms.has_value(), range.median), cellIf(norms.has_value(), range.most)});
    return table;
}

} // namespace peakscope
