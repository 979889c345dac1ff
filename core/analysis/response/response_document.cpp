// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/response_document.h"

#include "core/analysis/response/class_hypotheses.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

using Json = nlohmann::json;

// JSON has no infinity: an interval that says nothing has null ends.
Json finite(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json ends(double low, double high)
{
    return Json::array({finite(low), finite(high)});
}

void putGroup(Json& row, UnitClass unitClass, bool control)
{
    row["param_type"] = control ? "control" : name(unitClass);
    if (control)
        row["control_of"] = name(unitClass);
}

Json summaryRow(const ResponseSummary& summary)
{
    Json row = {{"noise_level", summary.sigma}};
    putGroup(row, summary.unitClass, summary.control);
    row["repeats"] = summary.deltaPerplexity.count;
    row["delta_ppl_mean"] = finite(summary.deltaPerplexity.mean);
    row["delta_ppl_ci"] = ends(summary.deltaPerplexity.low, summary.deltaPerplexity.high);
    row["delta_log_ppl_mean"] = finite(summary.deltaLogPerplexity.mean);
    row["delta_log_ppl_ci"] = ends(summary.deltaLogPerplexity.low, summary.deltaLogPerplexity.high);
    if (!summary.attack.empty()) {
        row["attack"] = summary.attack;
        row["delta_auc_mean"] = finite(summary.deltaAuc.mean);
        row["delta_auc_ci"] = ends(summary.deltaAuc.low, summary.deltaAuc.high);
        row["delta_auc_delong_ci"] = ends(summary.aucLow, summary.aucHigh);
    }
    return row;
}

Json comparisonRow(const ControlComparison& comparison)
{
    return {{"noise_level", comparison.sigma},
            {"param_type", name(comparison.unitClass)},
            {"measure", comparison.measure},
            {"difference_mean", finite(comparison.difference.mean)},
            {"difference_ci", ends(comparison.difference.low, comparison.difference.high)},
            {"p_value", finite(comparison.pValue)},
            {"p_value_holm", finite(comparison.adjusted)},
            {"hedges_g", finite(comparison.hedges)},
            {"cliffs_delta", finite(comparison.cliff)}};
}

Json trendRow(const ResponseTrend& trend)
{
    Json row = {
        {"measure", trend.measure}, {"spearman", finite(trend.correlation)}, {"slope_points", trend.slopePoints}};
    putGroup(row, trend.unitClass, trend.control);
    if (trend.slope) {
        row["log_log_slope"] = finite(trend.slope->slope);
        row["log_log_slope_ci"] = ends(trend.slope->low, trend.slope->high);
    }
    return row;
}

double medianMagnitude(const std::vector<double>& values)
{
    std::vector<double> magnitudes;
    for (const double value : values) {
        if (value != 0)
            magnitudes.push_back(std::abs(value));
    }
    if (magnitudes.empty())
        return 0;
    const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
    std::nth_element(magnitudes.begin(), middle, magnitudes.end());
    return *middle;
}

// Shares and counts of layers are spread evenly as they are.
bool growsOverDecades(const std::vector<double>& values)
{
    double least = INFINITY, most = 0;
    for (const double value : values) {
        if (value != 0) {
            least = std::min(least, std::abs(value));
            most = std::max(most, std::abs(value));
        }
    }
    constexpr double kDecades = 30;
    return most > kDecades * least;
}

// Standardised; empty where there is nothing to tell units apart.
std::vector<double> scaledColumn(std::vector<double> column, std::int64_t& missing)
{
    std::vector<double> known;
    for (const double value : column) {
        if (std::isfinite(value))
            known.push_back(value);
    }
    missing = static_cast<std::int64_t>(column.size() - known.size());
    if (known.size() < 2)
        return {};
    if (growsOverDecades(known)) {
        const double scale = medianMagnitude(known);
        for (double& value : known)
            value = std::asinh(value / scale);
        for (double& value : column)
            value = std::asinh(value / scale);
    }
    const double centre = mean(known), spread = standardDeviation(known);
    if (!(spread > 1e-12 * std::abs(centre)) || !std::isfinite(spread))
        return {};
    for (double& value : column)
        value = std::isfinite(value) ? (value - centre) / spread : 0;
    return column;
}

} // namespace

Json toJson(const UnitPartition& partition)
{
    Json labels = Json::array(), counts = Json::object();
    for (const UnitClass label : partition.labels)
        labels.push_back(name(label));
    for (const UnitClass unitClass : kUnitClasses)
        counts[std::string(name(unitClass))] = partition.count(unitClass);
    return {{"labels", std::move(labels)},
            {"counts", std::move(counts)},
            {"thresholds",
             {{"func_alignment", partition.thresholds.funcAlignment},
              {"func_sparsity", partition.thresholds.funcSparsity},
              {"sens_alignment", partition.thresholds.sensAlignment},
              {"sens_sparsity", partition.thresholds.sensSparsity}}},
            {"rule", name(partition.rule)}};
}

