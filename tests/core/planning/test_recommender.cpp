// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The recommender: what it promises about its strategies, the ladder, the capacity map, and the derivation of deep
// models' estimates that its speed rests on.
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"
#include "core/planning/recommend/roofline.h"
#include "core/planning/simulation/depth_derivation.h"
#include "core/planning/simulation/simulate_training.h"
#include "core/results/plans/plan_document.h"
#include "tests/core/planning/recommend_cases.h"
#include "tests/test_room.h"

#include <QTest>

#include <random>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

template <typename T>
T pick(std::mt19937& random, std::initializer_list<T> values)
{
    return *(values.begin() + random() % values.size());
}

} // namespace

class TestRecommender : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void derivation_data();
    void derivation();
    void promises_data();
    void promises();
    void perturbation();
    void perturbationOfSeed();
    void curvatureIsWide();
    void perturbationTooLarge();
    void seedVerdicts_data();
    void seedVerdicts();
    void exactFirst();
    void fixedKeysStay();
    void peftsAdapters();
    void moreDevices();
    void shardedCurvature();
    void nothingFits();
    void ladderSaves();
    void planDocument();
    void capacityMapFrontier();
    void mapBounds();
    void rooflineCounts();
    void cancelled();
    void refusals_data();
    void refusals();
};

void TestRecommender::derivation_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 4; ++seed) {
        QTest::newRow(qPrintable(QString("random set-ups %1").arg(seed))) << seed;
    }
}

// Byte for byte the peak of the whole simulation, for any family and set-up.
void TestRecommender::derivation()
{
    QFETCH(const int, seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto models = *loadModelCatalogue();
    for (int i = 0; i < 8; ++i) {
        const CatalogueModel& model = models[random() % models.size()];
        nlohmann::json document{{"kind", "memory"}, {"model", {{"id", model.id}}}, {"weights", "random"}};
        document["dtype"] = pick(random, {"float32", "bfloat16", "float64"});
        document["data"] = {{"batch", pick(random, {1, 2, 3, 9})},
                            {"seq", pick(random, {16, 100, 512})},
                            {"max_physical_batch", pick(random, {1, 2, 64})}};
        document["data"]["max_physical_batch"] =
            std::min(document["data"]["max_physical_batch"].get<int>(), document["data"]["batch"].get<int>());
        document["training"] = {{"checkpointing", random() % 2 == 0},
                                {"optimizer", pick(random, {"adam", "sgd"})},
                                {"amp", pick(random, {"none", "bfloat16"})},
                                {"attention", pick(random, {"auto", "chunked", "math"})},
                                {"loss_head", pick(random, {"naive", "chunked"})},
                                {"lora", {{"rank", pick(random, {0, 0, 8})}}}};
        const auto experiment = experimentFromJson(document);
        QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
        EstimateOptions options;
        options.cuda = random() % 2 == 0;
        options.threads = 2;
        options.wholeRun = false;
        const auto whole = simulateTraining(*experiment, options);
        const auto derived = deriveTraining(*experiment, options);
        QVERIFY(whole.ok() && derived.ok());
        QVERIFY2(derived->peakBytes == whole->peakBytes,
                 qPrintable(QString::fromStdString(document.dump()) +
                            QString(": %1, whole %2").arg(derived->peakBytes).arg(whole->peakBytes)));
        QCOMPARE(derived->logitsMakePeak, whole->logitsMakePeak);
        std::int64_t sum = 0;
        for (const std::int64_t bytes : derived->components) {
            sum += bytes;
        }
        QCOMPARE(sum, derived->peakBytes);
    }
}

void TestRecommender::promises_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("goal");
    QTest::newRow("train, small") << "gpt2"
                                  << "t4"
                                  << "train";
    QTest::newRow("train, large") << "llama-2-7b"
                                  << "a800-80gb"
                                  << "train";
    QTest::newRow("train, far too large") << "llama-3.1-70b"
                                          << "rtx-4090"
                                          << "train";
    QTest::newRow("train, typed capacity") << "params:1.3e9"
                                           << "bytes:24GiB"
                                           << "train";
    QTest::newRow("dp-sgd") << "pythia-410m"
                            << "a100-40gb"
                            << "dp-sgd";
    QTest::newRow("hessian") << "opt-1.3b"
                             << "v100-16gb"
                             << "hessian";
}

