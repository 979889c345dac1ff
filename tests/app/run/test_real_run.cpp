// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Real experiments by the real worker through the window: the demo, a budget of half the need, a kill from outside,
// an experiment whose data is missing, a comparison, a sweep; and the real search for a plan.
#include "app/compare/compare_page.h"
#include "app/compare/methods_dialog.h"
#include "app/compare/methods_runner.h"
#include "app/form/run_panel.h"
#include "app/form/sweep_dialog.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "core/planning/recommend/recommender.h"
#include "core/results/plans/plan_document.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/text/note_words.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <numeric>

using namespace peakscope;
using namespace peakscope::testing;

class TestRealRun : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void theDemoRuns();
    void halfTheBudgetEndsTheRun();
    void aKillFromOutsideIsTold();
    void missingDataIsTold();
    void aLostLossIsShown();
    void methodsAreCompared();
    void aSweepFillsItsMap();
    void everyGoalIsAnswered_data();
    void everyGoalIsAnswered();

private:
    // The demo's first run, smaller.
    static nlohmann::json experiment(int steps)
    {
        nlohmann::json document = demoExperiment();
        document["model"].update({{"hidden", 256}, {"layers", 4}, {"heads", 4}, {"ffn", 1024}});
        document["data"]["seq"] = 128;
        document["training"]["steps"] = steps;
        document["training"]["warmup_steps"] = 1;
        return document;
    }
    static bool finished(MainWindow& window, int id) { return isFinished(part<RunQueue>(window)->info(id)->state); }
    // The worker processes that a process and those it has started have started.
    static QList<int> workersBelow(qint64 process)
    {
        QList<int> pids;
        const QDir tasks(QStringLiteral("/proc/%1/task").arg(process));
        for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile file(tasks.filePath(task + QStringLiteral("/children")));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            for (const QByteArray& word : file.readAll().simplified().split(' ')) {
                const int pid = word.toInt();
                QFile command(QStringLiteral("/proc/%1/cmdline").arg(pid));
                if (pid > 0 && command.open(QIODevice::ReadOnly) && command.readAll().contains("worker"))
                    pids << pid;
                if (pid > 0)
                    pids << workersBelow(pid);
            }
        }
        return pids;
    }

    QTemporaryDir m_home;
    std::int64_t m_peak = 0;
};

void TestRealRun::initTestCase()
{
    if (!QFileInfo::exists(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli")))
        QSKIP("peakscope-cli is not built (PEAKSCOPE_ENGINE is off)");
    testing::isolate(m_home);
}

void TestRealRun::init()
{
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli");
}

void TestRealRun::theDemoRuns()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const int id = part<RunStarter>(window)->start(experiment(2));
    MemoryTimelineView* live = part<RunPage>(window)->liveTimeline();
    QTRY_VERIFY_WITH_TIMEOUT((live->timeline() && live->timeline()->size() > 1000) || finished(window, id), 60000);
    QTRY_VERIFY_WITH_TIMEOUT(finished(window, id), 120000);
    const std::shared_ptr<const RunResult> result = shownResult(window);
    QVERIFY2(result, qPrintable(part<RunPage>(window)->panel()->messages()->text()));
    QCOMPARE(int(result->status), int(RunStatus::Complete));
    QVERIFY(result->memory.has_value());
    const ComponentBytes& parts = result->memory->peakComponents;
    QCOMPARE(std::accumulate(parts.begin(), parts.end(), std::int64_t(0)), result->memory->peakBytes);
    QCOMPARE(part<RunPage>(window)->resultTimeline()->timeline()->peakBytes(), result->memory->peakBytes);
    QVERIFY(!result->memory->modules.empty());
    for (const std::string& note : result->notes)
        QVERIFY2(isKnownNote(note), note.c_str());
    QVERIFY(QFileInfo::exists(part<RunQueue>(window)->info(id)->outcome.path));
    m_peak = result->memory->peakBytes;
}

void TestRealRun::halfTheBudgetEndsTheRun()
{
    QVERIFY2(m_peak > 0, "needs the peak of theDemoRuns, which comes first");
    MainWindow window;
    window.show();
    nlohmann::json document = experiment(2);
    document["budget_bytes"] = m_peak / 2;
    const int id = part<RunStarter>(window)->start(document);
    QTRY_VERIFY_WITH_TIMEOUT(finished(window, id), 120000);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::OverBudget));
    QCOMPARE(part<RunPage>(window)->header()->badges().first(), QStringLiteral("over budget"));
    QVERIFY(!part<RunPage>(window)->messages()->text().isEmpty());
    QVERIFY(shownResult(window)->memory->peakBytes <= m_peak / 2);
}

