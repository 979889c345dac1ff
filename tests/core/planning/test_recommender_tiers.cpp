// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The recommender's order: exact before what rounds differently before what changes the training, each by speed, with
// nothing left out that fits.
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"
#include "core/planning/recommend/roofline.h"
#include "tests/core/planning/recommend_cases.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <string_view>

using namespace peakscope;
using namespace peakscope::testing;

class TestRecommenderTiers : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void tiers_data();
    void tiers();
    void nothingThatFitsIsMissing_data();
    void nothingThatFitsIsMissing();
    void askedForIsNoChange();
    void theOptimizerStays_data();
    void theOptimizerStays();
    void wholeTensorsStayWhole_data();
    void wholeTensorsStayWhole();
    void fewerRowsAtOnce();
    void exactStepsFirst_data();
    void ladderAndTableAgree_data();
    void ladderAndTableAgree();
    void checkpointingComesBack();
    void exactStepsFirst();
};

void TestRecommenderTiers::tiers_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("goal");
    QTest::addColumn<QString>("first"); // tier, or verdict where nothing runs
    QTest::newRow("exact, though tight") << "opt-1.3b"
                                         << "rtx-4090"
                                         << "train"
                                         << "exact";
    QTest::newRow("all fit") << "opt-125m"
                             << "h200-141gb"
                             << "train"
                             << "exact";
    QTest::newRow("no tensor cores for bfloat16") << "gpt2"
                                                  << "v100-16gb"
                                                  << "train"
                                                  << "exact";
    QTest::newRow("only another method") << "llama-2-7b"
                                         << "rtx-4090"
                                         << "train"
                                         << "method";
    QTest::newRow("nothing") << "opt-30b"
                             << "v100-16gb"
                             << "train"
                             << "needs_sharding";
    QTest::newRow("unknown rates") << "opt-350m"
                                   << "bytes:8GiB"
                                   << "train"
                                   << "exact";
    QTest::newRow("dp-sgd") << "opt-350m"
                            << "a100-40gb"
                            << "dp-sgd"
                            << "exact";
    QTest::newRow("hessian") << "opt-1.3b"
                             << "a100-40gb"
                             << "hessian"
                             << "exact";
}

// Told from the experiments alone: the tier, its order, and the speed within it.
void TestRecommenderTiers::tiers()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    QFETCH(const QString, goal);
    QFETCH(const QString, first);
    const auto& found = answerTo(model.toStdString(), device.toStdString(), *goalFromName(goal.toStdString()));
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    const Strategy& best = found->strategies.front();
    QCOMPARE(QString::fromUtf8((runs(best) ? name(best.tier) : name(best.verdict)).data()), first);
    const bool curvature = goal == QLatin1String("hessian");
    const std::int64_t whole = curvature ? 128 : model == QLatin1String("gpt2") ? 1024 : 2048;
    const auto tierOf = [&](const nlohmann::json& e) {
        const auto word = [](const nlohmann::json& value) { return value.get<std::string>(); };
        const auto number = [](const nlohmann::json& value) { return value.get<std::int64_t>(); };
        const bool kept =
            e["training"].value("masters", false) || e["training"].value("rounding", "nearest") != "nearest" ||
            (e["training"].contains("lora") && e["training"]["lora"].value("dtype", "weights") == "float32");
        bool method = (word(e["dtype"]).ends_with("16") && !kept) || number(e["data"]["seq"]) < whole;
        bool precision = word(e["training"]["amp"]) != "none" || kept;
        if (curvature) {
            const nlohmann::json& c = e["curvature"];
            method = method || word(c["quantities"][0]) != "diagonal" || number(c["parameters"]["count"]) != 10000 ||
                     number(e["data"]["batch"]) != 4;
            precision = precision || word(c["method"]) == "finite_difference";
        } else {
            const std::string optimizer = word(e["training"]["optimizer"]);
            precision = precision || optimizer == "adamw8bit";
            method = method || (optimizer != "adam" && optimizer != "adamw8bit") ||
                     number(e["training"]["lora"]["rank"]) != 0;
        }
        return method ? Tier::Method : precision ? Tier::Precision : Tier::Exact;
    };
    const auto place = [](const Strategy& s) {
        const int order = runs(s) ? 0 : s.verdict == Verdict::NeedsSharding ? 1 : 2;
        return std::pair(order, s.tier);
    };
    const auto slowness = [&](const Strategy& s) {
        const nlohmann::json& data = s.experiment["data"];
        return curvature ? s.stepSeconds : s.stepSeconds / data["batch"].get<double>() / data["seq"].get<double>();
    };
    for (std::size_t i = 0; i < found->strategies.size(); ++i) {
        const Strategy& s = found->strategies[i];
        QVERIFY2(s.tier == tierOf(s.experiment), s.title.c_str());
        Tier last = Tier::Exact;
        for (const StrategyChange& change : s.changes) {
            last = std::max(last, change.tier);
        }
        QVERIFY2(s.tier == last, s.title.c_str());
        if (i == 0) {
            continue;
        }
        const Strategy& before = found->strategies[i - 1];
        QVERIFY2(place(before) <= place(s), s.title.c_str());
        if (runs(s) && place(before) == place(s)) {
            // Within 2 % what changes less comes first.
            const auto inexact = [](const Strategy& one) {
                return std::count_if(one.changes.begin(), one.changes.end(),
                                     [](const StrategyChange& change) { return change.tier != Tier::Exact; });
            };
            const bool alike =
                slowness(s) > 0 && slowness(before) <= slowness(s) * 1.02 && slowness(s) <= slowness(before) * 1.02;
            QVERIFY2(slowness(before) <= slowness(s) * (alike ? 1.02 : 1 + 1e-9), s.title.c_str());
            QVERIFY2(!alike || inexact(before) <= inexact(s), s.title.c_str());
        }
    }
    QVERIFY(!holds(best.reasons, "gives up least"));
}

