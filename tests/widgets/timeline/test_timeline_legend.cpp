// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_room.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/timeline_legend.h"
#include "widgets/timeline/timeline_painter.h"

#include <qcustomplot.h>

#include <QTest>
#include <QTreeWidget>

using namespace peakscope;

class TestTimelineLegend : public QObject
{
    Q_OBJECT
private slots:
    void init() { test::applyPalette(false); }

    void followsTheTheme()
    {
        MemoryTimelineView view;
        test::showAt(view, 800, 400);
        const test::TrainingData data = test::trainingRun();
        view.setTimeline(std::make_shared<const MemoryTimeline>(data.events));
        const auto* tree = view.findChild<TimelineLegend*>()->findChild<QTreeWidget*>();
        const auto ink = [tree] { return tree->topLevelItem(0)->foreground(0).color(); };
        const QColor light = ink();
        test::applyPalette(true);
        QTRY_VERIFY(ink() != light);
        QCOMPARE(ink(), tree->palette().color(QPalette::Text));
    }

    // A low view keeps its legend at the side: below, it would leave the plot a strip.
    void aLowPlotKeepsItsHeight()
    {
        MemoryTimelineView view;
        const test::TrainingData data = test::trainingRun();
        view.setTimeline(std::make_shared<const MemoryTimeline>(data.events));
        view.setPhases(data.phases);
        test::showAt(view, 630, 330);
        const auto plotHeight = [&view] { return view.plot()->xAxis->axisRect()->height(); };
        QVERIFY2(plotHeight() >= 140, qPrintable(QString::number(plotHeight())));
        QVERIFY(view.findChild<TimelineLegend*>()->isVisible());
        test::showAt(view, 630, 800);
        QVERIFY(plotHeight() >= 140);
    }

    void aChosenTimeLeavesThePeakReadable()
    {
        MemoryTimelineView view;
        test::showAt(view, 900, 400);
        const test::TrainingData data = test::trainingRun();
        const auto timeline = std::make_shared<const MemoryTimeline>(data.events);
        view.setTimeline(timeline);
        view.setInstants({{timeline->peakSeconds(), QStringLiteral("chosen"), false},
                          {timeline->peakSeconds(), QStringLiteral("out of memory"), true}});
        const test::TextRecorder recorder(*view.plot());
        QStringList said;
        for (const auto& placed : recorder.texts())
            said << placed.text;
        QVERIFY2(!said.filter(QStringLiteral("Peak")).empty() && said.contains(QStringLiteral("chosen")),
                 qPrintable(said.join(u' ')));
        QVERIFY2(recorder.overlap().isEmpty(), qPrintable(recorder.overlap()));
    }
};

PEAKSCOPE_TEST(TestTimelineLegend)
#include "test_timeline_legend.moc"
