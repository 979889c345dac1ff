// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A hand-made plan in the shape that `recommend --json` writes, with sizes that can be summed by hand; for the tests of
// the plan's views and figures.
#pragma once

#include "core/results/plans/plan_document.h"

#include <nlohmann/json.hpp>

namespace peakscope::testing {

// Ten strategies of a 6.7 B model on an 80 GiB device: of every verdict, one not verified.
inline nlohmann::json samplePlanJson()
{
    constexpr std::int64_t kMiB = 1 << 20;
    const auto strategy = [](const std::string& title, const char* verdict, std::int64_t devices, std::int64_t weights,
                             std::int64_t states, std::int64_t activations, double seconds, bool verified) {
        const std::int64_t peak = weights * 2 + states + activations;
        const std::int64_t reserved = peak + peak / 32;
        return nlohmann::json{
            {"title", title},
            {"verdict", verdict},
            {"devices_needed", devices},
            {"peak_bytes", peak * kMiB},
            {"peak_reserved_bytes", reserved * kMiB},
            {"components",
             {{"parameters", weights * kMiB},
              {"gradients", weights * kMiB},
              {"optimizer_states", states * kMiB},
              {"activations", (activations - activations / 4) * kMiB},
              {"activation_gradients", activations / 4 * kMiB}}},
            {"margin_bytes", (79 * 1024 - 500 - reserved) * kMiB},
            {"step_seconds", seconds},
            {"verified", verified},
            {"reasons",
             {"The optimizer's states take " + std::to_string(states) + " MiB.",
              "Checkpointing keeps one input a layer and computes the rest again: one more forward pass."}},
            {"experiment",
             {{"kind", "memory"},
              {"model", {{"id", "opt-6.7b"}}},
              {"dtype", "bfloat16"},
              {"data", {{"batch", 4}, {"seq", 512}, {"max_physical_batch", 4}}},
              {"training", {{"optimizer", "adamw"}, {"checkpointing", true}}}}}};
    };
    nlohmann::json plan = {{"model", "opt-6.7b"},
                           {"parameters", 6658473984},
                           {"device",
                            {{"id", "a800-80gb"},
                             {"name", "NVIDIA A800 80GB"},
                             {"cuda", true},
                             {"total_bytes", 80 * 1024 * kMiB},
                             {"usable_bytes", 79 * 1024 * kMiB},
                             {"context_bytes", 500 * kMiB}}},
                           {"devices", 1},
                           {"goal", "train"},
                           {"searched", 6144},
                           {"seconds", 0.8},
                           {"notes", {"Times are a roofline: no communication, no input pipeline."}},
                           {"would_fit", nlohmann::json::array()}};
    plan["strategies"] = {
        strategy("bfloat16, SGD, checkpointing, batch 4 × 512", "comfortable", 1, 12700, 0, 4100, 0.9, true),
        strategy("bfloat16, SGD, batch 4 × 512", "comfortable", 1, 12700, 0, 16800, 0.7, true),
        strategy("bfloat16, LoRA rank 16, batch 16 × 512", "fits", 1, 12800, 60, 28000, 2.3, true),
        strategy("bfloat16, AdamW, checkpointing, batch 4 × 512", "fits", 1, 12700, 25400, 4100, 1.0, true),
        strategy("bfloat16, AdamW, batch 4 × 512", "fits", 1, 12700, 25400, 12200, 0.75, true),
        strategy("bfloat16, AdamW, checkpointing, batch 16 × 1024 with a long name of its own", "tight", 1, 12700,
                 25400, 26000, 6.1, true),
        strategy("autocast bfloat16, AdamW, ZeRO-2 over 2 devices", "needs_sharding", 2, 25400, 12700, 8000, 1.2,
                 false),
        strategy("float32, AdamW, ZeRO-3 over 4 devices", "needs_sharding", 4, 6350, 12700, 16000, 2.8, false),
        strategy("float32, AdamW, checkpointing, batch 4 × 512", "does_not_fit", 1, 25400, 50800, 8200, 3.1, true),
        strategy("float32, AdamW, batch 16 × 2048", "does_not_fit", 1, 25400, 50800, 260000, 0, true)};
    plan["ladder"] = {
        {{"change", "float32, AdamW, batch 16 × 2048"},
         {"peak_bytes", 361600 * kMiB},
         {"saved_bytes", 0},
         {"verdict", "does_not_fit"}},
        {{"change", "batch 16 → 4"},
         {"peak_bytes", 166600 * kMiB},
         {"saved_bytes", 195000 * kMiB},
         {"verdict", "does_not_fit"}},
        {{"change", "sequence 2048 → 512"},
         {"peak_bytes", 118000 * kMiB},
         {"saved_bytes", 48600 * kMiB},
         {"verdict", "does_not_fit"}},
        {{"change", "bfloat16"}, {"peak_bytes", 63000 * kMiB}, {"saved_bytes", 55000 * kMiB}, {"verdict", "fits"}},
        {{"change", "checkpointing"}, {"peak_bytes", 54900 * kMiB}, {"saved_bytes", 8100 * kMiB}, {"verdict", "fits"}},
        {{"change", "ZeRO-3 over 4 devices"},
         {"peak_bytes", 17000 * kMiB},
         {"saved_bytes", 37900 * kMiB},
         {"verdict", "comfortable"}}};
    for (nlohmann::json& step : plan["ladder"])
        step["experiment"] = plan["strategies"][0]["experiment"];
    return plan;
}

// Eight strategies of a 1.3 B model on a 24 GiB card in the order of their parts: two exact ones, of precision, method,
// on more devices and unfit; with names that differ in their middle only.
inline nlohmann::json tieredPlanJson()
{
    nlohmann::json plan = samplePlanJson();
    const nlohmann::json sample = plan["strategies"][0];
    plan["model"] = "opt-1.3b";
    plan["strategies"] = nlohmann::json::array();
    const auto add = [&](const std::string& title, const char* tier, const char* verdict, int devices) {
        nlohmann::json strategy = sample;
        strategy["title"] = title;
        strategy["tier"] = tier;
        strategy["verdict"] = verdict;
        strategy["devices_needed"] = devices;
        plan["strategies"].push_back(std::move(strategy));
    };
    add("float32, chunked loss head, batch 1 x 2048", "exact", "tight", 1);
    add("float32, checkpointing, chunked loss head, batch 1 x 2048", "exact", "fits", 1);
    add("bfloat16 autocast, checkpointing, chunked loss head, batch 1 x 2048", "precision", "tight", 1);
    add("bfloat16 autocast, LoRA rank 64, chunked loss head, batch 1 x 2048", "method", "comfortable", 1);
    add("bfloat16, batch 1 x 2048", "method", "fits", 1);
    add("float32, zero1 over 2 devices, batch 2 x 2048", "exact", "needs_sharding", 2);
    add("float32, batch 1 x 2048", "exact", "does_not_fit", 1);
    add("bfloat16 autocast, batch 1 x 2048", "precision", "does_not_fit", 1);
    plan["ladder"] = {
        {{"change", "as requested: float32, batch 1 x 2048"}, {"tier", "exact"}},
        {{"change", "loss head in chunks instead of all logits at once"}, {"tier", "exact"}},
        {{"change", "checkpointing: layers are computed again in backward"}, {"tier", "exact"}},
        {{"change", "precision float32 -> bfloat16 (weights, gradients and states)"}, {"tier", "method"}},
        {{"change", "sharding over 2 devices instead of all these, exact as well: float32, zero3"}, {"tier", "exact"}}};
    for (nlohmann::json& step : plan["ladder"]) {
        step["peak_bytes"] = std::int64_t{20} << 30;
        step["saved_bytes"] = std::int64_t{1} << 30;
        step["verdict"] = "fits";
        step["experiment"] = sample["experiment"];
    }
    return plan;
}

// Sequences 128 to 4096 (the model ends at 2048) × batches 1 to 128; two cells measured, one run beside the cells.
inline PlannedMap sampleMap()
{
    constexpr std::int64_t kMiB = 1 << 20;
    PlannedMap map;
    map.sequences = {128, 256, 512, 1024, 2048, 4096};
    map.batches = {1, 2, 4, 8, 16, 32, 64, 128};
    for (const std::int64_t sequence : map.sequences) {
        std::int64_t frontier = 0;
        for (const std::int64_t batch : map.batches) {
            const bool possible = sequence <= 2048;
            const std::int64_t peak = possible ? (38100 + batch * sequence * 2) * kMiB : 0;
            map.peakBytes.push_back(peak);
            map.reservedBytes.push_back(peak + peak / 32);
            map.verdicts.push_back(verdictFor(map.reservedBytes.back(), 500 * kMiB, 79 * 1024 * kMiB));
            if (possible && map.verdicts.back() <= Verdict::Tight)
                frontier = batch;
        }
        map.frontier.push_back(frontier);
    }
    map.strategy = "bfloat16, AdamW, checkpointing";
    map.experiment = samplePlanJson()["strategies"][3]["experiment"];
    map.measured = {{512, 4, 42100 * kMiB, 43500 * kMiB, Verdict::Fits, "cuda:0", "a.json"},
                    {1024, 16, 71000 * kMiB, 74000 * kMiB, Verdict::Tight, "cuda:0", "b.json"},
                    {300, 24, 52000 * kMiB, 0, Verdict::Fits, "cpu", "c.json"}};
    return map;
}

inline PlanDocument samplePlan()
{
    PlanDocument plan = *planFromJson(samplePlanJson());
    plan.map = sampleMap();
    return plan;
}

inline RunResult samplePlanResult()
{
    nlohmann::json plan = samplePlanJson();
    plan["capacity_map"] = toJson(sampleMap());
    RunResult result = planResult(plan);
    result.id = "plan-sample";
    result.created = "2026-01-02T03:04:05Z";
    return result;
}

} // namespace peakscope::testing
