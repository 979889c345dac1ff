// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// response_document.h: the synthetic mode, from made-up units to made-up answers.
#include "core/analysis/response/response_document.h"
#include "core/analysis/response/synthetic_response.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr int kSyntheticUnits = 120;
constexpr const char* kSyntheticNote =
    "synthetic: units, features and answers come from a random generator; nothing was "
    "trained, perturbed or measured";

Json syntheticFeatures(const SyntheticUnits& units)
{
    Json rows = Json::array();
    const std::size_t columns = units.featureNames.size();
    for (std::size_t i = 0; i < units.names.size(); ++i) {
        const auto begin = units.features.begin() + static_cast<std::ptrdiff_t>(i * columns);
        rows.push_back({{"name", units.names[i]},
                        {"parameter", "synthetic"},
                        {"kind", "mlp"},
                        {"values", std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(columns))}});
    }
    return {{"names", units.featureNames}, {"units", std::move(rows)}, {"synthetic", true}};
}

// Noise in random units answers as the mean of the classes, by their shares: that is the group to compare with.
std::vector<NoiseResponse> withControls(const std::vector<SyntheticPoint>& points, const UnitPartition& partition,
                                        const std::string& attack)
{
    std::vector<NoiseResponse> responses;
    const auto add = [&](UnitClass unitClass, bool control, const SyntheticPoint& at, double perplexity, double auc) {
        NoiseResponse response{at.sigma,
                               unitClass,
                               control,
                               at.repeat,
                               kSyntheticBaselinePerplexity + perplexity,
                               perplexity,
                               std::log1p(perplexity / kSyntheticBaselinePerplexity),
                               {}};
        const double changed = std::clamp(kSyntheticBaselineAuc + auc, 0.0, 1.0);
        response.attacks.push_back({attack, changed, changed, changed, auc, 0});
        responses.push_back(std::move(response));
    };
    const double all = static_cast<double>(partition.labels.size());
    for (const SyntheticPoint& point : points) {
        add(point.unitClass, false, point, point.deltaPerplexity, point.deltaAuc);
        double perplexity = 0, auc = 0;
        for (const SyntheticPoint& other : points) {
            if (other.sigma == point.sigma && other.repeat == point.repeat) {
                const double share = static_cast<double>(partition.count(other.unitClass)) / all;
                perplexity += share * other.deltaPerplexity;
                auc += share * other.deltaAuc;
            }
        }
        add(point.unitClass, true, point, perplexity, auc);
    }
    return responses;
}

} // namespace

Result<SyntheticRun> syntheticRun(const SyntheticOptions& asked, std::uint64_t seed, const std::stop_token& stop)
{
    SyntheticRun run;
    run.notes.emplace_back(kSyntheticNote);
    const SyntheticUnits units = syntheticUnits(kSyntheticUnits, seed);
    auto partition = partitionUnits(units.alignment, units.sparsity, asked.thresholds);
    if (!partition)
        return badInput("prm." + partition.error().context, partition.error().message);
    const auto points = syntheticResponses(asked.sigmas, static_cast<int>(asked.repeats), seed);
    if (!points)
        return points.error();
    std::vector<std::vector<double>> rows;
    const std::size_t columns = units.featureNames.size();
    for (std::size_t i = 0; i < units.names.size(); ++i) {
        const auto begin = units.features.begin() + static_cast<std::ptrdiff_t>(i * columns);
        rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
    }
    const EmbeddingInput input = embeddingInput(units.featureNames, rows);
    EmbeddingOptions options;
    options.umap.seed = seed;
    const auto embedding = embedTable(input.values, input.rows, input.columns, options, stop);
    if (!embedding)
        return embedding.error();
    Json prm = responseSection(withControls(*points, *partition, "loss"));
    prm["baseline"] = {{"perplexity", kSyntheticBaselinePerplexity},
                       {"attacks", {{{"attack", "loss"}, {"auc", kSyntheticBaselineAuc}}}}};
    prm["synthetic"] = true;
    // Answers that were drawn to be like the hypotheses must not look like a judgement of them.
    prm.erase("hypotheses");
    prm.erase("conclusions");
    run.sections["synthetic"] = true;
    run.sections["features"] = syntheticFeatures(units);
    run.sections["embedding"] = toJson(*embedding, options);
    run.sections["embedding"]["synthetic"] = true;
    run.sections["partition"] = toJson(*partition);
    run.sections["partition"]["synthetic"] = true;
    run.sections["prm"] = std::move(prm);
    run.notes.insert(run.notes.end(), partition->notes.begin(), partition->notes.end());
    return run;
}

} // namespace peakscope
