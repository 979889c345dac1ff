// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model of the engine, and a Python program of the same operators recorded in $PEAKSCOPE_DRY_PYTHON: two ways to one
// peak, on a processor and on a card that isn't here.
#include "tests/engine/process/said.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using nlohmann::json;
using test::kCli;

class TestSameModel : public QObject
{
    Q_OBJECT

private slots:
    void peaks_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("ofProgram");
        QTest::newRow("on a processor") << "cpu" << "cpu";
        QTest::newRow("on a card that isn't here") << "dry:rtx-4090" << "cuda";
    }
    void peaks()
    {
        QFETCH(QString, device);
        QFETCH(QString, ofProgram);
        const QString python = qEnvironmentVariable("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const QTemporaryDir folder;
        QFile experiment(folder.filePath(QStringLiteral("experiment.json")));
        QVERIFY(experiment.open(QIODevice::WriteOnly));
        const json text = {
            {"kind", "memory"},
            {"device", device.toStdString()},
            {"model",
             {{"family", "gpt2"}, {"hidden", 128}, {"layers", 3}, {"heads", 4}, {"vocab", 1000}, {"max_positions", 128}}},
            {"data", {{"source", "builtin"}, {"batch", 4}, {"seq", 96}}},
            {"training",
             {{"optimizer", "adamw"}, {"steps", 3}, {"warmup_steps", 0}, {"loss_head", "naive"}, {"attention", "fused"}}}};
        experiment.write(QByteArray::fromStdString(text.dump()));
        experiment.close();
        const QString engine = folder.filePath(QStringLiteral("engine.json"));
        const auto own = test::say({QStringLiteral("run"), experiment.fileName(), QStringLiteral("--out"), engine});
        if (own.error.contains(QStringLiteral("CUDA")))
            QSKIP("this LibTorch has no CUDA half");
        QVERIFY2(own.status == 0, qPrintable(own.error));
        const QString program = folder.filePath(QStringLiteral("program.json"));
        const auto recorded =
            test::say({QStringLiteral("record"), QStringLiteral("--device"), device, QStringLiteral("--out"), program,
                       QStringLiteral("--"), python, QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/same_model.py"),
                       ofProgram});
        QVERIFY2(recorded.status == 0, qPrintable(recorded.error));
        const json one = memoryIn(engine), other = memoryIn(program);
        const auto peak = one.at("peak_bytes").get<double>();
        const double difference = std::abs(other.at("peak_bytes").get<double>() - peak);
        QVERIFY2(difference <= peak / 1000, qPrintable(QString::number(difference)));
        for (const char* component : {"parameters", "inputs"})
            QCOMPARE(other.at("peak_components").at(component).get<std::int64_t>(),
                     one.at("peak_components").at(component).get<std::int64_t>());
    }

private:
    static json memoryIn(const QString& file) { return test::readJson(file).at("memory"); }
};

PEAKSCOPE_GUILESS_TEST(TestSameModel)
#include "test_same_model.moc"
