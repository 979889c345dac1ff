// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/analysis/analysis_samples.h"

#include "core/analysis/response/partition.h"
#include "core/analysis/response/synthetic_response.h"

#include <cmath>

namespace peakscope::testing {
namespace {

using Json = nlohmann::json;

Json featuresOf(const SyntheticUnits& units)
{
    static const char* const kKinds[] = {"attention", "mlp", "embedding"};
    Json rows = Json::array();
    const std::size_t columns = units.featureNames.size();
    for (std::size_t i = 0; i < units.names.size(); ++i) {
        std::vector<double> values;
        for (std::size_t k = 0; k < columns; ++k)
            values.push_back(units.features[i * columns + k]);
        rows.push_back({{"name", "layers." + std::to_string(i % 4) + ".unit." + std::to_string(i)},
                        {"parameter", "layers." + std::to_string(i % 4) + ".fc1.weight"},
                        {"kind", kKinds[i % 3]},
                        {"values", values}});
    }
    return {{"names", units.featureNames}, {"units", rows}};
}

// Every class on a ring of its own; a few points of none.
Json embeddingOf(const UnitPartition& partition)
{
    Json places = Json::array(), clusters = Json::array();
    for (std::size_t i = 0; i < partition.labels.size(); ++i) {
        const auto ring = static_cast<double>(partition.labels[i]);
        const double angle = static_cast<double>(i) * 2.399963;
        const double radius = 1 + 0.4 * std::sin(static_cast<double>(i) * 0.7);
        places.push_back({ring * 5 + radius * std::cos(angle), (ring == 1 ? 4 : 0) + radius * std::sin(angle)});
        clusters.push_back(i % 40 == 7 ? -1 : static_cast<int>(partition.labels[i]));
    }
    return {{"coordinates", places},
            {"clusters", clusters},
            {"cluster_count", 3},
            {"silhouette", 0.6531},
            {"trustworthiness", 0.9812},
            {"parameters", {{"neighbors", 15}, {"min_dist", 0.1}, {"seed", 42}, {"eps", 0.72}, {"min_samples", 5}}}};
}

void addRows(Json& rows, const AnalysisSample& sample, const SyntheticPoint& point, bool control)
{
    static const char* const kAttacks[] = {"loss", "reference", "zlib", "min_k", "min_k_pp"};
    const double shrink = control ? 0.35 : 1;
    for (int k = 0; k < sample.attacks; ++k) {
        const double wobble = control ? 0.002 * point.repeat : 0.001 * k;
        Json row = {{"noise_level", point.sigma},
                    {"param_type", control ? "control" : std::string(name(point.unitClass))},
                    {"repeat", point.repeat},
                    {"perplexity", kSyntheticBaselinePerplexity + point.deltaPerplexity * shrink},
                    {"delta_ppl", point.deltaPerplexity * shrink},
                    {"attack", kAttacks[k]},
                    {"auc", 0.5 + point.deltaAuc * shrink},
                    {"delta_auc", (point.deltaAuc + (point.sigma > 0 ? wobble : 0)) * shrink}};
        if (control)
            row["control_of"] = name(point.unitClass);
        rows.push_back(std::move(row));
    }
}

} // namespace

RunResult analysisRun(const AnalysisSample& sample)
{
    RunResult run;
    run.kind = ResultKind::Prm;
    run.id = "prm-sample";
    run.created = "2026-01-02T03:04:05Z";
    run.status = RunStatus::Complete;
    run.config = {{"kind", "prm"}, {"model", {{"id", "opt-125m"}}}};
    const SyntheticUnits units = syntheticUnits(sample.units, 7);
    const auto partition = partitionUnits(units.alignment, units.sparsity, {}, PartitionRule::Absolute);
    run.other["features"] = featuresOf(units);
    Json labels = Json::array(), counts = Json::object();
    for (const UnitClass label : partition->labels)
        labels.push_back(name(label));
    for (const UnitClass each : kUnitClasses)
        counts[std::string(name(each))] = partition->count(each);
    run.other["partition"] = {
        {"labels", labels},
        {"counts", counts},
        {"rule", "absolute"},
        {"thresholds",
         {{"func_alignment", 0.7}, {"func_sparsity", 0.5}, {"sens_alignment", 0.3}, {"sens_sparsity", 0.9}}}};
    if (sample.embedding)
        run.other["embedding"] = embeddingOf(*partition);
    Json rows = Json::array();
    const auto points = syntheticResponses(sample.sigmas, sample.repeats, 7);
    for (const SyntheticPoint& point : *points) {
        addRows(rows, sample, point, false);
        if (sample.controls)
            addRows(rows, sample, point, true);
    }
    run.other["prm"] = {{"baseline", {{"perplexity", kSyntheticBaselinePerplexity}}}, {"results", rows}};
    return run;
}

} // namespace peakscope::testing