void TestRecommenderTiers::nothingThatFitsIsMissing_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::newRow("24 GB") << "opt-1.3b"
                           << "rtx-4090";
    QTest::newRow("16 GB") << "gpt2"
                           << "v100-16gb";
    QTest::newRow("40 GB") << "opt-1.3b"
                           << "a100-40gb";
    QTest::newRow("8 GiB") << "opt-350m"
                           << "bytes:8GiB";
}

// Every way to run what was asked for is shown where it fits, or one is that takes no longer for a row.
void TestRecommenderTiers::nothingThatFitsIsMissing()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    const RecommendOptions options = optionsFor(qPrintable(model), qPrintable(device), Goal::Train);
    const auto& found = answerTo(model.toStdString(), device.toStdString(), Goal::Train);
    QVERIFY(found.ok());
    int fitting = 0;
    for (const char* amp : {"none", "bfloat16"}) {
        for (const bool checkpointing : {false, true}) {
            for (const char* head : {"naive", "chunked"}) {
                nlohmann::json document{
                    {"kind", "memory"},
                    {"model", options.model},
                    {"weights", "random"},
                    {"data", {{"batch", 1}, {"seq", found->strategies.front().experiment["data"]["seq"]}}},
                    {"training", {{"checkpointing", checkpointing}, {"loss_head", head}, {"amp", amp}}}};
                EstimateOptions cuda;
                cuda.cuda = true;
                auto experiment = experimentFromJson(document);
                std::int64_t reserved = estimateMemory(*experiment, cuda)->peakReservedBytes;
                if (verdictFor(reserved, options.device) == Verdict::DoesNotFit) {
                    document["training"]["implementation"] = "loop";
                    experiment = experimentFromJson(document);
                    reserved = estimateMemory(*experiment, cuda)->peakReservedBytes;
                }
                if (verdictFor(reserved, options.device) == Verdict::DoesNotFit) {
                    continue;
                }
                ++fitting;
                const StepWork work = stepWork(*experiment, modelWork(*experiment), options.device, 0, 1);
                const bool exact = std::string_view(amp) == "none";
                const std::vector<Strategy> all = withFolded(found->strategies);
                const bool covered = std::any_of(all.begin(), all.end(), [&](const Strategy& s) {
                    const double rows = s.experiment["data"]["batch"].get<double>();
                    return runs(s) && s.tier <= (exact ? Tier::Exact : Tier::Precision) &&
                           s.stepSeconds / rows <= work.seconds * 1.05;
                });
                QVERIFY2(covered, document.dump().c_str());
            }
        }
    }
    QVERIFY(fitting > 0);
}

