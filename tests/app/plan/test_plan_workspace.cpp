// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan workspace by mouse and keys, with a search that tests control: the latest request wins, errors stand where
// the work was started, strategies and cells become experiments, runs of the library stand beside predictions.
#include "app/form/run_panel.h"
#include "app/parts/message_bar.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_measurements.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/shell/inspector_content.h"
#include "app/shell/prediction_words.h"
#include "core/base/file.h"
#include "core/import/read_any.h"
#include "core/results/prediction_bound.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <qcustomplot.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;
using testing::FakePlanSearch;

class TestPlanWorkspace : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void plansAtTheFirstShow();
    void fieldsBecomeTheRequest();
    void theLatestRequestWins();
    void aLongSearchShowsThatItGoesOn();
    void errorsStandWhereTheWorkWasStarted_data();
    void errorsStandWhereTheWorkWasStarted();
    void whatWouldFitIsSaid();
    void strategiesAndCellsBecomeExperiments();
    void choosingAStrategyMakesItsMap();
    void runsOfTheLibraryStandBesidePredictions();
    void setupsAreEqualByWhatDecidesAboutMemory();
    void plansAreSavedAndOpenedAgain();
    void devicesOfThisMachineAreOffered();
    void theWindowRunsAStrategy();
    void theWindowOpensBothKindsOfPlanFiles();
    void boundsAreCalledBounds();
    void predictionsAreDrawnAndCompared();

private:
    std::unique_ptr<PlanPage> newWorkspace()
    {
        auto workspace = std::make_unique<PlanPage>(m_search->functions());
        workspace->resize(1100, 760);
        workspace->show();
        if (!QTest::qWaitForWindowExposed(workspace.get()))
            qWarning("the workspace does not show");
        return workspace;
    }
    static bool settled(const PlanPage& workspace)
    {
        return QTest::qWaitFor([&workspace] { return !workspace.busy(); }, 10000);
    }
    static QAbstractButton* actionButton(QWidget& parent, const QString& text)
    {
        for (QAbstractButton* button : parent.findChildren<QAbstractButton*>()) {
            if (button->text() == text && button->isVisible())
                return button;
        }
        return nullptr;
    }
    std::vector<RecommendOptions> asked()
    {
        const std::scoped_lock lock(m_search->mutex);
        return m_search->asked;
    }

    QTemporaryDir m_home;
    std::unique_ptr<FakePlanSearch> m_search;
};

void TestPlanWorkspace::initTestCase()
{
    testing::isolate(m_home);
    testing::useFakeWorker("normal");
}

void TestPlanWorkspace::init()
{
    m_search = std::make_unique<FakePlanSearch>();
}

void TestPlanWorkspace::plansAtTheFirstShow()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    QVERIFY(workspace->strategies()->showsTable());
    QCOMPARE(workspace->strategies()->model()->rowCount(), 3);
    QTRY_VERIFY(workspace->map()->showsPlot());
    QVERIFY(workspace->ladder()->showsPlot());
    QVERIFY(workspace->statusText().contains(QStringLiteral("125,239,296")) ||
            workspace->statusText().contains(QStringLiteral("125239296")));
    QVERIFY(workspace->inputs()->modelField()->count() > 10);
    QVERIFY(workspace->inputs()->deviceField()->count() > 10);
    QCOMPARE(asked().size(), std::size_t{1});
    QVERIFY(workspace->result() != nullptr);
    QCOMPARE(workspace->table(QStringLiteral("capacity_map"))->model()->rowCount(), 6);
}

