// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A search for a curvature run ranks by what an estimate answers, to the byte; and what makes that quick, the tape of
// any depth from two shallow ones, is exact.
#include "core/model/adapter_specs.h"
#include "core/planning/curvature/tape_memory.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender_search.h"
#include "tests/core/planning/recommend_cases.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

using Json = nlohmann::json;

struct TapeCase {
    ModelConfig config;
    std::vector<ParameterSpec> parameters;
    std::vector<bool> wanted;
};

// `choose`: of a parameter's name, whether it is in the space.
template <typename Choose>
TapeCase tapeCase(const ModelConfig& config, const LoraOptions& lora, const Choose& choose)
{
    TapeCase made{config, *adaptedSpecs(config, lora), {}};
    for (const ParameterSpec& spec : made.parameters)
        made.wanted.push_back(choose(spec));
    return made;
}

std::vector<TapeCase> tapeCases(const ModelConfig& config)
{
    const auto all = [](const ParameterSpec&) { return true; };
    const auto named = [](const char* part) {
        return [part](const ParameterSpec& spec) { return spec.name.find(part) != std::string::npos; };
    };
    LoraOptions lora, oneLayer;
    lora.rank = oneLayer.rank = 4;
    for (const LinearShape& linear : linearLayers(config)) {
        if (linear.layer == 2)
            oneLayer.targets = {linear.name};
    }
    const auto adapters = [](const ParameterSpec& spec) { return spec.kind == ModuleKind::Lora; };
    return {tapeCase(config, {}, all),
            tapeCase(config, {}, named("norm")),
            tapeCase(config, {}, named("emb")),
            tapeCase(config, {}, [](const ParameterSpec& spec) { return spec.layer == 3; }),
            tapeCase(config, {}, [](const ParameterSpec& spec) { return spec.layer < 0; }),
            tapeCase(config, lora, adapters),
            tapeCase(config, oneLayer, adapters)};
}

std::vector<TapeWork> tapeWorks()
{
    std::vector<TapeWork> works;
    for (const auto kind : {TapeWork::Kind::Gradient, TapeWork::Kind::Hold, TapeWork::Kind::Products,
                            TapeWork::Kind::Entries, TapeWork::Kind::Rows, TapeWork::Kind::Jets}) {
        for (const std::int64_t rows : {1, 6}) {
            for (const std::int64_t directions : {1, 2, 64}) {
                for (const bool gaussNewton : {false, true}) {
                    for (const bool held : {false, true})
                        works.push_back({kind, rows, directions, gaussNewton, held});
                }
            }
        }
    }
    return works;
}

// The estimate of a choice as a document, as a user of it would ask.
MemoryEstimate estimateOf(const Json& document, const PlanDevice& device)
{
    EstimateOptions options;
    options.cuda = device.cuda;
    return *estimateMemory(*experimentFromJson(document), options);
}

} // namespace

class TestCurvatureSearch : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void tapeOfAnyDepth_data();
    void tapeOfAnyDepth();
    void searchIsTheAnswer_data();
    void searchIsTheAnswer();
};

