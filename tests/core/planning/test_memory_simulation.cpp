// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The simulated step against closed forms and against peaks that real runs measured (LibTorch 2.15, CPU, 2 threads).
#include "core/model/catalogue.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/shadow/reserved_peak.h"
#include "core/planning/shadow/shadow_graph.h"
#include "core/planning/shadow/shadow_model.h"
#include "core/planning/shadow/shadow_sharding.h"
#include "core/planning/simulation/simulate_training.h"
#include "tests/test_room.h"

#include <QTest>

#include <array>
#include <numeric>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

std::int64_t of(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

Json document(const std::string& family, const Json& change = Json::object())
{
    Json base{{"kind", "memory"},
              {"model",
               {{"family", family},
                {"hidden", 256},
                {"layers", 4},
                {"heads", 4},
                {"ffn", 1024},
                {"vocab", 2000},
                {"max_positions", 128}}},
              {"weights", "random"},
              {"threads", 2},
              {"data", {{"source", "builtin"}, {"batch", 2}, {"seq", 128}}},
              {"training", {{"warmup_steps", 0}, {"steps", 2}}}};
    base.merge_patch(change);
    return base;
}

Experiment read(const Json& json)
{
    auto experiment = experimentFromJson(json);
    if (!experiment)
        qFatal("%s", experiment.error().text().c_str());
    return *experiment;
}

MemoryEstimate simulated(const Json& json, EstimateOptions options = {})
{
    auto estimate = simulateTraining(read(json), options);
    if (!estimate)
        qFatal("%s", estimate.error().text().c_str());
    return *estimate;
}

} // namespace

class TestMemorySimulation : public QObject
{
    Q_OBJECT

private slots:
    void measuredPeaks_data();
    void measuredPeaks();
    void componentsSumToThePeak_data();
    void componentsSumToThePeak();
    void parametersAreTheModels_data();
    void parametersAreTheModels();
    void seedsVanillaPeak();
    void aTiedHeadGathersTheEmbeddingFirst();
    void aLayerOfThePlainModelKeepsTwelveUnits();
    void onlyOneStepHasNoStatesBeforeItsUpdate();
    void logitsAreNamed();
    void derivedAgreesWithSimulated_data();
    void derivedAgreesWithSimulated();
    void derivedTellsModelsApart();
    void clippedPeaks_data();
    void clippedPeaks();
    void gramMatricesOfOneLayer();
    void bookKeepingKeepsBothFactors();
    void heldGradientsOfEveryRow();
    void unknownSizesAreNotVerified();
    void derivedAgreesForClippedSteps_data();
    void derivedAgreesForClippedSteps();
    void cachingAllocatorRounds();
    void aFullCardGetsUnusedMemoryBack();
    void laterStepsReserveMore();
    void fewPassesAreAsAll();
    void theVerdictIsOfTheFullCard();
};

void TestMemorySimulation::measuredPeaks_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("change");
    QTest::addColumn<qint64>("measured");
    const auto row = [](const char* family, const char* change, qint64 measured) {
        QTest::addRow("%s %s", family, change) << family << change << measured;
    };
    const char* checkpointing = R"({"training": {"checkpointing": true}})";
    const char* narrow = R"({"dtype": "bfloat16"})";
    const char* autocast = R"({"training": {"amp": "bfloat16"}})";
    const char* adapters = R"({"training": {"lora": {"rank": 4}}})";
    row("opt", "{}", 63748104);
    row("opt", checkpointing, 63377420);
    row("opt", narrow, 34956296);
    row("opt", adapters, 32763912);
    row("opt", autocast, 66738184);
    row("gpt2", "{}", 67936264);
    row("gpt2", checkpointing, 63369228);
    row("gpt2", narrow, 37050376);
    row("gpt2", adapters, 32745480);
    row("gpt2", autocast, 67780616);
    row("gpt_neox", "{}", 72646664);
    row("gpt_neox", checkpointing, 71036940);
    row("gpt_neox", narrow, 39409672);
    row("gpt_neox", adapters, 32571400);
    row("gpt_neox", autocast, 72491016);
    row("llama", "{}", 94543880);
    row("llama", checkpointing, 87629836);
    row("llama", narrow, 50375176);
    row("llama", adapters, 47240200);
    row("llama", autocast, 93863944);
    row("plain", "{}", 71487500);
    row("plain", checkpointing, 71487500);
    row("plain", narrow, 37865480);
    row("plain", adapters, 34527240);
    row("plain", autocast, 72556552);
}

