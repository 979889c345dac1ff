// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map and the trends of a sweep as the user works them, and the figure: cells of every state, live points,
// choices that stay.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_text_check.h"
#include "tests/widgets/plot/text_recorder.h"
#include "widgets/figures/page/figure.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/sweep/sweep_growth_words.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/sweep/sweep_trend_view.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <set>

using namespace peakscope;

namespace {

// Sequence x batch x method; the largest points are over the budget, the rest of `finished` measured.
SweepDocument sweepWith(std::size_t finished)
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch", "training.clipping"};
    for (const int seq : {64, 128, 256, 512}) {
        for (const int batch : {1, 2, 4}) {
            for (const char* method : {"ghost", "flash"}) {
                SweepPoint point;
                point.values = {{"data.seq", seq}, {"data.batch", batch}, {"training.clipping", method}};
                if (sweep.points.size() < finished) {
                    const bool over = seq == 512 && batch > 1;
                    point.status = over ? "over_budget" : "complete";
                    point.measured = !over || batch == 2;
                    const double growth = method[0] == 'g' ? 2 : 1;
                    point.peakBytes = static_cast<std::int64_t>(1e6 + 100 * batch * std::pow(seq, growth));
                    point.predictedPeakBytes = point.peakBytes;
                    if (!point.measured)
                        point.peakBytes.reset();
                    if (!over) {
                        point.stepSeconds = {0.1, 0.2, 0.1};
                        point.medianStepSeconds = 0.1;
                        point.spreadSeconds = 0.05;
                    }
                    point.file = "point.json";
                }
                sweep.points.push_back(point);
            }
        }
    }
    sweep.status = sweep.complete() ? "complete" : "interrupted";
    return sweep;
}

} // namespace

class TestSweepViews : public QObject
{
    Q_OBJECT
private slots:
    void choicesStayWhilePointsComeIn();
    void axesNeverAgree();
    void cellsAnswerMouseAndKeys();
    void statesLookDifferent();
    void whatIsPrintedAlikeLooksAlike();
    void trendsCarryTheirExponents();
    void coincidingTrendsAreSaidTogether();
    void aMeasuredSweepOpensOnWhatWasMeasured();
    void predictedLooksPredicted();
    void trendAxesHaveTicks_data();
    void trendAxesHaveTicks();
    void aKeyThatTakesZeroIsDrawnWithIt();
    void aNarrowChoiceShowsBothEnds();
    void emptyViewsSaySo();
    void figureShowsEveryCell();
    void figuresOfTheWholeSweep();
    void whatRanOutIsNoPeak();
    void exponentsAreSaidAsTheyAre();
};

void TestSweepViews::choicesStayWhilePointsComeIn()
{
    SweepHeatMapView view;
    view.resize(900, 500);
    view.setSweep(sweepWith(6));
    view.show();
    QVERIFY(view.summary().contains(QStringLiteral("24 points, 6 of them finished")));
    view.setAxes("data.batch", "training.clipping");
    view.setMeasure("median_step_seconds");
    view.setSweep(sweepWith(24));
    QCOMPARE(view.keyX(), std::string("data.batch"));
    QCOMPARE(view.keyY(), std::string("training.clipping"));
    QCOMPARE(view.measure(), std::string("median_step_seconds"));
    QVERIFY(view.summary().contains(QStringLiteral("24 of them finished, 4 over the budget")));
    QVERIFY(view.visibleDataTsv().startsWith(QStringLiteral("data.seq\tdata.batch")));
}

void TestSweepViews::axesNeverAgree()
{
    SweepHeatMapView view;
    view.setSweep(sweepWith(24));
    view.setAxes("data.seq", "data.batch");
    QVERIFY(view.keyX() != view.keyY());
    view.setAxes("data.batch", "data.seq");
    QCOMPARE(view.keyX(), std::string("data.batch"));
    QCOMPARE(view.keyY(), std::string("data.seq"));
}

