// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/curvature_section.h"

#include "core/base/json/json_reader.h"
#include "core/base/text.h"
#include "core/results/section_readers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace peakscope {

namespace {

using nlohmann::json;

bool allFinite(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Sections that give no ends: of the normal distribution.
void fillEnds(CurvatureInterval& interval)
{
    if (!interval.hasInterval() && interval.standardError >= 0) {
        interval.low = interval.mean - 1.96 * interval.standardError;
        interval.high = interval.mean + 1.96 * interval.standardError;
    }
}

std::optional<CurvatureInterval> wholeInterval(CurvatureInterval interval)
{
    complete(interval);
    return std::isfinite(interval.mean) ? std::optional(interval) : std::nullopt;
}

struct DensityPoint {
    double value = 0, weight = 0;
};

void shareBelow(CurvatureDensity& density, const std::vector<DensityPoint>& points)
{
    if (points.empty() || !(density.sigma >= 0))
        return;
    double below = 0, near = 0, all = 0;
    for (const DensityPoint& point : points) {
        all += point.weight;
        below += point.value < -density.sigma ? point.weight : 0;
        near += std::abs(point.value) <= density.sigma ? point.weight : 0;
    }
    if (all > 0) {
        density.below = below / all;
        density.near = near / all;
    }
}

bool isCurve(const CurvatureDensity& density)
{
    return density.grid.size() >= 2 && density.grid.size() == density.value.size() && allFinite(density.grid) &&
           allFinite(density.value) && std::is_sorted(density.grid.begin(), density.grid.end()) &&
           density.grid.front() != density.grid.back();
}

// From every eigenvalue, smoothed as the estimated densities are: with a kernel of 1 % of the range.
std::optional<CurvatureDensity> exactDensity(std::vector<double> values)
{
    constexpr std::size_t kGrid = 1001;
    if (values.empty() || !allFinite(values))
        return std::nullopt;
    std::sort(values.begin(), values.end());
    const double range = values.back() - values.front();
    if (!(range > 0))
        return std::nullopt;
    CurvatureDensity density;
    density.exact = true;
    density.sigma = 0.01 * range;
    const double begin = values.front() - 4 * density.sigma, step = (range + 8 * density.sigma) / (kGrid - 1);
    const double factor = 1 / (density.sigma * std::sqrt(2 * std::numbers::pi) * static_cast<double>(values.size()));
    std::vector<DensityPoint> points;
    density.value.assign(kGrid, 0.0);
    for (const double value : values) {
        points.push_back({value, 1});
        for (std::size_t g = 0; g < kGrid; ++g) {
            const double distance = (begin + static_cast<double>(g) * step - value) / density.sigma;
            density.value[g] += factor * std::exp(-distance * distance / 2);
        }
    }
    for (std::size_t g = 0; g < kGrid; ++g)
        density.grid.push_back(begin + static_cast<double>(g) * step);
    shareBelow(density, points);
    return density;
}

} // namespace

std::size_t curvatureKindOf(std::string_view parameter)
{
    // In this order: "self_attn_layer_norm" is a norm, "attn.lora_A" an adapter.
    struct Word {
        const char* text;
        ModuleKind kind;
    };
    static constexpr Word kWords[] = {{"lora", ModuleKind::Lora},
                                      {"norm", ModuleKind::Norm},
                                      {"ln_", ModuleKind::Norm},
                                      {"lm_head", ModuleKind::Head},
                                      {"embed_out", ModuleKind::Head},
                                      {"output_head", ModuleKind::Head},
                                      {"embed", ModuleKind::Embedding},
                                      {"wte", ModuleKind::Embedding},
                                      {"wpe", ModuleKind::Embedding},
                                      {"attn", ModuleKind::Attention},
                                      {"attention", ModuleKind::Attention},
                                      {"query", ModuleKind::Attention},
                                      {"qkv", ModuleKind::Attention},
                                      {"q_proj", ModuleKind::Attention},
                                      {"k_proj", ModuleKind::Attention},
                                      {"v_proj", ModuleKind::Attention},
                                      {"o_proj", ModuleKind::Attention},
                                      {"out_proj", ModuleKind::Attention},
                                      {"mlp", ModuleKind::Mlp},
                                      {"fc", ModuleKind::Mlp},
                                      {"ffn", ModuleKind::Mlp},
                                      {"gate_proj", ModuleKind::Mlp},
                                      {"up_proj", ModuleKind::Mlp},
                                      {"down_proj", ModuleKind::Mlp},
                                      {"dense_", ModuleKind::Mlp}};
    const std::string name = lowerCase(parameter);
    for (const Word& word : kWords) {
        if (name.find(word.text) != std::string::npos)
            return static_cast<std::size_t>(word.kind);
    }
    if (name == "head" || name.starts_with("head.") || name.find(".head.") != std::string::npos)
        return static_cast<std::size_t>(ModuleKind::Head);
    return kModuleKindCount;
}

bool CurvatureData::empty() const
{
    return !trace && eigenvalues.empty() && !density && diagonals.empty() && blocks.empty() && factors.empty() &&
           !lbfgs && !matrix && course.empty();
}

void readLenient(const json& word, KindWord<std::size_t>& kind)
{
    if (const auto known = moduleKindFromName(jsonAs<std::string>(word).value_or(std::string())))
        kind.kind = static_cast<std::size_t>(*known);
}

void to_json(json& array, const DiagonalEntries<const CurvatureDiagonal>& entries)
{
    const CurvatureDiagonal& diagonal = entries.diagonal;
    array = json::array();
    for (std::size_t i = 0; i < diagonal.value.size(); ++i)
        array.push_back({{"parameter", diagonal.parameters[diagonal.parameter[i]]},
                         {"index", diagonal.index[i]},
                         {"value", diagonal.value[i]}});
}

void readLenient(const json& list, DiagonalEntries<CurvatureDiagonal>& entries)
{
    CurvatureDiagonal& diagonal = entries.diagonal;
    std::map<std::string, std::uint32_t> numbers;
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
        const double value = lenient::number(list[i], "value");
        if (!std::isfinite(value))
            continue;
        const std::string parameter = lenient::text(list[i], "parameter");
        const auto [place, isNew] = numbers.try_emplace(parameter, static_cast<std::uint32_t>(numbers.size()));
        if (isNew)
            diagonal.parameters.push_back(parameter);
        diagonal.parameter.push_back(place->second);
        diagonal.index.push_back(lenient::count(list[i], "index"));
        diagonal.value.push_back(value);
    }
}

