// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a view draws on the screen and a figure on paper is the same to its reader: the same words, scales and keys.
#include "core/analysis/response/finished_result.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/collective_samples.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/curvature/curvature_histogram_view.h"
#include "widgets/curvature/curvature_spectrum_view.h"
#include "widgets/figures/page/figure_canvas.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/timeline/collective_view.h"
#include "widgets/timeline/expert_load_view.h"

#include <qcustomplot.h>

#include <QTest>
#include <QTranslator>

#include <algorithm>

using namespace peakscope;
using peakscope::test::textsOfFigure;

namespace {

constexpr double kGiB = 1 << 30;

// Marks what it translates, which is the words of notes and of strategies' titles.
class NotesOnly : public QTranslator
{
public:
    QString translate(const char* context, const char* text, const char*, int) const override
    {
        if (QByteArray(context) != "peakscope::NoteWords")
            return {};
        return QByteArray(text) == ", " ? QStringLiteral("，") : u'«' + QString::fromUtf8(text) + u'»';
    }
    bool isEmpty() const override { return false; }
};

// A point of every state, all with a prediction.
SweepDocument sweepOfEveryState()
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch"};
    for (const char* status : {"complete", "over_budget", "predicted", "waiting", "failed", "impossible"}) {
        for (const int batch : {1, 2}) {
            SweepPoint point;
            point.values = {{"data.seq", 64 * (1 + sweep.points.size() / 2)}, {"data.batch", batch}};
            const QByteArray word(status);
            point.status = word == "predicted" ? "over_budget" : word == "impossible" ? "failed" : status;
            point.measured = word == "complete" || word == "over_budget";
            point.impossible = word == "impossible";
            point.predictedPeakBytes = 1 << 20;
            if (point.measured)
                point.peakBytes = 1 << 20;
            sweep.points.push_back(point);
        }
    }
    sweep.status = "interrupted";
    return sweep;
}

constexpr SweepCellState kSaid[] = {SweepCellState::OverBudget, SweepCellState::PredictedOverBudget,
                                    SweepCellState::Failed, SweepCellState::Impossible, SweepCellState::Waiting};

RunResults shown(const nlohmann::json& plan)
{
    RunResult result = planResult(plan);
    result.id = "plan-sample";
    return {std::make_shared<const RunResult>(std::move(result))};
}

RunResults samplePlanRun()
{
    return {std::make_shared<const RunResult>(testing::samplePlanResult())};
}

// Of eigenvalues from 0 to `largest`, smoothed: of ten thousand parameters.
RunResult spectrumTo(double largest)
{
    CurvatureData data;
    data.parameters = 10000;
    data.density = CurvatureDensity{};
    data.density->grid = {0, largest / 2, largest};
    data.density->value = {1e-3, 1e-2, 1e-3};
    data.density->sigma = 0.01;
    data.density->steps = 30;
    data.density->probes = 4;
    RunResult result;
    result.id = "spectrum";
    result.kind = ResultKind::Curvature;
    result.curvature = std::make_shared<const CurvatureData>(std::move(data));
    return result;
}

bool hasPixel(const QImage& image, const QRect& part, const QColor& color)
{
    for (int y = part.top(); y <= part.bottom(); ++y) {
        for (int x = part.left(); x <= part.right(); ++x) {
            if (image.pixelColor(x, y) == color)
                return true;
        }
    }
    return false;
}

} // namespace

