// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/neighbors/neighbors.h"

#include "core/analysis/neighbors/metric_kernels.h"
#include "core/analysis/neighbors/square_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace peakscope {
namespace {

// Pairs times values up to which every pair is compared: about a second on two cores.
constexpr double kExactWork = 1.2e10;

bool unitVectors(Metric metric)
{
    return metric == Metric::Cosine || metric == Metric::Correlation;
}

bool canBeShifted(Metric metric)
{
    return metric == Metric::Euclidean || metric == Metric::Manhattan || metric == Metric::Chebyshev;
}

// What each column is moved by: nothing, or its middle where its values are so far from zero that single precision
// would lose their differences. Rows of zeros, which have no direction, do not count for unit vectors.
std::vector<double> columnShifts(std::span<const double> values, std::int64_t rows, std::int64_t columns,
                                 const std::vector<bool>& zero)
{
    constexpr double kFar = 64;
    std::vector<double> shifts(static_cast<std::size_t>(columns), 0.0);
    for (std::int64_t column = 0; column < columns; ++column) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::int64_t row = 0; row < rows; ++row) {
            if (zero[static_cast<std::size_t>(row)])
                continue;
            const double value = values[static_cast<std::size_t>(row * columns + column)];
            low = std::min(low, value);
            high = std::max(high, value);
        }
        const double middle = low / 2 + high / 2;
        if (std::abs(middle) > kFar * (high - low))
            shifts[static_cast<std::size_t>(column)] = middle;
    }
    return shifts;
}

// Of the power of two that brings the largest value near 1 where squares would leave single precision; else 0.
int exponentForFloats(double largest)
{
    constexpr double kLarge = 1e15, kSmall = 1e-12;
    return largest == 0 || (largest < kLarge && largest > kSmall) ? 0 : -std::ilogb(largest);
}

// The values near 1, in `room`, where a double cannot hold their squares; else as they are.
std::span<const double> withinSquares(std::span<const double> values, std::vector<double>& room, int& exponent)
{
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    exponent = exponentForSquares(largest);
    if (exponent == 0)
        return values;
    room.reserve(values.size());
    for (const double value : values)
        room.push_back(std::ldexp(value, exponent));
    return room;
}

// Which rows have a direction, all rows as unit vectors, and what rounding of the values leaves of such a vector.
struct UnitRows {
    std::vector<double> values;
    std::vector<bool> zero;
    double noise = 0;
};

// Each row, less its own mean for correlations. `rounded`: the largest size that the values had when they were rounded.
UnitRows unitRows(std::span<const double> values, std::int64_t rows, std::int64_t columns, bool centre, double rounded)
{
    UnitRows out{std::vector<double>(values.size(), 0.0), std::vector<bool>(static_cast<std::size_t>(rows), false)};
    const auto width = static_cast<std::size_t>(columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        const auto from = values.subspan(row * width, width);
        double mean = 0, largest = 0, sum = 0;
        for (const double value : from)
            mean += centre ? value / static_cast<double>(columns) : 0;
        for (const double value : from)
            largest = std::max(largest, std::abs(value - mean));
        // What is left of a constant row after its mean is rounding, not direction.
        if (largest == 0 || (centre && largest <= 1e-13 * std::abs(mean))) {
            out.zero[row] = true;
            continue;
        }
        for (const double value : from)
            sum += (value - mean) / largest * ((value - mean) / largest);
        const double length = std::sqrt(sum) * largest;
        for (std::size_t i = 0; i < width; ++i)
            out.values[row * width + i] = (from[i] - mean) / length;
        out.noise =
            std::max(out.noise, std::numeric_limits<double>::epsilon() * std::max(largest + std::abs(mean), rounded) /
                                    length * std::sqrt(static_cast<double>(columns)));
    }
    return out;
}

struct ColumnRange {
    double mean = 0, variance = 0, largest = 0; // largest: of the sizes
};

