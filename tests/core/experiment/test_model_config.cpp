// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Model configurations: parameter names and shapes against Hugging Face's library, every refusal with its message.
#include "core/model/model_config.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using nlohmann::json;
using namespace peakscope;

namespace {

json references()
{
    std::ifstream stream(PEAKSCOPE_SOURCE_DIR "/tests/core/data/parameter_references.json");
    return json::parse(stream);
}

json smallConfig(const QString& type)
{
    if (type == "opt") {
        return {{"model_type", "opt"},          {"hidden_size", 24},        {"ffn_dim", 40},
                {"num_hidden_layers", 2},       {"num_attention_heads", 4}, {"vocab_size", 31},
                {"max_position_embeddings", 17}};
    }
    if (type == "gpt2") {
        return {{"model_type", "gpt2"}, {"n_embd", 24},     {"n_layer", 2},
                {"n_head", 4},          {"vocab_size", 31}, {"n_positions", 17}};
    }
    return {{"model_type", type.toStdString()},
            {"hidden_size", 32},
            {"intermediate_size", 40},
            {"num_hidden_layers", 2},
            {"num_attention_heads", 4},
            {"num_key_value_heads", 2},
            {"vocab_size", 31},
            {"max_position_embeddings", 64}};
}

// The message for a small configuration of `type` after a merge patch (null removes a key); empty where it is read.
QString messageFor(const QString& type, const char* patch)
{
    json config = smallConfig(type);
    config.merge_patch(json::parse(patch));
    const auto read = modelConfigFromHuggingFace(config, "config.json");
    return read ? QString() : QString::fromStdString(read.error().text());
}

} // namespace

class TestModelConfig : public QObject
{
    Q_OBJECT

private slots:
    void namesAndShapes_data();
    void namesAndShapes();
    void plainCount();
    void huggingFaceDefaults();
    void activations_data();
    void activations();
    void refusals_data();
    void refusals();
    void acceptedKeys_data();
    void acceptedKeys();
    void notAConfiguration();
    void ropeForms();
    void ropeScalings();
    void rotaryWidths();
    void slidingWindows();
    void experimentDefaults_data();
    void experimentDefaults();
    void experimentRefusals_data();
    void experimentRefusals();
    void roundTrip();
    void checkedShapes();
    void files();
};

void TestModelConfig::namesAndShapes_data()
{
    QTest::addColumn<int>("index");
    const json all = references()["models"];
    for (std::size_t i = 0; i < all.size(); ++i) {
        QTest::newRow(all[i]["label"].get<std::string>().c_str()) << static_cast<int>(i);
    }
}

void TestModelConfig::namesAndShapes()
{
    QFETCH(int, index);
    const json reference = references()["models"][static_cast<std::size_t>(index)];
    const auto config = modelConfigFromHuggingFace(reference["config"], "config.json");
    QVERIFY2(config.ok(), config ? "" : config.error().text().c_str());
    const auto specs = parameterSpecs(*config);
    QCOMPARE(specs.size(), reference["parameters"].size());
    std::int64_t total = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        QCOMPARE(specs[i].name, reference["parameters"][i][0].get<std::string>());
        QCOMPARE(specs[i].shape, reference["parameters"][i][1].get<std::vector<std::int64_t>>());
        const bool inLayer =
            specs[i].name.find(".0.") != std::string::npos || specs[i].name.find(".1.") != std::string::npos;
        QCOMPARE(specs[i].layer >= 0, inLayer);
        // A gain of 1 + weight starts at a weight of zero.
        const bool shifted = specs[i].kind == ModuleKind::Norm && name(config->family).starts_with("gemma");
        QCOMPARE(specs[i].initializer == Initializer::Zeros, specs[i].name.ends_with(".bias") || shifted);
        total += specs[i].count();
    }
    QCOMPARE(parameterCount(*config), total);
}