void TestMemorySimulation::measuredPeaks()
{
    QFETCH(QString, family);
    QFETCH(QString, change);
    QFETCH(qint64, measured);
    const MemoryEstimate estimate = simulated(document(family.toStdString(), Json::parse(change.toStdString())));
    const qint64 off = qAbs(estimate.peakBytes - measured);
    QVERIFY2(off <= measured / 10000,
             qPrintable(QStringLiteral("predicted %1, measured %2").arg(estimate.peakBytes).arg(measured)));
    QVERIFY(estimate.verified);
}

void TestMemorySimulation::componentsSumToThePeak_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<bool>("cuda");
    for (const char* family : {"opt", "gpt2", "gpt_neox", "llama", "plain"}) {
        QTest::addRow("%s cpu", family) << family << false;
        QTest::addRow("%s cuda", family) << family << true;
    }
}

void TestMemorySimulation::componentsSumToThePeak()
{
    QFETCH(QString, family);
    QFETCH(bool, cuda);
    EstimateOptions options;
    options.cuda = cuda;
    nlohmann::json experiment = document(family.toStdString());
    experiment["training"]["implementation"] = "loop"; // with all parameters together the update is the peak
    const MemoryEstimate estimate = simulated(experiment, options);
    QCOMPARE(std::accumulate(estimate.components.begin(), estimate.components.end(), std::int64_t{0}),
             estimate.peakBytes);
    QVERIFY(estimate.peakReservedBytes >= estimate.peakBytes);
    QCOMPARE(of(estimate.components, Component::Rounding) > 0, cuda);
    QCOMPARE(estimate.verified, !cuda);
    std::int64_t most = 0;
    for (const PhaseEstimate& phase : estimate.phases) {
        QCOMPARE(std::accumulate(phase.components.begin(), phase.components.end(), std::int64_t{0}), phase.peakBytes);
        most = std::max(most, phase.peakBytes);
    }
    QCOMPARE(most, estimate.peakBytes);
    std::int64_t parameters = 0;
    for (const ModuleEstimate& module : estimate.modules)
        parameters += module.parameterBytes;
    QCOMPARE(parameters, of(estimate.components, Component::Parameters));
}

void TestMemorySimulation::parametersAreTheModels_data()
{
    QTest::addColumn<QString>("id");
    const auto models = loadModelCatalogue();
    QVERIFY(models.ok());
    for (const CatalogueModel& model : *models)
        QTest::addRow("%s", model.id.c_str()) << QString::fromStdString(model.id);
}

void TestMemorySimulation::parametersAreTheModels()
{
    QFETCH(QString, id);
    const auto model = findModel(id.toStdString());
    QVERIFY(model.ok());
    const Json json{{"kind", "memory"},
                    {"model", {{"id", id.toStdString()}}},
                    {"weights", "random"},
                    {"data", {{"batch", 1}, {"seq", 64}}}};
    const MemoryEstimate estimate = simulated(json);
    QCOMPARE(of(estimate.components, Component::Parameters), model->parameters * 4);
    QCOMPARE(of(estimate.maxComponents, Component::OptimizerStates), model->parameters * 8);
    QVERIFY(of(estimate.maxComponents, Component::Gradients) >= model->parameters * 4);
}

// 20 layers x 2048 at T = 16384: the published vanilla run reached 52,347 MiB.
void TestMemorySimulation::seedsVanillaPeak()
{
    const Json json{{"kind", "memory"},
                    {"model", {{"id", "plain"}}},
                    {"weights", "random"},
                    {"data", {{"batch", 1}, {"seq", 16384}}},
                    {"training", {{"optimizer", "adam"}, {"loss_head", "naive"}}}};
    Json shape = json;
    shape["model"] = {{"family", "plain"}, {"hidden", 2048}, {"layers", 20},
                      {"heads", 16},       {"vocab", 32000}, {"max_positions", 16384}};
    const MemoryEstimate estimate = simulated(shape);
    const double published = 52347.0 * 1024 * 1024;
    QVERIFY(qAbs(static_cast<double>(estimate.peakBytes) / published - 1) < 0.01);
    QVERIFY(estimate.logitsMakePeak);
    QCOMPARE(estimate.logitsBytes, std::int64_t{4} * 16384 * 32000 * 4); // logits, log-softmax and two gradients
}

