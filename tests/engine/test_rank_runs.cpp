// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs on several ranks under ctest, and, as often as $PEAKSCOPE_KILL_TRIES says, a rank killed at a random
// moment of one. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/rank_checks.h"
#include "tests/engine/checks/rank_processes.h"
#include "tests/engine/checks/worker_run.h"

#include <QTest>

#include <csignal>
#include <filesystem>
#include <random>

using namespace peakscope;

class TestRankRuns : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void checks();
    void killedAtAnyMoment();
};

void TestRankRuns::initTestCase()
{
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli");
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
    if (!hasMpirun() || !std::filesystem::exists(PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so"))
        QSKIP("mpirun or the MPI module is not there (openmpi-bin, libopenmpi-dev)");
}

void TestRankRuns::checks()
{
    int checks = 0;
    bool passed = true;
    rankRunChecks("cpu", [&](const CheckResult& check) {
        ++checks;
        if (!check.passed)
            qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
        passed = passed && check.passed;
    });
    QVERIFY(checks > 0);
    QVERIFY2(passed, "see the lines above");
}

// Each try takes some seconds: mpirun gives the other ranks time for their last words.
void TestRankRuns::killedAtAnyMoment()
{
    const int tries = std::max(2, qEnvironmentVariableIntValue("PEAKSCOPE_KILL_TRIES"));
    const char* const shardings[] = {"none", "zero1", "zero2", "zero3"};
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
        const WorkerRun run =
            runInWorker({{"kind", "memory"},
                         {"model", {{"family", "gpt2"}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"vocab", 300}}},
                         {"threads", 1},
                         {"ranks", ranks},
                         {"data", {{"batch", 4}, {"seq", 32}}},
                         {"training", {{"steps", 100000}, {"sharding", shardings[one % 4]}}}});
        killer.join();
        const QString message = QString::fromStdString(run.result.message);
        const QString what = QStringLiteral("try %1: rank %2 of %3 after %4 ms: %5")
                                 .arg(one)
                                 .arg(victim)
                                 .arg(ranks)
                                 .arg(after.count())
                                 .arg(message);
        qInfo().noquote() << what;
        QVERIFY2(run.error.empty() && run.result.status != RunStatus::Complete, qPrintable(what));
        QVERIFY2(message.startsWith(QStringLiteral("rank %1 ").arg(victim)) &&
                     message.contains(QStringLiteral(" died")),
                 qPrintable(what));
        QVERIFY2(message.contains(QStringLiteral(" in phase ")) ||
                     message.endsWith(QStringLiteral(" before the run began")),
                 qPrintable(what));
        if (run.result.memory) {
            const std::string fault = timelineFault(*run.result.memory);
            QVERIFY2(fault.empty(), qPrintable(what + QString::fromStdString(fault)));
        }
    }
}

QTEST_GUILESS_MAIN(TestRankRuns)
#include "test_rank_runs.moc"
