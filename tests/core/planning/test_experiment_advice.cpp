// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `advise` promises of a run's own experiment: each remedy keeps the rows of a step, is predicted as a run of it
// predicts itself, and what fits with the fewest changes comes first.
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/experiment_advice.h"
#include "core/planning/recommend/plan_device.h"
#include "core/planning/recommend/result_advice.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <thread>

using namespace peakscope;

namespace {

nlohmann::json asked()
{
    return {{"kind", "memory"},
            {"model",
             {{"family", "gpt2"},
              {"hidden", 64},
              {"layers", 3},
              {"heads", 4},
              {"ffn", 256},
              {"vocab", 800},
              {"max_positions", 128}}},
            {"weights", "random"},
            {"device", "cpu"},
            {"data", {{"source", "builtin"}, {"batch", 8}, {"seq", 100}}},
            {"training", {{"optimizer", "adam"}, {"steps", 2}, {"warmup_steps", 1}}}};
}

PlanDevice cpu()
{
    PlanDevice device;
    device.id = "cpu";
    device.name = "this machine";
    device.cuda = false;
    device.totalBytes = device.usableBytes = std::int64_t{16} << 30;
    return device;
}

std::int64_t predicted(const nlohmann::json& experiment)
{
    EstimateOptions options;
    options.countRows = true;
    options.threads = std::max(1U, std::thread::hardware_concurrency()); // as a run on this machine takes
    const auto read = experimentFromJson(experiment);
    const auto estimate = read ? estimateMemory(*read, options) : Result<MemoryEstimate>(read.error());
    return estimate ? estimate->peakBytes : -1;
}

} // namespace

class TestExperimentAdvice : public QObject
{
    Q_OBJECT

private slots:
    void eachIsPromisedAsItRuns()
    {
        const auto advice = adviceFor(asked(), cpu());
        QVERIFY2(advice, advice ? "" : advice.error().text().c_str());
        QCOMPARE(advice->askedPeakBytes, predicted(asked()));
        QVERIFY(advice->remedies.size() >= 4);
        for (const ExperimentRemedy& remedy : advice->remedies) {
            QCOMPARE(remedy.peakBytes, predicted(remedy.experiment));
            QCOMPARE(remedy.savesBytes, advice->askedPeakBytes - remedy.peakBytes);
            QCOMPARE(remedy.experiment["data"]["batch"].get<int>(), 8);
            QVERIFY(!remedy.experiment.contains("budget_bytes"));
        }
        // Rows of a pass that are halved again and again are one change.
        QVERIFY2(std::count(advice->remedies.back().change.begin(), advice->remedies.back().change.end(), '>') <= 3,
                 advice->remedies.back().change.c_str());
    }

    void whatFitsComesFirst()
    {
        nlohmann::json experiment = asked();
        const std::int64_t peak = predicted(experiment);
        experiment["budget_bytes"] = peak * 6 / 10;
        const auto advice = adviceFor(experiment, cpu());
        QVERIFY(advice);
        const ExperimentRemedy& first = advice->remedies.front();
        QVERIFY(first.peakBytes <= peak * 6 / 10);
        QCOMPARE(first.tier, Tier::Exact);
        // Every one that is smaller and exact has more changes; what does not fit comes last.
        bool fits = true;
        for (const ExperimentRemedy& remedy : advice->remedies) {
            QVERIFY(fits || remedy.peakBytes > peak * 6 / 10);
            fits = remedy.peakBytes <= peak * 6 / 10;
            QCOMPARE(remedy.experiment["budget_bytes"].get<std::int64_t>(), peak * 6 / 10); // which a run keeps to
            QVERIFY(!fits || remedy.peakBytes <= first.peakBytes);
        }
        experiment["model"]["hidden"] = 63;
        QVERIFY(!adviceFor(experiment, cpu()));
    }

    // A run is advised for the card that it was on, a dry one for the card that it stood for.
    void aRunIsAdvisedForItsCard()
    {
        RunResult result;
        result.config = asked();
        result.environment = {{"device", "dry:rtx-4090"}, {"memory_total_bytes", std::int64_t{16} << 30}};
        const PlanDevice dry = deviceOfResult(result);
        const auto card = planDeviceFromText("rtx-4090");
        QVERIFY(card);
        QVERIFY(dry.cuda);
        QCOMPARE(dry.name, card->name);
        QCOMPARE(dry.usableBytes, card->usableBytes);
        QCOMPARE(dry.contextBytes, card->contextBytes);
        result.environment["device"] = "dry:rtx-4090:20GiB";
        QCOMPARE(deviceOfResult(result).totalBytes, std::int64_t{20} << 30);
        result.environment = {{"device", "cuda:0"}, {"device_name", "A card"}};
        result.other["allocator"] = {{"device_total_bytes", std::int64_t{8} << 30}, {"context_bytes", 300 << 20}};
        QCOMPARE(deviceOfResult(result).name, std::string("A card"));
        QCOMPARE(deviceOfResult(result).usableBytes, std::int64_t{8} << 30);
        result.config["budget_bytes"] = std::int64_t{1} << 30;
        QCOMPARE(deviceOfResult(result).usableBytes, std::int64_t{1} << 30);
        result.config.erase("budget_bytes");
        result.environment = {{"device", "cpu"}, {"memory_total_bytes", std::int64_t{16} << 30}};
        QVERIFY(!deviceOfResult(result).cuda);
        QCOMPARE(deviceOfResult(result).usableBytes, std::int64_t{16} << 30);
    }
};

PEAKSCOPE_APPLESS_TEST(TestExperimentAdvice)
#include "test_experiment_advice.moc"
