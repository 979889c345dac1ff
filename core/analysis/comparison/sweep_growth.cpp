// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/sweep_growth.h"

#include "core/results/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

constexpr double kFlat = 0.05;   // of the measure
constexpr double kClose = 0.1;   // to an exponent that has a name
constexpr double kSteady = 1.05; // most over least of what is called a floor
constexpr double kWidest = 1;    // interval of an exponent that still tells linear from quadratic

// The same setting's sums of components, a value a point; empty where a point lacks them.
std::vector<double> sumsOf(const SweepDocument& sweep, const std::string& key, const SweepTrend& of,
                           std::initializer_list<Component> components)
{
    std::vector<double> sums(of.x.size(), 0);
    for (const Component component : components) {
        const auto trends = sweepTrends(sweep, key, "components." + std::string(name(component)));
        const auto same = std::find_if(trends.begin(), trends.end(),
                                       [&of](const SweepTrend& trend) { return trend.fixed == of.fixed; });
        if (same == trends.end() || same->x != of.x)
            return {};
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += same->y[i];
    }
    return sums;
}

// Of most that stays the same along the key: gradients may or may not be there at the peak.
double floorOf(const SweepDocument& sweep, const std::string& key, const std::string& measure, const SweepTrend& trend)
{
    if (measure != "peak_bytes")
        return 0;
    using C = Component;
    const std::initializer_list<C> choices[] = {
        {C::Parameters, C::Gradients, C::OptimizerStates}, {C::Parameters, C::OptimizerStates}, {C::Parameters}};
    for (const auto& components : choices) {
        const std::vector<double> sums = sumsOf(sweep, key, trend, components);
        if (sums.empty())
            return 0;
        const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
        if (*most <= kSteady * *least)
            return *least;
    }
    return 0;
}

void dropZeros(SweepTrend& trend)
{
    for (std::size_t i = trend.x.size(); i-- > 0;) {
        if (trend.x[i] > 0 && trend.y[i] > 0)
            continue;
        trend.x.erase(trend.x.begin() + static_cast<std::ptrdiff_t>(i));
        trend.y.erase(trend.y.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

bool narrow(const PowerLawFit& fit)
{
    return fit.usable() && fit.high - fit.low <= kWidest;
}

GrowthKind kindOf(const SweepGrowth& growth)
{
    if (!growth.change)
        return GrowthKind::Unknown;
    const auto [least, most] = *growth.change;
    if (std::max(std::abs(least), std::abs(most)) <= kFlat)
        return GrowthKind::Flat;
    const PowerLawFit& fit = growth.common;
    if (!narrow(fit))
        return GrowthKind::Unknown;
    const auto about = [&fit](double exponent) {
        return fit.low - kClose <= exponent && exponent <= fit.high + kClose;
    };
    if (about(1) && about(2))
        return GrowthKind::Unknown;
    if (about(1))
        return GrowthKind::Linear;
    if (about(2))
        return GrowthKind::Quadratic;
    if (fit.high < 0)
        return GrowthKind::Falls;
    return fit.exponent < 1   ? GrowthKind::BelowLinear
           : fit.exponent < 2 ? GrowthKind::BelowQuadratic
                              : GrowthKind::AboveQuadratic;
}

} // namespace

bool GrowthLine::tells() const
{
    return trend.x.size() >= 3 && narrow(fit);
}

double SweepGrowth::highestFloor() const
{
    double floor = 0;
    for (const GrowthLine& line : lines)
        floor = std::max(floor, line.floor);
    return floor;
}

SweepGrowth growthOf(std::string key, std::string measure, std::vector<GrowthLine> lines)
{
    SweepGrowth growth{std::move(key), std::move(measure), std::move(lines), 0, false, 0, 0, {}, {}, {}};
    std::set<double> values;
    for (const GrowthLine& line : growth.lines)
        values.insert(line.trend.x.begin(), line.trend.x.end());
    growth.values = values.size();
    if (values.size() < 2)
        return growth;
    growth.lowest = *values.begin();
    growth.highest = *values.rbegin();
    std::vector<PowerLawLine> above;
    for (const GrowthLine& line : growth.lines) {
        above.push_back({line.trend.x, line.trend.y});
        for (double& y : above.back().y)
            y -= line.floor;
        if (line.trend.x.front() != growth.lowest || line.trend.x.back() != growth.highest)
            continue;
        const double change = line.trend.y.back() / line.trend.y.front() - 1;
        const auto [least, most] = growth.change.value_or(std::pair(change, change));
        growth.change = std::pair(std::min(least, change), std::max(most, change));
    }
    // A line by itself may bear out an offset of its own.
    const bool alone = growth.lines.size() == 1 && growth.lines.front().tells();
    growth.common = alone ? growth.lines.front().fit : fitCommonExponent(above);
    growth.kind = kindOf(growth);
    return growth;
}

SweepGrowth sweepGrowth(const SweepDocument& sweep, const std::string& key, const std::string& measure)
{
    std::vector<GrowthLine> lines;
    bool zero = false;
    for (SweepTrend& trend : sweepTrends(sweep, key, measure)) {
        zero = zero || (!trend.x.empty() && trend.x.front() == 0);
        const double floor = floorOf(sweep, key, measure, trend);
        dropZeros(trend);
        if (trend.x.empty())
            continue;
        GrowthLine line{std::move(trend), floor, {}};
        line.fit = fitAboveFloor(line.trend.x, line.trend.y, floor);
        lines.push_back(std::move(line));
    }
    SweepGrowth growth = growthOf(key, measure, std::move(lines));
    growth.zero = zero;
    return growth;
}

std::vector<SweepGrowth> sweepGrowths(const SweepDocument& sweep, const std::string& measure)
{
    std::vector<SweepGrowth> growths;
    for (const std::string& key : sweepAxes(sweep)) {
        SweepGrowth growth = sweepGrowth(sweep, key, measure);
        if (growth.values >= 2)
            growths.push_back(std::move(growth));
    }
    return growths;
}

std::string text(const SweepGrowth& growth)
{
    std::string out;
    if (growth.kind != GrowthKind::Flat && growth.common.usable()) {
        out = fmt::format("exponent {:.2f}", growth.common.exponent);
        if (std::isfinite(growth.common.low))
            out += fmt::format(" (95 %: {:.2f} to {:.2f})", growth.common.low, growth.common.high);
        if (growth.common.offset > 0)
            out += fmt::format(" above {:.4g} {}", growth.common.offset, sweepUnit(growth.measure));
        else if (growth.highestFloor() > 0)
            out += " above parameters and their states";
        out += ": ";
    }
    out += name(growth.kind);
    if (growth.change) {
        out += fmt::format("; {:+.1f} %", 100 * growth.change->first);
        if (growth.change->second != growth.change->first)
            out += fmt::format(" to {:+.1f} %", 100 * growth.change->second);
        out += fmt::format(" from {:g} to {:g}", growth.lowest, growth.highest);
    }
    return out;
}

Table growthTable(const SweepGrowth& growth)
{
    Table table{"trends",
                {{"setting", ""},
                 {growth.key, ""},
                 {growth.measure, sweepUnit(growth.measure)},
                 {"fit", sweepUnit(growth.measure)}},
                {}};
    for (const GrowthLine& line : growth.lines) {
        for (std::size_t i = 0; i < line.trend.x.size(); ++i)
            table.rows.push_back({sweepSetting(line.trend.fixed), line.trend.x[i], line.trend.y[i],
                                  line.tells() ? TableCell(line.fit.at(line.trend.x[i])) : TableCell(std::string())});
    }
    return table;
}

} // namespace peakscope
