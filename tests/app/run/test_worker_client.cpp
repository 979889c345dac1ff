// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How every end of a worker process is told, against a fake worker.
#include "app/jobs/worker_client.h"
#include "tests/app/window/app_test_support.h"
#include "tests/other_version_worker.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;

class TestWorkerClient : public QObject
{
    Q_OBJECT

private slots:
    void eachEndHasItsSentence_data();
    void eachEndHasItsSentence();
    void eventsArriveInOrder();
    void junkIsSteppedOver();
    void numbersOfAnotherVersionAreTranslated();
    void aHangingWorkerIsKilledAfterCancel();
    void cancelEndsPolitely();
    void aMissingProgramIsNamed();
    void aMissingLauncherIsNamed();
    void aLauncherStandsBeforeTheCommand();
    void aLauncherReportsSignalsAsItsShellDoes();
    void mpirunSaysWhyInAFrame();
    void tokensStayWithTheLauncher();
    void theClientCanRunAgain();

private:
    static nlohmann::json through(const QStringList& launcher)
    {
        nlohmann::json experiment = testing::smallExperiment();
        for (const QString& word : launcher)
            experiment["launcher"].push_back(word.toStdString());
        return experiment;
    }
    // Runs the fake worker to its end.
    WorkerExit runToEnd(const char* mode, std::vector<Event>* events = nullptr)
    {
        testing::useFakeWorker(mode);
        WorkerClient client;
        QSignalSpy finished(&client, &WorkerClient::finished);
        WorkerExit exit;
        connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
        connect(&client, &WorkerClient::eventsReceived, this, [events](const std::vector<Event>& some) {
            if (events)
                events->insert(events->end(), some.begin(), some.end());
        });
        client.start(testing::agreed(testing::smallExperiment()));
        if (!QTest::qWaitFor([&] { return finished.count() > 0; }, 20000))
            qWarning("no end came");
        QTest::qWait(50); // a second final signal would come now
        if (finished.count() != 1)
            qWarning("%d final signals", int(finished.count()));
        m_finals = int(finished.count());
        return exit;
    }

    int m_finals = 0;
};

void TestWorkerClient::eachEndHasItsSentence_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    using Kind = WorkerExit::Kind;
    QTest::newRow("complete") << QByteArray("complete") << int(Kind::Ended) << 0 << "";
    QTest::newRow("killed") << QByteArray("kill") << int(Kind::Killed) << 9 << "out-of-memory killer";
    QTest::newRow("crashed") << QByteArray("crash") << int(Kind::Killed) << 11 << "segmentation fault";
    QTest::newRow("exit status") << QByteArray("exit") << int(Kind::Exited) << 7 << "the disk is on fire";
    QTest::newRow("nothing said") << QByteArray("silent") << int(Kind::Exited) << 0 << "exit status 0";
    QTest::newRow("bad input") << QByteArray("bad_input") << int(Kind::Ended) << 2 << "";
    QTest::newRow("over budget") << QByteArray("over_budget") << int(Kind::Ended) << 3 << "";
}

void TestWorkerClient::eachEndHasItsSentence()
{
    QFETCH(QByteArray, mode);
    QFETCH(int, kind);
    QFETCH(int, code);
    QFETCH(QString, words);
    const WorkerExit exit = runToEnd(mode.constData());
    QCOMPARE(m_finals, 1);
    QCOMPARE(int(exit.kind), kind);
    QCOMPARE(exit.code, code);
    QVERIFY2(exit.sentence.contains(words), qPrintable(exit.sentence));
    QCOMPARE(exit.sentence.isEmpty(), words.isEmpty());
    QVERIFY(!exit.sentence.contains(u'\n'));
}

void TestWorkerClient::eventsArriveInOrder()
{
    std::vector<Event> events;
    runToEnd("complete", &events);
    QVERIFY(events.size() >= 8);
    QVERIFY(std::holds_alternative<StartEvent>(events.front()));
    QVERIFY(std::holds_alternative<EndEvent>(events.back()));
    QCOMPARE(std::get<StartEvent>(events.front()).id, std::string("fake-run"));
    // The experiment reached the worker as it was written.
    QVERIFY(std::get<StartEvent>(events.front()).config == testing::smallExperiment());
}

void TestWorkerClient::junkIsSteppedOver()
{
    std::vector<Event> events;
    const WorkerExit exit = runToEnd("junk", &events);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Ended));
    QVERIFY2(exit.junkLines >= 3, qPrintable(QString::number(exit.junkLines)));
    QVERIFY(exit.log.contains(QStringLiteral("OMP: Info")));
    QVERIFY(std::holds_alternative<EndEvent>(events.back()));
}

void TestWorkerClient::numbersOfAnotherVersionAreTranslated()
{
    std::vector<Event> events;
    runToEnd("other_version", &events);
    QCOMPARE(events.size(), std::size_t(3));
    QCOMPARE(std::get<MemoryEvent>(events[1]).component, testing::otherVersionComponents());
    // The next worker is of this version, and may say so without a list.
    events.clear();
    runToEnd("complete", &events);
    QCOMPARE(std::get<MemoryEvent>(events[2]).component, std::vector<Component>{Component::Parameters});
}

void TestWorkerClient::aHangingWorkerIsKilledAfterCancel()
{
    testing::useFakeWorker("hang");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    QSignalSpy events(&client, &WorkerClient::eventsReceived);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(testing::smallExperiment()));
    QTRY_VERIFY(events.count() > 0);
    client.cancel();
    client.cancel(); // a second click changes nothing
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 3 * WorkerClient::kPatience);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Cancelled));
    QVERIFY(!exit.sentence.isEmpty());
    QVERIFY(!client.running());
}

