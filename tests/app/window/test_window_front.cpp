// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the thing in front belongs to it: the inspector, the library's mark, the recent files, the buttons
// that stop and start; a plan for another device asks where it shall run, and closing asks before it ends a run.
#include "app/form/experiment_form.h"
#include "app/form/run_panel.h"
#include "app/jobs/run_places.h"
#include "app/library/library_delegate.h"
#include "app/library/library_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/shell/inspector_content.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileInfo>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QTest>
#include <QTextBlock>
#include <QTextBoundaryFinder>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

using namespace peakscope;
using namespace peakscope::testing;

class TestWindowFront : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void init()
    {
        QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
        QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
        testing::useFakeWorker("complete");
    }

    void aPlanForAnotherDeviceAsksWhere();
    void aPlanMayHoldAnything();
    void aPlanForThisMachineRuns();
    void placesAreNamed();
    void closingAsksBeforeItStopsARun();
    void theQuestionGoesWithTheRun();
    void stopAndRunAgainHaveTheirPlaces();
    void theLibraryMarksWhatIsShown();
    void aFileOfSeveralResultsIsRememberedOnce();
    void linesOfOneTitleAreToldApart();
    void theInspectorFollowsTheWorkspace();
    void theInspectorSaysWhatPrivacyCameTo();
    void theInspectorSaysNothingTwice();
    void theInspectorBreaksLinesBetweenWords_data();
    void theInspectorBreaksLinesBetweenWords();
    void whatHoldsSomethingIsInFront();
    void emptyPagesShowTheirWholeText();
    void theDemoBeginsWithTrainingSteps();
    void theDemosResultsOpenOnATrainingStep();
    void theOpenDialogShowsWhatIsRead();

private:
    std::unique_ptr<MainWindow> newWindow()
    {
        auto window = std::make_unique<MainWindow>();
        window->resize(1280, 800);
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get()))
            qWarning("the window does not show");
        QCoreApplication::processEvents();
        return window;
    }
    QString writePlan()
    {
        RunResult result;
        result.id = "plan";
        result.kind = ResultKind::Plan;
        result.status = RunStatus::Complete;
        result.other["plan"] = testing::samplePlanJson();
        for (nlohmann::json& strategy : result.other["plan"]["strategies"])
            strategy["experiment"]["weights"] = "random"; // no checkpoint is here
        const QString path = m_home.filePath(QStringLiteral("plan.json"));
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    static QAbstractButton* button(const QWidget& parent, const QString& text)
    {
        for (QAbstractButton* each : parent.findChildren<QAbstractButton*>()) {
            if (each->text().startsWith(text) && each->isVisible())
                return each;
        }
        return nullptr;
    }
    static void select(LibraryPanel& library, const QString& path)
    {
        library.selectFile(path);
        QTest::keyClick(library.view(), Qt::Key_Return);
    }

    QTemporaryDir m_home;
};

void TestWindowFront::aPlanForAnotherDeviceAsksWhere()
{
    const auto window = newWindow();
    window->openFiles({writePlan()});
    QTRY_COMPARE(front(*window), QStringLiteral("plan"));
    QTRY_VERIFY(part<PlanPage>(window)->strategies()->showsTable());
    QTest::mouseClick(part<PlanPage>(window)->runButton(), Qt::LeftButton);
    QVERIFY(part<RunQueue>(window)->ids().empty()); // nothing starts by itself
    const MessageBar* bar = part<PlanPage>(window)->messages();
    QVERIFY2(bar->text().contains(QStringLiteral("NVIDIA A800 80GB")), qPrintable(bar->text()));
    QVERIFY2(bar->text().contains(QStringLiteral("78.5 GiB")), qPrintable(bar->text()));
    QAbstractButton* here = nullptr;
    QTRY_VERIFY((here = button(*bar, QStringLiteral("Here, on the processor"))));
    QTest::mouseClick(here, Qt::LeftButton);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    const nlohmann::json experiment = part<RunQueue>(window)->info(part<RunQueue>(window)->ids().front())->experiment;
    QCOMPARE(experiment.value("device", ""), std::string("cpu"));
    QCOMPARE(experiment.value("budget_bytes", std::int64_t(0)), (79LL * 1024 - 500) << 20);
}

