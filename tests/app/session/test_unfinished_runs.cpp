// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that a window did not bring to an end: offered at the next start, or found still under way.
#include "app/form/program_dialog.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/program_runs.h"
#include "app/jobs/run_queue.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/session/unfinished_runs.h"
#include "app/shell/shown_document.h"
#include "core/base/output_lock.h"
#include "core/experiment/sweep_plan.h"
#include "core/model/dry_device.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/app/session/session_test_support.h"
#include "tests/test_room.h"

#include <QAction>
#include <QProcess>
#include <QPushButton>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestUnfinishedRuns : public testing::SessionTest
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void anInterruptedRunIsOffered();
    void allInterruptedRunsAreOffered();
    void aRunThatGoesOnIsFoundAndStopped();
    void anInterruptedSweepIsOffered();
    void questionsOfOneOfferAreAskedOneAfterAnother();
    void dryProgramsAreOfferedAgain();
    void theRunOfAnotherProcessIsLookedAtAgain();
    void aProgramRecordedHereIsOfferedAgain();
    void anOfferWaitsForItsPlace();
    void anOfferIsNotTheRunJustStarted();
    void anOfferStaysUntilItIsAnswered();
    void runsOfALivingWindowAreItsOwn();
    void aWorkersDeathIsNoInterruptedSession();

private:
    // A window that ended in the middle of a run of that name.
    static void leaveRun(const QString& key, const char* title, const QString& file = {})
    {
        keepUnfinished(key, {{QString::fromLatin1(title), testing::smallExperiment(), {}, file}}, false);
    }
    // Of a process that is not there: it began at another time than the one that has its number now.
    static QString deadKey()
    {
        QStringList parts = newWindowKey().split(u'.');
        parts[1] = QStringLiteral("1");
        return parts.join(u'.');
    }
    static QPushButton* button(const MainWindow& window, const QString& title)
    {
        for (QPushButton* each : window.messages()->findChildren<QPushButton*>()) {
            if (each->text() == title && each->isVisible())
                return each;
        }
        return nullptr;
    }
};

void TestUnfinishedRuns::initTestCase()
{
    prepareHome();
}

void TestUnfinishedRuns::init()
{
    clearHome();
}

void TestUnfinishedRuns::anInterruptedRunIsOffered()
{
    testing::useFakeWorker("slow");
    {
        const auto window = this->window(false);
        const int id = part<RunStarter>(window)->start(testing::smallExperiment());
        QTRY_VERIFY(part<RunQueue>(window)->live() && part<RunQueue>(window)->info(id)->state == RunState::Running);
        window->close();
        QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
        QTRY_VERIFY(!window->isVisible());
    }
    testing::useFakeWorker("complete");
    const auto window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("was interrupted")),
                 qPrintable(window->messages()->text()));
    QVERIFY(part<RunQueue>(window)->ids().empty()); // offered, not started
    QPushButton* again = nullptr;
    for (QPushButton* button : window->messages()->findChildren<QPushButton*>())
        again = button->text() == QLatin1String("Run it again") ? button : again;
    QVERIFY(again);
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    // It is offered once.
    window->close();
    const auto third = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QVERIFY2(third->messages()->text().isEmpty(), qPrintable(third->messages()->text()));
}

void TestUnfinishedRuns::allInterruptedRunsAreOffered()
{
    leaveRun(deadKey(), "the first one");
    leaveRun(deadKey(), "the second one");
    const auto window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("the first one")) &&
                     window->messages()->text().contains(QStringLiteral("the second one")),
                 qPrintable(window->messages()->text()));
    QTest::mouseClick(button(*window, QStringLiteral("Run them again")), Qt::LeftButton);
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(2)->state), int(RunState::Complete));
    QTRY_VERIFY(settings::unfinishedRuns().isEmpty());
}

