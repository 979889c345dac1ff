// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The run queue: states, batches, saved results, what is kept when a worker dies.
#include "app/jobs/run_queue.h"
#include "tests/app/window/app_test_support.h"
#include "tests/other_version_worker.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace peakscope;

class TestRunQueue : public QObject
{
    Q_OBJECT

private slots:
    void endsBecomeStates_data();
    void endsBecomeStates();
    void aDeadWorkerLeavesAReadableResult();
    void runsFollowOneAnother();
    void aFittedRunIsCalledByItsSizes();
    void theEndSaysThatNothingWaits();
    void aWaitingRunIsTakenOut();
    void batchesAreFewAndLoseNothing();
    void aSlowWindowIsWaitedFor();
    void anUnwritableFolderIsTold();
    void aResultThatCannotBeSavedIsKept();
    void aHangingWorkerIsKilled();
    void whatCannotBeStartedIsNamed();
    void launchersSayWhyTheyEnded();
    void tokensStayWithTheLauncher();
    void otherLinesAreSteppedOver();
    void numbersOfAnotherVersionAreTranslated();
    void stopAllStopsEverything();
    void aQueueThatGoesAwaySavesFirst();

private:
    static QStringList filesIn(const QString& folder)
    {
        QStringList files;
        for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.json")}, QDir::Files))
            files << file.absoluteFilePath();
        return files;
    }
    // The outcome of one run in a folder of its own.
    RunOutcome outcomeOf(const nlohmann::json& experiment)
    {
        JobQueue jobs;
        RunQueue queue(jobs, m_folder.filePath(QString::number(++m_folders)));
        const int id = queue.enqueue(testing::agreed(experiment), QStringLiteral("run"));
        if (!QTest::qWaitFor([&] { return isFinished(queue.info(id)->state); }, 20'000))
            qWarning("no end came");
        return queue.info(id)->outcome;
    }
    static nlohmann::json through(const std::vector<std::string>& launcher)
    {
        nlohmann::json experiment = testing::smallExperiment();
        experiment["launcher"] = launcher;
        return experiment;
    }

    QTemporaryDir m_folder;
    int m_folders = 0;
};

void TestRunQueue::endsBecomeStates_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<int>("state");
    QTest::addColumn<bool>("hasResult");
    QTest::addColumn<QString>("message");
    QTest::newRow("complete") << QByteArray("complete") << int(RunState::Complete) << true << "";
    QTest::newRow("killed") << QByteArray("kill") << int(RunState::Interrupted) << true << "signal 9";
    QTest::newRow("crashed") << QByteArray("crash") << int(RunState::Interrupted) << true << "signal 11";
    QTest::newRow("left early") << QByteArray("exit") << int(RunState::Interrupted) << true << "status 7";
    QTest::newRow("over budget") << QByteArray("over_budget") << int(RunState::OverBudget) << true << "layers.0.fc1";
    QTest::newRow("bad input") << QByteArray("bad_input") << int(RunState::Failed) << false << "lost.txt";
    QTest::newRow("nothing said") << QByteArray("silent") << int(RunState::Failed) << false << "exit status 0";
}

void TestRunQueue::endsBecomeStates()
{
    QFETCH(QByteArray, mode);
    QFETCH(int, state);
    QFETCH(bool, hasResult);
    QFETCH(QString, message);
    testing::useFakeWorker(mode.constData());
    const QString folder = m_folder.filePath(QString::fromLatin1(mode));
    JobQueue jobs;
    RunQueue queue(jobs, folder);
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QCOMPARE(int(queue.info(id)->state), int(RunState::Queued));
    QTRY_COMPARE(finished.count(), 1);
    const RunInfo& info = *queue.info(id);
    QCOMPARE(int(info.state), state);
    QCOMPARE(info.outcome.result != nullptr, hasResult);
    QVERIFY2(info.outcome.message.contains(message), qPrintable(info.outcome.message));
    QCOMPARE(info.outcome.message.isEmpty(), message.isEmpty());
    QCOMPARE(filesIn(folder).size(), hasResult ? 1 : 0);
    if (!hasResult)
        return;
    const Result<RunResult> saved = loadRunResult(info.outcome.path.toStdString());
    QVERIFY2(saved.ok(), saved.ok() ? "" : saved.error().text().c_str());
    QCOMPARE(int(runState(saved->status)), state);
    QVERIFY(saved->memory && saved->memory->peakBytes == 5000);
    QVERIFY(!queue.busy());
    QVERIFY(!queue.live());
}

void TestRunQueue::aDeadWorkerLeavesAReadableResult()
{
    testing::useFakeWorker("kill");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("dead")));
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE(finished.count(), 1);
    const RunOutcome& outcome = queue.info(id)->outcome;
    QVERIFY(outcome.timeline);
    QCOMPARE(outcome.timeline->size(), std::size_t(41));
    QCOMPARE(outcome.timeline->peakBytes(), std::int64_t(5000));
    QCOMPARE(outcome.result->memory->snapshots.size(), std::size_t(1));
    QVERIFY(outcome.result->message.find("signal 9") != std::string::npos);
}

