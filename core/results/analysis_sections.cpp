// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/analysis_sections.h"

#include "core/base/json/json_reader.h"
#include "core/results/section_readers.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

using nlohmann::json;

// Of Hedges' g: files of earlier versions have one of 1e12 where the spread was rounding.
constexpr double kLargestEffect = 1e8;

std::string at(const std::string& path, std::size_t index)
{
    return path + "[" + std::to_string(index) + "]";
}

// Null stands for "no number".
std::optional<double> cellIn(const json& value)
{
    return value.is_null() ? kNoNumber : jsonAs<double>(value);
}

Spread spreadAt(const json& row, const char* mean, const char* interval)
{
    Spread spread;
    spread.mean = lenient::number(row, mean);
    const json* ends = lenient::find(row, interval);
    if (ends && ends->is_array() && ends->size() == 2 && (*ends)[0].is_number() && (*ends)[1].is_number()) {
        spread.low = (*ends)[0].get<double>();
        spread.high = (*ends)[1].get<double>();
    }
    return spread;
}

Status readUnit(const json& unit, const std::string& path, AnalysisData& data)
{
    const json* values = lenient::find(unit, "values");
    if (!values || !values->is_array() || values->size() != data.featureNames.size())
        return badInput(path + ".values", "must be as many numbers as features.names has entries (" +
                                              std::to_string(data.featureNames.size()) + ")");
    for (std::size_t i = 0; i < values->size(); ++i) {
        const auto cell = cellIn((*values)[i]);
        if (!cell)
            return badInput(at(path + ".values", i), "must be a number or null");
        data.features.push_back(*cell);
    }
    data.units.push_back({lenient::text(unit, "name"), lenient::text(unit, "parameter"), lenient::text(unit, "kind")});
    if (data.units.back().name.empty())
        data.units.back().name = "unit " + std::to_string(data.units.size() - 1);
    return Done{};
}

std::vector<double> featureColumn(const AnalysisData& data, std::string_view feature)
{
    const auto found = std::find(data.featureNames.begin(), data.featureNames.end(), feature);
    if (found == data.featureNames.end())
        return {};
    std::vector<double> column;
    for (auto i = static_cast<std::size_t>(found - data.featureNames.begin()); i < data.features.size();
         i += data.featureNames.size())
        column.push_back(data.features[i]);
    return column;
}

Status readFeatures(const json& section, AnalysisData& data)
{
    const json* names = lenient::find(section, "names");
    const json* units = lenient::find(section, "units");
    if (!names || !names->is_array())
        return badInput("features.names", "must be a list of names");
    for (const json& each : *names) {
        if (!each.is_string())
            return badInput("features.names", "must be a list of names");
        data.featureNames.push_back(each.get<std::string>());
    }
    if (!units || !units->is_array())
        return badInput("features.units", "must be a list of units");
    for (std::size_t i = 0; i < units->size(); ++i) {
        if (Status read = readUnit((*units)[i], at("features.units", i), data); !read)
            return read;
    }
    data.alignment = featureColumn(data, "alignment");
    data.sparsity = featureColumn(data, "sparsity");
    return Done{};
}

// Sections may be stored without features: their units have numbers for names then.
Status matchUnits(AnalysisData& data, std::size_t count, const char* path)
{
    if (data.units.empty()) {
        for (std::size_t i = 0; i < count; ++i)
            data.units.push_back({"unit " + std::to_string(i), {}, {}});
    }
    if (count == data.units.size())
        return Done{};
    return badInput(path, "has " + std::to_string(count) + " entries for " + std::to_string(data.units.size()) +
                              " units; one each would be right");
}

Status readPlaces(const json& coordinates, AnalysisData& data)
{
    if (!coordinates.is_array())
        return badInput("embedding.coordinates", "must be a list of points");
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const json& point = coordinates[i];
        if (point.is_null()) { // like [null, null]: a unit without a place
            data.places.emplace_back();
            continue;
        }
        const bool fits = point.is_array() && !point.empty();
        const auto x = fits ? cellIn(point[0]) : std::nullopt;
        const auto y = fits && point.size() > 1 ? cellIn(point[1]) : fits ? std::optional(0.0) : std::nullopt;
        if (!x || !y)
            return badInput(at("embedding.coordinates", i), "must be a list of numbers");
        data.places.push_back({*x, *y});
    }
    return data.places.empty() ? Status(Done{}) : matchUnits(data, data.places.size(), "embedding.coordinates");
}

