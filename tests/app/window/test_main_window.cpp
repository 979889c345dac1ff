// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window as people use it: by mouse and keys, with files dropped, workers dying, and closing mid-run.
#include "app/export/export_dialog.h"
#include "app/form/experiment_form.h"
#include "app/form/run_panel.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
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
#include <QCheckBox>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace peakscope;
using namespace peakscope::testing;

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
    void anImportedFileIsNotRunAgain_data();
    void anImportedFileIsNotRunAgain();
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
    QCOMPARE(front(*window), QStringLiteral("start"));
    for (const char* name : {"planDoor", "profileDoor", "openDoor"})
        QVERIFY(window->findChild<QAbstractButton*>(QString::fromLatin1(name))->isVisible());
    QTest::mouseClick(window->findChild<QAbstractButton*>(QStringLiteral("planDoor")), Qt::LeftButton);
    QCOMPARE(front(*window), QStringLiteral("plan"));
    QTest::keyClick(window.get(), Qt::Key_Home, Qt::AltModifier);
    QCOMPARE(front(*window), QStringLiteral("start"));
    auto* profile = window->findChild<QAbstractButton*>(QStringLiteral("profileDoor"));
    profile->setFocus();
    QTest::keyClick(profile, Qt::Key_Space);
    QCOMPARE(front(*window), QStringLiteral("run"));
    QTRY_VERIFY(part<RunPage>(window)->panel()->runButton()->isEnabled());
}

void TestMainWindow::keysSwitchWorkspaces()
{
    const auto window = newWindow();
    for (const auto& [key, page] : {std::pair(Qt::Key_1, QStringLiteral("plan")),
                                    {Qt::Key_2, QStringLiteral("run")},
                                    {Qt::Key_3, QStringLiteral("analyse")},
                                    {Qt::Key_4, QStringLiteral("compare")}}) {
        QTest::keyClick(window.get(), key, Qt::ControlModifier);
        QCOMPARE(front(*window), page);
    }
}

void TestMainWindow::aDroppedResultOpens()
{
    const QString path = writeResult(QStringLiteral("dropped.json"));
    const auto window = newWindow();
    drop(*window, {path});
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(front(*window), QStringLiteral("run"));
    RunPage* workspace = part<RunPage>(window);
    QCOMPARE(workspace->resultTimeline()->timeline()->peakBytes(), std::int64_t(6 << 20));
    QCOMPARE(workspace->header()->badges(), QStringList{QStringLiteral("complete")});
    QVERIFY(window->messages()->text().isEmpty());
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("6.00 MiB")));
    QCOMPARE(part<LibraryPanel>(window)->currentFile(), path);
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
    QCOMPARE(front(*window), QStringLiteral("run"));
    QVERIFY(!shownResult(*window) && part<RunQueue>(window)->ids().empty());
    QVERIFY(part<RunPage>(window)->panel()->form()->document()["data"]["batch"] == 7);
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
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("the key seed appears twice")),
                 qPrintable(window->messages()->text()));
    QVERIFY(front(*window) != QStringLiteral("run"));
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
    QVERIFY(!shownResult(*window));
    QVERIFY(!QApplication::activeModalWidget());
    // The window goes on.
    drop(*window, {writeResult(QStringLiteral("good.json"))});
    QTRY_VERIFY(shownResult(*window));
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
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->status == RunStatus::Interrupted);
    QVERIFY(part<RunPage>(window)->messages()->text().contains(QStringLiteral("signal 9")));
    // The other one is a key away.
    part<LibraryPanel>(window)->selectFile(paths.first());
    QTest::keyClick(part<LibraryPanel>(window)->findChild<QAbstractItemView*>(), Qt::Key_Return);
    QTRY_COMPARE(int(shownResult(*window)->status), int(RunStatus::Complete));
}

void TestMainWindow::aRunIsShownLiveAndThenItsResult()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    RunPage* workspace = part<RunPage>(window);
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
    QTRY_VERIFY(shownResult(*window));
    const std::size_t before = workspace->liveTimeline()->timeline()->size();
    QTRY_VERIFY(workspace->liveTimeline()->timeline()->size() > before);
    part<LibraryPanel>(window)->selectRun(part<RunQueue>(window)->ids().front());
    QTest::keyClick(part<LibraryPanel>(window)->findChild<QAbstractItemView*>(), Qt::Key_Return);
    QTRY_VERIFY(workspace->liveTimeline()->isVisible());
    QTest::mouseClick(workspace->header()->findChild<QToolButton*>(QStringLiteral("stopButton")), Qt::LeftButton);
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(int(shownResult(*window)->status), int(RunStatus::Interrupted));
    QVERIFY(workspace->resultTimeline()->isVisible());
}

