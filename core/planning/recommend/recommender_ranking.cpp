// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_ranking.h"

#include "core/planning/recommend/parallel_for.h"
#include "core/planning/recommend/recommender_changes.h"
#include "core/planning/recommend/recommender_ladder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace peakscope {

namespace {

constexpr std::size_t kPlacesForSharded = 5;
constexpr std::size_t kPlacesWhereNothingRuns = 9;
constexpr std::size_t kPlacesForUnfit = 3;

// What is trained or computed, and in which precision; how it is run is a matter of its ways.
using KindKey =
    std::tuple<Dtype, Amp, OptimizerKind, WeightRounding, bool, bool, bool, Quantization, std::string, bool>;
// How much of it. More comes first, and less only where more does not fit.
using Grade = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

KindKey strategyKindOf(const PlanChoice& c)
{
    return {
        c.dtype,        c.amp,          c.optimizer,    c.rounding,      c.masters,
        c.loraRank > 0, c.wideAdapters, c.quantization, quantityWord(c), c.method == ProductMethod::FiniteDifference};
}

Grade gradeOf(const PlanSpace& space, const PlanChoice& c)
{
    return {c.seq, c.count, space.goal == Goal::Hessian ? c.batch : 0, c.loraRank};
}

// One row at a time leaves much of a card idle, which no roofline tells: for where nothing else fits.
bool hasRowsApart(const PlanChoice& c)
{
    return c.clipping == Clipping::Microbatch;
}

struct StrategyKind {
    std::map<Grade, std::vector<const PlanEvaluation*>, std::greater<>> here; // on the devices at hand
    std::map<Sharding, std::vector<const PlanEvaluation*>> elsewhere;         // as asked for, on more devices
    std::map<Grade, std::vector<PlanChoice>, std::greater<>> later;           // here, less than all of those
};

void orderWays(std::vector<const PlanEvaluation*>& ways)
{
    std::stable_sort(ways.begin(), ways.end(),
                     [](const PlanEvaluation* a, const PlanEvaluation* b) { return preferred(*a, *b); });
    std::ranges::stable_partition(ways, [](const PlanEvaluation* way) { return !hasRowsApart(way->choice); });
}

// Of what was searched, the rows of a step that were asked for: all of them, in passes of fewer where it takes that.
bool asManyRows(const PlanSpace& space, const PlanChoice& c)
{
    const PlanChoice& asked = space.target;
    return keepsRows(space) ? c.batch <= asked.batch : c.rowsOfDevice() == asked.rowsOfDevice();
}

std::vector<StrategyKind> kindsOf(const PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    const PlanSpace& space = search.space();
    std::map<KindKey, StrategyKind> kinds;
    for (const PlanEvaluation& evaluation : ranked) {
        const PlanChoice& c = evaluation.choice;
        if (exceeds(space, c) || !asManyRows(space, c)) {
            continue;
        }
        StrategyKind& kind = kinds[strategyKindOf(c)];
        if (c.devices <= space.devices) {
            kind.here[gradeOf(space, c)].push_back(&evaluation);
        } else if (evaluation.verdict == Verdict::NeedsSharding) {
            kind.elsewhere[c.sharding].push_back(&evaluation);
        }
    }
    for (const PlanChoice& c : space.choices) {
        if (search.comesLater(c) && c.devices <= space.devices && !exceeds(space, c) && asManyRows(space, c)) {
            kinds[strategyKindOf(c)].later[gradeOf(space, c)].push_back(c);
        }
    }
    std::vector<StrategyKind> list;
    for (auto& [key, kind] : kinds) {
        for (auto& [grade, ways] : kind.here) {
            orderWays(ways);
        }
        list.push_back(std::move(kind));
    }
    return list;
}

std::optional<RankedStrategy> confirm(PlanSearch& search, const PlanChoice& choice)
{
    RankedStrategy strategy;
    auto evaluation = search.evaluate(choice, false, &strategy.estimate);
    if (!evaluation) {
        return std::nullopt;
    }
    strategy.evaluation = std::move(*evaluation);
    return strategy;
}

// Whether the allocator's model may let it through: it holds at least what is allocated.
bool mayFit(const PlanSpace& space, const PlanEvaluation& e)
{
    return e.peakBytes + space.device.contextBytes <= space.device.usableBytes;
}

// The ways of one grade that fit, each slower than those before it and smaller.
std::vector<RankedStrategy> waysThatFit(PlanSearch& search, const std::vector<const PlanEvaluation*>& ways)
{
    const PlanSpace& space = search.space();
    std::vector<RankedStrategy> kept;
    std::int64_t refused = std::numeric_limits<std::int64_t>::max(); // the least peak that did not fit after all
    for (const PlanEvaluation* way : ways) {
        const bool needless = std::any_of(kept.begin(), kept.end(), [&](const RankedStrategy& one) {
            return makesNeedless(space, one.evaluation, *way);
        });
        if (needless || !mayFit(space, *way) || way->peakBytes >= refused || search.stopped() ||
            (hasRowsApart(way->choice) && !kept.empty())) {
            continue;
        }
        auto strategy = confirm(search, way->choice);
        if (!strategy) {
            continue;
        }
        if (rankClass(strategy->evaluation.verdict) == 0) {
            kept.push_back(std::move(*strategy));
        } else {
            refused = way->peakBytes;
        }
    }
    return kept;
}

// The same way with as many rows in a pass as leave room (a verdict of tight is for what has none): what people run,
// for more rows at once are faster. More rows take more memory, so that few of the sizes are estimated.
RankedStrategy filled(PlanSearch& search, RankedStrategy one)
{
    const PlanSpace& space = search.space();
    const PlanChoice& kept = one.evaluation.choice;
    if (hasRowsApart(kept)) {
        return one;
    }
    const auto of = [&space, choice = kept](std::int64_t rows) {
        PlanChoice more = choice;
        if (!keepsRows(space)) {
            more.batch = std::max(choice.rowsOfDevice(), rows) * choice.devices;
        }
        more.physical = std::min(rows, more.rowsOfDevice());
        more.implementation = space.target.implementation; // each size is given the one that it needs
        return more;
    };
    const auto least = std::upper_bound(space.moreRows.begin(), space.moreRows.end(), kept.physical);
    auto size = std::partition_point(least, space.moreRows.end(), [&](std::int64_t rows) {
        // Simulating a batch far beyond takes longer than all the others.
        const bool may = leastBytes(space, of(rows)) <= static_cast<double>(space.device.usableBytes);
        const auto e = may ? search.evaluateEither(of(rows)) : std::nullopt;
        return e && mayFit(space, *e);
    });
    while (size != least && !search.stopped()) {
        const auto e = search.evaluateEither(of(*--size));
        auto confirmed = e ? confirm(search, e->choice) : std::nullopt;
        if (confirmed && confirmed->evaluation.verdict <= Verdict::Fits) {
            confirmed->fillsCard = true;
            return std::move(*confirmed);
        }
    }
    return one;
}

std::optional<RankedStrategy> confirmSharded(PlanSearch& search, const PlanChoice& choice)
{
    RankedStrategy strategy;
    auto evaluation = shardsThatFit(search, choice, &strategy.estimate);
    if (!evaluation) {
        return std::nullopt;
    }
    strategy.evaluation = std::move(*evaluation);
    return strategy;
}

// A stage that shares more is worth its messages only where it takes fewer devices.
std::vector<RankedStrategy> waysElsewhere(PlanSearch& search, const StrategyKind& kind)
{
    std::vector<RankedStrategy> kept;
    for (const auto& [stage, ways] : kind.elsewhere) {
        auto strategy = confirmSharded(search, ways.front()->choice);
        const bool fewer = strategy && std::all_of(kept.begin(), kept.end(), [&](const RankedStrategy& one) {
                               return strategy->evaluation.choice.devices < one.evaluation.choice.devices;
                           });
        if (fewer) {
            kept.push_back(std::move(*strategy));
        }
    }
    return kept;
}

std::vector<RankedStrategy> laterWaysThatFit(PlanSearch& search, const std::vector<PlanChoice>& choices)
{
    std::vector<PlanEvaluation> found;
    for (const PlanChoice& choice : choices) {
        if (auto evaluation = search.evaluateEither(choice); evaluation && !search.stopped()) {
            found.push_back(std::move(*evaluation));
        }
    }
    std::stable_sort(found.begin(), found.end(), ranksBefore);
    std::vector<const PlanEvaluation*> ways;
    for (const PlanEvaluation& one : found) {
        ways.push_back(&one);
    }
    orderWays(ways);
    return waysThatFit(search, ways);
}

struct KindWays {
    std::vector<RankedStrategy> here;
    std::vector<RankedStrategy> elsewhere;
    const PlanEvaluation* nearest = nullptr; // where neither has any
};

KindWays waysOf(PlanSearch& search, const StrategyKind& kind)
{
    KindWays ways;
    bool whole = true; // nothing but the first grade was tried
    for (auto grade = kind.here.begin(); grade != kind.here.end() && ways.here.empty(); ++grade) {
        ways.here = waysThatFit(search, grade->second);
        whole = grade == kind.here.begin();
        for (const PlanEvaluation* way : grade->second) {
            if (whole && (ways.nearest == nullptr || way->reservedBytes < ways.nearest->reservedBytes)) {
                ways.nearest = way;
            }
        }
    }
    for (auto grade = kind.later.begin(); grade != kind.later.end() && ways.here.empty(); ++grade) {
        ways.here = laterWaysThatFit(search, grade->second);
        whole = false;
    }
    for (RankedStrategy& one : ways.here) {
        one = filled(search, std::move(one));
    }
    if (ways.here.empty() || !whole) {
        ways.elsewhere = waysElsewhere(search, kind);
    }
    return ways;
}

bool rankedBefore(const RankedStrategy& a, const RankedStrategy& b)
{
    return ranksBefore(a.evaluation, b.evaluation);
}

// Of what fits and is as quick as rooflines can tell, what changes less comes first: the optimiser that was asked for
// before another one that saves a hair. What is tight does not pass what has room.
void fewerChangesFirst(std::vector<RankedStrategy>& ranked)
{
    const auto first = [](const PlanEvaluation& a, const PlanEvaluation& b) {
        const bool tighter = a.verdict == Verdict::Tight && b.verdict != Verdict::Tight;
        return rankClass(a.verdict) == 0 && rankClass(b.verdict) == 0 && a.tier == b.tier && !tighter &&
               changesLess(a, b);
    };
    for (std::size_t i = 1; i < ranked.size(); ++i) {
        for (std::size_t at = i; at > 0 && first(ranked[at].evaluation, ranked[at - 1].evaluation); --at) {
            std::swap(ranked[at], ranked[at - 1]);
        }
    }
}

// What fits, without what another makes needless; further ways of a kind also fall to another kind of their tier that
// is faster and smaller, unless by no more than roofline times can tell and with more changes.
std::vector<RankedStrategy> withoutWorse(const PlanSpace& space, std::vector<std::vector<RankedStrategy>> kinds)
{
    struct Row {
        RankedStrategy* strategy;
        std::size_t kind;
        bool needless;
    };
    std::vector<Row> rows;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        for (RankedStrategy& one : kinds[i]) {
            rows.push_back({&one, i, false});
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return rankedBefore(*a.strategy, *b.strategy); });
    const auto dropWhere = [&rows](const auto& drops) {
        for (Row& row : rows) {
            row.needless = row.needless || std::any_of(rows.begin(), rows.end(), [&](const Row& other) {
                               return &other != &row && !other.needless && drops(other, row);
                           });
        }
    };
    dropWhere([&space](const Row& other, const Row& row) {
        const PlanEvaluation& its = other.strategy->evaluation;
        const PlanEvaluation& mine = row.strategy->evaluation;
        return takesNoMore(space.target, its.choice, mine.choice) && makesNeedless(space, its, mine);
    });
    std::vector<const Row*> firsts(kinds.size(), nullptr);
    for (const Row& row : rows) {
        if (!row.needless && firsts[row.kind] == nullptr) {
            firsts[row.kind] = &row;
        }
    }
    dropWhere([&firsts](const Row& other, const Row& row) {
        const PlanEvaluation& its = other.strategy->evaluation;
        const PlanEvaluation& mine = row.strategy->evaluation;
        return firsts[row.kind] != &row && its.tier == mine.tier && isWorse(mine, its) && !changesLess(mine, its);
    });
    std::vector<RankedStrategy> kept;
    for (const Row& row : rows) {
        if (!row.needless) {
            kept.push_back(std::move(*row.strategy));
        }
    }
    return kept;
}