// Norm inputs and outputs, q, k, v, attention's result and four units behind ReLU (12 of B T d each), besides means and
// deviations of two norms and attention's logarithms; and the layer's own parameters, gradients none at the peak.
void TestMemorySimulation::aLayerOfThePlainModelKeepsTwelveUnits()
{
    Json json = document("plain", Json::parse(R"({"training": {"optimizer": "sgd"}, "model": {"vocab": 30000}})"));
    const MemoryEstimate four = simulated(json);
    json["model"]["layers"] = 5;
    const MemoryEstimate five = simulated(json);
    const std::int64_t tokens = 2 * 128, width = 256, heads = 4;
    const std::int64_t kept = 12 * tokens * width + 4 * tokens + heads * tokens;
    QCOMPARE(of(five.components, Component::Activations) - of(four.components, Component::Activations), kept * 4);
    QCOMPARE(of(five.components, Component::Gradients), std::int64_t{0});
}

void TestMemorySimulation::onlyOneStepHasNoStatesBeforeItsUpdate()
{
    Json json = document("opt", Json::parse(R"({"training": {"steps": 1}})"));
    const MemoryEstimate one = simulated(json);
    json["training"]["steps"] = 2;
    const MemoryEstimate two = simulated(json);
    for (const PhaseEstimate& phase : one.phases) {
        if (phase.phase == Phase::Backward)
            QCOMPARE(of(phase.components, Component::OptimizerStates), std::int64_t{0});
    }
    QVERIFY(one.peakBytes <= two.peakBytes);
    QCOMPARE(of(one.maxComponents, Component::OptimizerStates), of(two.maxComponents, Component::OptimizerStates));
}

void TestMemorySimulation::logitsAreNamed()
{
    QVERIFY(simulated(document("opt", Json::parse(R"({"model": {"vocab": 50000}})"))).logitsMakePeak);
    const MemoryEstimate small = simulated(document("opt", Json::parse(R"({"model": {"vocab": 256, "layers": 12}})")));
    QVERIFY(!small.logitsMakePeak);
}

void TestMemorySimulation::derivedAgreesWithSimulated_data()
{
    componentsSumToThePeak_data();
}

// What searches use for deep models is read off two shallow ones.
void TestMemorySimulation::derivedAgreesWithSimulated()
{
    QFETCH(QString, family);
    QFETCH(bool, cuda);
    for (const bool checkpointing : {false, true}) {
        Json json = document(family.toStdString(), Json::parse(R"({"model": {"layers": 24}})"));
        json["training"]["checkpointing"] = checkpointing;
        EstimateOptions options;
        options.cuda = cuda;
        options.wholeRun = false;
        const MemoryEstimate whole = simulated(json, options);
        options.modules = false;
        options.derived = true;
        QCOMPARE(simulated(json, options).peakBytes, whole.peakBytes);
    }
}

// Simulations are remembered by what they read of an experiment; which layers are local is of it too.
void TestMemorySimulation::derivedTellsModelsApart()
{
    const auto peak = [](const Json& layers, bool derived) {
        Json json =
            document("gpt_neo", Json::parse(R"({"model": {"window_size": 8}, "training": {"attention": "math"}})"));
        json["model"]["attention_layers"] = layers;
        EstimateOptions options;
        options.modules = !derived;
        options.derived = derived;
        return simulated(json, options).peakBytes;
    };
    const Json local{"local"}, inTurn{"global", "local"};
    QCOMPARE_NE(peak(local, false), peak(inTurn, false));
    for (const Json& layers : {local, inTurn})
        QCOMPARE(peak(layers, true), peak(layers, false));
}

