// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a sweep's growth: laws known beforehand, few values, floors, and where nothing can be said.
#include "core/analysis/comparison/sweep_growth.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace peakscope;

namespace {

using Peak = std::function<double(double seq, double batch, double rank)>;

// The grid of a DP-SGD study with LoRA: parameters of 10 MB below what grows.
SweepDocument sweepOver(const std::vector<int>& seqs, const std::vector<int>& batches, const std::vector<int>& ranks,
                        const Peak& peak)
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch", "training.lora.rank"};
    for (const int seq : seqs) {
        for (const int batch : batches) {
            for (const int rank : ranks) {
                SweepPoint point;
                point.values = {{"data.seq", seq}, {"data.batch", batch}, {"training.lora.rank", rank}};
                point.status = "complete";
                point.measured = true;
                point.components = {{"parameters", 10'000'000 + 100 * rank}};
                point.peakBytes = std::llround(10'000'000 + 100 * rank + peak(seq, batch, rank));
                sweep.points.push_back(std::move(point));
            }
        }
    }
    return sweep;
}

double linearInBatchQuadraticInSeq(double seq, double batch, double)
{
    return 64 * batch * seq * seq;
}

} // namespace

class TestSweepGrowth : public QObject
{
    Q_OBJECT
private slots:
    void twoValuesAGrid();
    void threeValuesALineFitEachLine();
    void aZeroHasNoPlace();
    void settingsThatDisagree();
    void aKeyThatChangesTheParametersHasNoFloor();
    void oneValueIsNoGrowth();
};

// Two values a key tell the exponent as far as the settings of the others agree on it.
void TestSweepGrowth::twoValuesAGrid()
{
    const SweepDocument sweep = sweepOver({128, 256}, {8, 16}, {8, 16}, linearInBatchQuadraticInSeq);
    const auto growths = sweepGrowths(sweep, "peak_bytes");
    QCOMPARE(growths.size(), std::size_t{3});
    QCOMPARE(growths[0].key, std::string("data.seq"));
    QCOMPARE(growths[0].kind, GrowthKind::Quadratic);
    QVERIFY(std::abs(growths[0].common.exponent - 2) < 0.01);
    QCOMPARE(growths[0].lines.size(), std::size_t{4});
    QVERIFY(!growths[0].lines[0].tells()); // no curve through two points
    QCOMPARE(growths[0].lines[0].floor.value(), 10'000'800.0);
    QCOMPARE(growths[1].kind, GrowthKind::Linear);
    QCOMPARE(growths[2].kind, GrowthKind::Flat);
    QVERIFY(std::abs(growths[2].change->second) < 1e-4);
    const std::string words = text(growths[0]);
    QVERIFY2(words.find("exponent 2.00 (95 %: ") == 0, words.c_str());
    QVERIFY2(words.find("above parameters and their states: quadratic; ") != std::string::npos, words.c_str());
    QVERIFY2(words.ends_with(" from 128 to 256"), words.c_str());
}

void TestSweepGrowth::threeValuesALineFitEachLine()
{
    const SweepDocument sweep = sweepOver({64, 128, 256}, {4}, {8}, linearInBatchQuadraticInSeq);
    const SweepGrowth growth = sweepGrowth(sweep, "data.seq", "peak_bytes");
    QCOMPARE(growth.lines.size(), std::size_t{1});
    QVERIFY(growth.lines[0].tells());
    QVERIFY(std::abs(growth.lines[0].fit.exponent - 2) < 1e-6);
    QCOMPARE(growth.lines[0].fit.offset, 10'000'800.0);
    QCOMPARE(growth.kind, GrowthKind::Quadratic);
    // The numbers as drawn: each point with its fit.
    const Table table = growthTable(growth);
    QCOMPARE(table.rows.size(), std::size_t{3});
    QVERIFY(std::abs(std::get<double>(table.rows[2][3]) / std::get<double>(table.rows[2][2]) - 1) < 1e-6);
}

void TestSweepGrowth::aZeroHasNoPlace()
{
    const SweepDocument sweep =
        sweepOver({128}, {8}, {0, 8, 16}, [](double, double, double rank) { return rank == 0 ? 9e6 : 5e5 * rank; });
    const SweepGrowth growth = sweepGrowth(sweep, "training.lora.rank", "peak_bytes");
    QVERIFY(growth.zero);
    QCOMPARE(growth.values, std::size_t{2});
    QCOMPARE(growth.lines[0].trend.x, (std::vector<double>{8, 16}));
    // One line of two points: a change, and no verdict.
    QCOMPARE(growth.kind, GrowthKind::Unknown);
    QVERIFY(std::isnan(growth.common.low));
    const std::string words = text(growth);
    QVERIFY2(words.find("nan") == std::string::npos, words.c_str());
    QVERIFY2(words.ends_with(" from 8 to 16; this leaves 0 out; -5.3 % from 0 to 16"), words.c_str());
}

void TestSweepGrowth::settingsThatDisagree()
{
    const SweepDocument sweep = sweepOver({128, 256}, {8, 16}, {8}, [](double seq, double batch, double) {
        return batch == 8 ? 1e5 * seq : 1000 * seq * seq;
    });
    QCOMPARE(sweepGrowth(sweep, "data.seq", "peak_bytes").kind, GrowthKind::Unknown);
}

void TestSweepGrowth::aKeyThatChangesTheParametersHasNoFloor()
{
    SweepDocument sweep = sweepOver({64, 128, 256}, {4}, {8}, [](double seq, double, double) { return 1e6 * seq; });
    for (SweepPoint& point : sweep.points)
        point.components["parameters"] = 1000 * point.values["data.seq"].get<std::int64_t>();
    QCOMPARE(sweepGrowth(sweep, "data.seq", "peak_bytes").lines[0].floor.value(), 0.0);
    for (SweepPoint& point : sweep.points)
        point.components.clear();
    // Nothing is known: the weights would be part of the law, so there is none.
    const SweepGrowth unknown = sweepGrowth(sweep, "data.seq", "peak_bytes");
    QVERIFY(!unknown.lines[0].floor && !unknown.lines[0].tells() && !unknown.common.usable());
    QCOMPARE(unknown.kind, GrowthKind::Unknown);
    QVERIFY(text(unknown).find("so no exponent is given; +") != std::string::npos);
}

void TestSweepGrowth::oneValueIsNoGrowth()
{
    const SweepDocument sweep = sweepOver({128}, {8}, {8, 16}, linearInBatchQuadraticInSeq);
    const auto growths = sweepGrowths(sweep, "peak_bytes");
    QCOMPARE(growths.size(), std::size_t{1});
    QCOMPARE(sweepGrowth(sweep, "data.seq", "peak_bytes").kind, GrowthKind::Unknown);
    QVERIFY(sweepGrowths(SweepDocument(), "peak_bytes").empty());
}

PEAKSCOPE_APPLESS_TEST(TestSweepGrowth)
#include "test_sweep_growth.moc"