// What every answer keeps: at least 5000 configurations, experiments that can be read, sums, order, reasons with bytes.
void TestRecommender::promises()
{
    QFETCH(const QString, model);
    QFETCH(const QString, device);
    QFETCH(const QString, goal);
    const auto options = optionsFor(qPrintable(model), qPrintable(device), *goalFromName(goal.toStdString()));
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY2(found->searched >= 5000, qPrintable(QString::number(found->searched)));
    QVERIFY(!found->strategies.empty() && found->strategies.size() <= options.most);
    int worst = 0;
    for (const Strategy& s : found->strategies) {
        const int order = runs(s) ? 0 : s.verdict == Verdict::NeedsSharding ? 1 : 2;
        QVERIFY2(order >= worst, s.title.c_str());
        worst = std::max(worst, order);
        const auto experiment = experimentFromJson(s.experiment);
        QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
        std::int64_t sum = 0;
        for (const std::int64_t bytes : s.estimate.components) {
            sum += bytes;
        }
        QCOMPARE(sum, s.estimate.peakBytes);
        QVERIFY(s.estimate.peakReservedBytes >= s.estimate.peakBytes);
        QCOMPARE(s.marginBytes,
                 options.device.usableBytes - options.device.contextBytes - s.estimate.peakReservedBytes);
        QCOMPARE(s.verdict == Verdict::DoesNotFit, s.marginBytes < 0);
        QVERIFY(s.verdict != Verdict::NeedsSharding || s.devicesNeeded > found->devices);
        QVERIFY(holds(s.reasons, "iB") && s.reasons.size() >= 4);
        QCOMPARE(s.stepSeconds > 0, options.device.float32Flops > 0);
    }
    for (const LadderStep& step : found->ladder) {
        QVERIFY2(experimentFromJson(step.experiment).ok(), step.change.c_str());
    }
    QVERIFY(found->ladder.size() >= 5);
    QCOMPARE(found->wouldFit.empty(), std::any_of(found->strategies.begin(), found->strategies.end(), runs));
    QVERIFY(holds(found->notes, options.device.float32Flops > 0 ? "roofline" : "not known"));
}

// What is recommended is what the engine runs: all weights in a wide type, on one device, without adapters.
void TestRecommender::perturbation()
{
    const auto found = recommend(optionsFor("opt-1.3b", "a800-80gb", Goal::Prm, 4));
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY(runs(found->strategies.front()));
    for (const Strategy& s : found->strategies) {
        const auto experiment = experimentFromJson(s.experiment);
        QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
        QCOMPARE(experiment->kind, ExperimentKind::Prm);
        QVERIFY2(experiment->dtype == Dtype::Float32 || experiment->dtype == Dtype::Float64, s.title.c_str());
        QVERIFY(experiment->training.amp == Amp::None && experiment->training.lora.rank == 0);
        QCOMPARE(s.devicesNeeded, std::int64_t{1});
        QCOMPARE(estimateMemory(*experiment, {.cuda = true})->peakBytes, s.estimate.peakBytes);
    }
    QVERIFY(holds(found->notes, "one fine-tuning step"));
}

// The features hold two vectors as long as the weights: 6.7 billion have room on 80 GB, without an optimiser's states.
void TestRecommender::perturbationOfSeed()
{
    const RecommendOptions options = optionsFor("opt-6.7b", "a800-80gb", Goal::Prm);
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    const Strategy& first = found->strategies.front();
    QVERIFY(runs(first));
    QCOMPARE(first.experiment["dtype"].get<std::string>(), std::string("float32"));
    QCOMPARE(first.experiment["training"]["optimizer"].get<std::string>(), std::string("sgd"));
    QVERIFY(first.estimate.peakBytes > 3 * 4 * found->parameters);
    nlohmann::json half = first.experiment;
    half["dtype"] = "bfloat16";
    // As the engine does.
    QCOMPARE(estimateMemory(*experimentFromJson(half), {.cuda = true}).error().context, std::string("dtype"));
}