// As a window that was killed leaves it.
void TestUnfinishedRuns::aRunThatGoesOnIsFoundAndStopped()
{
    testing::useFakeWorker("slow");
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
    const QString file = QDir(settings::libraryFolder()).absoluteFilePath(QStringLiteral("left.json"));
    QProcess run;
    run.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope_fake_worker"), {"run", "-", "--out", file});
    run.write(QByteArray::fromStdString(testing::smallExperiment().dump()));
    run.closeWriteChannel();
    QTRY_VERIFY(QFileInfo::exists(file));
    leaveRun(deadKey(), "the one that goes on", file);
    {
        const auto window = this->window(true);
        QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("has been running since before")),
                     qPrintable(window->messages()->text()));
        QVERIFY(testing::press(*window->messages(), QStringLiteral("Show")));
        QTRY_COMPARE(part<ShownDocument>(window)->path(), file);
        QTRY_VERIFY(part<RunHeader>(window)->badges().contains(QStringLiteral("running")));
        QTRY_VERIFY(window->findChild<QAction*>(QStringLiteral("stop"))->isEnabled());
        // What measures times waits for it.
        const int waits = part<RunStarter>(window)->start(testing::smallExperiment());
        QTest::qWait(300);
        QCOMPARE(int(part<RunQueue>(window)->info(waits)->state), int(RunState::Queued));
        window->openFiles({file});
        QTRY_COMPARE(part<ShownDocument>(window)->path(), file);
        trigger(*window, QStringLiteral("stop"));
        QVERIFY(window->messages()->text().contains(QStringLiteral("stop was requested")));
        QVERIFY(run.waitForFinished());
        QCOMPARE(run.exitCode(), 4);
        // Read again.
        QTRY_VERIFY(!part<RunHeader>(window)->badges().contains(QStringLiteral("running")));
        QCOMPARE(int(part<ShownDocument>(window)->result()->status), int(RunStatus::Interrupted));
        QTRY_VERIFY(part<ShownDocument>(window)->result()->memory);
        QTRY_COMPARE(int(part<RunQueue>(window)->info(waits)->state), int(RunState::Running));
        part<RunQueue>(window)->cancel(waits);
        QTRY_VERIFY(isFinished(part<RunQueue>(window)->info(waits)->state));
        window->close();
    }
    // The user stopped it: that is its answer.
    auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QVERIFY2(window->messages()->text().isEmpty(), qPrintable(window->messages()->text()));
    window->close();
    // One that was interrupted while no window stood there is offered.
    leaveRun(deadKey(), "the one that goes on", file);
    window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("the one that goes on")),
                 qPrintable(window->messages()->text()));
    window->close();
    // One that came to its end meanwhile is not.
    auto result = loadRunResult(file.toStdString());
    QVERIFY(result.ok());
    result->status = RunStatus::Complete;
    QVERIFY(saveRunResult(*result, file.toStdString()).ok());
    window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QVERIFY2(window->messages()->text().isEmpty(), qPrintable(window->messages()->text()));
}

void TestUnfinishedRuns::anInterruptedSweepIsOffered()
{
    testing::useFakeWorker("slow");
    const nlohmann::ordered_json sweep = {{"base", testing::smallExperiment()}, {"grid", {{"data.batch", {1, 2}}}}};
    const QString folder = QDir(settings::libraryFolder()).absoluteFilePath(QStringLiteral("sweep-left"));
    {
        const auto window = this->window(true);
        const int id = part<RunStarter>(window)->start(testing::smallExperiment());
        QTRY_COMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Running));
        part<SweepRunner>(window)->start(sweep, folder);
        QVERIFY(QFileInfo::exists(folder + QStringLiteral("/sweep.json"))); // it waits
        window->close();
        QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
        QTRY_VERIFY_WITH_TIMEOUT(!window->isVisible(), 15'000);
    }
    const auto window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().startsWith(QStringLiteral("Interrupted when Peakscope ended")) &&
                     window->messages()->text().contains(QStringLiteral("sweep-left")),
                 qPrintable(window->messages()->text()));
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Go on")));
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QVERIFY(part<SweepRunner>(window)->runs(folder + QStringLiteral("/sweep.json")));
    window->close();
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
    QTRY_VERIFY_WITH_TIMEOUT(!window->isVisible(), 15'000);
}