void TestWorkerClient::cancelEndsPolitely()
{
    testing::useFakeWorker("slow");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    QSignalSpy received(&client, &WorkerClient::eventsReceived);
    RunStatus status = RunStatus::Complete;
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    connect(&client, &WorkerClient::eventsReceived, this, [&status](const std::vector<Event>& events) {
        if (const auto* end = std::get_if<EndEvent>(&events.back()))
            status = end->status;
    });
    client.start(testing::agreed(testing::smallExperiment()));
    QTRY_VERIFY(received.count() > 2);
    client.cancel();
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Ended));
    QCOMPARE(int(status), int(RunStatus::Interrupted));
}

void TestWorkerClient::aMissingProgramIsNamed()
{
    qputenv("PEAKSCOPE_CLI", "/nowhere/peakscope-cli");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(testing::smallExperiment()));
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::CouldNotStart));
    QVERIFY2(exit.sentence.contains(QStringLiteral("/nowhere/peakscope-cli")), qPrintable(exit.sentence));
    QVERIFY(exit.sentence.contains(QStringLiteral("PEAKSCOPE_CLI")));
    client.cancel(); // nothing runs; nothing happens
    QTest::qWait(50);
    QCOMPARE(finished.count(), 1);
}

void TestWorkerClient::aMissingLauncherIsNamed()
{
    testing::useFakeWorker("complete");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(through({QStringLiteral("/nowhere/srun"), QStringLiteral("-n1")})));
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY2(exit.sentence.contains(QStringLiteral("/nowhere/srun")), qPrintable(exit.sentence));
    QVERIFY(exit.sentence.contains(QStringLiteral("launcher"), Qt::CaseInsensitive));
}

// Its statuses above 128 are its own, and rules of dashes are no last words.
void TestWorkerClient::mpirunSaysWhyInAFrame()
{
    QTemporaryDir folder;
    const QString launcher = folder.filePath(QStringLiteral("mpirun"));
    QFile file(launcher);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray rule(76, '-');
    file.write("#!/bin/sh\ncat >&2 <<END\n" + rule + "\nThere are not\nenough slots.\n\nAdd some.\n" + rule +
               "\nEND\nexit 132\n");
    file.setPermissions(QFile::ReadUser | QFile::WriteUser | QFile::ExeUser);
    file.close();
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(through({launcher, QStringLiteral("-n"), QStringLiteral("300")})));
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Exited));
    QVERIFY2(exit.sentence.contains(QStringLiteral("exit status 132")), qPrintable(exit.sentence));
    QVERIFY2(exit.sentence.endsWith(QStringLiteral("There are not enough slots.")), qPrintable(exit.sentence));
}

// The launcher has them; the worker, and with it every result, and messages have not.
void TestWorkerClient::tokensStayWithTheLauncher()
{
    testing::useFakeWorker("complete");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    std::vector<Event> events;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    connect(&client, &WorkerClient::eventsReceived, this,
            [&events](const std::vector<Event>& some) { events.insert(events.end(), some.begin(), some.end()); });
    nlohmann::json experiment = testing::smallExperiment();
    experiment["launcher"] = {"env", "MY_TOKEN=abcdef"};
    client.start(testing::agreed(experiment));
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(!events.empty() && std::holds_alternative<StartEvent>(events.front()));
    const nlohmann::json& config = std::get<StartEvent>(events.front()).config;
    QVERIFY2(config["launcher"][1] == "MY_TOKEN=[removed]", config.dump().c_str());

    experiment["launcher"] = {"/nowhere/--token=abcdef", "env", "MY_TOKEN=abcdef"};
    client.start(testing::agreed(experiment));
    QTRY_COMPARE(finished.count(), 2);
    QVERIFY2(!exit.sentence.contains(QStringLiteral("abcdef")), qPrintable(exit.sentence));

    experiment["launcher"] = {"env", "MY_TOKEN=[removed]"};
    client.start(testing::agreed(experiment));
    QTRY_COMPARE(finished.count(), 3);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::CouldNotStart));
    QVERIFY2(exit.sentence.contains(QStringLiteral("MY_TOKEN=[removed]")), qPrintable(exit.sentence));
}

void TestWorkerClient::aLauncherStandsBeforeTheCommand()
{
    qunsetenv("PEAKSCOPE_CLI");
    const QStringList ssh = WorkerClient::workerCommand({QStringLiteral("ssh"), QStringLiteral("server")});
    QCOMPARE(ssh, (QStringList{"ssh", "server", "peakscope-cli", "worker"}));
    testing::useFakeWorker("complete");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(through({QStringLiteral("env"), QStringLiteral("A=b")})));
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Ended));
}

void TestWorkerClient::aLauncherReportsSignalsAsItsShellDoes()
{
    testing::useFakeWorker("kill");
    WorkerClient client;
    QSignalSpy finished(&client, &WorkerClient::finished);
    WorkerExit exit;
    connect(&client, &WorkerClient::finished, this, [&exit](const WorkerExit& end) { exit = end; });
    client.start(testing::agreed(through({"sh", "-c", "\"$0\" \"$@\"; exit $?"})));
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(int(exit.kind), int(WorkerExit::Kind::Killed));
    QCOMPARE(exit.code, 9);
}

void TestWorkerClient::theClientCanRunAgain()
{
    testing::useFakeWorker("complete");
    WorkerClient client;
    int ends = 0;
    connect(&client, &WorkerClient::finished, this, [&](const WorkerExit&) {
        if (++ends < 3) // from within its own last signal
            client.start(testing::agreed(testing::smallExperiment()));
    });
    client.start(testing::agreed(testing::smallExperiment()));
    QTRY_COMPARE(ends, 3);
}

PEAKSCOPE_GUILESS_TEST(TestWorkerClient)
#include "test_worker_client.moc"