Json toJson(const EmbeddingReport& embedding, const EmbeddingOptions& options)
{
    Json coordinates = Json::array();
    for (std::int64_t row = 0; row < embedding.rows; ++row) {
        Json point = Json::array();
        for (int axis = 0; axis < embedding.dimensions; ++axis)
            point.push_back(finite(embedding.coordinates[static_cast<std::size_t>(row * embedding.dimensions + axis)]));
        coordinates.push_back(std::move(point));
    }
    Json section = {{"coordinates", std::move(coordinates)},
                    {"clusters", embedding.clusters.labels},
                    {"cluster_count", embedding.clusters.clusters},
                    {"parameters",
                     {{"neighbors", embedding.umap.neighbors},
                      {"min_dist", options.umap.minDist},
                      {"epochs", embedding.umap.epochs},
                      {"seed", options.umap.seed},
                      {"eps", embedding.eps},
                      {"min_samples", options.minSamples}}}};
    if (embedding.silhouette)
        section["silhouette"] = embedding.silhouette->mean;
    if (embedding.trustworthiness)
        section["trustworthiness"] = embedding.trustworthiness->value;
    return section;
}

std::vector<Json> toRows(const NoiseResponse& response)
{
    Json row = {{"noise_level", response.sigma},
                {"repeat", response.repeat},
                {"perplexity", finite(response.perplexity)},
                {"delta_ppl", finite(response.deltaPerplexity)},
                {"delta_log_ppl", finite(response.deltaLogPerplexity)}};
    putGroup(row, response.unitClass, response.control);
    if (response.attacks.empty())
        return {row};
    std::vector<Json> rows;
    const double reach = normalQuantile(0.975);
    for (const AttackResponse& attack : response.attacks) {
        rows.push_back(row);
        rows.back()["attack"] = attack.attack;
        rows.back()["auc"] = finite(attack.auc);
        rows.back()["auc_ci"] = ends(attack.aucLow, attack.aucHigh);
        rows.back()["delta_auc"] = finite(attack.deltaAuc);
        const auto [low, high] = changeInterval(attack.deltaAuc, reach * attack.deltaError);
        rows.back()["delta_auc_ci"] = ends(low, high);
    }
    return rows;
}

Json responseSection(std::span<const NoiseResponse> responses)
{
    Json results = Json::array(), summary = Json::array(), compared = Json::array(), trends = Json::array();
    for (const NoiseResponse& response : responses) {
        for (Json& row : toRows(response))
            results.push_back(std::move(row));
    }
    const std::vector<ResponseSummary> summaries = summarizeResponses(responses);
    for (const ResponseSummary& row : summaries)
        summary.push_back(summaryRow(row));
    const std::vector<ControlComparison> comparisons = compareWithControls(responses);
    for (const ControlComparison& row : comparisons)
        compared.push_back(comparisonRow(row));
    for (const ResponseTrend& row : responseTrends(responses))
        trends.push_back(trendRow(row));
    Json hypotheses = Json::array(), conclusions = Json::array();
    const std::vector<HypothesisFinding> findings = hypothesisFindings(comparisons, summaries);
    for (const HypothesisFinding& finding : findings)
        hypotheses.push_back(toJson(finding));
    for (const HypothesisConclusion& conclusion : hypothesisConclusions(findings))
        conclusions.push_back(toJson(conclusion));
    return {{"results", std::move(results)},       {"summary", std::move(summary)},
            {"comparisons", std::move(compared)},  {"trends", std::move(trends)},
            {"hypotheses", std::move(hypotheses)}, {"conclusions", std::move(conclusions)}};
}

EmbeddingInput embeddingInput(const std::vector<std::string>& names, const std::vector<std::vector<double>>& rows)
{
    EmbeddingInput input;
    input.rows = static_cast<std::int64_t>(rows.size());
    std::vector<std::vector<double>> kept;
    std::string dropped;
    for (std::size_t column = 0; column < names.size(); ++column) {
        std::vector<double> values;
        for (const std::vector<double>& row : rows)
            values.push_back(row[column]);
        std::int64_t missing = 0;
        values = scaledColumn(std::move(values), missing);
        if (values.empty()) {
            dropped += (dropped.empty() ? "" : ", ") + names[column];
            continue;
        }
        if (missing > 0)
            input.notes.push_back("embedding: " + std::to_string(missing) + " units without " + names[column] +
                                  " have its mean");
        input.names.push_back(names[column]);
        kept.push_back(std::move(values));
    }
    if (!dropped.empty())
        input.notes.push_back("embedding: the same for all units and left out: " + dropped);
    input.columns = static_cast<std::int64_t>(kept.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const std::vector<double>& column : kept)
            input.values.push_back(column[row]);
    }
    return input;
}

} // namespace peakscope