void TestRunQueue::runsFollowOneAnother()
{
    testing::useFakeWorker("complete");
    const QString folder = m_folder.filePath(QStringLiteral("three"));
    JobQueue jobs;
    RunQueue queue(jobs, folder);
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    int running = 0;
    int most = 0;
    connect(&jobs, &JobQueue::started, this, [&] { most = std::max(most, ++running); });
    connect(&jobs, &JobQueue::finished, this, [&] { --running; });
    for (int i = 0; i < 3; ++i)
        queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE(finished.count(), 3);
    QCOMPARE(most, 1);
    // One id three times: no file overwrites another.
    QCOMPARE(QDir(folder).entryList({QStringLiteral("*.json")}).size(), 3);
}

// Its name and what is shown of it have the sizes that it took; what is run again is what was asked for.
void TestRunQueue::aFittedRunIsCalledByItsSizes()
{
    nlohmann::json asked = testing::smallExperiment();
    asked["data"] = {{"batch", 4}, {"seq", 8}};
    asked["fit"] = true;
    StartEvent start;
    start.id = "fitted";
    start.created = "2026-01-02T03:04:05Z";
    start.config = asked;
    start.config["fit"] = false;
    start.config["data"]["batch"] = 117;
    start.environment = {{"device", "cpu"}};
    const QString events = m_folder.filePath(QStringLiteral("fitted.jsonl"));
    QFile file(events);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(toLine(start) + "\n" + toLine(EndEvent{}) + "\n"));
    file.close();
    qputenv("PEAKSCOPE_FAKE_EVENTS", events.toLocal8Bit());
    testing::useFakeWorker("replay");
    asked["launcher"] = {"env"}; // behind which the worker fits
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("fitted")));
    const int id = queue.enqueue(testing::agreed(asked), QStringLiteral("4×8"));
    QTRY_VERIFY(isFinished(queue.info(id)->state));
    QVERIFY2(queue.info(id)->title.contains(QStringLiteral("117×8")), qPrintable(queue.info(id)->title));
    QCOMPARE(queue.info(id)->shown()["data"]["batch"].get<int>(), 117);
    QCOMPARE(queue.info(id)->experiment["data"]["batch"].get<int>(), 4);
}

// Whoever asks once told is right: one more would start at once.
void TestRunQueue::theEndSaysThatNothingWaits()
{
    testing::useFakeWorker("complete");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("told")));
    bool occupied = false;
    connect(&jobs, &JobQueue::changed, this, [&] { occupied = jobs.isOccupied(JobKind::Run); });
    connect(&queue, &RunQueue::runChanged, this, [&] { occupied = jobs.isOccupied(JobKind::Run); });
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QVERIFY(occupied);
    QTRY_VERIFY(isFinished(queue.info(id)->state));
    QTRY_VERIFY(!jobs.isOccupied(JobKind::Run));
    QVERIFY(!occupied);
}

void TestRunQueue::aWaitingRunIsTakenOut()
{
    testing::useFakeWorker("slow");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("waiting")));
    QSignalSpy batches(&queue, &RunQueue::batchArrived);
    const int first = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("first"));
    const int second = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("second"));
    QTRY_VERIFY(batches.count() > 0);
    queue.cancel(second);
    QTRY_COMPARE(int(queue.info(second)->state), int(RunState::Interrupted));
    QVERIFY(!queue.info(second)->outcome.result);
    QCOMPARE(int(queue.info(first)->state), int(RunState::Running));
    queue.cancel(first);
    QCOMPARE(int(queue.info(first)->state), int(RunState::Stopping));
    QTRY_COMPARE(int(queue.info(first)->state), int(RunState::Interrupted));
    QVERIFY(queue.info(first)->outcome.result);
    queue.forget(first);
    QVERIFY(!queue.info(first));
}

