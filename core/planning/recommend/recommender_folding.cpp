// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_folding.h"

#include <algorithm>
#include <tuple>

namespace peakscope {
namespace {

constexpr double kMuchSlower = 2;    // times the first of its part
constexpr std::size_t kMostRows = 3; // of one part of what fits; of other parts one

// What is trained and in which precision: how it is run (checkpointing, loss head, attention) makes no row of its own.
auto trainedAs(const PlanChoice& c)
{
    return std::tuple(c.dtype, c.amp, c.optimizer, c.rounding, c.masters, c.loraRank, c.wideAdapters, c.quantization,
                      c.clipping, c.sharding);
}

// What fits by its tier, then what needs more devices by its tier, then what does not fit.
std::pair<int, Tier> partOf(const PlanEvaluation& e)
{
    const int order = rankClass(e.verdict);
    return {order, order == 2 ? Tier::Exact : e.tier};
}

// The row that a strategy stands under; nothing: it is one itself. `begin`: where its part of the rows begins.
StrategyRow* rowFor(const PlanEvaluation& e, std::vector<StrategyRow>& rows, std::size_t begin)
{
    if (begin == rows.size())
        return nullptr;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto same = std::find_if(first, rows.end(), [&e](const StrategyRow& row) {
        return trainedAs(row.strategy.evaluation.choice) == trainedAs(e.choice);
    });
    if (same != rows.end())
        return &*same;
    const bool fits = rankClass(e.verdict) == 0;
    if (fits && e.secondsPerToken > kMuchSlower * first->strategy.evaluation.secondsPerToken)
        return &*first;
    const std::size_t most = fits ? kMostRows : 1;
    return rows.size() - begin >= most ? &rows.back() : nullptr;
}

} // namespace

std::vector<StrategyRow> foldedRows(const PlanSpace& space, std::vector<RankedStrategy> ranked)
{
    const bool folds = space.goal == Goal::Train || space.goal == Goal::DpSgd;
    std::vector<StrategyRow> rows;
    std::size_t begin = 0; // of the present part
    for (RankedStrategy& one : ranked) {
        if (!rows.empty() && partOf(rows.back().strategy.evaluation) != partOf(one.evaluation))
            begin = rows.size();
        StrategyRow* row = folds ? rowFor(one.evaluation, rows, begin) : nullptr;
        if (row != nullptr)
            row->folded.push_back(std::move(one));
        else
            rows.push_back({std::move(one), {}});
    }
    return rows;
}

} // namespace peakscope