// What another program wrote there is said where it is started.
void TestWindowFront::aPlanMayHoldAnything()
{
    const QString path = writePlan();
    Result<RunResult> plan = loadRunResult(path.toStdString());
    QVERIFY(plan.ok());
    for (nlohmann::json& strategy : plan->other["plan"]["strategies"])
        strategy["experiment"]["budget_bytes"] = "much";
    QVERIFY(saveRunResult(*plan, path.toStdString()).ok());
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(part<PlanPage>(window)->strategies()->showsTable());
    QTest::mouseClick(part<PlanPage>(window)->runButton(), Qt::LeftButton);
    QAbstractButton* here = nullptr;
    QTRY_VERIFY((here = button(*part<PlanPage>(window)->messages(), QStringLiteral("Here, on the processor"))));
    QTest::mouseClick(here, Qt::LeftButton);
    QVERIFY(part<RunQueue>(window)->ids().empty());
    QVERIFY2(part<PlanPage>(window)->messages()->text().contains(QStringLiteral("budget_bytes")),
             qPrintable(part<PlanPage>(window)->messages()->text()));
}

void TestWindowFront::aPlanForThisMachineRuns()
{
    PlannedDevice device;
    for (const auto& [id, own] : {std::pair("cpu", true), {"cuda:1", true}, {"a800-80gb", false}, {"", false}}) {
        device.id = id;
        QCOMPARE(isOfThisMachine(device), own);
    }
    device.usableBytes = 1000;
    device.contextBytes = 100;
    QCOMPARE(withPlannedBudget({{"kind", "memory"}}, device).value("budget_bytes", 0), 900);
    QCOMPARE(withPlannedBudget({{"budget_bytes", 0}}, device).value("budget_bytes", 0), 900);
    QCOMPARE(withPlannedBudget({{"budget_bytes", 5}}, device).value("budget_bytes", 0), 5); // the plan's own
    QVERIFY(withPlannedBudget({}, device).is_null());                                       // the plan has none
    device.usableBytes = 0;
    QVERIFY(!withPlannedBudget({{"kind", "memory"}}, device).contains("budget_bytes"));
}

void TestWindowFront::placesAreNamed()
{
    LauncherPreset lab;
    lab.name = QStringLiteral("lab");
    lab.host = QStringLiteral("me@lab");
    LauncherPreset unusable;
    unusable.name = QStringLiteral("half written");
    const std::vector<RunPlace> places =
        runPlaces({{QStringLiteral("cpu"), QStringLiteral("a processor"), 16LL << 30, 12LL << 30},
                   {QStringLiteral("cuda:0"), QStringLiteral("a GPU"), 8LL << 30, 7LL << 30}},
                  {lab, unusable});
    QCOMPARE(places.size(), std::size_t(3));
    QVERIFY2(places[0].title.say().contains(QStringLiteral("cuda:0")) &&
                 places[0].title.say().contains(QStringLiteral("7.00 GiB")),
             qPrintable(places[0].title.say()));
    QVERIFY(places[1].title.say().contains(QStringLiteral("lab")) &&
            places[1].launcher.contains(QStringLiteral("me@lab")));
    QVERIFY(places[2].device == QLatin1String("cpu") && places[2].launcher.isEmpty());
    // A card that isn't here is acted out, in the size that the plan was made for, but not by several ranks.
    PlannedDevice card;
    card.id = "h100-80gb";
    card.name = "NVIDIA H100 SXM 80GB";
    const auto dry = dryPlace(card, {{"kind", "memory"}});
    QVERIFY(dry);
    QCOMPARE(dry->title.say(), QStringLiteral("Dry run on NVIDIA H100 SXM 80GB"));
    QCOMPARE(placedAt({{"kind", "memory"}}, *dry).at("device"), nlohmann::json("dry:h100-80gb"));
    card.usableBytes = std::int64_t(95) << 30;
    QCOMPARE(dryPlace(card, {})->device, QStringLiteral("dry:h100-80gb:102005473280"));
    QCOMPARE(dryPlace(card, {{"ranks", 8}})->title.say(), QStringLiteral("Dry run on 8 × NVIDIA H100 SXM 80GB"));
    card.id = "bytes:80GiB";
    QVERIFY(!dryPlace(card, {}));
    const nlohmann::json there = placedAt({{"launcher", {"other"}}}, places[1]);
    QCOMPARE(launcherOf(there), places[1].launcher);
    QVERIFY(!placedAt({{"launcher", {"other"}}}, places[2]).contains("launcher"));
}