ColumnRange rangeOf(std::span<const double> values, std::int64_t rows, std::int64_t columns, std::int64_t column,
                    const std::vector<bool>& zero)
{
    ColumnRange range;
    double square = 0, counted = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (zero[static_cast<std::size_t>(row)])
            continue;
        const double value = values[static_cast<std::size_t>(row * columns + column)], step = value - range.mean;
        range.mean += step / ++counted;
        square += step * (value - range.mean);
        range.largest = std::max(range.largest, std::abs(value));
    }
    range.variance = counted > 0 ? square / counted : 0;
    return range;
}

// How far rows lie from their mean, root mean square.
double spreadOf(std::span<const double> values, std::int64_t rows, std::int64_t columns, const std::vector<bool>& zero)
{
    double sum = 0;
    for (std::int64_t column = 0; column < columns; ++column)
        sum += rangeOf(values, rows, columns, column, zero).variance;
    return std::sqrt(sum);
}

// Whether what tells the rows apart is no more than what rounding left of their values.
bool isDrowned(double spread, double noise)
{
    constexpr double kTimes = 16; // a difference of so many ulps may be one
    return spread > 0 && spread < kTimes * noise;
}

// See FeatureRows::most.
float largestDistance(std::span<const double> values, std::int64_t columns, Metric metric)
{
    constexpr float kUnbounded = std::numeric_limits<float>::infinity();
    switch (metric) {
    case Metric::Cosine:
    case Metric::Correlation:
        return 2;
    case Metric::Canberra:
        return static_cast<float>(columns);
    case Metric::BrayCurtis: {
        const bool anyBelow = std::any_of(values.begin(), values.end(), [](double value) { return value < 0; });
        const bool anyAbove = std::any_of(values.begin(), values.end(), [](double value) { return value > 0; });
        return anyBelow && anyAbove ? kUnbounded : 1;
    }
    case Metric::Euclidean:
    case Metric::Manhattan:
    case Metric::Chebyshev:
        return kUnbounded;
    }
    return kUnbounded;
}

std::vector<std::int64_t> rowsOfZeros(std::span<const double> values, std::int64_t rows, std::int64_t columns)
{
    std::vector<std::int64_t> out;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto own = values.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
        if (std::all_of(own.begin(), own.end(), [](double value) { return value == 0; }))
            out.push_back(row);
    }
    return out;
}

// Rows that all point the same way, as single precision sees it, are looked at from their mean: what tells them apart
// is lost in an angle seen from zero.
UnitRows unitRowsFromMean(std::span<const double> values, std::int64_t rows, std::int64_t columns, bool centre,
                          const std::vector<bool>& zero)
{
    std::vector<double> moved(values.begin(), values.end());
    double largest = 0;
    for (std::int64_t column = 0; column < columns; ++column) {
        const ColumnRange range = rangeOf(values, rows, columns, column, zero);
        largest = std::max(largest, range.largest);
        for (std::int64_t row = 0; row < rows; ++row) {
            double& value = moved[static_cast<std::size_t>(row * columns + column)];
            value = zero[static_cast<std::size_t>(row)] ? 0 : value - range.mean;
        }
    }
    return unitRows(moved, rows, columns, centre, largest);
}

template <typename Kernel, typename RowOf>
PEAKSCOPE_INLINE void distancesTo(const FeatureRows& features, const float* own, std::int64_t count, RowOf rowOf,
                                  float* out)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float* other = rowOf(i);
        Float16 sum = {}, second = {};
        for (std::int64_t value = 0; value < features.width; value += kLanes) {
            Float16 a, b;
            loadLanes(a, own + value);
            loadLanes(b, other + value);
            Kernel::add(sum, second, a, b);
        }
        out[i] = Kernel::reduce(sum, second);
    }
}

