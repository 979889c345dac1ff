// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the JSON of a result's sections to their types, and the keys of "curvature", each named once: the engine writes
// by them, too. A million entries take a second: what has a window calls these in its background threads, and
// everything else takes what they made.
#pragma once

#include "core/base/result.h"
#include "core/results/analysis_sections.h"
#include "core/results/curvature_section.h"
#include "core/results/json_fields.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace peakscope {

// A section "curvature". Reads what is there and right in its type; the rest is left out.
CurvatureData curvatureFromJson(const nlohmann::json& section);
// What a result keeps of the course of a run's estimates ("estimates").
CurvatureCourse curvatureCourseFromJson(const nlohmann::json& estimates);
// The "full" of such a section; none where that holds no grid or one that is not right.
std::shared_ptr<const CurvatureMatrix> curvatureMatrixFromJson(const nlohmann::json& full);

// The sections "features", "embedding", "partition" and "prm" of an object; those that are absent stay empty. BadInput
// names the JSON path and what would be right there.
Result<AnalysisData> analysisFromJson(const nlohmann::json& sections);

// The keys of "curvature". complete() fills in what the document leaves to its readers.

// The name of a module kind.
template <typename Place>
struct KindWord {
    Place& kind;
};
template <typename Place>
void to_json(nlohmann::json& json, const KindWord<Place>& word)
{
    json = name(static_cast<ModuleKind>(word.kind));
}
void readLenient(const nlohmann::json& word, KindWord<std::size_t>& kind);

// An object an entry, of columns.
template <typename Diagonal>
struct DiagonalEntries {
    Diagonal& diagonal;
};
void to_json(nlohmann::json& json, const DiagonalEntries<const CurvatureDiagonal>& entries);
void readLenient(const nlohmann::json& list, DiagonalEntries<CurvatureDiagonal>& entries);

// An interval among the members of what it is of. Ends that are no numbers are not written, infinite ones are null.
void intervalMembers(auto& fields, Of<CurvatureInterval> auto& interval, std::string_view mean)
{
    fields(mean, interval.mean);
    fields("standard_error", interval.standardError);
    fields.ends("ci", interval.low, interval.high, std::isnan(interval.low) ? Field::Never : Field::Always);
}
void members(auto& fields, Of<CurvatureInterval> auto& interval)
{
    intervalMembers(fields, interval, "mean");
}
void complete(CurvatureInterval& interval);

void members(auto& fields, Of<CurvatureEigenvalue> auto& pair)
{
    fields("value", pair.value);
    fields("residual", pair.residual);
}

void members(auto& fields, Of<CurvatureSolver> auto& solver)
{
    fields("products", solver.products);
    fields("restarts", solver.restarts);
    fields("converged", solver.converged);
    fields("tolerance", solver.tolerance);
    fields("fresh_directions", solver.freshDirections);
    fields("check_products", solver.checkProducts);
    fields("check", solver.check);
}

void members(auto& fields, Of<CurvatureQuadrature> auto& quadrature)
{
    fields("nodes", quadrature.nodes);
    fields("weights", quadrature.weights);
}

void members(auto& fields, Of<CurvatureDensity> auto& density)
{
    fields("grid", density.grid);
    fields("value", density.value);
    fields("sigma", density.sigma);
    fields("steps", density.steps);
    fields("probes", density.quadratures);
    fields("moment1", density.moment1);
    fields("moment2", density.moment2);
}
void complete(CurvatureDensity& density);

void members(auto& fields, Of<CurvatureTrace> auto& trace)
{
    intervalMembers(fields, trace.estimate, "mean");
    fields("probes", trace.estimate.samples);
    fields("from", trace.from, Field::IfSet);
    const auto sketch = [&](auto& own) {
        intervalMembers(own, trace.hutchPlusPlus, "mean");
        own("products", trace.hutchPlusPlus.samples);
    };
    fields.group("hutch_plus_plus", sketch, trace.hutchPlusPlus.samples > 0 ? Field::Always : Field::Never);
}

void members(auto& fields, Of<CurvatureBlock> auto& block)
{
    const Field known = block.size > 0 ? Field::Always : Field::Never;
    KindWord kind{block.kind};
    fields("parameter", block.name);
    intervalMembers(fields, block.trace, "trace");
    fields("probes", block.trace.samples, Field::Never);
    fields("kind", kind, known);
    fields("layer", block.layer, known);
    fields("size", block.size, known);
    fields("top", block.top, known);
    fields("top_residual", block.topResidual, known);
    fields("smallest", block.smallest, known);
    fields("largest", block.largest, known);
    fields("eigenvalues", block.eigenvalues, Field::IfSet);
    fields("frobenius", block.frobenius, known);
    fields("exact", block.exact, known);
}
void complete(CurvatureBlock& block);

void members(auto& fields, Of<CurvatureOffBlocks> auto& blocks)
{
    intervalMembers(fields, blocks.mass, "value");
    fields("frobenius", blocks.frobenius);
}

void members(auto& fields, Of<CurvatureCheckedEntry> auto& entry)
{
    fields("parameter", entry.parameter);
    fields("index", entry.index);
    fields("value", entry.value);
    fields("exact", entry.exact);
    fields("rounding", entry.rounding);
}

void members(auto& fields, Of<CurvatureDiagonal> auto& diagonal)
{
    DiagonalEntries entries{diagonal};
    fields("entries", entries);
    fields("count", diagonal.count);
    fields.group("statistics", [&](auto& statistics) {
        statistics("min", diagonal.least);
        statistics("max", diagonal.most);
        statistics("mean", diagonal.average);
        statistics("std", diagonal.deviation);
    });
    fields("population_mean", diagonal.population, Field::IfSet);
    fields("largest", diagonal.largest, Field::IfSet);
    fields("fisher", diagonal.fisher, Field::IfSet);
}
void complete(CurvatureDiagonal& diagonal);

void members(auto& fields, Of<CurvatureFactors> auto& layer)
{
    fields("parameter", layer.parameter);
    fields("in", layer.inputs);
    fields("out", layer.outputs);
    fields("a_trace", layer.inputTrace);
    fields("g_trace", layer.outputTrace);
    fields("a_top", layer.inputTop);
    fields("g_top", layer.outputTop);
    fields("trace", layer.trace);
    fields("top", layer.top);
    fields("exact_trace", layer.exactTrace);
}

void members(auto& fields, Of<CurvatureKfac> auto& kfac)
{
    fields("layers", kfac.layers);
    fields("fisher", kfac.fisher);
}

void members(auto& fields, Of<CurvatureLbfgs> auto& lbfgs)
{
    fields("pairs", lbfgs.pairs);
    fields("skipped_pairs", lbfgs.skipped);
    fields("gamma", lbfgs.gamma);
    fields("relative_error", lbfgs.relativeError);
    fields("cosine", lbfgs.cosine);
}

} // namespace peakscope
