// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtures of experts: how configurations are read, what a token goes through, and what a run's loads are.
#include "core/model/expert_record.h"
#include "core/model/model_config.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace peakscope;
using nlohmann::json;

class TestMixtures : public QObject
{
    Q_OBJECT
private slots:
    void missingKeys();
    void denseLayers();
    void routerLosses();
    void refusals_data();
    void refusals();
    void activeParameters();
    void loads();
    void recordOfPasses();
};

namespace {

const json kSmall{{"hidden_size", 32},        {"intermediate_size", 40},  {"num_hidden_layers", 4},
                  {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"vocab_size", 31}};

json smallOf(const char* type, const json& changes = json::object())
{
    json config = kSmall;
    config["model_type"] = type;
    config.update(changes);
    return config;
}

} // namespace

void TestMixtures::missingKeys()
{
    const ModelConfig mixtral = *modelConfigFromHuggingFace(smallOf("mixtral"), "config.json");
    QCOMPARE(mixtral.experts, 8);
    QCOMPARE(mixtral.expertsPerToken, 2);
    QCOMPARE(mixtral.expertWidth(), 40);
    QVERIFY(mixtral.normExperts && mixtral.isMixture(0) && mixtral.localWindow == 0);
    const ModelConfig qwen = *modelConfigFromHuggingFace(smallOf("qwen3_moe"), "config.json");
    QCOMPARE(qwen.experts, 128);
    QCOMPARE(qwen.expertsPerToken, 8);
    QCOMPARE(qwen.expertWidth(), 768);
    QVERIFY(!qwen.normExperts);
    const json noScaling{{"head_dim", 8}, {"rope_theta", 1e4}, {"rope_scaling", nullptr}};
    const ModelConfig gptOss = *modelConfigFromHuggingFace(smallOf("gpt_oss", noScaling), "config.json");
    QCOMPARE(gptOss.ropeScaling.kind, RopeScaling::Kind::Yarn); // null is no key
}

void TestMixtures::denseLayers()
{
    const auto mixtures = [](const json& changes) {
        const ModelConfig c = *modelConfigFromHuggingFace(smallOf("qwen3_moe", changes), "config.json");
        std::string kinds;
        for (std::int64_t layer = 0; layer < c.layers; ++layer)
            kinds += c.isMixture(layer) ? 'm' : 'd';
        return QString::fromStdString(kinds);
    };
    QCOMPARE(mixtures(json::object()), "mmmm");
    QCOMPARE(mixtures({{"decoder_sparse_step", 2}}), "dmdm");
    QCOMPARE(mixtures({{"mlp_only_layers", {0, 3}}}), "dmmd");
    QCOMPARE(mixtures({{"mlp_only_layers", nullptr}}), "mmmm");
}

void TestMixtures::routerLosses()
{
    const auto coefficient = [](const char* type, const json& changes) {
        return modelConfigFromHuggingFace(smallOf(type, changes), "config.json")->routerLoss;
    };
    QCOMPARE(coefficient("mixtral", {{"router_aux_loss_coef", 0.02}}), 0.0);
    QCOMPARE(coefficient("mixtral", {{"router_aux_loss_coef", 0.02}, {"output_router_logits", true}}), 0.02);
    QCOMPARE(coefficient("gpt_oss", {{"output_router_logits", true}}), 0.001);
    const ModelConfig written =
        *modelConfigFromExperiment({{"family", "qwen3_moe"}, {"router_aux_loss_coef", 0.5}}, "experiment");
    QCOMPARE(written.routerLoss, 0.5);
    QCOMPARE(toJson(written)["router_aux_loss_coef"], json(0.5));
    // 0 is written too: what was said to a folder that has another one is read again.
    QCOMPARE(toJson(*modelConfigFromHuggingFace(smallOf("mixtral"), "config.json"))["router_aux_loss_coef"], json(0.0));
}

void TestMixtures::refusals_data()
{
    QTest::addColumn<QByteArray>("changes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* changes, const char* message) {
        QTest::newRow(label) << QByteArray(changes) << "config.json: " + QString(message);
    };
    row("more experts a token than there are", R"({"num_experts_per_tok": 9})",
        "num_experts_per_tok: 9 is above num_local_experts 8");
    row("no experts", R"({"num_local_experts": 0})", "num_local_experts: 0 is below 1");
    row("a loss of the router that is no loss", R"({"output_router_logits": true, "router_aux_loss_coef": -1})",
        "router_aux_loss_coef: -1 is not a number of 0 or more");
    row("experts that all share", R"({"shared_expert_intermediate_size": 64})",
        "shared_expert_intermediate_size: 64 is not supported (mixtures of experts)");
}

void TestMixtures::refusals()
{
    QFETCH(QByteArray, changes);
    QFETCH(QString, message);
    const auto read = modelConfigFromHuggingFace(smallOf("mixtral", json::parse(changes.constData())), "config.json");
    QCOMPARE(read ? QString() : QString::fromStdString(read.error().text()), message);
}

// A router of 8 x 32 and of 8 experts 2 in each layer.
void TestMixtures::activeParameters()
{
    const ModelConfig config = *modelConfigFromHuggingFace(smallOf("mixtral"), "config.json");
    QCOMPARE(parameterCount(config) - activeParameterCount(config), 4 * 6 * 3 * 32 * 40);
    QCOMPARE(activeParameterCount(familyDefaults("llama")), parameterCount(familyDefaults("llama")));
}

void TestMixtures::loads()
{
    QCOMPARE(evenLoads(11, 4), (ExpertLoads{3, 3, 3, 2}));
    QCOMPARE(evenLoads(2, 3), (ExpertLoads{1, 1, 0}));
    QCOMPARE(plannedLoads(ExpertRouting::Even, 6, 2, 4), (ExpertLoads{3, 3, 3, 3}));
    QCOMPARE(plannedLoads(ExpertRouting::Skewed, 6, 2, 4), (ExpertLoads{6, 6, 0, 0}));
}

void TestMixtures::recordOfPasses()
{
    ExpertRecord record;
    QVERIFY(record.empty());
    const auto pass = [&record](const ExpertLoads& first, const ExpertLoads& third) {
        record.layer(0) = {first, first};
        record.layer(2) = {third, third};
        record.endPass();
    };
    pass({3, 1}, {2, 2});
    pass({1, 3}, {0, 4});
    QCOMPARE(QString::fromStdString(record.section().dump()),
             R"({"layers":[{"layer":0,"tokens":[4,4]},{"layer":2,"tokens":[2,6]}]})");
    QCOMPARE(record.fullest().front(), (std::vector<ExpertLoads>{{1, 3}, {}, {0, 4}}));
    for (int i = 0; i < 20; ++i)
        pass({2, 2}, {2, 2});
    QCOMPARE(record.fullest().size(), 8U);
    QCOMPARE(record.fullest().front().back(), (ExpertLoads{0, 4}));
}

PEAKSCOPE_APPLESS_TEST(TestMixtures)
#include "test_mixtures.moc"