void TestPlanWorkspace::fieldsBecomeTheRequest()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    PlanInputs* inputs = workspace->inputs();
    inputs->modelField()->lineEdit()->selectAll();
    QTest::keyClicks(inputs->modelField()->lineEdit(), QStringLiteral("params:6.7e9"));
    inputs->deviceField()->lineEdit()->selectAll();
    QTest::keyClicks(inputs->deviceField()->lineEdit(), QStringLiteral("24 GiB"));
    inputs->devicesField()->setValue(4);
    inputs->goalField()->setCurrentIndex(2);
    inputs->dtypeField()->setCurrentIndex(2);
    QTest::keyClicks(inputs->batchField(), QStringLiteral("8"));
    QTest::keyClicks(inputs->sequenceField(), QStringLiteral("1024"));
    QTest::keyClick(inputs->sequenceField(), Qt::Key_Return);
    QVERIFY(settled(*workspace));
    const RecommendOptions last = asked().back();
    QCOMPARE(last.modelText, std::string("params:6.7e9"));
    QCOMPARE(last.device.id, std::string("bytes:24 GiB"));
    QCOMPARE(last.devices, std::int64_t{4});
    QVERIFY(last.goal == Goal::DpSgd);
    QCOMPARE(last.base.dump(), std::string(R"({"data":{"batch":8,"seq":1024},"dtype":"bfloat16"})"));
    // What was assumed and fixed is kept with the plan.
    const nlohmann::json& plan = workspace->result()->other["plan"];
    QCOMPARE(plan["base"]["data"]["seq"].get<int>(), 1024);
    QVERIFY(plan["notes"].dump().find("typical shape") != std::string::npos);
}

void TestPlanWorkspace::theLatestRequestWins()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    m_search->hold = true;
    for (const char* model : {"model-a", "model-b", "model-c"}) {
        workspace->inputs()->modelField()->setEditText(QString::fromLatin1(model));
        workspace->plan();
        QTest::qWait(20);
    }
    m_search->hold = false;
    QVERIFY(settled(*workspace));
    QTRY_VERIFY(workspace->strategies()->detailText().contains(QStringLiteral("first of model-c")));
    QVERIFY(m_search->stopped >= 1);
    QVERIFY(workspace->messages()->text().isEmpty() || !workspace->messages()->isVisible());
    QVERIFY(workspace->statusText().contains(QStringLiteral("model-c")));
}

void TestPlanWorkspace::aLongSearchShowsThatItGoesOn()
{
    m_search->hold = true;
    auto workspace = newWorkspace();
    auto* bar = workspace->findChild<QProgressBar*>(QString(), Qt::FindChildrenRecursively);
    QVERIFY(bar);
    QTRY_VERIFY(!workspace->statusText().isEmpty());
    QVERIFY(workspace->statusText().contains(QStringLiteral("Searching")));
    QVERIFY(!workspace->strategies()->showsTable());
    // The GUI answers meanwhile, and the search can be stopped.
    QAbstractButton* stop = actionButton(*workspace, QStringLiteral("Stop"));
    QVERIFY(stop);
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_COMPARE(m_search->stopped.load(), 1);
    QVERIFY(!workspace->busy());
    QVERIFY(workspace->statusText().isEmpty());
    QVERIFY(workspace->result() == nullptr);
    m_search->hold = false;
    workspace->plan();
    QVERIFY(settled(*workspace));
    QVERIFY(workspace->strategies()->showsTable());
}

void TestPlanWorkspace::errorsStandWhereTheWorkWasStarted_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("unknown model") << "model"
                                   << "nonsense"
                                   << "nonsense is no model";
    QTest::newRow("no model") << "model"
                              << ""
                              << "Model:";
    QTest::newRow("unknown device") << "device"
                                    << "toaster"
                                    << "toaster is no device";
    QTest::newRow("no device") << "device"
                               << ""
                               << "Device:";
    QTest::newRow("batch of zero") << "batch"
                                   << "0"
                                   << "Batch:";
    QTest::newRow("batch in words") << "batch"
                                    << "many"
                                    << "many";
    QTest::newRow("negative sequence") << "sequence"
                                       << "-4"
                                       << "Sequence:";
}