void complete(CurvatureInterval& interval)
{
    if (std::isfinite(interval.mean))
        fillEnds(interval);
    else
        interval = {};
}

void complete(CurvatureDensity& density)
{
    std::vector<DensityPoint> points;
    for (const CurvatureQuadrature& probe : density.quadratures) {
        for (std::size_t i = 0; i < std::min(probe.nodes.size(), probe.weights.size()); ++i) {
            if (std::isfinite(probe.nodes[i]) && probe.weights[i] >= 0)
                points.push_back({probe.nodes[i], probe.weights[i]});
        }
    }
    shareBelow(density, points);
    density.probes = static_cast<std::int64_t>(density.quadratures.size());
    density.quadratures.clear();
}

void complete(CurvatureBlock& block)
{
    if (block.kind == kModuleKindCount)
        block.kind = curvatureKindOf(block.name);
    if (block.layer < 0)
        block.layer = layerOf(block.name).value_or(-1);
    fillEnds(block.trace);
    if (!allFinite(block.eigenvalues))
        block.eigenvalues.clear();
    std::sort(block.eigenvalues.begin(), block.eigenvalues.end());
}

void complete(CurvatureDiagonal& diagonal)
{
    for (const std::string& parameter : diagonal.parameters) {
        diagonal.kinds.push_back(curvatureKindOf(parameter));
        diagonal.layers.push_back(layerOf(parameter).value_or(-1));
    }
    diagonal.count = std::max(diagonal.count, static_cast<std::int64_t>(diagonal.value.size()));
    if (diagonal.population && std::isfinite(diagonal.population->mean))
        diagonal.mean = *diagonal.population;
    else
        diagonal.mean.mean = diagonal.average;
    diagonal.mean.samples = diagonal.count;
}

