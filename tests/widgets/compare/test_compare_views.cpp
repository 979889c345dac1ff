// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The views that put runs side by side: one time axis and one memory scale for all, differences to either side of
// zero, markers against time; by mouse and keyboard, and pictures of them for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/plot/plot_mouse.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_scatter_view.h"
#include "widgets/compare/compare_style.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

using namespace peakscope;
using peakscope::test::pixelAt;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Three lanes: a run, one with half the layers, one imported without a timeline.
std::vector<CompareLane> lanes()
{
    std::vector<CompareLane> out(3);
    for (int i = 0; i < 2; ++i) {
        const test::TrainingData data = test::trainingRun(i == 0 ? 12 : 6, 3);
        CompareLane& lane = out[static_cast<std::size_t>(i)];
        lane.title = i == 0 ? QStringLiteral("clipping none") : QStringLiteral("clipping flash");
        lane.timeline = std::make_shared<const MemoryTimeline>(data.events);
        lane.phases = data.phases;
    }
    out[1].badge = QStringLiteral("interrupted");
    out[2].title = QStringLiteral("clipping ghost");
    out[2].missing = QStringLiteral("This run was imported without a timeline.");
    return out;
}

// Two runs that say what they held at a few snapshots, and each a peak between two of them.
std::vector<CompareLane> courses()
{
    std::vector<CompareLane> out(2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        auto course = std::make_shared<SnapshotCourse>();
        course->timed = true;
        for (int at = 0; at < 8; ++at) {
            course->position.push_back(at);
            course->names.push_back(std::to_string(at));
            course->allocatedBytes.push_back((at % 4 == static_cast<int>(i) + 1 ? 40 : 12) * kMiB);
            course->reservedBytes.push_back((at < 2 ? 13 : 57) * kMiB);
            course->maxAllocatedBytes.emplace_back((at < 2 ? 12 : 55) * kMiB);
        }
        out[i].title = QStringLiteral("method %1").arg(i);
        out[i].badge = QStringLiteral("snapshots");
        out[i].course = course;
        out[i].peakBytes = 55 * kMiB;
    }
    return out;
}

std::vector<CompareBarsRun> barRuns()
{
    std::vector<CompareBarsRun> runs(3);
    const auto set = [](CompareBarsRun& run, Component component, std::int64_t mib) {
        run.components[static_cast<std::size_t>(component)] = mib * kMiB;
    };
    for (int i = 0; i < 3; ++i) {
        CompareBarsRun& run = runs[static_cast<std::size_t>(i)];
        run.title = QStringLiteral("method %1").arg(i);
        set(run, Component::Parameters, 4);
        set(run, Component::Activations, i == 0 ? 8 : i == 1 ? 2 : 10);
        if (i == 2)
            set(run, Component::TempMatrices, 6);
        run.peakBytes = (i == 0 ? 12 : i == 1 ? 6 : 30) * kMiB;
    }
    runs[1].predictedBytes = 7 * kMiB;
    runs[2].readings.fill(ComponentReading::AfterStep);
    return runs;
}

std::vector<ComparePoint> points()
{
    return {{QStringLiteral("none"), {}, 12 * kMiB, 0.1},
            {QStringLiteral("flash"), {}, 13 * kMiB, 0.15},
            {QStringLiteral("ghost"), {}, 30 * kMiB, 0.3},
            {QStringLiteral("no time"), {}, 9 * kMiB, {}}};
}

QToolButton* namedButton(const QWidget& view, const QString& text)
{
    for (QToolButton* button : view.findChildren<QToolButton*>()) {
        if (button->text() == text && button->isVisible())
            return button;
    }
    return nullptr;
}

int colored(const QImage& image, const QColor& color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixel(x, y) == color.rgb();
    }
    return count;
}

} // namespace