void TestMemorySimulation::clippedPeaks_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("change");
    QTest::addColumn<qint64>("measured");
    const auto rows = [](const char* what, const char* change, std::array<qint64, 5> measured) {
        constexpr const char* kFamilies[] = {"opt", "gpt2", "gpt_neox", "llama", "plain"};
        for (std::size_t i = 0; i < measured.size(); ++i)
            QTest::addRow("%s: %s", what, kFamilies[i]) << kFamilies[i] << change << measured[i];
    };
    rows("one row at a time", R"({"training": {"clipping": "microbatch", "optimizer": "sgd"}})",
         {48558104, 48551960, 52303896, 64748568, 52641816});
    rows("held gradients", R"({"training": {"clipping": "per_sample", "optimizer": "sgd", "loss_head": "chunked"}})",
         {46506048, 46504000, 48943800, 60949568, 48630448});
    rows("Gram matrices", R"({"training": {"clipping": "ghost", "optimizer": "sgd", "loss_head": "chunked"}})",
         {32913488, 36041808, 36918352, 51566672, 35794952});
    rows("tiles, logits kept", R"({"training": {"clipping": "flash", "optimizer": "sgd", "loss_head": "naive"}})",
         {36157520, 40349776, 41226320, 54827088, 37920848});
    rows("book-keeping, Gram matrices",
         R"({"training": {"clipping": "ghost_bk", "optimizer": "sgd", "loss_head": "chunked"}})",
         {35313988, 35311940, 35672760, 49781832, 36666040});
    rows("book-keeping, checkpointing",
         R"({"training": {"clipping": "flash_bk", "optimizer": "sgd", "loss_head": "chunked", "checkpointing": true}})",
         {35313988, 35311940, 35680952, 46892104, 36666040});
    rows(
        "book-keeping, a row a pass, noise",
        R"({"data": {"max_physical_batch": 1}, "training": {"clipping": "flash_bk", "optimizer": "sgd", "loss_head": "chunked", "noise_multiplier": 1}})",
        {39377904, 39986240, 43304000, 56339008, 42976428});
    rows("adapters, tiles",
         R"({"training": {"clipping": "flash", "optimizer": "sgd", "loss_head": "chunked", "lora": {"rank": 8}}})",
         {29208640, 29173824, 28999744, 44733504, 30971968});
    rows("adapters, book-keeping",
         R"({"training": {"clipping": "ghost_bk", "optimizer": "sgd", "loss_head": "chunked", "lora": {"rank": 8}}})",
         {28682304, 28647488, 28473408, 44208192, 30709824});
    rows("book-keeping, autocast",
         R"({"training": {"clipping": "flash_bk", "optimizer": "sgd", "loss_head": "chunked", "amp": "bfloat16"}})",
         {32996348, 34042876, 38410948, 47952564, 38636228});
    rows("held gradients, bfloat16",
         R"({"dtype": "bfloat16", "training": {"clipping": "per_sample", "optimizer": "sgd", "loss_head": "chunked"}})",
         {27351104, 27350080, 27702960, 33927344, 27806384});
    rows("planned, math attention", R"({"training": {"clipping": "auto", "optimizer": "adam", "attention": "math"}})",
         {65972896, 70033472, 74743872, 96641088, 71647312});
}

// Per-sample clipping: every method, where the head and the optimiser leave the peak to it.
void TestMemorySimulation::clippedPeaks()
{
    QFETCH(QString, family);
    QFETCH(QString, change);
    QFETCH(qint64, measured);
    const MemoryEstimate estimate = simulated(document(family.toStdString(), Json::parse(change.toStdString())));
    const qint64 off = qAbs(estimate.peakBytes - measured);
    QVERIFY2(off <= measured / 5000,
             qPrintable(QStringLiteral("predicted %1, measured %2").arg(estimate.peakBytes).arg(measured)));
    QVERIFY(estimate.verified);
    QCOMPARE(std::accumulate(estimate.components.begin(), estimate.components.end(), std::int64_t{0}),
             estimate.peakBytes);
}

// Two Gram matrices of the rows of a pass, [T, T] each, and gone before the next layer's.
void TestMemorySimulation::gramMatricesOfOneLayer()
{
    for (const char* method : {"ghost", "ghost_bk"}) {
        Json json = document("llama", {{"training", {{"clipping", method}, {"loss_head", "naive"}}}});
        QCOMPARE(of(simulated(json).maxComponents, Component::TempMatrices), std::int64_t{2 * 2 * 128 * 128 * 4});
        json["model"]["layers"] = 9;
        json["data"]["max_physical_batch"] = 1;
        QCOMPARE(of(simulated(json).maxComponents, Component::TempMatrices), std::int64_t{2 * 128 * 128 * 4});
    }
}

