// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/median.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

std::optional<double> medianOf(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
        return std::nan("");
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<double> medianDeviation(std::vector<double> values)
{
    if (values.size() < 2)
        return std::nullopt;
    const double middle = *medianOf(values);
    for (double& value : values)
        value = std::abs(value - middle);
    return medianOf(std::move(values));
}

} // namespace peakscope
