// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Curvature runs in the window: set up, shown live from recorded events, gone on with after an interruption, opened
// again; and pictures of it in both themes and languages for people to look at.
#include "app/export/export_dialog.h"
#include "app/form/check_box_grid.h"
#include "app/form/experiment_form.h"
#include "app/form/run_panel.h"
#include "app/panels/curvature_page.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/table_tabs.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "app/run/run_timelines.h"
#include "core/analysis/response/finished_result.h"
#include "core/experiment/curvature_quantity.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/curvature/curvature_convergence_view.h"
#include "widgets/curvature/curvature_histogram_view.h"
#include "widgets/curvature/curvature_layers_view.h"
#include "widgets/curvature/curvature_matrix_view.h"
#include "widgets/curvature/curvature_spectrum_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"

#include <qcustomplot.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTimer>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

nlohmann::json curvatureExperiment()
{
    nlohmann::json experiment = testing::smallExperiment();
    experiment["kind"] = "curvature";
    experiment.erase("training");
    experiment["budget_bytes"] = 200 << 20;
    experiment["curvature"] = {{"quantities", {"trace", "eigenvalues", "density", "diagonal", "block_diagonal"}},
                               {"probes", 80},
                               {"top_k", 4},
                               {"parameters", {{"select", "sample"}, {"count", 1200}}}};
    return experiment;
}

