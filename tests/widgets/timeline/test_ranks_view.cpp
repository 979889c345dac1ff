// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A run's ranks side by side: one time axis and one memory scale, words beside each lane, scrolling beyond eight; by
// mouse and keyboard, in both themes, and pictures of it for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/look/component_palette.h"
#include "widgets/timeline/ranks_view.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace peakscope;

namespace {

void give(RanksView& view, const RunResult& run)
{
    view.setRanks(rankLanes(run.ranks), rankBalance(run.ranks));
}

int colored(const QImage& image, const QRect& rect, const QColor& color)
{
    int count = 0;
    const double scale = image.devicePixelRatio();
    for (int y = qRound(rect.top() * scale); y < qRound(rect.bottom() * scale) && y < image.height(); ++y) {
        for (int x = qRound(rect.left() * scale); x < qRound(rect.right() * scale) && x < image.width(); ++x)
            count += image.pixel(x, y) == color.rgb();
    }
    return count;
}

void wheel(QWidget* target, QPoint at, int delta)
{
    QWheelEvent event(at, target->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(target, &event);
}

} // namespace

class TestRanksView : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    // Ranks that need the same memory are one strip; what it is activated with is the section's own place.
    void equalRanksAreOneStrip()
    {
        RunResult run = test::rankedRun(5);
        for (const std::size_t rank : {1, 2, 3}) {
            run.ranks[rank] = {};
            run.ranks[rank].rank = static_cast<std::int64_t>(rank);
            run.ranks[rank].sameAs = 0;
        }
        RanksView view;
        test::showAt(view, 900, 320);
        give(view, run);
        QCOMPARE(view.inSight(), 2);
        QVERIFY2(view.factsOf(0).join(QLatin1Char('|')).contains(QStringLiteral("for 1-3 too")),
                 qPrintable(view.factsOf(0).join(QLatin1Char('|'))));
        QVERIFY(view.factsOf(1).join(QLatin1Char('|')).contains(QStringLiteral("Rank 4")));
        QCOMPARE(rankLanes(run.ranks)[1].index, std::size_t(4));
        test::saveScreenshot(view, QStringLiteral("ranks-folded"));
    }

    void saysWhatRanksAre()
    {
        RanksView view;
        test::showAt(view, 900, 420);
        QVERIFY(!view.showsPlot());
        const RunResult run = test::rankedRun(4);
        give(view, run);
        QVERIFY(view.showsPlot());
        QCOMPARE(view.inSight(), 4);
        QVERIFY2(view.headline().contains(QStringLiteral("fullest: rank 1")), qPrintable(view.headline()));
        QVERIFY2(view.headline().contains(QStringLiteral("slowest without communication: rank 0")),
                 qPrintable(view.headline()));
        // Shares 0.125 and three times 0.25 of equally long steps; own times 0.35 and 0.3: 0.35 / 0.3125 - 1 = 12 %.
        QVERIFY2(view.headline().contains(QStringLiteral("communication 22 %")), qPrintable(view.headline()));
        QVERIFY2(view.headline().contains(QStringLiteral("own step times 12 %")), qPrintable(view.headline()));
        const QString first = view.factsOf(0).join(QLatin1Char('|'));
        QVERIFY2(first.contains(QStringLiteral("Rank 0")) && first.contains(QStringLiteral("node0, cpu")),
                 qPrintable(first));
        QVERIFY2(first.contains(QStringLiteral("communication 13 %")) && first.contains(QStringLiteral("slowest")),
                 qPrintable(first));
        QVERIFY(view.factsOf(1).join(QLatin1Char('|')).contains(QStringLiteral("fullest")));
        QVERIFY(!view.factsOf(2).join(QLatin1Char('|')).contains(QStringLiteral("fullest")));
        QVERIFY(view.summary().contains(QStringLiteral("4 ranks")));
        QVERIFY(view.readout().contains(QStringLiteral("3: ")));
        QVERIFY(view.factsOf(4).isEmpty() && view.factsOf(-1).isEmpty());
    }

