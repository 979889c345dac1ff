// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The perturbation experiment's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/prm/prm_checks.h"
#include "tests/engine/checks/runs/public_numbers.h"
#include "tests/engine/verify_checks.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QTest>

#include <filesystem>

using namespace peakscope;

class TestPrm : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { startWarmEngine(); }

    void pieces() { verifyChecks(prmChecks("cpu")); }
    void runs()
    {
        verifyRun([](const auto& report) { prmRunChecks("cpu", report); });
    }
    void storedAnswers()
    {
        const std::string folder = PEAKSCOPE_SHARED_DIR "/public/numbers";
        if (!std::filesystem::exists(folder))
            QSKIP("the stored experiments are not beside the project");
        verifyRun([&](const auto& report) { publicNumberChecks(folder, report); });
    }
};

PEAKSCOPE_GUILESS_TEST(TestPrm)
#include "test_prm.moc"
