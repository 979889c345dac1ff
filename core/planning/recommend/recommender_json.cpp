// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender.h"
#include "core/results/plans/estimated_loop.h"

namespace peakscope {

namespace {

nlohmann::json componentsOf(const ComponentBytes& bytes)
{
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        object[std::string(name(static_cast<Component>(i)))] = bytes[i];
    }
    return object;
}

nlohmann::json deviceJson(const PlanDevice& device)
{
    return {{"id", device.id},
            {"name", device.name},
            {"cuda", device.cuda},
            {"total_bytes", device.totalBytes},
            {"usable_bytes", device.usableBytes},
            {"context_bytes", device.contextBytes}};
}

nlohmann::json changesJson(const Strategy& strategy)
{
    nlohmann::json changes = nlohmann::json::array();
    for (const StrategyChange& change : strategy.changes) {
        changes.push_back({{"change", change.name}, {"tier", name(change.tier)}});
    }
    return changes;
}

void writeScript(const StrategyScript& script, nlohmann::json& object)
{
    if (script.path.empty()) {
        object["no_script"] = script.absence;
        return;
    }
    object["loop"] = name(script.loop);
    object["script"] = script.path;
    object["command"] = script.command;
    object["dry_command"] = script.dryCommand;
    object["rows_a_pass"] = script.rowsAPass;
}

nlohmann::json strategyJson(const Strategy& strategy)
{
    nlohmann::json object{{"title", strategy.title},
                          {"verdict", name(strategy.verdict)},
                          {"tier", name(strategy.tier)},
                          {"changes", changesJson(strategy)},
                          {"devices_needed", strategy.devicesNeeded},
                          {"peak_bytes", strategy.estimate.peakBytes},
                          {"peak_reserved_bytes", strategy.estimate.peakReservedBytes},
                          {"components", componentsOf(strategy.estimate.components)},
                          {"peak_phase", name(strategy.estimate.peakPhase)},
                          {"peak_module", strategy.estimate.peakModule},
                          {"logits_make_peak", strategy.estimate.logitsMakePeak},
                          {"margin_bytes", strategy.marginBytes},
                          {"verified", strategy.estimate.verified},
                          {"reasons", strategy.reasons},
                          {"notes", strategy.estimate.notes},
                          {"experiment", strategy.experiment}};
    object["loop"] = kEstimatedLoop;
    if (strategy.script)
        writeScript(*strategy.script, object);
    object["gives_up"] = strategy.givesUp;
    if (strategy.stepSeconds > 0) {
        object["step_seconds"] = strategy.stepSeconds;
    }
    if (strategy.tokensPerSecond > 0) {
        object["tokens_per_second"] = strategy.tokensPerSecond;
    }
    if (strategy.proved) {
        object["proved"] = toJson(*strategy.proved);
    } else {
        object["about"] = kReservedBand;
    }
    object["folded"] = nlohmann::json::array();
    for (const Strategy& variant : strategy.folded) {
        object["folded"].push_back(strategyJson(variant));
    }
    return object;
}

PlannedStrategy planned(const Strategy& strategy)
{
    const MemoryEstimate& estimate = strategy.estimate;
    std::vector<PlannedStrategy> folded;
    for (const Strategy& variant : strategy.folded)
        folded.push_back(planned(variant));
    return {.title = strategy.title,
            .verdict = strategy.verdict,
            .tier = strategy.tier,
            .devicesNeeded = strategy.devicesNeeded,
            .peakBytes = estimate.peakBytes,
            .reservedBytes = estimate.peakReservedBytes,
            .components = estimate.components,
            .proved = strategy.proved,
            .marginBytes = strategy.marginBytes,
            .givesUp = strategy.givesUp,
            .tokensPerSecond = strategy.tokensPerSecond,
            .stepSeconds = strategy.stepSeconds,
            .verified = estimate.verified,
            .peakPhase = std::string(name(estimate.peakPhase)),
            .peakModule = estimate.peakModule,
            .reasons = strategy.reasons,
            .notes = estimate.notes,
            .experiment = strategy.experiment,
            .folded = std::move(folded)};
}

PlannedStep planned(const LadderStep& step)
{
    return {.change = step.change,
            .peakBytes = step.peakBytes,
            .savedBytes = step.savedBytes,
            .verdict = step.verdict,
            .experiment = step.experiment,
            .tier = step.tier};
}

} // namespace

PlanDocument planDocument(const Recommendation& found)
{
    PlanDocument plan;
    plan.model = found.model;
    plan.answer = found.answer;
    plan.parameters = found.parameters;
    plan.device = found.device;
    plan.devices = found.devices;
    plan.goal = name(found.goal);
    plan.wouldFit = found.wouldFit;
    plan.notes = found.notes;
    plan.searched = found.searched;
    plan.seconds = found.seconds;
    for (const Strategy& strategy : found.strategies)
        plan.strategies.push_back(planned(strategy));
    for (const LadderStep& step : found.ladder)
        plan.ladder.push_back(planned(step));
    return plan;
}

nlohmann::json toJson(const Recommendation& found)
{
    nlohmann::json strategies = nlohmann::json::array();
    for (const Strategy& strategy : found.strategies) {
        strategies.push_back(strategyJson(strategy));
    }
    nlohmann::json ladder = nlohmann::json::array();
    for (const LadderStep& step : found.ladder) {
        ladder.push_back({{"change", step.change},
                          {"peak_bytes", step.peakBytes},
                          {"saved_bytes", step.savedBytes},
                          {"verdict", name(step.verdict)},
                          {"tier", name(step.tier)},
                          {"experiment", step.experiment}});
    }
    return {{"loop", kEstimatedLoop},
            {"model", found.model},
            {"answer", found.answer},
            {"parameters", found.parameters},
            {"device", deviceJson(found.device)},
            {"devices", found.devices},
            {"goal", name(found.goal)},
            {"strategies", strategies},
            {"ladder", ladder},
            {"would_fit", found.wouldFit},
            {"notes", found.notes},
            {"searched", found.searched},
            {"seconds", found.seconds}};
}

} // namespace peakscope
