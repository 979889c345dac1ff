// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Test rows of the folders with reference cases: the project's own (tests/engine/data says how they were made), and
// larger ones that may lie beside the checkout.
#pragma once

#include "tests/engine/verify_checks.h"

#include <QDir>

#include <string>

namespace peakscope {

inline void referenceFolderRows()
{
    QTest::addColumn<QString>("cases");
    QTest::addColumn<int>("least"); // checks that the folder has to give
    QTest::newRow("the project's own") << QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/engine/data/models") << 3;
    QTest::newRow("beside the project") << QStringLiteral(PEAKSCOPE_SHARED_DIR "/cases") << 1;
}

template <typename Checks>
void verifyReferences(const Checks& checks)
{
    QFETCH(QString, cases);
    QFETCH(int, least);
    if (!QDir(cases).exists() && cases.startsWith(QStringLiteral(PEAKSCOPE_SHARED_DIR)))
        QSKIP("the folder with reference cases is not beside the project");
    const std::vector<CheckResult> results = checks(cases.toStdString());
    verifyRun(
        [&results](const auto& report) {
            for (const CheckResult& check : results)
                report(check);
        },
        least);
}

} // namespace peakscope