void TestPlanWorkspace::errorsStandWhereTheWorkWasStarted()
{
    QFETCH(QString, field);
    QFETCH(QString, text);
    QFETCH(QString, words);
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    PlanInputs* inputs = workspace->inputs();
    if (field == QLatin1String("model"))
        inputs->modelField()->setEditText(text);
    else if (field == QLatin1String("device"))
        inputs->deviceField()->setEditText(text);
    else
        (field == QLatin1String("batch") ? inputs->batchField() : inputs->sequenceField())->setText(text);
    workspace->plan();
    QTRY_VERIFY2(workspace->messages()->isVisible() && workspace->messages()->text().contains(words),
                 qPrintable(workspace->messages()->text()));
    QVERIFY(workspace->messages()->kind() == MessageBar::Kind::Error);
    // The plan before stays and says that it is one, but never under the name of another model or device.
    const bool sameSubject = field != QLatin1String("model") && field != QLatin1String("device");
    QCOMPARE(workspace->strategies()->showsTable(), sameSubject);
    QCOMPARE(workspace->ladder()->showsPlot(), sameSubject);
    QCOMPARE(workspace->map()->showsPlot(), sameSubject);
    QCOMPARE(workspace->statusText().contains(QStringLiteral("the plan before")), sameSubject);
}

void TestPlanWorkspace::whatWouldFitIsSaid()
{
    m_search->nothingFits = true;
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    QVERIFY(workspace->messages()->isVisible());
    QVERIFY(workspace->messages()->text().contains(QStringLiteral("at most 1.3 G parameters")));
}

void TestPlanWorkspace::strategiesAndCellsBecomeExperiments()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    QTRY_VERIFY(workspace->map()->showsPlot());
    std::vector<nlohmann::json> runs;
    std::vector<nlohmann::json> edits;
    connect(workspace.get(), &PlanPage::runRequested, this,
            [&runs](const nlohmann::json& experiment) { runs.push_back(experiment); });
    connect(workspace.get(), &PlanPage::editRequested, this,
            [&edits](const nlohmann::json& experiment) { edits.push_back(experiment); });
    QTest::mouseClick(workspace->runButton(), Qt::LeftButton);
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs[0]["data"]["batch"].get<int>(), 1);

    QTest::qWait(50); // laid out
    CapacityMapView* map = workspace->map();
    QTest::mouseDClick(map->plot(), Qt::LeftButton, {}, map->cellCentre(16, 2).toPoint());
    QVERIFY(workspace->messages()->isVisible());
    QCOMPARE(runs.size(), std::size_t{1}); // offered, not started
    QAbstractButton* run = nullptr;
    QTRY_VERIFY((run = actionButton(*workspace->messages(), QStringLiteral("Run this"))));
    QTest::mouseClick(run, Qt::LeftButton);
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[1]["data"]["batch"].get<int>(), 2);
    QCOMPARE(runs[1]["data"]["seq"].get<int>(), 16);

    QTest::keyClick(workspace->strategies()->view(), Qt::Key_Down);
    QTest::keyClick(workspace->strategies()->view(), Qt::Key_Return);
    QAbstractButton* edit = nullptr;
    QTRY_VERIFY((edit = actionButton(*workspace->messages(), QStringLiteral("Open in set-up"))));
    QTest::mouseClick(edit, Qt::LeftButton);
    QCOMPARE(edits.size(), std::size_t{1});
    QCOMPARE(edits[0]["data"]["batch"].get<int>(), 4);
}

void TestPlanWorkspace::choosingAStrategyMakesItsMap()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    QSignalSpy inspected(workspace.get(), &PlanPage::inspected);
    const int before = m_search->maps;
    QTest::keyClick(workspace->strategies()->view(), Qt::Key_Down);
    QVERIFY(settled(*workspace));
    QCOMPARE(m_search->maps.load(), before + 1);
    QCOMPARE(inspected.count(), 1);
    QCOMPARE(inspected.first().first().value<InspectorContent>().title, QStringLiteral("second"));
    QTRY_VERIFY(workspace->map()->title().contains(QStringLiteral("second")));
    QCOMPARE(workspace->result()->other["plan"]["capacity_map"]["strategy"].get<std::string>(), std::string("second"));
}

