// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/color_maps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

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

QColor viridis(double share)
{
    static constexpr std::array<QRgb, 11> kColors{0xff440154, 0xff482475, 0xff414487, 0xff355f8d,
                                                  0xff2a788e, 0xff21918c, 0xff22a884, 0xff44bf70,
                                                  0xff7ad151, 0xffbddf26, 0xfffde725};
    return along(kColors, share);
}

QColor sequentialColor(double share)
{
    static constexpr std::array<QRgb, 9> kColors{0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                                 0xff8a8678, 0xffa59c74, 0xffd2c060, 0xfffee838};
    return std::isnan(share) ? QColor(0x88, 0x88, 0x88) : along(kColors, share);
}

QColor divergingColor(double share, bool dark)
{
    // Apart for every common kind of colour blindness.
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

} // namespace peakscope