void TestWindowFront::closingAsksBeforeItStopsARun()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    const int first = part<RunStarter>(window)->start(testing::smallExperiment());
    const int second = part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(part<RunQueue>(window)->live() && !part<RunQueue>(window)->live()->phases.empty());
    window->close();
    QVERIFY(window->isVisible());
    QCOMPARE(int(part<RunQueue>(window)->info(first)->state), int(RunState::Running));
    const QString text = window->messages()->text();
    QVERIFY2(text.contains(QStringLiteral("is under way")) && text.contains(QStringLiteral("wait")), qPrintable(text));
    QVERIFY(!QApplication::activeModalWidget());
    QTest::mouseClick(button(*window->messages(), QStringLiteral("Don't close")), Qt::LeftButton);
    QVERIFY(window->isVisible() && window->messages()->text().isEmpty());
    QCOMPARE(int(part<RunQueue>(window)->info(first)->state), int(RunState::Running));
    QCOMPARE(int(part<RunQueue>(window)->info(second)->state), int(RunState::Queued));
    window->close();
    QTRY_VERIFY(button(*window->messages(), QStringLiteral("Stop and close")));
    QTest::mouseClick(button(*window->messages(), QStringLiteral("Stop and close")), Qt::LeftButton);
    QTRY_VERIFY(!window->isVisible());
}

void TestWindowFront::theQuestionGoesWithTheRun()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(part<RunQueue>(window)->live() && !part<RunQueue>(window)->live()->phases.empty());
    window->close();
    QVERIFY(!window->messages()->text().isEmpty());
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
    QTRY_VERIFY(window->messages()->text().isEmpty());
    window->close(); // nothing to ask about
    QVERIFY(!window->isVisible());
}

void TestWindowFront::stopAndRunAgainHaveTheirPlaces()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_VERIFY(part<RunQueue>(window)->live() && !part<RunQueue>(window)->live()->phases.empty());
    auto* stop = part<RunPage>(window)->header()->findChild<QToolButton*>(QStringLiteral("stopButton"));
    auto* again = part<RunPage>(window)->header()->findChild<QToolButton*>(QStringLiteral("againButton"));
    QVERIFY(stop->isVisible() && stop->isEnabled() && again->isVisible() && !again->isEnabled());
    const QPoint place = stop->mapTo(part<RunPage>(window), stop->rect().center());
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY(shownResult(*window));
    QTest::qWait(50); // laid out
    // Whoever goes on clicking there meets the same button, which does nothing now.
    QWidget* met = part<RunPage>(window)->childAt(place);
    QVERIFY2(met == stop, met ? qPrintable(met->objectName()) : "nothing");
    QTest::mouseClick(met, Qt::LeftButton);
    QTest::mouseClick(met, Qt::LeftButton);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QVERIFY(again->isVisible() && again->isEnabled());
    testing::useFakeWorker("complete");
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
}

void TestWindowFront::theLibraryMarksWhatIsShown()
{
    const QString good = testing::writeSmallResult(m_home, QStringLiteral("good.json"), "good");
    const QString bad = testing::writeSmallResult(m_home, QStringLiteral("bad.json"), "bad");
    settings::addRecentFile(bad);
    const auto window = newWindow();
    LibraryPanel* library = part<LibraryPanel>(window);
    window->openFiles({good});
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(library->currentFile(), good);
    // A file that is gone is told, and the mark stays where it belongs.
    QVERIFY(QFile::remove(bad));
    select(*library, bad);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("bad.json")));
    QCOMPARE(shownResult(*window)->id, std::string("good"));
    QCOMPARE(library->currentFile(), good);
    // Each workspace has its own.
    const QString plan = writePlan();
    window->openFiles({plan});
    QTRY_COMPARE(front(*window), QStringLiteral("plan"));
    QCOMPARE(library->currentFile(), plan);
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(shownResult(*window)->id, std::string("good"));
    QCOMPARE(library->currentFile(), good);
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(library->currentFile(), plan);
    trigger(*window, QStringLiteral("newRun"));
    QVERIFY2(library->currentFile().isEmpty() && library->currentRun() == 0, qPrintable(library->currentFile()));
}

