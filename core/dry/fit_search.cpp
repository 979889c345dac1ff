// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/fit_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace peakscope {

FitSearch::FitSearch(std::int64_t first, std::int64_t last) : m_first(first), m_count(last - first + 1) {}

FitSearch::FitSearch(std::vector<std::int64_t> rising)
    : m_list(std::move(rising)), m_count(static_cast<std::int64_t>(m_list.size()))
{}

std::int64_t FitSearch::valueAt(std::int64_t rank) const
{
    return m_list.empty() ? m_first + rank : m_list[static_cast<std::size_t>(rank)];
}

std::int64_t FitSearch::lowestFull() const
{
    const auto full = std::find_if(m_fits.begin(), m_fits.end(), [](const auto& known) { return !known.second; });
    return full == m_fits.end() ? m_count : full->first;
}

std::int64_t FitSearch::highestFit() const
{
    const auto above = m_fits.lower_bound(lowestFull());
    return above == m_fits.begin() ? -1 : std::prev(above)->first;
}

std::vector<std::int64_t> FitSearch::next(std::size_t most) const
{
    const std::int64_t low = highestFit(), high = lowestFull();
    std::vector<std::int64_t> values;
    if (m_list.empty() && high == m_count) {
        const std::int64_t last = valueAt(m_count - 1);
        std::int64_t value = low < 0 ? 0 : valueAt(low);
        while (values.size() < most && value < last) {
            value = value == 0 ? m_first : std::min(2 * value, last);
            values.push_back(value);
        }
        return values;
    }
    const std::int64_t between = high - low - 1;
    const std::int64_t count = std::min(static_cast<std::int64_t>(most), between);
    for (std::int64_t i = 1; i <= count; ++i)
        values.push_back(valueAt(low + (between + 1) * i / (count + 1)));
    return values;
}

void FitSearch::tell(std::int64_t value, bool fits)
{
    const auto place = std::lower_bound(m_list.begin(), m_list.end(), value) - m_list.begin();
    m_fits[m_list.empty() ? value - m_first : place] = fits;
}

std::optional<std::int64_t> FitSearch::largest() const
{
    const std::int64_t rank = highestFit();
    return rank < 0 ? std::nullopt : std::optional(valueAt(rank));
}

bool FitPoint::ranWith(std::int64_t draw) const
{
    return std::ranges::find(draws, draw, &FitDraw::number) != draws.end();
}

FitPoint& FitPoint::add(FitPoint ran)
{
    const bool bothFit = fits() && ran.fits();
    std::ranges::move(ran.draws, std::back_inserter(draws));
    if (ran.reservedBytes > reservedBytes) {
        std::swap(draws, ran.draws);
        *this = std::move(ran);
    }
    if (!bothFit)
        verdict = Verdict::DoesNotFit;
    return *this;
}

double FitLine::offBy(const FitPoint& point) const
{
    return static_cast<double>(point.allocatedBytes) / at(point.value) - 1;
}

bool stepsDiffer(const std::vector<FitPoint>& points, std::int64_t value)
{
    return std::ranges::any_of(points, [value](const FitPoint& point) {
        return point.stepsDiffer && point.value >= value / 2 && point.value / 2 <= value;
    });
}

std::optional<FitLine> fitLine(const std::vector<FitPoint>& points)
{
    double count = 0, values = 0, bytes = 0;
    for (const FitPoint& point : points) {
        if (!point.fits())
            continue;
        count += 1;
        values += static_cast<double>(point.value);
        bytes += static_cast<double>(point.allocatedBytes);
    }
    if (count < 2)
        return std::nullopt;
    const double value = values / count, mean = bytes / count;
    double squares = 0, products = 0;
    for (const FitPoint& point : points) {
        if (!point.fits())
            continue;
        const double away = static_cast<double>(point.value) - value;
        squares += away * away;
        products += away * (static_cast<double>(point.allocatedBytes) - mean);
    }
    const double each = products / squares;
    return FitLine{mean - each * value, each};
}

std::vector<FitPoint> offLine(const std::vector<FitPoint>& points, const FitLine& line)
{
    std::vector<FitPoint> off;
    std::copy_if(points.begin(), points.end(), std::back_inserter(off),
                 [&line](const FitPoint& point) { return point.fits() && std::abs(line.offBy(point)) > kOffLine; });
    return off;
}

} // namespace peakscope
