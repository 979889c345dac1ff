// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of the widgets says its words in another language and back again, where it stands: what is zoomed to,
// selected and current stays.
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/timeline/collective_samples.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/analysis/response/finished_result.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/curvature/curvature_convergence_view.h"
#include "widgets/curvature/curvature_histogram_view.h"
#include "widgets/curvature/curvature_layers_view.h"
#include "widgets/curvature/curvature_matrix_view.h"
#include "widgets/curvature/curvature_spectrum_view.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/sweep/sweep_trend_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/collective_view.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/expert_load_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/module_bars_view.h"
#include "widgets/timeline/ranks_view.h"

#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTranslator>
#include <QTreeWidget>

#include <cmath>

using namespace peakscope;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Answers «text» to every text.
class Quoting : public QTranslator
{
public:
    QString translate(const char* context, const char* text, const char*, int) const override
    {
        const bool own = QByteArray(context).startsWith("peakscope::");
        return own ? u'«' + QString::fromUtf8(text) + u'»' : QString();
    }
    bool isEmpty() const override { return false; }
};

using Make = std::function<std::unique_ptr<QWidget>()>;

template <typename View, typename Fill>
Make viewOf(Fill fill)
{
    return [fill] {
        auto view = std::make_unique<View>();
        fill(*view);
        return view;
    };
}

template <typename View>
Make curvatureOf()
{
    return viewOf<View>([](View& view) { view.setData(*finishedResult(test::matrixResult())->curvature); });
}

std::shared_ptr<const AnalysisData> analysis()
{
    const RunResult run = testing::analysisRun();
    return std::make_shared<const AnalysisData>(*analysisOf(run.other, run.synthetic));
}

std::shared_ptr<const MemoryTimeline> timeline()
{
    return std::make_shared<const MemoryTimeline>(test::trainingRun().events);
}

std::vector<UnitPlace> places()
{
    return {{0.1, 0.9}, {0.5, 0.5}, {0.9, 0.1}};
}

SweepDocument sweep()
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch", "training.clipping"};
    for (const int seq : {64, 128, 256}) {
        for (const int batch : {1, 2, 4}) {
            for (const char* method : {"ghost", "flash"}) {
                SweepPoint point;
                point.values = {{"data.seq", seq}, {"data.batch", batch}, {"training.clipping", method}};
                if (seq < 256 || batch < 4) { // the others wait
                    point.status = "complete";
                    point.measured = true;
                    point.peakBytes = static_cast<std::int64_t>(1e6 + 100 * batch * std::pow(seq, 1.5));
                    point.predictedPeakBytes = point.peakBytes;
                    point.stepSeconds = {0.1, 0.2, 0.1};
                    point.medianStepSeconds = 0.1;
                }
                sweep.points.push_back(point);
            }
        }
    }
    sweep.status = "interrupted";
    return sweep;
}

Table modules()
{
    RunResult result;
    result.memory.emplace();
    result.memory->modules = test::trainingRun().modules;
    return modulesTable(result);
}

void fillTimeline(MemoryTimelineView& view)
{
    view.setPhases(test::trainingRun().phases);
    view.setBudget(900 * kMiB);
    view.setTimeline(timeline()); // last: shows all at once
    view.setCursor(timeline()->peakSeconds());
    view.setReference(timeline()->startSeconds());
}

void fillLanes(CompareTimelineView& view)
{
    std::vector<CompareLane> lanes(2);
    for (CompareLane& lane : lanes) {
        lane.timeline = timeline();
        lane.phases = test::trainingRun().phases;
    }
    view.setLanes(std::move(lanes), 0);
}

void fillBars(CompareBarsView& view)
{
    std::vector<CompareBarsRun> runs(2);
    for (CompareBarsRun& run : runs) {
        run.components[static_cast<std::size_t>(Component::Parameters)] = 4 * kMiB;
        run.components[static_cast<std::size_t>(Component::Activations)] = 8 * kMiB;
        run.peakBytes = 12 * kMiB;
        run.predictedBytes = 13 * kMiB;
    }
    runs[1].readings.fill(ComponentReading::AfterStep);
    view.setRuns(std::move(runs), 0);
}

void fillRanks(RanksView& view)
{
    const RunResult run = test::rankedRun(4);
    view.setRanks(rankLanes(run.ranks), rankBalance(run.ranks));
}

void add(const char* name, Make make)
{
    QTest::newRow(name) << make;
}

// One text of a view, with where it stands.
using Texts = std::map<QString, QString>;

