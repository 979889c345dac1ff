// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/estimate_course.h"

#include "core/base/json/json_reader.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

using nlohmann::json;

constexpr std::size_t kMostNames = 256; // whatever a worker tells
constexpr const char* kTopEigenvalue = "eigenvalue.1";

} // namespace

void EstimateCourse::append(Series& series, const EstimateMoment& moment)
{
    series.last = moment;
    if (series.told++ % series.stride != 0)
        return;
    series.kept.push_back(moment);
    if (series.kept.size() < kMost)
        return;
    std::size_t next = 0;
    for (std::size_t i = 0; i < series.kept.size(); i += 2)
        series.kept[next++] = series.kept[i];
    series.kept.resize(next);
    series.stride *= 2;
}

void EstimateCourse::add(const std::string& told, const EstimateMoment& moment)
{
    if (!std::isfinite(moment.mean) || moment.samples < 0)
        return;
    const bool top = told == "top_eigenvalue";
    if (top)
        m_eigenProducts = std::max(m_eigenProducts, moment.samples);
    const std::string name = top ? kTopEigenvalue : told;
    if (m_series.size() >= kMostNames && m_series.count(name) == 0)
        return;
    Series& series = m_series[name];
    if (series.told > 0 && moment.samples <= series.last.samples) {
        std::vector<EstimateMoment>& kept = series.kept;
        while (!kept.empty() && kept.back().samples >= moment.samples)
            kept.pop_back();
        series.told = kept.size() * series.stride; // this one is kept
    }
    append(series, moment);
}

void EstimateCourse::addSection(const json& curvature, double timeSeconds)
{
    if (const json& diagonal = lenient::member(curvature, "diagonal"); diagonal.is_object()) {
        const json& population = lenient::member(diagonal, "population_mean");
        const bool whole = std::isfinite(lenient::number(population, "mean"));
        const std::int64_t entries = static_cast<std::int64_t>(lenient::member(diagonal, "entries").size());
        add("diagonal_mean", {std::max(lenient::count(diagonal, "count"), entries),
                              lenient::number(whole ? population : lenient::member(diagonal, "statistics"), "mean"),
                              lenient::number(population, "standard_error"), timeSeconds});
    }
    m_eigenProducts = std::max(m_eigenProducts, lenient::count(lenient::member(curvature, "eigensolver"), "products"));
    const json& eigenvalues = lenient::member(curvature, "eigenvalues");
    // The first one's own events come far more often.
    for (std::size_t i = 1; eigenvalues.is_array() && m_eigenProducts > 0 && i < eigenvalues.size(); ++i)
        add("eigenvalue." + std::to_string(i + 1), {m_eigenProducts, lenient::number(eigenvalues[i], "value"),
                                                    lenient::number(eigenvalues[i], "residual"), timeSeconds});
}

json EstimateCourse::toJson() const
{
    json document = json::object();
    for (const auto& [name, series] : m_series) {
        json samples = json::array(), means = json::array(), errors = json::array(), times = json::array();
        const auto tell = [&](const EstimateMoment& moment) {
            samples.push_back(moment.samples);
            means.push_back(moment.mean);
            errors.push_back(moment.standardError);
            times.push_back(moment.timeSeconds);
        };
        for (const EstimateMoment& moment : series.kept)
            tell(moment);
        if (series.kept.empty() || series.kept.back().samples != series.last.samples)
            tell(series.last);
        document[name] = {{"samples", std::move(samples)},
                          {"mean", std::move(means)},
                          {"standard_error", std::move(errors)},
                          {"time_seconds", std::move(times)}};
    }
    return document;
}

} // namespace peakscope
