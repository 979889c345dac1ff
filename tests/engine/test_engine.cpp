// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's checks under ctest: each is a row of its own. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/dpsgd_checks.h"
#include "tests/engine/checks/ledger_checks.h"
#include "tests/engine/checks/lora_checks.h"
#include "tests/engine/checks/model_checks.h"

#include <QDir>
#include <QTest>

using namespace peakscope;

class TestEngine : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli"); }

    void ledgerRules() { report(ledgerRuleChecks()); }
    void models() { report(modelChecks("cpu")); }

    void referenceCases()
    {
        const QString cases = QStringLiteral(PEAKSCOPE_SHARED_DIR "/cases");
        if (!QDir(cases).exists())
            QSKIP("the folder with reference cases is not beside the project");
        report(modelReferenceChecks(cases.toStdString(), "cpu"));
    }

    void adapters()
    {
        std::vector<CheckResult> results = loraChecks("cpu");
        loraRunChecks("cpu", [&](const CheckResult& check) { results.push_back(check); });
        report(results);
    }

    void clippedSteps() { report(clippingChecks("cpu")); }

    void clippedRuns()
    {
        std::vector<CheckResult> results;
        clippingRunChecks("cpu", [&](const CheckResult& check) { results.push_back(check); });
        report(results);
    }

    void clippedReferenceCases()
    {
        const QString cases = QStringLiteral(PEAKSCOPE_SHARED_DIR "/cases");
        if (!QDir(cases).exists())
            QSKIP("the folder with reference cases is not beside the project");
        report(clippingReferenceChecks(cases.toStdString(), "cpu"));
    }

    void endsOfRuns()
    {
        std::vector<CheckResult> results;
        runEndChecks("cpu", [&](const CheckResult& check) { results.push_back(check); });
        report(results);
    }

    void ledgerOfEveryFamily()
    {
        std::vector<CheckResult> results;
        ledgerRunChecks("cpu", [&](const CheckResult& check) { results.push_back(check); });
        report(results);
    }

private:
    static void report(const std::vector<CheckResult>& results)
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

QTEST_GUILESS_MAIN(TestEngine)
#include "test_engine.moc"
