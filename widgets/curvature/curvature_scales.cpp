// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_scales.h"

#include "widgets/look/component_palette.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace peakscope {

namespace {

struct CurvatureText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::CurvatureText)
};

} // namespace

QString curvatureKindTitle(std::size_t kind)
{
    return kind < kModuleKindCount ? moduleKindTitle(static_cast<ModuleKind>(kind)) : CurvatureText::tr("Other");
}

QColor curvatureKindColor(std::size_t kind)
{
    return kind < kModuleKindCount ? moduleKindColor(static_cast<ModuleKind>(kind)) : QColor(0x88, 0x88, 0x88);
}

QString diagonalTitle(const std::string& name)
{
    if (name == "ggn_diagonal")
        return CurvatureText::tr("Gauss-Newton");
    if (name == "fisher_diagonal")
        return CurvatureText::tr("Empirical Fisher");
    return CurvatureText::tr("Hessian");
}

QString estimateTitle(const std::string& name)
{
    if (name == "trace")
        return CurvatureText::tr("Trace");
    if (name == "diagonal_mean")
        return CurvatureText::tr("Mean of the diagonal");
    if (name.rfind("eigenvalue.", 0) == 0)
        return CurvatureText::tr("Eigenvalue %1").arg(QString::fromStdString(name.substr(11)));
    return QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

namespace {

void countEntries(CurvatureHistogram& histogram, const CurvatureDiagonal& diagonal, double low, double high, int bins)
{
    std::array<CurvatureHistogram::Kind, kCurvatureKinds> kinds;
    for (std::size_t kind = 0; kind < kCurvatureKinds; ++kind) {
        kinds[kind].kind = kind;
        kinds[kind].share.assign(static_cast<std::size_t>(bins), 0.0);
    }
    const double width = (high - low) / bins;
    for (int i = 0; i <= bins; ++i)
        histogram.edges.push_back(low + i * width);
    for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
        const double value = diagonal.value[i];
        CurvatureHistogram::Kind& kind = kinds[diagonal.kinds[diagonal.parameter[i]]];
        ++kind.count;
        kind.zeros += value == 0;
        kind.negative += value < 0;
        if (value == 0)
            continue;
        const double place = histogram.magnitude ? std::log10(std::abs(value)) : histogram.scale.place(value);
        kind.share[static_cast<std::size_t>(std::clamp(static_cast<int>((place - low) / width), 0, bins - 1))] += 1;
    }
    for (CurvatureHistogram::Kind& kind : kinds) {
        if (kind.count == 0)
            continue;
        for (double& share : kind.share) {
            share /= static_cast<double>(kind.count);
            kind.most = std::max(kind.most, share);
        }
        histogram.kinds.push_back(std::move(kind));
    }
}

} // namespace

CurvatureHistogram curvatureHistogram(const CurvatureDiagonal& diagonal, bool magnitude, int bins)
{
    constexpr int kDecades = 8;
    CurvatureHistogram histogram;
    histogram.magnitude = magnitude;
    std::vector<double> sizes;
    double least = 0, most = 0;
    for (const double value : diagonal.value) {
        least = std::min(least, value);
        most = std::max(most, value);
        if (value != 0)
            sizes.push_back(std::abs(value));
    }
    if (diagonal.value.empty())
        return histogram;
    if (sizes.empty()) { // nothing but zeros: an axis all the same
        countEntries(histogram, diagonal, magnitude ? -1 : -2, magnitude ? 1 : 2, bins);
        return histogram;
    }
    const auto bottom = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 50); // a few tiny ones say little
    std::nth_element(sizes.begin(), bottom, sizes.end());
    const double small = *bottom, large = *std::max_element(sizes.begin(), sizes.end());
    if (magnitude) {
        const double high = std::ceil(std::log10(large) + 1e-12);
        const double low = std::max(std::floor(std::log10(small)), high - 2 * kDecades);
        countEntries(histogram, diagonal, std::min(low, high - 1), high, bins);
        return histogram;
    }
    // Exact entries have no error of their own: the linear zone holds what is smaller than nearly all of them.
    const double leastDecade = std::floor(std::log10(std::max(small, large * std::pow(10.0, -kDecades))));
    histogram.scale = scaleFor({large}, std::pow(10.0, leastDecade));
    // A symlog axis shows its linear zone whole, a linear one a little of the side that holds nothing.
    const double zone = histogram.scale.symlog() ? 1 : large * 0.05;
    const double low = std::min(histogram.scale.place(least), -zone);
    const double high = std::max(histogram.scale.place(most), zone);
    // Zero is an edge, so that no bin holds both signs.
    const double width = (high - low) / (bins - 2);
    const double left = std::floor(low / width - 1e-9), right = std::ceil(high / width + 1e-9);
    countEntries(histogram, diagonal, left * width, right * width, static_cast<int>(right - left));
    return histogram;
}

