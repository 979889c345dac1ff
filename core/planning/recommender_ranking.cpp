// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommender_ranking.h"

#include "core/planning/parallel_for.h"
#include "core/planning/recommender_ladder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace peakscope {

namespace {

constexpr std::size_t kPlacesForSharded = 5;
constexpr std::size_t kPlacesWhereNothingRuns = 9;
constexpr std::size_t kPlacesForUnfit = 3;
constexpr std::size_t kLikeFirst = 3;   // strategies of one family before others get their turn
constexpr std::size_t kMostRetries = 8; // smaller ways of a strategy that the allocator's model refused

// Strategies of one group differ only in how they are run: rows, attention, loss head.
using GroupKey = std::tuple<Dtype, Amp, OptimizerKind, std::int64_t, bool, Sharding, std::int64_t, std::int64_t,
                            Clipping, std::string, std::string, std::int64_t>;

GroupKey groupOf(const PlanEvaluation& e, std::int64_t devicesHere)
{
    const PlanChoice& c = e.choice;
    const bool more = c.devices > devicesHere; // how many more is a matter of running it
    return {c.dtype, c.amp,      c.optimizer, c.loraRank, c.checkpointing, c.sharding, more ? -1 : c.devices,
            c.seq,   c.clipping, c.quantity,  c.method,   c.count};
}

using FamilyKey = std::tuple<Dtype, Amp, OptimizerKind, bool, Clipping, std::string, std::string, int>;

FamilyKey familyOf(const PlanEvaluation& e)
{
    const PlanChoice& c = e.choice;
    return {c.dtype, c.amp, c.optimizer, c.loraRank > 0, c.clipping, c.quantity, c.method, rankClass(e.verdict)};
}

// Groups in order of their best member; members in order of rank.
struct Groups {
    std::vector<std::vector<const PlanEvaluation*>> members;
};

// The same strategy on one device.
GroupKey unsharded(PlanEvaluation evaluation)
{
    evaluation.choice.sharding = Sharding::None;
    evaluation.choice.devices = 1;
    return groupOf(evaluation, 1);
}

Groups groupsOf(const std::vector<PlanEvaluation>& ranked, std::int64_t devicesHere)
{
    Groups groups;
    std::map<GroupKey, std::size_t> places;
    std::set<GroupKey> running;
    for (const PlanEvaluation& evaluation : ranked) {
        if (rankClass(evaluation.verdict) < 2) {
            running.insert(unsharded(evaluation));
        } else if (evaluation.choice.devices > devicesHere && running.count(unsharded(evaluation)) > 0) {
            continue; // it runs without more devices
        }
        const auto [place, fresh] = places.try_emplace(groupOf(evaluation, devicesHere), groups.members.size());
        if (fresh) {
            groups.members.emplace_back();
        }
        groups.members[place->second].push_back(&evaluation);
    }
    return groups;
}

// The groups to show: a share for each outcome, and within it variety before the next best of a kind.
std::vector<std::size_t> pick(const Groups& groups, std::size_t most, std::int64_t devicesHere)
{
    std::vector<std::size_t> byOutcome[3]; // runs, sharded, unfit
    for (std::size_t i = 0; i < groups.members.size(); ++i) {
        const int order = rankClass(groups.members[i].front()->verdict);
        if (order == 3 && groups.members[i].front()->choice.devices > devicesHere) {
            continue; // more devices that do not help either
        }
        byOutcome[order < 2 ? 0 : order - 1].push_back(i);
    }
    const std::size_t unfit = std::min(kPlacesForUnfit, byOutcome[2].size());
    const std::size_t sharded =
        std::min(byOutcome[0].empty() ? kPlacesWhereNothingRuns : kPlacesForSharded, byOutcome[1].size());
    const std::size_t running = most > unfit + sharded ? most - unfit - sharded : std::min<std::size_t>(1, most);
    const std::size_t places[3] = {running, sharded, unfit};
    std::vector<std::size_t> chosen;
    for (int outcome = 0; outcome < 3; ++outcome) {
        std::map<FamilyKey, std::size_t> alike;
        std::vector<std::size_t> first, later;
        for (const std::size_t group : byOutcome[outcome]) {
            const bool early = ++alike[familyOf(*groups.members[group].front())] <= kLikeFirst;
            (early ? first : later).push_back(group);
        }
        first.insert(first.end(), later.begin(), later.end());
        first.resize(std::min(first.size(), places[outcome]));
        chosen.insert(chosen.end(), first.begin(), first.end());
    }
    return chosen;
}

// The least number of devices that is enough, once the allocator's model is asked.
std::optional<RankedStrategy> confirmSharded(PlanSearch& search, const PlanChoice& choice)
{
    const std::int64_t least = std::max(search.space().devices + 1, devicesToFit(search, choice));
    for (std::int64_t devices = least; devices < least + 4 && !search.stopped(); ++devices) {
        RankedStrategy strategy;
        auto evaluation = search.evaluate(onDevices(search.space(), choice, devices), false, &strategy.estimate);
        if (evaluation && evaluation->verdict == Verdict::NeedsSharding) {
            strategy.evaluation = *evaluation;
            return strategy;
        }
    }
    return std::nullopt;
}

// The group's best member that is what it was taken for once the allocator's model is asked.
std::optional<RankedStrategy> confirm(PlanSearch& search, const std::vector<const PlanEvaluation*>& members)
{
    if (members.front()->verdict == Verdict::NeedsSharding) {
        return confirmSharded(search, members.front()->choice);
    }
    std::optional<RankedStrategy> last;
    std::int64_t smaller = members.front()->reservedBytes + 1;
    std::size_t tries = 0;
    for (const PlanEvaluation* member : members) {
        if (member->reservedBytes >= smaller || search.stopped()) {
            continue;
        }
        RankedStrategy strategy;
        auto evaluation = search.evaluate(member->choice, false, &strategy.estimate);
        if (!evaluation) {
            continue;
        }
        strategy.evaluation = *evaluation;
        const bool as = rankClass(evaluation->verdict) <= std::max(1, rankClass(members.front()->verdict));
        if (!last || as) {
            last = std::move(strategy);
        }
        if (as || ++tries >= kMostRetries) {
            break;
        }
        smaller = member->reservedBytes;
    }
    return last;
}

} // namespace

std::vector<RankedStrategy> chooseStrategies(PlanSearch& search, const std::vector<PlanEvaluation>& ranked,
                                             std::size_t most)
{
    const Groups groups = groupsOf(ranked, search.space().devices);
    const std::vector<std::size_t> chosen = pick(groups, std::max<std::size_t>(1, most), search.space().devices);
    std::vector<std::optional<RankedStrategy>> confirmed(chosen.size());
    parallelFor(chosen.size(), 1, search.stopToken(), [&](std::size_t begin, std::size_t) {
        confirmed[begin] = confirm(search, groups.members[chosen[begin]]);
    });
    std::vector<RankedStrategy> strategies;
    for (auto& one : confirmed) {
        if (one) {
            strategies.push_back(std::move(*one));
        }
    }
    std::stable_sort(strategies.begin(), strategies.end(), [](const RankedStrategy& a, const RankedStrategy& b) {
        return ranksBefore(a.evaluation, b.evaluation);
    });
    return strategies;
}

} // namespace peakscope
