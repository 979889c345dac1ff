// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What part of a timeline is shown before the user chooses one: the steps of a program that loads for long.
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/look/component_palette.h"

#include "widgets/compare/compare_timeline_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/ranks_view.h"
#include "widgets/timeline/timeline_span.h"

#include <qcustomplot.h>

#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace peakscope;

namespace {

// Appends events [begin, end) of the data as one live batch.
// Parameters at once, and after ten seconds of loading that many steps of a tenth of a second each.
TimelineData loadsLong(int steps)
{
    TimelineData data;
    const auto add = [&data](double time, std::int64_t bytes, Component component) {
        data.timeSeconds.push_back(time);
        data.deltaBytes.push_back(bytes);
        data.component.push_back(component);
    };
    add(0.1, 4 << 20, Component::Parameters);
    for (int step = 0; step < steps; ++step) {
        add(10.02 + step / 10.0, 1 << 20, Component::Activations);
        add(10.1 + step / 10.0, -(1 << 20), Component::Activations);
    }
    return data;
}

std::vector<PhaseMark> phasesOf(int steps)
{
    std::vector<PhaseMark> phases{{Phase::Load, -1, 0}};
    for (int step = 0; step < steps; ++step)
        phases.push_back({Phase::Forward, step, 10 + step / 10.0});
    return phases;
}

} // namespace

