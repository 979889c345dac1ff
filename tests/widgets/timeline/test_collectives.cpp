// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank sends in the window: what bars, read-out, legend and table say, with phases and without.
#include "tests/test_room.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/collective_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/timeline/collective_chart.h"
#include "widgets/timeline/collective_view.h"

#include <qcustomplot.h>

#include <QTest>

using namespace peakscope;

namespace {

// The middle of 40 MiB of a backward's 10, 20 and 10.
QPointF inBackward(double mebibytes)
{
    return {1.5, mebibytes * static_cast<double>(test::kSentMiB)};
}

} // namespace

class TestCollectives : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }
    void barsAreBytesByPhase();
    void readoutsSayTheCalls();
    void captionSaysWhatOverlapped();
    void tableIsOfWhatIsVisible();
    void keysWalkOverThePieces();
    void withoutPhases();
    void whoTellsNone();
    void pictures();
};

void TestCollectives::barsAreBytesByPhase()
{
    CollectiveView view;
    test::showAt(view, 700, 420);
    view.setRank(test::sendingRun(), 0);
    const test::TextRecorder screen(*view.plot());
    QStringList texts;
    for (const auto& placed : screen.texts())
        texts << placed.text;
    for (const char* text : {"Forward", "Backward", "Norms", "Optimiser step", "Payload (MiB)", "Phase"})
        QVERIFY2(texts.contains(QString::fromUtf8(text)), qPrintable(texts.join(u'|')));
    QVERIFY(texts.contains(QStringLiteral("40.0")) && texts.count(QStringLiteral("10.0")) == 3);
    QCOMPARE(texts.count(QStringLiteral("30.0")), 1); // a bar of one piece has its number once
    QCOMPARE(view.summary(), QStringLiteral("Rank 0 sends 100 MiB: Forward 30.0 MiB, Backward 40.0 MiB, "
                                            "Norms 10.0 MiB, Optimiser step 20.0 MiB."));
    view.setRank(test::sendingRun(), 1);
    QVERIFY2(view.summary().startsWith(QStringLiteral("Rank 1 sends 85.0 MiB: Forward 15.0 MiB")),
             qPrintable(view.summary()));
}

void TestCollectives::readoutsSayTheCalls()
{
    const CollectiveChart chart(test::sendingRun(), 0);
    QCOMPARE(chart.readout(inBackward(5)), QStringLiteral("Backward, all_reduce: 2 ×, 10.0 MiB (10 % of all)"));
    QCOMPARE(chart.readout(inBackward(15)), QStringLiteral("Backward, reduce_scatter: 4 ×, 20.0 MiB (20 % of all)"));
    QCOMPARE(chart.readout(inBackward(39)), QStringLiteral("Backward, all_gather: 8 ×, 10.0 MiB (10 % of all)"));
    // Above a bar is the bar.
    QCOMPARE(chart.readout(inBackward(43)), chart.readout(inBackward(39)));
    QCOMPARE(chart.snapped(inBackward(43)), std::optional(inBackward(35)));
    QCOMPARE(chart.readout(std::nullopt), QStringLiteral("Most: Forward, all_gather: 1,000 ×, 30.0 MiB (30 % of all)"));
}

void TestCollectives::captionSaysWhatOverlapped()
{
    RunResult run = test::sendingRun();
    QCOMPARE(CollectiveChart(run, 0).caption(true), (QStringList{"rank 0 sends 100 MiB", "communication: 25 % of the time",
                                                             "of that beside computing: 80 %"}));
    run.ranks[0].communication->overlappedSeconds.reset(); // on CPUs
    QCOMPARE(CollectiveChart(run, 0).caption(true),
             (QStringList{"rank 0 sends 100 MiB", "communication: 25 % of the time"}));
    run.ranks[0].communication->seconds = run.ranks[0].communication->share = 0; // a dry run
    QCOMPARE(CollectiveChart(run, 0).caption(true), QStringList{"rank 0 sends 100 MiB"});
}

void TestCollectives::tableIsOfWhatIsVisible()
{
    const CollectiveChart chart(test::sendingRun(), 0);
    QCOMPARE(chart.table(chart.range()).rows.size(), std::size_t(6));
    AxisArea part = chart.range();
    part.xLow = 2;
    QCOMPARE(QString::fromStdString(toTsv(chart.table(part))),
             QStringLiteral("rank\tkind\tphase\tcount\tbytes\n0\tall_reduce\tnorms\t4\t10485760\n"
                            "0\tall_gather\toptimizer_step\t2\t20971520\n"));
}

void TestCollectives::keysWalkOverThePieces()
{
    const CollectiveChart chart(test::sendingRun(), 0);
    const QPointF first = chart.step(std::nullopt, 1, 0);
    QCOMPARE(first, inBackward(5));
    QCOMPARE(chart.step(first, 0, 1), inBackward(20));
    QCOMPARE(chart.step(inBackward(35), 0, 1), inBackward(35));
    QCOMPARE(chart.step(first, -1, 0), QPointF(0.5, 15.0 * test::kSentMiB));
    QCOMPARE(chart.step(QPointF(3.5, 1), 1, 0), QPointF(3.5, 10.0 * test::kSentMiB));
}

void TestCollectives::withoutPhases()
{
    const CollectiveChart chart(test::sendingRunWithoutPhases(), 0);
    QCOMPARE(chart.x().marks.size(), std::size_t(1));
    QCOMPARE(chart.x().marks[0].label, QStringLiteral("All phases"));
    QVERIFY(chart.caption(true).contains(QStringLiteral("its phases are not known")));
    QCOMPARE(chart.readout(std::nullopt),
             QStringLiteral("Most: All phases, all_gather: 1,010 ×, 60.0 MiB (60 % of all)"));
    QCOMPARE(chart.table(chart.range()).rows.size(), std::size_t(3));
}

// One that did not run has what the rank tells that stands for it.
void TestCollectives::whoTellsNone()
{
    RunResult run = test::sendingRun();
    run.ranks[0].communication.reset();
    QCOMPARE(rankWithCollectives(run), std::optional<std::size_t>(1));
    CollectiveView view;
    test::showAt(view, 500, 300);
    view.setRank(run, 0);
    QVERIFY(!view.showsPlot());
    QCOMPARE(view.summary(), QStringLiteral("No collectives."));
    run.ranks[0].sameAs = 1;
    view.setRank(run, 0);
    QVERIFY(view.showsPlot());
    QVERIFY(view.summary().startsWith(QStringLiteral("Rank 0 sends 85.0 MiB")));
    QVERIFY(!rankWithCollectives({}) && !collectivesOf({}, 0));
}

void TestCollectives::pictures()
{
    for (const bool dark : {false, true}) {
        test::applyPalette(dark);
        const QString suffix = dark ? QStringLiteral("_dark") : QStringLiteral("_light");
        CollectiveView phases, older;
        test::showAt(phases, 640, 360);
        phases.setRank(test::sendingRun(), 0);
        phases.setCurrent(inBackward(20));
        test::saveScreenshot(phases, QStringLiteral("collectives") + suffix);
        test::showAt(older, 420, 300);
        older.setRank(test::sendingRunWithoutPhases(), 0);
        test::saveScreenshot(older, QStringLiteral("collectives_older") + suffix);
    }
}

PEAKSCOPE_TEST(TestCollectives)
#include "test_collectives.moc"