void TestPlanWorkspace::runsOfTheLibraryStandBesidePredictions()
{
    const QTemporaryDir library;
    RunResult run = testing::smallResult(); // batch 1 × 8: the first strategy's own set-up
    run.environment = {{"device", "cpu"}};
    QVERIFY(saveRunResult(run, library.filePath(QStringLiteral("a.json")).toStdString()).ok());
    run.config["data"] = {{"batch", 2}, {"seq", 16}};
    QVERIFY(saveRunResult(run, library.filePath(QStringLiteral("b.json")).toStdString()).ok());
    run.config["data"] = {{"batch", 3}, {"seq", 16}};
    run.synthetic = true;
    QVERIFY(saveRunResult(run, library.filePath(QStringLiteral("synthetic.json")).toStdString()).ok());
    run.synthetic = false;
    run.config["training"]["optimizer"] = "sgd";
    QVERIFY(saveRunResult(run, library.filePath(QStringLiteral("other.json")).toStdString()).ok());
    QVERIFY(writeFileAtomically(library.filePath(QStringLiteral("junk.json")).toStdString(), "{").ok());

    auto workspace = newWorkspace();
    workspace->setLibraryFolder(library.path());
    workspace->plan();
    QVERIFY(settled(*workspace));
    QTRY_COMPARE(workspace->map()->map().measured.size(), std::size_t{2});
    const MeasuredCell& cell = workspace->map()->map().measured.back();
    QCOMPARE(cell.sequence, std::int64_t{16});
    QCOMPARE(cell.batch, std::int64_t{2});
    QCOMPARE(cell.device, std::string("cpu"));
    QCOMPARE(cell.peakBytes, std::int64_t{6 << 20});
    QCOMPARE(workspace->strategies()->model()->measuredBytes(0), std::int64_t{6 << 20});
    QCOMPARE(workspace->strategies()->model()->measuredBytes(1), std::int64_t{0});
    QCOMPARE(workspace->result()->other["plan"]["capacity_map"]["measured"].size(), std::size_t{2});
    // A run that ends now appears.
    RunResult later = testing::smallResult();
    later.config["data"] = {{"batch", 4}, {"seq", 8}};
    QVERIFY(saveRunResult(later, library.filePath(QStringLiteral("c.json")).toStdString()).ok());
    workspace->refreshMeasured();
    QTRY_COMPARE(workspace->map()->map().measured.size(), std::size_t{3});
    QTRY_COMPARE(workspace->strategies()->model()->measuredBytes(1), std::int64_t{6 << 20});
}

void TestPlanWorkspace::setupsAreEqualByWhatDecidesAboutMemory()
{
    const nlohmann::json base = testing::smallExperiment();
    const auto with = [&base](const char* pointer, const nlohmann::json& value) {
        nlohmann::json changed = base;
        changed[nlohmann::json::json_pointer(pointer)] = value;
        return memorySetup(changed);
    };
    const std::string setup = memorySetup(base);
    QVERIFY(!setup.empty());
    QCOMPARE(with("/seed", 7), setup);
    QCOMPARE(with("/training/lr", 0.5), setup);
    QCOMPARE(with("/training/steps", 9), setup);
    QCOMPARE(with("/data/batch", 9), setup);
    QCOMPARE(with("/data/seq", 9), setup);
    QCOMPARE(with("/dtype", "float32"), setup); // the default
    QVERIFY(with("/dtype", "bfloat16") != setup);
    QVERIFY(with("/training/optimizer", "sgd") != setup);
    QVERIFY(with("/training/checkpointing", true) != setup);
    QVERIFY(with("/model/hidden", 64) != setup);
    QVERIFY(memorySetup({{"kind", "memory"}}).empty());
}

