// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Values in a config.json that are no numbers where one must be: Python's NaN and Infinity, null, other types. Each is
// one line that names the key.
#include "core/model/model_config.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace peakscope;
using nlohmann::json;

class TestConfigValues : public QObject
{
    Q_OBJECT

private slots:
    void valuesThatAreNoNumbers_data();
    void valuesThatAreNoNumbers();
};

void TestConfigValues::valuesThatAreNoNumbers_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* key, const char* value, const char* message) {
        QTest::addRow("%s %s", key, value) << QByteArray(key) << QByteArray(value) << QString(message);
    };
    row("rms_norm_eps", "NaN", "rms_norm_eps: NaN is not a finite number");
    row("rope_theta", "Infinity", "rope_theta: Infinity is not a finite number");
    row("initializer_range", "-Infinity", "initializer_range: -Infinity is not a finite number");
    row("hidden_size", "NaN", "hidden_size: NaN is not a finite number");
    row("num_key_value_heads", "Infinity", "num_key_value_heads: Infinity is not a finite number");
    row("rope_scaling", R"({"rope_type": "linear", "factor": NaN})", "rope_scaling.factor: NaN is not a finite number");
    row("rope_scaling", R"({"rope_type": "longrope", "short_factor": [1, NaN]})",
        "rope_scaling.short_factor: NaN is not a finite number");
    row("rms_norm_eps", R"("1e-5")", "rms_norm_eps: \"1e-5\" is not a number");
    row("rms_norm_eps", "[1]", "rms_norm_eps: a list is not a number");
    row("rms_norm_eps", "null", "rms_norm_eps: null is not supported for model type llama");
    row("rope_theta", "null", "rope_theta: null is not supported for model type llama");
    row("hidden_size", "null", "hidden_size: null is not supported for model type llama");
    row("intermediate_size", "null", "intermediate_size: null is not supported for model type llama");
    row("hidden_act", "null", "hidden_act: null is not supported for model type llama");
    row("head_dim", "null", ""); // follows from the other sizes
    row("num_key_value_heads", "null", "");
    row("rope_scaling", "null", "");
    row("nobody_reads_this", "NaN", "");
}

void TestConfigValues::valuesThatAreNoNumbers()
{
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, value);
    QFETCH(QString, message);
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("config.json").toStdString();
    json config = {{"model_type", "llama"},    {"hidden_size", 32}, {"intermediate_size", 40}, {"num_hidden_layers", 2},
                   {"num_attention_heads", 4}, {"vocab_size", 31},  {"num_key_value_heads", 2}};
    config.erase(key.toStdString());
    std::string text = config.dump();
    text.back() = ',';
    std::ofstream(file) << text << '"' << key.toStdString() << "\": " << value.toStdString() << '}';
    const auto read = loadModelConfig(file);
    const std::string wanted = message.isEmpty() ? std::string() : file.string() + ": " + message.toStdString();
    QCOMPARE(read ? std::string() : read.error().text(), wanted);
}

PEAKSCOPE_APPLESS_TEST(TestConfigValues)
#include "test_config_values.moc"