Status readClusters(const json& clusters, AnalysisData& data)
{
    if (!clusters.is_array())
        return badInput("embedding.clusters", "must be a list of cluster numbers");
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const auto cluster = jsonInteger(clusters[i]);
        if (!cluster || *cluster < -1 || *cluster > std::numeric_limits<int>::max())
            return badInput(at("embedding.clusters", i), "must be a cluster's number, or -1 for noise");
        data.clusters.push_back(static_cast<int>(*cluster));
    }
    return data.clusters.empty() ? Status(Done{}) : matchUnits(data, data.clusters.size(), "embedding.clusters");
}

Status readEmbedding(const json& section, AnalysisData& data)
{
    if (const json* coordinates = lenient::find(section, "coordinates")) {
        if (Status read = readPlaces(*coordinates, data); !read)
            return read;
    }
    if (const json* clusters = lenient::find(section, "clusters")) {
        if (Status read = readClusters(*clusters, data); !read)
            return read;
    }
    if (const auto count = jsonInteger(lenient::member(section, "cluster_count")))
        data.clusterCount = *count;
    else if (!data.clusters.empty())
        data.clusterCount = *std::max_element(data.clusters.begin(), data.clusters.end()) + 1;
    for (const auto& [key, value] :
         {std::pair{"silhouette", &data.silhouette}, std::pair{"trustworthiness", &data.trustworthiness}}) {
        if (const double number = lenient::number(section, key); std::isfinite(number))
            *value = number;
    }
    if (const json* parameters = lenient::find(section, "parameters"); parameters && parameters->is_object())
        data.embeddingParameters = *parameters;
    return Done{};
}

void readThresholds(const json& section, AnalysisData& data)
{
    const json* stored = lenient::find(section, "thresholds");
    if (!stored)
        return;
    ClassThresholds& t = data.thresholds;
    for (const auto& [key, value] :
         {std::pair{"func_alignment", &t.funcAlignment}, std::pair{"func_sparsity", &t.funcSparsity},
          std::pair{"sens_alignment", &t.sensAlignment}, std::pair{"sens_sparsity", &t.sensSparsity}}) {
        if (const double number = lenient::number(*stored, key); std::isfinite(number))
            *value = std::clamp(number, 0.0, 1.0);
    }
    data.hasThresholds = true;
}

Status readPartition(const json& section, AnalysisData& data)
{
    readThresholds(section, data);
    if (lenient::text(section, "rule") == name(PartitionRule::Quantile))
        data.rule = PartitionRule::Quantile;
    if (const json* labels = lenient::find(section, "labels"); labels && labels->is_array() && !labels->empty()) {
        for (std::size_t i = 0; i < labels->size(); ++i) {
            const auto group =
                (*labels)[i].is_string() ? unitGroupFromName((*labels)[i].get<std::string>()) : std::nullopt;
            if (!group)
                return badInput(at("partition.labels", i), "must be Wfunc, Wsens, Wboth or control");
            data.labels.push_back(*group);
        }
        if (Status match = matchUnits(data, data.labels.size(), "partition.labels"); !match)
            return match;
    }
    const json* counts = lenient::find(section, "counts");
    for (const UnitClass unitClass : kUnitClasses) {
        const json* count = counts ? lenient::find(*counts, std::string(name(unitClass)).c_str()) : nullptr;
        auto& number = data.counts[static_cast<std::size_t>(unitClass)];
        number = std::count(data.labels.begin(), data.labels.end(), groupOf(unitClass));
        if (const auto stored = data.labels.empty() && count ? jsonInteger(*count) : std::nullopt)
            number = std::max<std::int64_t>(0, *stored);
        data.hasCounts = data.hasCounts || count || !data.labels.empty();
    }
    return Done{};
}

Result<ResponseGroup> groupAt(const json& row, const std::string& path)
{
    const std::string text = lenient::text(row, "param_type");
    const auto group = unitGroupFromName(text);
    if (!group)
        return badInput(path + ".param_type", "must be Wfunc, Wsens, Wboth or control, not \"" + text + "\"");
    ResponseGroup result{*group, std::nullopt};
    if (*group == UnitGroup::Control)
        result.controlOf = unitClassFromName(lenient::text(row, "control_of"));
    return result;
}

Result<double> sigmaAt(const json& row, const std::string& path)
{
    const double sigma = lenient::number(row, "noise_level");
    if (!(sigma >= 0) || !std::isfinite(sigma))
        return badInput(path + ".noise_level", "must be a number of 0 or more");
    return sigma;
}

