// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a measure of a sweep grows along one of its numeric keys: linearly, quadratically, hardly? Used by the trends of
// the window, their figure and the summary. Any thread.
#pragma once

#include "core/analysis/statistics/power_law.h"
#include "core/base/enum_words.h"
#include "core/results/sweeps/sweep_document.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

// What the points bear out. Flat: no setting changes by more than a twentieth over all values. Unknown: nothing can be
// said, because the interval is missing or holds too much.
enum class GrowthKind { Unknown, Flat, Falls, BelowLinear, Linear, BelowQuadratic, Quadratic, AboveQuadratic };
template <>
inline constexpr std::array<std::string_view, 8> kEnumWords<GrowthKind>{"the points do not determine the growth",
                                                                        "hardly changes",
                                                                        "falls",
                                                                        "less than linear",
                                                                        "linear",
                                                                        "between linear and quadratic",
                                                                        "quadratic",
                                                                        "more than quadratic"};

// One setting of the other keys.
struct GrowthLine {
    SweepTrend trend; // values of the key above zero only: none where all that was measured is at 0
    // Bytes of parameters, gradients and optimiser states that all points hold, whatever the key's value; 0 where they
    // change with it or the measure is none of memory; nothing where they are not known.
    std::optional<double> floor = 0;
    PowerLawFit fit;                   // above the floor, which is part of its offset
    std::optional<double> atZero = {}; // what was measured where the key is 0, which a fit leaves out
    // Whether the fit says something: three points or more (four where the floor is not known and had to be fitted),
    // and an interval that tells linear from quadratic and growth from none.
    bool tells() const;
    SweepTrend measured() const; // the point at 0, too
};

struct SweepGrowth {
    std::string key, measure;
    std::vector<GrowthLine> lines;
    std::size_t values = 0; // different ones of the key, above zero
    bool zero = false;      // the key also takes the value 0, which no power law holds
    double lowest = 0, highest = 0;
    PowerLawFit common; // one exponent for all lines, each above its own floor; the line's fit where there is one
    // Of the measure from the lowest to the highest value, over the lines that reach both: 0.5 is half more.
    std::optional<std::pair<double, double>> change;
    // The same from 0 to the highest value, which no exponent tells of.
    std::optional<std::pair<double, double>> fromZero;
    double afterZero = 0; // that highest value
    GrowthKind kind = GrowthKind::Unknown;

    double highestFloor() const;
    bool knowsFloors() const;
};

// What a point holds of that kind, and how much of it all points hold alike: gradients count only where they are there
// at every peak, nothing where it differs by more than a twentieth.
struct HeldAlike {
    double parameters = 0, gradients = 0, optimizerStates = 0;
};
double steadyFloor(std::span<const HeldAlike> points);

// Of lines with their points (rising in x, above zero), floors and fits.
SweepGrowth growthOf(std::string key, std::string measure, std::vector<GrowthLine> lines);
// No lines where nothing was measured along the key.
SweepGrowth sweepGrowth(const SweepDocument& sweep, const std::string& key, const std::string& measure);
// Of every numeric key with two values or more, 0 among them, in the sweep's order.
std::vector<SweepGrowth> sweepGrowths(const SweepDocument& sweep, const std::string& measure);

// "exponent 1.02 (95 %: 0.98 to 1.05) above 12.3 MiB: linear; +45 % to +47 % from 64 to 128".
std::string text(const SweepGrowth& growth);
// A row a point: setting, value of the key, measure, fit; the fit empty where it does not tell.
Table growthTable(const SweepGrowth& growth);

} // namespace peakscope