CurvatureData curvatureFromJson(const json& section)
{
    CurvatureData data;
    CurvatureTrace trace;
    CurvatureOffBlocks offBlocks;
    CurvatureSolver solver;
    CurvatureKfac kfac;
    LenientFields fields(section);
    fields("trace", trace);
    fields("eigenvalues", data.eigenvalues);
    fields("eigensolver", solver);
    fields("density", data.density);
    fields("blocks", data.blocks);
    fields("off_block_mass", offBlocks);
    fields("kfac", kfac);
    fields("lbfgs", data.lbfgs);
    fields("parameters", data.parameters);
    fields("hvps", data.products);
    fields("hvp_seconds", data.productSeconds);
    fields("method", data.method);
    fields.group("plan", [&](auto& plan) { plan("predicted_peak_bytes", data.predictedPeakBytes); });
    data.trace = wholeInterval(trace.estimate);
    data.hutchPlusPlus = wholeInterval(trace.hutchPlusPlus);
    data.offBlockMass = wholeInterval(offBlocks.mass);
    data.frobenius = offBlocks.frobenius;
    std::erase_if(data.eigenvalues, [](const CurvatureEigenvalue& pair) { return !std::isfinite(pair.value); });
    data.eigenProducts = solver.products;
    data.eigenConverged = solver.converged;
    if (data.density && !isCurve(*data.density))
        data.density.reset();
    if (const json& full = lenient::member(section, "full"); full.is_object()) {
        if (!data.density)
            data.density = exactDensity(lenient::numbers(lenient::member(full, "eigenvalues")));
        if (!std::isfinite(data.frobenius))
            data.frobenius = lenient::number(full, "frobenius");
        data.matrix = curvatureMatrixFromJson(full);
    }
    std::erase_if(data.blocks, [](const CurvatureBlock& block) { return block.name.empty(); });
    data.factors = std::move(kfac.layers);
    for (const char* name : {"diagonal", "ggn_diagonal", "fisher_diagonal"}) {
        std::optional<CurvatureDiagonal> diagonal;
        fields(name, diagonal);
        if (diagonal && diagonal->count > 0) {
            diagonal->name = name;
            data.diagonals.push_back(std::move(*diagonal));
        }
    }
    // Names say the kind of a parameter only as a rule; a block that says it itself is right.
    std::map<std::string_view, const CurvatureBlock*> known;
    for (const CurvatureBlock& block : data.blocks)
        known[block.name] = &block;
    for (CurvatureDiagonal& diagonal : data.diagonals) {
        for (std::size_t i = 0; i < diagonal.parameters.size(); ++i) {
            if (const auto block = known.find(diagonal.parameters[i]); block != known.end())
                diagonal.kinds[i] = block->second->kind;
        }
    }
    return data;
}

void CurvatureCourse::add(const std::string& told, const CurvatureMoment& moment)
{
    if (!std::isfinite(moment.mean))
        return;
    const std::string name = told == "top_eigenvalue" ? "eigenvalue.1" : told;
    if (name == "trace" || name == "eigenvalue.1") // the others' samples are no products
        m_last = name;
    std::vector<CurvatureMoment>& series = m_series[name];
    // The last estimate of a quantity is told once more when it is final; a resumed run tells it from its start.
    while (!series.empty() && series.back().samples >= moment.samples)
        series.pop_back();
    series.push_back(moment);
    if (series.size() <= kMost)
        return;
    std::vector<CurvatureMoment> fewer;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (i % 2 == 0 || i >= kMost / 2)
            fewer.push_back(series[i]);
    }
    series = std::move(fewer);
}

double CurvatureCourse::productsPerSecond() const
{
    constexpr double kWindow = 5; // seconds
    const auto found = m_series.find(m_last);
    if (found == m_series.end() || found->second.size() < 2)
        return kNoNumber;
    const std::vector<CurvatureMoment>& series = found->second;
    const CurvatureMoment& last = series.back();
    auto first = series.end() - 2;
    while (first != series.begin() && last.seconds - first->seconds < kWindow)
        --first;
    const double seconds = last.seconds - first->seconds;
    return seconds > 0 ? static_cast<double>(last.samples - first->samples) / seconds : kNoNumber;
}

CurvatureCourse curvatureCourseFromJson(const json& estimates)
{
    CurvatureCourse course;
    if (!estimates.is_object())
        return course;
    for (const auto& [name, columns] : estimates.items()) {
        const std::vector<double> samples = lenient::numbers(lenient::member(columns, "samples"));
        const std::vector<double> means = lenient::numbers(lenient::member(columns, "mean"));
        const std::vector<double> errors = lenient::numbers(lenient::member(columns, "standard_error"));
        const std::vector<double> seconds = lenient::numbers(lenient::member(columns, "time_seconds"));
        for (std::size_t i = 0; i < std::min({samples.size(), means.size(), errors.size()}); ++i) {
            if (samples[i] >= 0 && samples[i] < 9e15)
                course.add(name, {static_cast<std::int64_t>(samples[i]), means[i], errors[i],
                                  i < seconds.size() ? seconds[i] : kNoNumber});
        }
    }
    return course;
}

} // namespace peakscope
