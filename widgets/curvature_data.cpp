// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature_data.h"

#include "core/analysis/statistics.h"
#include "widgets/figures/figure_data.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

namespace peakscope {

namespace {

using nlohmann::json;

const json& member(const json& object, const char* key)
{
    static const json kNothing;
    if (!object.is_object())
        return kNothing;
    const auto found = object.find(key);
    return found == object.end() ? kNothing : *found;
}

double numberAt(const json& object, const char* key)
{
    const json& value = member(object, key);
    return value.is_number() ? value.get<double>() : kNoNumber;
}

std::int64_t countAt(const json& object, const char* key)
{
    const double value = numberAt(object, key);
    return value > 0 && value < 9e18 ? static_cast<std::int64_t>(value) : 0;
}

std::string textAt(const json& object, const char* key)
{
    const json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::vector<double> numbersOf(const json& array)
{
    std::vector<double> values;
    if (!array.is_array())
        return values;
    values.reserve(array.size());
    for (const json& value : array)
        values.push_back(value.is_number() ? value.get<double>() : kNoNumber);
    return values;
}

bool allFinite(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

CurvatureInterval intervalFrom(const json& object, const char* value, const char* samples)
{
    CurvatureInterval interval;
    interval.mean = numberAt(object, value);
    interval.standardError = numberAt(object, "standard_error");
    interval.samples = countAt(object, samples);
    const std::vector<double> ends = numbersOf(member(object, "ci"));
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
    density.grid = numbersOf(member(section, "grid"));
    density.value = numbersOf(member(section, "value"));
    density.sigma = numberAt(section, "sigma");
    density.steps = countAt(section, "steps");
    const bool rises = std::is_sorted(density.grid.begin(), density.grid.end());
    if (density.grid.size() < 2 || density.grid.size() != density.value.size() || !allFinite(density.grid) ||
        !allFinite(density.value) || !rises || density.grid.front() == density.grid.back())
        return std::nullopt;
    std::vector<DensityPoint> points;
    for (const json& probe : member(section, "probes")) {
        const std::vector<double> nodes = numbersOf(member(probe, "nodes"));
        const std::vector<double> weights = numbersOf(member(probe, "weights"));
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
    if (const auto kind = moduleKindFromName(textAt(object, "kind")))
        return static_cast<std::size_t>(*kind);
    return curvatureKindOf(parameter);
}

CurvatureEigenvalue endFrom(const json& pair)
{
    return {numberAt(pair, "value"), numberAt(pair, "residual")};
}

std::vector<CurvatureBlock> blocksFrom(const json& section)
{
    std::vector<CurvatureBlock> blocks;
    if (!section.is_array())
        return blocks;
    for (const json& entry : section) {
        CurvatureBlock block;
        block.name = textAt(entry, "parameter");
        if (block.name.empty())
            continue;
        block.kind = kindFrom(entry, block.name);
        const json& layer = member(entry, "layer");
        block.layer = layer.is_number_integer() ? layer.get<std::int64_t>() : layerOf(block.name).value_or(-1);
        block.size = countAt(entry, "size");
        block.trace = intervalFrom(entry, "trace", "probes");
        block.top = numberAt(entry, "top");
        block.topResidual = numberAt(entry, "top_residual");
        block.smallest = endFrom(member(entry, "smallest"));
        block.largest = endFrom(member(entry, "largest"));
        block.eigenvalues = numbersOf(member(entry, "eigenvalues"));
        if (!allFinite(block.eigenvalues))
            block.eigenvalues.clear();
        std::sort(block.eigenvalues.begin(), block.eigenvalues.end());
        block.frobenius = numberAt(entry, "frobenius");
        const json& exact = member(entry, "exact");
        block.exact = exact.is_boolean() && exact.get<bool>();
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
    for (const json& entry : member(section, "entries")) {
        const std::string parameter = textAt(entry, "parameter");
        const double value = numberAt(entry, "value");
        if (!std::isfinite(value))
            continue;
        const auto [place, isNew] = numbers.try_emplace(parameter, static_cast<std::uint32_t>(numbers.size()));
        if (isNew) {
            diagonal.parameters.push_back(parameter);
            diagonal.kinds.push_back(curvatureKindOf(parameter));
            diagonal.layers.push_back(layerOf(parameter).value_or(-1));
        }
        diagonal.parameter.push_back(place->second);
        diagonal.index.push_back(countAt(entry, "index"));
        diagonal.value.push_back(value);
    }
    const json& statistics = member(section, "statistics");
    diagonal.count = std::max(countAt(section, "count"), static_cast<std::int64_t>(diagonal.value.size()));
    diagonal.least = numberAt(statistics, "min");
    diagonal.most = numberAt(statistics, "max");
    if (const auto mean = wholeInterval(member(section, "population_mean"), "mean", "")) {
        diagonal.mean = *mean;
    } else {
        diagonal.mean.mean = numberAt(statistics, "mean");
    }
    diagonal.mean.samples = diagonal.count;
    return diagonal.count > 0 ? std::optional(diagonal) : std::nullopt;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
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
    return !trace && eigenvalues.empty() && !density && diagonals.empty() && blocks.empty() && !matrix &&
           course.empty();
}

CurvatureData curvatureFromJson(const json& section)
{
    CurvatureData data;
    data.trace = wholeInterval(member(section, "trace"), "mean", "probes");
    data.hutchPlusPlus = wholeInterval(member(member(section, "trace"), "hutch_plus_plus"), "mean", "products");
    data.offBlockMass = wholeInterval(member(section, "off_block_mass"), "value", "");
    data.frobenius = numberAt(member(section, "off_block_mass"), "frobenius");
    for (const json& entry : member(section, "eigenvalues")) {
        const double value = numberAt(entry, "value");
        if (std::isfinite(value))
            data.eigenvalues.push_back({value, numberAt(entry, "residual")});
    }
    const json& solver = member(section, "eigensolver");
    data.eigenProducts = countAt(solver, "products");
    if (member(solver, "converged").is_boolean())
        data.eigenConverged = member(solver, "converged").get<bool>();
    data.density = densityFrom(member(section, "density"));
    if (const json& full = member(section, "full"); full.is_object()) {
        if (!data.density)
            data.density = exactDensity(numbersOf(member(full, "eigenvalues")));
        if (!std::isfinite(data.frobenius))
            data.frobenius = numberAt(full, "frobenius");
        data.matrix = curvatureMatrixFromJson(full);
    }
    data.blocks = blocksFrom(member(section, "blocks"));
    for (const char* name : {"diagonal", "ggn_diagonal", "fisher_diagonal"}) {
        if (auto diagonal = diagonalFrom(member(section, name), name))
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
    data.parameters = countAt(section, "parameters");
    data.products = countAt(section, "hvps");
    data.productSeconds = numberAt(section, "hvp_seconds");
    data.predictedPeakBytes = countAt(member(section, "plan"), "predicted_peak_bytes");
    data.method = textAt(section, "method");
    return data;
}

bool holdsCurvature(const RunResult& result)
{
    const json& section = member(result.other, "curvature");
    return section.is_object() && !section.empty();
}

CurvatureData curvatureOf(const RunResult& result)
{
    CurvatureData data = curvatureFromJson(member(result.other, "curvature"));
    data.course = curvatureCourseFromJson(member(result.other, "estimates"));
    data.synthetic = result.synthetic;
    data.imported = result.other.is_object() && result.other.contains("source");
    return data;
}

CurvatureInterval intervalOf(const CurvatureMoment& moment)
{
    CurvatureInterval interval;
    interval.mean = moment.mean;
    interval.standardError = moment.standardError;
    interval.samples = moment.samples;
    if (moment.standardError == 0) {
        interval.low = interval.high = moment.mean;
    } else if (moment.samples > 1 && moment.standardError > 0) {
        const double half = studentQuantile(0.975, static_cast<double>(moment.samples - 1)) * moment.standardError;
        interval.low = moment.mean - half;
        interval.high = moment.mean + half;
    }
    return interval;
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
        const std::vector<double> samples = numbersOf(member(columns, "samples"));
        const std::vector<double> means = numbersOf(member(columns, "mean"));
        const std::vector<double> errors = numbersOf(member(columns, "standard_error"));
        const std::vector<double> seconds = numbersOf(member(columns, "time_seconds"));
        for (std::size_t i = 0; i < std::min({samples.size(), means.size(), errors.size()}); ++i) {
            if (samples[i] >= 0 && samples[i] < 9e15)
                course.add(name, {static_cast<std::int64_t>(samples[i]), means[i], errors[i],
                                  i < seconds.size() ? seconds[i] : kNoNumber});
        }
    }
    return course;
}

namespace {

std::string kindName(std::size_t kind)
{
    return kind < kModuleKindCount ? std::string(name(static_cast<ModuleKind>(kind))) : std::string("other");
}

} // namespace

Table eigenvaluesTable(const CurvatureData& data)
{
    Table table{"eigenvalues", {{"rank", ""}, {"eigenvalue", ""}, {"residual", ""}, {"relative_residual", ""}}, {}};
    const double largest = data.eigenvalues.empty() ? 0 : std::abs(data.eigenvalues.front().value);
    for (std::size_t i = 0; i < data.eigenvalues.size(); ++i) {
        const CurvatureEigenvalue& pair = data.eigenvalues[i];
        table.rows.push_back({static_cast<std::int64_t>(i + 1), pair.value, pair.residual,
                              largest > 0 ? pair.residual / largest : kNoNumber});
    }
    return table;
}

Table curvatureBlocksTable(const CurvatureData& data)
{
    Table table{"blocks",
                {{"block", ""},
                 {"kind", ""},
                 {"layer", ""},
                 {"size", ""},
                 {"trace", ""},
                 {"trace_low", ""},
                 {"trace_high", ""},
                 {"top_eigenvalue", ""},
                 {"residual", ""},
                 {"smallest_eigenvalue", ""},
                 {"smallest_residual", ""},
                 {"largest_eigenvalue", ""},
                 {"largest_residual", ""},
                 {"frobenius", ""},
                 {"share_of_squares", ""},
                 {"block_method", ""}},
                {}};
    const double whole = data.frobenius * data.frobenius;
    for (const CurvatureBlock& block : data.blocks) {
        const double share = whole > 0 ? block.frobenius * block.frobenius / whole : kNoNumber;
        const bool exact = block.exact || block.trace.exact();
        table.rows.push_back({block.name, kindName(block.kind),
                              block.layer >= 0 ? TableCell(block.layer) : TableCell(kNoNumber),
                              block.size > 0 ? TableCell(block.size) : TableCell(kNoNumber), block.trace.mean,
                              block.trace.low, block.trace.high, block.top, block.topResidual, block.smallest.value,
                              block.smallest.residual, block.largest.value, block.largest.residual, block.frobenius,
                              share, std::string(exact ? "exact" : "estimated")});
    }
    return table;
}

Table curvatureEntriesTable(const CurvatureData& data)
{
    Table table{"diagonal",
                {{"diagonal", ""}, {"parameter", ""}, {"kind", ""}, {"layer", ""}, {"index", ""}, {"value", ""}},
                {}};
    for (const CurvatureDiagonal& diagonal : data.diagonals) {
        for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
            const std::uint32_t at = diagonal.parameter[i];
            table.rows.push_back({diagonal.name, diagonal.parameters[at], kindName(diagonal.kinds[at]),
                                  diagonal.layers[at] >= 0 ? TableCell(diagonal.layers[at]) : TableCell(kNoNumber),
                                  diagonal.index[i], diagonal.value[i]});
        }
    }
    return table;
}

Table curvatureCourseTable(const CurvatureData& data)
{
    Table table{"estimates",
                {{"estimate", ""},
                 {"samples", ""},
                 {"mean", ""},
                 {"standard_error", ""},
                 {"low", ""},
                 {"high", ""},
                 {"time_seconds", "seconds"}},
                {}};
    for (const auto& [name, series] : data.course.series()) {
        const bool eigenvalue = name.find("eigenvalue") != std::string::npos;
        for (const CurvatureMoment& moment : series) {
            const CurvatureInterval interval = intervalOf(moment);
            const double error = moment.standardError;
            table.rows.push_back({name, moment.samples, moment.mean, error,
                                  eigenvalue ? moment.mean - error : interval.low,
                                  eigenvalue ? moment.mean + error : interval.high, moment.seconds});
        }
    }
    return table;
}

} // namespace peakscope