void TestModelConfig::plainCount()
{
    ModelConfig config = familyDefaults("plain");
    config.hidden = config.embedDim = 2048;
    config.layers = 20;
    config.heads = config.kvHeads = 16;
    config.headDim = 128;
    config.ffn = 8192;
    config.vocab = 32000;
    config.maxPositions = 16384;
    QVERIFY(checkShape(config, "plain").ok());
    QCOMPARE(parameterCount(config), 1'171'628'032);
}

void TestModelConfig::huggingFaceDefaults()
{
    const ModelConfig opt = *modelConfigFromHuggingFace(smallConfig("opt"), "config.json");
    QVERIFY(opt.tied && opt.preNorm && opt.finalNorm && opt.affineNorm && opt.qkvBias && opt.outBias && opt.mlpBias);
    QCOMPARE(opt.embedDim, 24);
    QCOMPARE(opt.positionOffset(), 2);
    QCOMPARE(opt.activation, Activation::Relu);

    const ModelConfig gpt2 = *modelConfigFromHuggingFace(smallConfig("gpt2"), "config.json");
    QVERIFY(gpt2.tied && gpt2.scaleAttention && !gpt2.scaleByInverseLayer);
    QCOMPARE(gpt2.ffn, 96);
    QCOMPARE(gpt2.activation, Activation::GeluTanh);
    QCOMPARE(gpt2.normEps, 1e-5);

    const ModelConfig neox = *modelConfigFromHuggingFace(smallConfig("gpt_neox"), "config.json");
    QVERIFY(!neox.tied && neox.parallelResidual && neox.qkvBias && neox.outBias);
    QCOMPARE(neox.rotaryFraction, 0.25);
    QCOMPARE(neox.kvHeads, 4);
    QCOMPARE(neox.activation, Activation::Gelu);

    const ModelConfig llama = *modelConfigFromHuggingFace(smallConfig("llama"), "config.json");
    QVERIFY(!llama.tied && !llama.qkvBias && !llama.outBias && !llama.mlpBias);
    QCOMPARE(llama.normEps, 1e-6);
    QCOMPARE(llama.ropeTheta, 10000.0);
    QCOMPARE(llama.headDim, 8);
    QCOMPARE(llama.kvHeads, 2);

    // A missing number of key heads is the library's 8 for mistral, but null is as many as heads.
    json mistral = smallConfig("mistral");
    mistral["num_attention_heads"] = 16;
    mistral.erase("num_key_value_heads");
    QCOMPARE(modelConfigFromHuggingFace(mistral, "config.json")->kvHeads, 8);
    mistral["num_key_value_heads"] = nullptr;
    QCOMPARE(modelConfigFromHuggingFace(mistral, "config.json")->kvHeads, 16);

    const ModelConfig qwen2 = *modelConfigFromHuggingFace(smallConfig("qwen2"), "config.json");
    QVERIFY(qwen2.qkvBias && !qwen2.outBias && !qwen2.mlpBias);

    const ModelConfig qwen3 = *modelConfigFromHuggingFace(smallConfig("qwen3"), "config.json");
    QVERIFY(!qwen3.qkvBias && !qwen3.outBias && !qwen3.tied);
    QCOMPARE(qwen3.headDim, 128);

    const ModelConfig smollm3 = *modelConfigFromHuggingFace(smallConfig("smollm3"), "config.json");
    QVERIFY(smollm3.tied && !smollm3.qkvBias && !smollm3.mlpBias && smollm3.turns(0) && smollm3.turns(1));
    QCOMPARE(smollm3.ropeTheta, 2e6);

    const ModelConfig olmo2 = *modelConfigFromHuggingFace(smallConfig("olmo2"), "config.json");
    QVERIFY(!olmo2.tied && !olmo2.qkvBias && !olmo2.outBias);
    QCOMPARE(olmo2.normEps, 1e-5);

    const ModelConfig phi3 = *modelConfigFromHuggingFace(smallConfig("phi3"), "config.json");
    QVERIFY(!phi3.tied);
    QCOMPARE(phi3.normEps, 1e-5);
    QCOMPARE(phi3.rotaryFraction, 1.0);
    json partial = smallConfig("phi3");
    partial["partial_rotary_factor"] = 0.75;
    QCOMPARE(modelConfigFromHuggingFace(partial, "config.json")->rotatedWidth(), 6);

    json neo = smallConfig("gpt_neo");
    neo["attention_types"] = json::parse(R"([[["global"], 1], [["local"], 1]])");
    const ModelConfig gptNeo = *modelConfigFromHuggingFace(neo, "config.json");
    QVERIFY(gptNeo.tied && !gptNeo.isLocal(0) && gptNeo.isLocal(1));
    QCOMPARE(gptNeo.localWindow, 256);
    QCOMPARE(gptNeo.localWindowOver(256), 0);
    QCOMPARE(gptNeo.localWindowOver(257), 256);
}

void TestModelConfig::activations_data()
{
    QTest::addColumn<Activation>("activation");
    QTest::newRow("relu") << Activation::Relu;
    QTest::newRow("gelu") << Activation::Gelu;
    QTest::newRow("gelu_new") << Activation::GeluTanh;
    QTest::newRow("gelu_fast") << Activation::GeluTanh;
    QTest::newRow("gelu_pytorch_tanh") << Activation::GeluTanh;
    QTest::newRow("silu") << Activation::Silu;
    QTest::newRow("swish") << Activation::Silu;
}

void TestModelConfig::activations()
{
    QFETCH(Activation, activation);
    json config = smallConfig("gpt2");
    config["activation_function"] = QTest::currentDataTag();
    const auto read = modelConfigFromHuggingFace(config, "config.json");
    QVERIFY(read.ok());
    QCOMPARE(read->activation, activation);
}

void TestModelConfig::refusals_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* type, const char* patch, const char* message) {
        QTest::newRow(label) << QString(type) << QByteArray(patch) << "config.json: " + QString(message);
    };
    row("no hidden size", "llama", R"({"hidden_size": null})", "hidden_size is missing (a positive integer)");
    row("no layers", "opt", R"({"num_hidden_layers": null})", "num_hidden_layers is missing (a positive integer)");
    row("no heads", "gpt2", R"({"n_head": null})", "n_head is missing (a positive integer)");
    row("no vocabulary", "qwen2", R"({"vocab_size": null})", "vocab_size is missing (a positive integer)");
    row("no feed-forward width", "opt", R"({"ffn_dim": null})", "ffn_dim is missing (a positive integer)");
    row("no learned positions", "opt", R"({"max_position_embeddings": null})",
        "max_position_embeddings is missing (a positive integer)");
    row("text for a number", "llama", R"({"hidden_size": "32"})", "hidden_size: \"32\" is not an integer");
    row("fraction for a whole number", "llama", R"({"hidden_size": 32.5})", "hidden_size: 32.5 is not an integer");
    row("zero layers", "llama", R"({"num_hidden_layers": 0})", "num_hidden_layers: 0 is below 1");
    row("negative width", "gpt2", R"({"n_embd": -24})", "n_embd: -24 is below 1");
    row("absurd width", "llama", R"({"hidden_size": 18446744073709551615})",
        "hidden_size: 18446744073709551615 is above 1048576");
    row("heads that do not divide", "opt", R"({"num_attention_heads": 5})",
        "num_attention_heads: 5 does not divide hidden_size 24; 4 or 6 would");
    row("llama heads that do not divide", "llama", R"({"num_attention_heads": 6})",
        "num_attention_heads: 6 does not divide hidden_size 32; 4 or 8 would");
    row("key heads that do not divide", "llama", R"({"num_key_value_heads": 3})",
        "num_key_value_heads: 3 does not divide num_attention_heads 4; 2 or 4 would");
    row("key heads of the family", "qwen2", R"({"num_key_value_heads": null})",
        "num_key_value_heads: 32 does not divide num_attention_heads 4; 4 would (the file has no such key: this "
        "is "
        "the default of model type qwen2)");
    row("unknown activation", "opt", R"({"activation_function": "quick_gelu"})",
        "activation_function: \"quick_gelu\" is not supported (relu, gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, "
        "silu and swish are)");
    row("experts", "llama", R"({"num_local_experts": 8})",
        "num_local_experts: 8 is not supported (mixtures of experts)");
    row("quantised", "llama", R"({"quantization_config": {"bits": 4}})",
        "quantization_config: an object is not supported (quantised weights)");
    row("cross-attention", "gpt2", R"({"add_cross_attention": true})",
        "add_cross_attention: true is not supported (cross-attention)");
    row("capped logits", "llama", R"({"final_logit_softcapping": 30.0})",
        "final_logit_softcapping: 30.0 is not supported (capped logits)");
    row("scaled embeddings", "llama", R"({"embedding_multiplier": 12})",
        "embedding_multiplier: 12 is not supported (scaled embeddings)");
    row("window on llama", "llama", R"({"sliding_window": 32})",
        "sliding_window: 32 is not supported for model type llama");
    row("other layer types", "qwen2", R"({"layer_types": ["full_attention", "linear_attention"]})",
        "layer_types: \"linear_attention\" is not supported (full_attention is)");
    row("part of a llama head", "llama", R"({"partial_rotary_factor": 0.5})",
        "partial_rotary_factor: 0.5 is not supported for model type llama (1 is)");
    row("unknown scaling", "llama", R"({"rope_scaling": {"rope_type": "ntk", "factor": 2.0}})",
        "rope_scaling.rope_type: \"ntk\" is not supported (default, linear, dynamic, llama3, yarn and longrope are)");
    row("unknown scaling, older key", "llama", R"({"rope_scaling": {"type": "su", "factor": 2.0}})",
        "rope_scaling.type: \"su\" is not supported (default, linear, dynamic, llama3, yarn and longrope are)");
    row("scaling without a factor", "llama", R"({"rope_parameters": {"rope_type": "linear"}})",
        "rope_parameters.factor is missing (a positive number)");
    row("llama3 without a frequency", "llama", R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}})",
        "rope_scaling.low_freq_factor is missing (a positive number)");
    row("positions by layer type", "llama", R"({"rope_parameters": {"full_attention": {"rope_theta": 1e6}}})",
        "rope_parameters.full_attention is not supported among rotary parameters");
    row("positions of images", "qwen2", R"({"rope_scaling": {"type": "default", "mrope_section": [2, 1, 1]}})",
        "rope_scaling.mrope_section is not supported among rotary parameters");
    row("nothing rotated", "gpt_neox", R"({"rotary_pct": 0.1})",
        "rotary_pct: 0.1 of a head of width 8 is 0 to rotate, an even width of 2 or more is needed");
    row("norm constant as text", "llama", R"({"rms_norm_eps": "small"})", "rms_norm_eps: \"small\" is not a number");
    row("flag as number", "opt", R"({"do_layer_norm_before": 1})", "do_layer_norm_before: 1 is neither true nor false");
    row("other model type", "llama", R"({"model_type": "mamba"})",
        "model_type: \"mamba\" is not supported (opt, gpt2, gpt_neo, gpt_neox, llama, mistral, qwen2, qwen3, "
        "smollm3, olmo2, phi3, gemma, gemma2, gemma3_text, gemma3, mixtral, qwen3_moe and gpt_oss are)");
    row("windows of fewer layers", "qwen3", R"({"layer_types": ["full_attention"]})", "layer_types: 1 for 2 layers");
    row("windows of no size", "smollm3", R"({"layer_types": ["full_attention", "sliding_attention"]})",
        "layer_types: sliding_attention needs sliding_window");
    row("rotary positions of fewer layers", "smollm3", R"({"no_rope_layers": [1]})",
        "no_rope_layers: needs an integer for each of 2 layers");
    row("no layers between", "smollm3", R"({"no_rope_layer_interval": 0})", "no_rope_layer_interval: 0 is below 1");
    row("layers without rotary positions", "llama", R"({"no_rope_layers": [1, 0]})",
        "no_rope_layers: a list is not supported (layers without rotary positions)");
    row("factors of fewer pairs", "phi3",
        R"({"rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1], "long_factor": [2, 2, 2]}})",
        "rope_scaling.long_factor: 3 numbers; 4 above 0 are needed, one for each pair of rotated dimensions");
    row("positions that are long rope there", "phi3", R"({"rope_scaling": {"type": "yarn", "factor": 2.0}})",
        "rope_scaling.short_factor: 0 numbers; 4 above 0 are needed, one for each pair of rotated dimensions");
    row("factors of another scaling", "llama",
        R"({"rope_scaling": {"type": "linear", "factor": 2.0, "long_factor": [1, 1, 1, 1]}})",
        "rope_scaling.long_factor is not supported among rotary parameters");
    row("another scaling", "phi3", R"({"rope_scaling": {"type": "linear", "factor": 2.0}})",
        "rope_scaling: scaled rotary positions other than longrope are not supported for model type phi3");
    row("a window on OLMo 2", "olmo2", R"({"sliding_window": 32})",
        "sliding_window: 32 is not supported for model type olmo2");
    row("kinds of other layers", "gpt_neo", R"({"attention_types": [[["global", "local"], 3]]})",
        "attention_types: 6 kinds for 2 layers");
    row("a kind of layer", "gpt_neo", R"({"attention_types": [[["sparse"], 2]]})",
        "attention_types: \"sparse\" is not one of global and local");
    row("no model type", "llama", R"({"model_type": null})",
        "model_type is missing (one of opt, gpt2, gpt_neo, gpt_neox, llama, mistral, qwen2, qwen3, smollm3, olmo2, "
        "phi3, gemma, gemma2, gemma3_text, gemma3, mixtral, qwen3_moe and gpt_oss)");
}

