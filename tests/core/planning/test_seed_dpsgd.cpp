// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The replay of the published DP-SGD comparison: its arithmetic as worked out by hand.
#include "core/planning/published_tables/seed_dpsgd.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

const SeedCell* find(const std::vector<SeedTable>& tables, const std::string& model, const std::string& quantity,
                     int which = 0)
{
    for (const SeedTable& table : tables) {
        for (const SeedCell& cell : table.cells) {
            if (cell.model == model && cell.quantity == quantity && which-- == 0)
                return &cell;
        }
    }
    return nullptr;
}

bool within(double value, double expected, double share)
{
    return std::abs(value - expected) <= share * std::abs(expected);
}

} // namespace

class TestSeedDpsgd : public QObject
{
    Q_OBJECT
private slots:
    void workRatios_data();
    void workRatios();
    void tables();
};

// Ratios worked out from the products' sizes by hand.
void TestSeedDpsgd::workRatios_data()
{
    QTest::addColumn<double>("tokens");
    QTest::addColumn<double>("rows");
    QTest::addColumn<double>("hidden");
    QTest::addColumn<double>("layers");
    QTest::addColumn<double>("vocab");
    QTest::addColumn<double>("bookKeeping");
    QTest::addColumn<double>("twoPass");
    QTest::addColumn<double>("opacusGhost");
    QTest::newRow("20 layers of 2048, T 16384")
        << 16384.0 << 1.0 << 2048.0 << 20.0 << 32000.0 << 1.135 << 1.695 << 3.29;
    QTest::newRow("the same, T 8192, 2 rows") << 8192.0 << 2.0 << 2048.0 << 20.0 << 32000.0 << 1.193 << 1.687 << 2.82;
    QTest::newRow("4 layers of 256, T 2048, 2 rows")
        << 2048.0 << 2.0 << 256.0 << 4.0 << 1000.0 << 1.137 << 1.695 << 3.32;
}

void TestSeedDpsgd::workRatios()
{
    QFETCH(double, tokens);
    QFETCH(double, rows);
    QFETCH(double, hidden);
    QFETCH(double, layers);
    QFETCH(double, vocab);
    const ClippedStepWork work = clippedStepWork(tokens, rows, hidden, layers, vocab);
    const auto ratio = [&](double more) { return (work.vanilla + more) / work.vanilla; };
    QFETCH(double, bookKeeping);
    QFETCH(double, twoPass);
    QFETCH(double, opacusGhost);
    QVERIFY(within(ratio(work.directNorms), bookKeeping, 0.002));
    QVERIFY(within(ratio(work.directNorms + work.secondBackward), twoPass, 0.002));
    QVERIFY(within(ratio(work.gramNorms + work.secondBackward + work.weightGradients), opacusGhost, 0.002));
}

void TestSeedDpsgd::tables()
{
    const auto tables = replayDpsgdTables();
    QVERIFY2(tables.ok(), tables ? "" : tables.error().text().c_str());
    QCOMPARE(tables->size(), std::size_t{4});
    const double parameters = 1'171'628'032.0 * 4;
    const SeedCell* own = find(*tables, "ghost", "model_parameters");
    QVERIFY(own);
    QCOMPARE(own->computedValue, parameters);
    QVERIFY(within(find(*tables, "vanilla", "peak with Adam")->computedValue, 52347.0 * 1048576, 0.002));
    QVERIFY(find(*tables, "vanilla", "peak with Adam")->agrees);
    // What the old runs printed is explained within half a per cent.
    for (const char* model : {"vanilla", "ghost", "flash"}) {
        const SeedCell* cell = find(*tables, model, "peak as printed");
        QVERIFY2(within(cell->computedValue, cell->tableValue, 0.005), model);
    }
    QCOMPARE(find(*tables, "ghost", "temp_matrices")->computedValue, 2.0 * 16384 * 16384 * 4);
    QCOMPARE(find(*tables, "ghost", "activation_hooks")->computedValue, 0.0);
    QVERIFY(!find(*tables, "ghost", "sum of the rows")->agrees);
    QVERIFY(std::abs(find(*tables, "llama-3.1-8b", "exponent of the sequence")->computedValue - 1) < 0.05);
    QVERIFY(find(*tables, "llama-3.1-8b", "the same, attention in full")->computedValue > 1.2);
    for (const SeedTable& table : *tables) {
        for (const SeedCell& cell : table.cells)
            QVERIFY2(!cell.reason.empty(), cell.quantity.c_str());
    }
}

PEAKSCOPE_GUILESS_TEST(TestSeedDpsgd)
#include "test_seed_dpsgd.moc"
