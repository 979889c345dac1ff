// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A search for strategies that tests control, in place of the recommender.
#pragma once

#include "app/plan/plan_worker.h"
#include "tests/app/window/app_test_support.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace peakscope::testing {

// A search that answers what it is told to, and remembers what it was asked.
struct FakePlanSearch {
    std::mutex mutex;
    std::vector<RecommendOptions> asked;
    std::atomic<int> maps = 0;
    std::atomic<int> stopped = 0;
    std::atomic<bool> hold = false; // a search waits until it is let go or stopped
    std::string error;
    bool nothingFits = false;

    PlanFunctions functions();
    Recommendation answer(const RecommendOptions& options) const;
};

inline Strategy strategyOf(const std::string& title, Verdict verdict, std::int64_t batch)
{
    Strategy strategy;
    strategy.title = title;
    strategy.verdict = verdict;
    strategy.estimate.peakBytes = 6 << 20;
    strategy.estimate.peakReservedBytes = 8 << 20;
    strategy.estimate.components[static_cast<std::size_t>(Component::Parameters)] = 6 << 20;
    strategy.marginBytes = 1 << 20;
    strategy.reasons = {"The reason for " + title + "."};
    strategy.experiment = smallExperiment();
    strategy.experiment["data"]["batch"] = batch;
    return strategy;
}

inline Recommendation FakePlanSearch::answer(const RecommendOptions& options) const
{
    Recommendation found;
    found.model = options.modelText;
    found.parameters = 125239296;
    found.device = options.device;
    found.devices = options.devices;
    found.goal = options.goal;
    found.searched = 6144;
    found.seconds = 0.5;
    found.strategies = {strategyOf("first of " + options.modelText, Verdict::Comfortable, 1),
                        strategyOf("second", Verdict::Fits, 4), strategyOf("third", Verdict::DoesNotFit, 64)};
    found.ladder = {{"all as asked", 20 << 20, 0, Verdict::DoesNotFit, smallExperiment()},
                    {"checkpointing", 6 << 20, 14 << 20, Verdict::Fits, smallExperiment()}};
    if (nothingFits)
        found.wouldFit = {"Two of this device, with ZeRO-3.", "A model of at most 1.3 G parameters."};
    return found;
}

inline PlanFunctions FakePlanSearch::functions()
{
    PlanFunctions functions;
    functions.modelBlock = [](const std::string& text, std::string* note) -> Result<nlohmann::json> {
        if (text == "nonsense")
            return badInput("model", "nonsense is no model of the catalogue");
        if (note && text.starts_with("params:"))
            *note = "A typical shape was assumed.";
        return nlohmann::json{{"id", text}};
    };
    functions.device = [](const std::string& text) -> Result<PlanDevice> {
        if (text == "toaster")
            return badInput("device", "toaster is no device of the catalogue");
        PlanDevice device;
        device.id = device.name = text;
        device.totalBytes = device.usableBytes = 16 << 20;
        return device;
    };
    functions.recommend = [this](const RecommendOptions& options, std::stop_token stop) -> Result<Recommendation> {
        {
            const std::lock_guard lock(mutex);
            asked.push_back(options);
        }
        while (hold && !stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (stop.stop_requested()) {
            ++stopped;
            return failed("recommend", "stopped");
        }
        if (!error.empty())
            return failed("recommend", error);
        return answer(options);
    };
    functions.map = [this](const nlohmann::json&, const PlanDevice& device, std::stop_token) -> Result<PlannedMap> {
        ++maps;
        PlannedMap map;
        map.sequences = {8, 16};
        map.batches = {1, 2, 4};
        map.peakBytes = {6 << 20, 8 << 20, 12 << 20, 8 << 20, 12 << 20, 20 << 20};
        map.reservedBytes = map.peakBytes;
        for (const std::int64_t bytes : map.reservedBytes)
            map.verdicts.push_back(bytes <= device.usableBytes * 6 / 10 ? Verdict::Comfortable
                                   : bytes <= device.usableBytes        ? Verdict::Fits
                                                                        : Verdict::DoesNotFit);
        map.frontier = {4, 2};
        return map;
    };
    return functions;
}

} // namespace peakscope::testing