void TestModelConfig::refusals()
{
    QFETCH(QString, type);
    QFETCH(QByteArray, patch);
    QFETCH(QString, message);
    QCOMPARE(messageFor(type, patch.constData()), message);
}

void TestModelConfig::acceptedKeys_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QByteArray>("patch");
    const auto row = [](const char* label, const char* type, const char* patch) {
        QTest::newRow(label) << QString(type) << QByteArray(patch);
    };
    row("dropout is not applied", "opt", R"({"dropout": 0.1, "attention_dropout": 0.1, "layerdrop": 0.1})");
    row("neutral values", "llama",
        R"({"num_experts": 0, "embedding_multiplier": 1.0, "alibi": false, "pretraining_tp": 2})");
    row("upcast attention is the same mathematics", "gpt2", R"({"reorder_and_upcast_attn": true})");
    row("older dtype key", "llama", R"({"torch_dtype": "bfloat16"})");
    row("common names for gpt2", "gpt2", R"({"n_embd": null, "hidden_size": 24})");
    row("norm removed by fine-tuning", "opt", R"({"_remove_final_layer_norm": true})");
    row("free head width", "llama", R"({"num_attention_heads": 6, "head_dim": 10})");
    row("finetuned yarn", "llama", R"({"rope_scaling": {"type": "yarn", "factor": 2.0, "finetuned": true}})");
}