void TestSweepViews::cellsAnswerMouseAndKeys()
{
    SweepHeatMapView view;
    view.resize(900, 500);
    view.setSweep(sweepWith(24));
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QWidget* plot = view.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(plot);
    QSignalSpy selected(&view, &SweepHeatMapView::pointSelected);
    QSignalSpy activated(&view, &SweepHeatMapView::pointActivated);
    auto* target = reinterpret_cast<QWidget*>(view.plot());
    // Some place of the plot holds a cell; walk over it to find one.
    std::optional<std::size_t> point;
    QPoint at;
    for (int x = 100; x < 800 && !point; x += 40) {
        at = QPoint(x, 150);
        point = view.pointAt(at);
    }
    QVERIFY(point.has_value());
    QTest::mouseClick(target, Qt::LeftButton, {}, at);
    QCOMPARE(selected.count(), 1);
    QCOMPARE(view.currentPoint(), point);
    QVERIFY(!view.readout().isEmpty());
    QTest::mouseDClick(target, Qt::LeftButton, {}, at);
    QCOMPARE(activated.count(), 1);
    QTest::keyClick(target, Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(target, Qt::Key_Left, Qt::ControlModifier);
    QVERIFY(view.currentPoint().has_value());
    QTest::keyClick(target, Qt::Key_Return);
    QCOMPARE(activated.count(), 2);
}

void TestSweepViews::statesLookDifferent()
{
    const QColor white(Qt::white), black(0x20, 0x20, 0x20);
    SweepColorScale scale{1, 10, false, false};
    std::set<QString> looks;
    for (const SweepCellState state :
         {SweepCellState::Waiting, SweepCellState::Measured, SweepCellState::OverBudget,
          SweepCellState::PredictedOverBudget, SweepCellState::Impossible, SweepCellState::Failed}) {
        const SweepCellLook look = sweepCellLook({state, 5.0, 0}, scale, white, black);
        looks.insert(look.fill.name() + look.mark + QString::number(static_cast<int>(look.hatch)) +
                     (look.dashed ? "d" : "") + (look.framed ? "f" : ""));
        QVERIFY2(contrastRatio(look.fill, look.ink) >= 4, qPrintable(look.fill.name()));
    }
    QCOMPARE(looks.size(), std::size_t{6});
    QVERIFY(viridis(0).lightness() < viridis(0.5).lightness());
    QVERIFY(viridis(0.5).lightness() < viridis(1).lightness() + 40);
    QCOMPARE(scale.color(1), viridis(0));
    QCOMPARE(scale.color(10), viridis(1));
}

void TestSweepViews::whatIsPrintedAlikeLooksAlike()
{
    const double a = 169.6 * 1024 * 1024, b = 170.4 * 1024 * 1024;
    QCOMPARE(sweepNumberText(a, "peak_bytes"), sweepNumberText(b, "peak_bytes"));
    SweepHeatMap map;
    map.cells = {{SweepCellState::Measured, a, 0}, {SweepCellState::Measured, b, 1}};
    const SweepColorScale alike = sweepColorScale({map}, "peak_bytes");
    QCOMPARE(alike.color(a), alike.color(b));
    map.cells.push_back({SweepCellState::Measured, 172.0 * 1024 * 1024, 2});
    const SweepColorScale three = sweepColorScale({map}, "peak_bytes");
    QCOMPARE(three.color(a), three.color(b));
    QCOMPARE(three.color(a), viridis(0));
    QCOMPARE(three.color(172.0 * 1024 * 1024), viridis(1));
    map.cells = {{SweepCellState::Measured, 0.01234, 0}, {SweepCellState::Measured, 0.012344, 1}};
    const SweepColorScale seconds = sweepColorScale({map}, "median_step_seconds");
    QCOMPARE(sweepNumberText(0.01234, "median_step_seconds"), sweepNumberText(0.012344, "median_step_seconds"));
    QCOMPARE(seconds.color(0.01234), seconds.color(0.012344));
}

void TestSweepViews::trendsCarryTheirExponents()
{
    SweepTrendView view;
    view.resize(900, 500);
    view.setSweep(sweepWith(24));
    view.setKey("data.seq");
    view.setMeasure("peak_bytes");
    const auto fits = view.fits();
    QCOMPARE(fits.size(), std::size_t{6}); // batch x method
    // Batch 1 was measured at four lengths: exact above its offset.
    QVERIFY2(std::abs(fits[0].exponent - 2) < 1e-3, qPrintable(QString::number(fits[0].exponent)));
    QVERIFY(std::abs(fits[1].exponent - 1) < 1e-3);
    QVERIFY(view.summary().contains(QStringLiteral("exponent 2.00")));
    QCOMPARE(view.visibleDataTsv().count(u'\n'), 1 + 8 + 6 + 6);
    view.show();
    QVERIFY(!view.toImage(1).isNull());
}

// Lines under one another are one to the eye: one row of the legend tells all of their settings.
void TestSweepViews::coincidingTrendsAreSaidTogether()
{
    SweepDocument sweep = sweepWith(24);
    SweepTrendView view;
    const auto legend = [&] {
        view.setSweep(sweep);
        view.setKey("data.seq");
        view.setMeasure("peak_bytes");
        return test::legendOf(view)->accessibleName();
    };
    const auto figure = [&] {
        return test::textsOfFigure("memory_trends", {std::make_shared<const RunResult>(sweepResult(sweep))})
            .join(u'\n');
    };
    QVERIFY2(!legend().contains(QStringLiteral("2 & 4")), qPrintable(legend()));
    QVERIFY(!figure().contains(QStringLiteral("2 & 4")));
    for (SweepPoint& point : sweep.points) {
        if (point.values["data.batch"] != 4 || !point.peakBytes)
            continue;
        const double growth = point.values["training.clipping"] == "ghost" ? 2 : 1;
        point.peakBytes =
            static_cast<std::int64_t>(1.001 * (1e6 + 200 * std::pow(point.values["data.seq"].get<double>(), growth)));
    }
    QVERIFY2(legend().count(QStringLiteral("2 & 4")) == 2, qPrintable(legend()));
    QCOMPARE(view.fits().size(), std::size_t{6}); // each has its own all the same
    QVERIFY2(figure().contains(QStringLiteral("2 & 4")), qPrintable(figure()));
}

// Before the first point there are predictions only; what the user chose is another matter.
void TestSweepViews::aMeasuredSweepOpensOnWhatWasMeasured()
{
    SweepDocument waiting = sweepWith(0);
    for (SweepPoint& point : waiting.points)
        point.predictedPeakBytes = 1 << 20;
    SweepHeatMapView heat;
    SweepTrendView trend;
    heat.setSweep(waiting);
    trend.setSweep(waiting);
    QCOMPARE(heat.measure(), std::string("predicted_peak_bytes"));
    heat.setSweep(sweepWith(6));
    trend.setSweep(sweepWith(6));
    QCOMPARE(heat.measure(), std::string("peak_bytes"));
    QVERIFY2(trend.summary().startsWith(QStringLiteral("Peak memory")), qPrintable(trend.summary()));
    heat.setMeasure("predicted_peak_bytes");
    heat.setSweep(sweepWith(24));
    QCOMPARE(heat.measure(), std::string("predicted_peak_bytes"));
    heat.clear();
    SweepDocument secondsOnly = sweepWith(24);
    for (SweepPoint& point : secondsOnly.points)
        point.peakBytes.reset();
    SweepHeatMapView other;
    other.setSweep(secondsOnly);
    QCOMPARE(other.measure(), std::string("median_step_seconds"));
}

void TestSweepViews::predictedLooksPredicted()
{
    const QColor white(Qt::white), black(0x20, 0x20, 0x20);
    const SweepCell cell{SweepCellState::Measured, 5.0, 0};
    SweepColorScale scale{1, 10, false, false};
    const SweepCellLook measured = sweepCellLook(cell, scale, white, black);
    QVERIFY(measured.hatch == Hatch::None && !measured.dashed && measured.mark.isEmpty());
    scale.predicted = true;
    const SweepCellLook predicted = sweepCellLook(cell, scale, white, black);
    QVERIFY(predicted.hatch == Hatch::Rising && predicted.dashed && predicted.number);
    QCOMPARE(predicted.mark, QStringLiteral("≈"));
    SweepHeatMapView heat;
    heat.resize(900, 500);
    heat.setSweep(sweepWith(24));
    heat.setMeasure("predicted_peak_bytes");
    heat.show();
    QVERIFY2(heat.summary().contains(QStringLiteral("Predicted from")), qPrintable(heat.summary()));
    std::optional<std::size_t> point;
    for (int x = 100; x < 800 && !point; x += 40) {
        point = heat.pointAt(QPoint(x, 150));
        if (point)
            QTest::mouseClick(reinterpret_cast<QWidget*>(heat.plot()), Qt::LeftButton, {}, {x, 150});
    }
    QVERIFY2(heat.readout().contains(QStringLiteral("not measured")), qPrintable(heat.readout()));
    // The lines of what was predicted are dashed, its marks hollow.
    SweepTrendView trend;
    trend.resize(900, 500);
    trend.setSweep(sweepWith(24)); // the two measures have the same values
    trend.setMeasure("peak_bytes");
    const QImage solid = trend.plot()->toPixmap(800, 400, 1).toImage();
    trend.setMeasure("predicted_peak_bytes");
    QVERIFY(trend.plot()->toPixmap(800, 400, 1).toImage() != solid);
}

void TestSweepViews::trendAxesHaveTicks_data()
{
    QTest::addColumn<QString>("measure");
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("last");
    QTest::newRow("bytes, far apart") << "peak_bytes" << 1e6 << 8e7;
    QTest::newRow("bytes, close together") << "peak_bytes" << 4.4e6 << 4.7e6;
    QTest::newRow("bytes, nearly the same") << "peak_bytes" << 4.4e6 << 4.4001e6;
    QTest::newRow("seconds, close together") << "median_step_seconds" << 0.61 << 0.78;
    QTest::newRow("seconds, far apart") << "median_step_seconds" << 0.002 << 9.0;
}

void TestSweepViews::trendAxesHaveTicks()
{
    QFETCH(QString, measure);
    QFETCH(double, first);
    QFETCH(double, last);
    SweepDocument sweep;
    sweep.keys = {"data.seq"};
    for (int i = 0; i < 3; ++i) {
        SweepPoint point;
        point.values = {{"data.seq", 64 << i}};
        point.status = "complete";
        point.measured = true;
        const double value = first + (last - first) * i / 2;
        if (measure == QLatin1String("peak_bytes"))
            point.peakBytes = std::llround(value);
        else
            point.medianStepSeconds = value;
        sweep.points.push_back(point);
    }
    SweepTrendView view;
    view.resize(520, 360);
    view.setSweep(sweep);
    view.setMeasure(measure.toStdString());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.plot()->replot();
    const QStringList below = view.plot()->xAxis->tickVectorLabels().toList();
    QCOMPARE(below, (QStringList{"64", "128", "256"}));
    QStringList beside = view.plot()->yAxis->tickVectorLabels().toList();
    QVERIFY2(beside.size() >= 3, qPrintable(beside.join(u'|')));
    QCOMPARE(beside.removeDuplicates(), 0);
}

// No place on a logarithmic axis: without a linear one the point at 0 would be left out and nobody told.
void TestSweepViews::aKeyThatTakesZeroIsDrawnWithIt()
{
    SweepDocument sweep;
    sweep.keys = {"training.lora.rank", "data.seq"};
    for (const int rank : {0, 4}) {
        for (const int seq : {64, 128}) {
            SweepPoint point;
            point.values = {{"training.lora.rank", rank}, {"data.seq", seq}};
            point.status = "complete";
            point.measured = true;
            point.peakBytes = (rank == 0 ? 9000 : 4000) * seq;
            sweep.points.push_back(point);
        }
    }
    SweepTrendView view;
    view.resize(520, 360);
    view.setSweep(sweep);
    view.setKey("training.lora.rank");
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.plot()->replot();
    QCOMPARE(view.plot()->xAxis->tickVectorLabels().toList(), (QStringList{"0", "4"}));
    QVERIFY2(view.visibleDataTsv().contains(QStringLiteral("\t0\t576000\t")), qPrintable(view.visibleDataTsv()));
    QVERIFY(!view.plot()->xAxis->label().contains(QStringLiteral("logarithmic")));
    view.setKey("data.seq");
    QVERIFY(view.plot()->xAxis->label().contains(QStringLiteral("logarithmic")));
    const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweep))};
    QCOMPARE(figurePanels("memory_trends", runs).size(), std::size_t{2});
    QVERIFY(figureCsv("memory_trends", runs).contains(",training.lora.rank,seq 64,0,576000,"));
}