// What the engine refuses is offered nowhere: no strategy, no rung of the ladder, no "would fit".
void TestRecommender::curvatureIsWide()
{
    for (const Goal goal : {Goal::Hessian, Goal::Prm}) {
        RecommendOptions options = optionsFor("opt-125m", "bytes:1GiB", goal);
        const auto found = recommend(options);
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        QVERIFY(!found->strategies.empty() && !found->ladder.empty() && !found->wouldFit.empty());
        for (const Strategy& s : found->strategies)
            QVERIFY2(checkCurvaturePrecision(*experimentFromJson(s.experiment)), s.title.c_str());
        for (const LadderStep& step : found->ladder)
            QVERIFY2(checkCurvaturePrecision(*experimentFromJson(step.experiment)), step.change.c_str());
        QVERIFY(!holds(found->wouldFit, "float16"));
        options.base = {{"dtype", "bfloat16"}};
        QCOMPARE(recommend(options).error().context, std::string("dtype"));
        options.base = {{"training", {{"amp", "float16"}}}};
        QCOMPARE(recommend(options).error().context, std::string("training.amp"));
    }
}

void TestRecommender::perturbationTooLarge()
{
    const auto found = recommend(optionsFor("opt-13b", "a800-80gb", Goal::Prm));
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY(std::none_of(found->strategies.begin(), found->strategies.end(), runs));
    QVERIFY(found->strategies.front().estimate.peakBytes > 3 * 4 * found->parameters);
    QVERIFY(holds(found->wouldFit, "one device"));
}

void TestRecommender::seedVerdicts_data()
{
    QTest::addColumn<bool>("runsOnOne");
    for (const char* model : {"opt-125m", "opt-6.7b", "opt-13b"}) {
        QTest::newRow(model) << true;
    }
    QTest::newRow("opt-30b") << false;
}

// An A800 with 80 GB computes the diagonal on 10,000 parameters up to 13 B, and needs more devices at 30 B.
void TestRecommender::seedVerdicts()
{
    QFETCH(const bool, runsOnOne);
    const auto found = recommend(optionsFor(QTest::currentDataTag(), "a800-80gb", Goal::Hessian));
    QVERIFY(found.ok());
    const Strategy& first = found->strategies.front();
    QCOMPARE(runs(first), runsOnOne);
    QCOMPARE(first.experiment["data"]["batch"].get<int>(), 4);
    QCOMPARE(first.experiment["data"]["seq"].get<int>(), 128);
    QCOMPARE(first.experiment["curvature"]["parameters"]["count"].get<int>(), 10000);
    QCOMPARE(first.experiment["curvature"]["quantities"][0].get<std::string>(), std::string("diagonal"));
    if (!runsOnOne) {
        QCOMPARE(first.verdict, Verdict::NeedsSharding);
        QVERIFY(first.devicesNeeded >= 2);
        QVERIFY(holds(found->wouldFit, "devices: ") && holds(found->wouldFit, "smaller model: OPT 13B"));
    }
}

// Where the exact set-up fits, it comes before every approximation.
void TestRecommender::exactFirst()
{
    const auto found = recommend(optionsFor("gpt2", "a100-80gb", Goal::Train));
    const nlohmann::json& first = found->strategies.front().experiment;
    QCOMPARE(first["dtype"].get<std::string>(), std::string("float32"));
    QCOMPARE(first["training"]["amp"].get<std::string>(), std::string("none"));
    QCOMPARE(first["training"]["optimizer"].get<std::string>(), std::string("adam"));
    QCOMPARE(first["training"]["lora"]["rank"].get<int>(), 0);
    QCOMPARE(first["data"]["seq"].get<int>(), 1024);
    QVERIFY(holds(found->strategies.front().reasons, "Trains what was requested"));
}

void TestRecommender::fixedKeysStay()
{
    RecommendOptions options = optionsFor("llama-2-7b", "a800-80gb", Goal::Train);
    options.base = {{"dtype", "bfloat16"},
                    {"seed", 7},
                    {"data", {{"batch", 12}, {"seq", 640}}},
                    {"training", {{"optimizer", "adamw"}, {"lora", {{"rank", 16}}}, {"clipping", "flash"}}}};
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    for (const Strategy& s : found->strategies) {
        QCOMPARE(s.experiment["dtype"].get<std::string>(), std::string("bfloat16"));
        QCOMPARE(s.experiment["seed"].get<int>(), 7);
        QCOMPARE(s.experiment["data"]["batch"].get<int>(), 12);
        QCOMPARE(s.experiment["data"]["seq"].get<int>(), 640);
        QCOMPARE(s.experiment["training"]["optimizer"].get<std::string>(), std::string("adamw"));
        QCOMPARE(s.experiment["training"]["lora"]["rank"].get<int>(), 16);
        QCOMPARE(s.experiment["training"]["clipping"].get<std::string>(), std::string("flash"));
    }
}

