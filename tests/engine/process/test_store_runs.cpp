// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on several ranks without MPI: the processes have torchrun's variables and meet in its store. A script starts
// them as torchrun does; torchrun itself is tried where $PEAKSCOPE_DRY_PYTHON has one. (No LibTorch header here: Qt's
// keywords break them.)
#include "core/results/run_result.h"
#include "tests/engine/checks/ranks/rank_checks.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/checks/runs/worker_run.h"
#include "tests/engine/verify_checks.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <fstream>
#include <random>

using namespace peakscope;

namespace {

const QString kStoreLauncher = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/start_ranks.sh");
const QString kStoreCli = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli");

nlohmann::json storeRun(int steps, const char* sharding)
{
    return {{"kind", "memory"},
            {"model", {{"family", "gpt2"}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"vocab", 300}}},
            {"threads", 1},
            {"seed", 3},
            {"data", {{"batch", 6}, {"seq", 32}}},
            {"training", {{"steps", steps}, {"sharding", sharding}}}};
}

struct SaidByRanks {
    int status = -1; // -1: it hangs
    QByteArray text;
};

SaidByRanks runWith(const QProcessEnvironment& environment, const QString& program, const QStringList& words)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, words);
    const bool over = process.waitForFinished(60'000);
    return {over && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAll()};
}

QProcessEnvironment ofRank(const QString& rank, const QString& size, const QString& port)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("RANK", rank);
    environment.insert("WORLD_SIZE", size);
    environment.insert("MASTER_ADDR", "127.0.0.1");
    environment.insert("MASTER_PORT", port);
    environment.insert("PEAKSCOPE_JOIN_TIMEOUT", "2");
    return environment;
}

} // namespace

class TestStoreRuns : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void sections()
    {
        verifyRun([](const auto& report) { rankSectionChecks("cpu", report); }, 2);
    }
    void inputs()
    {
        verifyRun([](const auto& report) { rankInputChecks("cpu", report); }, 3);
    }
    void ends()
    {
        verifyRun([](const auto& report) { rankEndChecks("cpu", report); }, 2);
    }
    void deathOfTheFirst()
    {
        verifyRun([](const auto& report) { rankDeathCheck("cpu", 0, report); });
    }
    void deathOfAnother()
    {
        verifyRun([](const auto& report) { rankDeathCheck("cpu", 1, report); });
    }
    void lossesOfOneProcess_data();
    void lossesOfOneProcess();
    void startedByTheScript();
    void startedByTorchrun();
    void refusals_data();
    void refusals();
    void terminated();
    void killedAtAnyMoment();

private:
    QString written(const nlohmann::json& experiment);
    void runTwice(const QString& program, const QStringList& words);
    QTemporaryDir m_folder;
};

void TestStoreRuns::initTestCase()
{
    qputenv("PEAKSCOPE_CLI", kStoreCli.toUtf8());
    qputenv("PEAKSCOPE_TEST_LAUNCHER", kStoreLauncher.toUtf8());
    qputenv("PEAKSCOPE_MPI_MODULE", "/nowhere"); // it is not MPI that joins them
}

QString TestStoreRuns::written(const nlohmann::json& experiment)
{
    const QString path = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + ".json");
    std::ofstream(path.toStdString()) << experiment.dump();
    return path;
}

void TestStoreRuns::lossesOfOneProcess_data()
{
    QTest::addColumn<QString>("sharding");
    for (const char* sharding : {"none", "zero1", "zero2", "zero3"})
        QTest::newRow(sharding) << sharding;
}

void TestStoreRuns::lossesOfOneProcess()
{
    QFETCH(QString, sharding);
    nlohmann::json experiment = storeRun(4, qPrintable(sharding));
    experiment["dtype"] = "float64";
    const WorkerRun alone = runInWorker(experiment);
    QCOMPARE(alone.result.status, RunStatus::Complete);
    experiment["launcher"] = quickLauncher(3);
    const WorkerRun together = runInWorker(experiment);
    QVERIFY2(together.result.status == RunStatus::Complete, together.result.message.c_str());
    QCOMPARE(together.result.ranks.size(), std::size_t{3});
    QCOMPARE(together.result.losses.size(), alone.result.losses.size());
    QVERIFY(alone.result.losses.size() >= 4);
    for (std::size_t i = 0; i < alone.result.losses.size(); ++i)
        QVERIFY(std::abs(together.result.losses[i] - alone.result.losses[i]) < 1e-9);
}

// "torchrun peakscope-cli run", and again once its result is complete.
void TestStoreRuns::runTwice(const QString& program, const QStringList& words)
{
    const QString out = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + ".out.json");
    const QStringList all =
        words + QStringList{kStoreCli, "run", written(storeRun(2, "zero2")), "--out", out, "--resume"};
    const SaidByRanks first = runWith(QProcessEnvironment::systemEnvironment(), program, all);
    QVERIFY2(first.status == 0, first.text.constData());
    const auto result = loadRunResult(out.toStdString());
    QVERIFY(result.ok());
    QCOMPARE(result->status, RunStatus::Complete);
    QCOMPARE(result->ranks.size(), std::size_t{2});
    const SaidByRanks second = runWith(QProcessEnvironment::systemEnvironment(), program, all);
    QVERIFY2(second.status == 0 && second.text.contains("is already complete"), second.text.constData());
}

