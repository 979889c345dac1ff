// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's checks inside a Qt test: a warning for each that failed, then a verdict. (No LibTorch header here: Qt's
// keywords break them.)
#pragma once

#include "tests/engine/checks/check.h"

#include <QTest>

#include <vector>

namespace peakscope {

// `run` gets what its checks are told to; fewer than `least` of them are a failure too.
template <typename Run>
void verifyRun(Run run, int least = 1)
{
    int checks = 0, failures = 0;
    run([&](const CheckResult& check) {
        ++checks;
        failures += !check.passed;
        const bool skipped = check.passed && check.name.find("not run") != std::string::npos;
        if (!check.passed || skipped)
            qWarning("%s %s: %s", skipped ? "SKIP" : "FAIL", check.name.c_str(), check.detail.c_str());
    });
    QVERIFY(checks >= least);
    QVERIFY2(failures == 0, "see the lines above");
}

inline void verifyChecks(const std::vector<CheckResult>& results)
{
    verifyRun([&results](const auto& report) {
        for (const CheckResult& check : results)
            report(check);
    });
}

} // namespace peakscope
