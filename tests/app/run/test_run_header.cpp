// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line above a run's plots says its numbers whole or not at all, however long its title is.
#include "app/parts/parts_label.h"
#include "app/run/run_header.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

class TestRunHeader : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void wholePartsGiveWay();
    void aTitleGivesWayToNumbers();

private:
    QTemporaryDir m_home;
};

void TestRunHeader::wholePartsGiveWay()
{
    PartsLabel label(Qt::ElideNone);
    const QString text = QStringLiteral("predicted peak 2.05 MiB, measured 2.05 MiB, ±0.0 %  ·  step 38.2 ms");
    label.setText(text);
    const auto widthOf = [&label](const QString& words) { return label.fontMetrics().horizontalAdvance(words); };
    QCOMPARE(label.shownIn(widthOf(text)), text);
    QCOMPARE(label.shownIn(widthOf(text) - 1), QStringLiteral("predicted peak 2.05 MiB, measured 2.05 MiB, ±0.0 % …"));
    QCOMPARE(label.shownIn(label.firstFactWidth() - 1), QStringLiteral("predicted peak 2.05 MiB, measured 2.05 MiB …"));
    QCOMPARE(label.shownIn(widthOf(QStringLiteral("predicted peak 2.05 MiB …"))),
             QStringLiteral("predicted peak 2.05 MiB …"));
    QCOMPARE(label.shownIn(40), QStringLiteral("…"));
    label.setText(QStringLiteral("peak 11,908 GiB"));
    QCOMPARE(label.shownIn(40), QStringLiteral("…")); // no part ends within a number
    // A name is known by its beginning.
    PartsLabel name(Qt::ElideRight);
    name.setText(QStringLiteral("a_result_of_a_long_night.json"));
    QVERIFY(name.shownIn(100).startsWith(QStringLiteral("a_res")));
}

void TestRunHeader::aTitleGivesWayToNumbers()
{
    RunHeader header;
    RunResult result = testing::smallResult();
    result.prediction.emplace().peakBytes = result.memory->peakBytes;
    const QString title = QStringLiteral("llama 2×64 · flash clipping · LoRA r 8 · 4×32 · adam");
    header.showResult(title, result, RunState::Complete, false);
    header.show();
    QVERIFY(QTest::qWaitForWindowExposed(&header));
    const auto* shownTitle = header.findChild<PartsLabel*>(QStringLiteral("runTitle"));
    const auto* facts = header.findChild<PartsLabel*>(QStringLiteral("runFacts"));
    QVERIFY(facts->text().contains(QStringLiteral("measured")));
    header.resize(1600, header.height());
    QTRY_COMPARE(shownTitle->shownIn(shownTitle->width()), title);
    QCOMPARE(facts->shownIn(facts->width()), facts->text());
    // As wide as the middle of a window of 1280 is, with its panels beside.
    header.resize(770, header.height());
    QTRY_VERIFY(shownTitle->shownIn(shownTitle->width()) != title);
    QVERIFY(shownTitle->shownIn(shownTitle->width()).startsWith(QStringLiteral("llama 2×64")));
    QTRY_VERIFY(facts->width() >= facts->firstFactWidth());
    QVERIFY2(facts->shownIn(facts->width()).contains(QStringLiteral("measured")),
             qPrintable(facts->shownIn(facts->width())));
    QVERIFY(shownTitle->toolTip().contains(QStringLiteral("LoRA")));
}

PEAKSCOPE_TEST(TestRunHeader)
#include "test_run_header.moc"