// Adapters are peft's: float32 beside 16-bit weights, and nothing to keep of their rounding.
void TestRecommender::peftsAdapters()
{
    RecommendOptions options = optionsFor("llama-3.1-8b", "rtx-4090", Goal::Train);
    options.base = {{"training", {{"lora", {{"rank", 16}}}}}};
    const auto isWide = [](const Strategy& s) {
        return s.experiment["training"]["lora"].value("dtype", "weights") == "float32";
    };
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    int wide = 0;
    for (const Strategy& s : found->strategies) {
        const bool narrow = s.experiment["dtype"] == "bfloat16";
        QVERIFY2(!narrow || isWide(s), s.title.c_str());
        QCOMPARE(s.experiment["training"].value("rounding", "nearest"), std::string("nearest"));
        QCOMPARE(s.title.find("float32 adapters") != std::string::npos, isWide(s));
        wide += isWide(s) ? 1 : 0;
    }
    QVERIFY(wide > 0);
    QVERIFY2(found->answer.find("float32 adapters") != std::string::npos, found->answer.c_str());
    options.base["training"]["lora"]["dtype"] = "weights"; // said
    const auto said = recommend(options);
    QVERIFY(said.ok() && std::none_of(said->strategies.begin(), said->strategies.end(), isWide));
}

// With enough devices at hand sharding is a way to run, not a need.
void TestRecommender::moreDevices()
{
    RecommendOptions options = optionsFor("llama-2-13b", "a100-40gb", Goal::Train, 1);
    options.base = {{"data", {{"batch", 2}, {"seq", 1024}}}};
    const auto one = recommend(options);
    options.devices = 16;
    const auto many = recommend(options);
    const Strategy& first = many->strategies.front();
    QVERIFY(runs(first));
    QCOMPARE(first.devicesNeeded, std::int64_t{16});
    QVERIFY(first.experiment["training"]["sharding"].get<std::string>().rfind("zero", 0) == 0);
    QCOMPARE(first.experiment["dtype"].get<std::string>(), std::string("float32"));
    QVERIFY(std::any_of(one->strategies.begin(), one->strategies.end(),
                        [](const Strategy& s) { return s.verdict == Verdict::NeedsSharding; }));
}

// What is recommended for several devices is what the engine computes there.
void TestRecommender::shardedCurvature()
{
    RecommendOptions options = optionsFor("opt-125m", "bytes:1GiB", Goal::Hessian, 4);
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
    int sharded = 0;
    const auto check = [&sharded](const nlohmann::json& experiment) {
        if (!experiment.contains("training") || experiment["training"].value("sharding", "none") == "none")
            return true;
        ++sharded;
        const auto& request = experiment["curvature"];
        return experiment["training"]["sharding"] == "zero3" &&
               traitsOf(valueOf(request["quantities"][0].get<std::string>(), CurvatureQuantity::Full)).onShards &&
               byTape(valueOf(request["method"].get<std::string>(), ProductMethod::DoubleBackward));
    };
    for (const Strategy& strategy : found->strategies)
        QVERIFY2(check(strategy.experiment), strategy.experiment.dump().c_str());
    for (const LadderStep& step : found->ladder)
        QVERIFY2(check(step.experiment), step.experiment.dump().c_str());
    QVERIFY(sharded > 0);
}

void TestRecommender::nothingFits()
{
    RecommendOptions options = optionsFor("opt-66b", "t4", Goal::Train);
    options.base = {{"data", {{"batch", 2}, {"seq", 512}}}};
    const auto found = recommend(options);
    QVERIFY(found.ok());
    QVERIFY(std::none_of(found->strategies.begin(), found->strategies.end(), runs));
    QVERIFY(holds(found->wouldFit, "devices: "));
    QVERIFY(holds(found->wouldFit, "smaller model: OPT"));
    QVERIFY(holds(found->wouldFit, "approximation"));
}