void TestModelConfig::acceptedKeys()
{
    QFETCH(QString, type);
    QFETCH(QByteArray, patch);
    QCOMPARE(messageFor(type, patch.constData()), QString());
}

void TestModelConfig::notAConfiguration()
{
    const auto list = modelConfigFromHuggingFace(json::array(), "config.json");
    QVERIFY(!list.ok());
    QCOMPARE(list.error().text(), std::string("config.json: an object is needed, a list was given"));
    QCOMPARE(list.error().code, ErrorCode::BadInput);
    for (const char* text : {"{}", "null", "3", R"({"model_type": 4})", R"({"model_type": "llama"})"}) {
        QVERIFY2(!modelConfigFromHuggingFace(json::parse(text), "config.json").ok(), text);
    }
}

void TestModelConfig::ropeForms()
{
    json older = smallConfig("llama");
    older["rope_theta"] = 500000.0;
    older["rope_scaling"] = {{"type", "linear"}, {"factor", 2.0}};
    json newer = smallConfig("llama");
    newer["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 500000.0}};
    const auto a = modelConfigFromHuggingFace(older, "config.json");
    const auto b = modelConfigFromHuggingFace(newer, "config.json");
    QVERIFY(a.ok() && b.ok());
    QCOMPARE(toJson(*a).dump(), toJson(*b).dump());
    QCOMPARE(a->ropeTheta, 500000.0);

    json oldNeox = smallConfig("gpt_neox");
    oldNeox["rotary_pct"] = 0.5;
    oldNeox["rotary_emb_base"] = 5000;
    json newNeox = smallConfig("gpt_neox");
    newNeox["rope_parameters"] = {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}, {"rope_theta", 5000.0}};
    QCOMPARE(toJson(*modelConfigFromHuggingFace(oldNeox, "c")).dump(),
             toJson(*modelConfigFromHuggingFace(newNeox, "c")).dump());
}

