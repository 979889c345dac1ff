// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_style.h"

#include "core/analysis/comparison/run_comparison.h"

#include <array>
#include <cmath>
#include <numbers>

namespace peakscope {

namespace {

// In light and, brighter, in dark surroundings: at least 3:1 on either background.
constexpr std::array<std::pair<unsigned, unsigned>, 6> kColors{{{0x4477AA, 0x77AADD},
                                                                {0xD64255, 0xFF8899},
                                                                {0x228833, 0x55BB66},
                                                                {0x96800A, 0xDDCC55},
                                                                {0x0089A8, 0x66CCEE},
                                                                {0xAA3377, 0xDD77AA}}};

constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};

QPolygonF regular(QPointF centre, double radius, int corners, double start)
{
    QPolygonF outline;
    for (int i = 0; i < corners; ++i) {
        const double angle = start + 2 * std::numbers::pi * i / corners;
        outline << centre + QPointF(std::cos(angle), std::sin(angle)) * radius;
    }
    return outline;
}

} // namespace

QString compareLetter(std::size_t run)
{
    return QString::fromStdString(comparisonLetter(run));
}

QColor compareColor(std::size_t run, bool dark)
{
    const auto& [light, bright] = kColors[run % kColors.size()];
    return QColor(QRgb(dark ? bright : light));
}

Qt::PenStyle comparePenStyle(std::size_t run)
{
    return kStyles[run % std::size(kStyles)];
}

QPolygonF compareMarker(std::size_t run, QPointF centre, double size)
{
    constexpr double kUp = -std::numbers::pi / 2;
    const double radius = size / 2;
    switch (run % 7) {
    case 0:
        return regular(centre, radius, 24, 0);
    case 1:
        return regular(centre, radius * 1.25, 4, kUp + std::numbers::pi / 4);
    case 2:
        return regular(centre, radius * 1.3, 3, kUp);
    case 3:
        return regular(centre, radius * 1.25, 4, kUp);
    case 4:
        return regular(centre, radius * 1.3, 3, -kUp);
    case 5:
        return regular(centre, radius * 1.15, 5, kUp);
    default:
        return regular(centre, radius * 1.15, 6, 0);
    }
}

} // namespace peakscope