// Precision halves what is kept; each step's saving is the difference of the peaks beside it.
void TestRecommender::ladderSaves()
{
    RecommendOptions options = optionsFor("opt-1.3b", "a100-40gb", Goal::Train);
    options.base = {{"training", {{"optimizer", "adam"}, {"attention", "auto"}, {"lora", {{"rank", 0}}}}}};
    const auto found = recommend(options);
    QVERIFY(found.ok());
    const std::vector<LadderStep>& ladder = found->ladder;
    bool narrowed = false;
    for (std::size_t i = 1; i < ladder.size(); ++i) {
        if (ladder[i].change.find("sharding") != std::string::npos) {
            QCOMPARE(ladder[i].savedBytes, ladder.front().peakBytes - ladder[i].peakBytes);
            continue;
        }
        QCOMPARE(ladder[i].savedBytes, ladder[i - 1].peakBytes - ladder[i].peakBytes);
        QVERIFY2(ladder[i].savedBytes >= 0, ladder[i].change.c_str());
        QVERIFY(ladder[i].change.find("; ") == std::string::npos); // which stands between several
        if (ladder[i].change.starts_with("bfloat16 weights")) {
            narrowed = true; // weights and moments halve; what rounding loses is kept in as many bits again
            QVERIFY(3 * ladder[i].peakBytes < 2 * ladder[i - 1].peakBytes * 11 / 10);
        }
    }
    QVERIFY(narrowed);
}

// The window has it from the search, the figures from a file: the same document.
void TestRecommender::planDocument()
{
    RecommendOptions options = optionsFor("gpt2", "l4", Goal::Train);
    options.base = {{"data", {{"batch", 2}, {"seq", 512}}}};
    const auto found = recommend(options);
    const auto plan = planFromJson(toJson(*found));
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().text().c_str());
    QVERIFY(*plan == peakscope::planDocument(*found));
    QCOMPARE(plan->strategies.size(), found->strategies.size());
    QCOMPARE(plan->ladder.size(), found->ladder.size());
    QCOMPARE(plan->strategies.front().peakBytes, found->strategies.front().estimate.peakBytes);
    QCOMPARE(plan->strategies.front().marginBytes, found->strategies.front().marginBytes);
    QCOMPARE(plan->device.usableBytes, found->device.usableBytes);
    QVERIFY(!toCsv(strategiesTable(*plan)).empty());
    QCOMPARE(plan->strategies.front().tier, std::optional(Tier::Exact));
    QCOMPARE(partHeadings(*plan).front(), std::optional(PlanPart::Exact));
    QCOMPARE(plan->ladder.back().tier, std::optional(found->ladder.back().tier));
}

// The frontier is the largest batch that fits: it does, and one more row does not.
void TestRecommender::capacityMapFrontier()
{
    const nlohmann::json experiment{{"kind", "memory"},
                                    {"model", {{"id", "gpt2"}}},
                                    {"weights", "random"},
                                    {"data", {{"batch", 4}, {"seq", 1024}}}};
    const PlanDevice device = *planDeviceFromText("bytes:6GiB");
    const auto map = capacityMap(experiment, device, {128, 512, 1024, 2048}, {1, 2, 8, 64});
    QVERIFY2(map.ok(), map.ok() ? "" : map.error().text().c_str());
    QCOMPARE(map->frontier.size(), std::size_t{4});
    QCOMPARE(map->peakBytes[3 * 4], std::int64_t{0}); // 2048 is beyond gpt2's positions
    QCOMPARE(map->frontier[3], std::int64_t{0});
    for (std::size_t row = 0; row < 3; ++row) {
        const auto verdict = [&](std::int64_t batch) {
            nlohmann::json cell = experiment;
            cell["data"] = {{"batch", batch}, {"seq", map->sequences[row]}};
            EstimateOptions options;
            options.cuda = true;
            return verdictFor(estimateMemory(*experimentFromJson(cell), options)->peakReservedBytes, device);
        };
        const std::int64_t most = map->frontier[row];
        QVERIFY(most >= 1 && most < 64);
        QVERIFY(verdict(most) != Verdict::DoesNotFit);
        QCOMPARE(verdict(most + 1), Verdict::DoesNotFit);
        for (std::size_t column = 0; column < 4; ++column) {
            const bool fits = map->verdicts[row * 4 + column] != Verdict::DoesNotFit;
            QCOMPARE(fits, map->batches[column] <= most);
        }
    }
    QVERIFY(map->frontier[0] >= map->frontier[1] && map->frontier[1] >= map->frontier[2]);
}