void readModel(Texts& texts, const QAbstractItemView& view)
{
    const QAbstractItemModel& model = *view.model();
    for (int column = 0; column < model.columnCount(); ++column) {
        const auto say = [&](const QString& where, const QString& text) {
            texts[QStringLiteral("%1 of column %2").arg(where).arg(column)] = text;
        };
        say(QStringLiteral("title"), model.headerData(column, Qt::Horizontal).toString());
        say(QStringLiteral("tip"), model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        for (int row = 0; row < model.rowCount(); ++row) {
            say(QStringLiteral("row %1").arg(row), model.index(row, column).data().toString());
            say(QStringLiteral("tip of row %1").arg(row), model.index(row, column).data(Qt::ToolTipRole).toString());
        }
    }
}

void readPlot(Texts& texts, const PlotView& view)
{
    QCustomPlot& plot = *view.plot();
    plot.replot();
    texts[QStringLiteral("title")] = view.title();
    texts[QStringLiteral("summary")] = view.accessibleDescription();
    int number = 0;
    for (const QCPAxis* axis : plot.findChildren<QCPAxis*>()) {
        texts[QStringLiteral("axis %1").arg(++number)] = axis->visible() ? axis->label() : QString();
        texts[QStringLiteral("ticks of axis %1").arg(number)] =
            axis->visible() ? QStringList(axis->tickVectorLabels()).join(u'|') : QString();
    }
    if (const auto* analysis = qobject_cast<const AnalysisPlot*>(&view)) {
        for (const LegendMark& mark : analysis->legend())
            texts[QStringLiteral("mark %1").arg(++number)] = mark.text;
    }
    if (const auto* bars = qobject_cast<const BarsView*>(&view)) {
        for (const BarRow& row : bars->rows()) {
            texts[QStringLiteral("label of row ") + row.name] = row.label;
            texts[QStringLiteral("tip of row ") + row.name] = row.tooltip;
        }
    }
}

Texts textsOf(const QWidget& view)
{
    Texts texts;
    int number = 0;
    const auto say = [&](const char* what, const QString& text) {
        texts[QStringLiteral("%1 %2").arg(QString::fromLatin1(what)).arg(number)] = text;
    };
    QWidgetList widgets = view.findChildren<QWidget*>();
    widgets.prepend(const_cast<QWidget*>(&view));
    for (const QWidget* widget : widgets) {
        // Those say nothing, and Qt moves one to the end of its siblings when longer texts make it visible.
        if (qobject_cast<const QScrollBar*>(widget) || widget->objectName().startsWith(u"qt_scrollarea_"))
            continue;
        ++number;
        say("accessible name of widget", widget->accessibleName());
        say("tip of widget", widget->toolTip());
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            say("label", label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
            say("button", button->text());
        if (const auto* field = qobject_cast<const QLineEdit*>(widget))
            say("placeholder", field->placeholderText());
        if (const auto* report = qobject_cast<const QTextBrowser*>(widget))
            say("report", report->toPlainText());
        if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
            for (int i = 0; i < box->count(); ++i)
                texts[QStringLiteral("item %1 of box %2").arg(i).arg(number)] = box->itemText(i);
        }
        const auto* items = qobject_cast<const QAbstractItemView*>(widget);
        if (items && !qobject_cast<const QHeaderView*>(widget) && widget->inherits("QTableView"))
            readModel(texts, *items);
        if (const auto* tree = qobject_cast<const QTreeWidget*>(widget)) {
            for (int i = 0; i < tree->topLevelItemCount(); ++i)
                texts[QStringLiteral("item %1 of tree %2").arg(i).arg(number)] = tree->topLevelItem(i)->text(0);
        }
    }
    for (const QAction* action : view.findChildren<QAction*>()) {
        ++number;
        say("action", action->text());
        say("tip of action", action->toolTip());
    }
    if (const auto* plot = qobject_cast<const PlotView*>(&view))
        readPlot(texts, *plot);
    return texts;
}

// Whether a text holds words of the program: letters beside numbers, units and names of data.
bool hasWords(QString text)
{
    static const QRegularExpression kData(QStringLiteral(
        "<[^>]*>|\\b(B|KiB|MiB|GiB|TiB|PiB|EiB|ms|s|h|min|µs|A|B|C|eps|k|n|λ|σ|x|y|Ctrl|Shift|Home|Backspace)\\b|"
        "\\b(Unit|node|cpu|unit|row|h)\\s?\\d+\\b|\\b[\\w-]*[._/][\\w./"
        "-]*\\b|\\b(ghost|flash|lm_head|opt|cuda|Wfunc|Wsens|Wboth)\\b|qt_\\w+"));
    return text.remove(kData).contains(QRegularExpression(QStringLiteral("\\p{L}{2}")));
}

// Names of data, which are the same in all languages: cells, rows, and the title of a core table.
bool isName(const QString& where, const QString& text)
{
    static const QRegularExpression kCells(QStringLiteral("^(tip of |label of )?row "));
    return kCells.match(where).hasMatch() || text == QStringLiteral("modules");
}

void checkTranslated(const Texts& before, const Texts& after)
{
    for (const auto& [where, text] : before) {
        const auto now = after.find(where);
        QVERIFY2(now != after.end(), qPrintable(where));
        if (!hasWords(text) || (now->second == text && isName(where, text)))
            continue;
        QVERIFY2(now->second.contains(u'«'), qPrintable(where + QStringLiteral(": ") + now->second));
    }
}

struct Standing {
    PlotArea area;
    std::optional<std::pair<double, double>> selection;
    bool canGoBack = false;
    QList<int> boxes;

    // Of areas, as near as a double tells: bounds that have moved are fitted anew.
    bool operator==(const Standing& other) const
    {
        const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); };
        return near(area.x0, other.area.x0) && near(area.x1, other.area.x1) && near(area.y0, other.area.y0) &&
               near(area.y1, other.area.y1) && selection == other.selection && canGoBack == other.canGoBack &&
               boxes == other.boxes;
    }
};