// Book-keeping keeps inputs and output gradients of every linear layer, the looked-up rows' gradient and the head's
// two: in plain 7 and 9 units of B T d a layer, where ffn is 4 d.
void TestMemorySimulation::bookKeepingKeepsBothFactors()
{
    const Json json = document("plain", {{"training", {{"clipping", "flash_bk"}, {"loss_head", "naive"}}}});
    const std::int64_t unit = std::int64_t{2} * 128 * 256 * 4;
    QCOMPARE(of(simulated(json).maxComponents, Component::ActivationHooks),
             4 * (7 + 9) * unit + 2 * unit + std::int64_t{2} * 128 * 2000 * 4);
}

// Held: of every parameter a gradient a row, but of look-up tables the rows' gradient only; summed, they are gone.
void TestMemorySimulation::heldGradientsOfEveryRow()
{
    const Json json = document("plain", {{"training", {{"clipping", "per_sample"}, {"loss_head", "naive"}}}});
    const std::int64_t tables = (2000 + 128) * 256;
    const std::int64_t all = parameterCount(read(json).model.config);
    QCOMPARE(of(simulated(json).maxComponents, Component::PerSampleGradients),
             2 * (all - tables) * 4 + std::int64_t{2} * 128 * 256 * 4);
}

void TestMemorySimulation::unknownSizesAreNotVerified()
{
    Json json = document("opt", Json::parse(R"({"training": {"clipping": "flash"}})"));
    QVERIFY(simulated(json).verified);
    json["training"]["privacy"] = {{"poisson", true}};
    QVERIFY(!simulated(json).verified);
}

void TestMemorySimulation::derivedAgreesForClippedSteps_data()
{
    QTest::addColumn<QString>("method");
    for (const char* method : {"microbatch", "per_sample", "ghost", "flash", "ghost_bk", "flash_bk", "auto"})
        QTest::newRow(method) << method;
}

void TestMemorySimulation::derivedAgreesForClippedSteps()
{
    QFETCH(QString, method);
    for (const char* family : {"opt", "gpt2", "gpt_neox", "llama", "plain"}) {
        Json json = document(family, Json::parse(R"({"model": {"layers": 20}, "data": {"batch": 7}})"));
        json["data"]["max_physical_batch"] = 2;
        json["training"]["clipping"] = method.toStdString();
        json["training"]["optimizer"] = "sgd";
        json["training"]["loss_head"] = "chunked";
        EstimateOptions options;
        const MemoryEstimate whole = simulated(json, options);
        options.modules = false;
        options.derived = true;
        const MemoryEstimate derived = simulated(json, options);
        QCOMPARE(derived.peakBytes, whole.peakBytes);
        QCOMPARE(derived.components, whole.components);
    }
}

void TestMemorySimulation::cachingAllocatorRounds()
{
    ShadowMemory memory(512);
    const auto reserved = [&] { return allocatorPeaks(memory, {}).value().reserved; };
    const StorageId small = memory.allocate(100);
    QCOMPARE(reserved(), std::int64_t{2} << 20); // a segment of small blocks
    memory.allocate(3 << 20);
    QCOMPARE(reserved(), std::int64_t{22} << 20); // and one for 1 to 10 MiB
    memory.allocate((11 << 20) + 1);
    QCOMPARE(reserved(), std::int64_t{22} << 20); // fits what is left of it
    memory.allocate((30 << 20) + 1);
    QCOMPARE(reserved(), std::int64_t{54} << 20); // above 10 MiB: its own, in steps of 2 MiB
    memory.release(small);
    memory.allocate(500);
    QCOMPARE(reserved(), std::int64_t{54} << 20); // taken from what was freed
}

// What is unused goes back to the card before a request fails, as cudaMalloc's failure makes the allocator do.
void TestMemorySimulation::aFullCardGetsUnusedMemoryBack()
{
    constexpr std::int64_t kMiB = 1 << 20;
    ShadowMemory memory(512);
    memory.release(memory.allocate(30 * kMiB));
    memory.allocate(40 * kMiB);
    QCOMPARE(allocatorPeaks(memory, {}).value().reserved, 70 * kMiB);
    QCOMPARE(allocatorPeaks(memory, {}, 69 * kMiB).value().reserved, 40 * kMiB);
    QCOMPARE(allocatorPeaks(memory, {}, 40 * kMiB).value().reserved, 40 * kMiB);
    QVERIFY(!allocatorPeaks(memory, {}, 39 * kMiB));
}

