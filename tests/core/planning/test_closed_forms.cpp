// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms of sharding against numbers computed by hand from their formulas.
#include "tests/core/planning/closed_form_cases.h"

#include "core/model/catalogue.h"
#include "tests/test_room.h"

using namespace peakscope;
using namespace peakscope::formcases;

class TestClosedForms : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void partsCountEveryModel();
    void partsOfMixturesWithDenseLayers();
    void partsOfAdapters();
    void zeroStages_data();
    void zeroStages();
    void zeroShardsToOnePaddingUnit();
    void sums_data();
    void sums();
    void derivedAgrees();
};

void TestClosedForms::initTestCase()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
}

void TestClosedForms::partsCountEveryModel()
{
    const auto models = loadModelCatalogue();
    QVERIFY(models.ok());
    for (const CatalogueModel& model : *models) {
        const auto parts = formParts(model.config, LoraOptions{});
        QVERIFY(parts.ok());
        QVERIFY2(parts->all() == model.parameters, model.id.c_str());
        QVERIFY2(parts->trained == model.parameters, model.id.c_str());
        QVERIFY2(parts->trainedTensors == static_cast<std::int64_t>(parameterSpecs(model.config).size()),
                 model.id.c_str());
    }
}

// Mixtures of which some layers, the first one too, have one net for all: each kind counts as often as it is there.
void TestClosedForms::partsOfMixturesWithDenseLayers()
{
    const auto model = modelConfigFromExperiment({{"family", "qwen3_moe"},
                                                  {"hidden", 32},
                                                  {"layers", 5},
                                                  {"heads", 4},
                                                  {"ffn", 640},
                                                  {"experts", 4},
                                                  {"expert_ffn", 24},
                                                  {"dense_layers", {"dense", "experts"}}},
                                                 "model");
    QVERIFY2(model.ok(), model ? "" : model.error().text().c_str());
    const std::vector<ParameterSpec> specs = parameterSpecs(*model);
    const auto sum = [&specs](auto&& counts) {
        std::int64_t elements = 0;
        for (const ParameterSpec& spec : specs)
            elements += counts(spec) ? spec.count() : 0;
        return elements;
    };
    const auto ofLayer = [&sum](std::int64_t layer) {
        return sum([layer](const ParameterSpec& spec) { return spec.layer == layer; });
    };
    QVERIFY(ofLayer(0) > ofLayer(1));
    LoraOptions lora;
    for (const bool adapters : {false, true}) {
        lora.rank = adapters ? 4 : 0;
        lora.targets = {"q_proj", "down_proj"}; // 5 of the layers; 3 dense ones and 2 x 4 experts
        const auto parts = formParts(*model, lora);
        QVERIFY(parts.ok());
        const std::int64_t trained =
            adapters ? 5 * 4 * (32 + 4 * model->headDim) + 3 * 4 * (640 + 32) + 2 * 4 * 4 * (24 + 32)
                     : sum([](const ParameterSpec&) { return true; });
        QCOMPARE(parts->trained, trained);
        QCOMPARE(parts->trainedTensors, adapters ? 2 * (5 + 3 + 2 * 4) : std::int64_t(specs.size()));
        QCOMPARE(parts->layerCount(), std::int64_t{5});
        if (!adapters) {
            QCOMPARE(parts->all(), trained);
            QCOMPARE(parts->largestLayer(), ofLayer(0));
        }
    }
}

void TestClosedForms::partsOfAdapters()
{
    LoraOptions lora;
    lora.rank = 16;
    const auto parts = formParts(findModel("opt-125m")->config, lora);
    QVERIFY(parts.ok());
    // q_proj and v_proj of 12 layers, [16, 768] and [768, 16] each.
    QCOMPARE(parts->trained, std::int64_t{12 * 2 * 2 * 16 * 768});
    QCOMPARE(parts->trainedTensors, std::int64_t{48});
    QCOMPARE(parts->largestTrained, std::int64_t{16 * 768});
    QVERIFY(!parts->trainsHead);
    lora.targets = {"layers.3.fc1"};
    const auto single = formParts(findModel("opt-125m")->config, lora);
    QVERIFY(single.ok());
    QCOMPARE(single->trained, std::int64_t{16 * (768 + 3072)});
}

void TestClosedForms::zeroStages_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<bool>("gradients");
    QTest::addColumn<bool>("parameters");
    QTest::newRow("zero1: states") << "zero1" << false << false;
    QTest::newRow("zero2: gradients too") << "zero2" << true << false;
    QTest::newRow("zero3: parameters too") << "zero3" << true << true;
}