// What was asked for, and of each tier the nearest of what runs nowhere.
std::vector<RankedStrategy> unfit(PlanSearch& search, std::vector<const PlanEvaluation*> nearest)
{
    std::vector<RankedStrategy> strategies;
    const auto add = [&](const PlanChoice& choice) {
        auto strategy = confirm(search, choice);
        if (strategy && strategy->evaluation.verdict == Verdict::DoesNotFit) {
            strategies.push_back(std::move(*strategy));
        }
    };
    add(search.space().target);
    std::stable_sort(nearest.begin(), nearest.end(), [](const PlanEvaluation* a, const PlanEvaluation* b) {
        return a->reservedBytes < b->reservedBytes;
    });
    std::vector<Tier> shown;
    for (const PlanEvaluation* one : nearest) {
        if (std::find(shown.begin(), shown.end(), one->tier) == shown.end() &&
            !(one->choice == search.space().target)) {
            shown.push_back(one->tier);
            add(one->choice);
        }
    }
    return strategies;
}

void addRanked(std::vector<RankedStrategy>& list, std::vector<RankedStrategy> more, std::size_t places)
{
    std::stable_sort(more.begin(), more.end(), rankedBefore);
    more.resize(std::min(more.size(), places));
    std::move(more.begin(), more.end(), std::back_inserter(list));
}

} // namespace