void TestWindowFront::aFileOfSeveralResultsIsRememberedOnce()
{
    const QString path = testing::writeSmallResult(m_home, QStringLiteral("several.json"), "one");
    settings::addRecentFile(path + QStringLiteral("#2"));
    settings::addRecentFile(path + QStringLiteral("#4"));
    QCOMPARE(settings::recentFiles(), QStringList{path});
    const QString hash = testing::writeSmallResult(m_home, QStringLiteral("real#3"), "hash"); // a name like any other
    settings::addRecentFile(hash);
    QCOMPARE(settings::recentFiles(), (QStringList{hash, path}));
}

void TestWindowFront::linesOfOneTitleAreToldApart()
{
    const auto window = newWindow();
    QStringList paths;
    for (const char* name : {"first.json", "second.json"})
        paths << testing::writeSmallResult(m_home, QString::fromLatin1(name), name);
    window->openFiles(paths);
    QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "second.json");
    QStringList said;
    for (const QString& path : std::as_const(paths)) {
        const QModelIndex index = part<LibraryPanel>(window)->model()->findPath(path);
        said << index.data().toString() + index.data(LibraryDelegate::DetailRole).toString();
        QVERIFY2(said.last().contains(QFileInfo(path).fileName()), qPrintable(said.last()));
    }
    QVERIFY(said.front() != said.back());
}

void TestWindowFront::emptyPagesShowTheirWholeText()
{
    const auto window = newWindow();
    window->resize(1280, 800);
    for (const QString& page : {QStringLiteral("start"), QStringLiteral("analyse"), QStringLiteral("compare")}) {
        window->showWorkspace(page);
        QTest::qWait(50);
        int seen = 0;
        for (const QLabel* label : window->centralWidget()->findChildren<QLabel*>()) {
            if (!label->isVisible() || !label->wordWrap() || label->text().isEmpty())
                continue;
            ++seen;
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
        }
        QVERIFY(seen > 0);
    }
}

void TestWindowFront::theInspectorFollowsTheWorkspace()
{
    const QString result = testing::writeSmallResult(m_home, QStringLiteral("run.json"), "run");
    const auto window = newWindow();
    window->openFiles({result});
    QTRY_VERIFY(shownResult(*window));
    const QString ofRun = part<InspectorPanel>(window)->plainText();
    QVERIFY2(ofRun.contains(QStringLiteral("6.00 MiB")), qPrintable(ofRun));
    window->openFiles({writePlan()});
    QTRY_COMPARE(front(*window), QStringLiteral("plan"));
    QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("SGD")));
    const QString ofPlan = part<InspectorPanel>(window)->plainText();
    QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(part<InspectorPanel>(window)->plainText(), ofRun);
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(part<InspectorPanel>(window)->plainText(), ofPlan);
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier); // where nothing was selected yet
    QVERIFY(!part<InspectorPanel>(window)->plainText().contains(QStringLiteral("SGD")));
}

void TestWindowFront::theInspectorSaysWhatPrivacyCameTo()
{
    RunResult result = testing::smallResult();
    const auto said = [&result] {
        InspectorPanel panel;
        panel.showContent(inspectRun(result, {}));
        return panel.plainText().simplified();
    };
    QVERIFY(!said().contains(QStringLiteral("Epsilon")) && !said().contains(QStringLiteral("Per-sample")));
    result.other["privacy"] = {{"epsilon", 0.45012}, {"delta", 1e-5}};
    result.perSampleGradientNorms = {0.75, 0.5, 0.625};
    result.environment = {{"memory_available_bytes", 23695343616}, {"cores", 2}};
    result.config["budget_bytes"] = 0;
    const QString text = said();
    QVERIFY2(text.contains(QStringLiteral("Epsilon 0.4501 At delta 10⁻⁵.")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Per-sample gradient norm 0.625 ")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("rows (3) before clipping; smallest 0.5, largest 0.75.")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Free at the start 22.1 GiB 23,695,343,616 bytes")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Cores 2")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Memory budget 0 B")) && !text.contains("0 bytes"), qPrintable(text));
}