// A choice without room for its words still tells what sets it apart from the next, and its tooltip says them all.
void TestSweepViews::aNarrowChoiceShowsBothEnds()
{
    const std::unique_ptr<QComboBox> box(
        sweepChoice([] { return QStringLiteral("Setting"); }, QFontMetrics(QApplication::font())));
    box->addItems({QStringLiteral("Batch: 8, Physical batch (rows): 1"),
                   QStringLiteral("Batch: 8, Physical batch (rows): 2"),
                   QStringLiteral("Batch: 4, Physical batch (rows): 2")});
    box->resize(box->sizeHint().width() * 4 / 5, box->sizeHint().height());
    std::vector<QImage> drawn;
    for (int i = 0; i < box->count(); ++i) {
        box->setCurrentIndex(i);
        QCOMPARE(box->toolTip(), QStringLiteral("Setting\n") + box->itemText(i));
        drawn.push_back(box->grab().toImage());
    }
    QVERIFY(drawn[0] != drawn[1] && drawn[1] != drawn[2]);
}

void TestSweepViews::emptyViewsSaySo()
{
    SweepHeatMapView heat;
    SweepTrendView trend;
    QVERIFY(!heat.showsPlot());
    QVERIFY(!trend.showsPlot());
    heat.setSweep(sweepWith(24));
    trend.setSweep(sweepWith(24));
    QVERIFY(heat.showsPlot() && trend.showsPlot());
    heat.clear();
    QVERIFY(!heat.showsPlot());
}

