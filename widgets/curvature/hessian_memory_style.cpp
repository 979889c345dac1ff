// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/hessian_memory_style.h"

#include "widgets/text/bytes_text.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

QString hessianStrategyTitle(HessianStrategyKind kind)
{
    switch (kind) {
    case HessianStrategyKind::Diagonal:
        return HessianMemoryText::tr("Diagonal");
    case HessianStrategyKind::BlockDiagonal:
        return HessianMemoryText::tr("Block diagonal");
    case HessianStrategyKind::Approximate:
        return HessianMemoryText::tr("Approximate");
    case HessianStrategyKind::Full:
        return HessianMemoryText::tr("Full matrix");
    }
    return {};
}

std::vector<HessianPart> hessianPartWords()
{
    return {{Component::Parameters, HessianMemoryText::tr("Parameters")},
            {Component::Gradients, HessianMemoryText::tr("Gradients")},
            {Component::Activations, HessianMemoryText::tr("Activations")},
            {Component::Workspace, HessianMemoryText::tr("Intermediate results")},
            {Component::Hessian, HessianMemoryText::tr("Hessian")}};
}

std::vector<HessianPart> hessianParts(const HessianStrategy& strategy)
{
    if (!strategy.hasParts)
        return {{Component::Other, QString(), strategy.total}};
    std::vector<HessianPart> parts = hessianPartWords();
    const double bytes[] = {strategy.parameters, strategy.gradients, strategy.activations, strategy.intermediate,
                            strategy.hessian};
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].bytes = bytes[i];
    return parts;
}

double hessianLinearMost(const std::vector<HessianStrategy>& strategies)
{
    double least = 0;
    for (const HessianStrategy& strategy : strategies) {
        if (strategy.total > 0 && (least == 0 || strategy.total < least))
            least = strategy.total;
    }
    return least * kHessianLinearRange;
}

double HessianByteScale::place(double bytes) const
{
    return bytes > 0 ? std::max(0.0, std::log2(bytes) - first) : 0;
}

std::vector<AxisMark> HessianByteScale::marks(double low, double high, int most) const
{
    const double from = first + low, to = first + high;
    int step = 1; // doublings between two marks
    for (const int wider : {2, 5, 10, 20, 30}) {
        if ((to - from) / step > std::max(most, 2))
            step = wider;
    }
    std::vector<AxisMark> marks;
    for (auto power = static_cast<int>(std::ceil(from / step)) * step; power <= to; power += step)
        marks.push_back({power - first, largeBytesText(std::exp2(power))});
    return marks;
}

HessianByteScale hessianByteScale(const HessianAnalysis& analysis)
{
    double least = 0;
    for (const HessianAnalysisModel& model : analysis.models) {
        for (const HessianStrategy& strategy : hessianStrategies(model)) {
            if (strategy.total > 0 && (least == 0 || strategy.total < least))
                least = strategy.total;
        }
    }
    // So that the shortest bar can be seen, too.
    return {least > 0 ? std::floor(std::log2(least)) - 2 : 0};
}

} // namespace peakscope
