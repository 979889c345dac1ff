// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the sums of a hessian_memory_analysis.json are drawn, in the window and in the figure: their words, the parts of
// a bar, and the axis on which bytes and petabytes stand beside one another. Private to the widgets.
#pragma once

#include "core/results/component.h"
#include "core/results/plans/hessian_analysis.h"
#include "widgets/plot/value_scale.h"

#include <QCoreApplication>
#include <QString>

#include <vector>

namespace peakscope {

struct HessianMemoryText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::HessianMemoryText)
};

QString hessianStrategyTitle(HessianStrategyKind kind);

struct HessianPart {
    Component component = Component::Hessian; // whose colour it has
    QString name;
    double bytes = 0;
};
// In the order of the stack; one part without a name where the file does not say what the sum is of.
std::vector<HessianPart> hessianParts(const HessianStrategy& strategy);
// Every part that stacks have, for legends; without bytes.
std::vector<HessianPart> hessianPartWords();

// A sum of more than this many times the smallest of its model leaves nothing of the others on a linear axis.
inline constexpr double kHessianLinearRange = 100;
double hessianLinearMost(const std::vector<HessianStrategy>& strategies);

// A logarithmic axis of bytes: a place is how often a sum is twice what the axis begins with.
struct HessianByteScale {
    double first = 0; // power of two where the axis begins

    double place(double bytes) const;
    // Powers of two, at most about `most`.
    std::vector<AxisMark> marks(double low, double high, int most) const;
};
HessianByteScale hessianByteScale(const HessianAnalysis& analysis);

} // namespace peakscope
