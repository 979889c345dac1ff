// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature engine's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/curvature/curvature_checks.h"
#include "tests/engine/verify_references.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QTest>

#include <filesystem>

using namespace peakscope;

class TestCurvature : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { startWarmEngine(); }

    void numerics() { verifyChecks(curvatureNumericsChecks()); }
    void routes() { verifyChecks(curvatureRouteChecks("cpu")); }
    void nearMinimum() { verifyChecks(curvatureMinimumChecks("cpu")); }
    void runs() { verifyChecks(curvatureRunChecks("cpu")); }
    void featurePasses() { verifyChecks(featurePassChecks()); }
    void raggedRows() { verifyChecks(raggedRowChecks()); }
    void numberReferences()
    {
        const std::string folder = PEAKSCOPE_SHARED_DIR "/public/numbers";
        if (!std::filesystem::exists(folder))
            QSKIP("the stored experiments are not beside the project");
        verifyChecks(numberReferenceChecks(folder));
    }
    void diagonals() { verifyChecks(curvatureDiagonalChecks("cpu")); }

    void referenceCases_data() { referenceFolderRows(); }
    void referenceCases()
    {
        verifyReferences([](const std::string& cases) { return curvatureReferenceChecks(cases, "cpu"); });
    }
};

PEAKSCOPE_GUILESS_TEST(TestCurvature)
#include "test_curvature.moc"