void TestSweepViews::figureShowsEveryCell()
{
    const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweepWith(24)))};
    const Status possible = checkFigure("memory_heatmap", runs);
    QVERIFY2(possible.ok(), possible ? "" : possible.error().text().c_str());
    for (const FigurePreset& preset : figurePresets())
        QVERIFY2(!renderFigureImage("memory_heatmap", runs, preset, FigureTheme::Light, 72).isNull(),
                 preset.name.c_str());
    const QByteArray csv = figureCsv("memory_heatmap", runs);
    QCOMPARE(csv.count("\r\n"), 1 + 24);
    QVERIFY(csv.startsWith("sweep,data.seq,data.batch,training.clipping,status"));
    QVERIFY(csv.contains("predicted_over_budget"));
    RunResult plain;
    QVERIFY(!checkFigure("memory_heatmap", {std::make_shared<const RunResult>(plain)}));
    QVERIFY(!checkFigure("memory_heatmap", {std::make_shared<const RunResult>(sweepResult(sweepWith(0)))}));
}

void TestSweepViews::figuresOfTheWholeSweep()
{
    const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweepWith(24)))};
    for (const char* figure : {"memory_trends", "memory_analysis_overview"}) {
        for (const FigurePreset& preset : figurePresets()) {
            const QString fault = faultOfTexts(figure, runs, preset);
            QVERIFY2(fault.isEmpty(),
                     qPrintable(QLatin1String(figure) + u' ' + QString::fromStdString(preset.name) + u' ' + fault));
        }
    }
    // A panel for each numeric key, the word stands in the settings.
    const auto panels = figurePanels("memory_trends", runs);
    QCOMPARE(panels.size(), std::size_t{2});
    QCOMPARE(panels[0].title, QStringLiteral("Peak memory over Sequence (tokens)"));
    const QByteArray csv = figureCsv("memory_trends", runs);
    QVERIFY(csv.startsWith("sweep,key,setting,value,peak_bytes,fit\r\n"));
    QVERIFY2(csv.contains(",data.seq,\"batch 1, clipping ghost\",64,"), csv.constData());
    QCOMPARE(figureCsv("memory_analysis_overview", runs).count("\r\n"), 1 + 24);
    QVERIFY(!checkFigure("memory_trends", {std::make_shared<const RunResult>(sweepResult(sweepWith(1)))}));
    // What limits several keys is said once, by their names.
    SweepDocument ofTwo = sweepWith(24);
    std::erase_if(ofTwo.points, [](const SweepPoint& point) {
        return point.values["data.seq"] > 128 || point.values["data.batch"] > 2;
    });
    const auto said = [](SweepDocument sweep) {
        return test::textsOfFigure("memory_trends", {std::make_shared<const RunResult>(sweepResult(std::move(sweep)))})
            .join(u' ');
    };
    const QString both = said(ofTwo);
    QVERIFY2(both.contains(QStringLiteral("Sequence (tokens), Batch (rows): two values each, nothing is known")),
             qPrintable(both));
    QCOMPARE(both.count(QStringLiteral("nothing is known between")), 1);
    std::erase_if(ofTwo.points, [](const SweepPoint& point) { return point.values["data.batch"] > 1; });
    const QString one = said(ofTwo);
    QVERIFY2(one.contains(QStringLiteral("two values: nothing is known between")), qPrintable(one));
}