class TestScreenAndPaper : public QObject
{
    Q_OBJECT

private slots:
    void legendsOfASweep()
    {
        const SweepDocument sweep = sweepOfEveryState();
        SweepHeatMapView view;
        view.setSweep(sweep);
        view.setMeasure("peak_bytes");
        const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweep))};
        const QStringList paper = textsOfFigure("memory_heatmap", runs, "icml-page");
        const auto screen = [&] { return test::legendOf(view)->accessibleName(); };
        for (const SweepCellState state : kSaid) {
            const QString words = sweepStateTitle(state);
            QVERIFY2(screen().contains(words), qPrintable(words));
            QVERIFY2(paper.filter(words).size() == 1, qPrintable(paper.join(u'|')));
        }
        // Cells of what was predicted look alike, whatever became of them: the other looks are nowhere.
        view.setMeasure("predicted_peak_bytes");
        QVERIFY2(screen().contains(QStringLiteral("Predicted, not measured")), qPrintable(screen()));
        for (const SweepCellState state : kSaid)
            QVERIFY2(!screen().contains(sweepStateTitle(state)), qPrintable(screen()));
    }

    // What a chart says stands in the window as on the page: every mark of its axes, its legend and its caption, and
    // in each cell the same text; the table is that of the file.
    void chartsSayTheSame_data()
    {
        QTest::addColumn<QString>("figure");
        QTest::addColumn<RunResults>("runs");
        QTest::addColumn<std::shared_ptr<PlotView>>("view");
        auto map = std::make_shared<CapacityMapView>();
        map->setMap(testing::sampleMap(), testing::samplePlan().device);
        QTest::newRow("capacity map") << QStringLiteral("capacity_map") << samplePlanRun()
                                      << std::shared_ptr<PlotView>(map);
        SweepDocument sweep = sweepOfEveryState();
        sweep.base["budget_bytes"] = 3 << 20;
        auto heat = std::make_shared<SweepHeatMapView>();
        heat->setSweep(sweep);
        QTest::newRow("heat map") << QStringLiteral("memory_heatmap")
                                  << RunResults{std::make_shared<const RunResult>(sweepResult(sweep))}
                                  << std::shared_ptr<PlotView>(heat);
        auto loads = std::make_shared<ExpertLoadView>();
        loads->setSection(test::fewExperts());
        QTest::newRow("expert loads") << QStringLiteral("expert_loads") << RunResults{test::runOf(test::fewExperts())}
                                      << std::shared_ptr<PlotView>(loads);
        auto collectives = std::make_shared<CollectiveView>();
        collectives->setRank(test::sendingRun(), 0);
        QTest::newRow("collectives") << QStringLiteral("collectives")
                                     << RunResults{std::make_shared<const RunResult>(test::sendingRun())}
                                     << std::shared_ptr<PlotView>(collectives);
    }

    void chartsSayTheSame()
    {
        QFETCH(const QString, figure);
        QFETCH(const RunResults, runs);
        QFETCH(const std::shared_ptr<PlotView>, view);
        test::showAt(*view, 1200, 800);
        const QStringList paper = textsOfFigure(figure.toStdString(), runs, "icml-page");
        for (const QString& words : test::legendOf(*view)->accessibleName().split(QStringLiteral(", ")))
            QVERIFY2(paper.join(QStringLiteral(" · ")).contains(words), qPrintable(words + u'|' + paper.join(u'|')));
        const test::TextRecorder screen(*view->plot());
        QStringList drawn;
        for (const auto& placed : screen.texts())
            drawn << placed.text;
        QVERIFY(drawn.size() > 15);
        for (const QString& text : drawn)
            QVERIFY2(paper.count(text) >= drawn.count(text), qPrintable(text + u'|' + paper.join(u'|')));
        const QByteArray csv = figureCsv(figure.toStdString(), runs);
        QCOMPARE(csv.count('\n'), view->visibleDataTsv().count(u'\n'));
    }

    // The frame of what was refused is in the key as it is about the cell.
    void keysOfASweepHaveFrames()
    {
        const RunResults runs{std::make_shared<const RunResult>(sweepResult(sweepOfEveryState()))};
        const FigurePreset page = *figurePreset("icml-page");
        const QImage image = renderFigureImage("memory_heatmap", runs, page, FigureTheme::Light, 300);
        const QString words = sweepStateTitle(SweepCellState::OverBudget);
        for (const auto& placed : drawFigurePage(nullptr, "memory_heatmap", runs, page, FigureTheme::Light)) {
            if (!placed.text.endsWith(words))
                continue;
            const double scale = 300 / 72.0;
            const QRectF key(0, placed.box.top() - 1, placed.box.left(), placed.box.height() + 2);
            const QRect pixels = QRectF(key.topLeft() * scale, key.size() * scale).toRect() & image.rect();
            QVERIFY(hasPixel(image, pixels, figureColors(FigureTheme::Light).warning));
            return;
        }
        QFAIL("no key");
    }

    void binsOfAHistogram()
    {
        const auto run = finishedResult(test::curvatureResult());
        CurvatureHistogramView view;
        view.setData(*run->curvature);
        const QByteArray paper = figureCsv("hessian_histogram", {run});
        QCOMPARE(paper.count(",bin,") + paper.count(",zeros,"), view.visibleDataTsv().count(u'\n') - 1);
    }

    // The eigenvalue 2 has a mark if there is room for it beside 1.95.
    void roomBesideASpectrum()
    {
        const RunResult run = spectrumTo(1.95);
        CurvatureSpectrumView view;
        view.setData(*run.curvature);
        const QStringList paper = textsOfFigure("hessian_spectrum", {std::make_shared<const RunResult>(run)});
        const bool marked =
            std::any_of(paper.begin(), paper.end(), [](const QString& text) { return text.toDouble() == 2; });
        QCOMPARE(marked, view.plot()->xAxis->range().upper >= 2);
    }

    // The scale ends a little beyond what is usable: whether 100 GiB is on it says by how much.
    void scaleOfStrategies()
    {
        nlohmann::json plan = testing::samplePlanJson();
        plan["strategies"] = nlohmann::json::array({plan["strategies"][0]});
        plan["device"]["usable_bytes"] = static_cast<std::int64_t>(95.5 * kGiB);
        StrategyModel model;
        model.setPlan(*planFromJson(plan));
        QCOMPARE(textsOfFigure("strategy_table", shown(plan), "icml-page").contains(QStringLiteral("100")),
                 model.scaleBytes() >= 100 * kGiB);
    }

    void titlesOfStrategiesAreTranslated()
    {
        NotesOnly translator;
        QVERIFY(QCoreApplication::installTranslator(&translator));
        const QString table = textsOfFigure("strategy_table", samplePlanRun()).join(u'|');
        const QStringList column = textsOfFigure("strategy_table", shown(testing::tieredPlanJson()), "icml-column");
        const QString map = textsOfFigure("capacity_map", samplePlanRun()).join(u'|');
        QCoreApplication::removeTranslator(&translator);
        QVERIFY2(table.contains(QStringLiteral("SGD，«checkpointing»")), qPrintable(table));
        QVERIFY2(map.contains(QStringLiteral("AdamW，«checkpointing»")), qPrintable(map));
        // In two lines, broken where the language has its comma.
        const auto broken = [](const QString& text) { return text.endsWith(u'，'); };
        QVERIFY2(std::any_of(column.begin(), column.end(), broken), qPrintable(column.join(u'|')));
    }

    void wordsOfLegends()
    {
        StrategyTableView table;
        table.setPlan(testing::samplePlan());
        CapacityMapView map;
        map.setMap(testing::sampleMap(), testing::samplePlan().device);
        CurvatureSpectrumView spectrum;
        const RunResult run = spectrumTo(2);
        spectrum.setData(*run.curvature);
        const auto both = [](const QWidget& view, const char* figure, const RunResults& runs, const char* words) {
            const QString text = QString::fromUtf8(words);
            return test::legendOf(view)->accessibleName().split(QStringLiteral(", ")).contains(text) &&
                   textsOfFigure(figure, runs, "icml-page").contains(text);
        };
        QVERIFY(both(table, "strategy_table", samplePlanRun(), "Reserved beyond the peak"));
        QVERIFY(both(map, "capacity_map", samplePlanRun(), "Largest batch that fits"));
        QVERIFY(both(map, "capacity_map", samplePlanRun(), "× beyond the model's positions"));
        const RunResults runs{std::make_shared<const RunResult>(run)};
        QVERIFY(both(spectrum, "hessian_spectrum", runs, "Density of one eigenvalue"));
        const QString lanczos = QStringLiteral("Density by Lanczos quadrature: 30 steps, 4 probes");
        QVERIFY(test::legendOf(spectrum)->accessibleName().contains(lanczos));
        QVERIFY(textsOfFigure("hessian_spectrum", runs, "icml-page").contains(lanczos));
    }
};

PEAKSCOPE_TEST(TestScreenAndPaper)
#include "test_screen_and_paper.moc"
