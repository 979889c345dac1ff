// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Training and curvature over several ranks against one process.
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/checks/ranks/sharding_checks.h"
#include "tests/engine/verify_checks.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

class TestSharding : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void threads();
    void processes();
    void curvatureOnShards();
};

void TestSharding::initTestCase()
{
    startWarmEngine();
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
}

void TestSharding::threads()
{
    verifyRun(vectorLayoutChecks);
    verifyRun(shardingChecks);
}

void TestSharding::processes()
{
    if (!canStartRanks(PEAKSCOPE_BINARY_DIR))
        QSKIP(kNoRanks);
    verifyRun(rankRunNumberChecks);
}

void TestSharding::curvatureOnShards()
{
    if (!canStartRanks(PEAKSCOPE_BINARY_DIR))
        QSKIP(kNoRanks);
    verifyRun(curvatureOnShardsChecks);
}

PEAKSCOPE_GUILESS_TEST(TestSharding)
#include "test_sharding.moc"