    void lanesShareAxes()
    {
        RanksView view;
        test::showAt(view, 900, 480);
        RunResult run = test::rankedRun(2);
        // A rank of half the memory is half as high: both on one scale.
        for (std::int64_t& bytes : run.ranks[0].memory->timeline.deltaBytes)
            bytes /= 2;
        give(view, run);
        view.plot()->replot();
        const QImage image = view.plot()->toPixmap().toImage();
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        const QRect upper(rect.left(), rect.top(), rect.width(), rect.height() / 2);
        const QColor color = componentColor(Component::OptimizerStates);
        const double ratio = static_cast<double>(colored(image, upper, color)) /
                             std::max(1, colored(image, upper.translated(0, rect.height() / 2), color));
        QVERIFY2(ratio > 0.44 && ratio < 0.56, qPrintable(QString::number(ratio)));
    }

    void zoomMovesAllLanes()
    {
        RanksView view;
        test::showAt(view, 900, 480);
        give(view, test::rankedRun(4));
        QSignalSpy moved(&view, &PlotView::visibleRangeChanged);
        const double lower = view.visibleLower(), upper = view.visibleUpper();
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        wheel(view.plot(), rect.center(), 240);
        QVERIFY(moved.count() > 0);
        QVERIFY(view.visibleUpper() - view.visibleLower() < upper - lower);
        QCOMPARE(view.plot()->yAxis->range().lower, 0.0);
        QCOMPARE(view.plot()->yAxis->range().upper, 1.0);
        // The strip of phases goes along.
        for (QCPAxisRect* each : view.plot()->axisRects()) {
            if (each->width() == rect.width())
                QCOMPARE(each->axis(QCPAxis::atBottom)->range().lower, view.visibleLower());
        }
        QTest::keyClick(view.plot(), Qt::Key_Backspace);
        QCOMPARE(view.visibleLower(), lower);
        QCOMPARE(view.visibleUpper(), upper);
    }

    void cursorReadsEveryRank()
    {
        RanksView view;
        test::showAt(view, 900, 480);
        const RunResult run = test::rankedRun(4);
        give(view, run);
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        QTest::mouseMove(view.plot(), rect.center());
        QTRY_VERIFY(view.cursor().has_value());
        QVERIFY2(view.readout().startsWith(QStringLiteral("At ")), qPrintable(view.readout()));
        QVERIFY(view.readout().contains(QStringLiteral("0: ")) && view.readout().contains(QStringLiteral("3: ")));
        QTest::mouseMove(view.plot(), QPoint(rect.left() - 10, rect.center().y()));
        QTRY_VERIFY(!view.cursor().has_value());
        QTest::keyClick(view.plot(), Qt::Key_Right, Qt::AltModifier);
        QVERIFY(view.cursor().has_value());
        // Before their first event they have no value.
        for (int i = 0; i < 220; ++i)
            QTest::keyClick(view.plot(), Qt::Key_Left, Qt::AltModifier);
        QVERIFY2(view.readout().contains(QStringLiteral("0: –")), qPrintable(view.readout()));
    }

