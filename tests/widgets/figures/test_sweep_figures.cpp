// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What figures of sweeps and fits say: what holds for all points, what a point that did not fit takes at least, and in
// a legend the number that it is read for.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/sweep/least_peak.h"

#include <QRegularExpression>
#include <QTest>

using namespace peakscope;
using peakscope::test::textsOfFigure;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

RunResults runsOf(const SweepDocument& sweep)
{
    return {std::make_shared<const RunResult>(sweepResult(sweep))};
}

SweepPoint pointOf(const nlohmann::json& values, const char* status, std::int64_t peak)
{
    SweepPoint point;
    point.values = values;
    point.status = status;
    point.measured = true;
    point.peakBytes = peak;
    return point;
}

// One batch that fits and two that do not, of which the second was refused 16 MiB.
SweepDocument smallBudget()
{
    SweepDocument sweep;
    sweep.status = "complete";
    sweep.keys = {"data.batch"};
    sweep.base = {{"budget_bytes", 4 * kMiB}};
    sweep.points = {pointOf({{"data.batch", 4}}, "complete", 3 * kMiB),
                    pointOf({{"data.batch", 8}}, "over_budget", 2 * kMiB),
                    pointOf({{"data.batch", 4096}}, "over_budget", 2 * kMiB)};
    sweep.points.back().neededBytes = 18 * kMiB;
    return sweep;
}

} // namespace

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

    // What was held before the refusal says nothing of what it takes.
    void whatDoesNotFitTakesMoreThanTheRoom()
    {
        const RunResults runs = runsOf(smallBudget());
        const QStringList cells = textsOfFigure("memory_heatmap", runs);
        for (const char* cell : {"3.00", "> 4.00", "> 18.0"})
            QVERIFY2(cells.contains(QLatin1String(cell)), qPrintable(cell + cells.join(u'|')));
        const QStringList bars = textsOfFigure("memory_analysis_overview", runs);
        for (const char* bar : {"3.00 MiB", "> 4.00 MiB", "> 18.0 MiB"})
            QVERIFY2(bars.contains(QLatin1String(bar)), qPrintable(bar + bars.join(u'|')));
        // The largest first, and none that did not fit below one that did.
        QVERIFY(bars.indexOf(QLatin1String("> 18.0 MiB")) < bars.indexOf(QLatin1String("> 4.00 MiB")));
        QVERIFY(bars.indexOf(QLatin1String("> 4.00 MiB")) < bars.indexOf(QLatin1String("3.00 MiB")));
    }

    // A fit has no budget but a card; a limit that the program sets itself is another matter.
    void whatDoesNotFitACardTakesMoreThanIt()
    {
        SweepDocument fit;
        fit.keys = {"batch"};
        fit.base = {{"device", "dry:rtx-4090:1GiB"}};
        fit.points = {pointOf({{"batch", 1}}, "complete", 600 * kMiB),
                      pointOf({{"batch", 2}}, "over_budget", 4 * kMiB)};
        const std::int64_t least = *leastPeakBytes(fit, fit.points.back());
        QVERIFY(least > 600 * kMiB && least < 1024 * kMiB); // without the context
        QCOMPARE(*leastPeakBytes(fit, fit.points.front()), 600 * kMiB);
        fit.points.back().values["device"] = "dry:a100-40gb";
        QVERIFY(*leastPeakBytes(fit, fit.points.back()) > 30 * 1024 * kMiB);
        fit.points.back().other["own_limit"] = true;
        QCOMPARE(*leastPeakBytes(fit, fit.points.back()), 4 * kMiB);
    }

    // Of what is too wide the setting is shortened.
    void legendsKeepTheirNumbers()
    {
        SweepDocument sweep;
        sweep.status = "complete";
        sweep.keys = {"data.seq", "data.batch", "training.clipping"};
        for (const int seq : {16, 32, 64, 128}) {
            for (const int batch : {2, 4}) {
                for (const char* method : {"none", "flash", "per_sample", "per_sample_of_every_layer"})
                    sweep.points.push_back(
                        pointOf({{"data.seq", seq}, {"data.batch", batch}, {"training.clipping", method}}, "complete",
                                kMiB + 100 * batch * seq * seq));
            }
        }
        const RunResults runs = runsOf(sweep);
        for (const FigurePreset& preset : figurePresets()) {
            for (const char* figure : {"memory_trends", "memory_analysis_overview"}) {
                const QStringList words = textsOfFigure(figure, runs, preset.name.c_str());
                const QStringList lines = words.filter(QRegularExpression(
                    QStringLiteral("^[24] / .*: exponent 2[.]00 [(]95 %: 2[.]00 to 2[.]00[)]( above 1[.]00 MiB)?$")));
                QVERIFY2(lines.size() == (preset.fixedHeight && figure[7] == 'a' ? 0 : 2),
                         qPrintable(QString::fromStdString(preset.name) + words.join(u'|')));
                QCOMPARE(faultOfTexts(figure, runs, preset), QString());
            }
        }
    }
};

PEAKSCOPE_TEST(TestSweepFigures)
#include "test_sweep_figures.moc"