void TestRealRun::aKillFromOutsideIsTold()
{
    MainWindow window;
    window.show();
    const int id = part<RunStarter>(window)->start(experiment(200));
    MemoryTimelineView* live = part<RunPage>(window)->liveTimeline();
    QTRY_VERIFY_WITH_TIMEOUT(live->timeline() && live->timeline()->size() > 1000, 60000);
    const QList<int> pids = workersBelow(QCoreApplication::applicationPid());
    QVERIFY(!pids.isEmpty());
    for (const int pid : pids)
        ::kill(pid, SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(finished(window, id), 10000);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Interrupted));
    QVERIFY(part<RunPage>(window)->messages()->text().contains(QStringLiteral("signal 9")));
    const QString path = part<RunQueue>(window)->info(id)->outcome.path;
    const Result<RunResult> saved = loadRunResult(path.toStdString());
    QVERIFY(saved.ok());
    QCOMPARE(int(saved->status), int(RunStatus::Interrupted));
    QVERIFY(saved->memory && saved->memory->peakBytes > 0);
}

void TestRealRun::missingDataIsTold()
{
    MainWindow window;
    window.show();
    nlohmann::json document = experiment(1);
    document["data"]["source"] = "text";
    document["data"]["path"] = "/nowhere/lost.txt";
    window.showWorkspace(QStringLiteral("run"));
    const auto told = [&window] {
        return part<RunPage>(window)->panel()->messages()->text() + part<RunPage>(window)->messages()->text();
    };
    QCOMPARE(part<RunStarter>(window)->start(document), 0); // seen from here, before a worker is asked
    QVERIFY2(told().contains(QStringLiteral("lost.txt")), qPrintable(told()));
    QFile text(m_home.filePath(QStringLiteral("short.txt")));
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write("ab") == 2);
    text.close();
    document["data"]["path"] = text.fileName().toStdString(); // what is in it only the worker sees
    const int id = part<RunStarter>(window)->start(document);
    QVERIFY2(id > 0, qPrintable(told()));
    QTRY_VERIFY_WITH_TIMEOUT(finished(window, id), 60000);
    QVERIFY2(told().contains(QStringLiteral("short.txt")), qPrintable(told()));
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Failed));
}

void TestRealRun::aLostLossIsShown()
{
    MainWindow window;
    window.show();
    nlohmann::json document = experiment(3);
    document["training"]["optimizer"] = "sgd";
    document["training"]["lr"] = 1e30; // the weights overflow after a step
    const int id = part<RunStarter>(window)->start(document);
    QTRY_VERIFY_WITH_TIMEOUT(finished(window, id), 60000);
    // Whatever the worker calls such an end, the result is readable, says so, and the window goes on.
    const std::shared_ptr<const RunResult> result = shownResult(window);
    QVERIFY(result && result->memory);
    QVERIFY(!result->message.empty() || !result->notes.empty());
}

// What compare-methods does, from the menu: two ways of clipping beside each other, timed in rounds.
void TestRealRun::methodsAreCompared()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    part<RunPage>(window)->panel()->setDocument(testing::smallExperiment());
    trigger(window, QStringLiteral("compareMethods"));
    auto* dialog = window.findChild<MethodsDialog*>();
    QTRY_VERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->methods(), (QStringList{"vanilla", "ghost", "flash"}));
    QTest::mouseClick(dialog->methodBox(QStringLiteral("flash")), Qt::LeftButton, {},
                      QPoint(10, dialog->methodBox(QStringLiteral("flash"))->height() / 2));
    dialog->roundsField()->setFocus();
    dialog->roundsField()->selectAll();
    QTest::keyClicks(dialog->roundsField(), QStringLiteral("2"));
    QCOMPARE(dialog->methods(), (QStringList{"vanilla", "ghost"}));
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()) && dialog->grab().save(screens.filePath("methods_dialog.png")));
    QSignalSpy over(part<MethodsRunner>(window), &MethodsRunner::finished);
    QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
    QTRY_VERIFY(window.messages()->text().contains(QStringLiteral("of 6 processes")));
    // Closing asks first; kept, it goes on.
    QVERIFY(!window.close());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("A comparison of methods is under way")),
             qPrintable(window.messages()->text()));
    const auto keep = [&window]() -> QPushButton* {
        for (QPushButton* each : window.messages()->findChildren<QPushButton*>()) {
            if (each->isVisible() && each->text() == QLatin1String("Don't close"))
                return each;
        }
        return nullptr;
    };
    QTRY_VERIFY(keep());
    QTest::mouseClick(keep(), Qt::LeftButton);
    QVERIFY(window.isVisible() && !window.asksToClose());
    QTRY_COMPARE_WITH_TIMEOUT(over.count(), 1, 120'000);
    QVERIFY2(over[0][0].toInt() == 0, qPrintable(window.messages()->text()));
    QTRY_COMPARE_WITH_TIMEOUT(front(window), QStringLiteral("compare"), 30'000);
    QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t(2));
    // In place of what was compared of the methods that had ended.
    QTRY_VERIFY(part<ComparePage>(window)->runs()[1].path.endsWith(QStringLiteral("ghost_result.json")));
    const RunResult& ghost = *part<ComparePage>(window)->runs()[1].result;
    QCOMPARE(ghost.config["training"]["clipping"], nlohmann::json("ghost"));
    QVERIFY(ghost.timing && !ghost.timing->traced);
    for (const std::string& note : ghost.notes)
        QVERIFY2(isKnownNote(note), note.c_str());
    QCOMPARE(timedRounds(ghost).size(), std::size_t(2));
}

