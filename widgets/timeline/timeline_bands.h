// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps and phases along a time axis, gathered until each can be seen: a hundred steps in an inch are one band "1–100",
// not a hundred lines, and phases thinner than a point are shares of a band. Places are in the picture's own unit
// (pixels, points). Used by the timeline views and by the figures.
#pragma once

#include "core/results/component.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace peakscope {

struct StepBand {
    double left = 0, right = 0;
    std::int64_t first = 0, last = 0; // equal for a band of one step

    double width() const { return right - left; }
};

// `steps` in order of time, one a band. Where the steps of a stretch without gaps are narrower than `roomFor` asks of
// their words, 2, 5, 10, ... of them join, at last all of the stretch, whose numbers rise; none is narrower than
// `least`, but for one that stands alone.
std::vector<StepBand> gatherSteps(const std::vector<StepBand>& steps,
                                  const std::function<double(const StepBand&)>& roomFor, double least);

// "7", "1–100".
QString stepBandText(const StepBand& band);

struct PhasePiece {
    Phase phase = Phase::Load;
    double left = 0, right = 0;
};

struct PhaseBand {
    double left = 0, right = 0;
    std::vector<std::pair<Phase, double>> shares; // of its time; they sum up to 1, in the order of Phase

    bool isOne() const { return shares.size() == 1; }
    Phase main() const; // that of the largest share
};

// `pieces` in order of time. Those at least `least` wide are a band each; what is thinner is gathered into bands about
// `window` wide with the share of every phase.
std::vector<PhaseBand> gatherPhases(const std::vector<PhasePiece>& pieces, double least, double window);

} // namespace peakscope