void TestMainWindow::aKilledWorkerIsToldAndTheWindowGoesOn()
{
    testing::useFakeWorker("kill");
    const auto window = newWindow();
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(part<RunPage>(window)->header()->badges().first(), QStringLiteral("interrupted"));
    QVERIFY(part<RunPage>(window)->messages()->text().contains(QStringLiteral("signal 9")));
    QVERIFY(part<RunPage>(window)->resultTimeline()->timeline()->size() > 0);
    testing::useFakeWorker("complete");
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->status == RunStatus::Complete);
    QVERIFY(part<RunPage>(window)->messages()->text().isEmpty());
}

void TestMainWindow::anOverBudgetRunCarriesItsBadge()
{
    testing::useFakeWorker("over_budget");
    const auto window = newWindow();
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(part<RunPage>(window)->header()->badges().first(), QStringLiteral("over budget"));
    QVERIFY(part<RunPage>(window)->messages()->text().contains(QStringLiteral("layers.0.fc1")));
}

void TestMainWindow::badInputStandsWhereItWasStarted()
{
    testing::useFakeWorker("bad_input");
    const auto window = newWindow();
    part<RunStarter>(window)->start(testing::smallExperiment());
    RunPanel* panel = part<RunPage>(window)->panel();
    QTRY_VERIFY(panel->messages()->text().contains(QStringLiteral("lost.txt")));
    QVERIFY(panel->isExpanded());
    QVERIFY(panel->form()->isVisible());
    QVERIFY(!shownResult(*window));
    // "Try again" is one click.
    testing::useFakeWorker("complete");
    QTest::mouseClick(panel->messages()->findChild<QPushButton*>(), Qt::LeftButton);
    QTRY_VERIFY(shownResult(*window));
}

void TestMainWindow::stopKeepsWhatWasMeasured()
{
    testing::useFakeWorker("hang");
    const auto window = newWindow();
    const int id = part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(part<RunQueue>(window)->live() && !part<RunQueue>(window)->live()->snapshots.empty());
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Stopping));
    QTRY_VERIFY_WITH_TIMEOUT(shownResult(*window), 10000);
    QCOMPARE(shownResult(*window)->memory->peakBytes, std::int64_t(5000));
}

void TestMainWindow::runAgainRepeatsTheResult()
{
    const QString path = writeResult(QStringLiteral("again.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    const nlohmann::json experiment = part<RunQueue>(window)->info(1)->experiment;
    QCOMPARE(experiment["model"]["hidden"].get<int>(), 32);
    QCOMPARE(experiment["data"]["seq"].get<int>(), 8);
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
}

void TestMainWindow::anImportedFileIsNotRunAgain_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("alike");
    QTest::newRow("a trace")
        << QByteArray(
               R"([{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":64,"Total Allocated":64,"Addr":1}}])")
        << false;
    QTest::newRow("an analysis")
        << QByteArray(R"({"prm_results":[{"noise_level":0.1,"param_type":"Wfunc","delta_ppl":0.5,"delta_auc":0.25}]})")
        << false;
    QTest::newRow("a script's run")
        << QByteArray(R"({"experiment":"ghost","config":{"seq_len":8,"batch_size":2,"model_name":"opt-125m"},)"
                      R"("avg_time_ms":5,"peak_memory_mb":10,"breakdown":{"model_parameters_mb":1.5},"snapshots":[]})")
        << true;
}

