// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MemoryTimelineView: the read-out against MemoryTimeline::at, what is painted against the data, live batches, follow,
// reference, visibility; and pictures of it for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/base/units.h"
#include "widgets/look/component_palette.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/timeline_legend.h"
#include "widgets/timeline/timeline_painter.h"

#include <qcustomplot.h>

#include <QAction>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

using namespace peakscope;
using peakscope::test::kGiB;

namespace {

std::shared_ptr<const MemoryTimeline> timelineOf(const test::TrainingData& data)
{
    return std::make_shared<const MemoryTimeline>(data.events);
}

void fill(MemoryTimelineView& view, const test::TrainingData& data)
{
    view.setTimeline(timelineOf(data));
    view.setPhases(data.phases);
}

TimelineLegend* legendOf(MemoryTimelineView& view)
{
    return view.findChild<TimelineLegend*>();
}

QCPAxisRect* mainRect(MemoryTimelineView& view)
{
    return view.plot()->xAxis->axisRect();
}

QPoint pixelAt(MemoryTimelineView& view, double time, double share = 0.5)
{
    const QRect rect = mainRect(view)->rect();
    return {qRound(view.plot()->xAxis->coordToPixel(time)), rect.top() + qRound(rect.height() * share)};
}

void moveTo(QWidget* widget, QPoint at, Qt::MouseButtons buttons = Qt::NoButton)
{
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
    QApplication::sendEvent(widget, &event);
}

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

QAction* actionNamed(const QWidget& view, const QString& text)
{
    for (QAction* action : view.actions()) {
        if (action->text() == text)
            return action;
    }
    return nullptr;
}

} // namespace

