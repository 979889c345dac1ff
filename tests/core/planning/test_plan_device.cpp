// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Devices and models as a user writes them: catalogue ids, capacities, bare parameter counts, and what is none of them.
#include "core/planning/commands/model_from_count.h"
#include "core/planning/recommend/plan_device.h"
#include "core/planning/recommend/recommender.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace peakscope;

class TestPlanDevice : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void catalogueDevice();
    void dryCards();
    void capacity_data();
    void capacity();
    void refusedDevices_data();
    void refusedDevices();
    void machineNames_data();
    void machineNames();
    void verdicts_data();
    void verdicts();
    void counts_data();
    void counts();
    void refusedModels_data();
    void refusedModels();
    void modelFolders();
    void smallVocabulary();
};

void TestPlanDevice::catalogueDevice()
{
    const auto device = planDeviceFromText("a800-80gb");
    QVERIFY(device.ok());
    const auto entry = findDevice("a800-80gb");
    QCOMPARE(device->usableBytes, entry->usableBytes);
    QCOMPARE(device->bfloat16Flops, entry->bfloat16Flops);
    QVERIFY(device->cuda);
    QVERIFY(device->contextBytes > 0 && device->contextBytes < std::int64_t{2} << 30);
}

// As estimate and recommend have it, and the plan's field of devices.
void TestPlanDevice::dryCards()
{
    const auto card = planDeviceFromText("a800-80gb"), dry = planDeviceFromText("dry:a800-80gb");
    QVERIFY(dry.ok());
    QCOMPARE(dry->id, card->id);
    QCOMPARE(dry->usableBytes, card->usableBytes);
    const auto part = planDeviceFromText("dry:a800-80gb:40GiB");
    QVERIFY(part.ok());
    QCOMPARE(part->usableBytes, std::int64_t{40} << 30);
    QCOMPARE(part->bfloat16Flops, card->bfloat16Flops);
}

