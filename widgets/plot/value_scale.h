// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How values lie along an axis, in the window and in the figures: linear, or "symlog" (logarithmic on
// both sides of zero, linear close to it); the marks of such axes, of logarithmic and of linear ones; and the words by
// which an axis says its scale. Pure functions.
#pragma once

#include <QString>

#include <functional>
#include <vector>

namespace peakscope {

// Linear, or with a threshold symlog: 0 is at place 0, ±threshold at ±1, ten times as much one further.
struct ValueScale {
    double threshold = 0; // 0: linear

    bool symlog() const { return threshold > 0; }
    double place(double value) const;
    double value(double place) const;
};

// What `values` are drawn on. `resolution` is the size below which they cannot be told from nothing (an interval at no
// noise, a standard error); the linear zone reaches to the power of ten above it, so that noise does not fill the axis.
// Where it is not known (0, or no number) the zone reaches to the power of ten below the smallest value, at most five
// decades below the largest. Linear where the largest value is less than two decades beyond the zone.
ValueScale scaleFor(const std::vector<double>& values, double resolution);

// "ΔPPL", or "ΔPPL (symlog, linear below 0.001)".
QString scaleTitle(const QString& quantity, const ValueScale& scale);
// The same and a shorter one, "ΔPPL (symlog)", with kTitleWordings between them, for what can choose.
inline constexpr QChar kTitleWordings{u'\x9c'};
QString scaleTitles(const QString& quantity, const ValueScale& scale);
// Such a title in two lines where it says a scale, for an axis that stands upright in a low view.
QString uprightTitle(QString title);

// A tick: where on the axis, and the true value there.
struct AxisMark {
    double place = 0;
    QString label;
};
using MarkFunction = std::function<std::vector<AxisMark>(double low, double high, int most)>;

// Marks between two places: zero and powers of ten on symlog axes, four at least where so many decades are visible,
// else at most about `most`; parts of decades where hardly one is visible; round values on linear ones.
std::vector<AxisMark> valueMarks(const ValueScale& scale, double low, double high, int most);
// Powers of ten between two exponents, at most about `most`.
std::vector<AxisMark> decadeMarks(double low, double high, int most);
// The same for an axis: parts of decades between them where there are fewer than three.
std::vector<AxisMark> logMarks(double low, double high, int most);
// Round values, at most `most` steps between them.
std::vector<AxisMark> linearMarks(double low, double high, int most);

// One unit for all ticks of an axis, chosen so that the largest value is at least 1 in it.
struct AxisUnit {
    double scale = 1; // values are divided by this
    QString name;     // "GiB", "ms"
};
AxisUnit byteUnit(double maxBytes);
AxisUnit timeUnit(double maxSeconds);
// A number of about three digits, without the unit.
QString numberIn(const AxisUnit& unit, double value);

// 1, 2 or 5 times a power of ten, at least `raw`.
double roundStep(double raw);

} // namespace peakscope
