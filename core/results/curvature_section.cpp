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

CurvatureInterval intervalFrom(const json& object, const char* value, const char* samples)
{
    CurvatureInterval interval;
    interval.mean = lenient::number(object, value);
    interval.standardError = lenient::number(object, "standard_error");
    interval.samples = lenient::count(object, samples);
    const std::vector<double> ends = lenient::numbers(lenient::member(object, "ci"));
    if (ends.size() == 2 && ends[0] <= ends[1]) {
        interval.low = ends[0];
        interval.high = ends[1];
    } else if (interval.standardError >= 0) {
        // Sections that give no ends: of the normal distribution.
        interval.low = interval.mean - 1.96 * interval.standardError;
        interval.high = interval.mean + 1.96 * interval.standardError;
    }
    return interval;
}

std::optional<CurvatureInterval> wholeInterval(const json& object, const char* value, const char* samples)
{
    const CurvatureInterval interval = intervalFrom(object, value, samples);
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

std::optional<CurvatureDensity> densityFrom(const json& section)
{
    CurvatureDensity density;
    density.grid = lenient::numbers(lenient::member(section, "grid"));
    density.value = lenient::numbers(lenient::member(section, "value"));
    density.sigma = lenient::number(section, "sigma");
    density.steps = lenient::count(section, "steps");
    const bool rises = std::is_sorted(density.grid.begin(), density.grid.end());
    if (density.grid.size() < 2 || density.grid.size() != density.value.size() || !allFinite(density.grid) ||
        !allFinite(density.value) || !rises || density.grid.front() == density.grid.back())
        return std::nullopt;
    std::vector<DensityPoint> points;
    for (const json& probe : lenient::member(section, "probes")) {
        const std::vector<double> nodes = lenient::numbers(lenient::member(probe, "nodes"));
        const std::vector<double> weights = lenient::numbers(lenient::member(probe, "weights"));
        for (std::size_t i = 0; i < std::min(nodes.size(), weights.size()); ++i) {
            if (std::isfinite(nodes[i]) && weights[i] >= 0)
                points.push_back({nodes[i], weights[i]});
        }
        ++density.probes;
    }
    shareBelow(density, points);
    return density;
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

std::size_t kindFrom(const json& object, const std::string& parameter)
{
    if (const auto kind = moduleKindFromName(lenient::text(object, "kind")))
        return static_cast<std::size_t>(*kind);
    return curvatureKindOf(parameter);
}

CurvatureEigenvalue endFrom(const json& pair)
{
    return {lenient::number(pair, "value"), lenient::number(pair, "residual")};
}

std::vector<CurvatureBlock> blocksFrom(const json& section)
{
    std::vector<CurvatureBlock> blocks;
    if (!section.is_array())
        return blocks;
    for (const json& entry : section) {
        CurvatureBlock block;
        block.name = lenient::text(entry, "parameter");
        if (block.name.empty())
            continue;
        block.kind = kindFrom(entry, block.name);
        block.layer = lenient::integer(entry, "layer", layerOf(block.name).value_or(-1));
        block.size = lenient::count(entry, "size");
        block.trace = intervalFrom(entry, "trace", "probes");
        block.top = lenient::number(entry, "top");
        block.topResidual = lenient::number(entry, "top_residual");
        block.smallest = endFrom(lenient::member(entry, "smallest"));
        block.largest = endFrom(lenient::member(entry, "largest"));
        block.eigenvalues = lenient::numbers(lenient::member(entry, "eigenvalues"));
        if (!allFinite(block.eigenvalues))
            block.eigenvalues.clear();
        std::sort(block.eigenvalues.begin(), block.eigenvalues.end());
        block.frobenius = lenient::number(entry, "frobenius");
        block.exact = lenient::flag(entry, "exact");
        blocks.push_back(std::move(block));
    }
    return blocks;
}

std::optional<CurvatureDiagonal> diagonalFrom(const json& section, const char* name)
{
    if (!section.is_object())
        return std::nullopt;
    CurvatureDiagonal diagonal;
    diagonal.name = name;
    std::map<std::string, std::uint32_t> numbers;
    for (const json& entry : lenient::member(section, "entries")) {
        const std::string parameter = lenient::text(entry, "parameter");
        const double value = lenient::number(entry, "value");
        if (!std::isfinite(value))
            continue;
        const auto [place, isNew] = numbers.try_emplace(parameter, static_cast<std::uint32_t>(numbers.size()));
        if (isNew) {
            diagonal.parameters.push_back(parameter);
            diagonal.kinds.push_back(curvatureKindOf(parameter));
            diagonal.layers.push_back(layerOf(parameter).value_or(-1));
        }
        diagonal.parameter.push_back(place->second);
        diagonal.index.push_back(lenient::count(entry, "index"));
        diagonal.value.push_back(value);
    }
    const json& statistics = lenient::member(section, "statistics");
    diagonal.count = std::max(lenient::count(section, "count"), static_cast<std::int64_t>(diagonal.value.size()));
    diagonal.least = lenient::number(statistics, "min");
    diagonal.most = lenient::number(statistics, "max");
    if (const auto mean = wholeInterval(lenient::member(section, "population_mean"), "mean", "")) {
        diagonal.mean = *mean;
    } else {
        diagonal.mean.mean = lenient::number(statistics, "mean");
    }
    diagonal.mean.samples = diagonal.count;
    return diagonal.count > 0 ? std::optional(diagonal) : std::nullopt;
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

CurvatureData curvatureFromJson(const json& section)
{
    CurvatureData data;
    data.trace = wholeInterval(lenient::member(section, "trace"), "mean", "probes");
    data.hutchPlusPlus =
        wholeInterval(lenient::member(lenient::member(section, "trace"), "hutch_plus_plus"), "mean", "products");
    data.offBlockMass = wholeInterval(lenient::member(section, "off_block_mass"), "value", "");
    data.frobenius = lenient::number(lenient::member(section, "off_block_mass"), "frobenius");
    for (const json& entry : lenient::member(section, "eigenvalues")) {
        const double value = lenient::number(entry, "value");
        if (std::isfinite(value))
            data.eigenvalues.push_back({value, lenient::number(entry, "residual")});
    }
    const json& solver = lenient::member(section, "eigensolver");
    data.eigenProducts = lenient::count(solver, "products");
    data.eigenConverged = jsonAs<bool>(lenient::member(solver, "converged"));
    data.density = densityFrom(lenient::member(section, "density"));
    if (const json& full = lenient::member(section, "full"); full.is_object()) {
        if (!data.density)
            data.density = exactDensity(lenient::numbers(lenient::member(full, "eigenvalues")));
        if (!std::isfinite(data.frobenius))
            data.frobenius = lenient::number(full, "frobenius");
        data.matrix = curvatureMatrixFromJson(full);
    }
    data.blocks = blocksFrom(lenient::member(section, "blocks"));
    for (const json& layer : lenient::array(lenient::member(section, "kfac"), "layers"))
        data.factors.push_back({lenient::text(layer, "parameter"), lenient::count(layer, "in"),
                                lenient::count(layer, "out"), lenient::number(layer, "trace"),
                                lenient::number(layer, "exact_trace"), lenient::number(layer, "top")});
    if (const json& lbfgs = lenient::member(section, "lbfgs"); lbfgs.is_object())
        data.lbfgs = CurvatureLbfgs{
            lenient::count(lbfgs, "pairs"), lenient::count(lbfgs, "skipped_pairs"),
            wholeInterval(lenient::member(lbfgs, "relative_error"), "mean", "").value_or(CurvatureInterval()),
            wholeInterval(lenient::member(lbfgs, "cosine"), "mean", "").value_or(CurvatureInterval())};
    for (const char* name : {"diagonal", "ggn_diagonal", "fisher_diagonal"}) {
        if (auto diagonal = diagonalFrom(lenient::member(section, name), name))
            data.diagonals.push_back(std::move(*diagonal));
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
    data.parameters = lenient::count(section, "parameters");
    data.products = lenient::count(section, "hvps");
    data.productSeconds = lenient::number(section, "hvp_seconds");
    data.predictedPeakBytes = lenient::count(lenient::member(section, "plan"), "predicted_peak_bytes");
    data.method = lenient::text(section, "method");
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