void TestStoreRuns::startedByTheScript()
{
    runTwice(kStoreLauncher, {"2"});
}

void TestStoreRuns::startedByTorchrun()
{
    const QString torchrun = QFileInfo(qEnvironmentVariable("PEAKSCOPE_DRY_PYTHON")).path() + "/torchrun";
    if (!QFileInfo::exists(torchrun) ||
        runWith(QProcessEnvironment::systemEnvironment(), torchrun, {"--help"}).status != 0)
        QSKIP("no torchrun that starts lies beside the Python that PEAKSCOPE_DRY_PYTHON names");
    runTwice(torchrun, {"--no-python", "--nproc-per-node", "2"});
}

void TestStoreRuns::refusals_data()
{
    QTest::addColumn<QString>("rank");
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("port");
    QTest::addColumn<QString>("line");
    const QString port = QString::number(12'000 + QCoreApplication::applicationPid() % 8000);
    QTest::newRow("no number") << "0"
                               << "two" << port << "ranks: WORLD_SIZE is \"two\", which is not a number of processes";
    QTest::newRow("no port") << "0"
                             << "2"
                             << "x"
                             << "ranks: MASTER_PORT is \"x\", which is not a port";
    QTest::newRow("no store") << "1"
                              << "2" << port
                              << "rank 1: ranks: the store of the ranks at 127.0.0.1:" + port +
                                     " could not be reached within 2 s; see MASTER_ADDR and MASTER_PORT";
    QTest::newRow("a rank that never comes")
        << "0"
        << "2" << port
        << "ranks: rank 1 did not join within 2 s; see that peakscope-cli starts on each of the machines";
}

void TestStoreRuns::refusals()
{
    QFETCH(QString, rank);
    QFETCH(QString, size);
    QFETCH(QString, port);
    QFETCH(QString, line);
    const QString out = m_folder.filePath("refused.json");
    QElapsedTimer timer;
    timer.start();
    const SaidByRanks said =
        runWith(ofRank(rank, size, port), kStoreCli, {"run", written(storeRun(2, "none")), "--out", out});
    QVERIFY2(said.status > 0 && said.text.contains(line.toUtf8()), said.text.constData());
    QVERIFY2(said.text.count('\n') == 1, said.text.constData());
    QVERIFY(timer.elapsed() < 10'000);
}

// As torchrun's agent ends its processes.
void TestStoreRuns::terminated()
{
    const QString out = m_folder.filePath("ended.json");
    QProcess process;
    process.start(kStoreLauncher, {"2", kStoreCli, "run", written(storeRun(100'000, "zero3")), "--out", out});
    QVERIFY(process.waitForStarted());
    QTest::qWait(1500);
    process.terminate();
    QVERIFY(process.waitForFinished(20'000));
    const auto result = loadRunResult(out.toStdString());
    QVERIFY2(result.ok(), process.readAllStandardError().constData());
    QCOMPARE(result->status, RunStatus::Interrupted);
    QCOMPARE(result->ranks.size(), std::size_t{2});
}

void TestStoreRuns::killedAtAnyMoment()
{
    const int tries = std::max(2, qEnvironmentVariableIntValue("PEAKSCOPE_KILL_TRIES"));
    const char* const shardings[] = {"none", "zero1", "zero2", "zero3"};
    std::mt19937 random(7);
    for (int one = 0; one < tries; ++one) {
        const int ranks = 2 + one % 3;
        const int victim = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const std::chrono::milliseconds after(random() % 3000);
        std::thread killer([&] {
            const pid_t process = processOfRank(victim);
            std::this_thread::sleep_for(after);
            if (process > 0)
                ::kill(process, SIGKILL);
        });
        nlohmann::json experiment = storeRun(100'000, shardings[one % 4]);
        experiment["launcher"] = quickLauncher(ranks);
        QElapsedTimer timer;
        timer.start();
        const WorkerRun run = runInWorker(experiment);
        killer.join();
        const QString what = QStringLiteral("try %1: rank %2 of %3 after %4 ms, over after %5 ms: %6")
                                 .arg(one)
                                 .arg(victim)
                                 .arg(ranks)
                                 .arg(after.count())
                                 .arg(timer.elapsed())
                                 .arg(QString::fromStdString(run.result.message));
        qInfo().noquote() << what;
        QVERIFY2(run.error.empty() && run.result.status != RunStatus::Complete, qPrintable(what));
        QVERIFY2(tellsDeath(run.result.message, victim), qPrintable(what));
        QVERIFY2(timer.elapsed() < 15'000, qPrintable(what));
    }
}

PEAKSCOPE_GUILESS_TEST(TestStoreRuns)
#include "test_store_runs.moc"
