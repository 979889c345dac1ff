// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence above a run: who held the peak, what was left, and of a curvature run its numbers.
#include "app/library/documents.h"
#include "app/run/run_answer.h"
#include "core/model/dry_device.h"
#include "core/results/component_reading.h"
#include "core/results/curvature_section.h"
#include "tests/test_room.h"
#include "widgets/text/bytes_text.h"

#include <QObject>
#include <QTest>

using namespace peakscope;

class TestRunAnswer : public QObject
{
    Q_OBJECT

private:
    static RunResult training() { return *loadRunResult(sampleFile(Sample::Training).toStdString()); }

private slots:
    void namesWhoHeldThePeak()
    {
        QCOMPARE(runAnswer(training()),
                 QStringLiteral("Peak 370 MiB in step 1, Backward: Activations 216 MiB, Optimiser "
                                "states 82.7 MiB"));
        QVERIFY(runAnswer(RunResult()).isEmpty());
    }

    void saysWhatWasLeft()
    {
        RunResult run = training();
        run.config["budget_bytes"] = run.memory->peakBytes + (10 << 20);
        QVERIFY2(runAnswer(run).endsWith(QStringLiteral("  ·  10.0 MiB below the budget")), qPrintable(runAnswer(run)));
        run.config["budget_bytes"] = run.memory->peakBytes - (10 << 20);
        QVERIFY2(runAnswer(run).endsWith(QStringLiteral("  ·  10.0 MiB over the budget")), qPrintable(runAnswer(run)));
        run.config.erase("budget_bytes");
        run.config["device"] = "dry:rtx-4090";
        run.memory->peakReservedBytes = std::int64_t(4) << 30;
        const auto card = dryDevice("dry:rtx-4090");
        const std::int64_t capacity = card->card.usableBytes - card->card.contextBytes;
        QVERIFY2(runAnswer(run).endsWith(QStringLiteral("  ·  %1 of %2 left on the card")
                                             .arg(bytesText(capacity - (std::int64_t(4) << 30)), bytesText(capacity))),
                 qPrintable(runAnswer(run)));
    }

    void saysWhatARunThatRanOutAskedFor()
    {
        RunResult run = training();
        run.status = RunStatus::OverBudget;
        run.config["budget_bytes"] = run.memory->peakBytes + (4 << 20);
        QVERIFY2(!runAnswer(run).contains(QStringLiteral("budget")), qPrintable(runAnswer(run)));
        run.message = "over budget: 22.0 MiB more in phase backward, module lm_head on top of 370 MiB live would pass "
                      "the budget of 374 MiB";
        QVERIFY2(runAnswer(run).endsWith(QStringLiteral("  ·  22.0 MiB more requested at the end")),
                 qPrintable(runAnswer(run)));
    }

    void namesNobodyWhoIsNoPartOfThePeak()
    {
        RunResult run = training();
        setReadAfterStep(run);
        QCOMPARE(runAnswer(run), QStringLiteral("Peak 370 MiB in step 1, Backward"));
        run = training();
        setCumulated(run, Component::Activations);
        QCOMPARE(runAnswer(run), QStringLiteral("Peak 370 MiB in step 1, Backward"));
    }

    void givesCurvatureItsNumbers()
    {
        RunResult run = training();
        CurvatureData curvature;
        curvature.eigenvalues = {{6.939, 1.2e-7}, {-2, 1e-6}};
        curvature.trace = CurvatureInterval{-15.614, 1, -48.86, 17.63, 10};
        run.curvature = std::make_shared<const CurvatureData>(curvature);
        QCOMPARE(curvatureAnswer(run),
                 QStringLiteral("Largest λ by magnitude: 6.939, residual 1.2×10⁻⁷  ·  Trace: −15.61, 95 % "
                                "from −48.9 to 17.6"));
        curvature.eigenvalues.clear();
        curvature.trace.reset(); // nothing of it yet: then its memory
        run.curvature = std::make_shared<const CurvatureData>(curvature);
        QVERIFY(curvatureAnswer(run).isEmpty() && runAnswer(run).isEmpty());
    }
};

PEAKSCOPE_TEST(TestRunAnswer)
#include "test_run_answer.moc"
