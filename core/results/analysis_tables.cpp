// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/analysis_tables.h"

#include "core/results/plain_columns.h"

#include <algorithm>
#include <map>

namespace peakscope {

Table unitsTable(const AnalysisData& data, const std::vector<UnitGroup>& labels)
{
    const std::vector<UnitGroup>& shown = labels.empty() ? data.labels : labels;
    Table table{"units", {{"unit", ""}, {"parameter", ""}, {"kind", ""}}, {}};
    if (!shown.empty())
        table.columns.push_back({"class", ""});
    if (!data.clusters.empty())
        table.columns.push_back({"cluster", ""});
    if (data.hasEmbedding()) {
        table.columns.push_back({"umap_1", ""});
        table.columns.push_back({"umap_2", ""});
    }
    for (const std::string& feature : data.featureNames)
        table.columns.push_back({feature, ""});
    for (std::size_t i = 0; i < data.units.size(); ++i) {
        std::vector<TableCell> row{data.units[i].name, data.units[i].parameter, data.units[i].kind};
        if (!shown.empty())
            row.emplace_back(std::string(i < shown.size() ? name(shown[i]) : ""));
        if (!data.clusters.empty())
            row.emplace_back(std::int64_t{data.clusters[i]});
        if (data.hasEmbedding()) {
            row.emplace_back(data.places[i].x);
            row.emplace_back(data.places[i].y);
        }
        for (std::size_t k = 0; k < data.featureNames.size(); ++k)
            row.emplace_back(i * data.featureNames.size() + k < data.features.size()
                                 ? data.features[i * data.featureNames.size() + k]
                                 : kNoNumber);
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table featuresTable(const AnalysisData& data)
{
    Table table{"features", {{"unit", ""}}, {}};
    const std::size_t columns = data.featureNames.size();
    for (const std::string& feature : data.featureNames) {
        if (isUnitFeature(feature))
            table.columns.push_back({feature, ""});
    }
    for (std::size_t i = 0; columns > 0 && i < data.units.size(); ++i) {
        std::vector<TableCell> row{data.units[i].name};
        for (std::size_t k = 0; k < columns; ++k) {
            if (isUnitFeature(data.featureNames[k]))
                row.emplace_back(data.features[i * columns + k]);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table clustersTable(const AnalysisData& data)
{
    Table table{"clusters", {{"cluster", ""}, {"units", ""}, {"wfunc", ""}, {"wsens", ""}, {"wboth", ""}}, {}};
    std::map<int, std::array<std::int64_t, 4>> clusters;
    for (std::size_t i = 0; i < data.clusters.size(); ++i) {
        auto& counts = clusters[data.clusters[i]];
        ++counts[3];
        if (const UnitGroup group = data.labelOf(i); group < UnitGroup::Control)
            ++counts[static_cast<std::size_t>(group)];
    }
    for (const auto& [cluster, counts] : clusters)
        table.rows.push_back(
            {cluster < 0 ? std::string("noise") : std::to_string(cluster), counts[3], counts[0], counts[1], counts[2]});
    if (table.rows.empty() && data.hasCounts)
        table.rows.push_back({std::string("all"), data.counts[0] + data.counts[1] + data.counts[2], data.counts[0],
                              data.counts[1], data.counts[2]});
    return table;
}

Table responsesTable(const AnalysisData& data)
{
    Table table{
        "responses",
        plainColumns({"noise_level", "param_type", "control_of", "attack", "repeats", "delta_ppl_mean", "delta_ppl_low",
                      "delta_ppl_high", "delta_log_ppl_mean", "delta_auc_mean", "delta_auc_low", "delta_auc_high"}),
        {}};
    for (const ResponsePoint& point : data.points) {
        table.rows.push_back({point.sigma, std::string(name(point.group.group)),
                              std::string(point.group.controlOf ? name(*point.group.controlOf) : ""), point.attack,
                              point.repeats, point.perplexity.mean, point.perplexity.low, point.perplexity.high,
                              point.logPerplexity.mean, point.auc.mean, point.auc.low, point.auc.high});
    }
    return table;
}

Table effectsTable(const AnalysisData& data)
{
    Table table{"effects",
                plainColumns({"measure", "param_type", "noise_level", "against", "difference_mean", "difference_low",
                              "difference_high", "hedges_g", "cliffs_delta", "p_value", "p_value_holm"}),
                {}};
    for (const GroupEffect& effect : data.effects) {
        table.rows.push_back({effect.measure, std::string(name(effect.unitClass)), effect.sigma,
                              std::string(data.hasControl ? "control" : "no noise"), effect.difference.mean,
                              effect.difference.low, effect.difference.high, effect.hedges, effect.cliff, effect.pValue,
                              effect.adjusted});
    }
    return table;
}

Table hypothesesTable(const AnalysisData& data)
{
    Table table{"hypotheses",
                plainColumns({"param_type", "measure", "expected", "verdict", "noise_level", "answer", "repeats",
                              "class_change", "control_change", "difference_mean", "difference_low", "difference_high",
                              "p_value_holm"}),
                {}};
    for (const HypothesisRow& row : data.hypotheses) {
        for (const HypothesisScale& scale : row.tests) {
            table.rows.push_back({row.group, row.measure, std::string(row.more ? "more" : "less"), row.verdict,
                                  scale.sigma, scale.answer, scale.repeats, scale.classChange, scale.controlChange,
                                  scale.difference.mean, scale.difference.low, scale.difference.high, scale.adjusted});
        }
    }
    return table;
}

std::optional<std::int64_t> unitsOfClass(const AnalysisData& data, UnitGroup group)
{
    if (!data.labels.empty())
        return std::count(data.labels.begin(), data.labels.end(), group);
    if (!data.hasCounts)
        return std::nullopt;
    const auto all = static_cast<std::int64_t>(data.unitCount());
    if (group == UnitGroup::None)
        return std::max<std::int64_t>(0, all - data.counts[0] - data.counts[1] - data.counts[2]);
    return group < UnitGroup::Control ? data.counts[static_cast<std::size_t>(group)] : 0;
}

Table comparedAnalysesTable(const std::vector<ComparedAnalysis>& runs)
{
    Table table{
        "analyses",
        plainColumns({"run", "data", "units", "wfunc", "wsens", "wboth", "unclassified", "silhouette", "conclusions"}),
        {}};
    for (const ComparedAnalysis& run : runs) {
        const AnalysisData& data = *run.data;
        std::vector<TableCell> row{run.run, std::string(run.synthetic ? "synthetic" : "")};
        std::int64_t units = 0;
        std::vector<TableCell> classes;
        for (const UnitGroup group : {UnitGroup::Func, UnitGroup::Sens, UnitGroup::Both, UnitGroup::None}) {
            const auto count = unitsOfClass(data, group);
            units += count.value_or(0);
            classes.push_back(cellOf(count));
        }
        row.push_back(cellOf(units > 0 ? std::optional(units) : std::nullopt));
        row.insert(row.end(), classes.begin(), classes.end());
        row.emplace_back(data.silhouette.value_or(kNoNumber));
        std::string conclusions;
        for (const ConclusionRow& conclusion : data.conclusions)
            conclusions += (conclusions.empty() ? "" : ", ") + conclusion.group + ": " + conclusion.verdict;
        row.emplace_back(std::move(conclusions));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace peakscope