Status readRow(const json& row, const std::string& path, AnalysisData& data)
{
    const auto group = groupAt(row, path);
    if (!group)
        return group.error();
    const auto sigma = sigmaAt(row, path);
    if (!sigma)
        return sigma.error();
    ResponseRow read;
    read.group = *group;
    read.sigma = *sigma;
    read.attack = lenient::text(row, "attack");
    read.repeat = lenient::integer(row, "repeat", read.repeat);
    read.perplexity = lenient::number(row, "perplexity");
    read.deltaPerplexity = lenient::number(row, "delta_ppl");
    read.deltaLogPerplexity = lenient::number(row, "delta_log_ppl");
    read.auc = lenient::number(row, "auc");
    read.deltaAuc = lenient::number(row, "delta_auc");
    read.deltaAucSpread = spreadAt(row, "delta_auc", "delta_auc_ci");
    if (const Spread auc = spreadAt(row, "auc", "auc_ci"); read.sigma == 0 && auc.hasInterval())
        data.baselineAuc.try_emplace(read.attack, auc);
    if (!(read.deltaLogPerplexity == read.deltaLogPerplexity) && data.baselinePerplexity > 0 &&
        read.deltaPerplexity > -data.baselinePerplexity)
        read.deltaLogPerplexity = std::log1p(read.deltaPerplexity / data.baselinePerplexity);
    data.rows.push_back(std::move(read));
    return Done{};
}

Status readPoint(const json& row, const std::string& path, AnalysisData& data)
{
    const auto group = groupAt(row, path);
    if (!group)
        return group.error();
    const auto sigma = sigmaAt(row, path);
    if (!sigma)
        return sigma.error();
    ResponsePoint point{*group, *sigma, lenient::text(row, "attack"), 0, {}, {}, {}};
    point.repeats = lenient::integer(row, "repeats", point.repeats);
    point.perplexity = spreadAt(row, "delta_ppl_mean", "delta_ppl_ci");
    point.logPerplexity = spreadAt(row, "delta_log_ppl_mean", "delta_log_ppl_ci");
    point.auc = spreadAt(row, "delta_auc_mean", "delta_auc_ci");
    // One drawing has no spread over drawings; that of the samples is what is known then.
    if (!point.auc.hasInterval())
        point.auc = spreadAt(row, "delta_auc_mean", "delta_auc_delong_ci");
    data.points.push_back(std::move(point));
    return Done{};
}

Status readEffect(const json& row, const std::string& path, AnalysisData& data)
{
    const auto unitClass = unitClassFromName(lenient::text(row, "param_type"));
    const auto sigma = sigmaAt(row, path);
    if (!unitClass || !sigma)
        return unitClass ? Status(sigma.error()) : badInput(path + ".param_type", "must be Wfunc, Wsens or Wboth");
    GroupEffect effect;
    effect.unitClass = *unitClass;
    effect.sigma = *sigma;
    effect.measure = lenient::text(row, "measure");
    effect.difference = spreadAt(row, "difference_mean", "difference_ci");
    effect.hedges = lenient::number(row, "hedges_g");
    if (std::abs(effect.hedges) > kLargestEffect)
        effect.hedges = kNoNumber;
    effect.cliff = lenient::number(row, "cliffs_delta");
    effect.pValue = lenient::number(row, "p_value");
    effect.adjusted = lenient::number(row, "p_value_holm");
    data.effects.push_back(std::move(effect));
    return Done{};
}

using RowReader = Status (*)(const json&, const std::string&, AnalysisData&);

Status readEach(const json& section, const char* key, RowReader read, AnalysisData& data)
{
    const json* rows = lenient::find(section, key);
    if (!rows)
        return Done{};
    const std::string path = std::string("prm.") + key;
    if (!rows->is_array())
        return badInput(path, "must be a list of objects");
    for (std::size_t i = 0; i < rows->size(); ++i) {
        if (Status status = read((*rows)[i], at(path, i), data); !status)
            return status;
    }
    return Done{};
}

HypothesisScale scaleOf(const json& row)
{
    HypothesisScale scale;
    scale.sigma = lenient::number(row, "noise_level");
    scale.repeats = lenient::integer(row, "repeats", scale.repeats);
    scale.classChange = lenient::number(row, "class_change");
    scale.controlChange = lenient::number(row, "control_change");
    scale.difference = spreadAt(row, "difference", "difference_ci");
    scale.adjusted = lenient::number(row, "p_value_holm");
    scale.answer = lenient::text(row, "answer");
    return scale;
}