void TestUnfinishedRuns::questionsOfOneOfferAreAskedOneAfterAnother()
{
    testing::useFakeWorker("slow");
    nlohmann::json theirs = testing::smallExperiment();
    theirs["launcher"] = {"sh", "-c", "exec \"$@\"", "x"};
    std::vector<UnfinishedRun> left;
    QStringList files;
    for (const char* name : {"sweep-a", "sweep-b"}) {
        const auto plan = sweepPlanFromJson({{"base", theirs}, {"grid", {{"data.batch", {1, 2}}}}}, {"data.batch"});
        QVERIFY(plan.ok());
        const QString folder = QDir(settings::libraryFolder()).absoluteFilePath(QString::fromLatin1(name));
        QVERIFY(QDir().mkpath(folder));
        files << folder + QStringLiteral("/sweep.json");
        QVERIFY(saveSweep(emptySweep(*plan), files.last().toStdString()).ok());
        left.push_back({QString::fromLatin1(name), nullptr, {}, files.last()});
    }
    keepUnfinished(deadKey(), left, false);
    const auto window = this->window(true);
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Go on")));
    const auto* sweeps = part<SweepRunner>(window);
    const auto question = [&window]() -> MessageBar* {
        for (MessageBar* bar : window->findChildren<MessageBar*>()) {
            if (!bar->detail().isEmpty() && bar->isVisible())
                return bar;
        }
        return nullptr;
    };
    for (int asked = 1; asked <= 2; ++asked) {
        QTRY_VERIFY(question());
        QCOMPARE(sweeps->files().size(), asked - 1);
        QVERIFY(testing::press(*question(), QStringLiteral("Run anyway")));
        QTRY_VERIFY(sweeps->runs(files[asked - 1]));
    }
    QTRY_VERIFY(!question());
    window->close();
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
    QTRY_VERIFY_WITH_TIMEOUT(!window->isVisible(), 15'000);
}

// Its process goes on writing what is in front.
void TestUnfinishedRuns::theRunOfAnotherProcessIsLookedAtAgain()
{
    const QString file = m_home.filePath(QStringLiteral("elsewhere.json"));
    RunResult result = testing::smallResult();
    result.status = RunStatus::Interrupted;
    QVERIFY(saveRunResult(result, file.toStdString()).ok());
    const auto lock = OutputLock::take(file.toStdString());
    QVERIFY(lock);
    const auto window = this->window(false);
    window->openFiles({file});
    QTRY_VERIFY(shownResult(*window));
    QTest::qWait(1200); // it looks once a second
    result.loss = 1.5;
    QVERIFY(saveRunResult(result, file.toStdString()).ok());
    QTRY_COMPARE(shownResult(*window)->loss, std::optional(1.5));
    QVERIFY(part<RunHeader>(window)->badges().contains(QStringLiteral("running")));
}

// Two run, one waits; each is run again as it was.
void TestUnfinishedRuns::dryProgramsAreOfferedAgain()
{
    testing::useFakeWorker("slow");
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
    ProgramSetUp program;
    program.command = QStringList{"sh", "train.sh"};
    program.folder = m_home.path();
    for (const char* card : {"dry:a800-80gb", "dry:a100-40gb", "dry:h100-80gb"})
        program.cards.push_back(dryDevice(card)->card);
    {
        const auto window = this->window(true);
        part<ProgramRuns>(window)->start(program, settings::libraryFolder());
        QTRY_VERIFY(part<ProgramRuns>(window)->rows()[1].state == ProgramRow::State::Running);
        QVERIFY(part<ProgramRuns>(window)->rows()[2].state == ProgramRow::State::Waiting);
        window->close();
        QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
        QTRY_VERIFY_WITH_TIMEOUT(!window->isVisible(), 15'000);
    }
    testing::useFakeWorker("complete");
    const auto window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("a800-80gb")) &&
                     window->messages()->text().contains(QStringLiteral("h100-80gb")),
                 qPrintable(window->messages()->text()));
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Run them again")));
    QTRY_VERIFY(part<ProgramDialog>(window) && part<ProgramDialog>(window)->isVisible());
    const auto results = [] {
        return QDir(settings::libraryFolder()).entryList({QStringLiteral("dry-*.json")}, QDir::Files);
    };
    QTRY_COMPARE(results().size(), 3);
    QTRY_VERIFY(settings::unfinishedRuns().isEmpty());
    for (const QString& name : results()) {
        const auto result = loadRunResult(QDir(settings::libraryFolder()).filePath(name).toStdString());
        QVERIFY(result.ok() && result->status == RunStatus::Complete);
        QVERIFY(result->config["program"]["command"] == nlohmann::json({"sh", "train.sh"}));
    }
    const ProgramRuns* programs = part<ProgramRuns>(window);
    QTRY_VERIFY(!programs->running());
    QCOMPARE(programs->files().size(), 3); // each has its row, which opens it
    for (const ProgramRow& row : programs->rows())
        QVERIFY(row.state == ProgramRow::State::Done && row.reservedBytes > 0);
    QVERIFY2(window->messages()->text().isEmpty(), qPrintable(window->messages()->text()));
    // What is not to be written down can't be offered.
    QVERIFY(unfinishedProgram(Job({"record", "--out", "a.json", "--", "sh", "train.sh"}, m_home.path())));
    QVERIFY(!unfinishedProgram(Job({"record", "--out", "a.json", "--", "sh", "--token", "abc"}, m_home.path())));
}

