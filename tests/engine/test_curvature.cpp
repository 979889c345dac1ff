// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature engine's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/curvature_checks.h"

#include <QTest>

using namespace peakscope;

class TestCurvature : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli"); }

    void numerics() { reportCurvature(curvatureNumericsChecks()); }
    void routes() { reportCurvature(curvatureRouteChecks("cpu")); }
    void runs() { reportCurvature(curvatureRunChecks("cpu")); }
    void diagonals() { reportCurvature(curvatureDiagonalChecks("cpu")); }

private:
    static void reportCurvature(const std::vector<CheckResult>& results)
    {
        QVERIFY(!results.empty());
        bool passed = true;
        for (const CheckResult& check : results) {
            if (!check.passed)
                qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
            passed = passed && check.passed;
        }
        QVERIFY2(passed, "see the lines above");
    }
};

QTEST_GUILESS_MAIN(TestCurvature)
#include "test_curvature.moc"