// What stands in the form is not started in the place of what is in front.
void TestMainWindow::anImportedFileIsNotRunAgain()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, alike);
    QFile file(m_home.filePath(QStringLiteral("theirs.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    const auto window = newWindow();
    window->openFiles({file.fileName()});
    QTRY_VERIFY(shownResult(*window));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QVERIFY2(window->messages()->text().contains(QStringLiteral("theirs.json holds no experiment")),
             qPrintable(window->messages()->text()));
    QVERIFY(part<RunQueue>(window)->ids().empty());
    bool offered = false;
    for (const QPushButton* button : window->messages()->findChildren<QPushButton*>())
        offered = offered || (button->isVisible() && button->text() == QStringLiteral("New run like this"));
    QCOMPARE(offered, alike);
}

void TestMainWindow::whatIsNoExperimentIsToldWhereItWasStarted()
{
    const auto window = newWindow();
    window->showWorkspace(QStringLiteral("run"));
    nlohmann::json experiment = testing::smallExperiment();
    experiment["kind"] = 5;
    QCOMPARE(part<RunStarter>(window)->start(experiment), 0);
    QVERIFY(part<RunQueue>(window)->ids().empty());
    MessageBar* bar = part<RunPage>(window)->panel()->messages();
    QVERIFY2(bar->text().contains(QStringLiteral("kind")), qPrintable(bar->text()));
    window->showWorkspace(QStringLiteral("plan"));
    experiment = testing::smallExperiment();
    experiment["data"]["bach"] = 1;
    emit part<PlanPage>(window)->runRequested(experiment); // of a plan's file that somebody has written by hand
    QVERIFY2(part<PlanPage>(window)->messages()->text().contains(QStringLiteral("data.bach")),
             qPrintable(part<PlanPage>(window)->messages()->text()));
    QVERIFY(part<RunQueue>(window)->ids().empty());
}

void TestMainWindow::closingMidRunStopsAndSaves()
{
    testing::useFakeWorker("slow");
    auto window = newWindow();
    const int id = part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(part<RunQueue>(window)->info(id)->state == RunState::Running && part<RunQueue>(window)->live() &&
                !part<RunQueue>(window)->live()->phases.empty());
    window->close();
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
    QVERIFY(window->isVisible()); // it says what it does first
    QVERIFY(!window->messages()->text().isEmpty());
    QTRY_VERIFY(!window->isVisible());
    const QString path = part<RunQueue>(window)->info(id)->outcome.path;
    QVERIFY(path.startsWith(settings::libraryFolder()));
    const Result<RunResult> saved = loadRunResult(path.toStdString());
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
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(shownResult(*window));
    QVERIFY2(window->messages()->text().contains(QStringLiteral("could not be saved")),
             qPrintable(window->messages()->text()));
    QVERIFY(window->messages()->findChild<QPushButton*>()); // save elsewhere
    const QString copy = m_home.filePath(QStringLiteral("copy.json"));
    QVERIFY(part<FigureExport>(window)->saveCopyTo(copy));
    QVERIFY(loadRunResult(copy.toStdString()).ok());
    QVERIFY(!part<FigureExport>(window)->saveCopyTo(QStringLiteral("/proc/nowhere/copy.json")));
    QVERIFY(window->messages()->text().contains(QStringLiteral("/proc/nowhere")));
}

void TestMainWindow::tablesAndInspectorFollow()
{
    const QString path = writeResult(QStringLiteral("tables.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    RunPage* workspace = part<RunPage>(window);
    DataTableView* operators = workspace->table(QStringLiteral("operators"));
    QCOMPARE(operators->model()->rowCount(), 2);
    // The second row of two with one name: its own values, not the first one's.
    QTableView* view = operators->view();
    emit workspace->componentBars()->showDataRequested();
    QVERIFY(workspace->table(QStringLiteral("components"))->isVisible());
    view->setCurrentIndex(view->model()->index(0, 0));
    view->setCurrentIndex(view->model()->index(1, 0));
    QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("aten::mm")));
    const QString phase = view->model()->index(1, 1).data().toString();
    QVERIFY2(part<InspectorPanel>(window)->plainText().contains(phase, Qt::CaseInsensitive),
             qPrintable(part<InspectorPanel>(window)->plainText()));
    DataTableView* snapshots = workspace->table(QStringLiteral("snapshots"));
    snapshots->view()->setCurrentIndex(snapshots->view()->model()->index(1, 0));
    QTRY_VERIFY(workspace->resultTimeline()->cursor().has_value());
    emit workspace->resultTimeline()->rangeSelected(0.15, 0.35);
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("6.00 MiB")));
}

