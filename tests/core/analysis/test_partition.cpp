// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The partition into Wfunc, Wsens and Wboth: its rule at its edges, what happens to an empty class, and random
// controls.
#include "core/analysis/response/partition.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;

class TestPartition : public QObject
{
    Q_OBJECT
private slots:
    void rule_data();
    void rule();
    void countsAndMembers();
    void emptyClassFallsBackToRanks();
    void ranksOfTies();
    void quantileOnRequest();
    void unjudgedUnits();
    void thresholds_data();
    void thresholds();
    void unusable();
};

void TestPartition::rule_data()
{
    QTest::addColumn<double>("alignment");
    QTest::addColumn<double>("sparsity");
    QTest::addColumn<QString>("label");
    QTest::newRow("clear function") << 0.9 << 0.1 << "Wfunc";
    QTest::newRow("clear sensitivity") << 0.1 << 0.95 << "Wsens";
    QTest::newRow("between") << 0.5 << 0.7 << "Wboth";
    QTest::newRow("alignment at the threshold is inside") << 0.7 << 0.49 << "Wfunc";
    QTest::newRow("sparsity at the threshold is outside") << 0.7 << 0.5 << "Wboth";
    QTest::newRow("low alignment at the threshold is inside") << 0.3 << 0.9 << "Wsens";
    QTest::newRow("high sparsity below the threshold is outside") << 0.3 << 0.89 << "Wboth";
    QTest::newRow("aligned and sparse") << 0.9 << 0.95 << "Wboth";
    QTest::newRow("neither") << 0.1 << 0.1 << "Wboth";
}

void TestPartition::rule()
{
    QFETCH(double, alignment);
    QFETCH(double, sparsity);
    QFETCH(QString, label);
    const auto out = partitionUnits({&alignment, 1}, {&sparsity, 1}, {}, PartitionRule::Absolute, EmptyClass::Keep);
    QVERIFY(out.ok());
    QVERIFY(out->labels[0] == *unitClassFromName(label.toStdString()));
    QVERIFY(out->rule == PartitionRule::Absolute);
    QVERIFY(out->notes.empty());
}

void TestPartition::countsAndMembers()
{
    const std::vector<double> alignment = {0.9, 0.1, 0.5, 0.8, 0.2}, sparsity = {0.1, 0.95, 0.5, 0.2, 0.99};
    const auto out = partitionUnits(alignment, sparsity, {});
    QVERIFY(out->rule == PartitionRule::Absolute);
    QCOMPARE(out->count(UnitClass::Func), std::int64_t(2));
    QCOMPARE(out->count(UnitClass::Sens), std::int64_t(2));
    QCOMPARE(out->count(UnitClass::Both), std::int64_t(1));
    QCOMPARE(out->members(UnitClass::Sens), (std::vector<std::int64_t>{1, 4}));
}

void TestPartition::emptyClassFallsBackToRanks()
{
    // Nothing is sparse enough for Wsens.
    const std::vector<double> alignment = {0.9, 0.8, 0.5, 0.4, 0.2, 0.1}, sparsity = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    const auto out = partitionUnits(alignment, sparsity, {});
    QVERIFY(out->rule == PartitionRule::Quantile);
    QCOMPARE(out->notes.size(), std::size_t(1));
    QVERIFY(QString::fromStdString(out->notes[0]).contains("leave Wsens empty"));
    QCOMPARE(out->members(UnitClass::Func), (std::vector<std::int64_t>{0, 1}));
    QCOMPARE(out->members(UnitClass::Both), (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(out->members(UnitClass::Sens), (std::vector<std::int64_t>{4, 5}));
    const auto kept = partitionUnits(alignment, sparsity, {}, PartitionRule::Absolute, EmptyClass::Keep);
    QCOMPARE(kept->count(UnitClass::Sens), std::int64_t(0));
    QVERIFY(kept->rule == PartitionRule::Absolute);
}

void TestPartition::ranksOfTies()
{
    const std::vector<double> same(10, 0.5);
    const auto out = partitionUnits(same, same, {});
    QCOMPARE(out->counts, (std::array<std::int64_t, 3>{3, 3, 4}));
    const std::vector<double> two(2, 0.5);
    const auto few = partitionUnits(two, two, {});
    QCOMPARE(few->notes.size(), std::size_t(2));
    QCOMPARE(few->count(UnitClass::Both), std::int64_t(2));
}

void TestPartition::quantileOnRequest()
{
    const std::vector<double> alignment = {0.9, 0.1, 0.5}, sparsity = {0.1, 0.95, 0.5};
    const auto out = partitionUnits(alignment, sparsity, {}, PartitionRule::Quantile);
    QVERIFY(out->rule == PartitionRule::Quantile);
    QVERIFY(out->notes.empty());
    QCOMPARE(out->counts, (std::array<std::int64_t, 3>{1, 1, 1}));
}

void TestPartition::unjudgedUnits()
{
    const std::vector<double> alignment = {0.9, NAN, 0.1, 0.5}, sparsity = {0.1, 0.1, 0.95, INFINITY};
    for (const PartitionRule rule : {PartitionRule::Absolute, PartitionRule::Quantile}) {
        const auto out = partitionUnits(alignment, sparsity, {}, rule, EmptyClass::Keep);
        QVERIFY(out->labels[1] == UnitClass::Both && out->labels[3] == UnitClass::Both);
        QVERIFY(QString::fromStdString(out->notes.back()).contains("2 units have no alignment"));
    }
}

void TestPartition::thresholds_data()
{
    QTest::addColumn<QVector<double>>("values"); // func alignment, func sparsity, sens alignment, sens sparsity
    QTest::addColumn<bool>("good");
    QTest::newRow("defaults") << QVector<double>{0.7, 0.5, 0.3, 0.9} << true;
    QTest::newRow("meeting lines") << QVector<double>{0.5, 0.5, 0.5, 0.5} << true;
    QTest::newRow("crossed alignments, apart by sparsity") << QVector<double>{0.3, 0.5, 0.7, 0.5} << true;
    QTest::newRow("overlapping") << QVector<double>{0.3, 0.9, 0.7, 0.5} << false;
    QTest::newRow("above 1") << QVector<double>{1.1, 0.5, 0.3, 0.9} << false;
    QTest::newRow("below 0") << QVector<double>{0.7, 0.5, -0.1, 0.9} << false;
    QTest::newRow("not a number") << QVector<double>{0.7, NAN, 0.3, 0.9} << false;
}

void TestPartition::thresholds()
{
    QFETCH(QVector<double>, values);
    QFETCH(bool, good);
    const ClassThresholds thresholds{values[0], values[1], values[2], values[3]};
    QCOMPARE(checkThresholds(thresholds).ok(), good);
    const double one = 0.5;
    QCOMPARE(partitionUnits({&one, 1}, {&one, 1}, thresholds).ok(), good);
}

void TestPartition::unusable()
{
    const std::vector<double> two = {0.1, 0.2}, three = {0.1, 0.2, 0.3};
    QVERIFY(!partitionUnits(two, three, {}).ok());
    QVERIFY(!partitionUnits({}, {}, {}).ok());
    QVERIFY(!unitClassFromName("Wnone"));
}

PEAKSCOPE_GUILESS_TEST(TestPartition)
#include "test_partition.moc"
