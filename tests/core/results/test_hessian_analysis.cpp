// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a hessian_memory_analysis.json says, read back from the result that it was imported as: the sums of the file and
// the parts that they are of.
#include "tests/test_room.h"

#include "core/import/read_any.h"
#include "core/results/plans/hessian_analysis.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

using Json = nlohmann::json;

// A thousand parameters of four bytes: every sum can be done by hand.
Json smallEntry()
{
    return {{"model_name", "someone/small"},
            {"total_params", 1000},
            {"memory_breakdown",
             {{"parameters", 4000},
              {"gradients", 4000},
              {"hessian_diagonal", 4000},
              {"hessian_full", 4000000},
              {"activations", 500},
              {"intermediate", 8000}}},
            {"strategies",
             {{"diagonal_hessian", 20500},
              {"block_diagonal_hessian", 56500},
              {"full_hessian", 4016500},
              {"approximate_hessian", 16500}}}};
}

Result<HessianAnalysis> readBack(const Json& entry)
{
    const auto results = readAnyBytes(Json::array({entry}).dump(), "hessian_memory_analysis.json");
    return results ? hessianAnalysisOf(results->front()) : Result<HessianAnalysis>(results.error());
}

} // namespace

class TestHessianAnalysis : public QObject
{
    Q_OBJECT

private slots:
    void sumsAndParts();
    void partsThatAreNotKnown();
    void largerThanAnyInteger();
    void otherResultsHoldNone();
};

void TestHessianAnalysis::sumsAndParts()
{
    const auto analysis = readBack(smallEntry());
    QVERIFY2(analysis.ok(), analysis ? "" : analysis.error().text().c_str());
    const auto strategies = hessianStrategies(analysis->models.at(0));
    QCOMPARE(strategies.size(), std::size_t(4));
    const std::pair<HessianStrategyKind, double> expected[] = {{HessianStrategyKind::Diagonal, 4000},
                                                               {HessianStrategyKind::BlockDiagonal, 40000},
                                                               {HessianStrategyKind::Approximate, 0},
                                                               {HessianStrategyKind::Full, 4000000}};
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        QCOMPARE(strategies[i].kind, expected[i].first);
        QVERIFY(strategies[i].hasParts);
        QCOMPARE(strategies[i].hessian, expected[i].second);
        QCOMPARE(strategies[i].parameters + strategies[i].gradients + strategies[i].activations +
                     strategies[i].intermediate,
                 16500.0);
        QCOMPARE(strategies[i].total, 16500.0 + expected[i].second);
    }
    const Table table = hessianMemoryTable(*analysis);
    QCOMPARE(
        QString::fromStdString(toCsv(table)).section(QStringLiteral("\r\n"), 0, 1),
        QStringLiteral("model,hessian_strategy,sum_bytes,parameters_bytes,gradients_bytes,activations_bytes,"
                       "intermediate_bytes,hessian_bytes\r\nsomeone/small,diagonal,20500,4000,4000,500,8000,4000"));
}

// A file that lacks a part, or whose sum is less than its parts, is not stacked.
void TestHessianAnalysis::partsThatAreNotKnown()
{
    Json entry = smallEntry();
    entry["memory_breakdown"].erase("activations");
    entry["strategies"].erase("block_diagonal_hessian");
    const auto lacking = readBack(entry);
    QVERIFY(lacking.ok());
    const auto strategies = hessianStrategies(lacking->models.at(0));
    QCOMPARE(strategies.size(), std::size_t(3));
    for (const HessianStrategy& strategy : strategies)
        QVERIFY(!strategy.hasParts);
    QVERIFY(std::isnan(std::get<double>(hessianMemoryTable(*lacking).rows.at(0).back())));
    entry = smallEntry();
    entry["strategies"]["diagonal_hessian"] = 16000;
    QVERIFY(!hessianStrategies(readBack(entry)->models.at(0)).at(0).hasParts);
}

void TestHessianAnalysis::largerThanAnyInteger()
{
    Json entry = smallEntry();
    entry["strategies"]["full_hessian"] = 3e19;
    QCOMPARE(hessianStrategies(readBack(entry)->models.at(0)).back().total, 3e19);
}

void TestHessianAnalysis::otherResultsHoldNone()
{
    RunResult run;
    run.id = "a run";
    const auto none = hessianAnalysisOf(run);
    QVERIFY(!none.ok());
    QVERIFY(none.error().text().find("a run") != std::string::npos);
    run.other["hessian_memory"] = {{"models", {{{"model", "m"}, {"total_params", "many"}}}}};
    QVERIFY(!hessianAnalysisOf(run).ok());
}

PEAKSCOPE_GUILESS_TEST(TestHessianAnalysis)
#include "test_hessian_analysis.moc"
