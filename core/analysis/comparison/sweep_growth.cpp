// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/sweep_growth.h"

#include "core/results/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace peakscope {

namespace {

constexpr double kFlat = 0.05;   // of the measure
constexpr double kClose = 0.1;   // to an exponent that has a name
constexpr double kSteady = 1.05; // most over least of what is called a floor
constexpr double kWidest = 1;    // interval of an exponent that still tells linear from quadratic

// Nothing where a point does not say what it is made of.
std::optional<double> floorOf(const SweepDocument& sweep, const std::string& key, const std::string& measure,
                              const SweepTrend& trend)
{
    if (measure != "peak_bytes")
        return 0;
    std::vector<HeldAlike> held(trend.x.size());
    const std::pair<Component, double HeldAlike::*> parts[] = {
        {Component::Parameters, &HeldAlike::parameters},
        {Component::Gradients, &HeldAlike::gradients},
        {Component::OptimizerStates, &HeldAlike::optimizerStates}};
    for (const auto& [component, part] : parts) {
        const auto trends = sweepTrends(sweep, key, "components." + std::string(name(component)));
        const auto same = std::find_if(trends.begin(), trends.end(),
                                       [&trend](const SweepTrend& other) { return other.fixed == trend.fixed; });
        if (same == trends.end() || same->x != trend.x)
            return std::nullopt;
        for (std::size_t i = 0; i < held.size(); ++i)
            held[i].*part = same->y[i];
    }
    return steadyFloor(held);
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

void widen(std::optional<std::pair<double, double>>& range, double value)
{
    const auto [least, most] = range.value_or(std::pair(value, value));
    range = std::pair(std::min(least, value), std::max(most, value));
}

// From 0 to the highest value that any setting reaches, over the settings that reach both.
void takeZeros(SweepGrowth& growth, const std::vector<SweepTrend>& trends)
{
    for (const SweepTrend& trend : trends)
        growth.afterZero = std::max(growth.afterZero, trend.x.empty() ? 0 : trend.x.back());
    for (const SweepTrend& trend : trends) {
        if (trend.x.size() < 2 || trend.x.front() != 0)
            continue;
        if (trend.x.back() == growth.afterZero && trend.y.front() > 0)
            widen(growth.fromZero, trend.y.back() / trend.y.front() - 1);
    }
}

bool narrow(const PowerLawFit& fit)
{
    return fit.usable() && fit.high - fit.low <= kWidest && (fit.low > 0 || fit.high < 0);
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
    return trend.x.size() >= (floor ? 3 : 4) && narrow(fit);
}

SweepTrend GrowthLine::measured() const
{
    SweepTrend all = trend;
    if (atZero) {
        all.x.insert(all.x.begin(), 0);
        all.y.insert(all.y.begin(), *atZero);
    }
    return all;
}

double SweepGrowth::highestFloor() const
{
    double floor = 0;
    for (const GrowthLine& line : lines)
        floor = std::max(floor, line.floor.value_or(0));
    return floor;
}

bool SweepGrowth::knowsFloors() const
{
    return std::all_of(lines.begin(), lines.end(), [](const GrowthLine& line) { return line.floor.has_value(); });
}

double steadyFloor(std::span<const HeldAlike> points)
{
    const auto least = [points](const auto& sumOf) {
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (const HeldAlike& point : points) {
            low = std::min(low, sumOf(point));
            high = std::max(high, sumOf(point));
        }
        return high <= kSteady * low && !points.empty() ? low : 0;
    };
    if (const double all = least([](const HeldAlike& p) { return p.parameters + p.gradients + p.optimizerStates; });
        all > 0)
        return all;
    if (const double kept = least([](const HeldAlike& p) { return p.parameters + p.optimizerStates; }); kept > 0)
        return kept;
    return least([](const HeldAlike& p) { return p.parameters; });
}

SweepGrowth growthOf(std::string key, std::string measure, std::vector<GrowthLine> lines)
{
    SweepGrowth growth;
    growth.key = std::move(key);
    growth.measure = std::move(measure);
    growth.lines = std::move(lines);
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
            y -= line.floor.value_or(0);
        if (line.trend.x.empty() || line.trend.x.front() != growth.lowest || line.trend.x.back() != growth.highest)
            continue;
        widen(growth.change, line.trend.y.back() / line.trend.y.front() - 1);
    }
    // A line by itself may bear out an offset of its own.
    const bool alone = growth.lines.size() == 1 && growth.lines.front().tells();
    if (alone)
        growth.common = growth.lines.front().fit;
    else if (growth.knowsFloors()) // an exponent of what stands on an unknown floor is none
        growth.common = fitCommonExponent(above);
    else
        growth.common = fitCommonExponent({});
    growth.kind = kindOf(growth);
    return growth;
}

SweepGrowth sweepGrowth(const SweepDocument& sweep, const std::string& key, const std::string& measure)
{
    std::vector<GrowthLine> lines;
    const std::vector<SweepTrend> trends = sweepTrends(sweep, key, measure);
    const bool zero = std::any_of(trends.begin(), trends.end(),
                                  [](const SweepTrend& trend) { return !trend.x.empty() && trend.x.front() == 0; });
    for (SweepTrend trend : trends) {
        const std::optional<double> floor = floorOf(sweep, key, measure, trend);
        const bool atZero = !trend.x.empty() && trend.x.front() == 0 && trend.y.front() > 0;
        const std::optional<double> first = atZero ? std::optional(trend.y.front()) : std::nullopt;
        dropZeros(trend);
        if (trend.x.empty() && !first)
            continue;
        GrowthLine line{std::move(trend), floor, {}, first};
        line.fit = fitAboveFloor(line.trend.x, line.trend.y, floor.value_or(0));
        lines.push_back(std::move(line));
    }
    SweepGrowth growth = growthOf(key, measure, std::move(lines));
    growth.zero = zero;
    takeZeros(growth, trends);
    return growth;
}

std::vector<SweepGrowth> sweepGrowths(const SweepDocument& sweep, const std::string& measure)
{
    std::vector<SweepGrowth> growths;
    for (const std::string& key : sweepAxes(sweep)) {
        SweepGrowth growth = sweepGrowth(sweep, key, measure);
        if (growth.values >= 2 || (growth.values == 1 && growth.zero))
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
    if (!growth.knowsFloors() && !growth.common.usable())
        out += "; what parameters hold is not known, so no exponent is given";
    const auto change = [](const std::pair<double, double>& range, double from, double to) {
        std::string words = fmt::format("; {:+.1f} %", 100 * range.first);
        if (range.second != range.first)
            words += fmt::format(" to {:+.1f} %", 100 * range.second);
        return words + fmt::format(" from {:g} to {:g}", from, to);
    };
    if (growth.change)
        out += change(*growth.change, growth.lowest, growth.highest);
    if (growth.zero)
        out += "; this leaves 0 out";
    if (growth.fromZero)
        out += change(*growth.fromZero, 0, growth.afterZero);
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
        const SweepTrend all = line.measured();
        for (std::size_t i = 0; i < all.x.size(); ++i) {
            const bool told = line.tells() && all.x[i] > 0;
            table.rows.push_back(
                {sweepSetting(all.fixed), all.x[i], all.y[i], cellIf(told, told ? line.fit.at(all.x[i]) : 0)});
        }
    }
    return table;
}

} // namespace peakscope