void TestCurvatureSearch::tapeOfAnyDepth_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("opt") << R"({"family": "opt", "hidden": 64, "heads": 4})";
    QTest::newRow("opt, norm after the sum")
        << R"({"family": "opt", "hidden": 64, "heads": 4, "pre_norm": false, "final_norm": false, "embed_dim": 32})";
    QTest::newRow("gpt2") << R"({"family": "gpt2", "hidden": 64, "heads": 4, "vocab": 4000})";
    QTest::newRow("gpt_neo") << R"({"family": "gpt_neo", "hidden": 64, "heads": 4})";
    QTest::newRow("gpt_neo, local layers in turn")
        << R"({"family": "gpt_neo", "hidden": 64, "heads": 4, "window_size": 8, "attention_layers": ["global", "local"]})";
    QTest::newRow("gpt_neox") << R"({"family": "gpt_neox", "hidden": 64, "heads": 4})";
    QTest::newRow("llama") << R"({"family": "llama", "hidden": 64, "heads": 4, "kv_heads": 2, "vocab": 32000})";
    QTest::newRow("qwen3") << R"({"family": "qwen3", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("llama, windows")
        << R"({"family": "llama", "hidden": 64, "heads": 4, "kv_heads": 2, "sliding_window": 40})";
    QTest::newRow("smollm3") << R"({"family": "smollm3", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("olmo2") << R"({"family": "olmo2", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("phi3") << R"({"family": "phi3", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("gemma3") << R"({"family": "gemma3", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("gemma2") << R"({"family": "gemma2", "hidden": 64, "heads": 4, "kv_heads": 2})";
    QTest::newRow("plain") << R"({"family": "plain", "hidden": 64, "heads": 4})";
}

void TestCurvatureSearch::tapeOfAnyDepth()
{
    QFETCH(const QString, model);
    ModelConfig config = *modelConfigFromExperiment(Json::parse(model.toStdString()), "model");
    for (const std::int64_t layers : {4, 8, 9, 31}) {
        config.layers = layers;
        for (const TapeCase& one : tapeCases(config)) {
            for (const std::int64_t length : {16, 200}) {
                const TapeMemory tape(config, one.parameters, one.wanted, length, 4);
                const TapeProgram whole(config, one.parameters, one.wanted, length, 4);
                QCOMPARE(tape.productWork(3), 12.0 * static_cast<double>(whole.matrixWeights() * 3 * length));
                for (const TapeWork& work : tapeWorks()) {
                    const TapeProfile profile = whole.profile(work);
                    QCOMPARE(tape.peak(work), *std::max_element(profile.highest.begin(), profile.highest.end()));
                    if (work.kind == TapeWork::Kind::Hold)
                        QCOMPARE(tape.held(work.rows), profile.live);
                }
            }
        }
    }
}

void TestCurvatureSearch::searchIsTheAnswer_data()
{
    QTest::addColumn<QString>("base");
    QTest::addColumn<std::int64_t>("devices");
    QTest::newRow("opt-1.3b rtx-4090") << "{}" << std::int64_t{1};
    QTest::newRow("llama-2-7b a800-80gb") << "{}" << std::int64_t{4};
    QTest::newRow("qwen3-32b a800-80gb") << R"({"curvature": {"quantities": ["trace"]}})" << std::int64_t{1};
    QTest::newRow("opt-350m bytes:24GiB")
        << R"({"curvature": {"quantities": ["eigenvalues"], "top_k": 10}})" << std::int64_t{1};
    QTest::newRow("gpt2 bytes:8GiB") << R"({"budget_bytes": 4000000000})" << std::int64_t{1};
    QTest::newRow("gpt-neo-125m bytes:8GiB")
        << R"({"curvature": {"quantities": ["kfac", "density"], "parameters": {"select": "all"}}})" << std::int64_t{1};
    QTest::newRow("pythia-410m rtx-4090")
        << R"({"curvature": {"quantities": ["diagonal"], "parameters": {"select": "names", "names": ["*.1.*"]}}})"
        << std::int64_t{1};
}

// Every so many of the ranked configurations, and every strategy that is shown.
void TestCurvatureSearch::searchIsTheAnswer()
{
    QFETCH(const QString, base);
    QFETCH(const std::int64_t, devices);
    const QStringList parts = QString(QTest::currentDataTag()).split(' ');
    const std::string model = parts[0].toStdString(), device = parts[1].toStdString();
    RecommendOptions options = optionsFor(model.c_str(), device.c_str(), Goal::Hessian, devices);
    options.base = Json::parse(base.toStdString());
    const auto space = planSpace(options);
    QVERIFY2(space.ok(), space.ok() ? "" : space.error().text().c_str());
    PlanSearch search(*space, {});
    const std::vector<PlanEvaluation> ranked = search.all();
    const std::size_t step = ranked.size() / 60 + 1;
    for (std::size_t i = 0; i < ranked.size(); i += step) {
        const PlanEvaluation& row = ranked[i];
        const Json document = documentOf(*space, row.choice);
        const MemoryEstimate answer = estimateOf(document, options.device);
        QVERIFY2(row.peakBytes == answer.peakBytes,
                 qPrintable(QString::fromStdString(document.dump()) +
                            QString(": %1, not %2").arg(row.peakBytes).arg(answer.peakBytes)));
        if (!options.device.cuda)
            QCOMPARE(row.verdict, verdictOf(*space, answer.peakReservedBytes, row.choice.devices));
    }
    const auto found = recommend(options);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY(!found->strategies.empty());
    for (const Strategy& strategy : found->strategies) {
        const MemoryEstimate answer = estimateOf(strategy.experiment, options.device);
        QCOMPARE(strategy.estimate.peakBytes, answer.peakBytes);
        QCOMPARE(strategy.verdict, verdictOf(*space, answer.peakReservedBytes, strategy.devicesNeeded));
    }
}

PEAKSCOPE_GUILESS_TEST(TestCurvatureSearch)
#include "test_curvature_search.moc"
