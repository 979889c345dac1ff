// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window as people use it: by mouse and keys, with files dropped, workers dying, and closing mid-run.
#include "app/export/export_dialog.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_workspace.h"
#include "app/run/experiment_form.h"
#include "app/run/run_header.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/theme_controller.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace peakscope;

class TestMainWindow : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void opensOnTheStartPage();
    void keysSwitchWorkspaces();
    void aDroppedResultOpens();
    void aDroppedExperimentFillsTheForm();
    void aKeyThatStandsTwiceIsTold();
    void aBadFileIsToldInline_data();
    void aBadFileIsToldInline();
    void severalFilesOpenAsArguments();
    void aRunIsShownLiveAndThenItsResult();
    void aKilledWorkerIsToldAndTheWindowGoesOn();
    void anOverBudgetRunCarriesItsBadge();
    void badInputStandsWhereItWasStarted();
    void stopKeepsWhatWasMeasured();
    void runAgainRepeatsTheResult();
    void whatIsNoExperimentIsToldWhereItWasStarted();
    void closingMidRunStopsAndSaves();
    void aFullDiskKeepsTheResult();
    void tablesAndInspectorFollow();
    void figuresAreExported();
    void panelsAndHeightAreChosen();
    void themesAndLayoutsSwitch();
    void theLibraryRemembers();
    void searchFilters();

private:
    std::unique_ptr<MainWindow> newWindow()
    {
        auto window = std::make_unique<MainWindow>();
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get()))
            qWarning("the window does not show");
        QCoreApplication::processEvents();
        return window;
    }
    QString writeResult(const QString& name, RunResult result = testing::smallResult())
    {
        const QString path = m_home.filePath(name);
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    static void drop(MainWindow& window, const QStringList& paths)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        const QPoint centre = window.rect().center();
        QDragEnterEvent enter(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
    }

    QTemporaryDir m_home;
};

void TestMainWindow::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestMainWindow::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
    testing::useFakeWorker("complete");
}

void TestMainWindow::opensOnTheStartPage()
{
    const auto window = newWindow();
    QCOMPARE(window->page(), MainWindow::Page::Start);
    for (const char* name : {"planDoor", "profileDoor", "openDoor"})
        QVERIFY(window->findChild<QAbstractButton*>(QString::fromLatin1(name))->isVisible());
    QTest::mouseClick(window->findChild<QAbstractButton*>(QStringLiteral("planDoor")), Qt::LeftButton);
    QCOMPARE(window->page(), MainWindow::Page::Plan);
    QTest::keyClick(window.get(), Qt::Key_Home, Qt::AltModifier);
    QCOMPARE(window->page(), MainWindow::Page::Start);
    auto* profile = window->findChild<QAbstractButton*>(QStringLiteral("profileDoor"));
    profile->setFocus();
    QTest::keyClick(profile, Qt::Key_Space);
    QCOMPARE(window->page(), MainWindow::Page::Run);
    QTRY_VERIFY(window->workspace()->panel()->runButton()->isEnabled());
}

void TestMainWindow::keysSwitchWorkspaces()
{
    const auto window = newWindow();
    for (const auto& [key, page] : {std::pair(Qt::Key_1, MainWindow::Page::Plan),
                                    {Qt::Key_2, MainWindow::Page::Run},
                                    {Qt::Key_3, MainWindow::Page::Analyse},
                                    {Qt::Key_4, MainWindow::Page::Compare}}) {
        QTest::keyClick(window.get(), key, Qt::ControlModifier);
        QCOMPARE(window->page(), page);
    }
}

void TestMainWindow::aDroppedResultOpens()
{
    const QString path = writeResult(QStringLiteral("dropped.json"));
    const auto window = newWindow();
    drop(*window, {path});
    QTRY_VERIFY(window->shownResult());
    QCOMPARE(window->page(), MainWindow::Page::Run);
    RunWorkspace* workspace = window->workspace();
    QCOMPARE(workspace->resultTimeline()->timeline()->peakBytes(), std::int64_t(6 << 20));
    QCOMPARE(workspace->header()->badges(), QStringList{QStringLiteral("complete")});
    QVERIFY(window->messages()->text().isEmpty());
    QVERIFY(window->inspector()->plainText().contains(QStringLiteral("6.00 MiB")));
    QCOMPARE(window->runLibrary()->currentFile(), path);
    QCOMPARE(settings::recentFiles(), QStringList{path});
}