void TestRunQueue::batchesAreFewAndLoseNothing()
{
    testing::useFakeWorker("flood");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("flood")));
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    std::size_t events = 0;
    int batches = 0;
    connect(&queue, &RunQueue::batchArrived, this, [&](const LiveBatch& batch) {
        events += batch.timeSeconds.size();
        ++batches;
    });
    QElapsedTimer timer;
    timer.start();
    queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
    QCOMPARE(events, std::size_t(41 + 2000 * 1000));
    // At most one every 40 ms, and one at the end.
    QVERIFY2(batches <= timer.elapsed() / 33 + 2,
             qPrintable(QStringLiteral("%1 in %2 ms").arg(batches).arg(timer.elapsed())));
}

void TestRunQueue::aSlowWindowIsWaitedFor()
{
    testing::useFakeWorker("slow");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("behind")));
    int batches = 0;
    connect(&queue, &RunQueue::batchArrived, this, [&](const LiveBatch&) {
        ++batches;
        QTest::qSleep(300); // a window that is busy drawing
    });
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_VERIFY(batches >= 3);
    const int seen = batches;
    queue.cancel(id);
    QTRY_COMPARE(int(queue.info(id)->state), int(RunState::Interrupted));
    // Without waiting, seven more would have piled up during each, to be heard at once.
    QVERIFY2(seen <= 6, qPrintable(QString::number(seen)));
}

void TestRunQueue::anUnwritableFolderIsTold()
{
    // A file stands where the folder should be: fails for every user, root included.
    QFile obstacle(m_folder.filePath(QStringLiteral("obstacle")));
    QVERIFY(obstacle.open(QIODevice::WriteOnly));
    obstacle.close();
    testing::useFakeWorker("complete");
    JobQueue jobs;
    RunQueue queue(jobs, obstacle.fileName() + QStringLiteral("/results"));
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE(finished.count(), 1);
    const RunOutcome& outcome = queue.info(id)->outcome;
    QVERIFY(outcome.path.isEmpty());
    QVERIFY2(outcome.saveError.contains(QStringLiteral("obstacle")), qPrintable(outcome.saveError));
    QVERIFY(outcome.result); // kept in memory
    QCOMPARE(int(outcome.state), int(RunState::Complete));
}

// The folder goes while the run goes on, and a file stands in its place.
void TestRunQueue::aResultThatCannotBeSavedIsKept()
{
    testing::useFakeWorker("slow");
    const QString folder = m_folder.filePath(QStringLiteral("vanishing"));
    JobQueue jobs;
    RunQueue queue(jobs, folder);
    QSignalSpy batches(&queue, &RunQueue::batchArrived);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_VERIFY(batches.count() > 0);
    QVERIFY(QDir(folder).removeRecursively());
    QFile obstacle(folder);
    QVERIFY(obstacle.open(QIODevice::WriteOnly));
    queue.cancel(id);
    QTRY_VERIFY(isFinished(queue.info(id)->state));
    const RunOutcome& outcome = queue.info(id)->outcome;
    QVERIFY2(outcome.saveError.contains(QStringLiteral("vanishing")), qPrintable(outcome.saveError));
    QVERIFY(outcome.path.isEmpty());
    QVERIFY(outcome.result && outcome.result->memory);
    QVERIFY(QFileInfo::exists(outcome.keptIn));
    QFile::remove(outcome.keptIn);
}

void TestRunQueue::aHangingWorkerIsKilled()
{
    testing::useFakeWorker("hang");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("hanging")));
    QSignalSpy batches(&queue, &RunQueue::batchArrived);
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_VERIFY(batches.count() > 0);
    queue.cancel(id);
    queue.cancel(id); // a second click changes nothing
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 15'000);
    QCOMPARE(int(queue.info(id)->state), int(RunState::Interrupted));
    QVERIFY(queue.info(id)->outcome.result);
    QVERIFY(!queue.info(id)->outcome.message.isEmpty());
}

void TestRunQueue::whatCannotBeStartedIsNamed()
{
    testing::useFakeWorker("complete");
    RunOutcome outcome = outcomeOf(through({"/nowhere/srun", "-n1"}));
    QCOMPARE(int(outcome.state), int(RunState::Failed));
    QVERIFY2(outcome.message.contains(QStringLiteral("/nowhere/srun")), qPrintable(outcome.message));
    QVERIFY(outcome.message.contains(QStringLiteral("launcher")));
    qputenv("PEAKSCOPE_CLI", "/nowhere/peakscope-cli");
    outcome = outcomeOf(testing::smallExperiment());
    QCOMPARE(int(outcome.state), int(RunState::Failed));
    QVERIFY2(outcome.message.contains(QStringLiteral("/nowhere/peakscope-cli")), qPrintable(outcome.message));
    QVERIFY(outcome.message.contains(QStringLiteral("PEAKSCOPE_CLI")));
}

