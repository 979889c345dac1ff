// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots in place of a timeline: what stands under them, which names have room, the cursor, in both themes; and
// beside timelines in a comparison.
#include "tests/test_room.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/compare/compare_timeline_view.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/timeline/snapshot_marks.h"
#include "widgets/timeline/snapshot_timeline_view.h"

#include <qcustomplot.h>

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::kGiB;

namespace {

SnapshotCourse course(bool timed = true)
{
    SnapshotCourse course;
    course.timed = timed;
    for (int i = 0; i < 8; ++i) {
        course.position.push_back(timed ? 2.0 * i : i);
        course.names.push_back(std::to_string(i) + "_after_something");
        course.allocatedBytes.push_back((i == 5 ? 4 : 1) * kGiB);
        course.reservedBytes.push_back(5 * kGiB);
        course.maxAllocatedBytes.emplace_back((i < 5 ? 1 : 4) * kGiB);
    }
    return course;
}

} // namespace

class TestSnapshotView : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }
    void saysTheHighestThenTheCursors();
    void orderWithoutTimes();
    void clickChoosesTheNearest();
    void namesKeepApart();
    void emptySaysSo();
    void lanesBesideTimelines();
    void oneMomentIsDrawn();
    void thePeaksWordsStandBesideItsLine();
    void pictures();
};

void TestSnapshotView::saysTheHighestThenTheCursors()
{
    SnapshotTimelineView view;
    test::showAt(view, 900, 420);
    view.setCourse(course());
    QVERIFY(view.showsPlot());
    QVERIFY2(view.readout().contains(QStringLiteral("5_after_something")), qPrintable(view.readout()));
    QVERIFY(view.readout().contains(QStringLiteral("allocated 4.00 GiB")));
    view.setCursor(3.2); // between the second at 2 s and the third at 4 s
    QVERIFY2(view.readout().startsWith(QStringLiteral("2_after_something")), qPrintable(view.readout()));
    QVERIFY(view.readout().contains(QStringLiteral("allocated 1.00 GiB")));
    QVERIFY(view.readout().contains(QStringLiteral("reserved 5.00 GiB")));
    QVERIFY(view.readout().contains(QStringLiteral("highest until then 1.00 GiB")));
    view.showSnapshot(7);
    QCOMPARE(*view.cursor(), 14.0);
    QVERIFY(view.plot()->xAxis->label().contains(QStringLiteral("(s)")));
    QVERIFY(view.visibleLower() < 0 && view.visibleUpper() > 14);
    const QStringList lines = view.visibleDataTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 9);
    QCOMPARE(lines[6], QStringLiteral("5_after_something\t10\t4294967296\t5368709120\t4294967296"));
    QVERIFY(view.summary().contains(QStringLiteral("Nothing was measured between them")));
}

void TestSnapshotView::orderWithoutTimes()
{
    SnapshotTimelineView view;
    test::showAt(view, 900, 420);
    view.setCourse(course(false));
    QCOMPARE(view.plot()->xAxis->label(), QStringLiteral("Snapshot, in order"));
    view.plot()->replot();
    const QVector<QString> labels = view.plot()->xAxis->tickVectorLabels();
    QVERIFY(labels.contains(QStringLiteral("2")) && !labels.contains(QStringLiteral("0")));
    QVERIFY(view.visibleDataTsv().split(QLatin1Char('\n'))[1].startsWith(QStringLiteral("0_after_something\t\t")));
}

void TestSnapshotView::clickChoosesTheNearest()
{
    SnapshotTimelineView view;
    test::showAt(view, 900, 420);
    view.setCourse(course());
    QSignalSpy chosen(&view, &SnapshotTimelineView::snapshotActivated);
    const int x = qRound(view.plot()->xAxis->coordToPixel(9.6));
    QTest::mouseClick(view.plot(), Qt::LeftButton, Qt::NoModifier, {x, view.plot()->height() / 2});
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().toInt(), 5);
}

void TestSnapshotView::namesKeepApart()
{
    const SnapshotCourse eight = course();
    const std::vector<double> wide{0, 20, 40, 60, 80, 100, 120, 140};
    QCOMPARE(namedSnapshots(eight, wide, 15).size(), std::size_t{8});
    // Too close for all: the highest is named, and nothing within reach of it.
    const std::vector<double> tight{0, 5, 10, 15, 20, 25, 30, 35};
    QCOMPARE(namedSnapshots(eight, tight, 15), (std::vector<std::size_t>{0, 5}));
}

void TestSnapshotView::emptySaysSo()
{
    SnapshotTimelineView view;
    test::showAt(view, 500, 300);
    QVERIFY(!view.showsPlot());
    view.setCourse(course());
    QVERIFY(view.showsPlot());
    view.setCourse({});
    QVERIFY(!view.showsPlot());
    QCOMPARE(view.readout(), QString());
    QCOMPARE(view.summary(), QStringLiteral("No snapshots."));
}

