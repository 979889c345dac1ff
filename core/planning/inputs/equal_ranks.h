// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several ranks need the same memory, so that a dry run makes one of them for all. No LibTorch; any thread.
#pragma once

#include "core/experiment/experiment.h"

#include <cstdint>
#include <vector>

namespace peakscope {

// By rank: the first rank that has as many rows, rows as long and shards as large in every step, maybe itself. The last
// rank always stands for itself: it is the one with less where something does not divide.
std::vector<std::int64_t> equalRanks(const Experiment& experiment, std::int64_t ranks);

} // namespace peakscope