void TestPlanWorkspace::plansAreSavedAndOpenedAgain()
{
    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    QTRY_VERIFY(workspace->map()->showsPlot());
    QSignalSpy save(workspace.get(), &PlanPage::saveRequested);
    QTest::mouseClick(workspace->findChild<QPushButton*>(QStringLiteral("savePlan")), Qt::LeftButton);
    QCOMPARE(save.count(), 1);
    const auto saved = workspace->result();
    QVERIFY(isPlan(*saved));
    const int searches = static_cast<int>(asked().size());

    auto other = newWorkspace();
    QVERIFY(settled(*other));
    other->inputs()->modelField()->setEditText(QStringLiteral("something-else"));
    other->showDocument({QStringLiteral("plan.json"), saved, nullptr});
    QVERIFY(settled(*other));
    QCOMPARE(other->result()->id, saved->id);
    QCOMPARE(other->inputs()->modelField()->currentText(), QStringLiteral("opt-6.7b"));
    QCOMPARE(other->inputs()->deviceField()->currentText(), QStringLiteral("a800-80gb"));
    QVERIFY(other->map()->showsPlot());
    QCOMPARE(other->map()->map().frontier, (std::vector<std::int64_t>{4, 2}));
    QCOMPARE(static_cast<int>(asked().size()), searches + 1); // the second window's own first plan only
    QCOMPARE(toJson(*other->result())["plan"], toJson(*saved)["plan"]);
}

void TestPlanWorkspace::devicesOfThisMachineAreOffered()
{
    const QByteArray answer = R"([{"id": "cpu", "name": "A processor", "total_bytes": 8589934592, "free_bytes": 1},
        {"id": "cuda:0", "name": "NVIDIA H200", "total_bytes": 150323855360, "usable_bytes": 149000000000},
        {"id": 5}, {"name": "nameless"}, "junk"])";
    const std::vector<MachineDevice> devices = machineDevicesFromAnswer(answer);
    QCOMPARE(devices.size(), std::size_t{2});
    QCOMPARE(devices[0].usableBytes, qint64{8589934592});
    QCOMPARE(devices[1].usableBytes, qint64{149000000000});
    QVERIFY(machineDevicesFromAnswer("{").empty());

    auto workspace = newWorkspace();
    QVERIFY(settled(*workspace));
    workspace->inputs()->setMachineDevices(devices);
    QComboBox* field = workspace->inputs()->deviceField();
    QCOMPARE(field->itemText(0), QStringLiteral("cpu"));
    QCOMPARE(field->currentText(), QStringLiteral("a800-80gb")); // the choice stays
    field->setEditText(QStringLiteral("cuda:0"));
    workspace->plan();
    QVERIFY(settled(*workspace));
    QCOMPARE(asked().back().device.usableBytes, std::int64_t{149000000000});
    QCOMPARE(asked().back().device.id, std::string("cuda:0"));
}

void TestPlanWorkspace::theWindowRunsAStrategy()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(front(window), QStringLiteral("plan"));
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->strategies()->showsTable(), 90000);
    QVERIFY(shownResult(window) != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(!part<PlanPage>(window)->busy(), 90000);
    QTest::mouseClick(part<PlanPage>(window)->runButton(), Qt::LeftButton);
    // It is for a device that is not here: asked where it shall run.
    QVERIFY(part<RunQueue>(window)->ids().empty());
    QAbstractButton* here = nullptr;
    const auto onProcessor = [&] {
        for (QAbstractButton* button : part<PlanPage>(window)->messages()->findChildren<QAbstractButton*>())
            here = button->text().startsWith(QStringLiteral("Here, on the processor")) ? button : here;
        return here && here->isVisible();
    };
    QTRY_VERIFY(onProcessor());
    QStringList offered;
    for (const QPushButton* button : part<PlanPage>(window)->messages()->findChildren<QPushButton*>())
        offered << button->text();
    QVERIFY2(offered.value(0).startsWith(QStringLiteral("Dry run on NVIDIA")), qPrintable(offered.join(u',')));
    QTest::mouseClick(here, Qt::LeftButton);
    QCOMPARE(front(window), QStringLiteral("run"));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(!part<RunQueue>(window)->busy(), 90000);
    // The plan is still there, and Ctrl+1 leads back to it.
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QVERIFY(part<PlanPage>(window)->strategies()->showsTable());
    const QString path = m_home.filePath(QStringLiteral("plan.json"));
    QVERIFY(part<FigureExport>(window)->saveCopyTo(path));
    QVERIFY(isPlan(readAny(path.toStdString())->front()));
}