std::vector<RankedStrategy> chooseStrategies(PlanSearch& search, const std::vector<PlanEvaluation>& ranked,
                                             std::size_t most)
{
    const std::vector<StrategyKind> kinds = kindsOf(search, ranked);
    std::vector<KindWays> ways(kinds.size());
    parallelFor(kinds.size(), 1, search.stopToken(),
                [&](std::size_t begin, std::size_t) { ways[begin] = waysOf(search, kinds[begin]); });
    std::vector<std::vector<RankedStrategy>> here;
    std::vector<RankedStrategy> elsewhere;
    std::vector<const PlanEvaluation*> nearest;
    for (KindWays& one : ways) {
        if (one.here.empty() && one.elsewhere.empty() && one.nearest != nullptr) {
            nearest.push_back(one.nearest);
        }
        here.push_back(std::move(one.here));
        std::move(one.elsewhere.begin(), one.elsewhere.end(), std::back_inserter(elsewhere));
    }
    std::vector<RankedStrategy> strategies = withoutWorse(search.space(), std::move(here));
    const auto left = [&] { return most > strategies.size() ? most - strategies.size() : std::size_t{0}; };
    const std::size_t sharded = strategies.empty() ? kPlacesWhereNothingRuns : kPlacesForSharded;
    addRanked(strategies, std::move(elsewhere), std::min(left(), sharded));
    addRanked(strategies, unfit(search, std::move(nearest)), std::min(left(), kPlacesForUnfit));
    std::stable_sort(strategies.begin(), strategies.end(), rankedBefore);
    fewerChangesFirst(strategies);
    return strategies;
}

} // namespace peakscope