// New sweep, two keys of two values, by hand; its map has every point's measured peak.
void TestRealRun::aSweepFillsItsMap()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    part<RunPage>(window)->panel()->setDocument(testing::smallExperiment());
    trigger(window, QStringLiteral("newSweep"));
    const auto* dialog = window.findChild<SweepDialog*>();
    QTRY_VERIFY(dialog && dialog->isVisible());
    const std::pair<const char*, const char*> rows[] = {{"data.seq", "8, 32"}, {"training.clipping", "none,ghost"}};
    for (std::size_t axis = 0; axis < std::size(rows); ++axis) {
        QLineEdit* key = dialog->keyField(axis)->lineEdit();
        for (const auto& [field, text] :
             {std::pair{key, rows[axis].first}, {dialog->valuesField(axis), rows[axis].second}}) {
            field->setFocus();
            field->selectAll();
            QTest::keyClicks(field, QString::fromLatin1(text));
        }
    }
    QVERIFY2(dialog->isValid(), qPrintable(dialog->verdict()));
    QSignalSpy over(part<JobQueue>(window), &JobQueue::finished);
    QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(over.count(), 1, 120'000);
    const auto end = over[0][1].value<JobEnd>();
    QVERIFY2(end.exitStatus == 0, qPrintable(end.message));
    const SweepPanel* panel = part<RunPage>(window)->sweepPanel();
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window) && panel->heatMap()->sweep().complete(), 30'000);
    QVERIFY(panel->isVisible() && panel->heatMap()->isVisible() && panel->heatMap()->showsPlot());
    const std::vector<SweepPoint>& points = panel->heatMap()->sweep().points;
    QCOMPARE(points.size(), std::size_t{4});
    for (const SweepPoint& point : points)
        QVERIFY(point.state() == SweepCellState::Measured && point.measured);
}

void TestRealRun::everyGoalIsAnswered_data()
{
    QTest::addColumn<int>("goal");
    QTest::newRow("DP-SGD") << static_cast<int>(Goal::DpSgd);
    QTest::newRow("PRM") << static_cast<int>(Goal::Prm);
}

// The real search, asked by the field itself: strategies with bytes, a ladder whose last step is no larger than the
// first, a map.
void TestRealRun::everyGoalIsAnswered()
{
    QFETCH(const int, goal);
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    const auto* page = part<PlanPage>(window);
    QTRY_VERIFY_WITH_TIMEOUT(!page->busy() && page->strategies()->showsTable(), 90'000);
    QComboBox* field = page->inputs()->goalField();
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Home);
    for (int step = 0; step < goal; ++step)
        QTest::keyClick(field, Qt::Key_Down);
    QCOMPARE(field->currentIndex(), goal);
    const auto answered = [&] {
        if (page->busy() || !page->result())
            return false;
        const auto plan = planOf(*page->result());
        return plan.ok() && plan->goal == kEnumWords<Goal>[static_cast<std::size_t>(goal)];
    };
    QTRY_VERIFY_WITH_TIMEOUT(answered(), 90'000);
    const PlanDocument plan = *planOf(*page->result());
    QVERIFY(page->strategies()->showsTable() && page->strategies()->model()->rowCount() > 0);
    for (const PlannedStrategy& strategy : plan.strategies)
        QVERIFY2(strategy.peakBytes > 0 && strategy.experiment.is_object(), strategy.title.c_str());
    QVERIFY(!plan.ladder.empty() && plan.ladder.back().peakBytes > 0);
    QVERIFY(plan.ladder.back().peakBytes <= plan.ladder.front().peakBytes);
    QVERIFY2(page->strategies()->detailText().contains(QStringLiteral("iB")),
             qPrintable(page->strategies()->detailText()));
}

PEAKSCOPE_TEST(TestRealRun)
#include "test_real_run.moc"