// Every metric's loop over rows that rowOf names.
template <typename RowOf>
PEAKSCOPE_INLINE void distancesOfMetric(const FeatureRows& features, const float* own, std::int64_t count, RowOf rowOf,
                                        float* out)
{
    switch (features.metric) {
    case Metric::Euclidean:
    case Metric::Cosine:
    case Metric::Correlation:
        return distancesTo<SquaredKernel>(features, own, count, rowOf, out);
    case Metric::Manhattan:
        return distancesTo<ManhattanKernel>(features, own, count, rowOf, out);
    case Metric::Chebyshev:
        return distancesTo<ChebyshevKernel>(features, own, count, rowOf, out);
    case Metric::Canberra:
        return distancesTo<CanberraKernel>(features, own, count, rowOf, out);
    case Metric::BrayCurtis:
        return distancesTo<BrayCurtisKernel>(features, own, count, rowOf, out);
    }
}

PEAKSCOPE_SIMD_CLONES void distancesToList(const FeatureRows& features, std::int64_t from, const std::int32_t* rows,
                                           std::int64_t count, float* out)
{
    const float* data = features.data.data();
    const std::int64_t width = features.width;
    distancesOfMetric(
        features, data + from * width, count,
        [ data, width, rows ](std::int64_t i) __attribute__((always_inline)) { return data + rows[i] * width; }, out);
}

PEAKSCOPE_SIMD_CLONES void distancesToRange(const FeatureRows& features, std::int64_t from, std::int64_t first,
                                            std::int64_t count, float* out)
{
    const float* data = features.data.data();
    const std::int64_t width = features.width;
    distancesOfMetric(
        features, data + from * width, count,
        [ data, width, first ](std::int64_t i) __attribute__((always_inline)) { return data + (first + i) * width; },
        out);
}

} // namespace

std::string metricNames()
{
    std::string out;
    for (const std::string_view text : kEnumWords<Metric>)
        out += (out.empty() ? "" : ", ") + std::string(text);
    return out;
}

FeatureRows prepareFeatures(std::span<const double> values, std::int64_t rows, std::int64_t columns, Metric metric)
{
    FeatureRows out;
    out.metric = metric;
    out.rows = rows;
    // Unit vectors have one more direction, for rows of zeros.
    out.columns = columns + (unitVectors(metric) ? 1 : 0);
    out.width = (out.columns + kLanes - 1) / kLanes * kLanes;
    out.data.assign(static_cast<std::size_t>(rows * out.width), 0.0f);
    out.most = largestDistance(values, columns, metric);
    if (metric == Metric::BrayCurtis)
        out.zeroRows = rowsOfZeros(values, rows, columns);
    std::vector<double> room;
    values = withinSquares(values, room, out.exponent);
    const auto rowValues = [&](std::int64_t row) {
        return values.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
    };
    // 1 - cos of nearly parallel rows would cancel; the distance of their unit vectors, which are shifted like all
    // else, does not.
    UnitRows units;
    units.zero.assign(static_cast<std::size_t>(rows), false);
    if (unitVectors(metric)) {
        constexpr double kParallel = 0x1p-24;
        const bool centre = metric == Metric::Correlation;
        units = unitRows(values, rows, columns, centre, 0);
        double spread = spreadOf(units.values, rows, columns, units.zero);
        if (spread > 0 && spread < kParallel && !isDrowned(spread, units.noise)) {
            units = unitRowsFromMean(values, rows, columns, centre, units.zero);
            spread = spreadOf(units.values, rows, columns, units.zero);
            out.fromMean = true;
        }
        out.drowned = isDrowned(spread, units.noise);
        for (std::int64_t row = 0; row < rows; ++row) {
            if (!units.zero[static_cast<std::size_t>(row)])
                continue;
            out.data[static_cast<std::size_t>(row * out.width + columns)] = 1; // a direction of its own
            out.zeroRows.push_back(row);
        }
        values = units.values;
    } else if (canBeShifted(metric)) {
        double noise = 0;
        for (std::int64_t column = 0; column < columns; ++column)
            noise = std::hypot(noise, std::numeric_limits<double>::epsilon() *
                                          rangeOf(values, rows, columns, column, units.zero).largest);
        out.drowned = isDrowned(spreadOf(values, rows, columns, units.zero), noise);
    }
    const std::vector<double> shifts = unitVectors(metric) || canBeShifted(metric)
                                           ? columnShifts(values, rows, columns, units.zero)
                                           : std::vector<double>(static_cast<std::size_t>(columns), 0.0);
    double largest = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto from = rowValues(row);
        for (std::size_t column = 0; column < from.size(); ++column)
            largest = std::max(largest, std::abs(from[column] - shifts[column]));
    }
    const int exponent = unitVectors(metric) ? 0 : exponentForFloats(largest);
    out.exponent += exponent;
    const double scale = std::ldexp(1.0, exponent);
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto from = rowValues(row);
        float* to = out.data.data() + row * out.width;
        for (std::size_t column = 0; column < from.size(); ++column)
            to[column] = static_cast<float>((from[column] - shifts[column]) * scale);
    }
    return out;
}

