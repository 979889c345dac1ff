// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature engine's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/curvature_checks.h"
#include "tests/engine/verify_checks.h"

#include <QDir>
#include <QTest>

using namespace peakscope;

class TestCurvature : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli"); }

    void numerics() { verifyChecks(curvatureNumericsChecks()); }
    void routes() { verifyChecks(curvatureRouteChecks("cpu")); }
    void nearMinimum() { verifyChecks(curvatureMinimumChecks("cpu")); }
    void runs() { verifyChecks(curvatureRunChecks("cpu")); }
    void diagonals() { verifyChecks(curvatureDiagonalChecks("cpu")); }

    void referenceCases()
    {
        const QString cases = QStringLiteral(PEAKSCOPE_SHARED_DIR "/cases");
        if (!QDir(cases).exists())
            QSKIP("the folder with reference cases is not beside the project");
        verifyChecks(curvatureReferenceChecks(cases.toStdString(), "cpu"));
    }
};

QTEST_GUILESS_MAIN(TestCurvature)
#include "test_curvature.moc"
