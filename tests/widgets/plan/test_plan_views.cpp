// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// StrategyTableView, CapacityMapView and LadderView: what they show against the data, by mouse and keys, in both
// themes; and pictures of them for people to look at.
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/base/units.h"
#include "widgets/plan/capacity_chart.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/plan/strategy_table_view.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <set>

using namespace peakscope;

namespace {

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

QRect cellRect(const StrategyTableView& view, int row, int column)
{
    return view.view()->visualRect(view.view()->model()->index(row, column));
}

int pixelsOf(const QImage& image, const QColor& color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixel(x, y) == color.rgb();
    }
    return count;
}

} // namespace

class TestPlanViews : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void emptyLoadingAndFilled()
    {
        StrategyTableView view;
        test::showAt(view, 1000, 360);
        QVERIFY(!view.showsTable());
        view.setPlan(testing::samplePlan());
        view.setLoading(QStringLiteral("searching"));
        QVERIFY(!view.showsTable());
        view.setPlan(testing::samplePlan());
        QVERIFY(view.showsTable());
        QCOMPARE(view.current(), 0);
        PlanDocument none = testing::samplePlan();
        none.strategies.clear();
        view.setPlan(none);
        QVERIFY(!view.showsTable());
        QCOMPARE(view.current(), -1);
    }

    void rowsSayTheirNumbersWithUnits()
    {
        StrategyTableView view;
        test::showAt(view, 1200, 400);
        const PlanDocument plan = testing::samplePlan();
        view.setPlan(plan);
        const StrategyModel* model = view.model();
        QCOMPARE(model->rowCount(), 10);
        const auto text = [&](int row, int column) { return model->index(row, column).data().toString(); };
        QCOMPARE(text(3, StrategyModel::Peak), bytesText(plan.strategies[3].peakBytes));
        QCOMPARE(text(3, StrategyModel::Reserved), bytesText(plan.strategies[3].reservedBytes));
        QVERIFY(text(8, StrategyModel::Margin).startsWith(QStringLiteral("−")));
        QCOMPARE(text(9, StrategyModel::Step), QStringLiteral("–"));
        QCOMPARE(text(7, StrategyModel::Verdict), QStringLiteral("Needs 4 devices"));
        QCOMPARE(text(7, StrategyModel::Devices), QStringLiteral("4"));
        const QString tip = model->index(3, StrategyModel::Memory).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(bytesText(25400LL << 20)));
        QVERIFY(!view.view()->accessibleDescription().isEmpty());
        QVERIFY(view.summary().contains(bytesText(plan.device.usableBytes)));
    }

    void barsEndWhereTheirBytesDo()
    {
        // The line of the capacity and the bars share one scale; what is far beyond is cut, not squeezed.
        StrategyModel model;
        const PlanDocument plan = testing::samplePlan();
        model.setPlan(plan);
        const auto usable = static_cast<double>(plan.device.usableBytes);
        QCOMPARE(model.scaleBytes(), usable * 1.5);
        PlanDocument small = plan;
        small.strategies.resize(1);
        model.setPlan(small);
        QVERIFY(model.scaleBytes() > usable);
        QVERIFY(model.scaleBytes() < usable * 1.1);
        QCOMPARE(memoryX(0, 100, 10, 110), 10.0);
        QCOMPARE(memoryX(50, 100, 10, 110), 60.0);
        QCOMPARE(memoryX(500, 100, 10, 110), 110.0);
        PlanDocument unsaid = plan;
        unsaid.device = {};
        model.setPlan(unsaid);
        QVERIFY(model.scaleBytes() > static_cast<double>(plan.strategies.back().peakBytes));
    }

    void capacityLineAndMeasuredBarAreDrawn()
    {
        StrategyTableView view;
        test::showAt(view, 1200, 400);
        view.setPlan(testing::samplePlan());
        const QRect cell = cellRect(view, 1, StrategyModel::Memory);
        const ChartTheme theme = chartTheme(view.palette());
        const auto grab = [&] { return view.view()->viewport()->grab(cell).toImage(); };
        QImage before = grab();
        QVERIFY(pixelsOf(before, theme.warning) >= cell.height());
        const double scale = view.model()->scaleBytes();
        const auto usable = static_cast<double>(view.model()->plan().device.usableBytes);
        const int x = qRound(memoryX(usable, scale, 8, cell.width() - 8));
        const qreal ratio = before.devicePixelRatio();
        const QPoint onLine = QPointF(x * ratio, cell.height() * ratio * 0.8).toPoint(); // below the heading
        QVERIFY(QColor(before.pixel(onLine)) == theme.warning);
        std::vector<std::int64_t> measured(10, 0);
        measured[1] = 40000LL << 20;
        view.setMeasured(measured);
        const QImage after = grab();
        QVERIFY(pixelsOf(after, theme.text) > pixelsOf(before, theme.text) + 100);
        view.setCurrent(1);
        QVERIFY(view.detailText().contains(bytesText(40000LL << 20)));
        QVERIFY(view.detailText().contains(QStringLiteral("+5.5")));
    }

    void headersSortByNumbers_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<int>("first");
        QTest::newRow("peak: the smallest") << int(StrategyModel::Peak) << 0;
        QTest::newRow("margin: what misses most") << int(StrategyModel::Margin) << 9;
        QTest::newRow("step: the fastest, unknown last") << int(StrategyModel::Step) << 1;
        QTest::newRow("verdict: by kind, then rank") << int(StrategyModel::Verdict) << 0;
    }

    void headersSortByNumbers()
    {
        QFETCH(int, column);
        QFETCH(int, first);
        StrategyTableView view;
        test::showAt(view, 1300, 400);
        view.setPlan(testing::samplePlan());
        QHeaderView* header = view.view()->horizontalHeader();
        const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                        header->height() - 6);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        if (header->sortIndicatorOrder() == Qt::DescendingOrder)
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(header->sortIndicatorSection(), column);
        const QString rank = view.view()->model()->index(0, StrategyModel::Rank).data().toString();
        QCOMPARE(rank, QString::number(first + 1));
    }

    void keysAndMouseChoose()
    {
        StrategyTableView view;
        test::showAt(view, 1200, 400);
        view.setPlan(testing::samplePlan());
        QSignalSpy changed(&view, &StrategyTableView::currentChanged);
        QSignalSpy activated(&view, &StrategyTableView::activated);
        view.view()->setFocus();
        QTest::keyClick(view.view(), Qt::Key_Down);
        QTest::keyClick(view.view(), Qt::Key_Down);
        QCOMPARE(changed.count(), 2);
        QCOMPARE(view.current(), 2);
        QTest::keyClick(view.view(), Qt::Key_Return);
        QCOMPARE(activated.takeFirst().first().toInt(), 2);
        const QPoint cell = cellRect(view, 4, StrategyModel::Title).center();
        QTest::mouseClick(view.view()->viewport(), Qt::LeftButton, {}, cell);
        QCOMPARE(view.current(), 4);
        QTest::mouseDClick(view.view()->viewport(), Qt::LeftButton, {}, cell);
        QCOMPARE(activated.takeFirst().first().toInt(), 4);
        QVERIFY(view.detailText().contains(QStringLiteral("one more forward pass")));
        // Sorted otherwise, the strategy is still meant, not the row.
        view.view()->sortByColumn(StrategyModel::Margin, Qt::AscendingOrder);
        QCOMPARE(view.current(), 4);
    }

    void copiesAreText()
    {
        StrategyTableView view;
        test::showAt(view, 1000, 400);
        view.setPlan(testing::samplePlan());
        view.view()->setFocus();
        QTest::keySequence(view.view(), QKeySequence::Copy);
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("rank\tverdict\tstrategy")));
        view.copyCsv();
        const QString csv = QApplication::clipboard()->text();
        QCOMPARE(csv.count(QStringLiteral("\r\n")), 11);
        QVERIFY(csv.contains(QStringLiteral("\"bfloat16, SGD, batch 4 × 512\"")));
        view.copyLatex();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("\\toprule")));
        view.copyImage();
        QCOMPARE(QApplication::clipboard()->image().width(), 2000);
    }

    void mapCellsAreWhereTheirValuesAre()
    {
        CapacityMapView view;
        test::showAt(view, 700, 420);
        QVERIFY(!view.showsPlot());
        view.setMap(testing::sampleMap(), testing::samplePlan().device);
        QVERIFY(view.showsPlot());
        QTest::qWait(50);
        for (const std::int64_t sequence : view.map().sequences) {
            for (const std::int64_t batch : view.map().batches) {
                const auto cell = view.cellAt(view.cellCentre(sequence, batch));
                QVERIFY(cell.has_value());
                QCOMPARE(cell->first, sequence);
                QCOMPARE(cell->second, batch);
            }
        }
        QVERIFY(!view.cellAt(QPointF(1, 1)));
        // Powers of two stand equally far apart.
        const double first = view.cellCentre(256, 1).x() - view.cellCentre(128, 1).x();
        const double second = view.cellCentre(2048, 1).x() - view.cellCentre(1024, 1).x();
        QVERIFY(std::abs(first - second) < 0.01);
    }

    void mapReadOutFollowsThePointer()
    {
        CapacityMapView view;
        test::showAt(view, 760, 460);
        const PlannedMap map = testing::sampleMap();
        view.setMap(map, testing::samplePlan().device);
        QTest::qWait(50);
        const auto at = [&](std::int64_t sequence, std::int64_t batch) {
            const QPointF point = view.cellCentre(sequence, batch);
            QMouseEvent move(QEvent::MouseMove, point, view.plot()->mapToGlobal(point), Qt::NoButton, Qt::NoButton,
                             Qt::NoModifier);
            QApplication::sendEvent(view.plot(), &move);
            return view.readout();
        };
        const QString plain = at(256, 8);
        QVERIFY(plain.contains(bytesText(map.peakBytes[map.cell(1, 3)])));
        QVERIFY(plain.contains(QStringLiteral("predicted")));
        QVERIFY(!plain.contains(QStringLiteral("Measured")));
        QVERIFY(plain.contains(QStringLiteral("batch 64 is the most")));
        const QString measured = at(512, 4);
        QVERIFY(measured.contains(bytesText(42100LL << 20)));
        QVERIFY(measured.contains(QStringLiteral("cuda:0")));
        QVERIFY(at(4096, 1).contains(QStringLiteral("positions end")));
        QVERIFY(at(2048, 128).contains(QStringLiteral("missing")));
    }

    void theMapsEndIsNotTheMostThatFits()
    {
        PlannedMap map = testing::sampleMap();
        QCOMPARE(map.frontier.front(), map.batches.back()); // all of them fit
        CapacityMapView view;
        view.setMap(map, testing::samplePlan().device);
        QVERIFY2(view.summary().contains(QStringLiteral(": at least 128 at 128, 64 at 256")),
                 qPrintable(view.summary()));
        QVERIFY2(view.readout().contains(QStringLiteral("fits: at least 128 at sequence 128, 8 at 2,048")),
                 qPrintable(view.readout()));
        CapacityChart chart(map, testing::samplePlan().device);
        QVERIFY2(chart.caption(true).contains(QStringLiteral("the line at the upper edge: at least 128 fits")),
                 qPrintable(chart.caption(true).join(u'|')));
        map.frontier.front() = 64;
        chart.setMap(map, testing::samplePlan().device);
        QCOMPARE(chart.caption(true).size(), qsizetype(1));
    }

    void measuredCellsAreSolidAndPredictedOnesAreNot()
    {
        CapacityMapView view;
        test::showAt(view, 900, 500);
        view.setMap(testing::sampleMap(), testing::samplePlan().device);
        QTest::qWait(50);
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        const auto inCell = [&](std::int64_t sequence, std::int64_t batch) {
            const QPoint centre = view.cellCentre(sequence, batch).toPoint();
            return image.copy(QRect(centre.x() - 20, centre.y() - 10, 40, 20));
        };
        const int solid = pixelsOf(inCell(1024, 16), verdictFill(Verdict::Tight));
        QVERIFY(solid > 250);
        QVERIFY(pixelsOf(inCell(256, 4), verdictFill(Verdict::Fits)) < 100);
    }

    void frontierIsTheEdgeOfWhatFits()
    {
        const PlannedMap map = testing::sampleMap();
        const GridAxis sequences = logAxis(map.sequences), batches = logAxis(map.batches);
        const auto steps = frontierSteps(map, sequences, batches);
        QCOMPARE(steps.size(), std::size_t{5}); // the sixth is impossible
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const double edge = std::log2(static_cast<double>(map.frontier[s])) + 0.5;
            QCOMPARE(steps[s].y, edge);
            QCOMPARE(steps[s].right - steps[s].left, 1.0);
        }
        PlannedMap none = map;
        none.frontier.assign(none.frontier.size(), 0);
        QCOMPARE(frontierSteps(none, sequences, batches).front().y, batches.first());
        const GridAxis single = logAxis({24});
        QVERIFY(single.indexAt(std::log2(24.0)) == std::optional<std::size_t>(0));
        QVERIFY(!single.indexAt(20));
    }

    void mapByMouseAndKeys()
    {
        CapacityMapView view;
        test::showAt(view, 700, 460);
        view.setMap(testing::sampleMap(), testing::samplePlan().device);
        QTest::qWait(50);
        QSignalSpy selected(&view, &CapacityMapView::cellSelected);
        QSignalSpy activated(&view, &CapacityMapView::cellActivated);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, view.cellCentre(512, 8).toPoint());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(view.currentCell()->second, 8);
        QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
        QTest::keyClick(view.plot(), Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(view.currentCell()->first, 1024);
        QCOMPARE(view.currentCell()->second, 16);
        QTest::keyClick(view.plot(), Qt::Key_Return);
        QCOMPARE(activated.takeFirst().at(1).toLongLong(), 16);
        QTest::mouseDClick(view.plot(), Qt::LeftButton, {}, view.cellCentre(128, 32).toPoint());
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.first().at(0).toLongLong(), 128);
        // Wheel zooms, Home shows all again.
        const QPointF centre = view.cellCentre(512, 8);
        QWheelEvent wheel(centre, view.plot()->mapToGlobal(centre), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.plot(), &wheel);
        QVERIFY(view.visibleUpper() - view.visibleLower() < 6);
        QVERIFY(view.canGoBack());
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QCOMPARE(view.visibleUpper() - view.visibleLower(), 6.0);
        const QString tsv = view.visibleDataTsv();
        QCOMPARE(tsv.count(u'\n'), 1 + 48 + 3);
        QVERIFY(tsv.contains(QStringLiteral("measured")));
    }

    void ladderRowsSayWhatTheySave()
    {
        LadderView view;
        test::showAt(view, 700, 320);
        QVERIFY(!view.showsPlot());
        const PlanDocument plan = testing::samplePlan();
        view.setLadder(plan.ladder, plan.device);
        QVERIFY(view.showsPlot());
        QCOMPARE(view.rows().size(), plan.ladder.size());
        const BarRow& row = view.rows()[3];
        QCOMPARE(row.bars[0].segments[0].bytes, static_cast<double>(plan.ladder[3].peakBytes));
        QCOMPARE(row.bars[0].segments[1].bytes, static_cast<double>(plan.ladder[3].savedBytes));
        QCOMPARE(row.bars[0].valueText, QStringLiteral("−") + bytesText(plan.ladder[3].savedBytes));
        QVERIFY(row.tooltip.contains(bytesText(plan.ladder[3].peakBytes)));
        QCOMPARE(view.rows()[0].bars[0].valueText, bytesText(plan.ladder[0].peakBytes));
        QSignalSpy activated(&view, &LadderView::stepActivated);
        QTest::qWait(50);
        const QPoint at(view.plot()->axisRect()->left() + 10, qRound(view.plot()->yAxis->coordToPixel(3)));
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, at);
        QTest::keyClick(view.plot(), Qt::Key_Return);
        QCOMPARE(activated.takeFirst().first().toInt(), 3);
        QTest::mouseDClick(view.plot(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.takeFirst().first().toInt(), 3);
        view.clear();
        QVERIFY(!view.showsPlot());
    }

    // Each tier has its heading in order of rank, and names are whole however narrow the table.
    void partsHaveHeadingsAndNamesAreWhole()
    {
        StrategyTableView view;
        test::showAt(view, 760, 640);
        const PlanDocument plan = *planFromJson(testing::tieredPlanJson());
        view.setPlan(plan);
        const QTableView* table = view.view();
        const QFontMetrics metrics = table->fontMetrics();
        const auto headings = partHeadings(plan);
        for (int row = 0; row < view.model()->rowCount(); ++row) {
            const QModelIndex index = table->model()->index(row, StrategyModel::Title);
            const QString heading = index.data(StrategyModel::HeadingRole).toString();
            const auto& part = headings[static_cast<std::size_t>(row)];
            QCOMPARE(heading, part ? partHeading(*part) : QString());
            const QRect cell = table->visualRect(index);
            const QRect text =
                metrics.boundingRect(QRect(0, 0, cell.width() - 6, 10000), Qt::TextWordWrap, index.data().toString());
            QVERIFY(cell.height() >= text.height() + (part ? metrics.height() : 0));
        }
        // The heading is over the whole row: something is drawn above the badge of the first row.
        const QRect first = cellRect(view, 0, StrategyModel::Memory);
        const QRect second = cellRect(view, 1, StrategyModel::Memory);
        QVERIFY(first.height() - metrics.height() >= second.height() - metrics.lineSpacing());
        view.setCurrent(2);
        QVERIFY(view.detailText().contains(tierDefinition(Tier::Precision)));
        // In another order parts are mixed, and nothing stands above them.
        const int before = table->rowHeight(0);
        view.view()->sortByColumn(StrategyModel::Rank, Qt::DescendingOrder);
        const int last = view.model()->rowCount() - 1;
        QTRY_VERIFY(table->rowHeight(last) < before);
        view.view()->sortByColumn(StrategyModel::Rank, Qt::AscendingOrder);
        QTRY_COMPARE(table->rowHeight(0), before);
    }

    // The names beside the ladder's bars are short enough to be told apart.
    void ladderNamesAreWholeAndTellTheTier()
    {
        LadderView view;
        test::showAt(view, 560, 320);
        const PlanDocument plan = *planFromJson(testing::tieredPlanJson());
        view.setLadder(plan.ladder, plan.device);
        std::set<QString> labels;
        for (const BarRow& row : view.rows()) {
            labels.insert(row.label);
            QVERIFY2(row.label.size() <= 40, qPrintable(row.label));
        }
        QCOMPARE(labels.size(), plan.ladder.size());
        QCOMPARE(view.rows()[2].label, QStringLiteral("Exact · checkpointing"));
        QCOMPARE(view.rows()[3].label, QStringLiteral("Method · precision float32 → bfloat16"));
        QVERIFY(view.rows()[2].tooltip.contains(QStringLiteral("computed again in backward")));
        QVERIFY(view.rows()[3].tooltip.contains(tierDefinition(Tier::Method)));
        // In a quarter of a small window the tier, which the tooltip has, goes before anything of the step.
        view.resize(370, 400);
        const QCPAxis* names = view.findChild<QCustomPlot*>()->yAxis;
        QTRY_VERIFY(names->tickVectorLabels().contains(QStringLiteral("precision float32 → bfloat16")));
        QVERIFY(names->tickVectorLabels().contains(QStringLiteral("checkpointing")));
        QVERIFY(names->tickVectorLabels().filter(QStringLiteral("…")).isEmpty());
    }

    void verdictsHaveWordsAndFills()
    {
        std::set<QRgb> fills;
        for (std::size_t i = 0; i < kVerdictCount; ++i) {
            const auto verdict = static_cast<Verdict>(i);
            QVERIFY(!verdictTitle(verdict).isEmpty());
            QVERIFY(!verdictDefinition(verdict).isEmpty());
            fills.insert(verdictFill(verdict).rgb());
        }
        QCOMPARE(fills.size(), kVerdictCount);
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
        const QString suffix = dark ? QStringLiteral("_dark") : QStringLiteral("_light");
        const PlanDocument plan = testing::samplePlan();
        StrategyTableView table;
        test::showAt(table, 1100, 380);
        table.setPlan(plan);
        table.setMeasured({0, 40200LL << 20, 0, 0, 0, 0, 0, 0, 0, 0});
        QTest::qWait(50);
        test::saveScreenshot(table, QStringLiteral("strategies") + suffix);
        const PlanDocument tiers = *planFromJson(testing::tieredPlanJson());
        StrategyTableView tiered;
        test::showAt(tiered, 1100, 480);
        tiered.setPlan(tiers);
        QTest::qWait(50);
        test::saveScreenshot(tiered, QStringLiteral("strategies_tiers") + suffix);
        LadderView steps;
        test::showAt(steps, 560, 320);
        steps.setLadder(tiers.ladder, tiers.device);
        QTest::qWait(50);
        test::saveScreenshot(steps, QStringLiteral("ladder_tiers") + suffix);
        CapacityMapView map;
        test::showAt(map, 640, 420);
        map.setMap(*plan.map, plan.device);
        map.setCurrentCell(512, 8);
        QTest::qWait(50);
        test::saveScreenshot(map, QStringLiteral("capacity_map") + suffix);
        LadderView ladder;
        test::showAt(ladder, 640, 320);
        ladder.setLadder(plan.ladder, plan.device);
        QTest::qWait(50);
        test::saveScreenshot(ladder, QStringLiteral("ladder") + suffix);
    }
};

PEAKSCOPE_TEST(TestPlanViews)
#include "test_plan_views.moc"