void TestModelConfig::ropeScalings()
{
    const auto scaling = [](const char* text) {
        json config = smallConfig("llama");
        config["rope_scaling"] = json::parse(text);
        const auto read = modelConfigFromHuggingFace(config, "config.json");
        return read ? read->ropeScaling : RopeScaling{};
    };
    const RopeScaling dynamic = scaling(R"({"type": "dynamic", "factor": 4.0})");
    QCOMPARE(dynamic.kind, RopeScaling::Kind::DynamicNtk);
    QCOMPARE(dynamic.originalMaxPositions, 64);

    const RopeScaling llama3 = scaling(R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 16})");
    QCOMPARE(llama3.kind, RopeScaling::Kind::Llama3);
    QCOMPARE(llama3.originalMaxPositions, 16);
    QCOMPARE(llama3.highFreqFactor, 4.0);

    // The attention factor of YaRN is 0.1 ln(factor) + 1, or a ratio of two such with the magnitude scales.
    const RopeScaling yarn = scaling(R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})");
    QCOMPARE(yarn.kind, RopeScaling::Kind::Yarn);
    QCOMPARE(yarn.attentionFactor, 0.1 * std::log(4.0) + 1);
    QVERIFY(yarn.truncate);
    const RopeScaling scaled = scaling(R"({"rope_type": "yarn", "factor": 4.0, "mscale": 0.7, "mscale_all_dim": 1.3,
        "truncate": false, "beta_fast": 16, "beta_slow": 2})");
    QCOMPARE(scaled.attentionFactor, (0.07 * std::log(4.0) + 1) / (0.13 * std::log(4.0) + 1));
    QCOMPARE(scaled.betaFast, 16.0);
    QCOMPARE(scaled.betaSlow, 2.0);
    QVERIFY(!scaled.truncate);
    QCOMPARE(scaling(R"({"type": "yarn", "factor": 4.0, "attention_factor": 1.5})").attentionFactor, 1.5);

    const RopeScaling longRope = scaling(R"({"type": "longrope", "short_factor": [1, 1, 2, 2],
        "long_factor": [4, 4, 8, 8.5], "original_max_position_embeddings": 16})");
    QCOMPARE(longRope.kind, RopeScaling::Kind::LongRope);
    QCOMPARE(longRope.originalMaxPositions, 16);
    QCOMPARE(longRope.factor, 4.0);
    QCOMPARE(longRope.longFactors, (std::vector<double>{4, 4, 8, 8.5}));

    QCOMPARE(scaling(R"({"rope_type": "default"})").kind, RopeScaling::Kind::None);
    QCOMPARE(scaling("null").kind, RopeScaling::Kind::None);
}

