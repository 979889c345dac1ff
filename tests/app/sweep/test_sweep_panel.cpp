// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep in the Run workspace while another program writes it: points come in, the finished file is looked at no more.
#include "app/jobs/result_loader.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/remaining_text.h"
#include "app/run/run_header.h"
#include "app/shell/inspector_content.h"

#include "core/import/read_any.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/test_room.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/sweep/sweep_trend_view.h"
#include "widgets/tables/usage_tables.h"

#include <QAbstractProxyModel>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;

namespace {

SweepDocument sweepWith(int finished)
{
    SweepDocument sweep;
    sweep.keys = {"data.seq"};
    for (int i = 0; i < 8; ++i) {
        SweepPoint point;
        point.values = {{"data.seq", 16 << i}};
        if (i < finished) {
            point.status = "complete";
            point.measured = true;
            point.peakBytes = 1000 + (16 << i);
            point.file = "point-000" + std::to_string(i + 1) + ".json";
        }
        sweep.points.push_back(point);
    }
    sweep.status = sweep.complete() ? "complete" : "interrupted";
    return sweep;
}

} // namespace

class TestSweepPanel : public QObject
{
    Q_OBJECT
private slots:
    void timeLeftIsInWords();
    void titleLeavesOutWhatIsVaried();
    void pointsComeIn();
    void pointsOpenTheirRuns();
    void theHeadCountsWhatWasLeftOut();
    void oneValueAboveZeroIsNoTrend();
    void eachViewExportsItsFigure();
    void aSearchSaysHowItsCapacityComesAbout();
};

void TestSweepPanel::aSearchSaysHowItsCapacityComesAbout()
{
    const auto results = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/fit_result.json");
    QVERIFY(results.ok());
    SweepPanel panel;
    panel.showSweep(results->front(), QString());
    // Of the card as every other place says it; what is aimed at stands at the line and in the words about it.
    QVERIFY2(panel.answer().contains(QStringLiteral("of 23.6 GiB (")), qPrintable(panel.answer()));
    QVERIFY2(!panel.answer().contains(QStringLiteral("22.1 GiB")), qPrintable(panel.answer()));
    const QString why = panel.findChild<QLabel*>(QStringLiteral("planAnswer"))->toolTip();
    QVERIFY2(why.contains(QStringLiteral("RTX 4090 24GB: The card has 24.0 GiB, of which 23.6 GiB are usable. The CUDA "
                                         "context takes 400 MiB and leaves 23.3 GiB. A search keeps to 95 % of that: "
                                         "22.1 GiB.")),
             qPrintable(why));
}

void TestSweepPanel::titleLeavesOutWhatIsVaried()
{
    RunResult result;
    result.kind = ResultKind::Sweep;
    result.config = {
        {"model", {{"id", "opt-125m"}}}, {"data", {{"batch", 8}, {"seq", 256}}}, {"training", {{"clipping", "ghost"}}}};
    const auto axis = [](const char* key, nlohmann::json values) {
        return nlohmann::json{{"key", key}, {"values", std::move(values)}};
    };
    result.other["sweep"]["grid"] = {axis("data.batch", {4, 8}), axis("training.clipping", {"ghost"})};
    QCOMPARE(resultTitle(result), QStringLiteral("sweep: opt-125m · ghost clipping"));
    InspectorPanel panel;
    panel.showContent(inspectRun(result, {}));
    const QString said = panel.plainText().simplified();
    QVERIFY2(said.contains(QStringLiteral("Varied Batch (rows) 4, 8")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("Data Sequence 256")), qPrintable(said)); // without the base's batch
}

void TestSweepPanel::timeLeftIsInWords()
{
    QCOMPARE(remainingText(4.18), QStringLiteral("4 s"));
    QCOMPARE(remainingText(0.2), QStringLiteral("1 s"));
    QCOMPARE(remainingText(185), QStringLiteral("3 min"));
    QCOMPARE(remainingText(7800), QStringLiteral("2 h 10 min"));
}

