// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's checks under ctest: each is a row of its own. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/dpsgd/dpsgd_checks.h"
#include "tests/engine/checks/ledger/ledger_checks.h"
#include "tests/engine/checks/model/lora_checks.h"
#include "tests/engine/checks/model/model_checks.h"
#include "tests/engine/checks/model/optimizer_checks.h"
#include "tests/engine/checks/model/quantization_checks.h"
#include "tests/engine/checks/model/wide_update_checks.h"
#include "tests/engine/verify_references.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

class TestEngine : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { startWarmEngine(); }

    void ledgerRules() { verifyChecks(ledgerRuleChecks()); }
    void models() { verifyChecks(modelChecks("cpu")); }
    void optimizers() { verifyChecks(optimizerChecks("cpu")); }
    void quantization() { verifyChecks(quantizationChecks("cpu")); }
    void widePrecision() { verifyChecks(wideUpdateChecks("cpu")); }

    void referenceCases_data() { referenceFolderRows(); }
    void referenceCases()
    {
        verifyReferences([](const std::string& cases) { return modelReferenceChecks(cases, "cpu"); });
    }

    void adapters()
    {
        verifyChecks(loraChecks("cpu"));
        verifyRun([](const auto& report) { loraRunChecks("cpu", report); });
    }

    void clippedSteps() { verifyChecks(clippingChecks("cpu")); }

    void clippedRuns()
    {
        verifyRun([](const auto& report) { clippingRunChecks("cpu", report); });
    }

    void clippedReferenceCases_data() { referenceFolderRows(); }
    void clippedReferenceCases()
    {
        verifyReferences([](const std::string& cases) { return clippingReferenceChecks(cases, "cpu"); });
    }

    void endsOfRuns()
    {
        verifyRun([](const auto& report) { runEndChecks("cpu", report); });
    }

    void ledgerOfEveryFamily()
    {
        verifyRun([](const auto& report) { ledgerRunChecks("cpu", report); });
    }
};

PEAKSCOPE_GUILESS_TEST(TestEngine)
#include "test_engine.moc"