void TestModelConfig::rotaryWidths()
{
    ModelConfig config = familyDefaults("gpt_neox");
    config.headDim = 20;
    config.rotaryFraction = 0.25;
    QCOMPARE(config.rotaryDim(), 5);
    QCOMPARE(config.rotatedWidth(), 6);
    config.headDim = 64;
    QCOMPARE(config.rotatedWidth(), 16);
}

void TestModelConfig::slidingWindows()
{
    const auto window = [](const QString& type, const char* patch) {
        json config = smallConfig(type);
        const json changes = json::parse(patch);
        for (const auto& [key, value] : changes.items()) {
            config[key] = value;
        }
        const auto read = modelConfigFromHuggingFace(config, "config.json");
        return read ? read->localWindow : -1;
    };
    QCOMPARE(window("mistral", "{}"), 4096);
    QCOMPARE(window("mistral", R"({"sliding_window": 100})"), 100);
    QCOMPARE(window("mistral", R"({"sliding_window": null})"), 0);
    QCOMPARE(window("qwen2", R"({"sliding_window": 100})"), 0);
    QCOMPARE(window("qwen2", R"({"sliding_window": 100, "use_sliding_window": true, "max_window_layers": 1})"), 100);
    QCOMPARE(window("qwen2", R"({"sliding_window": 100, "use_sliding_window": true, "max_window_layers": 2})"), 0);
    QCOMPARE(window("qwen3", R"({"sliding_window": 100, "use_sliding_window": true, "max_window_layers": 0})"), 100);
    QCOMPARE(window("smollm3", R"({"sliding_window": 100})"), 0);
    QCOMPARE(window("phi3", "{}"), 0);
    QCOMPARE(window("phi3", R"({"sliding_window": 100})"), 100);

    json late = smallConfig("qwen2");
    late.update({{"use_sliding_window", true}, {"max_window_layers", 1}, {"sliding_window", 9}});
    const ModelConfig qwen2 = *modelConfigFromHuggingFace(late, "config.json");
    QVERIFY(!qwen2.isLocal(0) && qwen2.isLocal(1));
    QVERIFY(!qwen2.layersAlike(10) && qwen2.layersAlike(9));

    json smol = smallConfig("smollm3");
    smol.update({{"use_sliding_window", true}, {"sliding_window", 9}, {"no_rope_layer_interval", 2}});
    const ModelConfig smollm3 = *modelConfigFromHuggingFace(smol, "config.json");
    QVERIFY(smollm3.turns(0) && !smollm3.turns(1) && !smollm3.isLocal(0) && smollm3.isLocal(1));
    smol["no_rope_layers"] = {0, 0};
    QVERIFY(modelConfigFromHuggingFace(smol, "config.json")->layersAlike(10));
}