void TestMainWindow::aDroppedExperimentFillsTheForm()
{
    nlohmann::json experiment = testing::smallExperiment();
    experiment["data"]["batch"] = 7;
    const QString path = m_home.filePath(QStringLiteral("experiment.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(experiment.dump()));
    file.close();
    const auto window = newWindow();
    drop(*window, {path});
    QCOMPARE(window->page(), MainWindow::Page::Run);
    QVERIFY(!window->shownResult() && window->queue()->ids().empty());
    QVERIFY(window->workspace()->panel()->form()->document()["data"]["batch"] == 7);
    QVERIFY2(window->messages()->text().contains(QStringLiteral("experiment.json is an experiment")),
             qPrintable(window->messages()->text()));
    QCOMPARE(settings::recentFiles(), QStringList{path});
}

void TestMainWindow::aKeyThatStandsTwiceIsTold()
{
    std::string text = testing::smallExperiment().dump();
    text.insert(1, R"("seed":1,"seed":2,)");
    const QString path = m_home.filePath(QStringLiteral("twice.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
    file.close();
    const auto window = newWindow();
    drop(*window, {path});
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("the key seed stands there twice")),
                 qPrintable(window->messages()->text()));
    QVERIFY(window->page() != MainWindow::Page::Run);
}

void TestMainWindow::aBadFileIsToldInline_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("truncated") << QByteArray(R"({"format": "peakscope-result", "version": 1, "kin)");
    QTest::newRow("another format") << QByteArray(R"({"hello": "world"})");
    QTest::newRow("binary") << QByteArray("\x89PNG\r\n\x1a\n\0\0\0", 11);
    QTest::newRow("a later version") << QByteArray(R"({"format": "peakscope-result", "version": 99})");
    QTest::newRow("deep nesting") << QByteArray(300000, '[');
}

void TestMainWindow::aBadFileIsToldInline()
{
    QFETCH(QByteArray, content);
    const QString path = m_home.filePath(QStringLiteral("bad.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    const auto window = newWindow();
    drop(*window, {path});
    QTRY_VERIFY(!window->messages()->text().isEmpty());
    const QString text = window->messages()->text();
    QVERIFY2(text.contains(QStringLiteral("bad.json")), qPrintable(text));
    QVERIFY(!text.contains(u'\n'));
    QVERIFY(!window->shownResult());
    QVERIFY(!QApplication::activeModalWidget());
    // The window goes on.
    drop(*window, {writeResult(QStringLiteral("good.json"))});
    QTRY_VERIFY(window->shownResult());
    QVERIFY(window->messages()->text().isEmpty());
}

void TestMainWindow::severalFilesOpenAsArguments()
{
    RunResult second = testing::smallResult();
    second.status = RunStatus::Interrupted;
    second.message = "The worker was killed (signal 9).";
    const QStringList paths{writeResult(QStringLiteral("a.json")), writeResult(QStringLiteral("b.json"), second)};
    const auto window = newWindow();
    window->openFiles(paths);
    QTRY_VERIFY(window->shownResult() && window->shownResult()->status == RunStatus::Interrupted);
    QVERIFY(window->workspace()->messages()->text().contains(QStringLiteral("signal 9")));
    // The other one is a key away.
    window->runLibrary()->selectFile(paths.first());
    QTest::keyClick(window->runLibrary()->findChild<QAbstractItemView*>(), Qt::Key_Return);
    QTRY_COMPARE(int(window->shownResult()->status), int(RunStatus::Complete));
}

void TestMainWindow::aRunIsShownLiveAndThenItsResult()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    RunWorkspace* workspace = window->workspace();
    QTRY_VERIFY(workspace->panel()->runButton()->isEnabled());
    QTest::mouseClick(workspace->panel()->runButton(), Qt::LeftButton);
    QVERIFY(!workspace->panel()->isExpanded());
    QTRY_VERIFY(workspace->liveTimeline()->timeline() && workspace->liveTimeline()->timeline()->size() > 500);
    QVERIFY(workspace->liveTimeline()->isVisible());
    QVERIFY(workspace->liveTimeline()->showsPlot());
    QTRY_VERIFY(
        workspace->header()->findChild<QLabel*>(QStringLiteral("runFacts"))->text().contains(QStringLiteral("peak")));
    QVERIFY(window->findChild<QLabel*>(QStringLiteral("statusText"))->text().contains(QStringLiteral("50 %")));
    // Another result can be looked at meanwhile, and the run again, without losing an event.
    window->openFiles({writeResult(QStringLiteral("aside.json"))});
    QTRY_VERIFY(window->shownResult());
    const std::size_t before = workspace->liveTimeline()->timeline()->size();
    QTRY_VERIFY(workspace->liveTimeline()->timeline()->size() > before);
    window->runLibrary()->selectRun(window->queue()->ids().front());
    QTest::keyClick(window->runLibrary()->findChild<QAbstractItemView*>(), Qt::Key_Return);
    QTRY_VERIFY(workspace->liveTimeline()->isVisible());
    QTest::mouseClick(workspace->header()->findChild<QToolButton*>(QStringLiteral("stopButton")), Qt::LeftButton);
    QTRY_VERIFY(window->shownResult());
    QCOMPARE(int(window->shownResult()->status), int(RunStatus::Interrupted));
    QVERIFY(workspace->resultTimeline()->isVisible());
}

void TestMainWindow::aKilledWorkerIsToldAndTheWindowGoesOn()
{
    testing::useFakeWorker("kill");
    const auto window = newWindow();
    window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->shownResult());
    QCOMPARE(window->workspace()->header()->badges().first(), QStringLiteral("interrupted"));
    QVERIFY(window->workspace()->messages()->text().contains(QStringLiteral("signal 9")));
    QVERIFY(window->workspace()->resultTimeline()->timeline()->size() > 0);
    testing::useFakeWorker("complete");
    window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->shownResult() && window->shownResult()->status == RunStatus::Complete);
    QVERIFY(window->workspace()->messages()->text().isEmpty());
}