QStringList progressFiles(const QString& folder)
{
    return QDir(folder).entryList({QStringLiteral("*.progress")}, QDir::Files);
}

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCurvatureRun : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        testing::isolate(m_home);
        testing::useFakeWorker("replay");
        qputenv("PEAKSCOPE_FAKE_EVENTS", PEAKSCOPE_SOURCE_DIR "/tests/widgets/data/curvature_events.jsonl");
    }

    void init() { qunsetenv("PEAKSCOPE_FAKE_DIE"); }

    void theFormMakesACurvatureExperiment()
    {
        ExperimentForm form;
        form.setDocument(testing::smallExperiment());
        form.show();
        auto* kind = static_cast<QComboBox*>(form.field("kind"));
        QVERIFY(!form.field("curvature.probes")->isVisible());
        QVERIFY(form.field("training.steps")->isVisible());
        kind->setCurrentIndex(kind->findData(QStringLiteral("curvature")));
        form.validate();
        QVERIFY2(form.isValid(), qPrintable(form.problem({})));
        QVERIFY(form.field("curvature.probes")->isVisible());
        QVERIFY(!form.field("training.steps")->isVisible());
        nlohmann::json document = form.document();
        QVERIFY(document["kind"] == "curvature");
        QVERIFY(!document.contains("training"));
        QVERIFY(document["curvature"]["parameters"]["select"] == "sample");
        QVERIFY(experimentSummary(form.document()).contains(QStringLiteral("curvature")));

        auto* checks = static_cast<CheckBoxGrid*>(form.field("curvature.quantities"));
        for (const CurvatureQuantity quantity : kCurvatureQuantities)
            QVERIFY2(checks->box(QString::fromStdString(std::string(name(quantity)))), name(quantity).data());
        QCOMPARE(checks->words().size(), std::ssize(CurvatureOptions().quantities)); // the experiment's own default
        QVERIFY(!form.field("curvature.density_steps")->isVisible());
        QTest::mouseClick(checks->box(QStringLiteral("density")), Qt::LeftButton);
        QVERIFY(form.field("curvature.density_steps")->isVisible());
        static_cast<QLineEdit*>(form.field("curvature.probes"))->setText(QStringLiteral("0"));
        form.validate();
        QVERIFY(!form.isValid());
        QVERIFY(!form.problem("curvature.probes").isEmpty());
        static_cast<QLineEdit*>(form.field("curvature.probes"))->setText(QStringLiteral("12"));
        checks->setWords({});
        form.validate();
        QVERIFY(!form.problem("curvature.quantities").isEmpty());
        checks->setWords({QStringLiteral("trace")});
        form.validate();
        QVERIFY(form.isValid());
        document = form.document();
        QVERIFY(document["curvature"]["quantities"] == nlohmann::json({"trace"}));
        QVERIFY(document["curvature"]["probes"] == 12);
        // Back to a training run.
        kind->setCurrentIndex(kind->findData(QStringLiteral("memory")));
        form.validate();
        QVERIFY(form.isValid());
        QVERIFY(!form.document().contains("curvature"));
    }

    void curvatureDocumentsComeBack_data()
    {
        QTest::addColumn<QByteArray>("curvature");
        QTest::newRow("sample") << QByteArray(
            R"({"quantities": ["diagonal"], "parameters": {"select": "sample", "count": 77}, "probes": 5})");
        QTest::newRow("names") << QByteArray(
            R"({"quantities": ["diagonal", "full"], "parameters": {"select": "names", "names": ["*.fc1.weight"]}})");
        QTest::newRow("entries") << QByteArray(
            R"({"quantities": ["diagonal"], "parameters": {"select": "entries", "entries": [)"
            R"({"parameter": "lm_head.weight", "index": 17}, {"parameter": "a.b", "index": 0}]}})");
        QTest::newRow("finite differences") << QByteArray(
            R"({"quantities": ["trace"], "method": "finite_difference", "step": 1e-4, "interval_width": 0.5})");
        QTest::newRow("features by head") << QByteArray(R"({"quantities": ["features", "kfac"], "unit": "head"})");
    }

    void curvatureDocumentsComeBack()
    {
        QFETCH(QByteArray, curvature);
        nlohmann::json experiment = curvatureExperiment();
        experiment["curvature"] = nlohmann::json::parse(curvature.toStdString());
        ExperimentForm form;
        form.setDocument(experiment);
        const auto before = experimentFromJson(experiment), after = experimentFromJson(form.document());
        QVERIFY2(before.ok(), before ? "" : before.error().text().c_str());
        QVERIFY2(after.ok(), after ? "" : after.error().text().c_str());
        QVERIFY(after->document["curvature"] == before->document["curvature"]);
    }

    void wrongShapesDoNoHarm()
    {
        for (const char* text :
             {R"({"curvature": 3})", R"({"curvature": {"parameters": 5}})",
              R"({"curvature": {"quantities": "trace", "parameters": {"entries": [1, {"a": 2}]}}})"}) {
            nlohmann::json experiment = curvatureExperiment();
            experiment.merge_patch(nlohmann::json::parse(text));
            ExperimentForm form;
            form.setDocument(experiment);
            form.validate();
            (void)form.document();
        }
    }

    void aRunIsShownLiveAndItsResultKeepsTheCourse()
    {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        CurvaturePage* curvature = workspace(window)->curvature();
        QVERIFY(!curvature->isShown());
        const int id = part<RunStarter>(window)->start(curvatureExperiment());
        QTRY_VERIFY(curvature->isShown());
        QTRY_VERIFY(curvature->convergence()->isVisible());
        // While it goes on: the estimate, the rate and the memory against the budget.
        QTRY_VERIFY_WITH_TIMEOUT(curvature->convergence()->showsPlot(), 10000);
        QTRY_VERIFY_WITH_TIMEOUT(curvature->liveFacts(1 << 20, 200 << 20).contains(QStringLiteral("products/s")),
                                 10000);
        QVERIFY(curvature->liveFacts(1 << 20, 200 << 20).contains(QStringLiteral("200 MiB")));
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 20000);
        QCOMPARE(part<RunQueue>(window)->info(id)->state, RunState::Complete);
        QVERIFY(curvature->isShown());
        QTRY_VERIFY(curvature->spectrum()->showsPlot());
        QVERIFY(curvature->histogram()->showsPlot() && curvature->layers()->showsPlot());
        QVERIFY(curvature->convergence()->visibleDataTsv().count(QLatin1Char('\n')) > 5);
        QCOMPARE(workspace(window)->table(QStringLiteral("eigenvalues"))->view()->model()->rowCount(), 4);
        QVERIFY(workspace(window)->table(QStringLiteral("blocks"))->view()->model()->rowCount() > 20);
        // The file has it all as well.
        const auto saved = loadRunResult(part<RunQueue>(window)->info(id)->outcome.path.toStdString());
        QVERIFY(saved.ok());
        const CurvatureData read = *finishedResult(*saved)->curvature;
        QVERIFY(read.course.series().at("trace").size() > 5);
        QVERIFY(read.course.series().count("eigenvalue.1") && read.course.series().count("eigenvalue.4"));
        QVERIFY(read.course.series().count("diagonal_mean"));
        m_path = part<RunQueue>(window)->info(id)->outcome.path;
    }

    void anInterruptedRunIsGoneOnWith()
    {
        // That of the recorded events, so that the result is known to be of it.
        QFile events(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/widgets/data/curvature_events.jsonl"));
        QVERIFY(events.open(QIODevice::ReadOnly));
        const nlohmann::json recorded = nlohmann::json::parse(events.readLine().toStdString())["config"];
        const QTemporaryDir folder;
        JobQueue jobs;
        RunQueue queue(jobs, folder.path());
        const auto finished = [&queue](int id) { return isFinished(queue.info(id)->state); };
        qputenv("PEAKSCOPE_FAKE_DIE", "1");
        const int first = queue.enqueue(testing::agreed(recorded), QStringLiteral("first"));
        QTRY_VERIFY_WITH_TIMEOUT(finished(first), 20000);
        QCOMPARE(progressFiles(folder.path()).size(), 1);
        const QString file = folder.filePath(progressFiles(folder.path()).front());
        QCOMPARE(contents(file), QByteArray("here\n"));
        // The same file for the same experiment with another budget; another one for another experiment.
        nlohmann::json again = recorded;
        again["budget_bytes"] = 300 << 20;
        const int second = queue.enqueue(testing::agreed(again), QStringLiteral("second"));
        QTRY_VERIFY_WITH_TIMEOUT(finished(second), 20000);
        QCOMPARE(contents(file), QByteArray("here\nhere\n"));
        again["seed"] = 7;
        const int third = queue.enqueue(testing::agreed(again), QStringLiteral("third"));
        QTRY_VERIFY_WITH_TIMEOUT(finished(third), 20000);
        QCOMPARE(progressFiles(folder.path()).size(), 2);
        // One that is to begin anew has its own.
        const int anew = queue.enqueue(testing::agreed(recorded), QStringLiteral("anew"), false);
        QTRY_VERIFY_WITH_TIMEOUT(finished(anew), 20000);
        QCOMPARE(progressFiles(folder.path()).size(), 3);
        QCOMPARE(contents(file), QByteArray("here\nhere\n"));
        QVERIFY(queue.info(first)->outcome.path == queue.info(second)->outcome.path);
        // One that is taken out before it goes on leaves the earlier result alone.
        const QString before = queue.info(second)->outcome.path;
        jobs.hold();
        const int taken = queue.enqueue(testing::agreed(recorded), QStringLiteral("taken out"));
        queue.cancel(taken);
        QVERIFY(finished(taken) && !queue.info(taken)->outcome.result && queue.info(taken)->outcome.path.isEmpty());
        QVERIFY(queue.info(taken)->outcome.saveError.isEmpty() && QFile::exists(before));
        jobs.release();
        // A memory run notes nothing.
        const int memory = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("memory"));
        QTRY_VERIFY_WITH_TIMEOUT(finished(memory), 20000);
        QCOMPARE(progressFiles(folder.path()).size(), 3);
    }

    void memoryResultsHideWhatCurvatureAdds()
    {
        QVERIFY(!m_path.isEmpty());
        const QString memory = m_home.filePath(QStringLiteral("memory.json"));
        QVERIFY(saveRunResult(testing::smallResult(), memory.toStdString()).ok());
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({m_path});
        QTRY_VERIFY(!reading(window));
        CurvaturePage* curvature = workspace(window)->curvature();
        QTRY_VERIFY(curvature->isShown());
        // It was measured without a timeline, and nothing more comes.
        QCOMPARE(workspace(window)->findChild<ComponentBarsView*>()->accessibleDescription(),
                 QStringLiteral("This result holds none."));
        auto* tabs = workspace(window)->findChild<TableTabs*>();
        const auto visibleTabs = [tabs] {
            QStringList names;
            for (int i = 0; i < tabs->count(); ++i) {
                if (tabs->isTabVisible(i))
                    names.append(tabs->tabText(i));
            }
            return names.join(QStringLiteral(", "));
        };
        const QString both = QStringLiteral("Components, Modules, Operators, Snapshots");
        const QString curvatures =
            QStringLiteral("Eigenvalues, Blocks, Diagonal entries, Estimates, "); // it holds no pairs of tensors
        QCOMPARE(visibleTabs(), curvatures + both);
        window.openFiles({memory});
        QTRY_VERIFY(!curvature->isShown());
        QVERIFY(!curvature->convergence()->isVisible());
        // Only a result with events of an allocator can say what was alive at an instant.
        QCOMPARE(visibleTabs(), QStringLiteral("Components, Modules, Operators, Alive then, Snapshots"));
        // What the user closed stays closed when the next curvature result opens.
        window.openFiles({m_path});
        QTRY_VERIFY(curvature->isShown());
        auto* dock = window.findChild<QDockWidget*>(QStringLiteral("curvature_convergence"));
        dock->toggleViewAction()->trigger();
        QVERIFY(!dock->isVisible());
        window.openFiles({memory});
        QTRY_VERIFY(!curvature->isShown());
        window.openFiles({m_path});
        QTRY_VERIFY(curvature->isShown());
        QVERIFY(!dock->isVisible());
    }

    void rowsAreInspectedAndFiguresAsked()
    {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({m_path});
        QTRY_VERIFY(workspace(window)->curvature()->isShown());
        DataTableView* table = workspace(window)->table(QStringLiteral("eigenvalues"));
        table->view()->setFocus();
        table->view()->setCurrentIndex(table->view()->model()->index(1, 0));
        QTest::keyClick(table->view(), Qt::Key_Up);
        QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("Lanczos")));
        QSignalSpy figures(workspace(window), &RunPage::figureRequested);
        emit workspace(window)->curvature()->histogram()->exportRequested();
        QCOMPARE(figures.takeFirst().first().toString(), QStringLiteral("hessian_histogram"));
    }

    void theWholeMatrixStandsBesideTheSpectrum()
    {
        RunResult result = test::matrixResult();
        result.id = "with-matrix";
        const QString path = m_home.filePath(QStringLiteral("matrix.json"));
        QVERIFY(saveRunResult(result, path.toStdString()).ok());
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({path});
        CurvaturePage* curvature = workspace(window)->curvature();
        QTRY_VERIFY(curvature->isShown());
        QVERIFY(curvature->matrix()->showsPlot());
        workspace(window)->restoreDefaultLayout(); // whatever was closed before
        QTRY_VERIFY(isSeen(curvature->convergence()) && !isSeen(curvature->matrix()));
        clickTab(window, QStringLiteral("Matrix"));
        QTRY_VERIFY(isSeen(curvature->matrix()) && !isSeen(curvature->convergence()));
        QVERIFY(isSeen(curvature->spectrum())); // both at once
        // By mouse: a cell, then the table behind it, a row of which is inspected.
        PlotView* view = curvature->matrix();
        const auto hover = [view] {
            const QPoint place = view->plot()->axisRect()->rect().center();
            QMouseEvent move(QEvent::MouseMove, place, view->plot()->mapToGlobal(place), Qt::NoButton, Qt::NoButton,
                             Qt::NoModifier);
            QApplication::sendEvent(view->plot(), &move);
            return static_cast<CurvatureMatrixView*>(view)->readout();
        };
        QTRY_VERIFY(hover().contains(QStringLiteral("norm of the block"))); // once the docks have their places
        emit view->showDataRequested();
        DataTableView* table = workspace(window)->table(QStringLiteral("tensor_blocks"));
        QTRY_VERIFY(table->isVisible());
        QCOMPARE(table->view()->model()->rowCount(), 36);
        table->view()->setFocus();
        table->view()->setCurrentIndex(table->view()->model()->index(1, 0));
        QTest::keyClick(table->view(), Qt::Key_Up);
        QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("symmetric")));
        QSignalSpy figures(workspace(window), &RunPage::figureRequested);
        emit view->exportRequested();
        QCOMPARE(figures.takeFirst().first().toString(), QStringLiteral("hessian_spectrum"));
        // A result without one says so.
        window.openFiles({m_path});
        QTRY_VERIFY(!curvature->matrix()->showsPlot());
        QCOMPARE(table->view()->model()->rowCount(), 0);
    }

    // No panel of memory stands empty beside it.
    void curvatureAloneHasThePage()
    {
        RunResult result = test::curvatureResult(true);
        result.id = "alone";
        QVERIFY(!result.memory);
        const QString path = m_home.filePath(QStringLiteral("alone.json"));
        QVERIFY(saveRunResult(result, path.toStdString()).ok());
        result.id = "both";
        result.memory = testing::smallResult().memory;
        const QString both = m_home.filePath(QStringLiteral("both.json"));
        QVERIFY(saveRunResult(result, both.toStdString()).ok());
        QSettings().clear();                // the layout that another window left, late or in time, is not this one's
        settings::setFoldsSidePanels(true); // as it is at this size
        MainWindow window;
        window.setSessionKept(false);
        window.resize(1280, 720);
        window.show();
        window.openFiles({path});
        const RunPage* page = workspace(window);
        QTRY_VERIFY(page->curvature()->isShown());
        const auto bars = [page](const char* name) { return page->findChild<QDockWidget*>(QLatin1String(name)); };
        const auto onlyCurvature = [&] {
            return isSeen(page->curvature()->convergence()) && isSeen(page->curvature()->spectrum()) &&
                   !page->timelines()->isVisible() && !bars("components")->isVisible() && !bars("modules")->isVisible();
        };
        QTRY_VERIFY(onlyCurvature());
        QVERIFY(!bars("components")->toggleViewAction()->isVisible());
        trigger(window, QStringLiteral("restoreLayout"));
        QTRY_VERIFY(onlyCurvature());
        QTest::qWait(100);
        test::saveScreenshot(window, QStringLiteral("curvature_alone"));
        // What holds memory as well has its panels: at this size as tabs of the row that begins with curvature.
        const auto allPanels = [&] {
            return page->timelines()->isVisible() && !bars("components")->isHidden() &&
                   isSeen(page->curvature()->spectrum()) &&
                   bars("components")->geometry().bottom() < 0; // behind its tab
        };
        window.openFiles({both});
        QTRY_VERIFY(allPanels());
        QVERIFY(bars("components")->toggleViewAction()->isVisible());
        bars("modules")->close();
        window.openFiles({path});
        QTRY_VERIFY(onlyCurvature());
        window.openFiles({both});
        QTRY_VERIFY(allPanels());
        QVERIFY(bars("modules")->isHidden()); // as the user left it
        settings::setFoldsSidePanels(false);
    }

    // As many entries as a result lists at the most. The window's thread is asked for a sign of life every 10 ms.
    void aMillionEntriesNeverBlockTheWindow()
    {
        RunResult result = test::curvatureResult(true);
        result.id = "million";
        nlohmann::json& diagonal = result.other["curvature"]["diagonal"];
        diagonal["entries"] = nlohmann::json::array();
        constexpr int kEntries = 1'000'000;
        for (int i = 0; i < kEntries; ++i)
            diagonal["entries"].push_back({{"parameter", "model.layers." + std::to_string(i / 100'000) + ".fc1.weight"},
                                           {"index", i % 100'000},
                                           {"value", (i % 3 ? 1e-6 : -1e-3) * (1 + i % 97)}});
        diagonal["count"] = kEntries;
        const QString path = m_home.filePath(QStringLiteral("million.json"));
        QVERIFY(saveRunResult(result, path.toStdString()).ok());
        result.other = nullptr;
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QElapsedTimer opening, sinceSign;
        qint64 longest = 0;
        QTimer signs;
        signs.setInterval(10);
        connect(&signs, &QTimer::timeout, this, [&] { longest = std::max(longest, sinceSign.restart()); });
        opening.start();
        sinceSign.start();
        signs.start();
        window.openFiles({path});
        CurvaturePage* curvature = workspace(window)->curvature();
        QTRY_VERIFY_WITH_TIMEOUT(curvature->isShown() && curvature->histogram()->showsPlot(), 300'000);
        QTRY_VERIFY(longest > 0);
        QCOMPARE(workspace(window)->table(QStringLiteral("diagonal"))->view()->model()->rowCount(), 0); // too many
        QVERIFY(curvature->layers()->showsPlot());
        // Reading takes seconds; the window waits for the sums over the entries alone.
        QVERIFY2(longest < std::max<qint64>(1000, opening.elapsed() / 4), qPrintable(QString::number(longest)));
    }

    void aDenseBlocksEigenvaluesAreInspected()
    {
        RunResult result = test::curvatureResult(true);
        result.id = "with-blocks";
        nlohmann::json& block = result.other["curvature"]["blocks"][0];
        block["eigenvalues"] = nlohmann::json::array();
        for (int i = 0; i < 40; ++i)
            block["eigenvalues"].push_back(i - 4.5);
        block["smallest"] = {{"value", -4.5}, {"residual", 0}};
        block["largest"] = {{"value", 34.5}, {"residual", 0}};
        const QString path = m_home.filePath(QStringLiteral("blocks.json"));
        QVERIFY(saveRunResult(result, path.toStdString()).ok());
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({path});
        QTRY_VERIFY(workspace(window)->curvature()->isShown());
        DataTableView* table = workspace(window)->table(QStringLiteral("blocks"));
        workspace(window)->findChild<TableTabs*>()->setCurrentWidget(table);
        table->view()->setFocus();
        table->view()->setCurrentIndex(table->view()->model()->index(1, 0));
        QTest::keyClick(table->view(), Qt::Key_Up);
        QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("20 of its 40 eigenvalues")));
        QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("Smallest eigenvalue")));
        QTest::keyClick(table->view(), Qt::Key_Down);
        QTRY_VERIFY(!part<InspectorPanel>(window)->plainText().contains(QStringLiteral("of its 40")));
    }

    void pictures()
    {
        for (const bool chinese : {false, true}) {
            installTranslation(chinese ? QStringLiteral("zh") : QStringLiteral("en"));
            for (const bool dark : {false, true}) {
                applyTheme(dark ? Theme::Dark : Theme::Light);
                MainWindow window;
                window.resize(1440, 960);
                window.show();
                window.openFiles({m_path});
                QTRY_VERIFY(workspace(window)->curvature()->isShown());
                QTest::qWait(50); // laid out and drawn
                save(window, chinese, dark, "result");
                workspace(window)->panel()->setDocument(curvatureExperiment());
                workspace(window)->panel()->setExpanded(true);
                QTest::qWait(50);
                save(window, chinese, dark, "form");
            }
        }
    }

private:
    // A dock behind another's tab counts as visible; it lies outside the window.
    static bool isSeen(const QWidget* widget) { return widget->isVisible() && !widget->visibleRegion().isEmpty(); }

    static void clickTab(const MainWindow& window, const QString& text)
    {
        for (QTabBar* bar : window.findChildren<QTabBar*>()) {
            for (int i = 0; bar->isVisible() && i < bar->count(); ++i) {
                if (bar->tabText(i) == text)
                    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
            }
        }
    }

    static RunPage* workspace(const MainWindow& window) { return part<RunPage>(window); }

    static void save(MainWindow& window, bool chinese, bool dark, const char* what)
    {
        const QString folder = QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots");
        QVERIFY(QDir().mkpath(folder));
        window.grab().save(QStringLiteral("%1/curvature_%2_%3_%4.png")
                               .arg(folder, QLatin1String(what), chinese ? QLatin1String("zh") : QLatin1String("en"),
                                    dark ? QLatin1String("dark") : QLatin1String("light")));
    }

    QTemporaryDir m_home;
    QString m_path; // of a finished run's result
};

PEAKSCOPE_TEST(TestCurvatureRun)
#include "test_curvature_run.moc"