void TestClosedForms::zeroStages()
{
    QFETCH(QString, stage);
    QFETCH(bool, gradients);
    QFETCH(bool, parameters);
    Json document = tinyDocument();
    const MemoryEstimate whole = shardedStepOf(document);
    document["training"]["sharding"] = stage.toStdString();
    EstimateOptions four;
    four.devices = 4;
    const MemoryEstimate quarter = shardedStepOf(document, four);
    const auto near = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) <= 64; };
    const auto share = [](bool divided, std::int64_t bytes) { return divided ? bytes / 4 : bytes; };
    const ComponentBytes step = phaseOf(quarter, Phase::OptimizerStep);
    const auto at = [&step](Component component) { return step[static_cast<std::size_t>(component)]; };
    QVERIFY(near(at(Component::OptimizerStates), part(whole, Component::OptimizerStates) / 4));
    QVERIFY(near(at(Component::Parameters), share(parameters, part(whole, Component::Parameters))));
    const ComponentBytes wholeStep = phaseOf(whole, Phase::OptimizerStep);
    QVERIFY(
        near(at(Component::Gradients), share(gradients, wholeStep[static_cast<std::size_t>(Component::Gradients)])));
    QVERIFY(part(quarter, Component::Communication) > 0);
    if (parameters) {
        // The largest unit, the next layer gathered ahead, and the unit's gradient: the embedding is the largest here.
        const std::int64_t embedding = 300 * 8 + 66 * 8 + 2 * 8;
        const std::int64_t layer = 4 * (8 * 8 + 8) + 2 * (8 * 16) + 16 + 8 + 4 * 8;
        QCOMPARE(part(quarter, Component::Communication), (2 * embedding + layer) * 4);
    }
    EstimateOptions eight;
    eight.devices = 8;
    QVERIFY(shardedStepOf(document, eight).peakBytes < quarter.peakBytes);
}

void TestClosedForms::zeroShardsToOnePaddingUnit()
{
    Json document = seedDocument();
    document["training"]["sharding"] = "zero3";
    for (const std::int64_t devices : {2, 3, 7, 64}) {
        EstimateOptions options;
        options.devices = devices;
        const MemoryEstimate estimate = shardedStepOf(document, options);
        const std::int64_t all = 1171628032;
        const ComponentBytes step = phaseOf(estimate, Phase::OptimizerStep);
        // A shard of each of 20 layers, of the embedding and of the head, none off by more than one element.
        const std::int64_t share = step[static_cast<std::size_t>(Component::Parameters)];
        QVERIFY(share * devices >= all * 4);
        QVERIFY(share <= all * 4 / devices + 22 * 4);
    }
}

void TestClosedForms::sums_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<bool>("cuda");
    for (const char* family : {"opt", "gpt2", "gpt_neox", "llama", "plain"}) {
        QTest::addRow("%s on a CPU", family) << family << false;
        QTest::addRow("%s with CUDA", family) << family << true;
    }
}

void TestClosedForms::sums()
{
    QFETCH(QString, family);
    QFETCH(bool, cuda);
    EstimateOptions options;
    options.cuda = cuda;
    options.modules = false;
    Json document = tinyDocument();
    document["model"]["family"] = family.toStdString();
    document["data"]["max_physical_batch"] = 2;
    for (const char* sharding : {"none", "zero1", "zero2", "zero3"}) {
        options.devices = std::string(sharding) == "none" ? 1 : 3;
        document["kind"] = "prm";
        document["training"] = {{"sharding", sharding}};
        checkSums(estimateOf(document, options));
        document["kind"] = "memory";
        checkPhases(shardedStepOf(document, options));
    }
    document["training"] = {{"sharding", "zero3"}, {"checkpointing", true}, {"loss_head", "chunked"}};
    for (const char* method : {"auto", "double_backward", "reverse_over_forward", "forward_over_reverse",
                               "finite_difference", "row", "jets"}) {
        for (const char* quantity : {"diagonal", "block_diagonal", "full", "trace", "eigenvalues", "density",
                                     "ggn_diagonal", "fisher_diagonal", "kfac", "lbfgs", "features"}) {
            Json asked = curvature(document, quantity, method);
            asked["curvature"]["unit"] = "block";
            checkSums(estimateOf(asked, options));
        }
    }
    document["kind"] = "prm";
    checkSums(estimateOf(document, options));
}

void TestClosedForms::derivedAgrees()
{
    EstimateOptions derived;
    derived.derived = true;
    derived.modules = false;
    const Json asked = curvature(tinyDocument(), "trace");
    QCOMPARE(estimateOf(asked, derived).peakBytes, estimateOf(asked).peakBytes);
    // By the engine's own plan, of a model deep enough that its depth is derived.
    Json deep = tinyDocument();
    deep["model"]["layers"] = 9;
    deep["training"]["sharding"] = "none";
    const Json planned = curvature(deep, "trace");
    QCOMPARE(estimateOf(planned, derived).peakBytes, estimateOf(planned).peakBytes);
}

PEAKSCOPE_APPLESS_TEST(TestClosedForms)
#include "test_closed_forms.moc"