class TestTimelineSpan : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    // A phase that takes no room on the screen takes none in the legend.
    void theLegendHasWhatIsSeen()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        view.setTimeline(std::make_shared<const MemoryTimeline>(loadsLong(2)));
        view.setPhases({{Phase::Load, -1, 0},
                        {Phase::Data, -1, 9.99}, // a hundredth of a second of ten
                        {Phase::Forward, 0, 10},
                        {Phase::Backward, 0, 10.05},
                        {Phase::Norms, 0, 10.0995}, // half a thousandth of a step's tenth
                        {Phase::OptimizerStep, 0, 10.1},
                        {Phase::Forward, 1, 10.12},
                        {Phase::OptimizerStep, 1, 10.18}});
        const auto says = [&view](Phase phase) {
            return !view.findChildren<QTreeWidget*>().isEmpty() &&
                   !view.findChild<QTreeWidget*>()
                        ->findItems(QStringLiteral("Phase: ") + phaseTitle(phase), Qt::MatchExactly)
                        .isEmpty();
        };
        QTRY_VERIFY(says(Phase::Load));
        QVERIFY(says(Phase::Forward) && says(Phase::Backward) && says(Phase::OptimizerStep));
        QVERIFY(!says(Phase::Data) && !says(Phase::Norms));
    }

    // Ten seconds of loading, then steps of a tenth of a second each: two that a picture of it all would squash.
    void stepsAreShownFirst()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        view.setTimeline(std::make_shared<const MemoryTimeline>(loadsLong(2)));
        view.setPhases(phasesOf(2));
        view.showSteps();
        QVERIFY2(view.visibleLower() > 9.9 && view.visibleLower() < 10,
                 qPrintable(QString::number(view.visibleLower())));
        QCOMPARE(view.visibleUpper(), 10.2);
        QVERIFY(!view.canGoBack()); // the program moved, not the user
        const auto* before = view.findChild<QToolButton*>(QStringLiteral("moreBefore"));
        const auto* after = view.findChild<QToolButton*>(QStringLiteral("moreAfter"));
        QVERIFY2(before->isVisible() && before->text() == QStringLiteral("◂ 9.99 s earlier"),
                 qPrintable(before->text()));
        QVERIFY(!after->isVisible());
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QCOMPARE(view.visibleLower(), 0.0);
        QVERIFY(!before->isVisible());
        QTest::keyClick(view.plot(), Qt::Key_Backspace);
        QVERIFY(view.visibleLower() > 9.9);
        QTest::mouseClick(view.findChild<QToolButton*>(QStringLiteral("moreBefore")), Qt::LeftButton);
        QCOMPARE(view.visibleLower(), 0.0);
        view.setVisibleRange(0, 5);
        QVERIFY2(after->isVisible() && after->text() == QStringLiteral("5.20 s later ▸"), qPrintable(after->text()));
        // What comes after the steps is left out as what comes before is.
        TimelineData longEnd = loadsLong(2);
        longEnd.timeSeconds.push_back(30);
        longEnd.deltaBytes.push_back(-(4 << 20));
        longEnd.component.push_back(Component::Parameters);
        view.setTimeline(std::make_shared<const MemoryTimeline>(longEnd));
        view.setPhases(phasesOf(2));
        view.showSteps();
        QVERIFY2(view.visibleUpper() > 10.19 && view.visibleUpper() < 10.3,
                 qPrintable(QString::number(view.visibleUpper())));
        QVERIFY(before->isVisible() && after->isVisible());
        // The only step ended for lack of memory, long after its phases before: its peak is in the picture.
        TimelineData died = loadsLong(0);
        died.timeSeconds.push_back(10.5);
        died.deltaBytes.push_back(8 << 20);
        died.component.push_back(Component::Activations);
        view.setTimeline(std::make_shared<const MemoryTimeline>(died));
        view.setPhases({{Phase::Load, -1, 0}, {Phase::Data, 0, 10}, {Phase::Forward, 0, 10.01}});
        view.showSteps();
        QVERIFY2(view.visibleUpper() >= 10.5, qPrintable(QString::number(view.visibleUpper())));
        // Where the steps are most of the run, it is shown whole.
        view.setTimeline(std::make_shared<const MemoryTimeline>(loadsLong(200)));
        view.setPhases(phasesOf(200));
        view.showSteps();
        QCOMPARE(view.visibleLower(), 0.0);
    }

    // Loading that needs the most is shown with the steps, unless that is most of the run.
    void thePeakIsInside()
    {
        TimelineData data = loadsLong(2);
        data.deltaBytes.front() = 64 << 20;
        data.timeSeconds.insert(data.timeSeconds.begin() + 1, 9.8);
        data.deltaBytes.insert(data.deltaBytes.begin() + 1, -(60 << 20));
        data.component.insert(data.component.begin() + 1, Component::Parameters);
        data.timeSeconds.front() = 9.7;
        const MemoryTimeline timeline(data);
        const std::vector<PhaseMark> phases = phasesOf(2);
        const TimeSpan span = stepsSpan({{&phases, &timeline}}, {0, 10.2});
        QVERIFY2(span.begin < 9.7 && span.begin > 9.5 && span.end == 10.2, qPrintable(QString::number(span.begin)));
    }

    // Lanes of one axis show the steps of all; one without steps is shown whole.
    void lanesShowTheSteps()
    {
        const auto two = std::make_shared<const MemoryTimeline>(loadsLong(2));
        const auto five = std::make_shared<const MemoryTimeline>(loadsLong(5));
        CompareLane first, second;
        first.timeline = two;
        first.phases = phasesOf(2);
        second.timeline = five;
        second.phases = phasesOf(5);
        CompareTimelineView compared;
        test::showAt(compared, 900, 500);
        compared.setLanes({first, second}, 0);
        QVERIFY2(compared.visibleLower() > 9.9 && compared.visibleLower() < 10,
                 qPrintable(QString::number(compared.visibleLower())));
        QVERIFY2(compared.visibleUpper() >= 10.5, qPrintable(QString::number(compared.visibleUpper())));
        QVERIFY(!compared.canGoBack());
        QTRY_VERIFY(compared.findChild<QToolButton*>(QStringLiteral("moreBefore"))->isVisible());
        QTest::keyClick(compared.plot(), Qt::Key_Home);
        QVERIFY(compared.visibleLower() <= 0.1);
        second.phases.clear();
        second.timeline = std::make_shared<const MemoryTimeline>(loadsLong(4));
        compared.setLanes({first, second}, 0);
        QVERIFY(compared.visibleLower() <= 0.1);

        RankLane rank;
        rank.timeline = two;
        rank.phases = phasesOf(2);
        RanksView ranks;
        test::showAt(ranks, 900, 500);
        ranks.setRanks({rank, rank}, {});
        QVERIFY2(ranks.visibleLower() > 9.9 && ranks.visibleUpper() < 10.3,
                 qPrintable(QString::number(ranks.visibleLower())));
        QVERIFY(ranks.findChild<QToolButton*>(QStringLiteral("moreBefore"))->isVisible());
        ranks.refresh({rank, rank}, {});
        QVERIFY(ranks.visibleLower() > 9.9); // it stays as it is looked at
    }

    void theLastStepsAreFollowed()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        view.suggestFollowSeconds(kLastSteps);
        view.beginLive();
        const TimelineData data = loadsLong(50);
        view.addPhase({Phase::Load, -1, 0});
        test::appendBatch(view, data, 0, 1);
        QTRY_VERIFY(view.showsPlot());
        QCOMPARE(view.visibleLower(), 0.0); // no step so far
        for (const PhaseMark& phase : phasesOf(50))
            view.addPhase(phase);
        test::appendBatch(view, data, 1, data.size());
        QTRY_COMPARE(view.visibleUpper(), 15.0);
        // Four steps are less than what is shown at least.
        QVERIFY2(view.visibleLower() > 13.9 && view.visibleLower() < 14.01,
                 qPrintable(QString::number(view.visibleLower())));
        view.endLive();
        QVERIFY2(view.visibleLower() > 9.5 && view.visibleLower() < 10,
                 qPrintable(QString::number(view.visibleLower())));
        QCOMPARE(view.visibleUpper(), 15.0);
        // Once the user has zoomed, it is his view.
        view.beginLive();
        test::appendBatch(view, data, 0, 1);
        for (const PhaseMark& phase : phasesOf(50))
            view.addPhase(phase);
        test::appendBatch(view, data, 1, 60);
        QTRY_VERIFY(view.visibleLower() > 10);
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QVERIFY(!view.follow());
        test::appendBatch(view, data, 60, data.size());
        QTRY_COMPARE(view.visibleUpper(), 15.0);
        QCOMPARE(view.visibleLower(), 0.0);
    }
};

PEAKSCOPE_TEST(TestTimelineSpan)
#include "test_timeline_span.moc"