float finishDistance(Metric metric, float comparable)
{
    switch (metric) {
    case Metric::Euclidean:
        return static_cast<float>(std::sqrt(static_cast<double>(comparable)));
    case Metric::Cosine:
    case Metric::Correlation: // |a - b|^2 = 2 - 2 cos for unit vectors
        return comparable / 2;
    case Metric::Manhattan:
    case Metric::Chebyshev:
    case Metric::Canberra:
    case Metric::BrayCurtis:
        return comparable;
    }
    return comparable;
}

bool areAllEqual(const FeatureRows& features)
{
    const float* first = features.row(0);
    for (std::int64_t row = 1; row < features.rows; ++row) {
        if (!std::equal(first, first + features.width, features.row(row)))
            return false;
    }
    return true;
}

void comparableDistances(const FeatureRows& features, std::int64_t from, std::span<const std::int32_t> rows, float* out)
{
    distancesToList(features, from, rows.data(), static_cast<std::int64_t>(rows.size()), out);
}

void comparableDistances(const FeatureRows& features, std::int64_t from, std::int64_t first, std::int64_t count,
                         float* out)
{
    distancesToRange(features, from, first, count, out);
}

double featureDistance(const FeatureRows& features, std::int64_t a, std::int64_t b)
{
    float comparable = 0;
    distancesToRange(features, a, b, 1, &comparable);
    const double distance = finishDistance(features.metric, comparable);
    return canBeShifted(features.metric) ? std::ldexp(distance, -features.exponent) : distance;
}

Result<NeighborTable> findNeighbors(const FeatureRows& features, int neighbors, NeighborSearch search,
                                    std::uint64_t seed, ThreadTeam& team)
{
    NeighborTable table;
    table.rows = features.rows;
    table.neighbors = neighbors;
    const auto cells = static_cast<std::size_t>(features.rows * neighbors);
    table.index.resize(cells);
    table.distance.resize(cells);
    const auto rows = static_cast<double>(features.rows);
    const double work = rows * rows * static_cast<double>(features.columns);
    // The approximate search pays where there are many more rows than neighbours.
    const bool few = features.rows < 4096 || rows < 32.0 * neighbors;
    table.exact =
        search == NeighborSearch::Exact || (search == NeighborSearch::Automatic && (few || work <= kExactWork));
    const bool done =
        table.exact ? exactNeighbors(features, team, table) : approximateNeighbors(features, seed, team, table);
    if (!done)
        return Error{ErrorCode::Interrupted, "stopped while looking for neighbours", {}};
    team.forRanges(static_cast<std::int64_t>(cells), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            table.distance[i] = finishDistance(features.metric, table.distance[i]);
    });
    return table;
}

} // namespace peakscope
