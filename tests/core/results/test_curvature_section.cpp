// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The section "curvature" as the engine writes it and readers take it, by one list of keys.
#include "tests/test_room.h"

#include "core/results/section_readers.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace peakscope;

namespace {

using Json = nlohmann::json;

CurvatureBlock someBlock()
{
    CurvatureBlock block;
    block.name = "transformer.h.3.ln_1.weight";
    block.kind = static_cast<std::size_t>(ModuleKind::Attention); // not what the name says
    block.layer = 7;
    block.size = 12;
    block.trace = {1.5, 0.25, 1, 2, 0};
    block.top = -5;
    block.topResidual = 0.125;
    block.smallest = {-5, 0.125};
    block.largest = {3, 0.5};
    block.eigenvalues = {-5, 3};
    block.frobenius = 6;
    block.exact = true;
    return block;
}

} // namespace

class TestCurvatureSection : public QObject
{
    Q_OBJECT

private slots:
    void blocksAreReadAsWritten();
    void aTraceOfOneDrawHasNoInterval();
    void entriesAreReadAsWritten();
    void whatHasAnotherTypeIsLeftOut();
};

void TestCurvatureSection::blocksAreReadAsWritten()
{
    CurvatureBlock share; // of a trace: nothing else is known
    share.name = "wte.weight";
    share.trace = {4, 1, 2, 6, 0};
    const Json written = Json::array({membersJson(someBlock()), membersJson(share)});
    QCOMPARE(written[0].size(), std::size_t(14));
    QCOMPARE(written[1].dump().c_str(),
             R"({"ci":[2.0,6.0],"parameter":"wte.weight","standard_error":1.0,"trace":4.0})");
    const CurvatureData data = curvatureFromJson({{"blocks", written}});
    QCOMPARE(data.blocks.size(), std::size_t(2));
    QCOMPARE(membersJson(data.blocks[0]), written[0]);
    QCOMPARE(membersJson(data.blocks[1]), written[1]);
    QCOMPARE(data.blocks[1].kind, static_cast<std::size_t>(ModuleKind::Embedding)); // by its name
}

void TestCurvatureSection::aTraceOfOneDrawHasNoInterval()
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Json written = membersJson(CurvatureTrace{{3, kNoNumber, -kInfinity, kInfinity, 1}, {}, {}});
    QCOMPARE(written.dump().c_str(), R"({"ci":[null,null],"mean":3.0,"probes":1,"standard_error":null})");
    const CurvatureData data = curvatureFromJson({{"trace", written}});
    QVERIFY(data.trace && !data.trace->hasInterval() && !data.hutchPlusPlus);
    QCOMPARE(data.trace->samples, 1);
}

void TestCurvatureSection::entriesAreReadAsWritten()
{
    CurvatureDiagonal diagonal;
    diagonal.parameters = {"a.weight", "b.weight"};
    diagonal.parameter = {0, 1, 1};
    diagonal.index = {4, 0, 9};
    diagonal.value = {-0.5, 0, 2};
    diagonal.count = 3;
    diagonal.least = -0.5;
    diagonal.most = 2;
    diagonal.average = 0.5;
    diagonal.population = CurvatureInterval{0.75, 0.25, 0.5, 1, 0};
    diagonal.largest = CurvatureCheckedEntry{"b.weight", 9, 2, 2.5, 0.125};
    const Json written = membersJson(diagonal);
    QVERIFY(!written.contains("fisher"));
    const CurvatureData data = curvatureFromJson({{"diagonal", written}});
    QCOMPARE(data.diagonals.size(), std::size_t(1));
    QCOMPARE(membersJson(data.diagonals[0]), written);
    QCOMPARE(data.diagonals[0].mean.mean, 0.75);
    QCOMPARE(data.diagonals[0].mean.samples, 3);
}

void TestCurvatureSection::whatHasAnotherTypeIsLeftOut()
{
    const Json section = {{"eigenvalues", {{{"value", "x"}}, 3, {{"value", 2}}}},
                          {"eigensolver", {{"products", "many"}, {"converged", 1}}},
                          {"blocks", {{{"parameter", "a"}, {"trace", 1}, {"ci", {2, 1}}, {"size", -4}}, 5}},
                          {"kfac", {{"layers", {{{"parameter", "b"}, {"in", 3.5}}}}}},
                          {"lbfgs", Json::array()}};
    const CurvatureData data = curvatureFromJson(section);
    QCOMPARE(data.eigenvalues.size(), std::size_t(1));
    QVERIFY(std::isnan(data.eigenvalues[0].residual) && !data.eigenConverged && !data.lbfgs);
    QCOMPARE(data.eigenProducts, 0);
    QCOMPARE(data.blocks.size(), std::size_t(1));
    QVERIFY(!data.blocks[0].trace.hasInterval());
    QCOMPARE(data.blocks[0].size, 0);
    QCOMPARE(data.factors.at(0).inputs, 3);
}

PEAKSCOPE_GUILESS_TEST(TestCurvatureSection)
#include "test_curvature_section.moc"