void TestMainWindow::anOverBudgetRunCarriesItsBadge()
{
    testing::useFakeWorker("over_budget");
    const auto window = newWindow();
    window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->shownResult());
    QCOMPARE(window->workspace()->header()->badges().first(), QStringLiteral("over budget"));
    QVERIFY(window->workspace()->messages()->text().contains(QStringLiteral("layers.0.fc1")));
}

void TestMainWindow::badInputStandsWhereItWasStarted()
{
    testing::useFakeWorker("bad_input");
    const auto window = newWindow();
    window->startExperiment(testing::smallExperiment());
    RunPanel* panel = window->workspace()->panel();
    QTRY_VERIFY(panel->messages()->text().contains(QStringLiteral("lost.txt")));
    QVERIFY(panel->isExpanded());
    QVERIFY(panel->form()->isVisible());
    QVERIFY(!window->shownResult());
    // "Try again" is one click.
    testing::useFakeWorker("complete");
    QTest::mouseClick(panel->messages()->findChild<QPushButton*>(), Qt::LeftButton);
    QTRY_VERIFY(window->shownResult());
}

void TestMainWindow::stopKeepsWhatWasMeasured()
{
    testing::useFakeWorker("hang");
    const auto window = newWindow();
    const int id = window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->queue()->live() && !window->queue()->live()->snapshots.empty());
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QCOMPARE(int(window->queue()->info(id)->state), int(RunState::Stopping));
    QTRY_VERIFY_WITH_TIMEOUT(window->shownResult(), 10000);
    QCOMPARE(window->shownResult()->memory->peakBytes, std::int64_t(5000));
}

