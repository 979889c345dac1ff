// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// No way from one kind of result over a workspace to another kind leaves a chart too small to be read, in a window of
// 1280 x 720; and one panel has the whole page for a while.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/panels/doctor.h"
#include "app/panels/memory_snapshot_panel.h"
#include "app/plan/plan_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"

#include <qcustomplot.h>

#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QTabWidget>
#include <QToolButton>

#include <map>

using namespace peakscope;
using namespace peakscope::test;
using namespace peakscope::testing;

namespace {

const QSize kSmallScreen(1280, 720);

struct Kind {
    QString name, file;
};

bool isTimeline(const PlotView* view)
{
    return qobject_cast<const MemoryTimelineView*>(view) || qobject_cast<const SnapshotTimelineView*>(view) ||
           qobject_cast<const CompareTimelineView*>(view);
}

// One line for each chart that is too small.
QStringList tooSmall(const MainWindow& window)
{
    QStringList lines;
    for (const PlotView* view : window.findChildren<PlotView*>()) {
        if (view->visibleRegion().isEmpty())
            continue;
        if (view->height() < (isTimeline(view) ? 220 : 140))
            lines << QStringLiteral("%1 is %2 px high").arg(view->title()).arg(view->height());
        if (view->showsPlot() && view->plot()->height() < 90)
            lines << QStringLiteral("%1 has a plot %2 px high").arg(view->title()).arg(view->plot()->height());
        // What the axes and the strip of phases leave.
        if (const int inside = view->plot()->xAxis->axisRect()->height();
            view->showsPlot() && isTimeline(view) && inside < 70)
            lines << QStringLiteral("%1 draws on %2 px").arg(view->title()).arg(inside);
    }
    return lines;
}

} // namespace

class TestWindowLayouts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void everyChartKeepsItsHeight_data();
    void everyChartKeepsItsHeight();
    void analysesAndComparisonsKeepTheirs();
    void endsForMemoryKeepTheirs_data();
    void endsForMemoryKeepTheirs();
    void anotherResultTakesItBack();
    void wordsHaveThreeSizes();
    void aPanelHasTheWholePage(); // the last: after its double clicks Qt takes a button for held

private:
    void open(MainWindow& window);
    QString write(const QString& name, const RunResult& result);
    void settle(MainWindow& window);
    void choose(MainWindow& window, const Kind& kind);

    QTemporaryDir m_home;
    std::vector<Kind> m_kinds;
};

QString TestWindowLayouts::write(const QString& name, const RunResult& result)
{
    QString path = m_home.filePath(name + QStringLiteral(".json"));
    if (!saveRunResult(result, path.toStdString()))
        qWarning("can't write %s", qPrintable(path));
    return path;
}

void TestWindowLayouts::initTestCase()
{
    testing::isolate(m_home);
    testing::useFakeWorker("complete");
    m_kinds.push_back({"a training run", writeSmallResult(m_home, QStringLiteral("run.json"), "run")});
    QFile snapshot(m_home.filePath(QStringLiteral("small.pickle")));
    QVERIFY(snapshot.open(QIODevice::WriteOnly));
    snapshot.write(pickled(SmallTraining(3).json()));
    snapshot.close();
    m_kinds.push_back({"a snapshot", snapshot.fileName()});
    RunResult dry = testing::smallResult();
    dry.id = "dry";
    dry.config["device"] = "dry:h100-80gb";
    dry.other["dry"] = true;
    m_kinds.push_back({"a dry run", write("dry", dry)});
    RunResult over = testing::smallResult(); // with a message and the doctor
    over.id = "over";
    over.status = RunStatus::OverBudget;
    over.message = "3.00 MiB more in phase Forward on top of 55.4 MiB live would pass the budget of 57.2 MiB";
    m_kinds.push_back({"a run out of memory", write("over", over)});
    m_kinds.push_back({"curvature", write("curvature", curvatureResult(true))});
    m_kinds.push_back({"a sweep", QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/sweep/"
                                                                      "memory_profile_results.json")});
}

// Until what is read and computed is shown, and docks have taken their sizes.
void TestWindowLayouts::settle(MainWindow& window)
{
    QVERIFY(QTest::qWaitFor(
        [&] { return !reading(window) && !part<ComparePage>(window)->busy() && !part<PlanPage>(window)->busy(); }));
    for (int turn = 0; turn < 3; ++turn)
        QTest::qWait(1);
}

void TestWindowLayouts::open(MainWindow& window)
{
    window.setSessionKept(false);
    window.resize(kSmallScreen);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    waitForForm(window);
}