// Tiers are against what was asked for: bfloat16 weights are no change where they are asked for, and SGD is none.
void TestRecommenderTiers::askedForIsNoChange()
{
    RecommendOptions options = optionsFor("llama-2-7b", "a100-80gb", Goal::Train);
    options.base = {{"dtype", "bfloat16"}, {"training", {{"optimizer", "sgd"}}}};
    const auto found = recommend(options);
    QVERIFY(found.ok());
    QCOMPARE(found->strategies.front().tier, Tier::Exact);
    QVERIFY(runs(found->strategies.front()));
    QVERIFY(holds(found->strategies.front().reasons, "Exact. "));
}

// SGD saves adapters next to nothing: it stands behind Adam, and the way that takes least memory is there with both.
void TestRecommenderTiers::theOptimizerStays_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    for (const auto& [model, device] : {std::pair{"llama-2-7b", "rtx-4090"},
                                        {"opt-30b", "a100-80gb"},
                                        {"qwen2.5-7b", "h200-141gb"},
                                        {"opt-125m", "h200-141gb"}})
        QTest::addRow("%s on %s", model, device) << model << device;
}

void TestRecommenderTiers::wholeTensorsStayWhole_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("devices");
    for (const char* optimizer : {"muon", "adafactor"}) {
        QTest::newRow(optimizer) << "rtx-4090" << 1;
        QTest::addRow("%s, many devices", optimizer) << "a100-80gb" << 8;
    }
}

// No strategy asks for shards or pieces of what is updated as a whole, and all can be read.
void TestRecommenderTiers::wholeTensorsStayWhole()
{
    QFETCH(const QString, device);
    QFETCH(const int, devices);
    const std::string optimizer =
        std::string(QTest::currentDataTag()).substr(0, QByteArray(QTest::currentDataTag()).indexOf(','));
    RecommendOptions options = optionsFor("llama-2-7b", device.toUtf8().constData(), Goal::Train, devices);
    options.base = {{"training", {{"optimizer", optimizer}}}};
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
    QVERIFY(!found->strategies.empty());
    for (const Strategy& strategy : withFolded(found->strategies)) {
        const auto read = experimentFromJson(strategy.experiment);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->training.optimizer->name, optimizer);
        QCOMPARE(read->training.sharding, Sharding::None);
    }
}

void TestRecommenderTiers::theOptimizerStays()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    const auto& found = answerTo(model.toStdString(), device.toStdString(), Goal::Train);
    QVERIFY(found.ok());
    const auto changes = [](const Strategy& s, std::string_view name) {
        return std::any_of(s.changes.begin(), s.changes.end(),
                           [name](const StrategyChange& change) { return change.name == name; });
    };
    const auto adapters = [&](const Strategy& s, bool sgd) {
        return runs(s) && changes(s, "adapters") && changes(s, "optimizer") == sgd;
    };
    const auto& all = found->strategies;
    const auto first = std::find_if(all.begin(), all.end(), [&](const Strategy& s) { return adapters(s, false); });
    QVERIFY(first != all.end());
    QVERIFY2(std::none_of(all.begin(), first, [&](const Strategy& s) { return adapters(s, true); }),
             all.front().title.c_str());
    for (const Strategy& s : all) {
        if (!adapters(s, true)) {
            continue;
        }
        const bool both = std::any_of(all.begin(), all.end(), [&](const Strategy& other) {
            const nlohmann::json &mine = s.experiment, &its = other.experiment;
            return adapters(other, false) && mine["dtype"] == its["dtype"] &&
                   mine["training"]["amp"] == its["training"]["amp"] &&
                   mine["training"]["checkpointing"] == its["training"]["checkpointing"];
        });
        QVERIFY2(both, s.title.c_str());
    }
}

// A batch that is asked for is kept; how many of its rows pass at once is exact and follows from the memory.
void TestRecommenderTiers::fewerRowsAtOnce()
{
    RecommendOptions options = optionsFor("opt-1.3b", "a100-40gb", Goal::Train);
    options.base = {{"data", {{"batch", 32}}}};
    const auto found = recommend(options);
    QVERIFY(found.ok());
    const Strategy& first = found->strategies.front();
    QCOMPARE(first.tier, Tier::Exact);
    QVERIFY(runs(first));
    QCOMPARE(first.experiment["data"]["batch"].get<int>(), 32);
    QVERIFY(first.experiment["data"]["max_physical_batch"].get<int>() < 32);
}

