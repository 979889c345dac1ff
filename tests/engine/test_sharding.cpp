// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Training and curvature over several ranks against one process.
#include "tests/engine/checks/rank_processes.h"
#include "tests/engine/checks/sharding_checks.h"

#include <QTest>

#include <filesystem>

using namespace peakscope;

class TestSharding : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void threads();
    void processes();

private:
    static void verify(const std::function<void(const std::function<void(const CheckResult&)>&)>& run);
};

void TestSharding::initTestCase()
{
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli");
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
}

void TestSharding::verify(const std::function<void(const std::function<void(const CheckResult&)>&)>& run)
{
    int checks = 0;
    bool passed = true;
    run([&](const CheckResult& check) {
        ++checks;
        if (!check.passed)
            qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
        passed = passed && check.passed;
    });
    QVERIFY(checks > 0);
    QVERIFY2(passed, "see the lines above");
}

void TestSharding::threads()
{
    verify(shardingChecks);
}

void TestSharding::processes()
{
    if (!hasMpirun() || !std::filesystem::exists(PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so"))
        QSKIP("mpirun or the MPI module is not there (openmpi-bin, libopenmpi-dev)");
    verify(rankRunNumberChecks);
}

QTEST_GUILESS_MAIN(TestSharding)
#include "test_sharding.moc"