// A trace's device is its set-up and its environment.
void TestWindowFront::theInspectorSaysNothingTwice()
{
    RunResult result = testing::smallResult();
    result.config["device"] = "cpu";
    result.environment = {{"device", "cpu"}, {"cores", 2}};
    const auto said = [&result] {
        InspectorPanel panel;
        panel.showContent(inspectRun(result, {}));
        return panel.plainText().simplified();
    };
    QCOMPARE(said().count(QStringLiteral("Device cpu")), 1);
    QVERIFY(said().contains(QStringLiteral("Cores 2")));
    result.environment["device"] = "cuda:0"; // another than was asked for
    QVERIFY2(said().contains(QStringLiteral("Device cuda:0")), qPrintable(said()));
}

void TestWindowFront::theInspectorBreaksLinesBetweenWords_data()
{
    QTest::addColumn<int>("height");
    QTest::newRow("all in sight") << 900;
    QTest::newRow("scrolled") << 100;
}

void TestWindowFront::theInspectorBreaksLinesBetweenWords()
{
    QFETCH(int, height);
    const QString folder = QStringLiteral("a_folder_of_results_of_a_long_november_whose_name_has_no_space/");
    const QString fits = QStringLiteral("memory_results.json"),
                  key = QStringLiteral("activation_checkpointing_enabled");
    InspectorContent content{fits, {}, {{QStringLiteral("Run"), {}}}};
    InspectorContent::Section& section = content.sections.front();
    section.add(QStringLiteral("File"), {}, QStringLiteral("/home/") + folder + fits);
    section.add(QStringLiteral("内存"), {}, QStringLiteral("同一时刻存活字节数的最大值，在每次分配和释放时计数。"));
    section.add(key, QStringLiteral("selective_recomputation_of_attention"), QStringLiteral("What is kept, and why."));
    InspectorPanel panel;
    panel.resize(212, height); // beside a window of 1280 pixels
    panel.showContent(content);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    auto* browser = panel.findChild<QTextBrowser*>();
    browser->selectAll();
    browser->copy();
    const QString copied = QApplication::clipboard()->text(); // words that are cut off here are whole there
    QVERIFY2(copied.contains(folder + fits) && copied.contains(key), qPrintable(copied));
    const QTextDocument* document = browser->document();
    QStringList whole;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        QTextBoundaryFinder breaks(QTextBoundaryFinder::Line, block.text());
        for (int i = 0; i < block.layout()->lineCount(); ++i) {
            const QTextLine line = block.layout()->lineAt(i);
            breaks.setPosition(line.textStart() + line.textLength());
            QVERIFY2(block.text().isEmpty() || breaks.isAtBoundary(), qPrintable(block.text()));
            QVERIFY2(line.naturalTextWidth() <= line.width(), qPrintable(block.text()));
        }
        for (auto part = block.begin(); !part.atEnd(); ++part)
            whole << part.fragment().charFormat().toolTip();
    }
    QVERIFY(document->size().width() <= browser->viewport()->width());
    QVERIFY2(whole.contains(folder) && whole.contains(key), qPrintable(whole.join(u' ')));
    QVERIFY(!whole.contains(fits) && document->toPlainText().startsWith(fits));
    QVERIFY(panel.plainText().contains(folder + fits));
}

// Modules' bytes without components', as other programs write them.
void TestWindowFront::whatHoldsSomethingIsInFront()
{
    RunResult modules = testing::smallResult(), components = testing::smallResult();
    modules.id = "modules";
    modules.memory->missing = {"peak_components", "max_components"};
    modules.memory->peakComponents = modules.memory->maxComponents = {};
    components.id = "components";
    components.memory->modules.clear();
    const auto window = newWindow();
    const auto isSeen = [page = part<RunPage>(window)](const char* dock) {
        return !page->findChild<QDockWidget*>(QLatin1String(dock))->visibleRegion().isEmpty();
    };
    for (const RunResult& each : {modules, components, testing::smallResult()}) {
        const QString path = m_home.filePath(QString::fromStdString(each.id) + QStringLiteral(".json"));
        QVERIFY(saveRunResult(each, path.toStdString()).ok());
        window->openFiles({path});
        QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == each.id);
        const bool ofModules = each.id == "modules";
        QTRY_COMPARE(isSeen("modules"), ofModules);
        QTRY_COMPARE(isSeen("components"), !ofModules);
        if (ofModules)
            QVERIFY(part<RunPage>(window)->table(QStringLiteral("modules"))->isVisible());
    }
}

