// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep says of itself when it ends, on one line each. Used by the command.
#pragma once

#include "core/results/sweeps/sweep_document.h"

#include <string>

namespace peakscope {

std::size_t countPoints(const SweepDocument& sweep, SweepCellState state);
// "6 points: 4 measured, 2 over budget".
std::string sweepSentence(const SweepDocument& sweep);
// "the machine was too busy to compare the times of 2 of 6 points (…)"; empty where it was not, or nobody knows.
std::string busySentence(const SweepDocument& sweep);

} // namespace peakscope