class TestTimelineView : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void emptyStatesSayWhy()
    {
        MemoryTimelineView view;
        test::showAt(view, 800, 400);
        QVERIFY(!view.showsPlot());
        QVERIFY(!view.accessibleDescription().isEmpty());
        view.setTimeline(std::make_shared<const MemoryTimeline>());
        QVERIFY(!view.showsPlot());
        fill(view, test::trainingRun());
        QVERIFY(view.showsPlot());
        view.setTimeline(nullptr);
        QVERIFY(!view.showsPlot());
        QVERIFY(!view.timeline());
    }

    void showsAllOfTheRunWithRoomForThePeak()
    {
        MemoryTimelineView view;
        test::showAt(view, 800, 400);
        const auto data = test::trainingRun();
        fill(view, data);
        QCOMPARE(view.visibleLower(), 0.0); // times count from the start of the run
        QCOMPARE(view.visibleUpper(), data.events.timeSeconds.back());
        QVERIFY(view.plot()->yAxis->range().upper > static_cast<double>(view.timeline()->peakBytes()));
        QVERIFY(view.accessibleDescription().contains(bytesText(view.timeline()->peakBytes())));
    }

    void lateStartIsNotSquashed()
    {
        TimelineData events;
        events.timeSeconds = {1e6, 1e6 + 1};
        events.deltaBytes = {4096, -4096};
        events.component = {Component::Other, Component::Other};
        MemoryTimelineView view;
        test::showAt(view, 800, 400);
        view.setTimeline(std::make_shared<const MemoryTimeline>(events));
        QCOMPARE(view.visibleLower(), 1e6);
        QCOMPARE(view.visibleUpper(), 1e6 + 1);
    }

    void oneInstantIsARangeAllTheSame()
    {
        TimelineData events;
        events.timeSeconds = {0.0};
        events.deltaBytes = {4096};
        events.component = {Component::Parameters};
        MemoryTimelineView view;
        test::showAt(view, 800, 400);
        view.setTimeline(std::make_shared<const MemoryTimeline>(events));
        QVERIFY(view.visibleUpper() > view.visibleLower());
        view.grab();
    }

    void cursorReadsTheExactComposition()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        fill(view, data);
        QSignalSpy moved(&view, &MemoryTimelineView::cursorMoved);
        for (const double share : {0.0, 0.11, 0.37, 0.5, 0.81, 0.99}) {
            moveTo(view.plot(), pixelAt(view, share * data.events.timeSeconds.back()));
            const double t = moved.last()[0].toDouble();
            QCOMPARE(view.cursor().value(), t);
            const ComponentBytes expected = view.timeline()->at(t);
            for (Component component : componentStackOrder()) {
                const auto index = static_cast<std::size_t>(component);
                if (view.timeline()->maxComponents()[index] > 0)
                    QCOMPARE(legendOf(view)->valueText(component), bytesText(expected[index]));
                else
                    QVERIFY(legendOf(view)->valueText(component).isEmpty());
            }
            QCOMPARE(legendOf(view)->totalText(), bytesText(view.timeline()->totalAt(t)));
        }
    }

    void cursorNamesStepAndPhase()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        fill(view, data);
        const auto mark = std::find_if(data.phases.begin(), data.phases.end(),
                                       [](const PhaseMark& m) { return m.phase == Phase::Backward && m.step == 2; });
        view.setCursor(mark->timeSeconds + 1e-6);
        QVERIFY(legendOf(view)->placeText().contains(phaseTitle(Phase::Backward)));
        QVERIFY(legendOf(view)->placeText().contains(QStringLiteral("2")));
        view.setCursor(data.phases.front().timeSeconds);
        QCOMPARE(legendOf(view)->placeText(), phaseTitle(Phase::Load));
    }

    void withoutCursorThePeakIsRead()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        QSignalSpy left(&view, &MemoryTimelineView::cursorLeft);
        moveTo(view.plot(), pixelAt(view, 0.1));
        QVERIFY(view.cursor());
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(view.plot(), &leave);
        QVERIFY(!view.cursor());
        QCOMPARE(left.count(), 1);
        QCOMPARE(legendOf(view)->totalText(), bytesText(view.timeline()->peakBytes()));
    }

    void altArrowsMoveTheCursor()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        view.setCursor(0.1);
        const double span = view.visibleUpper() - view.visibleLower();
        QTest::keyClick(view.plot(), Qt::Key_Right, Qt::AltModifier);
        QVERIFY(std::abs(view.cursor().value() - 0.1 - span / 200) < 1e-9);
        QCOMPARE(view.visibleLower(), 0.0);
    }

    void paintedColoursAreTheComponents()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 500);
        const auto data = test::trainingRun();
        fill(view, data);
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        const QRect rect = mainRect(view)->rect();
        const auto columns = view.timeline()->sample(view.visibleLower(), view.visibleUpper(), rect.width());
        int checked = 0;
        for (int i = 2; i + 2 < rect.width(); i += 5) {
            double sum = 0;
            for (Component component : componentStackOrder()) {
                const auto bytes = static_cast<double>(
                    columns[static_cast<std::size_t>(i)].components[static_cast<std::size_t>(component)]);
                const double bottom = view.plot()->yAxis->coordToPixel(sum);
                const double top = view.plot()->yAxis->coordToPixel(sum + bytes);
                sum += bytes;
                if (bottom - top < 4)
                    continue;
                QCOMPARE(image.pixelColor(rect.left() + i, qRound((top + bottom) / 2)).name(),
                         componentColor(component).name());
                ++checked;
            }
        }
        QVERIFY(checked > 300);
    }

    void hiddenComponentsLeaveTheStack()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 500);
        fill(view, test::trainingRun());
        const auto hasColour = [&view](Component component) {
            const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
            const QRgb wanted = componentColor(component).rgb();
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixel(x, y) == wanted)
                        return true;
                }
            }
            return false;
        };
        QVERIFY(hasColour(Component::Activations));
        auto* tree = legendOf(view)->findChild<QTreeWidget*>();
        const auto rows = tree->findItems(componentTitle(Component::Activations), Qt::MatchExactly);
        QCOMPARE(rows.size(), 1);
        tree->setFocus();
        tree->setCurrentItem(rows.first());
        QTest::keyClick(tree, Qt::Key_Space);
        QVERIFY(!view.isComponentVisible(Component::Activations));
        QVERIFY(!hasColour(Component::Activations));
        QVERIFY(hasColour(Component::Parameters));
        // Its value is still read, and the total still counts it.
        QCOMPARE(legendOf(view)->totalText(), bytesText(view.timeline()->peakBytes()));
        view.setComponentVisible(Component::Activations, true);
        QVERIFY(hasColour(Component::Activations));
        QCOMPARE(rows.first()->checkState(0), Qt::Checked);
    }

    void legendStandsInStackOrder()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 500);
        fill(view, test::trainingRun());
        auto* tree = legendOf(view)->findChild<QTreeWidget*>();
        QStringList expected;
        for (Component component : componentStackOrder()) {
            if (view.timeline()->maxComponents()[static_cast<std::size_t>(component)] > 0)
                expected.prepend(componentTitle(component));
        }
        QStringList found;
        for (int i = 0; i < tree->topLevelItemCount(); ++i) {
            if (tree->topLevelItem(i)->flags() & Qt::ItemIsUserCheckable)
                found << tree->topLevelItem(i)->text(0);
        }
        QCOMPARE(found, expected);
    }

    void referenceShowsTheDifference()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        fill(view, data);
        const double end = data.events.timeSeconds.back();
        QSignalSpy changed(&view, &MemoryTimelineView::referenceChanged);
        QTest::mouseClick(view.plot(), Qt::LeftButton, Qt::AltModifier, pixelAt(view, end * 0.3));
        QCOMPARE(changed.count(), 1);
        QVERIFY(view.reference());
        view.setCursor(end * 0.45);
        const std::int64_t difference =
            view.timeline()->totalAt(end * 0.45) - view.timeline()->totalAt(view.reference().value());
        QVERIFY(difference != 0);
        auto* tree = legendOf(view)->findChild<QTreeWidget*>();
        QVERIFY(!tree->isColumnHidden(2));
        QCOMPARE(tree->topLevelItem(0)->text(2),
                 (difference > 0 ? QStringLiteral("+") : QStringLiteral("−")) + bytesText(std::abs(difference)));
        view.clearReference();
        QVERIFY(tree->isColumnHidden(2));
    }

    void goToPeakBringsItIntoView()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        const double peak = view.timeline()->peakSeconds();
        view.setVisibleRange(0, peak / 2);
        QTest::keyClick(view.plot(), Qt::Key_P);
        QCOMPARE(view.cursor().value(), peak);
        QVERIFY(view.visibleLower() <= peak && peak <= view.visibleUpper());
    }

    void liveBatchesAppearAndAreFollowed()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        view.beginLive();
        QVERIFY(view.isLive() && view.follow());
        QVERIFY(!view.showsPlot());
        std::size_t done = 0;
        for (const std::size_t end : {std::size_t{100}, data.events.size() / 2, data.events.size()}) {
            test::appendBatch(view, data.events, done, end);
            done = end;
            QTRY_COMPARE(view.visibleUpper(), data.events.timeSeconds[end - 1]);
            QVERIFY(view.showsPlot());
            QCOMPARE(legendOf(view)->totalText(), bytesText(view.timeline()->liveBytes()));
        }
        const MemoryTimeline whole(data.events);
        QCOMPARE(view.timeline()->peakBytes(), whole.peakBytes());
        QCOMPARE(view.timeline()->peakComponents(), whole.peakComponents());
        view.endLive();
        QVERIFY(!view.isLive() && !view.follow());
        QCOMPARE(view.timeline()->size(), data.events.size());
        QCOMPARE(legendOf(view)->totalText(), bytesText(whole.peakBytes()));
    }

    // What a live run's bytes are for is a guess until its end, drawn hatched and said so; what the program tells is
    // not, and a finished run has none.
    void guessesAreHatched()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const double mib = 1 << 20;
        const std::vector<double> times{0, 0, 1};
        const std::vector<std::int64_t> deltas{4 << 20, 4 << 20, 0};
        const std::vector<Component> components{Component::Parameters, Component::Activations, Component::Activations};
        // Pixels of the component's own colour around a place within its band, of 20 x 20.
        const auto plain = [&](Component component, double bytes) {
            const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
            const int x = qRound(view.plot()->xAxis->coordToPixel(0.5)),
                      y = qRound(view.plot()->yAxis->coordToPixel(bytes));
            int count = 0;
            for (int i = 0; i < 400; ++i)
                count += QColor(image.pixel(x + i % 20, y - 10 + i / 20)) == componentColor(component);
            return count;
        };
        view.beginLive();
        view.appendLive(times, deltas, components);
        QTRY_VERIFY(view.showsPlot());
        QTRY_COMPARE(view.visibleUpper(), 1.0);
        QTRY_COMPARE(legendOf(view)->doubt(), ComponentDoubt::FirstGuesses);
        QVERIFY(plain(Component::Parameters, 2 * mib) > 350);
        const int hatched = plain(Component::Activations, 6 * mib);
        QVERIFY2(hatched > 100 && hatched < 380, qPrintable(QString::number(hatched)));
        const auto* rows = legendOf(view)->findChild<QTreeWidget*>();
        QCOMPARE(rows->findItems(QStringLiteral("Hatched"), Qt::MatchStartsWith).size(), 1);
        const auto timeline = std::make_shared<const MemoryTimeline>(TimelineData{times, deltas, components, false});
        view.setTimeline(timeline, ComponentDoubt::FirstGuesses); // of a run that was killed
        QTRY_COMPARE(legendOf(view)->doubt(), ComponentDoubt::FirstGuesses);
        view.setTimeline(timeline, ComponentDoubt::Inferred);
        QTRY_VERIFY(plain(Component::Parameters, 2 * mib) < 380);
        view.setTimeline(timeline);
        QVERIFY(plain(Component::Activations, 6 * mib) > 350);
        QVERIFY(rows->findItems(QStringLiteral("Hatched"), Qt::MatchStartsWith).isEmpty());
    }

    void boundsAreCalledBounds()
    {
        MemoryTimelineView view;
        const auto data = test::trainingRun();
        fill(view, data);
        view.setPrediction(64 << 20);
        QVERIFY(view.summary().contains(QStringLiteral("predicted peak is")));
        view.setPrediction(64 << 20, true);
        QVERIFY(view.summary().contains(QStringLiteral("planned for at most")));
        QVERIFY(!view.summary().contains(QStringLiteral("predicted")));
    }

    void manyBatchesCostFewRedraws()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        view.beginLive();
        QSignalSpy redraws(view.plot(), &QCustomPlot::afterReplot);
        QElapsedTimer clock;
        clock.start();
        for (std::size_t i = 0; i < data.events.size(); ++i) {
            test::appendBatch(view, data.events, i, i + 1);
            QApplication::processEvents();
        }
        QTRY_COMPARE(view.visibleUpper(), data.events.timeSeconds.back());
        // At most 30 a second however long it took; the first placeholder and layout may add a few.
        QVERIFY2(redraws.count() <= clock.elapsed() / 30 + 5, qPrintable(QString::number(redraws.count())));
    }

    void followShowsTheLastSeconds()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        view.beginLive();
        view.setFollowSeconds(0.1);
        test::appendBatch(view, data.events, 0, data.events.size());
        const double end = data.events.timeSeconds.back();
        QTRY_VERIFY(std::abs(view.visibleUpper() - end) < 1e-9);
        QVERIFY(std::abs(view.visibleLower() - (end - 0.1)) < 1e-9);
        QVERIFY(!view.canGoBack()); // the program moved, not the user
        view.endLive();
        QCOMPARE(view.visibleLower(), 0.0);
    }

    void panningStopsFollowing()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        const std::size_t half = data.events.size() / 2;
        view.beginLive();
        view.setFollowSeconds(0.05);
        test::appendBatch(view, data.events, 0, half);
        QTRY_VERIFY(std::abs(view.visibleUpper() - data.events.timeSeconds[half - 1]) < 1e-9);
        QSignalSpy changed(&view, &MemoryTimelineView::followChanged);
        const QPoint from = mainRect(view)->rect().center();
        QTest::mousePress(view.plot(), Qt::LeftButton, Qt::NoModifier, from);
        moveTo(view.plot(), from + QPoint(60, 0), Qt::LeftButton);
        QTest::mouseRelease(view.plot(), Qt::LeftButton, Qt::NoModifier, from + QPoint(60, 0));
        QCOMPARE(changed.count(), 1);
        QVERIFY(!view.follow());
        const double upper = view.visibleUpper();
        test::appendBatch(view, data.events, half, data.events.size());
        QTRY_VERIFY(!view.plot()->xAxis->range().contains(data.events.timeSeconds.back()));
        QCOMPARE(view.visibleUpper(), upper);
        // The toggle takes it up again.
        QAction* follow = actionNamed(view, QStringLiteral("Follow"));
        QVERIFY(follow && follow->isEnabled() && !follow->isChecked());
        follow->trigger();
        QVERIFY(view.follow());
        QTRY_VERIFY(std::abs(view.visibleUpper() - data.events.timeSeconds.back()) < 1e-9);
    }

    void budgetNearThePeakIsInView_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("inside");
        QTest::newRow("half the peak") << 0.5 << true;
        QTest::newRow("just above the peak") << 1.3 << true;
        QTest::newRow("far above the peak: the data keep their size") << 20.0 << false;
    }

    void budgetNearThePeakIsInView()
    {
        QFETCH(double, ratio);
        QFETCH(bool, inside);
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        const double budget = ratio * static_cast<double>(view.timeline()->peakBytes());
        view.setBudget(static_cast<std::int64_t>(budget));
        QTRY_COMPARE(view.plot()->yAxis->range().contains(budget), inside);
        QTRY_VERIFY(view.accessibleDescription().contains(bytesText(static_cast<std::int64_t>(budget))));
        // The line, or the note at the top edge, has the warning's colour.
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        const QRgb warning = chartTheme(view.palette()).warning.rgb();
        const QRect rect = mainRect(view)->rect();
        int found = 0;
        for (int x = rect.left() + 1; x < rect.right(); ++x) {
            for (int y = rect.top(); y <= rect.bottom(); ++y)
                found += image.pixel(x, y) == warning;
        }
        QVERIFY2(inside ? found > rect.width() : found > 5, qPrintable(QString::number(found)));
    }

    void reservedIsReadAtTheCursor()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        view.setReserved({0.0, 0.1, 0.2}, {kGiB, 2 * kGiB, 3 * kGiB});
        QTRY_VERIFY(view.plot()->yAxis->range().upper > 3 * kGiB);
        view.setCursor(0.15);
        auto* tree = legendOf(view)->findChild<QTreeWidget*>();
        QVERIFY(!tree->topLevelItem(1)->isHidden());
        QCOMPARE(tree->topLevelItem(1)->text(1), bytesText(2 * kGiB));
    }

    void copiedDataAreWhatIsVisible()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const auto data = test::trainingRun();
        fill(view, data);
        view.setVisibleRange(0.1, 0.12);
        const QStringList lines = view.visibleDataTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        const QStringList head = lines.first().split(QLatin1Char('\t'));
        QCOMPARE(head[0], QStringLiteral("time_seconds"));
        QVERIFY(head.contains(QStringLiteral("parameters_bytes")));
        QVERIFY(lines.size() > 10);
        for (int i = 1; i < lines.size(); ++i) {
            const QStringList cells = lines[i].split(QLatin1Char('\t'));
            QCOMPARE(cells.size(), head.size());
            const double t = cells[0].toDouble();
            QVERIFY(t >= 0.1 - 1e-9 && t <= 0.12 + 1e-9);
            qlonglong sum = 0;
            for (int c = 2; c < cells.size(); ++c)
                sum += cells[c].toLongLong();
            QCOMPARE(sum, cells[1].toLongLong());
        }
    }

    void manyPhasesArePaintedOnlyWhereTheyShow()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        fill(view, test::trainingRun());
        std::vector<PhaseMark> marks;
        for (int i = 0; i < 200000; ++i)
            marks.push_back({i % 2 ? Phase::Forward : Phase::Backward, i / 2, i * 1e-6});
        view.setPhases(std::move(marks));
        QVERIFY(!view.grab().isNull());
        view.setVisibleRange(0.1, 0.1001);
        QVERIFY(!view.grab().isNull());
    }

    void sharpAtTwiceTheResolution()
    {
        MemoryTimelineView view;
        test::showAt(view, 700, 400);
        fill(view, test::trainingRun());
        // At twice the scale a column is half a logical pixel wide: neighbours of a pair must be able to differ.
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 2).toImage();
        const QRect rect = mainRect(view)->rect();
        int differing = 0;
        for (int x = rect.left() + 1; x < rect.right() - 1; ++x) {
            for (int y = rect.top() + 20; y < rect.bottom(); ++y)
                differing += image.pixel(2 * x, 2 * y) != image.pixel(2 * x + 1, 2 * y);
        }
        QVERIFY(differing > 100);
    }

    void pictures_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("light wide") << false << 1200 << 420;
        QTest::newRow("dark wide") << true << 1200 << 420;
        QTest::newRow("light narrow") << false << 420 << 520;
        QTest::newRow("dark narrow") << true << 420 << 520;
        QTest::newRow("light low") << false << 900 << 200;
    }

    void pictures()
    {
        QFETCH(bool, dark);
        QFETCH(int, width);
        QFETCH(int, height);
        test::applyPalette(dark);
        MemoryTimelineView view;
        test::showAt(view, width, height);
        fill(view, test::trainingRun());
        QCOMPARE(view.width(), width); // nothing in it needs more
        view.setBudget(view.timeline()->peakBytes() * 5 / 4);
        QTRY_VERIFY(view.plot()->yAxis->range().contains(static_cast<double>(view.timeline()->peakBytes()) * 1.25));
        const QString tag = QString::fromLatin1(QTest::currentDataTag()).replace(QLatin1Char(' '), QLatin1Char('-'));
        test::saveScreenshot(view, QStringLiteral("timeline-") + tag);
        view.setVisibleRange(0.1, 0.2);
        view.setReference(0.12);
        view.setCursor(0.16);
        view.setSelectedRange(0.17, 0.19);
        test::saveScreenshot(view, QStringLiteral("timeline-zoomed-") + tag);
        QVERIFY(view.grab().toImage() != MemoryTimelineView().grab().toImage());
    }
};

PEAKSCOPE_TEST(TestTimelineView)
#include "test_timeline_view.moc"
