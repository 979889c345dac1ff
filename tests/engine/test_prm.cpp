// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The perturbation experiment's checks under ctest. (No LibTorch header here: Qt's keywords break them.)
#include "tests/engine/checks/prm_checks.h"

#include <QTest>

using namespace peakscope;

class TestPrm : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope-cli"); }

    void pieces()
    {
        m_passed = true;
        const std::vector<CheckResult> results = prmChecks("cpu");
        QVERIFY(!results.empty());
        for (const CheckResult& check : results)
            take(check);
        QVERIFY2(m_passed, "see the lines above");
    }

    void runs()
    {
        m_passed = true;
        prmRunChecks("cpu", [this](const CheckResult& check) { take(check); });
        QVERIFY2(m_passed, "see the lines above");
    }

private:
    void take(const CheckResult& check)
    {
        if (!check.passed)
            qWarning("FAIL %s: %s", check.name.c_str(), check.detail.c_str());
        m_passed = m_passed && check.passed;
    }

    bool m_passed = true;
};

QTEST_GUILESS_MAIN(TestPrm)
#include "test_prm.moc"
