// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature_scales.h"

#include "widgets/component_palette.h"
#include "widgets/plot_scales.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace peakscope {

namespace {

struct CurvatureText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::CurvatureText)
};

QString raised(int number)
{
    static constexpr char16_t kDigits[] = u"⁰¹²³⁴⁵⁶⁷⁸⁹";
    QString text = number < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(number)))
        text += QChar(kDigits[digit.digitValue()]);
    return text;
}

QColor between(const QColor& a, const QColor& b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

template <std::size_t N>
QColor along(const std::array<QRgb, N>& colors, double share)
{
    const double place = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0) * static_cast<double>(N - 1);
    const auto first = std::min(static_cast<std::size_t>(place), N - 2);
    return between(QColor::fromRgb(colors[first]), QColor::fromRgb(colors[first + 1]),
                   place - static_cast<double>(first));
}

} // namespace

QString powerText(int exponent, bool negative)
{
    const QString sign = negative ? QStringLiteral("−") : QString();
    if (exponent == 0)
        return sign + QLatin1Char('1');
    if (exponent == 1)
        return sign + QStringLiteral("10");
    return sign + QStringLiteral("10") + raised(exponent);
}

QString realText(double value, int digits)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (value == 0)
        return QStringLiteral("0");
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const QString sign = value < 0 ? QStringLiteral("−") : QString();
    if (exponent >= -3 && exponent < 6)
        return sign + QLocale().toString(std::abs(value), 'f', std::clamp(digits - 1 - exponent, 0, 9));
    const QString text = QString::number(std::abs(value), 'e', digits - 1); // "1.235e-05"
    const qsizetype at = text.indexOf(QLatin1Char('e'));
    return sign + QLocale().toString(text.left(at).toDouble(), 'f', digits - 1) + QStringLiteral("×10") +
           raised(text.mid(at + 1).toInt());
}

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

double SymlogScale::toAxis(double value) const
{
    const double size = std::abs(value) / threshold;
    const double place = size <= 1 ? size : 1 + std::log10(size);
    return value < 0 ? -place : place;
}

double SymlogScale::fromAxis(double place) const
{
    const double size = std::abs(place);
    const double value = threshold * (size <= 1 ? size : std::pow(10.0, size - 1));
    return place < 0 ? -value : value;
}

SymlogScale symlogFor(double least, double most, int decades)
{
    if (!(most > 0) || !std::isfinite(most))
        return {};
    const double top = std::ceil(std::log10(most));
    const double bottom = least > 0 ? std::floor(std::log10(least)) : top - decades;
    return {std::pow(10.0, std::clamp(bottom, top - decades, top - 1))};
}

std::vector<AxisMark> symlogMarks(const SymlogScale& scale, double low, double high, int most)
{
    std::vector<AxisMark> marks;
    const int base = static_cast<int>(std::lround(std::log10(scale.threshold)));
    const double span = std::max(high - low, 1e-9);
    const int step = std::max(1, static_cast<int>(std::ceil(span / std::max(most, 1))));
    const int first = static_cast<int>(std::ceil(low - 1e-9)), last = static_cast<int>(std::floor(high + 1e-9));
    for (int place = first; place <= last; ++place) {
        if (place == 0)
            marks.push_back({0, QStringLiteral("0")});
        else if (std::abs(place) % step == 0)
            marks.push_back({static_cast<double>(place), powerText(base + std::abs(place) - 1, place < 0)});
    }
    return marks;
}

std::vector<AxisMark> decadeMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks;
    const int first = static_cast<int>(std::ceil(low - 1e-9)), last = static_cast<int>(std::floor(high + 1e-9));
    for (int step = std::max(1, static_cast<int>(std::ceil((high - low) / std::max(most, 1)))); step > 0; --step) {
        marks.clear();
        for (int exponent = first; exponent <= last; ++exponent) {
            if (exponent % step == 0)
                marks.push_back({static_cast<double>(exponent), powerText(exponent)});
        }
        if (marks.size() > 1) // one alone is no scale
            break;
    }
    return marks;
}

std::vector<AxisMark> linearMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks;
    const double step = niceStep(high - low, most, 1), largest = std::max(std::abs(low), std::abs(high));
    if (!(high > low) || !(step > 0))
        return marks;
    const bool powers = largest >= 1e6 || largest < 1e-3;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
        const double value = k * step;
        QString label = powers ? realText(value, 2) : QLocale().toString(std::abs(value), 'f', decimals);
        if (!powers && value < -step * 1e-6)
            label.prepend(QStringLiteral("−"));
        marks.push_back({value, label});
    }
    return marks;
}

QColor viridis(double share)
{
    static constexpr std::array<QRgb, 11> kColors{0xff440154, 0xff482475, 0xff414487, 0xff355f8d,
                                                  0xff2a788e, 0xff21918c, 0xff22a884, 0xff44bf70,
                                                  0xff7ad151, 0xffbddf26, 0xfffde725};
    return along(kColors, share);
}

QColor divergingColor(double share, bool dark)
{
    // Blue to orange: apart for every common kind of colour blindness.
    static constexpr std::array<QRgb, 5> kLight{0xff08519c, 0xff6baed6, 0xfff7f7f7, 0xfffd9a4a, 0xffa63603};
    static constexpr std::array<QRgb, 5> kDark{0xff8ec9f5, 0xff2f78b5, 0xff333333, 0xffc3601a, 0xffffc08a};
    const double place = (std::clamp(std::isfinite(share) ? share : 0.0, -1.0, 1.0) + 1) / 2;
    return dark ? along(kDark, place) : along(kLight, place);
}

QColor readableOn(const QColor& fill)
{
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const double light = 0.2126 * linear(fill.redF()) + 0.7152 * linear(fill.greenF()) + 0.0722 * linear(fill.blueF());
    return light > 0.179 ? QColor(Qt::black) : QColor(Qt::white); // where both have the same contrast
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
        const double place = histogram.magnitude ? std::log10(std::abs(value)) : histogram.scale.toAxis(value);
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
    histogram.scale = symlogFor(small, large, kDecades);
    if (magnitude) {
        const double high = std::ceil(std::log10(large) + 1e-12);
        const double low = std::max(std::floor(std::log10(small)), high - 2 * kDecades);
        countEntries(histogram, diagonal, std::min(low, high - 1), high, bins);
        return histogram;
    }
    const double low = std::min(histogram.scale.toAxis(least), -1.0);
    const double high = std::max(histogram.scale.toAxis(most), 1.0);
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
    for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
        const std::uint32_t at = diagonal.parameter[i];
        LayerSum& sum = sums[{std::max<std::int64_t>(diagonal.layers[at], -1), diagonal.kinds[at]}];
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

} // namespace peakscope