void TestPlanWorkspace::theWindowOpensBothKindsOfPlanFiles()
{
    const QString bare = m_home.filePath(QStringLiteral("bare.json"));
    const QString saved = m_home.filePath(QStringLiteral("saved.json"));
    QVERIFY(writeFileAtomically(bare.toStdString(), testing::samplePlanJson().dump()).ok());
    QVERIFY(saveRunResult(testing::samplePlanResult(), saved.toStdString()).ok());
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    for (const QString& path : {bare, saved}) {
        window.showWorkspace(QStringLiteral("run"));
        window.openFiles({path});
        QTRY_COMPARE(front(window), QStringLiteral("plan"));
        QTRY_COMPARE(part<PlanPage>(window)->strategies()->model()->rowCount(), 10);
        QVERIFY(shownResult(window) && isPlan(*shownResult(window)));
    }
    QTRY_COMPARE(part<PlanPage>(window)->map()->map().frontier, testing::sampleMap().frontier);
    // Another program's table of Hessian sizes is of kind "plan" too, but has no strategies to rank.
    const QString foreign = m_home.filePath(QStringLiteral("foreign.json"));
    RunResult sizes;
    sizes.kind = ResultKind::Plan;
    sizes.status = RunStatus::Complete;
    sizes.other["hessian_memory"] = {
        {"models", {{{"model", "OPT-125M"}, {"strategies", {{"full_hessian_bytes", 6.3e16}}}}}}};
    QVERIFY(saveRunResult(sizes, foreign.toStdString()).ok());
    window.openFiles({foreign});
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("full hessian")));
    // A run's result leads back to the Run workspace.
    const QString run = m_home.filePath(QStringLiteral("run.json"));
    QVERIFY(saveRunResult(testing::smallResult(), run.toStdString()).ok());
    window.openFiles({run});
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    QTRY_VERIFY(shownResult(window) && shownResult(window)->kind == ResultKind::Memory);
}

// A bound is no prediction: nothing is off by anything.
void TestPlanWorkspace::boundsAreCalledBounds()
{
    RunResult result = testing::smallResult();
    result.prediction = Prediction{9000000, {}};
    const auto said = [&] {
        QStringList words;
        for (const InspectorContent::Section& section : inspectRun(result, {}).sections) {
            for (const InspectorContent::Row& row : section.rows)
                words << row.label;
        }
        return words;
    };
    QVERIFY(said().contains(QStringLiteral("Prediction off by")));
    result.other["prediction"] = {{"bound", true}};
    // As it stands in a file.
    const auto stored = runResultFromJson(toJson(result));
    QVERIFY(stored.ok() && predictionIsBound(*stored));
    QVERIFY(!said().contains(QStringLiteral("Prediction off by")));
    QVERIFY(said().contains(QStringLiteral("Planned for at most")));
    QVERIFY(predictionText(result).contains(QStringLiteral("at most")));
    QVERIFY(!predictionText(result).contains(u'%'));
    result.prediction->peakBytes = 0;
    QCOMPARE(peakClaim(result), PeakClaim::None);
    QVERIFY(!said().contains(QStringLiteral("Planned for at most")));
    result.prediction->peakBytes = 9000000;
    result.other["prediction"]["bound"] = "yes";
    QVERIFY(!predictionIsBound(result));
}