Standing standingOf(const QWidget& view)
{
    Standing standing;
    if (const auto* plot = qobject_cast<const PlotView*>(&view))
        standing = {plot->visibleArea(), plot->selectedRange(), plot->canGoBack(), {}};
    for (const QComboBox* box : view.findChildren<QComboBox*>())
        standing.boxes << box->currentIndex();
    for (const QTableView* table : view.findChildren<QTableView*>())
        standing.boxes << table->currentIndex().row() << table->horizontalHeader()->sortIndicatorSection()
                       << table->model()->rowCount();
    return standing;
}

// Zooms, selects and chooses what is not chosen from the start.
void use(QWidget& view)
{
    for (QComboBox* box : view.findChildren<QComboBox*>()) {
        if (box->isVisible())
            box->setCurrentIndex(box->count() - 1);
    }
    if (auto* plot = qobject_cast<PlotView*>(&view); plot && plot->showsPlot()) {
        plot->zoomIn();
        const double lower = plot->visibleLower(), upper = plot->visibleUpper();
        plot->setSelectedRange(lower + (upper - lower) / 4, upper - (upper - lower) / 4);
    }
    if (auto* units = qobject_cast<UnitScatterView*>(&view))
        units->setSelection({1});
    for (QTableView* table : view.findChildren<QTableView*>()) {
        table->sortByColumn(table->model()->columnCount() - 1, Qt::DescendingOrder);
        table->setCurrentIndex(table->model()->index(2, 0));
    }
    if (auto* map = qobject_cast<CapacityMapView*>(&view))
        map->setCurrentCell(map->map().sequences.back(), map->map().batches.front());
}

void switchLanguage(const std::function<void()>& change)
{
    change();
    QCoreApplication::sendPostedEvents();
    QApplication::processEvents();
}

} // namespace

Q_DECLARE_METATYPE(Make)