namespace {

struct LayerSum {
    double sum = 0;
    double weight = 0;
    std::int64_t entries = 0;
};
using LayerSums = std::map<std::pair<std::int64_t, std::size_t>, LayerSum>;

CurvatureLayerMap mapFrom(const LayerSums& sums, bool magnitude)
{
    CurvatureLayerMap map;
    map.magnitude = magnitude;
    std::set<std::int64_t> layers;
    std::set<std::size_t> kinds;
    for (const auto& [place, sum] : sums) {
        layers.insert(place.first);
        kinds.insert(place.second);
    }
    map.layers.assign(layers.begin(), layers.end());
    if (!map.layers.empty() && map.layers.front() < 0)
        std::rotate(map.layers.begin(), map.layers.begin() + 1, map.layers.end());
    map.kinds.assign(kinds.begin(), kinds.end());
    map.value.assign(map.layers.size() * map.kinds.size(), kNoNumber);
    map.entries.assign(map.value.size(), 0);
    for (std::size_t l = 0; l < map.layers.size(); ++l) {
        for (std::size_t k = 0; k < map.kinds.size(); ++k) {
            const auto found = sums.find({map.layers[l], map.kinds[k]});
            if (found == sums.end() || !(found->second.weight > 0))
                continue;
            const double value = found->second.sum / found->second.weight, size = std::abs(value);
            map.value[map.cell(l, k)] = value;
            map.entries[map.cell(l, k)] = found->second.entries;
            if (size > 0) {
                map.least = std::isfinite(map.least) ? std::min(map.least, size) : size;
                map.most = std::isfinite(map.most) ? std::max(map.most, size) : size;
            }
        }
    }
    return map;
}

} // namespace

double CurvatureLayerMap::shareOf(double value) const
{
    if (!(most > 0) || value == 0)
        return 0;
    constexpr double kDecades = 4; // of a signed map on each side
    if (magnitude) {
        const double low = std::log10(least), span = std::log10(most) - low;
        return span > 0 ? std::clamp((std::log10(std::abs(value)) - low) / span, 0.0, 1.0) : 1;
    }
    const double low = std::max(std::log10(least), std::log10(most) - kDecades) - 0.5;
    const double share = std::clamp((std::log10(std::abs(value)) - low) / (std::log10(most) - low), 0.0, 1.0);
    return value < 0 ? -share : share;
}

QColor CurvatureLayerMap::colorOf(double value, bool dark) const
{
    return magnitude ? viridis(shareOf(value)) : divergingColor(shareOf(value), dark);
}

CurvatureLayerMap curvatureLayerMap(const CurvatureDiagonal& diagonal, bool magnitude)
{
    LayerSums sums;
    std::vector<LayerSum*> sumOf; // of each parameter: entries are too many to look up
    for (std::size_t at = 0; at < diagonal.parameters.size(); ++at)
        sumOf.push_back(&sums[{std::max<std::int64_t>(diagonal.layers[at], -1), diagonal.kinds[at]}]);
    for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
        LayerSum& sum = *sumOf[diagonal.parameter[i]];
        sum.sum += magnitude ? std::abs(diagonal.value[i]) : diagonal.value[i];
        sum.weight += 1;
        ++sum.entries;
    }
    return mapFrom(sums, magnitude);
}

CurvatureLayerMap curvatureLayerMap(const std::vector<CurvatureBlock>& blocks, bool magnitude)
{
    LayerSums sums;
    for (const CurvatureBlock& block : blocks) {
        if (block.size <= 0 || !std::isfinite(block.trace.mean))
            continue;
        LayerSum& sum = sums[{std::max<std::int64_t>(block.layer, -1), block.kind}];
        sum.sum += magnitude ? std::abs(block.trace.mean) : block.trace.mean;
        sum.weight += static_cast<double>(block.size);
    }
    return mapFrom(sums, magnitude);
}

QString layerTitle(std::int64_t layer)
{
    return layer >= 0 ? CurvatureText::tr("Layer %1").arg(layer) : CurvatureText::tr("Outside");
}

DensityFloor densityFloor(const CurvatureDensity& density, std::int64_t parameters)
{
    DensityFloor result;
    result.peak = *std::max_element(density.value.begin(), density.value.end());
    result.floor = result.peak * 1e-8;
    if (parameters > 0 && density.sigma > 0) {
        result.single = 1 / (static_cast<double>(parameters) * density.sigma * std::sqrt(2 * std::numbers::pi));
        result.floor = std::clamp(result.single / 10, result.peak * 1e-12, result.peak / 10);
    }
    return result;
}

QString densityTitle(const CurvatureDensity& density)
{
    return density.exact ? CurvatureText::tr("Density of all eigenvalues")
                         : CurvatureText::tr("Density by Lanczos quadrature: %1 steps, %2 probes")
                               .arg(QString::number(density.steps), QString::number(density.probes));
}

QString singleDensityTitle()
{
    return CurvatureText::tr("Density of one eigenvalue");
}

QColor densityColor(bool dark)
{
    return dark ? QColor(0xa9, 0xa0, 0xf0) : QColor(0x33, 0x22, 0x88);
}

EigenvalueRange eigenvalueRange(const CurvatureData& data)
{
    EigenvalueRange range;
    const auto take = [&range](double value) {
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
    };
    if (data.density) {
        take(data.density->grid.front());
        take(data.density->grid.back());
    }
    for (const CurvatureEigenvalue& pair : data.eigenvalues)
        take(pair.value);
    const double pad = 0.03 * (range.high > range.low ? range.high - range.low : 1);
    return {range.low - pad, range.high + pad};
}

} // namespace peakscope