// The states of the first update split what the step before it left. Expected: what PyTorch 2.15's own allocator held
// in a dry run of this experiment.
void TestMemorySimulation::laterStepsReserveMore()
{
    Json json{{"kind", "memory"},
              {"model", {{"id", "llama-3.2-1b"}}},
              {"weights", "random"},
              {"dtype", "bfloat16"},
              {"data", {{"batch", 4}, {"seq", 512}}},
              {"training", {{"checkpointing", true}, {"optimizer", "adamw"}, {"warmup_steps", 1}, {"steps", 1}}}};
    EstimateOptions options;
    options.cuda = true;
    const MemoryEstimate estimate = simulated(json, options);
    QCOMPARE(estimate.peakBytes, 12'361'322'496);
    QCOMPARE(estimate.peakReservedBytes, 15'527'313'408);
    json["training"]["warmup_steps"] = 0;
    QVERIFY(simulated(json, options).peakReservedBytes < 12'500'000'000); // one step alone
}

void TestMemorySimulation::fewPassesAreAsAll()
{
    for (const char* clipping : {"none", "microbatch", "ghost", "flash_bk"}) {
        Json json = document("gpt2", {{"data", {{"batch", 37}, {"max_physical_batch", 5}}}});
        json["training"]["clipping"] = clipping;
        EstimateOptions options;
        options.cuda = true;
        const MemoryEstimate all = simulated(json, options);
        options.fewPasses = true;
        const MemoryEstimate few = simulated(json, options);
        QCOMPARE(few.peakBytes, all.peakBytes);
        QCOMPARE(few.peakReservedBytes, all.peakReservedBytes);
        QCOMPARE(few.components, all.components);
    }
}

// A step that would reserve more than the card has fits where giving back what is unused does for it.
void TestMemorySimulation::theVerdictIsOfTheFullCard()
{
    constexpr std::int64_t kMiB = 1 << 20;
    Json json = document("gpt2", {{"data", {{"batch", 8}, {"seq", 512}}}, {"training", {{"checkpointing", true}}}});
    json["model"] = {{"id", "gpt2"}};
    json["training"]["warmup_steps"] = 0;
    json["training"]["steps"] = 1; // states of an update keep segments of later steps in use
    EstimateOptions options;
    options.cuda = true;
    const MemoryEstimate roomy = simulated(json, options);
    int fitting = 0;
    for (std::int64_t capacity = roomy.peakReservedBytes; capacity > roomy.peakBytes - 32 * kMiB;
         capacity -= 16 * kMiB) {
        options.capacityBytes = capacity;
        const MemoryEstimate full = simulated(json, options);
        QCOMPARE(full.peakBytes, roomy.peakBytes);
        const bool fits = full.peakReservedBytes <= capacity;
        QVERIFY(fits ? full.peakReservedBytes >= roomy.peakBytes : full.peakReservedBytes == roomy.peakReservedBytes);
        QVERIFY(fits || capacity < roomy.peakReservedBytes);
        const bool said = std::any_of(full.notes.begin(), full.notes.end(),
                                      [](const std::string& note) { return note.starts_with("fits because"); });
        QCOMPARE(said, fits && capacity < roomy.peakReservedBytes);
        fitting += said;
    }
    QVERIFY(fitting > 0);
}

// As the engine does, which walks its rows in order (core/engine/sharding/parameter_shards.cpp, enterForward).
void TestMemorySimulation::aTiedHeadGathersTheEmbeddingFirst()
{
    const Experiment experiment = read(document("gpt2", {{"training", {{"sharding", "zero3"}}}, {"ranks", 2}}));
    QVERIFY(experiment.model.config.tied);
    ShadowMemory memory(1);
    ShadowGraph graph(memory);
    auto sharding = ShadowSharding::create(experiment, 2, 0, graph, false);
    QVERIFY(sharding);
    ShadowModel model(graph, experiment.model.config, shadowType(experiment.dtype), true, true);
    (*sharding)->placeParameters(model);
    (*sharding)->attach(model);
    const std::size_t before = memory.events();
    (*sharding)->enterForward(static_cast<std::size_t>(experiment.model.config.layers) + 1);
    QCOMPARE(memory.events(), before + 2); // the embedding's table and what is the head's own: the last layer norm
    QVERIFY(memory.event(before).second >= 2000 * 256 * 4);
    QVERIFY(memory.event(before + 1).second < 2000 * 256 * 4);
}

PEAKSCOPE_GUILESS_TEST(TestMemorySimulation)
#include "test_memory_simulation.moc"