void TestModelConfig::experimentDefaults_data()
{
    QTest::addColumn<std::int64_t>("ffn");
    QTest::addColumn<bool>("tied");
    QTest::newRow("opt") << std::int64_t{768} << true;
    QTest::newRow("gpt2") << std::int64_t{768} << true;
    QTest::newRow("gpt_neox") << std::int64_t{768} << false;
    QTest::newRow("llama") << std::int64_t{512} << false; // 8/3 of 192
    QTest::newRow("plain") << std::int64_t{768} << false;
}

void TestModelConfig::experimentDefaults()
{
    QFETCH(std::int64_t, ffn);
    QFETCH(bool, tied);
    const json model{{"family", QTest::currentDataTag()}, {"hidden", 192}, {"heads", 6}};
    const auto config = modelConfigFromExperiment(model, "model");
    QVERIFY2(config.ok(), config ? "" : config.error().text().c_str());
    QCOMPARE(config->ffn, ffn);
    QCOMPARE(config->tied, tied);
    QCOMPARE(config->layers, 4);
    QCOMPARE(config->kvHeads, 6);
    QCOMPARE(config->headDim, 32);
    QCOMPARE(config->vocab, 256);
    QCOMPARE(config->maxPositions, 256);
    QCOMPARE(config->embedDim, 192);
    QCOMPARE(modelConfigFromExperiment({{"family", "llama"}, {"hidden", 200}, {"heads", 4}}, "model")->ffn, 576);
}

