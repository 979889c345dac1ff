// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender.h"

#include "core/base/units.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender_changes.h"
#include "core/planning/recommend/recommender_answer.h"
#include "core/planning/recommend/recommender_folding.h"
#include "core/planning/recommend/recommender_ladder.h"
#include "core/planning/recommend/recommender_ranking.h"
#include "core/planning/recommend/recommender_wording.h"
#include "core/results/plans/estimated_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace peakscope {

namespace {

using Clock = std::chrono::steady_clock;

Error cancelled()
{
    return {ErrorCode::Interrupted, "the search was cancelled", ""};
}

bool runsHere(const Strategy& strategy)
{
    return strategy.verdict == Verdict::Comfortable || strategy.verdict == Verdict::Fits ||
           strategy.verdict == Verdict::Tight;
}

Strategy strategyOf(const PlanSpace& space, RankedStrategy& ranked)
{
    Strategy strategy;
    const PlanEvaluation& e = ranked.evaluation;
    strategy.title = titleOf(space, e.choice);
    strategy.verdict = e.verdict;
    strategy.tier = e.tier;
    for (const PlanChange* change : changesOf(space.target, e.choice)) {
        strategy.changes.push_back({change->name, change->tier});
    }
    strategy.devicesNeeded = e.choice.devices;
    strategy.marginBytes = space.device.usableBytes - space.device.contextBytes - e.reservedBytes;
    strategy.stepSeconds = e.work.known ? e.work.seconds : 0;
    strategy.givesUp = givenUp(space, e.choice);
    if (e.work.known && space.goal != Goal::Hessian)
        strategy.tokensPerSecond = 1 / e.secondsPerToken;
    strategy.reasons = reasonsOf(space, e, ranked.estimate);
    if (ranked.fillsCard) {
        strategy.reasons.push_back(
            fmt::format("data.batch {} is the largest that was tried and leaves room.", e.choice.batch));
    }
    strategy.experiment = documentOf(space, e.choice);
    strategy.estimate = std::move(ranked.estimate);
    return strategy;
}

std::vector<Strategy> strategiesOf(const PlanSpace& space, std::vector<RankedStrategy> ranked)
{
    std::vector<StrategyRow> rows = foldedRows(space, std::move(ranked));
    std::vector<Strategy> strategies;
    const PlanEvaluation* before = nullptr;
    for (StrategyRow& row : rows) {
        const PlanEvaluation& own = row.strategy.evaluation;
        Strategy strategy = strategyOf(space, row.strategy);
        strategy.reasons.push_back(before != nullptr ? comparison(space, *before, own) : firstSentence(space, own));
        for (RankedStrategy& variant : row.folded) {
            strategy.folded.push_back(strategyOf(space, variant));
            strategy.folded.back().reasons.push_back(comparison(space, own, variant.evaluation));
        }
        strategies.push_back(std::move(strategy));
        before = &own;
    }
    return strategies;
}

// What was taken for granted.
std::vector<std::string> notesOf(const PlanSpace& space, const Recommendation& found)
{
    std::vector<std::string> notes = space.notes; // what was understood other than written comes first
    notes.emplace_back(kEstimatedLoopSentence);
    const PlanChoice& t = space.target;
    notes.push_back(fmt::format("requested: {}; tiers are relative to this. Keys that are set (data.batch, data.seq, "
                                "dtype, training.*) are part of the request and stay unchanged",
                                titleOf(space, t)));
    notes.emplace_back(
        "what fits is ordered by tier, then by speed; within 2 % of speed, what has room and changes less comes "
        "first. Strategies that are neither faster nor smaller than a listed one of the same or an earlier tier are "
        "left out. So are shorter rows, lower ranks and fewer entries where more of them fit");
    notes.push_back(fmt::format("{} configurations estimated in {}: operator by operator, the depth from two shallow "
                                "simulations; those shown also with the caching allocator's model",
                                found.searched, formatSeconds(found.seconds)));
    notes.push_back(rooflineNote(space.device));
    if (!space.base.pretrained) {
        notes.emplace_back("experiments have \"weights\": \"random\": any checkpoint of the shape takes the same "
                           "memory; set \"pretrained\" to run one");
    }
    if (space.base.model.config.experts > 0) {
        notes.emplace_back(
            "each expert is taken to get as many tokens; \"estimate\" gives the peak for skewed loads too");
    }
    if (space.goal == Goal::DpSgd) {
        notes.push_back(fmt::format("noise_multiplier {} is not a recommendation: take what your epsilon needs, memory "
                                    "is the same",
                                    space.base.training.noiseMultiplier));
    }
    if (space.goal == Goal::Prm) {
        notes.emplace_back("times are those of one fine-tuning step, without the units' features and the scores under "
                           "noise. The peak covers all three");
    }
    if (takesCurvature(space.goal)) {
        notes.emplace_back("16 bits are not offered: curvature is computed in float32 or float64 only");
    }
    if (!space.device.cuda) {
        notes.emplace_back("on the CPU a tight verdict may swap: other programs use the same memory");
    }
    return notes;
}

std::int64_t leastOfEach(PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    const std::int64_t devices = search.space().devices;
    const PlanEvaluation* least = nullptr;
    for (const PlanEvaluation& e : ranked) {
        const bool all = devices > 1 && e.choice.devices == devices && e.tier == Tier::Exact;
        if (all && (least == nullptr || e.reservedBytes < least->reservedBytes))
            least = &e;
    }
    const auto found = least == nullptr ? std::nullopt : search.evaluate(least->choice, false);
    return found ? found->reservedBytes : 0;
}

Result<Recommendation> recommendIn(const RecommendOptions& options, const std::stop_token& stop)
{
    const auto start = Clock::now();
    const auto space = planSpace(options);
    if (!space) {
        return space.error();
    }
    Recommendation found;
    found.model = options.modelText;
    found.parameters = parameterCount(space->base.model.config);
    found.device = options.device;
    found.devices = space->devices;
    found.goal = options.goal;

    PlanSearch search(*space, stop);
    const std::vector<PlanEvaluation> ranked = search.all(options.progress);
    if (search.stopped()) {
        return cancelled();
    }
    if (ranked.empty()) {
        // Every configuration is impossible: the estimator's own sentence says why.
        const auto why = estimateMemory(space->base, estimateOptionsOf(*space, space->target));
        return why ? failed("", "no configuration of this model could be estimated") : why.error();
    }
    found.leastOfEach = leastOfEach(search, ranked);
    std::vector<RankedStrategy> chosen = chooseStrategies(search, ranked, options.most);
    const auto elsewhere = std::find_if(chosen.begin(), chosen.end(), [](const RankedStrategy& one) {
        return one.evaluation.verdict == Verdict::NeedsSharding && one.evaluation.tier == Tier::Exact;
    });
    found.ladder =
        ladderSteps(search, elsewhere == chosen.end() ? std::nullopt : std::optional(elsewhere->evaluation.choice));
    found.strategies = strategiesOf(*space, std::move(chosen));
    if (std::none_of(found.strategies.begin(), found.strategies.end(), runsHere)) {
        found.wouldFit = whatWouldFit(search, ranked);
    }
    if (search.stopped()) {
        return cancelled();
    }
    found.searched = search.searched();
    found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    found.notes = notesOf(*space, found);
    found.asked = trainedSubject(found.goal, space->base);
    found.answer = answerSentence(found);
    return found;
}

} // namespace

void applyProofs(Recommendation& found)
{
    for (Strategy& strategy : found.strategies) {
        if (!strategy.proved) {
            continue;
        }
        strategy.marginBytes = found.device.capacityBytes() - strategy.reservedBytes();
        if (!strategy.proved->fits)
            strategy.marginBytes = std::min<std::int64_t>(strategy.marginBytes, 0);
        const Verdict proved = verdictFor(*strategy.proved, found.device);
        const bool more = strategy.devicesNeeded > found.devices && proved != Verdict::DoesNotFit;
        strategy.verdict = more ? Verdict::NeedsSharding : proved;
        putProof(*strategy.proved, found, strategy);
    }
    std::stable_sort(found.strategies.begin(), found.strategies.end(),
                     [](const Strategy& a, const Strategy& b) { return rankClass(a.verdict) < rankClass(b.verdict); });
    found.answer = answerSentence(found);
}

Result<Recommendation> recommend(const RecommendOptions& options, std::stop_token stop)
{
    try {
        return recommendIn(options, stop);
    } catch (const std::exception& exception) {
        return badInput("", fmt::format("not a usable experiment to start from ({})", exception.what()));
    }
}

} // namespace peakscope
