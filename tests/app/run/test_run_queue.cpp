// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The run queue: states, batches, saved results, what is kept when a worker dies.
#include "app/jobs/run_queue.h"
#include "tests/app/window/app_test_support.h"
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
    void aWaitingRunIsTakenOut();
    void batchesAreFewAndLoseNothing();
    void aSlowWindowIsWaitedFor();
    void anUnwritableFolderIsTold();
    void idsOfOtherProcessesStayInTheFolder();
    void stopAllStopsEverything();
    void aQueueThatGoesAwaySavesFirst();

private:
    QTemporaryDir m_folder;
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
    RunQueue queue(folder);
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QCOMPARE(int(queue.info(id)->state), int(RunState::Queued));
    QTRY_COMPARE(finished.count(), 1);
    const RunInfo& info = *queue.info(id);
    QCOMPARE(int(info.state), state);
    QCOMPARE(info.outcome.result != nullptr, hasResult);
    QVERIFY2(info.outcome.message.contains(message), qPrintable(info.outcome.message));
    QCOMPARE(info.outcome.message.isEmpty(), message.isEmpty());
    QCOMPARE(QFileInfo::exists(folder + QStringLiteral("/fake-run.json")), hasResult);
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
    RunQueue queue(m_folder.filePath(QStringLiteral("dead")));
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
    RunQueue queue(folder);
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    int running = 0;
    int most = 0;
    connect(&queue, &RunQueue::runChanged, this, [&](int) {
        running = 0;
        for (const int id : queue.ids())
            running += queue.info(id)->state == RunState::Running ? 1 : 0;
        most = std::max(most, running);
    });
    for (int i = 0; i < 3; ++i)
        queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE(finished.count(), 3);
    QCOMPARE(most, 1);
    // One id three times: no file overwrites another.
    QCOMPARE(QDir(folder).entryList({QStringLiteral("*.json")}).size(), 3);
}

void TestRunQueue::aWaitingRunIsTakenOut()
{
    testing::useFakeWorker("slow");
    RunQueue queue(m_folder.filePath(QStringLiteral("waiting")));
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
    RunQueue queue(m_folder.filePath(QStringLiteral("flood")));
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
    RunQueue queue(m_folder.filePath(QStringLiteral("behind")));
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
    RunQueue queue(obstacle.fileName() + QStringLiteral("/results"));
    QSignalSpy finished(&queue, &RunQueue::runFinished);
    const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
    QTRY_COMPARE(finished.count(), 1);
    const RunOutcome& outcome = queue.info(id)->outcome;
    QVERIFY(outcome.path.isEmpty());
    QVERIFY2(outcome.saveError.contains(QStringLiteral("obstacle")), qPrintable(outcome.saveError));
    QVERIFY(outcome.result); // kept in memory
    QCOMPARE(int(outcome.state), int(RunState::Complete));
}

void TestRunQueue::idsOfOtherProcessesStayInTheFolder()
{
    QCOMPARE(QString::fromStdString(resultFileName("../../etc/passwd")), QStringLiteral("_._.._etc_passwd"));
    QCOMPARE(QString::fromStdString(resultFileName("")), QStringLiteral("run"));
    QCOMPARE(QString::fromStdString(resultFileName("20260102-a1")), QStringLiteral("20260102-a1"));
    QVERIFY(resultFileName(std::string(5000, 'a')).size() <= 100);
}

void TestRunQueue::stopAllStopsEverything()
{
    testing::useFakeWorker("slow");
    RunQueue queue(m_folder.filePath(QStringLiteral("all")));
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
        RunQueue queue(folder);
        QSignalSpy batches(&queue, &RunQueue::batchArrived);
        queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
        QTRY_VERIFY(batches.count() > 0);
    }
    const Result<RunResult> saved = loadRunResult((folder + QStringLiteral("/fake-run.json")).toStdString());
    QVERIFY2(saved.ok(), saved.ok() ? "" : saved.error().text().c_str());
    QCOMPARE(int(saved->status), int(RunStatus::Interrupted));
}

PEAKSCOPE_GUILESS_TEST(TestRunQueue)
#include "test_run_queue.moc"