void TestRecommender::mapBounds()
{
    const nlohmann::json experiment{{"kind", "memory"}, {"model", {{"id", "opt-125m"}}}, {"weights", "random"}};
    const auto map = capacityMap(experiment, *planDeviceFromText("bytes:8GiB"));
    QVERIFY(map.ok());
    QCOMPARE(map->sequences.back(), std::int64_t{2048});
    QVERIFY(map->batches.front() == 1 && map->batches.size() > 3);
    QCOMPARE(map->verdicts.size(), map->sequences.size() * map->batches.size());
    QVERIFY(!capacityMap(experiment, *planDeviceFromText("bytes:8GiB"), {0, 5}).ok());
    QVERIFY(!capacityMap(experiment, *planDeviceFromText("bytes:8GiB"), {5, 4}).ok());
    QVERIFY(!capacityMap({{"kind", "memory"}}, *planDeviceFromText("bytes:8GiB")).ok());
}

// 6 operations per weight and token without attention (Kaplan et al. 2020, section 2.1), 8 with recomputation.
void TestRecommender::rooflineCounts()
{
    auto experiment = *experimentFromJson({{"kind", "memory"},
                                           {"model", {{"id", "llama-2-7b"}}},
                                           {"weights", "random"},
                                           {"data", {{"batch", 2}, {"seq", 128}}}});
    const ModelWork work = modelWork(experiment);
    const double weights = 6738415616.0 - 32000.0 * 4096 - (2 * 32 + 1) * 4096; // no look-up table, no norms
    QCOMPARE(work.linearWeights, weights);
    const PlanDevice device = *planDeviceFromText("a100-80gb");
    const double attention = 3.5 * 4 * 256 * 128 * 32 * 4096.0;
    const StepWork plain = stepWork(experiment, work, device, 0, 1);
    QCOMPARE(plain.flops, 6 * 256 * weights + attention);
    QVERIFY(plain.seconds >= plain.flops / device.float32Flops);
    // Muon's five steps of three products, on four square matrices and three wide ones of each layer.
    const auto muon =
        std::find_if(optimizers().begin(), optimizers().end(), [](const auto& each) { return each.orthogonalises(); });
    experiment.training.optimizer = &*muon;
    QCOMPARE(stepWork(experiment, work, device, 0, 1).flops - plain.flops,
             32 * 5 * 2 * 4096.0 * 4096 * (4 * 3 * 4096.0 + 3 * (2 * 11008 + 4096.0)));
    experiment.training.optimizer = defaultOptimizer();
    experiment.training.checkpointing = true;
    const StepWork again = stepWork(experiment, work, device, 0, 1);
    QCOMPARE(again.flops - plain.flops, 2 * 256 * (weights - 32000.0 * 4096) + 4 * 256 * 128 * 32 * 4096.0);
    QVERIFY(!stepWork(experiment, work, *planDeviceFromText("bytes:1GiB"), 0, 1).known);
}

void TestRecommender::cancelled()
{
    std::stop_source source;
    source.request_stop();
    const auto found = recommend(optionsFor("gpt2", "t4", Goal::Train), source.get_token());
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code, ErrorCode::Interrupted);
}

void TestRecommender::refusals_data()
{
    QTest::addColumn<QByteArray>("base");
    QTest::addColumn<QString>("says");
    QTest::newRow("batch 0") << QByteArray(R"({"data": {"batch": 0}})") << "data.batch";
    QTest::newRow("heads") << QByteArray(R"({"model": {"heads": 7}})") << "heads";
    QTest::newRow("unknown key") << QByteArray(R"({"data": {"bach": 1}})") << "batch";
    QTest::newRow("wrong type") << QByteArray(R"({"training": 5})") << "training";
    QTest::newRow("too long") << QByteArray(R"({"data": {"seq": 99999}})") << "max_positions";
}

void TestRecommender::refusals()
{
    QFETCH(const QByteArray, base);
    QFETCH(const QString, says);
    for (const Goal goal : {Goal::Train, Goal::Hessian, Goal::DpSgd, Goal::Prm}) {
        RecommendOptions options = optionsFor("opt-125m", "a800-80gb", goal);
        options.base = nlohmann::json::parse(base.toStdString());
        const auto found = recommend(options);
        QVERIFY(!found.ok());
        QVERIFY2(QString::fromStdString(found.error().text()).contains(says), found.error().text().c_str());
        QCOMPARE(exitStatus(found.error().code), 2);
    }
}

PEAKSCOPE_GUILESS_TEST(TestRecommender)
#include "test_recommender.moc"
