// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Times that were measured on a busy machine say so in the figures that show them, and make no ratio.
#include "core/results/sweeps/timed_round.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;

namespace {

// Two runs of which the second was disturbed.
RunResults disturbedRuns()
{
    RunResults runs = sampleRuns(2);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        RunResult run = *runs[i];
        TimedRound round;
        round.medianSeconds = run.timing->medianStepSeconds;
        round.wallSeconds = 2;
        round.processors = 2;
        round.processorSeconds = i == 0 ? 2 : 1;
        round.waitingSeconds = i == 0 ? 0.0 : 1.0;
        round.othersSeconds = i == 0 ? 0.0 : 2.4;
        setRounds(run, {round});
        runs[i] = shared(std::move(run));
    }
    return runs;
}

} // namespace

class TestBusyTimes : public QObject
{
    Q_OBJECT
private slots:
    void figuresSaySo_data();
    void figuresSaySo();
    void noRatio();
};

void TestBusyTimes::figuresSaySo_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("preset");
    for (const char* figure : {"performance_tradeoff", "memory_analysis_overview"}) {
        for (const char* preset : {"screen", "icml-column", "slide"})
            QTest::addRow("%s, %s", figure, preset) << figure << preset;
    }
}

void TestBusyTimes::figuresSaySo()
{
    QFETCH(const QString, figure);
    QFETCH(const QString, preset);
    const RunResults runs = disturbedRuns();
    const auto page = figurePreset(preset.toStdString());
    QVERIFY(page.has_value());
    const QString fault = faultOfTexts(figure.toStdString(), runs, *page);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    const auto saysBusy = [&](const RunResults& shown) {
        const auto texts = drawFigurePage(nullptr, figure.toStdString(), shown, *page, FigureTheme::Light);
        return std::any_of(texts.begin(), texts.end(),
                           [](const auto& text) { return text.text.contains(QStringLiteral("busy machine")); });
    };
    QVERIFY(saysBusy(runs));
    QVERIFY(!saysBusy({runs[0]}));
}

void TestBusyTimes::noRatio()
{
    const auto timesOfSecond = [](const RunResults& runs) {
        const QList<QByteArray> lines = figureCsv("performance_tradeoff", runs).trimmed().split('\n');
        const QList<QByteArray> fields = lines[2].trimmed().split(','); // a name before them may hold commas
        return fields[fields.size() - 3];
    };
    QVERIFY(figureCsv("performance_tradeoff", sampleRuns(2)).contains("step_times_first,peak_times_first,bound_bytes"));
    QVERIFY(timesOfSecond(disturbedRuns()).isEmpty());
    QVERIFY(timesOfSecond(sampleRuns(2)).toDouble() > 0);
}

PEAKSCOPE_TEST(TestBusyTimes)
#include "test_busy_times.moc"