// mpirun's statuses above 128 are its own, and rules of dashes are no last words; a shell's tell of a signal.
void TestRunQueue::launchersSayWhyTheyEnded()
{
    testing::useFakeWorker("kill");
    QFile file(m_folder.filePath(QStringLiteral("mpirun")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray rule(76, '-');
    file.write("#!/bin/sh\ncat >&2 <<END\n" + rule + "\nThere are not\nenough slots.\n\nAdd some.\n" + rule +
               "\nEND\nexit 132\n");
    file.setPermissions(QFile::ReadUser | QFile::WriteUser | QFile::ExeUser);
    file.close();
    QString message = outcomeOf(through({file.fileName().toStdString(), "-n", "300"})).message;
    QVERIFY2(message.contains(QStringLiteral("exit status 132")), qPrintable(message));
    QVERIFY2(message.endsWith(QStringLiteral("There are not enough slots.")), qPrintable(message));
    message = outcomeOf(through({"sh", "-c", "\"$0\" \"$@\"; exit $?"})).message;
    QVERIFY2(message.contains(QStringLiteral("signal 9")), qPrintable(message));
}

// The launcher has them; the worker, and with it every result, and messages have not.
void TestRunQueue::tokensStayWithTheLauncher()
{
    testing::useFakeWorker("complete");
    RunOutcome outcome = outcomeOf(through({"env", "MY_TOKEN=abcdef"}));
    QVERIFY2(outcome.result, qPrintable(outcome.message));
    QVERIFY2(outcome.result->config["launcher"][1] == "MY_TOKEN=[removed]", outcome.result->config.dump().c_str());
    outcome = outcomeOf(through({"/nowhere/--token=abcdef", "env", "MY_TOKEN=abcdef"}));
    QVERIFY2(!outcome.message.contains(QStringLiteral("abcdef")), qPrintable(outcome.message));
    outcome = outcomeOf(through({"env", "MY_TOKEN=[removed]"}));
    QCOMPARE(int(outcome.state), int(RunState::Failed));
    QVERIFY2(outcome.message.contains(QStringLiteral("MY_TOKEN=[removed]")), qPrintable(outcome.message));
}

void TestRunQueue::otherLinesAreSteppedOver()
{
    testing::useFakeWorker("junk");
    const RunOutcome outcome = outcomeOf(testing::smallExperiment());
    QCOMPARE(int(outcome.state), int(RunState::Complete));
    QVERIFY(outcome.message.isEmpty());
}

void TestRunQueue::numbersOfAnotherVersionAreTranslated()
{
    testing::useFakeWorker("other_version");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("other")));
    std::vector<Component> heard;
    connect(&queue, &RunQueue::batchArrived, this, [&heard](const LiveBatch& batch) {
        heard.insert(heard.end(), batch.component.begin(), batch.component.end());
    });
    const auto listen = [&] {
        heard.clear();
        const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
        return QTest::qWaitFor([&] { return isFinished(queue.info(id)->state); }, 20'000);
    };
    QVERIFY(listen());
    QCOMPARE(heard, testing::otherVersionComponents());
    // The next worker is of this version, and may say so without a list.
    testing::useFakeWorker("complete");
    QVERIFY(listen());
    QCOMPARE(heard.front(), Component::Parameters);
}

void TestRunQueue::stopAllStopsEverything()
{
    testing::useFakeWorker("slow");
    JobQueue jobs;
    RunQueue queue(jobs, m_folder.filePath(QStringLiteral("all")));
    QSignalSpy stopped(&queue, &RunQueue::stopped);
    QSignalSpy batches(&queue, &RunQueue::batchArrived);
    for (int i = 0; i < 3; ++i)
        queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_VERIFY(batches.count() > 0);
    queue.stopAll();
    QTRY_COMPARE(stopped.count(), 1);
    QVERIFY(!queue.busy());
}

void TestRunQueue::aQueueThatGoesAwaySavesFirst()
{
    testing::useFakeWorker("slow");
    const QString folder = m_folder.filePath(QStringLiteral("gone"));
    {
        JobQueue jobs;
        RunQueue queue(jobs, folder);
        QSignalSpy batches(&queue, &RunQueue::batchArrived);
        queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
        QTRY_VERIFY(batches.count() > 0);
    }
    QCOMPARE(filesIn(folder).size(), 1);
    const Result<RunResult> saved = loadRunResult(filesIn(folder).front().toStdString());
    QVERIFY2(saved.ok(), saved.ok() ? "" : saved.error().text().c_str());
    QCOMPARE(int(saved->status), int(RunStatus::Interrupted));
}

PEAKSCOPE_GUILESS_TEST(TestRunQueue)
#include "test_run_queue.moc"