void TestSweepViews::whatRanOutIsNoPeak()
{
    const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweepWith(24)))};
    const QStringList texts = test::textsOfFigure("memory_analysis_overview", runs);
    QCOMPARE(texts.filter(QStringLiteral("> ")).size(), qsizetype(2 + 1)); // two bars, and what they are
    QVERIFY2(texts.contains(QStringLiteral("> ") + sweepStateTitle(SweepCellState::OverBudget)),
             qPrintable(texts.join(u'|')));
}

void TestSweepViews::exponentsAreSaidAsTheyAre()
{
    SweepDocument sweep;
    sweep.keys = {"data.batch", "device"};
    for (const int batch : {1, 2, 4, 8, 16}) {
        for (const char* device : {"dry:rtx-4090", "dry:a100-40gb"}) {
            SweepPoint point;
            point.values = {{"data.batch", batch}, {"device", device}};
            point.status = "complete";
            point.measured = true;
            point.peakBytes = 1'000'000'000 + batch * 100'000'000; // of what is not known
            sweep.points.push_back(point);
        }
    }
    const auto wordsOf = [&sweep] { return growthParts(sweepGrowth(sweep, "data.batch", "peak_bytes")).join(u'|'); };
    QVERIFY(sweepGrowth(sweep, "data.batch", "peak_bytes").lines.front().tells());
    QVERIFY2(wordsOf().startsWith(QStringLiteral("what parameters hold is not known: no common exponent|")),
             qPrintable(wordsOf()));
    std::erase_if(sweep.points, [](const SweepPoint& point) { return point.values["device"] != "dry:rtx-4090"; });
    QVERIFY2(wordsOf().contains(QStringLiteral("exponent 1.00")) && !wordsOf().contains(QStringLiteral("no exponent")),
             qPrintable(wordsOf()));
}

PEAKSCOPE_TEST(TestSweepViews)
#include "test_sweep_views.moc"