class TestViewsLanguage : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void viewsFollow_data()
    {
        QTest::addColumn<Make>("make");
        add("memory timeline", viewOf<MemoryTimelineView>(fillTimeline));
        add("empty timeline", viewOf<MemoryTimelineView>([](MemoryTimelineView&) {}));
        add("components", viewOf<ComponentBarsView>([](ComponentBarsView& view) {
                view.setData(timeline()->peakComponents(), timeline()->maxComponents());
            }));
        add("modules", viewOf<ModuleBarsView>([](auto& view) { view.setModules(test::trainingRun().modules); }));
        add("ranks", viewOf<RanksView>(fillRanks));
        add("compared timelines", viewOf<CompareTimelineView>(fillLanes));
        add("compared bars", viewOf<CompareBarsView>(fillBars));
        add("memory against time", viewOf<CompareScatterView>([](CompareScatterView& view) {
                view.setPoints({{{}, {}, 12 * kMiB, 0.1}, {{}, {}, 13 * kMiB, 0.15}}, 0, {4 * kMiB, {0, 1}});
            }));
        add("nothing compared", viewOf<CompareScatterView>([](CompareScatterView&) {}));
        add("capacity map", viewOf<CapacityMapView>([](CapacityMapView& view) {
                view.setMap(testing::sampleMap(), testing::samplePlan().device);
            }));
        add("ladder", viewOf<LadderView>([](LadderView& view) {
                PlanDocument plan = testing::samplePlan();
                for (PlannedStep& step : plan.ladder)
                    step.tier = Tier::Exact;
                view.setLadder(plan.ladder, plan.device);
            }));
        add("strategies", viewOf<StrategyTableView>([](auto& view) { view.setPlan(testing::samplePlan()); }));
        add("no strategies", viewOf<StrategyTableView>([](StrategyTableView&) {}));
        add("heat map", viewOf<SweepHeatMapView>([](SweepHeatMapView& view) { view.setSweep(sweep()); }));
        add("trends", viewOf<SweepTrendView>([](SweepTrendView& view) { view.setSweep(sweep()); }));
        add("experts", viewOf<ExpertLoadView>([](auto& view) { view.setSection(test::fewExperts()); }));
        add("collectives", viewOf<CollectiveView>([](auto& view) { view.setRank(test::sendingRun(), 0); }));
        add("convergence", curvatureOf<CurvatureConvergenceView>());
        add("spectrum", curvatureOf<CurvatureSpectrumView>());
        add("histogram", curvatureOf<CurvatureHistogramView>());
        add("layers", curvatureOf<CurvatureLayersView>());
        add("matrix", curvatureOf<CurvatureMatrixView>());
        add("answers", viewOf<ResponseView>([](ResponseView& view) { view.setData(analysis()); }));
        add("effects", viewOf<EffectMapView>([](EffectMapView& view) { view.setData(analysis()); }));
        add("distances", viewOf<KDistanceView>([](KDistanceView& view) { view.setDistances({0.1, 0.2, 0.4}, 5); }));
        add("planes", viewOf<PartitionPlaneView>([](PartitionPlaneView& view) { view.setPoints(places(), {}); }));
        add("hypotheses", viewOf<HypothesisReport>([](HypothesisReport& view) { view.setData(analysis()); }));
        add("table", viewOf<DataTableView>([](DataTableView& view) {
                view.setTable(modules());
                view.setFilter(QStringLiteral("layers"));
            }));
        add("empty table", viewOf<DataTableView>([](DataTableView&) {}));
    }

    void viewsFollow()
    {
        QFETCH(const Make, make);
        const std::unique_ptr<QWidget> view = make();
        test::showAt(*view, 1100, 500);
        use(*view);
        QApplication::processEvents();
        const Texts first = textsOf(*view);
        const Standing standing = standingOf(*view);
        Quoting quoting;
        switchLanguage([&] { QCoreApplication::installTranslator(&quoting); });
        const Texts quoted = textsOf(*view);
        const bool stands = standingOf(*view) == standing;
        switchLanguage([&] { QCoreApplication::removeTranslator(&quoting); });
        checkTranslated(first, quoted);
        QVERIFY(stands);
        for (const auto& [where, text] : textsOf(*view)) {
            const QString then = first.count(where) ? first.at(where) : QString();
            QVERIFY2(text == then, qPrintable(QStringLiteral("%1: \"%2\" was \"%3\"").arg(where, text, then)));
        }
        QVERIFY(standingOf(*view) == standing);
    }

    // A text that was handed in stays until another is; a function is asked anew.
    void placeholdersAndTitlesAsTheyWereGiven()
    {
        LadderView view;
        test::showAt(view, 600, 300);
        view.setPlaceholder(QStringLiteral("Wait."));
        view.setTitle([] { return QCoreApplication::translate("peakscope::Sample", "Steps"); });
        Quoting quoting;
        switchLanguage([&] { QCoreApplication::installTranslator(&quoting); });
        QCOMPARE(view.title(), QStringLiteral("«Steps»"));
        QVERIFY(!view.showsPlot());
        QCOMPARE(view.accessibleDescription(), QStringLiteral("Wait."));
        switchLanguage([&] { QCoreApplication::removeTranslator(&quoting); });
        QCOMPARE(view.title(), QStringLiteral("Steps"));
    }

    // Ticks count in the language of the moment, not in that of the start.
    void numbersFollow()
    {
        MemoryTimelineView view;
        fillTimeline(view);
        test::showAt(view, 800, 400);
        const QLocale before;
        QLocale::setDefault(QLocale(QLocale::German));
        Quoting quoting;
        switchLanguage([&] { QCoreApplication::installTranslator(&quoting); });
        QCOMPARE(view.plot()->locale().decimalPoint(), QStringLiteral(","));
        QLocale::setDefault(before);
        switchLanguage([&] { QCoreApplication::removeTranslator(&quoting); });
        QCOMPARE(view.plot()->locale().decimalPoint(), before.decimalPoint());
    }
};

PEAKSCOPE_TEST(TestViewsLanguage)
#include "test_views_language.moc"