class TestCompareViews : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void lanesShareOneAxis()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        QVERIFY(!view.showsPlot());
        view.setLanes(lanes(), 0);
        QVERIFY(view.showsPlot());
        const double end = view.visibleUpper();
        QVERIFY(end >= lanes()[0].timeline->endSeconds());
        // The wheel zooms time and leaves every lane at its height.
        QSignalSpy moved(&view, &PlotView::visibleRangeChanged);
        const QPoint centre = view.plot()->axisRect()->rect().center();
        QWheelEvent wheel(centre, view.plot()->mapToGlobal(centre), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.plot(), &wheel);
        QVERIFY(moved.count() > 0);
        QVERIFY(view.visibleUpper() - view.visibleLower() < end * 0.95);
        QCOMPARE(view.plot()->yAxis->range().lower, 0.0);
        QCOMPARE(view.plot()->yAxis->range().upper, 1.0);
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QCOMPARE(view.visibleUpper(), end);
    }

    void theLegendNamesThePhasesBehind()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        std::vector<CompareLane> runs = lanes();
        runs[1].phases.push_back({Phase::Evaluate, -1, runs[1].timeline->endSeconds()});
        view.setLanes(runs, 0);
        const auto named = [&view](const char* phase) {
            return test::legendOf(view)->accessibleName().contains(QStringLiteral("Phase: ") + QLatin1String(phase));
        };
        QVERIFY(named("Forward") && named("Evaluate"));
        view.setMode(CompareTimelineView::Mode::Overlay); // over the tints of the base alone
        QVERIFY(named("Forward") && !named("Evaluate"));
        view.setLanes({runs[2]}, 0);
        QVERIFY(!named(""));
    }

    void theReadOutComparesAtTheCursor()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        const std::vector<CompareLane> runs = lanes();
        view.setLanes(runs, 0);
        QVERIFY(view.readout().startsWith(QStringLiteral("At their peaks:")));
        QVERIFY(view.readout().contains(QStringLiteral("C no timeline")));
        QSignalSpy cursor(&view, &CompareTimelineView::cursorMoved);
        const QPointF centre = view.plot()->axisRect()->rect().center();
        QMouseEvent move(QEvent::MouseMove, centre, view.plot()->mapToGlobal(centre), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(view.plot(), &move);
        QVERIFY(cursor.count() > 0);
        const double at = *view.cursor();
        const std::int64_t difference = runs[1].timeline->totalAt(at) - runs[0].timeline->totalAt(at);
        QVERIFY(view.readout().startsWith(QStringLiteral("At ")));
        QVERIFY(view.readout().contains(difference < 0 ? QStringLiteral("(−") : QStringLiteral("(+")));
        // Alt and arrows move it without a mouse.
        QTest::keyClick(view.plot(), Qt::Key_Right, Qt::AltModifier);
        QVERIFY(*view.cursor() > at);
    }

    void aClickChoosesTheRun()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        view.setLanes(lanes(), 0);
        QSignalSpy chosen(&view, &CompareTimelineView::laneActivated);
        const QRect rect = view.plot()->axisRect()->rect();
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, {rect.center().x(), rect.top() + rect.height() / 2});
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.front().front().toInt(), 1);
    }

    // No lane is too low to be read, and each can be reached.
    void manyLanesScroll()
    {
        CompareTimelineView view;
        test::showAt(view, 700, 360);
        view.setLanes(lanes(), 0);
        const auto* bar = view.plot()->findChild<QScrollBar*>();
        view.plot()->replot();
        QVERIFY(!bar->isVisible());
        view.setLanes(std::vector<CompareLane>(12, lanes()[0]), 0);
        view.plot()->replot();
        QVERIFY(bar->isVisible());
        const QRect rect = view.plot()->axisRect()->rect();
        const int inSight = 12 - bar->maximum();
        QVERIFY2(rect.height() >= 2.3 * view.fontMetrics().height() * inSight, qPrintable(QString::number(inSight)));
        QSignalSpy chosen(&view, &CompareTimelineView::laneActivated);
        const QPoint lowest(rect.center().x(), rect.bottom() - 4);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, lowest);
        QCOMPARE(chosen.takeFirst().front().toInt(), inSight - 1);
        const_cast<QScrollBar*>(bar)->setValue(bar->maximum());
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, lowest);
        QCOMPARE(chosen.takeFirst().front().toInt(), 11);
        // Overlaid all of them are there at once, and fewer need no bar.
        view.setMode(CompareTimelineView::Mode::Overlay);
        view.plot()->replot();
        QVERIFY(!bar->isVisible());
    }

    void rangesAreSelectedByCtrlDrag()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        view.setLanes(lanes(), 0);
        QSignalSpy selected(&view, &PlotView::rangeSelected);
        const QPoint from = view.plot()->axisRect()->rect().center();
        QTest::mousePress(view.plot(), Qt::LeftButton, Qt::ControlModifier, from);
        QTest::mouseMove(view.plot(), from + QPoint(60, 0));
        QTest::mouseMove(view.plot(), from + QPoint(120, 0));
        QTest::mouseRelease(view.plot(), Qt::LeftButton, Qt::ControlModifier, from + QPoint(120, 0));
        QCOMPARE(selected.count(), 1);
        QVERIFY(view.selectedRange().has_value());
    }

    void overlaidLinesHaveTheirColours()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        view.setLanes(lanes(), 0);
        QToolButton* overlay = namedButton(view, QStringLiteral("Overlaid"));
        QVERIFY(overlay);
        QTest::mouseClick(overlay, Qt::LeftButton);
        QVERIFY(view.mode() == CompareTimelineView::Mode::Overlay);
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        QVERIFY(colored(image, compareColor(0, false)) > 50);
        QVERIFY(colored(image, compareColor(1, false)) > 20);
        QVERIFY(colored(image, componentColor(Component::Activations)) == 0);
    }

    void copiedDataLeavesGapsEmpty()
    {
        CompareTimelineView view;
        test::showAt(view, 800, 520);
        view.setLanes(lanes(), 0);
        const QStringList rows = view.visibleDataTsv().split(u'\n');
        QCOMPARE(rows.first(), QStringLiteral("time_seconds\tA_bytes\tB_bytes\tC_bytes"));
        QVERIFY(rows[10].endsWith(u'\t'));
        QVERIFY(view.summary().contains(QStringLiteral("highest peak")));
    }

    // The highest snapshot is not the peak beside it, and its words stand clear of others.
    void overlaidSnapshotsSayWhatTheyAre()
    {
        CompareTimelineView view;
        test::showAt(view, 760, 300);
        view.setLanes(courses(), 0);
        view.setMode(CompareTimelineView::Mode::Overlay);
        view.plot()->replot();
        QVERIFY(test::legendOf(view)->accessibleName().contains(QStringLiteral("Not measured between snapshots")));
        const test::TextRecorder recorder(*view.plot());
        int said = 0;
        for (const auto& placed : recorder.texts()) {
            if (!placed.text.endsWith(QStringLiteral("40.0 MiB at a snapshot")))
                continue;
            ++said;
        }
        QCOMPARE(said, 2);
        QCOMPARE(recorder.overlap(), QString());
    }

    void lowLanesLeaveTheirMarksFree()
    {
        CompareTimelineView view;
        test::showAt(view, 760, 210);
        std::vector<CompareLane> lanes = courses();
        lanes.push_back(lanes.front());
        view.setLanes(lanes, 0);
        const auto badges = [&view] {
            const test::TextRecorder recorder(*view.plot());
            return std::count_if(recorder.texts().begin(), recorder.texts().end(),
                                 [](const auto& placed) { return placed.text == QLatin1String("snapshots"); });
        };
        view.plot()->replot();
        QCOMPARE(badges(), 0); // what is reserved stands at that height from the third snapshot on
        view.resize(760, 520);
        QCoreApplication::processEvents();
        QCOMPARE(badges(), 3);
    }

    void overheadGoesBothWays()
    {
        CompareBarsView view;
        test::showAt(view, 700, 360);
        view.setRuns(barRuns(), 0);
        QCOMPARE(view.rows().size(), std::size_t{3});
        QCOMPARE(view.rows()[1].bars.size(), std::size_t{2}); // measured and predicted
        QCOMPARE(view.rows()[2].bars.size(), std::size_t{2}); // its peak, and what was read after the step
        QTest::mouseClick(namedButton(view, QStringLiteral("Overhead")), Qt::LeftButton);
        QCOMPARE(view.rows().size(), std::size_t{2});
        QCOMPARE(view.rows()[0].bars[0].total(), -6.0 * kMiB);
        QCOMPARE(view.rows()[0].bars[0].below(), -6.0 * kMiB);
        QVERIFY(view.rows()[0].bars[0].valueText.startsWith(QStringLiteral("−6.00 MiB")));
        // Of the run whose components were read after the step: the difference of the peaks apart from them.
        QCOMPARE(view.rows()[1].bars.size(), std::size_t{2});
        QVERIFY(view.rows()[1].bars[0].valueText.startsWith(QStringLiteral("+18.0 MiB")));
        QVERIFY(view.rows()[1].bars[1].valueText.startsWith(QStringLiteral("+2.00 MiB, after")));
        QVERIFY(view.plot()->xAxis->range().lower < 0);
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        const int zero = pixelAt(view, 0, 0).x();
        int left = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < zero - 2; ++x)
                left += image.pixel(x, y) == componentColor(Component::Activations).rgb();
        }
        QVERIFY(left > 100);
    }

    // To the left of zero there is a tick, too: −4.54 would end just before −5.
    void whatGoesLeftHasATick()
    {
        std::vector<CompareBarsRun> runs = barRuns();
        runs.pop_back();
        runs[1].components[static_cast<std::size_t>(Component::Activations)] = 8 * kMiB - 454 * kMiB / 100;
        runs[1].peakBytes = 12 * kMiB - 454 * kMiB / 100;
        CompareBarsView view;
        test::showAt(view, 460, 300);
        view.setRuns(runs, 0);
        view.setMode(CompareBarsView::Mode::Overhead);
        QCoreApplication::processEvents();
        view.plot()->replot();
        const QCPRange range = view.plot()->xAxis->range();
        const QVector<double> ticks = view.plot()->xAxis->tickVector();
        QVERIFY2(
            std::any_of(ticks.begin(), ticks.end(), [&range](double tick) { return tick < 0 && tick >= range.lower; }),
            qPrintable(QString::number(range.lower / kMiB)));
    }

    // Bars of one row have one colour: their order says whose they are, and a value that all share is said once.
    void barsOfARowAreNamed()
    {
        CompareBarsView view;
        test::showAt(view, 460, 300);
        view.setRuns(barRuns(), 0);
        view.setMode(CompareBarsView::Mode::ByComponent);
        QCoreApplication::processEvents();
        const QString named = test::legendOf(view)->accessibleName();
        for (const char* run : {"A method 0", "B method 1", "C method 2"})
            QVERIFY2(named.contains(QLatin1String(run)), qPrintable(named));
        const auto of = std::find_if(view.rows().begin(), view.rows().end(),
                                     [](const BarRow& row) { return row.name == QLatin1String("parameters"); });
        QCOMPARE(of->lineValues, QStringList{QStringLiteral("A & B & C 4.00 MiB")});
        // The axis ends where the longest bar's own value does, not the longest of all values.
        QVERIFY(view.plot()->xAxis->range().upper < 2.7 * 10 * kMiB);
    }

    void cumulatedBytesStandApart()
    {
        std::vector<CompareBarsRun> runs = barRuns();
        const auto hooks = static_cast<std::size_t>(Component::ActivationHooks);
        runs[2].components[hooks] = 90 * kMiB; // three times the peak
        runs[2].readings[hooks] = ComponentReading::Cumulated;
        CompareBarsView view;
        test::showAt(view, 700, 400);
        view.setRuns(runs, 0);
        const BarRow& row = view.rows()[2];
        QCOMPARE(row.bars.size(), std::size_t{3}); // its peak, what was alive after the step, the hooks
        QCOMPARE(row.bars[1].total(), 20.0 * kMiB);
        QCOMPARE(row.bars[2].total(), 90.0 * kMiB);
        QVERIFY2(row.bars[2].valueText.contains(QStringLiteral("cumulated")), qPrintable(row.bars[2].valueText));
        QVERIFY(row.tooltip.contains(QStringLiteral("never alive together")));
        QTest::mouseClick(namedButton(view, QStringLiteral("Overhead")), Qt::LeftButton);
        QCOMPARE(view.rows()[1].bars[1].total(), 2.0 * kMiB); // of activations: the base tells no Gram blocks; no hooks
        const QString named = test::legendOf(view)->accessibleName();
        QVERIFY2(named.contains(QStringLiteral("Activations")) && !named.contains(QStringLiteral("hooks")) &&
                     !named.contains(QStringLiteral("cumulated")),
                 qPrintable(named));
        QTest::mouseClick(namedButton(view, QStringLiteral("By component")), Qt::LeftButton);
        const auto of = std::find_if(view.rows().begin(), view.rows().end(),
                                     [](const BarRow& each) { return each.name == QLatin1String("activation_hooks"); });
        QVERIFY(of != view.rows().end());
        QVERIFY(of->bars[2].valueText.contains(QStringLiteral("cumulated")));
    }

    void componentsRunByRun()
    {
        CompareBarsView view;
        test::showAt(view, 700, 400);
        view.setRuns(barRuns(), 0);
        QTest::mouseClick(namedButton(view, QStringLiteral("By component")), Qt::LeftButton);
        QCOMPARE(view.rows().size(), std::size_t{3});
        QCOMPARE(view.rows()[0].bars.size(), std::size_t{3});
        QVERIFY(view.rows()[0].bars[0].segments.empty()); // the Gram blocks of a run that never had any
        QVERIFY(view.rows()[0].bars[0].valueText.contains(QStringLiteral("not measured")));
        QSignalSpy activated(&view, &BarsView::rowActivated);
        QTest::keyClick(view.plot(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(activated.count(), 1);
        QVERIFY(componentFromName(activated.front().front().toString().toStdString()).has_value());
    }

    void markersAreHitAndTold()
    {
        CompareScatterView view;
        test::showAt(view, 500, 360);
        QVERIFY(!view.showsPlot());
        view.setPoints(points(), 0, {10 * kMiB, {0, 1, 2, 3}});
        QVERIFY(view.showsPlot());
        QSignalSpy activated(&view, &CompareScatterView::pointActivated);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, pixelAt(view, 0.3, 30.0 * kMiB));
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.front().front().toInt(), 2);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, pixelAt(view, 0.22, 5.0 * kMiB));
        QCOMPARE(activated.count(), 1); // nothing there
        QVERIFY(view.summary().contains(QStringLiteral("ghost")));
        QVERIFY(!view.summary().contains(QStringLiteral("no time")));
        QVERIFY(view.visibleDataTsv().contains(QStringLiteral("D\tno time\t\t")));
        view.setPoints(points(), 0, {10 * kMiB, {1, 2}}); // the others may lie below
        const test::TextRecorder recorder(*view.plot());
        QVERIFY(std::any_of(recorder.texts().begin(), recorder.texts().end(), [](const auto& placed) {
            return placed.text.startsWith(QStringLiteral("Bound of B, C: "));
        }));
        view.setPoints({points()[3]}, 0, {});
        QVERIFY(!view.showsPlot());
    }

    void pictures_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void pictures()
    {
        QFETCH(bool, dark);
        test::applyPalette(dark);
        const QString theme = QString::fromLatin1(QTest::currentDataTag());
        CompareTimelineView timelines;
        test::showAt(timelines, 900, 560);
        timelines.setLanes(lanes(), 0);
        timelines.setCursor(timelines.visibleUpper() / 2);
        test::saveScreenshot(timelines, QStringLiteral("compare_lanes_") + theme);
        timelines.setMode(CompareTimelineView::Mode::Overlay);
        test::saveScreenshot(timelines, QStringLiteral("compare_overlay_") + theme);
        CompareBarsView bars;
        test::showAt(bars, 700, 320);
        bars.setRuns(barRuns(), 0);
        test::saveScreenshot(bars, QStringLiteral("compare_bars_") + theme);
        bars.setMode(CompareBarsView::Mode::Overhead);
        test::saveScreenshot(bars, QStringLiteral("compare_overhead_") + theme);
        CompareScatterView scatter;
        test::showAt(scatter, 500, 360);
        scatter.setPoints(points(), 0, {10 * kMiB, {0, 1, 2, 3}});
        test::saveScreenshot(scatter, QStringLiteral("compare_scatter_") + theme);
        const QColor background = scatter.plot()->toPixmap(500, 300, 1).toImage().pixelColor(1, 1);
        QCOMPARE(background.lightness() < 128, dark);
    }
};

PEAKSCOPE_TEST(TestCompareViews)
#include "test_compare_views.moc"
