// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_words.h"

#include "core/results/sweeps/timed_round.h"

#include <algorithm>

namespace peakscope {

std::size_t countPoints(const SweepDocument& sweep, SweepCellState state)
{
    return static_cast<std::size_t>(std::count_if(sweep.points.begin(), sweep.points.end(),
                                                  [state](const SweepPoint& point) { return point.state() == state; }));
}

std::string sweepSentence(const SweepDocument& sweep)
{
    std::string text = std::to_string(sweep.points.size()) +
                       " points: " + std::to_string(countPoints(sweep, SweepCellState::Measured)) +
                       (sweep.dry() ? " run dry" : " measured");
    for (const auto& [state, words] : {std::pair{SweepCellState::OverBudget, "over budget"},
                                       {SweepCellState::PredictedOverBudget, "predicted over budget"},
                                       {SweepCellState::Failed, "failed"},
                                       {SweepCellState::Impossible, "impossible"},
                                       {SweepCellState::Waiting, "not run"}}) {
        if (const std::size_t number = countPoints(sweep, state))
            text += ", " + std::to_string(number) + " " + words;
    }
    return text;
}

std::string busySentence(const SweepDocument& sweep)
{
    std::size_t busy = 0;
    std::string first;
    for (const SweepPoint& point : sweep.points) {
        const std::vector<TimedRound> rounds = roundsFromJson(point.other);
        if (!tooBusy(rounds))
            continue;
        ++busy;
        if (first.empty())
            first = sweepSetting(point.values) + ": " + busyText(rounds);
    }
    if (busy == 0)
        return {};
    return "the machine was too busy to compare the times of " + std::to_string(busy) + " of " +
           std::to_string(sweep.points.size()) + " points (" + first + ")";
}

} // namespace peakscope
