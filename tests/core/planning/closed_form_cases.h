// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments and checks that the tests of the closed forms share.
#pragma once

#include "core/planning/curvature/closed_forms.h"

#include <QTest>

#include <algorithm>
#include <numeric>

namespace peakscope::formcases {

using Json = nlohmann::json;

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

inline Json tinyDocument()
{
    return {{"kind", "memory"},
            {"model",
             {{"family", "opt"},
              {"hidden", 8},
              {"layers", 2},
              {"heads", 2},
              {"ffn", 16},
              {"vocab", 300},
              {"max_positions", 64}}},
            {"weights", "random"},
            {"data", {{"batch", 3}, {"seq", 10}}}};
}

inline Json seedDocument()
{
    return {{"kind", "memory"},
            {"model", {{"id", "plain-seed"}}},
            {"weights", "random"},
            {"data", {{"batch", 1}, {"seq", 16384}}},
            {"training", {{"optimizer", "adam"}, {"loss_head", "naive"}}}};
}

inline Experiment experimentOf(const Json& document)
{
    auto experiment = experimentFromJson(document);
    if (!experiment) {
        qFatal("%s", experiment.error().text().c_str());
    }
    return *experiment;
}

inline MemoryEstimate estimateOf(const Json& document, const EstimateOptions& options = {})
{
    auto estimate = estimateClosedForm(experimentOf(document), options);
    if (!estimate) {
        qFatal("%s", estimate.error().text().c_str());
    }
    return *estimate;
}

// A training step whose moments the closed forms of sharding divide: of the rank with the most rows.
inline MemoryEstimate shardedStepOf(const Json& document, const EstimateOptions& options = {})
{
    const Experiment experiment = experimentOf(document);
    Experiment own = lightCopy(experiment);
    own.data.batch = rowsOfRank(experiment, options);
    own.data.maxPhysicalBatch = std::min(own.data.maxPhysicalBatch, own.data.batch);
    const auto context = makeFormContext(own, options);
    if (!context) {
        qFatal("%s", context.error().text().c_str());
    }
    std::vector<FormMoment> moments;
    for (const PhaseEstimate& phase : context->base.phases) {
        moments.push_back(context->simulated(phase.phase));
    }
    std::vector<std::string> notes;
    shardMoments(*context, experiment.training.sharding, options.devices, moments, notes);
    return estimateOfMoments(*context, moments, std::move(notes));
}

inline std::int64_t part(const MemoryEstimate& estimate, Component component)
{
    return estimate.maxComponents[static_cast<std::size_t>(component)];
}

inline ComponentBytes phaseOf(const MemoryEstimate& estimate, Phase phase)
{
    for (const PhaseEstimate& known : estimate.phases) {
        if (known.phase == phase) {
            return known.components;
        }
    }
    return {};
}

inline std::int64_t sum(const ComponentBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

inline Json curvature(Json document, const std::string& quantity, const std::string& method = "auto",
                      Json parameters = {{"select", "all"}})
{
    document["kind"] = "curvature";
    document["curvature"] = {{"quantities", {quantity}}, {"method", method}, {"parameters", std::move(parameters)}};
    // Of one device's share of itself: the engine's own plan knows no sharding, the closed forms answer.
    if (!document.contains("training") || !document["training"].contains("sharding"))
        document["training"]["sharding"] = "zero1";
    return document;
}

// The largest of a component within the curvature phase of one quantity.
inline std::int64_t hessianOf(const Json& document)
{
    return part(estimateOf(document), Component::Hessian);
}

// Components of every phase and of the peak sum to its bytes.
inline void checkPhases(const MemoryEstimate& estimate)
{
    QCOMPARE(sum(estimate.components), estimate.peakBytes);
    std::int64_t highest = 0;
    for (const PhaseEstimate& phase : estimate.phases) {
        QCOMPARE(sum(phase.components), phase.peakBytes);
        highest = std::max(highest, phase.peakBytes);
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            QVERIFY(phase.components[i] >= 0);
            QVERIFY(phase.components[i] <= estimate.maxComponents[i]);
        }
    }
    QCOMPARE(highest, estimate.peakBytes);
    QVERIFY(estimate.peakReservedBytes >= estimate.peakBytes);
}

inline void checkSums(const MemoryEstimate& estimate)
{
    checkPhases(estimate);
    QVERIFY(!estimate.verified);
    const bool said = std::any_of(estimate.notes.begin(), estimate.notes.end(), [](const std::string& note) {
        return note.find("closed form, not yet proved by measurement") != std::string::npos;
    });
    QVERIFY(said);
}

} // namespace peakscope::formcases
