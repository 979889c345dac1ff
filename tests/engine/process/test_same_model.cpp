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
    // A plan for a card, whichever of its two names is given.
    void aDryCardIsTheCard()
    {
        for (const QStringList& asked : {QStringList{"estimate", "--model", "gpt2", "--json", "--device"},
                                         QStringList{"recommend", "--model", "gpt2", "--json", "--device"}}) {
            const test::Said card = test::say(asked + QStringList{"a100-40gb"});
            const test::Said dry = test::say(asked + QStringList{"dry:a100-40gb"});
            QVERIFY2(dry.status == 0, qPrintable(dry.error));
            const json planned = json::parse(dry.out.toStdString()), expected = json::parse(card.out.toStdString());
            for (const char* key : {"device", "verdict", "peak_bytes", "strategies"})
                QCOMPARE(planned.value(key, json()), expected.value(key, json()));
            // A stand-in may be of another size.
            const test::Said small = test::say(asked + QStringList{"dry:a100-40gb:2GiB"});
            QVERIFY2(small.status == 0, qPrintable(small.error));
            const json device = json::parse(small.out.toStdString())["device"];
            QCOMPARE(device["usable_bytes"].get<std::int64_t>(), std::int64_t{2} << 30);
        }
        const test::Said none = test::say({"estimate", "--model", "gpt2", "--device", "dry:a100"});
        QVERIFY2(none.status == 2 && none.error.contains("near: a10, a100-40gb"), qPrintable(none.error));
    }

    // The same model over eight cards, by PyTorch's own means and by the engine's sharding: parameters, gradients and
    // states of each rank are equal to the byte. The peaks are within 1 %, but for DDP's buckets of gradients.
    void ranks_data()
    {
        QTest::addColumn<QString>("way");
        QTest::addColumn<QByteArray>("training");
        QTest::newRow("fsdp2") << "fsdp2" << QByteArray(R"({"sharding": "fsdp"})");
        QTest::newRow("ddp") << "ddp" << QByteArray(R"({})");
    }
    void ranks()
    {
        QFETCH(QString, way);
        QFETCH(QByteArray, training);
        const QString python = qEnvironmentVariable("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const QTemporaryDir folder;
        json text = experimentOn("dry:h100-80gb", 32);
        text["ranks"] = 8;
        text["training"].merge_patch(json::parse(training.toStdString()));
        const QString engine = folder.filePath(QStringLiteral("engine.json"));
        const auto own = run(folder, text, engine);
        if (own.error.contains(QStringLiteral("CUDA")))
            QSKIP("this LibTorch has no CUDA half");
        QVERIFY2(own.status == 0, qPrintable(own.error));
        const QString program = folder.filePath(QStringLiteral("program.json"));
        const auto recorded =
            test::say({QStringLiteral("record"), QStringLiteral("--device"), QStringLiteral("dry:h100-80gb"),
                       QStringLiteral("--world"), QStringLiteral("8"), QStringLiteral("--rank"), QStringLiteral("0,7"),
                       QStringLiteral("--out"), program, QStringLiteral("--"), python,
                       QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/same_shards.py"), way});
        QVERIFY2(recorded.status == 0, qPrintable(recorded.error));
        const json one = test::readJson(engine).at("ranks"), other = test::readJson(program).at("ranks");
        for (const auto& [place, rank] : {std::pair{0, 0}, std::pair{1, 7}}) {
            const json& mine = one.at(static_cast<std::size_t>(rank)).at("memory");
            const json& theirs = other.at(static_cast<std::size_t>(place)).at("memory");
            const auto of = [](const json& memory, const char* when, const char* component) {
                return memory.at(when).value(component, std::int64_t(0));
            };
            QCOMPARE(of(mine, "peak_components", "parameters"), of(theirs, "peak_components", "parameters"));
            QCOMPARE(of(mine, "max_components", "gradients"), of(theirs, "max_components", "gradients"));
            QCOMPARE(of(mine, "max_components", "optimizer_states"), of(theirs, "max_components", "optimizer_states"));
            const bool buckets = way == QStringLiteral("ddp");
            const auto peak = [&](const json& memory) {
                return memory.at("peak_bytes").get<std::int64_t>() -
                       (buckets ? of(memory, "peak_components", "communication") : 0);
            };
            const auto apart = static_cast<double>(std::abs(peak(mine) - peak(theirs)));
            QVERIFY2(apart < 0.01 * static_cast<double>(peak(theirs)), qPrintable(QString::number(apart)));
        }
    }

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
        const QString engine = folder.filePath(QStringLiteral("engine.json"));
        const auto own = run(folder, experimentOn(device.toStdString(), 4), engine);
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
    static json experimentOn(const std::string& device, std::int64_t batch)
    {
        return {{"kind", "memory"},
                {"device", device},
                {"model",
                 {{"family", "gpt2"},
                  {"hidden", 128},
                  {"layers", 3},
                  {"heads", 4},
                  {"vocab", 1000},
                  {"max_positions", 128}}},
                {"data", {{"source", "builtin"}, {"batch", batch}, {"seq", 96}}},
                {"training",
                 {{"optimizer", "adamw"},
                  {"steps", 3},
                  {"warmup_steps", 0},
                  {"loss_head", "naive"},
                  {"attention", "fused"}}}};
    }
    static test::Said run(const QTemporaryDir& folder, const json& text, const QString& out)
    {
        QFile experiment(folder.filePath(QStringLiteral("experiment.json")));
        if (experiment.open(QIODevice::WriteOnly))
            experiment.write(QByteArray::fromStdString(text.dump()));
        experiment.close();
        return test::say({QStringLiteral("run"), experiment.fileName(), QStringLiteral("--out"), out});
    }
    static json memoryIn(const QString& file) { return test::readJson(file).at("memory"); }
};

PEAKSCOPE_GUILESS_TEST(TestSameModel)
#include "test_same_model.moc"