void TestSweepPanel::pointsComeIn()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("sweep.json"));
    QVERIFY(saveSweep(sweepWith(2), path.toStdString()));
    SweepPanel panel;
    QSignalSpy changed(&panel, &SweepPanel::sweepChanged);
    panel.showSweep(sweepResult(sweepWith(2)), path);
    QCOMPARE(panel.heatMap()->sweep().finished(), std::size_t{2});
    QTest::qWait(20); // another time stamp than the first writing's
    QVERIFY(saveSweep(sweepWith(5), path.toStdString()));
    QTRY_COMPARE_WITH_TIMEOUT(panel.heatMap()->sweep().finished(), std::size_t{5}, 10'000);
    QCOMPARE(panel.table()->model()->rowCount(), 8);
    QVERIFY(saveSweep(sweepWith(8), path.toStdString()));
    QTRY_VERIFY_WITH_TIMEOUT(panel.heatMap()->sweep().complete(), 10'000);
    QCOMPARE(panel.trends()->fits().size(), std::size_t{1});
    QCOMPARE(changed.count(), 2);
}

void TestSweepPanel::pointsOpenTheirRuns()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("sweep.json"));
    SweepPanel panel;
    panel.showSweep(sweepResult(sweepWith(3)), path);
    QSignalSpy opened(&panel, &SweepPanel::pointOpened);
    emit panel.heatMap()->pointActivated(1);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened[0][0].toString(), folder.filePath(QStringLiteral("point-0002.json")));
    emit panel.heatMap()->pointActivated(5); // waits: there is nothing to open
    QCOMPARE(opened.count(), 1);
    // As the map's cells, so the table's rows, however they are sorted.
    QTableView* rows = panel.table()->view();
    rows->sortByColumn(0, Qt::DescendingOrder);
    const auto* sorted = qobject_cast<const QAbstractProxyModel*>(rows->model());
    QVERIFY(sorted);
    const QModelIndex third = sorted->mapFromSource(sorted->sourceModel()->index(2, 0));
    rows->setCurrentIndex(third);
    emit rows->doubleClicked(third);
    QCOMPARE(opened.count(), 2);
    QCOMPARE(opened[1][0].toString(), folder.filePath(QStringLiteral("point-0003.json")));
}

void TestSweepPanel::theHeadCountsWhatWasLeftOut()
{
    SweepDocument sweep = sweepWith(6);
    sweep.points[6].status = kSweepLeftOut;
    sweep.points[6].impossible = true;
    sweep.points[7].status = "over_budget"; // foretold: no process ran for it
    QVERIFY(sweep.complete());
    RunHeader header;
    header.setPoints(sweep);
    const QString facts = header.findChild<QLabel*>(QStringLiteral("runFacts"))->text();
    QCOMPARE(facts, QStringLiteral("6 of 8 points  ·  1 left out: their values are incompatible  ·  "
                                   "1 left out: predicted to exceed the budget"));
    TimedRound round{.medianSeconds = 1, .wallSeconds = 3, .processorSeconds = 2, .processors = 2};
    round.waitingSeconds = 1; // a third of its time, while others ran
    round.othersSeconds = 3;
    addRound(sweep.points[0].other, round);
    header.setPoints(sweep);
    QVERIFY(header.findChild<QLabel*>(QStringLiteral("runFacts"))
                ->text()
                .endsWith(QStringLiteral("times of 1 on a busy machine: not to be compared")));
    const Table table = sweepPointsTable(sweep);
    QCOMPARE(std::get<std::string>(table.rows[6][1]), std::string("left_out"));
    QCOMPARE(std::get<std::string>(table.rows[0][1]), std::string("complete"));
}

void TestSweepPanel::oneValueAboveZeroIsNoTrend()
{
    SweepDocument sweep = sweepWith(2);
    sweep.points.resize(2);
    sweep.points[0].values = {{"data.seq", 0}};
    SweepPanel panel;
    panel.showSweep(sweepResult(sweep), {});
    const QString said = panel.trends()->summary();
    QVERIFY2(said.contains(QStringLiteral("one value above 0")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral(" % from 0 to ")), qPrintable(said)); // what both values hold is known
}

void TestSweepPanel::eachViewExportsItsFigure()
{
    SweepPanel panel;
    panel.showSweep(sweepResult(sweepWith(8)), {});
    QSignalSpy asked(&panel, &SweepPanel::figureRequested);
    emit panel.heatMap()->exportRequested();
    emit panel.trends()->exportRequested();
    QCOMPARE(asked.count(), 2);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("memory_heatmap"));
    QCOMPARE(asked[1][0].toString(), QStringLiteral("memory_trends"));
}

PEAKSCOPE_TEST(TestSweepPanel)
#include "test_sweep_panel.moc"