void TestSnapshotView::lanesBesideTimelines()
{
    CompareTimelineView view;
    test::showAt(view, 900, 500);
    QVERIFY(!view.showsAny());
    std::vector<CompareLane> lanes(2);
    lanes[0].course = std::make_shared<const SnapshotCourse>(course());
    lanes[1].missing = QStringLiteral("nothing");
    view.setLanes(lanes, 0);
    QVERIFY(view.showsAny() && view.showsPlot());
    QVERIFY2(view.readout().contains(QStringLiteral("A 4.00 GiB")), qPrintable(view.readout()));
    QVERIFY(view.visibleUpper() > 14);
    QCOMPARE(view.visibleDataTsv().count(QLatin1Char('\n')), 9);
    lanes[0].peakBytes = 7 * kGiB; // between two of them
    view.setLanes(lanes, 0);
    QVERIFY2(view.readout().contains(QStringLiteral("A 7.00 GiB")), qPrintable(view.readout()));
    const test::TrainingData data = test::trainingRun(6, 3);
    lanes[1].timeline = std::make_shared<const MemoryTimeline>(data.events);
    view.setLanes(lanes, 1);
    view.setCursor(10);
    QVERIFY2(view.readout().contains(QStringLiteral("A 4.00 GiB")), qPrintable(view.readout()));
    view.setCursor(4);
    QVERIFY2(view.readout().contains(QStringLiteral("A 1.00 GiB")), qPrintable(view.readout()));
    view.setMode(CompareTimelineView::Mode::Overlay);
    test::saveScreenshot(view, QStringLiteral("compare_snapshots_overlaid"));
    view.setMode(CompareTimelineView::Mode::Lanes);
    test::saveScreenshot(view, QStringLiteral("compare_snapshots_lanes"));
    // Snapshots without times have no seconds on the axis.
    for (CompareLane& lane : lanes) {
        lane.timeline.reset();
        lane.course = std::make_shared<const SnapshotCourse>(course(false));
    }
    view.setLanes(lanes, 0);
    QCOMPARE(view.plot()->xAxis->label(), QStringLiteral("Snapshot, in order"));
    QVERIFY(!view.plot()->xAxis->tickLabels());
}

void TestSnapshotView::oneMomentIsDrawn()
{
    SnapshotTimelineView view;
    test::showAt(view, 900, 420);
    SnapshotCourse one;
    one.position = {0};
    one.names = {"model_loaded"};
    one.allocatedBytes = {5 * kGiB};
    one.reservedBytes = {9 * kGiB};
    view.setCourse(one, 8 * kGiB); // above what was allocated, below what was reserved
    QVERIFY(view.showsPlot());
    QCOMPARE(view.readout(),
             QStringLiteral("The only snapshot: model_loaded   allocated 5.00 GiB   reserved 9.00 GiB"));
    view.plot()->replot();
    QCOMPARE(view.plot()->xAxis->tickVectorLabels(), QVector<QString>{QStringLiteral("1")});
    const QString named = test::legendOf(view)->accessibleName();
    QVERIFY2(!named.contains(QStringLiteral("between")) &&
                 named.contains(QStringLiteral("Peak, as recorded in the file")),
             qPrintable(named));
}

// Nothing but its own line is near the words of a peak that no snapshot reaches, and the legend says what that is.
void TestSnapshotView::thePeaksWordsStandBesideItsLine()
{
    SnapshotTimelineView view;
    test::showAt(view, 900, 420);
    for (const bool above : {false, true}) {
        SnapshotCourse some = course();
        if (!above)
            some.reservedBytes.back() = 91 * kGiB / 10; // its line would run through words above that of the peak
        view.setCourse(some, 9 * kGiB);
        QApplication::processEvents();
        const auto texts = test::TextRecorder(*view.plot()).texts();
        const auto peak = std::find_if(texts.begin(), texts.end(), [](const auto& placed) {
            return placed.text.startsWith(QStringLiteral("peak"));
        });
        QVERIFY(peak != texts.end());
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        const double line = view.plot()->yAxis->coordToPixel(9.0 * kGiB);
        QVERIFY(above ? peak->box.bottom() <= line + 1 : peak->box.top() >= line - 1);
        QVERIFY(peak->box.top() >= rect.top() && peak->box.right() <= rect.right());
    }
    QVERIFY(test::legendOf(view)->accessibleName().contains(QStringLiteral("Peak, as recorded in the file")));
    view.setCourse(course());
    QVERIFY(!test::legendOf(view)->accessibleName().contains(QStringLiteral("Peak, as recorded in the file")));
}

void TestSnapshotView::pictures()
{
    for (const bool dark : {false, true}) {
        test::applyPalette(dark);
        SnapshotTimelineView view;
        test::showAt(view, 900, 420);
        const QImage empty = view.toImage(1);
        view.setCourse(course(), 9 * kGiB);
        view.setCursor(10);
        QVERIFY(view.toImage(1) != empty);
        test::saveScreenshot(view, dark ? QStringLiteral("snapshots_dark") : QStringLiteral("snapshots_light"));
    }
}

PEAKSCOPE_TEST(TestSnapshotView)
#include "test_snapshot_view.moc"