void TestWindowFront::theDemoBeginsWithTrainingSteps()
{
    testing::useFakeWorker("slow");
    const auto window = newWindow();
    window->startDemo();
    const std::vector<int> ids = part<RunQueue>(window)->ids();
    QCOMPARE(ids.size(), std::size_t(2));
    const auto kind = [&](int id) { return part<RunQueue>(window)->info(id)->experiment.value("kind", ""); };
    QCOMPARE(kind(ids[0]), std::string("memory"));
    QCOMPARE(kind(ids[1]), std::string("prm"));
    QCOMPARE(part<LibraryPanel>(window)->currentRun(), ids[0]);
    QTRY_VERIFY(button(*window->messages(), QStringLiteral("Show the second")));
    QTest::mouseClick(button(*window->messages(), QStringLiteral("Show the second")), Qt::LeftButton);
    QCOMPARE(part<LibraryPanel>(window)->currentRun(), ids[1]);
}

void TestWindowFront::theDemosResultsOpenOnATrainingStep()
{
    const auto window = newWindow();
    trigger(*window, QStringLiteral("demoResult"));
    QTRY_VERIFY_WITH_TIMEOUT(shownResult(*window) && !reading(*window), 30'000);
    QCOMPARE(front(*window), QStringLiteral("run"));
    const auto result = shownResult(*window);
    QCOMPARE(result->kind, ResultKind::Memory);
    // Predicted to the byte, and a step is a good part of what is seen.
    QVERIFY(result->memory && result->prediction);
    QCOMPARE(result->prediction->peakBytes, result->memory->peakBytes);
    const MemoryTimelineView* view = part<RunPage>(window)->resultTimeline();
    const double seen = view->visibleUpper() - view->visibleLower();
    QVERIFY2(result->timing->medianStepSeconds > 0.15 * seen, qPrintable(QString::number(seen)));
    QVERIFY(settings::recentFiles().isEmpty()); // they are the program's own
}

// Whatever is read is to be seen there, as people name it, and folders to look into.
void TestWindowFront::theOpenDialogShowsWhatIsRead()
{
    const auto window = newWindow();
    QDir home(m_home.path());
    QVERIFY(home.mkpath(QStringLiteral("files/results.d")));
    home.cd(QStringLiteral("files"));
    const QStringList names{QStringLiteral("a.json"),      QStringLiteral("b.json.gz"), QStringLiteral("c.csv"),
                            QStringLiteral("d.pickle"),    QStringLiteral("e.pkl"),     QStringLiteral("f.pt"),
                            QStringLiteral("g.pickle.gz"), QStringLiteral("h.pth")};
    for (const QString& name : names)
        QVERIFY(QFile(home.filePath(name)).open(QIODevice::WriteOnly));
    QVERIFY(QFile(home.filePath(QStringLiteral("notes.txt"))).open(QIODevice::WriteOnly));
    QStringList shown;
    QTimer look;
    connect(&look, &QTimer::timeout, this, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog)
            return;
        dialog->setDirectory(home.path());
        const auto* list = dialog->findChild<QListView*>(QStringLiteral("listView"));
        QVERIFY(QTest::qWaitFor(
            [&] { return list->model()->rowCount(list->rootIndex()) > static_cast<int>(names.size()); }));
        for (int row = 0; row < list->model()->rowCount(list->rootIndex()); ++row)
            shown << list->model()->index(row, 0, list->rootIndex()).data().toString();
        look.stop();
        test::saveScreenshot(*dialog, QStringLiteral("open_dialog"));
        dialog->reject();
    });
    look.start(10);
    trigger(*window, QStringLiteral("open"));
    shown.sort();
    QCOMPARE(shown, names + QStringList{QStringLiteral("results.d")});
}

PEAKSCOPE_TEST(TestWindowFront)
#include "test_window_front.moc"
