// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature engine's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/curvature_checks.h"

#include <QDir>
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

    void referenceCases()
    {
        const QString cases = QStringLiteral(PEAKSCOPE_SHARED_DIR "/cases");
        if (!QDir(cases).exists())
            QSKIP("the folder with reference cases is not beside the project");
        reportCurvature(curvatureReferenceChecks(cases.toStdString(), "cpu"));
    }

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