void TestRecommenderTiers::exactStepsFirst_data()
{
    tiers_data();
}

// Down the ladder tiers only rise, and every step saves; sharding, on other devices, stands last.
void TestRecommenderTiers::exactStepsFirst()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    QFETCH(const QString, goal);
    const auto& found = answerTo(model.toStdString(), device.toStdString(), *goalFromName(goal.toStdString()));
    QVERIFY(found.ok());
    Tier last = Tier::Exact;
    for (std::size_t i = 1; i < found->ladder.size(); ++i) {
        const LadderStep& step = found->ladder[i];
        if (step.change.find("sharding") != std::string::npos) {
            QCOMPARE(i + 1, found->ladder.size());
            QCOMPARE(step.tier, Tier::Exact);
            continue;
        }
        QVERIFY2(step.tier >= last, step.change.c_str());
        QVERIFY2(step.savedBytes > 0, step.change.c_str());
        last = step.tier;
    }
}

void TestRecommenderTiers::ladderAndTableAgree_data()
{
    tiers_data();
    QTest::newRow("adapters on a small card") << "llama-3.1-8b"
                                              << "rtx-4090"
                                              << "train"
                                              << "method";
}

// What fits in the table is reached by the ladder as well, before it takes away rows or entries; what the table shards
// stands on the ladder over as many devices, and fits there.
void TestRecommenderTiers::ladderAndTableAgree()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    QFETCH(const QString, goal);
    const auto& found = answerTo(model.toStdString(), device.toStdString(), *goalFromName(goal.toStdString()));
    QVERIFY(found.ok());
    const auto isSharding = [](const LadderStep& step) { return step.change.find("sharding") != std::string::npos; };
    bool fits = false;
    for (const LadderStep& step : found->ladder) {
        const bool takesAway = step.change.starts_with("sequence ") || step.change.starts_with("sampled ");
        QVERIFY2(!fits || !takesAway, step.change.c_str());
        fits = fits || (!isSharding(step) && step.verdict <= Verdict::Tight);
    }
    QVERIFY(fits || std::none_of(found->strategies.begin(), found->strategies.end(), runs));
    const auto sharded = std::find_if(found->strategies.begin(), found->strategies.end(), [](const Strategy& strategy) {
        return strategy.verdict == Verdict::NeedsSharding && strategy.tier == Tier::Exact;
    });
    const auto rung = std::find_if(found->ladder.begin(), found->ladder.end(), isSharding);
    if (sharded == found->strategies.end())
        return;
    QVERIFY(rung != found->ladder.end());
    QVERIFY2(rung->verdict == Verdict::NeedsSharding, rung->change.c_str());
    QCOMPARE(rung->experiment["ranks"], sharded->experiment["ranks"]);
    QVERIFY2(rung->change.find("over " + std::to_string(sharded->devicesNeeded) + " devices") != std::string::npos,
             rung->change.c_str());
}

// What temporaries of an update of all weights hide, adapters show: the ladder comes back to what is exact.
void TestRecommenderTiers::checkpointingComesBack()
{
    RecommendOptions options = optionsFor("llama-3.1-8b", "rtx-4090", Goal::Train);
    options.base = {{"training", {{"implementation", "foreach"}}}};
    const auto found = recommend(options);
    QVERIFY(found.ok());
    const auto step = [&found](const char* words) {
        return std::find_if(found->ladder.begin(), found->ladder.end(),
                            [words](const LadderStep& one) { return one.change.find(words) != std::string::npos; });
    };
    const auto adapters = step("adapters of rank"), checkpointing = step("checkpointing: ");
    QVERIFY(adapters < checkpointing && checkpointing != found->ladder.end());
    QVERIFY(checkpointing->verdict <= Verdict::Tight);
    QVERIFY(step("sequence ") == found->ladder.end());
}

PEAKSCOPE_GUILESS_TEST(TestRecommenderTiers)
#include "test_recommender_tiers.moc"
