// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions against real runs under ctest: each run is a worker process of its own.
#include "tests/engine/checks/ranks/rank_prediction_checks.h"
#include "tests/engine/checks/runs/prediction_checks.h"
#include "tests/engine/checks/runs/token_prediction_checks.h"
#include "tests/engine/verify_checks.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

class TestPrediction : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { startWarmEngine(); }

    void runsAgree()
    {
        verifyRun([](const auto& report) { predictionChecks("cpu", report); }, 11);
    }

    void tokenRowsAgree()
    {
        verifyRun([](const auto& report) { tokenPredictionChecks("cpu", report); });
    }

    void ranksAgree()
    {
        verifyRun([](const auto& report) { rankPredictionChecks("cpu", report); }, 0);
    }

    void clippedRunsAgreeWhereVerified()
    {
        verifyRun([](const auto& report) { clippingPredictionChecks("cpu", report); });
    }
};

PEAKSCOPE_GUILESS_TEST(TestPrediction)
#include "test_prediction.moc"
