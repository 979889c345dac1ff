// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which strategies are rows of their own, and which are variants that nobody would take for what they differ in: they
// stand under a row. Used within this folder.
#pragma once

#include "core/planning/recommend/recommender_ranking.h"

#include <vector>

namespace peakscope {

struct StrategyRow {
    RankedStrategy strategy;
    std::vector<RankedStrategy> folded; // in order of rank
};

// `ranked` in order of rank, which rows keep. Of training; other goals keep each as a row.
std::vector<StrategyRow> foldedRows(const PlanSpace& space, std::vector<RankedStrategy> ranked);

} // namespace peakscope