// With its folder and its steps, and live.
void TestUnfinishedRuns::aProgramRecordedHereIsOfferedAgain()
{
    testing::useFakeWorker("complete");
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
    QFile wait(m_home.filePath(QStringLiteral("wait"))); // the program goes on while it is there
    QVERIFY(wait.open(QIODevice::WriteOnly));
    {
        const auto window = this->window(true);
        part<RunQueue>(window)->record({{"sh", "train.py"}, m_home.path(), 7});
        QTRY_VERIFY(part<RunQueue>(window)->live());
        window->close();
        QVERIFY(testing::press(*window->messages(), QStringLiteral("Stop and close")));
        QTRY_VERIFY_WITH_TIMEOUT(!window->isVisible(), 15'000);
    }
    QVERIFY(wait.remove());
    const auto window = this->window(true);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("train.py")),
                 qPrintable(window->messages()->text()));
    QVERIFY(testing::press(*window->messages(), QStringLiteral("Run it again")));
    const RunQueue* queue = part<RunQueue>(window);
    QCOMPARE(queue->ids().size(), std::size_t{1});
    const std::optional<ProgramHere> program = queue->info(1)->program;
    QVERIFY(program && program->command == QStringList({"sh", "train.py"}) && program->folder == m_home.path() &&
            program->steps == 7);
    QTRY_COMPARE(int(queue->info(1)->state), int(RunState::Complete));
    QVERIFY(settings::unfinishedRuns().isEmpty());
}

void TestUnfinishedRuns::anOfferWaitsForItsPlace()
{
    const QString path = write(QStringLiteral("broken.json"), "broken");
    {
        const auto window = this->window(false);
        window->openFiles({path});
        QTRY_VERIFY(shownResult(*window));
        window->close();
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.close();
    leaveRun(deadKey(), "the one before");
    const auto window = this->window(true);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("broken.json")));
    window->messages()->setFocus();
    QTest::keyClick(window->messages(), Qt::Key_Escape);
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("the one before")),
                 qPrintable(window->messages()->text()));
}

void TestUnfinishedRuns::anOfferIsNotTheRunJustStarted()
{
    leaveRun(deadKey(), "the one before");
    testing::useFakeWorker("slow");
    const auto window = this->window(true);
    part<RunStarter>(window)->start(testing::smallExperiment()); // before anything was offered
    const QString title = part<RunQueue>(window)->info(1)->title;
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("the one before")));
    QVERIFY2(!window->messages()->text().contains(title), qPrintable(window->messages()->text()));
}

void TestUnfinishedRuns::anOfferStaysUntilItIsAnswered()
{
    leaveRun(deadKey(), "the one before");
    for (int start = 0; start < 2; ++start) { // unanswered: offered again
        const auto window = this->window(true);
        QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("the one before")));
        window->close();
    }
    {
        const auto window = this->window(false); // one that offers nothing forgets nothing
        part<RunStarter>(window)->start(testing::smallExperiment());
        QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
        window->close();
    }
    {
        const auto window = this->window(true);
        QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("the one before")));
        window->messages()->setFocus();
        QTest::keyClick(window->messages(), Qt::Key_Escape);
        QVERIFY(settings::unfinishedRuns().isEmpty()); // turned down
        window->close();
    }
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QVERIFY(window->messages()->text().isEmpty());
}

void TestUnfinishedRuns::runsOfALivingWindowAreItsOwn()
{
    const QString living = newWindowKey();
    leaveRun(living, "still at it");
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QVERIFY2(window->messages()->text().isEmpty(), qPrintable(window->messages()->text()));
    part<RunStarter>(window)->start(testing::smallExperiment());
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    QVERIFY(settings::unfinishedRuns().contains(living)); // nor written over
}

void TestUnfinishedRuns::aWorkersDeathIsNoInterruptedSession()
{
    testing::useFakeWorker("kill");
    const auto window = this->window(false);
    part<RunStarter>(window)->start(testing::smallExperiment());
    QVERIFY(!settings::unfinishedRuns().isEmpty()); // should the window die with it
    QTRY_VERIFY(shownResult(*window));
    QVERIFY(settings::unfinishedRuns().isEmpty()); // its own message has said it
}

PEAKSCOPE_TEST(TestUnfinishedRuns)
#include "test_unfinished_runs.moc"
