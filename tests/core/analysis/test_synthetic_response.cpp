// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The synthetic mode's numbers: in the ranges of the first scripts' files, the same for the same seed.
#include "core/analysis/response/synthetic_response.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

class TestSyntheticResponse : public QObject
{
    Q_OBJECT
private slots:
    void unitsFallIntoTheirClasses_data();
    void unitsFallIntoTheirClasses();
    void unitsOfASeed();
    void slopesOfTheScripts();
    void largeNoiseStaysPossible();
    void unusable();
};

void TestSyntheticResponse::unitsFallIntoTheirClasses_data()
{
    QTest::addColumn<int>("units");
    QTest::newRow("three") << 3;
    QTest::newRow("the scripts' twenty") << 20;
    QTest::newRow("a thousand") << 1000;
}

void TestSyntheticResponse::unitsFallIntoTheirClasses()
{
    QFETCH(int, units);
    const SyntheticUnits out = syntheticUnits(units, 42);
    QCOMPARE(out.names.size(), static_cast<std::size_t>(units));
    QCOMPARE(out.featureNames.size(), std::size_t(10));
    QCOMPARE(out.features.size(), static_cast<std::size_t>(10 * units));
    const auto partition = partitionUnits(out.alignment, out.sparsity, {});
    QVERIFY(partition.ok());
    QVERIFY(partition->rule == PartitionRule::Absolute); // no class is empty
    QVERIFY(partition->labels == out.intended);
    if (units == 20)
        QCOMPARE(partition->counts, (std::array<std::int64_t, 3>{5, 3, 12}));
}

void TestSyntheticResponse::unitsOfASeed()
{
    QCOMPARE(syntheticUnits(20, 7).features, syntheticUnits(20, 7).features);
    QVERIFY(syntheticUnits(20, 7).features != syntheticUnits(20, 8).features);
    QVERIFY(syntheticUnits(0, 1).names.empty());
}

void TestSyntheticResponse::slopesOfTheScripts()
{
    const std::vector<double> sigmas = {0, 0.001};
    const auto out = syntheticResponses(sigmas, 400, 42);
    QVERIFY(out.ok());
    QCOMPARE(out->size(), std::size_t(2 * 3 * 400));
    double perplexity[3] = {}, auc[3] = {};
    for (const SyntheticPoint& point : *out) {
        if (point.sigma == 0) {
            QCOMPARE(point.deltaPerplexity, 0.0);
            QCOMPARE(point.deltaAuc, 0.0);
            QCOMPARE(point.perplexity, kSyntheticBaselinePerplexity);
            continue;
        }
        const auto which = static_cast<std::size_t>(point.unitClass);
        perplexity[which] += point.deltaPerplexity / point.sigma / 400;
        auc[which] += point.deltaAuc / point.sigma / 400;
    }
    const double right[3][2] = {{20, 0.4}, {1, 7.6}, {10, 5}};
    for (std::size_t which = 0; which < 3; ++which) {
        QVERIFY(std::abs(perplexity[which] - right[which][0]) < 0.12);
        QVERIFY(std::abs(auc[which] - right[which][1]) < 0.06);
    }
}

void TestSyntheticResponse::largeNoiseStaysPossible()
{
    const std::vector<double> sigmas = {0.3, 100};
    const auto out = syntheticResponses(sigmas, 20, 1);
    for (const SyntheticPoint& point : *out) {
        QVERIFY(point.auc >= 0 && point.auc <= 1);
        QVERIFY(std::abs(point.deltaAuc) <= 0.5);
        QVERIFY(std::isfinite(point.perplexity));
    }
}

void TestSyntheticResponse::unusable()
{
    QVERIFY(!syntheticResponses(std::vector<double>{0.1}, 0, 1).ok());
    QVERIFY(!syntheticResponses(std::vector<double>{-0.1}, 1, 1).ok());
    QVERIFY(!syntheticResponses(std::vector<double>{NAN}, 1, 1).ok());
    QVERIFY(syntheticResponses({}, 1, 1)->empty());
}

PEAKSCOPE_GUILESS_TEST(TestSyntheticResponse)
#include "test_synthetic_response.moc"
