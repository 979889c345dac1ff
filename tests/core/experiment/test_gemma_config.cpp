// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is read of Gemma 3's configurations, which say rotary positions and windows in ways of their own.
#include "core/model/model_config.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace peakscope;
using json = nlohmann::json;

class TestGemmaConfig : public QObject
{
    Q_OBJECT

private slots:
    void missingKeys();
    void refusals_data();
    void refusals();
};

namespace {

const json kSmallGemma{{"model_type", "gemma3_text"},
                       {"hidden_size", 32},
                       {"intermediate_size", 40},
                       {"num_hidden_layers", 2},
                       {"num_attention_heads", 4},
                       {"num_key_value_heads", 2},
                       {"vocab_size", 31},
                       {"max_position_embeddings", 64}};

} // namespace

void TestGemmaConfig::missingKeys()
{
    const ModelConfig gemma3 = *modelConfigFromHuggingFace(kSmallGemma, "config.json");
    QVERIFY(gemma3.tied && !gemma3.qkvBias && gemma3.isLocal(0) && gemma3.isLocal(1));
    QCOMPARE(gemma3.headDim, 256);
    QCOMPARE(gemma3.queryScalar, 256);
    QCOMPARE(gemma3.localWindow, 4096);
    QCOMPARE(gemma3.ropeTheta, 1e6);
    QCOMPARE(gemma3.localRopeTheta, 1e4);
    json pattern = kSmallGemma;
    pattern["sliding_window_pattern"] = 2;
    QVERIFY(!modelConfigFromHuggingFace(pattern, "config.json")->isLocal(1));
    json capped = kSmallGemma;
    capped["final_logit_softcapping"] = 12.0;
    QCOMPARE(modelConfigFromHuggingFace(capped, "config.json")->logitCap, 12.0);
    // Gemma 2 has its caps where the keys are missing, and none where they hold nothing.
    json second = kSmallGemma;
    second["model_type"] = "gemma2";
    const ModelConfig gemma2 = *modelConfigFromHuggingFace(second, "config.json");
    QVERIFY(gemma2.isLocal(0) && !gemma2.isLocal(1) && gemma2.tied);
    QCOMPARE(gemma2.scoreCap, 50.0);
    QCOMPARE(gemma2.logitCap, 30.0);
    QCOMPARE(gemma2.ropeTheta, 1e4);
    second["attn_logit_softcapping"] = second["final_logit_softcapping"] = nullptr;
    const ModelConfig uncapped = *modelConfigFromHuggingFace(second, "config.json");
    QCOMPARE(uncapped.scoreCap + uncapped.logitCap, 0.0);
    // The first release names the exact GELU and means the approximation.
    json first = kSmallGemma;
    first.update({{"model_type", "gemma"}, {"hidden_act", "gelu"}});
    const ModelConfig gemma = *modelConfigFromHuggingFace(first, "config.json");
    QCOMPARE(gemma.activation, Activation::GeluTanh);
    QCOMPARE(gemma.headDim, 256);
    // Of a model that sees images too, the text model is read; keys that it leaves out are the library's.
    const json images{{"model_type", "gemma3"},
                      {"tie_word_embeddings", false},
                      {"text_config",
                       {{"model_type", "gemma3_text"},
                        {"hidden_size", 64},
                        {"intermediate_size", 96},
                        {"num_hidden_layers", 6},
                        {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}},
                        {"sliding_window", 1024}}}};
    const ModelConfig text = *modelConfigFromHuggingFace(images, "config.json");
    QVERIFY(!text.tied && text.isLocal(4) && !text.isLocal(5));
    QCOMPARE(text.heads, 8);
    QCOMPARE(text.vocab, 262208);
    QCOMPARE(text.ropeScaling.factor, 8.0);
    QCOMPARE(text.withLocalRope().ropeScaling.kind, RopeScaling::Kind::None);
}

void TestGemmaConfig::refusals_data()
{
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* patch, const char* message) {
        QTest::newRow(label) << QByteArray(patch) << "config.json: " + QString(message);
    };
    row("queries that look at all keys", R"({"use_bidirectional_attention": true})",
        "use_bidirectional_attention: true is not supported for model type gemma3_text");
    row("capped scores of Gemma 3", R"({"attn_logit_softcapping": 50.0})",
        "attn_logit_softcapping: 50.0 is not supported (capped logits)");
    row("a cap below zero", R"({"final_logit_softcapping": -1.0})",
        "final_logit_softcapping: -1 is not a number of 0 or more");
    row("no window on Gemma 3", R"({"sliding_window": 0})",
        "sliding_window: none is not supported for model type gemma3_text");
    row("stretched positions in windows",
        R"({"rope_parameters": {"sliding_attention": {"rope_type": "linear", "factor": 8.0}}})",
        "rope_parameters.sliding_attention.rope_type: \"linear\" is not supported for layers with windows (default "
        "is)");
    row("positions not by kind", R"({"rope_parameters": {"rope_theta": 1e6}})",
        "rope_parameters.rope_theta is not a known key (known: full_attention and sliding_attention)");
    row("a base of local positions", R"({"rope_local_base_freq": 1})",
        "rope_local_base_freq: 1 is not a number above 1");
    row("images alone", R"({"model_type": "gemma3"})", "text_config is missing");
}

void TestGemmaConfig::refusals()
{
    QFETCH(QByteArray, patch);
    QFETCH(QString, message);
    json config = kSmallGemma;
    config.merge_patch(json::parse(patch.constData()));
    const auto read = modelConfigFromHuggingFace(config, "config.json");
    QCOMPARE(read ? QString() : QString::fromStdString(read.error().text()), message);
}

PEAKSCOPE_APPLESS_TEST(TestGemmaConfig)
#include "test_gemma_config.moc"
