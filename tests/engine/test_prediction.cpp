// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions against real runs under ctest: each run is a worker process of its own.
#include "tests/engine/checks/prediction_checks.h"
#include "tests/engine/checks/rank_prediction_checks.h"

#include <QTest>

using namespace peakscope;

class TestPrediction : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli"); }

    void runsAgree()
    {
        int checks = 0;
        bool passed = true;
        predictionChecks("cpu", [&](const CheckResult& check) {
            ++checks;
            passed = passed && check.passed;
            if (!check.passed)
                qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
        });
        QVERIFY(checks > 10);
        QVERIFY2(passed, "see the lines above");
    }

    void ranksAgree()
    {
        bool passed = true;
        rankPredictionChecks("cpu", [&](const CheckResult& check) {
            passed = passed && check.passed;
            if (!check.passed || check.name.find("not run") != std::string::npos)
                qWarning("%s %s: %s", check.passed ? "SKIP" : "FAIL", check.name.c_str(), check.detail.c_str());
        });
        QVERIFY2(passed, "see the lines above");
    }

    void clippedRunsAgreeWhereVerified()
    {
        bool passed = true;
        clippingPredictionChecks("cpu", [&](const CheckResult& check) {
            passed = passed && check.passed;
            if (!check.passed)
                qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
        });
        QVERIFY2(passed, "see the lines above");
    }
};

QTEST_GUILESS_MAIN(TestPrediction)
#include "test_prediction.moc"