// Words and numbers to read, nothing that anything else rests on: what is odd stays empty.
void readHypotheses(const json& section, AnalysisData& data)
{
    if (const json* stored = lenient::find(section, "hypotheses"); stored && stored->is_array()) {
        for (const json& row : *stored) {
            HypothesisRow read{lenient::text(row, "param_type"),
                               lenient::text(row, "measure"),
                               lenient::text(row, "statement"),
                               lenient::text(row, "verdict"),
                               lenient::text(row, "evidence"),
                               lenient::text(row, "expected") != "less",
                               {}};
            if (const json* tests = lenient::find(row, "tests"); tests && tests->is_array())
                std::transform(tests->begin(), tests->end(), std::back_inserter(read.tests), &scaleOf);
            data.hypotheses.push_back(std::move(read));
        }
    }
    if (const json* stored = lenient::find(section, "conclusions"); stored && stored->is_array()) {
        for (const json& row : *stored)
            data.conclusions.push_back({lenient::text(row, "param_type"), lenient::text(row, "statement"),
                                        lenient::text(row, "verdict"), lenient::text(row, "perplexity"),
                                        lenient::text(row, "attacks")});
    }
}

void readBaseline(const json& baseline, AnalysisData& data)
{
    data.baselinePerplexity = lenient::number(baseline, "perplexity");
    const json* attacks = lenient::find(baseline, "attacks");
    for (std::size_t i = 0; attacks && attacks->is_array() && i < attacks->size(); ++i) {
        if (const Spread auc = spreadAt((*attacks)[i], "auc", "ci"); auc.known())
            data.baselineAuc[lenient::text((*attacks)[i], "attack")] = auc;
    }
}

Status readResponses(const json& section, AnalysisData& data)
{
    if (const json* baseline = lenient::find(section, "baseline"))
        readBaseline(*baseline, data);
    for (const auto& [key, reader] : {std::pair<const char*, RowReader>{"results", &readRow},
                                      {"summary", &readPoint},
                                      {"comparisons", &readEffect}}) {
        if (Status status = readEach(section, key, reader, data); !status)
            return status;
    }
    readHypotheses(section, data);
    data.hasControl = !data.effects.empty();
    return Done{};
}

} // namespace

UnitGroup groupOf(UnitClass unitClass)
{
    return static_cast<UnitGroup>(unitClass);
}

std::string_view name(UnitGroup group)
{
    if (group == UnitGroup::Control)
        return "control";
    return group == UnitGroup::None ? std::string_view() : name(static_cast<UnitClass>(group));
}

std::optional<UnitGroup> unitGroupFromName(std::string_view text)
{
    for (const UnitGroup group : {UnitGroup::Func, UnitGroup::Sens, UnitGroup::Both, UnitGroup::Control}) {
        if (name(group) == text)
            return group;
    }
    return std::nullopt;
}

std::vector<double> AnalysisData::sigmas() const
{
    std::vector<double> values;
    for (const ResponsePoint& point : points)
        values.push_back(point.sigma);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

std::vector<std::string> AnalysisData::attacks() const
{
    std::vector<std::string> names;
    for (const ResponsePoint& point : points) {
        if (point.auc.known() && std::find(names.begin(), names.end(), point.attack) == names.end())
            names.push_back(point.attack);
    }
    return names;
}

std::vector<ResponseGroup> AnalysisData::groups() const
{
    std::vector<ResponseGroup> found;
    for (const ResponsePoint& point : points) {
        if (std::find(found.begin(), found.end(), point.group) == found.end())
            found.push_back(point.group);
    }
    std::stable_sort(found.begin(), found.end(), [](const ResponseGroup& a, const ResponseGroup& b) {
        return std::pair(a.group, a.controlOf) < std::pair(b.group, b.controlOf);
    });
    return found;
}

bool AnalysisData::hasPerplexity() const
{
    return std::any_of(points.begin(), points.end(), [](const ResponsePoint& p) { return p.perplexity.known(); });
}

Result<AnalysisData> analysisFromJson(const json& sections)
{
    AnalysisData data;
    for (const auto& [key, reader] : {std::pair{"features", &readFeatures}, std::pair{"embedding", &readEmbedding},
                                      std::pair{"partition", &readPartition}, std::pair{"prm", &readResponses}}) {
        const json* section = lenient::find(sections, key);
        if (!section)
            continue;
        if (!section->is_object())
            return badInput(key, "must be an object");
        if (Status read = reader(*section, data); !read)
            return read.error();
    }
    return data;
}

} // namespace peakscope