void TestModelConfig::experimentRefusals_data()
{
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, const char* model, const char* message) {
        QTest::newRow(label) << QByteArray(model) << QString(message);
    };
    row("no family", R"({"hidden": 64})",
        "model: family is missing (one of opt, gpt2, gpt_neo, gpt_neox, llama, qwen3, smollm3, olmo2, phi3, gemma, "
        "gemma2, gemma3, mixtral, qwen3_moe, gpt_oss, plain)");
    row("unknown family", R"({"family": "bert"})",
        "model: family: \"bert\" is not one of opt, gpt2, gpt_neo, gpt_neox, llama, qwen3, smollm3, olmo2, phi3, "
        "gemma, gemma2, gemma3, mixtral, qwen3_moe, gpt_oss, plain");
    row("misspelt key", R"({"family": "opt", "hiden": 64})", "model: hiden is not a known key; did you mean hidden?");
    row("key of another family", R"({"family": "opt", "rope_theta": 1e4})",
        "model: rope_theta is not a known key (known: activation, affine_norm, embed_dim, family, ffn, final_norm, "
        "head_dim, heads, hidden, init_std, kv_heads, layers, linear_bias, max_positions, norm_eps, pre_norm, "
        "quantization, tied and vocab)");
    row("heads do not divide", R"({"family": "gpt2", "hidden": 130, "heads": 4})",
        "model: heads: 4 does not divide hidden 130; 2 or 5 would");
    // Heads of a width that can be rotated, which 64 / 64 = 1 is not.
    row("rotated heads", R"({"family": "llama", "hidden": 64, "heads": 33})",
        "model: heads: 33 does not divide hidden 64; 32 would");
    row("grouped heads", R"({"family": "gpt2", "heads": 4, "kv_heads": 2})",
        "model: kv_heads: 2 differs from heads 4, and family gpt2 has no grouped heads");
    row("head width", R"({"family": "opt", "hidden": 64, "heads": 4, "head_dim": 8})",
        "model: head_dim: 8 is not hidden / heads = 16");
    row("scaling", R"({"family": "llama", "rope_scaling": {"type": "ntk"}})",
        "model: rope_scaling.type: \"ntk\" is not one of none, linear, dynamic, llama3, yarn and longrope");
    row("activation", R"({"family": "opt", "activation": "mish"})",
        "model: activation: \"mish\" is not one of relu, gelu, gelu_tanh and silu");
}

void TestModelConfig::experimentRefusals()
{
    QFETCH(QByteArray, model);
    QFETCH(QString, message);
    const auto read = modelConfigFromExperiment(json::parse(model.toStdString()), "model");
    QVERIFY(!read.ok());
    QCOMPARE(QString::fromStdString(read.error().text()), message);
}

void TestModelConfig::roundTrip()
{
    const json all = references();
    for (const json& reference : all["models"]) {
        const auto config = modelConfigFromHuggingFace(reference["config"], "config.json");
        QVERIFY(config.ok());
        const auto again = modelConfigFromExperiment(toJson(*config), "model");
        QVERIFY2(again.ok(), again ? "" : again.error().text().c_str());
        QCOMPARE(toJson(*again).dump(), toJson(*config).dump());
        const auto a = parameterSpecs(*config);
        const auto b = parameterSpecs(*again);
        QCOMPARE(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].name, b[i].name);
            QCOMPARE(a[i].shape, b[i].shape);
        }
    }
}

void TestModelConfig::checkedShapes()
{
    ModelConfig config = familyDefaults("llama");
    QVERIFY(checkShape(config, "model").ok());
    config.kvHeads = 3;
    QCOMPARE(checkShape(config, "model").error().text(),
             std::string("model: kv_heads: 3 does not divide heads 4; 2 or 4 would"));
    config.kvHeads = 4;
    config.heads = 0; // must not be divided by
    QCOMPARE(checkShape(config, "model").error().text(), std::string("model: heads: 0 is below 1"));
}

void TestModelConfig::files()
{
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("config.json").toStdString();
    QVERIFY(!loadModelConfig(file).ok());
    std::ofstream(file) << "{\"model_type\": \"opt\",";
    const auto broken = loadModelConfig(file);
    QVERIFY(!broken.ok());
    QVERIFY(broken.error().text().starts_with(file.string() + ": "));
    QVERIFY(broken.error().text().find('\n') == std::string::npos);
    json config = smallConfig("opt");
    std::ofstream(file) << config.dump(1);
    QCOMPARE(loadModelConfig(file)->hidden, 24);
}

PEAKSCOPE_APPLESS_TEST(TestModelConfig)
#include "test_model_config.moc"
