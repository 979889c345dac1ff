// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs on several ranks under ctest, and, as often as $PEAKSCOPE_KILL_TRIES says, a rank killed at a random
// moment of one. (No LibTorch header here: Qt's keywords break them.)
#include "core/protocol/launcher.h"
#include "tests/engine/checks/ranks/rank_checks.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/checks/runs/worker_run.h"
#include "tests/engine/verify_checks.h"
#include "tests/test_room.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fstream>
#include <random>

using namespace peakscope;

class TestRankRuns : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void sections()
    {
        verifyRun([](const auto& report) { rankSectionChecks("cpu", report); }, 2);
    }
    void phases()
    {
        verifyRun([](const auto& report) { rankPhaseChecks("cpu", report); }, 5);
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
    void startedByALauncher();
    void killedAtAnyMoment();
};

void TestRankRuns::initTestCase()
{
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli");
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
    if (!canStartRanks(PEAKSCOPE_BINARY_DIR))
        QSKIP(kNoRanks);
}

// "mpirun -n 2 peakscope-cli run": an experiment that is to be fitted, and again once its result is complete.
void TestRankRuns::startedByALauncher()
{
    QTemporaryDir folder;
    const std::string experiment = folder.filePath(QStringLiteral("fit.json")).toStdString();
    std::ofstream(experiment) << R"({"kind": "memory", "fit": true, "budget_bytes": 3000000, "threads": 1,
        "model": {"family": "gpt2", "hidden": 32, "layers": 2, "heads": 2, "vocab": 256, "max_positions": 64},
        "data": {"batch": 4, "seq": 16}, "training": {"steps": 2}})";
    const QString out = folder.filePath(QStringLiteral("result.json"));
    const auto run = [&] {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const auto& [name, value] : workerVariables({"mpirun"}))
            environment.insert(QString::fromStdString(name), QString::fromStdString(value));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("mpirun"),
                      {"-n", "2", "--oversubscribe", "--bind-to", "none", PEAKSCOPE_BINARY_DIR "/peakscope-cli", "run",
                       QString::fromStdString(experiment), "--out", out, "--resume"});
        const bool over = process.waitForFinished(60'000);
        return qMakePair(over ? process.exitCode() : -1,
                         process.readAllStandardOutput() + process.readAllStandardError());
    };
    const auto first = run();
    QVERIFY2(first.first == 0, first.second.constData());
    const auto result = loadRunResult(out.toStdString());
    QVERIFY(result.ok());
    QCOMPARE(result->status, RunStatus::Complete);
    QCOMPARE(result->ranks.size(), std::size_t{2});
    QVERIFY(result->config["data"]["batch"].get<int>() > 4); // the largest that each rank's budget allows
    const auto second = run();
    QVERIFY2(second.first == 0, second.second.constData());
    QVERIFY2(second.second.contains("is already complete"), second.second.constData());
}

// Each try takes some seconds: mpirun gives the other ranks time for their last words; less of it after the first try.
void TestRankRuns::killedAtAnyMoment()
{
    const int tries = std::max(2, qEnvironmentVariableIntValue("PEAKSCOPE_KILL_TRIES"));
    const char* const shardings[] = {"none", "zero1", "zero2", "zero3", "fsdp"};
    std::mt19937 random(5);
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
        const nlohmann::json launcher = one > 0 ? quickLauncher(ranks) : std::vector<std::string>();
        const WorkerRun run =
            runInWorker({{"kind", "memory"},
                         {"launcher", launcher},
                         {"model", {{"family", "gpt2"}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"vocab", 300}}},
                         {"threads", 1},
                         {"ranks", ranks},
                         {"data", {{"batch", 4}, {"seq", 32}}},
                         {"training", {{"steps", 100000}, {"sharding", shardings[one % 5]}}}});
        killer.join();
        const QString what = QStringLiteral("try %1: rank %2 of %3 after %4 ms: %5")
                                 .arg(one)
                                 .arg(victim)
                                 .arg(ranks)
                                 .arg(after.count())
                                 .arg(QString::fromStdString(run.result.message));
        qInfo().noquote() << what;
        QVERIFY2(run.error.empty() && run.result.status != RunStatus::Complete, qPrintable(what));
        QVERIFY2(tellsDeath(run.result.message, victim), qPrintable(what));
        if (run.result.memory) {
            const std::string fault = timelineFault(*run.result.memory);
            QVERIFY2(fault.empty(), qPrintable(what + QString::fromStdString(fault)));
        }
    }
}

PEAKSCOPE_GUILESS_TEST(TestRankRuns)
#include "test_rank_runs.moc"