void TestMainWindow::figuresAreExported()
{
    const QString path = writeResult(QStringLiteral("figure.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    QTest::keyClick(window.get(), Qt::Key_E, Qt::ControlModifier);
    auto* dialog = window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(!dialog->isModal());
    for (const char* suffix : {"pdf", "svg", "png"}) {
        const QString file = m_home.filePath(QStringLiteral("figure.") + QString::fromLatin1(suffix));
        QVERIFY(dialog->save(file));
        QVERIFY(QFileInfo(file).size() > 1000);
    }
    // In another language than the window's, with its caption in both beside it.
    dialog->findChild<QComboBox*>(QStringLiteral("figureLanguage"))->setCurrentText(QStringLiteral("中文"));
    dialog->findChild<QCheckBox*>(QStringLiteral("captionFile"))->setChecked(true);
    QVERIFY(dialog->save(m_home.filePath(QStringLiteral("chinese.svg"))));
    QCOMPARE(dialog->windowTitle(), QStringLiteral("Export a figure"));
    const auto wordsOf = [this](const char* name) {
        QFile file(m_home.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    QVERIFY(wordsOf("chinese.svg").contains(QStringLiteral("内存")));
    const QStringList captions = wordsOf("chinese.caption.txt").split(QStringLiteral("\n\n"));
    QVERIFY(captions.size() == 2 && captions[0].contains(QStringLiteral("Memory")) &&
            captions[1].contains(QStringLiteral("内存")));
    QVERIFY(!dialog->save(QStringLiteral("/proc/nowhere/figure.pdf")));
    QVERIFY(dialog->findChild<MessageBar*>()->text().contains(QStringLiteral("/proc/nowhere")));
}

void TestMainWindow::panelsAndHeightAreChosen()
{
    const QString path = writeResult(QStringLiteral("panels.json"));
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    // The plot that is worked with says which figure is meant.
    auto* bars = window->findChild<ComponentBarsView*>();
    QVERIFY(bars);
    window->activateWindow();
    bars->setFocus();
    QTRY_VERIFY(bars->isVisible() && bars->isAncestorOf(QApplication::focusWidget()));
    trigger(*window, QStringLiteral("export"));
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
    QTRY_VERIFY(shownResult(*window));
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
    // The menu marks what is applied, be it by the command line alone.
    QVERIFY(settings::theme() == Theme::System && appliedTheme() == Theme::Dark);
    const auto later = newWindow();
    QStringList marked;
    for (const QMenu* menu : later->findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            if (menu->title() == QLatin1String("&Theme") && action->isChecked())
                marked << action->text();
        }
    }
    QCOMPARE(marked, QStringList{QStringLiteral("&Dark")});
    applyTheme(Theme::Light);
    QDockWidget* tables = nullptr;
    for (QDockWidget* dock : part<RunPage>(window)->docks())
        tables = dock->objectName() == QLatin1String("tables") ? dock : tables;
    tables->setFloating(true);
    auto* library = window->findChild<QDockWidget*>(QStringLiteral("library"));
    library->hide();
    trigger(*window, QStringLiteral("restoreLayout"));
    QVERIFY(!tables->isFloating());
    QVERIFY(library->isVisible());
}

void TestMainWindow::theLibraryRemembers()
{
    QString path;
    {
        const auto window = newWindow();
        const int id = part<RunStarter>(window)->start(testing::smallExperiment());
        QTRY_VERIFY(shownResult(*window));
        path = part<RunQueue>(window)->info(id)->outcome.path;
    }
    const auto window = newWindow();
    part<LibraryPanel>(window)->selectFile(path);
    QCOMPARE(part<LibraryPanel>(window)->currentFile(), path);
    // Known by its title, without having been opened.
    QVERIFY(part<LibraryPanel>(window)->view()->currentIndex().data().toString().startsWith(QStringLiteral("opt")));
    QTest::keyClick(part<LibraryPanel>(window)->view(), Qt::Key_Return);
    QTRY_VERIFY(shownResult(*window));
}

void TestMainWindow::searchFilters()
{
    const auto window = newWindow();
    window->openFiles({writeResult(QStringLiteral("search.json"))});
    QTRY_VERIFY(shownResult(*window));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("fc1"));
    QTRY_COMPARE(part<RunPage>(window)->table(QStringLiteral("modules"))->view()->model()->rowCount(), 1);
}

PEAKSCOPE_TEST(TestMainWindow)
#include "test_main_window.moc"
