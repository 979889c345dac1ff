// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What figures of sweeps and fits say: what holds for all points.
#include "tests/test_room.h"
#include "widgets/figures/page/figure_text.h"

#include <QTest>

using namespace peakscope;

class TestSweepFigures : public QObject
{
    Q_OBJECT

private slots:
    // A value that the sweep changes is that of its base only.
    void captionsLeaveOutWhatVaries_data()
    {
        QTest::addColumn<QByteArray>("grid");
        QTest::addColumn<QString>("setting");
        const QString model = QStringLiteral("gpt2, 2 layers × 32");
        QTest::newRow("none") << QByteArray("[]") << model + QStringLiteral("; batch 4 × 32 tokens; float32; a card");
        QTest::newRow("length") << QByteArray(R"([{"key": "data.seq", "values": [16, 128]}])")
                                << model + QStringLiteral("; batch 4; float32; a card");
        QTest::newRow("batch") << QByteArray(R"([{"key": "data.batch", "values": [2, 4]}])")
                               << model + QStringLiteral("; 32 tokens a row; float32; a card");
        QTest::newRow("both") << QByteArray(R"([{"key": "data.batch", "values": [2, 4]},
                                                {"key": "data.seq", "values": [16, 128]}])")
                              << model + QStringLiteral("; float32; a card");
        QTest::newRow("one value") << QByteArray(R"([{"key": "data.batch", "values": [8]}])")
                                   << model + QStringLiteral("; batch 8 × 32 tokens; float32; a card");
        QTest::newRow("layers") << QByteArray(R"([{"key": "model.layers", "values": [2, 4]}])")
                                << QStringLiteral("gpt2; batch 4 × 32 tokens; float32; a card");
    }

    void captionsLeaveOutWhatVaries()
    {
        QFETCH(const QByteArray, grid);
        QFETCH(const QString, setting);
        RunResult run;
        run.config = {{"device", "cpu"},
                      {"dtype", "float32"},
                      {"data", {{"batch", 4}, {"seq", 32}}},
                      {"model", {{"family", "gpt2"}, {"layers", 2}, {"hidden", 32}}}};
        run.environment = {{"device_name", "a card"}};
        run.other["sweep"]["grid"] = nlohmann::json::parse(grid.toStdString());
        QCOMPARE(runSetting(run).join(QStringLiteral("; ")), setting);
        run.config["devices"] = {"a card", "another card"};
        QVERIFY(!runSetting(run).contains(QStringLiteral("a card")));
    }
};

PEAKSCOPE_TEST(TestSweepFigures)
#include "test_sweep_figures.moc"