void TestPlanDevice::capacity_data()
{
    QTest::addColumn<std::int64_t>("bytes");
    QTest::newRow("bytes:80GiB") << (std::int64_t{80} << 30);
    QTest::newRow("bytes:512MiB") << (std::int64_t{512} << 20);
    QTest::newRow("bytes:24GB") << std::int64_t{24'000'000'000};
    QTest::newRow("bytes:1.5e9") << std::int64_t{1'500'000'000};
}

void TestPlanDevice::capacity()
{
    QFETCH(const std::int64_t, bytes);
    const auto device = planDeviceFromText(QTest::currentDataTag());
    QVERIFY2(device.ok(), device.ok() ? "" : device.error().text().c_str());
    QCOMPARE(device->usableBytes, bytes);
    QCOMPARE(device->float32Flops, 0.0); // a size says nothing about speed
}

void TestPlanDevice::refusedDevices_data()
{
    QTest::addColumn<QString>("says");
    QTest::newRow("no-such-device") << "no-such-device";
    QTest::newRow("a800-80g") << "a800-80gb"; // the near id
    QTest::newRow("bytes:") << "not a size";
    QTest::newRow("bytes:0") << "not a device's memory";
    QTest::newRow("bytes:-5GiB") << "negative";
    QTest::newRow("bytes:80 parsecs") << "not a size";
    QTest::newRow("bytes:1e30") << "more than";
    QTest::newRow("") << "empty";
}

void TestPlanDevice::refusedDevices()
{
    QFETCH(const QString, says);
    const auto device = planDeviceFromText(QTest::currentDataTag());
    QVERIFY(!device.ok());
    const QString text = QString::fromStdString(device.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY(!text.contains('\n'));
    QCOMPARE(exitStatus(device.error().code), 2);
}

void TestPlanDevice::machineNames_data()
{
    QTest::addColumn<std::int64_t>("gib");
    QTest::addColumn<QString>("rates"); // of this catalogue entry; empty: none
    QTest::newRow("NVIDIA A100-SXM4-80GB") << std::int64_t{80} << "a100-80gb";
    QTest::newRow("NVIDIA A100-SXM4-40GB") << std::int64_t{40} << "a100-40gb";
    QTest::newRow("Tesla T4") << std::int64_t{15} << "t4";
    QTest::newRow("NVIDIA GeForce RTX 4090") << std::int64_t{24} << "rtx-4090";
    QTest::newRow("NVIDIA GeForce RTX 4090 Laptop GPU") << std::int64_t{16} << "";
    QTest::newRow("NVIDIA RTX 6000 Ada Generation") << std::int64_t{48} << "rtx-6000-ada";
    QTest::newRow("NVIDIA H100 PCIe") << std::int64_t{80} << "";
    QTest::newRow("Some future card") << std::int64_t{500} << "";
}

void TestPlanDevice::machineNames()
{
    QFETCH(const std::int64_t, gib);
    QFETCH(const QString, rates);
    const PlanDevice device = planDeviceOfMachine({"cuda:0", QTest::currentDataTag(), gib << 30, 0, gib << 30});
    const double expected = rates.isEmpty() ? 0 : findDevice(rates.toStdString())->float32Flops;
    QCOMPARE(device.float32Flops, expected);
    QCOMPARE(device.id, std::string("cuda:0"));
    QCOMPARE(device.usableBytes, gib << 30); // of this machine, not of the catalogue
    QVERIFY(device.contextBytes > 0);
    const PlanDevice cpu = planDeviceOfMachine({"cpu", QTest::currentDataTag(), 1 << 30, 0, 1 << 30});
    QVERIFY(!cpu.cuda);
    QCOMPARE(cpu.float32Flops, 0.0);
}

void TestPlanDevice::verdicts_data()
{
    QTest::addColumn<std::int64_t>("reserved");
    QTest::newRow("comfortable") << std::int64_t{590};
    QTest::newRow("fits") << std::int64_t{591};
    QTest::newRow("fits at its end") << std::int64_t{840};
    QTest::newRow("tight") << std::int64_t{841};
    QTest::newRow("tight at its end") << std::int64_t{990};
    QTest::newRow("does_not_fit") << std::int64_t{991};
}

// The context counts: 10 of 1000.
void TestPlanDevice::verdicts()
{
    QFETCH(const std::int64_t, reserved);
    PlanDevice device;
    device.usableBytes = 1000;
    device.contextBytes = 10;
    const QString expected = QString(QTest::currentDataTag()).section(' ', 0, 0);
    QCOMPARE(QString::fromUtf8(name(verdictFor(reserved, device)).data()), expected);
}

void TestPlanDevice::counts_data()
{
    QTest::addColumn<double>("count");
    for (const double count :
         {2e4, 5e4, 3e5, 1e6, 1e7, 4.2e7, 125e6, 350e6, 1.3e9, 6.7e9, 13e9, 70e9, 405e9, 1e12, 1e13}) {
        QTest::newRow(qPrintable(QString("params:%1").arg(count, 0, 'g', 12))) << count;
    }
    QTest::newRow("params:6.7B") << 6.7e9;
    QTest::newRow("params:350M") << 350e6;
    QTest::newRow("params:125_000_000") << 125e6;
}

void TestPlanDevice::counts()
{
    QFETCH(const double, count);
    std::string note;
    const auto block = modelBlockFromText(QTest::currentDataTag(), &note);
    QVERIFY2(block.ok(), block.ok() ? "" : block.error().text().c_str());
    const auto experiment = experimentFromJson({{"kind", "memory"}, {"model", *block}, {"weights", "random"}});
    QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
    const auto parameters = static_cast<double>(parameterCount(experiment->model.config));
    QVERIFY2(std::abs(parameters / count - 1) <= 0.02, qPrintable(QString::number(parameters)));
    QVERIFY(note.find("assumed") != std::string::npos && note.find("layers") != std::string::npos);
}

void TestPlanDevice::refusedModels_data()
{
    QTest::addColumn<QString>("says");
    QTest::newRow("params:0") << "too few";
    QTest::newRow("params:-3") << "too few";
    QTest::newRow("params:1e15") << "more than any model";
    QTest::newRow("params:nan") << "not a number";
    QTest::newRow("params:inf") << "not a number";
    QTest::newRow("params:many") << "not a number";
    QTest::newRow("params:7Q") << "not a number";
    QTest::newRow("params:") << "not a number";
    QTest::newRow("opt-125n") << "opt-125m";
    QTest::newRow("no-such-model") << "not in the model catalogue";
    QTest::newRow("") << "empty";
}

void TestPlanDevice::refusedModels()
{
    QFETCH(const QString, says);
    const auto block = modelBlockFromText(QTest::currentDataTag());
    QVERIFY(!block.ok());
    const QString text = QString::fromStdString(block.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY(!text.contains('\n'));
    QCOMPARE(exitStatus(block.error().code), 2);
}

void TestPlanDevice::modelFolders()
{
    const QTemporaryDir folder;
    const std::string dir = folder.path().toStdString();
    const auto write = [&dir](const char* text) { std::ofstream(dir + "/config.json") << text; };
    QVERIFY(!modelBlockFromText(dir).ok()); // no config.json yet
    write(R"({"model_type": "bert", "hidden_size": 768})");
    const auto bert = modelBlockFromText(dir);
    QVERIFY(!bert.ok());
    QVERIFY2(bert.error().text().find("bert") != std::string::npos, bert.error().text().c_str());
    write(R"({"model_type": "gpt2", "n_embd": 96, "n_layer": 2, "n_head": 7, "vocab_size": 300, "n_positions": 64})");
    QVERIFY2(!modelBlockFromText(dir).ok(), "7 heads do not divide 96");
    write(R"({"model_type": "gpt2", "n_embd": 96, "n_layer": 2, "n_head": 6, "vocab_size": 300, "n_positions": 64})");
    for (const std::string& text : {dir, dir + "/config.json"}) {
        const auto block = modelBlockFromText(text);
        QVERIFY2(block.ok(), block.ok() ? "" : block.error().text().c_str());
        QCOMPARE((*block)["dir"].get<std::string>(), dir);
    }
}

// Byte tokens need 256 words; planning such a model must not need them.
void TestPlanDevice::smallVocabulary()
{
    nlohmann::json document{{"kind", "memory"}, {"model", {{"family", "opt"}, {"vocab", 61}, {"max_positions", 64}}}};
    document["data"]["seq"] = 32;
    QVERIFY(!experimentFromJson(document).ok());
    QVERIFY(!chooseUsableData(document).empty());
    QVERIFY(experimentFromJson(document).ok());
    nlohmann::json usual{{"kind", "memory"}, {"model", {{"family", "opt"}}}};
    QVERIFY(chooseUsableData(usual).empty());
    QVERIFY(!usual.contains("data"));
}

PEAKSCOPE_GUILESS_TEST(TestPlanDevice)
#include "test_plan_device.moc"