    void clickChoosesARank()
    {
        RanksView view;
        test::showAt(view, 900, 480);
        give(view, test::rankedRun(4));
        QSignalSpy chosen(&view, &RanksView::rankActivated);
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, QPoint(rect.right() + 60, rect.bottom() - 20));
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.last().first().toInt(), 3);
    }

    void manyRanksScroll()
    {
        RanksView view;
        test::showAt(view, 900, 700);
        give(view, test::rankedRun(12));
        QCOMPARE(view.inSight(), RanksView::kMostInSight);
        auto* bar = view.plot()->findChild<QScrollBar*>();
        QVERIFY(bar && bar->isVisible());
        QCOMPARE(bar->maximum(), 4);
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        wheel(view.plot(), QPoint(rect.right() + 60, rect.center().y()), -120);
        QCOMPARE(view.firstInSight(), 1);
        QTest::keyClick(view.plot(), Qt::Key_PageDown);
        QCOMPARE(view.firstInSight(), 4);
        QVERIFY(view.readout().contains(QStringLiteral("11: ")));
        QSignalSpy chosen(&view, &RanksView::rankActivated);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, QPoint(rect.right() + 60, rect.top() + 10));
        QCOMPARE(chosen.last().first().toInt(), 4);
        // Fewer fit a lower window: none is squeezed below its words.
        view.resize(900, 300);
        QTRY_VERIFY(view.inSight() < 5);
        view.resize(900, 700);
        QTRY_COMPARE(view.inSight(), RanksView::kMostInSight);
    }

    void growingRanksKeepTheView()
    {
        RanksView view;
        test::showAt(view, 900, 420);
        const RunResult run = test::rankedRun(2);
        std::vector<std::shared_ptr<MemoryTimeline>> growing;
        std::vector<RankLane> lanes(2);
        for (std::size_t i = 0; i < 2; ++i) {
            growing.push_back(std::make_shared<MemoryTimeline>());
            lanes[i].figures.rank = static_cast<std::int64_t>(i);
            lanes[i].timeline = growing[i];
        }
        view.setRanks(lanes, {});
        const TimelineData& data = run.ranks[0].memory->timeline;
        growing[0]->append(data.timeSeconds, data.deltaBytes, data.component);
        view.refresh(lanes, {});
        QCOMPARE(view.visibleUpper(), growing[0]->endSeconds()); // all of it
        view.setVisibleRange(0.2, 0.3);
        growing[1]->append(data.timeSeconds, data.deltaBytes, data.component);
        const double later[] = {9.0};
        const std::int64_t bytes[] = {1};
        const Component what[] = {Component::Other};
        growing[1]->append(later, bytes, what);
        view.refresh(lanes, {});
        QCOMPARE(view.visibleLower(), 0.2); // the zoom of the user stays
        QCOMPARE(view.visibleUpper(), 0.3);
        view.resetZoom();
        QCOMPARE(view.visibleUpper(), 9.0);
    }

    void endedRanksSaySo()
    {
        RanksView view;
        test::showAt(view, 900, 420);
        RunResult run = test::rankedRun(3);
        run.ranks[2].status = RunStatus::Failed;
        run.ranks[2].message = "rank 2 was killed in backward";
        run.ranks[2].memory.reset();
        run.ranks[2].timing.reset();
        run.ranks[2].communication.reset();
        give(view, run);
        QVERIFY2(view.factsOf(2).first().contains(QStringLiteral("failed")), qPrintable(view.factsOf(2).first()));
        QVERIFY(view.factsOf(2).contains(QStringLiteral("No memory record")));
        QVERIFY(!view.readout().contains(QStringLiteral("2: ")));
        const QStringList header = view.visibleDataTsv().section(QLatin1Char('\n'), 0, 0).split(QLatin1Char('\t'));
        QCOMPARE(header, (QStringList{QStringLiteral("time_seconds"), QStringLiteral("rank_0_bytes"),
                                      QStringLiteral("rank_1_bytes"), QStringLiteral("rank_2_bytes")}));
    }

    void pictures_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("ranks");
        QTest::newRow("ranks-4-light") << false << 4;
        QTest::newRow("ranks-8-dark") << true << 8;
        QTest::newRow("ranks-16-light") << false << 16;
    }
    void pictures()
    {
        QFETCH(bool, dark);
        QFETCH(int, ranks);
        test::applyPalette(dark);
        RanksView view;
        test::showAt(view, 1000, 560);
        give(view, test::rankedRun(ranks));
        view.plot()->replot();
        const QImage image = view.plot()->toPixmap().toImage();
        QVERIFY(colored(image, image.rect(), componentColor(Component::Parameters)) > 500);
        QVERIFY(!view.toImage(1).isNull());
        test::saveScreenshot(view, QString::fromLatin1(QTest::currentDataTag()));
    }
};

PEAKSCOPE_TEST(TestRanksView)
#include "test_ranks_view.moc"