void TestPlanWorkspace::predictionsAreDrawnAndCompared()
{
    RunResult result = testing::smallResult();
    result.prediction = Prediction{6300000, {}};
    QCOMPARE(predictionError(1010, 1000), QStringLiteral("+1.0 %"));
    QCOMPARE(predictionError(900, 1000), QStringLiteral("−10 %"));
    QVERIFY(predictionError(1000, 1000).startsWith(QStringLiteral("±0")));
    QVERIFY(predictionText(result).contains(QStringLiteral("+0.1 %")));
    result.status = RunStatus::OverBudget;
    QVERIFY(!predictionText(result).contains(u'%')); // it may not have come to its peak
    result.status = RunStatus::Complete;

    RunPage workspace;
    workspace.resize(1000, 700);
    workspace.show();
    QVERIFY(QTest::qWaitForWindowExposed(&workspace));
    const auto shared = std::make_shared<const RunResult>(result);
    QSignalSpy inspected(&workspace, &RunPage::inspected);
    workspace.showDocument({{}, shared, std::make_shared<const MemoryTimeline>(result.memory->timeline)});
    QTRY_VERIFY(workspace.resultTimeline()->summary().contains(QStringLiteral("predicted peak is 6.01 MiB")));
    const auto facts = workspace.findChild<QLabel*>(QStringLiteral("runFacts"));
    QVERIFY(facts->text().contains(QStringLiteral("+0.1 %")));
    QVERIFY(!inspected.isEmpty());
    bool told = false;
    for (const auto& section : inspected.last().first().value<InspectorContent>().sections)
        told = told || section.title == QStringLiteral("Prediction");
    QVERIFY(told);
    // The line is drawn where its bytes are.
    QTest::qWait(80);
    const MemoryTimelineView* view = workspace.resultTimeline();
    const QImage image = view->plot()->toPixmap(view->plot()->width(), view->plot()->height(), 1).toImage();
    const int y = qRound(view->plot()->yAxis->coordToPixel(6300000));
    const QColor accent = chartTheme(view->palette()).accent;
    int dashes = 0;
    for (int x = 0; x < image.width(); ++x)
        dashes += QColor(image.pixel(x, y)) == accent || QColor(image.pixel(x, y - 1)) == accent;
    QVERIFY2(dashes > 100, qPrintable(QString::number(dashes)));

    // And while a run goes on, as soon as it is known.
    RunInfo info;
    info.id = 1;
    info.state = RunState::Running;
    info.experiment = testing::smallExperiment();
    workspace.beginLive(info);
    workspace.showRun(info);
    LiveBatch batch;
    batch.id = 1;
    batch.prediction = Prediction{64 << 20, {}};
    workspace.appendBatch(batch);
    LiveBatch events;
    events.id = 1;
    events.timeSeconds = {0.1};
    events.deltaBytes = {1 << 20};
    events.component = {Component::Parameters};
    workspace.appendBatch(events);
    QTRY_VERIFY(workspace.liveTimeline()->summary().contains(QStringLiteral("64.0 MiB")));
    QTRY_VERIFY(workspace.liveTimeline()->plot()->yAxis->range().upper > (64 << 20));
    QTRY_VERIFY(facts->text().contains(QStringLiteral("predicted peak 64.0 MiB")));
    batch.predictionIsBound = true;
    workspace.appendBatch(batch);
    QTRY_VERIFY(facts->text().contains(QStringLiteral("planned for at most 64.0 MiB")));
    QVERIFY(!facts->text().contains(QStringLiteral("predicted")));
}

PEAKSCOPE_TEST(TestPlanWorkspace)
#include "test_plan_workspace.moc"