void TestMainWindow::runAgainRepeatsTheResult()
{
    const QString path = writeResult(QStringLiteral("again.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(window->shownResult());
    QTest::keyClick(window.get(), Qt::Key_F5);
    QTRY_COMPARE(window->queue()->ids().size(), std::size_t(1));
    const nlohmann::json experiment = window->queue()->info(1)->experiment;
    QCOMPARE(experiment["model"]["hidden"].get<int>(), 32);
    QCOMPARE(experiment["data"]["seq"].get<int>(), 8);
    QTRY_COMPARE(int(window->queue()->info(1)->state), int(RunState::Complete));
}

void TestMainWindow::whatIsNoExperimentIsToldWhereItWasStarted()
{
    const auto window = newWindow();
    window->showPage(MainWindow::Page::Run);
    nlohmann::json experiment = testing::smallExperiment();
    experiment["kind"] = 5;
    QCOMPARE(window->startExperiment(experiment), 0);
    QVERIFY(window->queue()->ids().empty());
    MessageBar* bar = window->workspace()->panel()->messages();
    QVERIFY2(bar->text().contains(QStringLiteral("kind")), qPrintable(bar->text()));
    window->showPage(MainWindow::Page::Plan);
    experiment = testing::smallExperiment();
    experiment["data"]["bach"] = 1;
    emit window->planner()->runRequested(experiment); // of a plan's file that somebody has written by hand
    QVERIFY2(window->planner()->messages()->text().contains(QStringLiteral("data.bach")),
             qPrintable(window->planner()->messages()->text()));
    QVERIFY(window->queue()->ids().empty());
}

void TestMainWindow::closingMidRunStopsAndSaves()
{
    testing::useFakeWorker("slow");
    auto window = newWindow();
    const int id = window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->queue()->info(id)->state == RunState::Running && window->queue()->live() &&
                !window->queue()->live()->phases.empty());
    window->close();
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
    QVERIFY(window->isVisible()); // it says what it does first
    QVERIFY(!window->messages()->text().isEmpty());
    QTRY_VERIFY(!window->isVisible());
    const Result<RunResult> saved =
        loadRunResult((settings::libraryFolder() + QStringLiteral("/fake-run.json")).toStdString());
    QVERIFY(saved.ok());
    QCOMPARE(int(saved->status), int(RunStatus::Interrupted));
}

void TestMainWindow::aFullDiskKeepsTheResult()
{
    QFile obstacle(m_home.filePath(QStringLiteral("full")));
    QVERIFY(obstacle.open(QIODevice::WriteOnly));
    obstacle.close();
    settings::setLibraryFolder(obstacle.fileName() + QStringLiteral("/results"));
    const auto window = newWindow();
    window->startExperiment(testing::smallExperiment());
    QTRY_VERIFY(window->shownResult());
    QVERIFY2(window->messages()->text().contains(QStringLiteral("could not be saved")),
             qPrintable(window->messages()->text()));
    QVERIFY(window->messages()->findChild<QPushButton*>()); // save elsewhere
    const QString copy = m_home.filePath(QStringLiteral("copy.json"));
    QVERIFY(window->saveCopyTo(copy));
    QVERIFY(loadRunResult(copy.toStdString()).ok());
    QVERIFY(!window->saveCopyTo(QStringLiteral("/proc/nowhere/copy.json")));
    QVERIFY(window->messages()->text().contains(QStringLiteral("/proc/nowhere")));
}

void TestMainWindow::tablesAndInspectorFollow()
{
    const QString path = writeResult(QStringLiteral("tables.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(window->shownResult());
    RunWorkspace* workspace = window->workspace();
    DataTableView* operators = workspace->table(QStringLiteral("operators"));
    QCOMPARE(operators->model()->rowCount(), 2);
    // The second row of two with one name: its own values, not the first one's.
    QTableView* view = operators->view();
    emit workspace->componentBars()->showDataRequested();
    QVERIFY(workspace->table(QStringLiteral("components"))->isVisible());
    view->setCurrentIndex(view->model()->index(0, 0));
    view->setCurrentIndex(view->model()->index(1, 0));
    QTRY_VERIFY(window->inspector()->plainText().contains(QStringLiteral("aten::mm")));
    const QString phase = view->model()->index(1, 1).data().toString();
    QVERIFY2(window->inspector()->plainText().contains(phase, Qt::CaseInsensitive),
             qPrintable(window->inspector()->plainText()));
    DataTableView* snapshots = workspace->table(QStringLiteral("snapshots"));
    snapshots->view()->setCurrentIndex(snapshots->view()->model()->index(1, 0));
    QTRY_VERIFY(workspace->resultTimeline()->cursor().has_value());
    emit workspace->resultTimeline()->rangeSelected(0.15, 0.35);
    QVERIFY(window->inspector()->plainText().contains(QStringLiteral("6.00 MiB")));
}

void TestMainWindow::figuresAreExported()
{
    const QString path = writeResult(QStringLiteral("figure.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(window->shownResult());
    QTest::keyClick(window.get(), Qt::Key_E, Qt::ControlModifier);
    auto* dialog = window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(!dialog->isModal());
    for (const char* suffix : {"pdf", "svg", "png"}) {
        const QString file = m_home.filePath(QStringLiteral("figure.") + QString::fromLatin1(suffix));
        QVERIFY(dialog->save(file));
        QVERIFY(QFileInfo(file).size() > 1000);
    }
    QVERIFY(!dialog->save(QStringLiteral("/proc/nowhere/figure.pdf")));
    QVERIFY(dialog->findChild<MessageBar*>()->text().contains(QStringLiteral("/proc/nowhere")));
}

void TestMainWindow::panelsAndHeightAreChosen()
{
    const QString path = writeResult(QStringLiteral("panels.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(window->shownResult());
    // The plot that is worked with says which figure is meant.
    auto* bars = window->findChild<ComponentBarsView*>();
    QVERIFY(bars);
    window->activateWindow();
    bars->setFocus();
    QTRY_VERIFY(bars->isVisible() && bars->isAncestorOf(QApplication::focusWidget()));
    window->exportShownFigure();
    auto* dialog = window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->figureName(), QStringLiteral("memory_breakdown_comparison"));
    const QList<QAction*> panels = dialog->findChild<QToolButton*>(QStringLiteral("panels"))->menu()->actions();
    QVERIFY(panels.size() >= 2);
    QVERIFY(panels[1]->text().startsWith(QStringLiteral("(b) ")));
    panels[0]->setChecked(false);
    const QString file = m_home.filePath(QStringLiteral("panels.svg"));
    QVERIFY(dialog->save(file));
    QFile svg(file);
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray words = svg.readAll();
    QVERIFY(words.contains("(b) ") && !words.contains("(a) "));
    for (QAction* panel : panels)
        panel->setChecked(false);
    QVERIFY(std::any_of(panels.begin(), panels.end(), [](const QAction* panel) { return panel->isChecked(); }));
    dialog->findChild<QDoubleSpinBox*>(QStringLiteral("maxHeight"))->setValue(11);
    QVERIFY(!dialog->save(file));
    QVERIFY(dialog->findChild<MessageBar*>()->text().contains(QStringLiteral("at least")));
}

void TestMainWindow::themesAndLayoutsSwitch()
{
    const QString path = writeResult(QStringLiteral("themes.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(window->shownResult());
    QImage pictures[2];
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        applyTheme(theme);
        QCoreApplication::processEvents();
        QTest::qWait(100);
        const QImage picture = window->grab().toImage();
        pictures[theme == Theme::Dark] = picture;
        const QColor corner = picture.pixelColor(picture.width() - 3, picture.height() - 30);
        QCOMPARE(corner.lightness() < 128, theme == Theme::Dark);
    }
    QVERIFY(pictures[0] != pictures[1]);
    applyTheme(Theme::Light);
    QDockWidget* tables = nullptr;
    for (QDockWidget* dock : window->workspace()->docks())
        tables = dock->objectName() == QLatin1String("tables") ? dock : tables;
    tables->setFloating(true);
    auto* library = window->findChild<QDockWidget*>(QStringLiteral("library"));
    library->hide();
    window->restoreDefaultLayout();
    QVERIFY(!tables->isFloating());
    QVERIFY(library->isVisible());
}

void TestMainWindow::theLibraryRemembers()
{
    {
        const auto window = newWindow();
        window->startExperiment(testing::smallExperiment());
        QTRY_VERIFY(window->shownResult());
    }
    const auto window = newWindow();
    const QString path = settings::libraryFolder() + QStringLiteral("/fake-run.json");
    window->runLibrary()->selectFile(path);
    QCOMPARE(window->runLibrary()->currentFile(), path);
    // Known by its title, without having been opened.
    QVERIFY(window->runLibrary()->view()->currentIndex().data().toString().startsWith(QStringLiteral("opt")));
    QTest::keyClick(window->runLibrary()->view(), Qt::Key_Return);
    QTRY_VERIFY(window->shownResult());
}

void TestMainWindow::searchFilters()
{
    const auto window = newWindow();
    window->openFiles({writeResult(QStringLiteral("search.json"))});
    QTRY_VERIFY(window->shownResult());
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("fc1"));
    QTRY_COMPARE(window->workspace()->table(QStringLiteral("modules"))->view()->model()->rowCount(), 1);
}

PEAKSCOPE_TEST(TestMainWindow)
#include "test_main_window.moc"