void TestWindowLayouts::choose(MainWindow& window, const Kind& kind)
{
    window.openFiles({kind.file});
    settle(window);
}

void TestWindowLayouts::everyChartKeepsItsHeight_data()
{
    QTest::addColumn<Kind>("before");
    for (const Kind& kind : m_kinds)
        QTest::newRow(qPrintable(kind.name)) << kind;
}

void TestWindowLayouts::everyChartKeepsItsHeight()
{
    QFETCH(const Kind, before);
    MainWindow window;
    open(window);
    QStringList faults;
    const auto look = [&](const QString& where) {
        for (const QString& fault : tooSmall(window))
            faults << where + QStringLiteral(": ") + fault;
        if (window.size() != kSmallScreen)
            faults << where + QStringLiteral(": the window grows");
    };
    for (const char* workspace : {"plan", "run", "analyse", "compare"}) {
        for (const Kind& after : m_kinds) {
            const QString way = QStringLiteral("%1, %2, %3").arg(before.name, QLatin1String(workspace), after.name);
            trigger(window, QStringLiteral("restoreLayout"));
            choose(window, before);
            look(way + QStringLiteral(" (before)"));
            window.showWorkspace(QLatin1String(workspace));
            settle(window);
            look(way + QStringLiteral(" (workspace)"));
            choose(window, after);
            look(way);
        }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("\n") + faults.join(u'\n')));
}

void TestWindowLayouts::analysesAndComparisonsKeepTheirs()
{
    MainWindow window;
    open(window);
    const Kind analysis{"an analysis", write("analysis", analysisRun())};
    choose(window, analysis);
    QCOMPARE(front(window), QStringLiteral("analyse"));
    QVERIFY2(tooSmall(window).isEmpty(), qPrintable(tooSmall(window).join(u'\n')));
    const auto lowest = [&window] { // of what lies within axes
        int height = window.height();
        for (const QCustomPlot* plot : part<AnalysePage>(window)->findChildren<QCustomPlot*>())
            height = plot->isVisible() ? std::min(height, plot->axisRect()->height()) : height;
        return height;
    };
    QTabWidget* rows = nullptr;
    for (auto* tabs : part<AnalysePage>(window)->findChildren<QTabWidget*>())
        rows = tabs->isAncestorOf(part<AnalysePage>(window)->scatter()) ? tabs : rows;
    QVERIFY(rows && rows->count() == 2);
    for (const int row : {0, 1}) {
        rows->setCurrentIndex(row);
        settle(window);
        QVERIFY2(lowest() >= 140, qPrintable(QString::number(lowest())));
    }
    window.resize(1920, 1080); // both have room
    settle(window);
    QVERIFY(part<AnalysePage>(window)->scatter()->isVisible() && part<AnalysePage>(window)->responses()->isVisible());
    QVERIFY2(lowest() >= 140, qPrintable(QString::number(lowest())));
    window.resize(kSmallScreen);
    settle(window);
    for (const Kind& kind : {m_kinds.front(), analysis}) {
        window.compareFiles({kind.file, m_kinds[2].file});
        settle(window);
        QCOMPARE(front(window), QStringLiteral("compare"));
        QVERIFY2(tooSmall(window).isEmpty(), qPrintable(tooSmall(window).join(u'\n')));
        QCOMPARE(window.size(), kSmallScreen);
    }
}

void TestWindowLayouts::endsForMemoryKeepTheirs_data()
{
    QTest::addColumn<bool>("own");
    QTest::addColumn<bool>("library");
    QTest::newRow("our run") << true << false;
    QTest::newRow("our run beside the library") << true << true;
    QTest::newRow("a snapshot") << false << false;
    QTest::newRow("a snapshot beside the library") << false << true;
}

// With a message of several lines and the doctor's cards, also where a large window has become a small one.
void TestWindowLayouts::endsForMemoryKeepTheirs()
{
    QFETCH(bool, own);
    QFETCH(bool, library);
    RunResult over = testing::smallResult();
    over.id = "long";
    over.status = RunStatus::OverBudget;
    over.message =
        "over budget: 12.0 MiB more in phase backward, module "
        "model.decoder.layers.5.self_attn.out_proj.lora_B.default, operator "
        "aten::_scaled_dot_product_efficient_attention_backward on top of 275 MiB live would pass the budget "
        "of 286 MiB";
    over.config["data"] = {{"source", "builtin"}, {"batch", 8}, {"seq", 8}};
    over.config["budget_bytes"] = std::int64_t{1} << 30;
    MainWindow window;
    open(window);
    window.resize(1600, 1000);
    choose(window, {"an end", own ? write("long", over) : sampleFile(Sample::OutOfMemory)});
    RunPage* page = part<RunPage>(window);
    Doctor* doctor = own ? page->doctor() : page->snapshot()->findChild<Doctor*>();
    QTRY_VERIFY_WITH_TIMEOUT(doctor->isVisible() && doctor->isOpen() && !doctor->isBusy(), kSearchPatience);
    window.resize(kSmallScreen);
    settle(window);
    auto* opens = window.findChild<QToolButton*>(QStringLiteral("openLibrary"));
    if (library && opens->isVisible())
        opens->click();
    settle(window);
    QCOMPARE(window.size(), kSmallScreen);
    QVERIFY2(tooSmall(window).isEmpty(), qPrintable(tooSmall(window).join(u'\n')));
    QVERIFY(doctor->remedies()->isVisible() || doctor->height() >= 60); // a card of it is seen
}

// An answer, text, and what is small.
void TestWindowLayouts::wordsHaveThreeSizes()
{
    const auto window = newWindow();
    waitForForm(*window);
    std::map<double, QString> sizes;
    const auto look = [&] {
        QCoreApplication::processEvents();
        for (const QWidget* widget : window->findChildren<QWidget*>()) {
            if (widget->isVisible() && (qobject_cast<const QLabel*>(widget) || widget->focusPolicy() != Qt::NoFocus))
                sizes.emplace(widget->font().pointSizeF(), QString::fromLatin1(widget->metaObject()->className()));
        }
    };
    look();
    for (const int key : {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4}) {
        QTest::keyClick(window.get(), static_cast<Qt::Key>(key), Qt::ControlModifier);
        look();
    }
    for (const Sample sample : {Sample::Training, Sample::Noise, Sample::OutOfMemory, Sample::Plan}) {
        window->openFiles({sampleFile(sample)});
        QTRY_VERIFY(!reading(*window) && !window->busy());
        look();
    }
    QStringList found;
    for (const auto& [points, who] : sizes)
        found << QStringLiteral("%1 pt in %2").arg(points).arg(who);
    QVERIFY2(sizes.size() <= 3, qPrintable(found.join(QStringLiteral(", "))));
}

void TestWindowLayouts::aPanelHasTheWholePage()
{
    MainWindow window;
    open(window);
    choose(window, m_kinds.front());
    RunPage* page = part<RunPage>(window);
    PlotView* bars = page->componentBars();
    PlotView* timeline = page->resultTimeline();
    const auto places = [&] { return QList<QRect>{bars->geometry(), timeline->geometry()}; };
    const QList<QRect> before = places();
    const auto isWhole = [&] { return !timeline->isVisible() && bars->height() > before[0].height() + 200; };
    const auto isBefore = [&] { return timeline->isVisible() && places() == before; };
    QTest::mouseDClick(bars->findChild<QWidget*>(QStringLiteral("panelTitle")), Qt::LeftButton);
    QTRY_VERIFY(isWhole());
    QTest::keyClick(&window, Qt::Key_Escape);
    QTRY_VERIFY(isBefore());
    bars->setFocus();
    trigger(window, QStringLiteral("wholePanel"));
    QTRY_VERIFY(isWhole());
    trigger(window, QStringLiteral("wholePanel"));
    QTRY_VERIFY(isBefore());
    // By the handle that a panel is moved with, for one without a title of its own.
    QWidget* tables = page->table(QStringLiteral("components"));
    auto* dock = page->findChild<QDockWidget*>(QStringLiteral("tables"));
    QTest::mouseDClick(dock->titleBarWidget(), Qt::LeftButton);
    QTRY_VERIFY(!timeline->isVisible() && !bars->isVisible() && tables->isVisible());
    QVERIFY(!dock->isFloating());
    QTest::mouseDClick(dock->titleBarWidget(), Qt::LeftButton);
    QTRY_VERIFY(isBefore());
}

void TestWindowLayouts::anotherResultTakesItBack()
{
    MainWindow window;
    open(window);
    choose(window, m_kinds.front());
    for (const Kind& kind : m_kinds) {
        RunPage* page = part<RunPage>(window);
        page->componentBars()->setFocus();
        trigger(window, QStringLiteral("wholePanel"));
        choose(window, kind);
        QTRY_VERIFY2(tooSmall(window).isEmpty(), qPrintable(kind.name + tooSmall(window).join(u'\n')));
        choose(window, m_kinds.front());
        QVERIFY2(page->resultTimeline()->isVisible() && page->componentBars()->isVisible(), qPrintable(kind.name));
    }
}

PEAKSCOPE_TEST(TestWindowLayouts)
#include "test_window_layouts.moc"
