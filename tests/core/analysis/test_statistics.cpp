// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Means, intervals, effect sizes, ROC curves and DeLong's intervals against closed forms and printed values.
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/statistics/roc.h"
#include "core/analysis/statistics/statistics.h"
#include "core/base/median.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

const std::vector<int> kLabels = {0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1};
const std::vector<double> kScores = {.1, .35, .24, .8, .2, .85, .13, .85, .74, .58, .71, .25};

bool near(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance;
}

// Pair by pair, straight from the definition.
double aucOfPairs(const std::vector<double>& scores, const std::vector<int>& labels)
{
    double sum = 0, pairs = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = 0; j < scores.size(); ++j) {
            if (labels[i] == 0 || labels[j] != 0)
                continue;
            sum += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
            pairs += 1;
        }
    }
    return sum / pairs;
}

} // namespace

class TestStatistics : public QObject
{
    Q_OBJECT
private slots:
    void quantiles_data();
    void quantiles();
    void quantilesInvertTheirFunctions();
    void intervalOfTheMean();
    void ranksAndCorrelation();
    void whatIsNoNumber();
    void effectSizes();
    void holm();
    void line();
    void deLongVector();
    void aucCountsPairs();
    void perfectAndUseless();
    void unusableScores();
    void intervalsCover();
    void pairedComparison();
    void pairedIntervalIsNarrower();
    void curve();
    void rateAtFewFalsePositives();
};

void TestStatistics::quantiles_data()
{
    QTest::addColumn<double>("probability");
    QTest::addColumn<double>("freedom"); // 0: normal
    QTest::addColumn<double>("quantile");
    QTest::newRow("normal 97.5 %") << 0.975 << 0.0 << 1.959963984540054;
    QTest::newRow("normal 1e-10") << 1e-10 << 0.0 << -6.361340902404056;
    QTest::newRow("normal middle") << 0.5 << 0.0 << 0.0;
    QTest::newRow("t 1") << 0.975 << 1.0 << 12.706204736174698;
    QTest::newRow("t 2") << 0.975 << 2.0 << 4.302652729749464;
    QTest::newRow("t 4") << 0.975 << 4.0 << 2.776445105197794;
    QTest::newRow("t 10") << 0.995 << 10.0 << 3.169272672616951;
    QTest::newRow("t 1e6") << 0.975 << 1e6 << 1.959966356814;
    QTest::newRow("t lower side") << 0.025 << 4.0 << -2.776445105197794;
}

void TestStatistics::quantiles()
{
    QFETCH(double, probability);
    QFETCH(double, freedom);
    QFETCH(double, quantile);
    const double got = freedom == 0 ? normalQuantile(probability) : studentQuantile(probability, freedom);
    QVERIFY2(near(got, quantile, 1e-9 * std::max(1.0, std::abs(quantile))), qPrintable(QString::number(got, 'g', 16)));
}

void TestStatistics::quantilesInvertTheirFunctions()
{
    for (double p = 0.001; p < 1; p += 0.0237) {
        QVERIFY(near(normalCdf(normalQuantile(p)), p, 1e-13));
        for (const double freedom : {1.0, 2.5, 7.0, 300.0})
            QVERIFY(near(studentCdf(studentQuantile(p, freedom), freedom), p, 1e-11));
    }
    // One degree of freedom is Cauchy's distribution.
    QVERIFY(near(studentCdf(1, 1), 0.75, 1e-13));
}

void TestStatistics::intervalOfTheMean()
{
    const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
    const MeanInterval out = meanInterval(values);
    QCOMPARE(out.mean, 5.0);
    QVERIFY(near(standardDeviation(values), std::sqrt(32.0 / 7), 1e-14));
    QVERIFY(near(out.high - out.mean, 2.364624251592785 * std::sqrt(32.0 / 7 / 8), 1e-10));
    QVERIFY(near(out.mean - out.low, out.high - out.mean, 1e-12));
    QVERIFY(std::isinf(meanInterval(std::vector<double>{3}).high));
    QVERIFY(std::isnan(meanInterval({}).mean));
}

void TestStatistics::ranksAndCorrelation()
{
    QCOMPARE(midranks(std::vector<double>{3, 1, 3, 2}), (std::vector<double>{3.5, 1, 3.5, 2}));
    QCOMPARE(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{10, 20, 40, 80}), 1.0);
    QCOMPARE(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1}), -1.0);
    // 1 - 6 * (1 + 1 + 4 + 0 + 4) / (5 * 24)
    QVERIFY(near(spearman(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{2, 1, 5, 4, 3}), 0.5, 1e-12));
    QVERIFY(std::isnan(spearman(std::vector<double>{1, 1}, std::vector<double>{1, 2})));
}

void TestStatistics::whatIsNoNumber()
{
    const std::vector<double> ranks = midranks(std::vector<double>{NAN, 3, NAN, 1, INFINITY, 3});
    QVERIFY(std::isnan(ranks[0]) && std::isnan(ranks[2]));
    QCOMPARE((std::vector<double>{ranks[1], ranks[3], ranks[4], ranks[5]}), (std::vector<double>{2.5, 1, 4, 2.5}));
    // As without the pairs that it spoils: 1 - 6 * (1 + 1 + 4 + 0 + 4) / (5 * 24).
    QVERIFY(near(spearman(std::vector<double>{1, 2, 9, 3, 4, 5, NAN}, std::vector<double>{2, 1, NAN, 5, 4, 3, 0}), 0.5,
                 1e-12));
    QVERIFY(std::isnan(spearman(std::vector<double>{1, 2}, std::vector<double>{NAN, 1})));
    const std::vector<double> spoilt{NAN, 1, 2}, whole{1, 2, 4};
    QVERIFY(std::isnan(cliffsDelta(spoilt, whole)) && std::isnan(cliffsDelta(whole, spoilt)));
    QVERIFY(std::isnan(hedgesG(spoilt, whole)) && std::isnan(hedgesG(whole, spoilt)));
    QVERIFY(std::isnan(meanInterval(spoilt).mean) && std::isnan(meanInterval(spoilt).high));
    QVERIFY(std::isnan(meanInterval(std::vector<double>{INFINITY, 1}).high));
    QVERIFY(std::isnan(fitLine(whole, spoilt).slope) && std::isnan(fitLine(spoilt, whole).slope));
    // Their squares are beyond any number: nothing is told, rather than an effect of 0.
    const std::vector<double> large{1e200, 3e200}, larger{7e200, 9e200};
    QVERIFY(std::isnan(hedgesG(large, larger)) && !std::isfinite(meanInterval(large).high));
    const std::vector<double> adjusted = holmAdjusted(std::vector<double>{0.02, NAN, 0.01});
    QCOMPARE(adjusted[0], 0.02);
    QCOMPARE(adjusted[2], 0.02); // of two tests
    QVERIFY(std::isnan(adjusted[1]));
    QVERIFY(std::isnan(*medianOf({3, NAN, 1})) && std::isnan(*medianDeviation({3, NAN, 1})));
    QCOMPARE(*medianOf({3, INFINITY, 1}), 3.0);
}

void TestStatistics::effectSizes()
{
    QCOMPARE(cliffsDelta(std::vector<double>{5, 6}, std::vector<double>{1, 2}), 1.0);
    QCOMPARE(cliffsDelta(std::vector<double>{1, 2, 3}, std::vector<double>{2}), 0.0);
    // Means 3 and 1 apart by 2 pooled deviations of 1; 4 degrees of freedom.
    QVERIFY(near(hedgesG(std::vector<double>{2, 3, 4}, std::vector<double>{0, 1, 2}), 2 * (1 - 3.0 / 15), 1e-12));
    // Without a spread there is no unit to say it in, and what rounding makes of equal values is no spread.
    QVERIFY(std::isnan(hedgesG(std::vector<double>{3, 3}, std::vector<double>{1, 1})));
    QVERIFY(std::isnan(hedgesG(std::vector<double>{3, 3}, std::vector<double>{3, 3})));
    const double above = 0.3 + 1e-13, once = 12.3 - 12.0, again = 112.3 - 112.0; // both 0.3
    QVERIFY(once != again);
    QVERIFY(std::isnan(hedgesG(std::vector<double>{0.3, above}, std::vector<double>{0.1, 0.1})));
    QVERIFY(std::isnan(hedgesG(std::vector<double>{once, again}, std::vector<double>{0.1, 0.1})));
    // A thousandth is one: 0.2 apart, variance (0.0005^2 + 0.0005^2) over one degree of freedom each.
    const double spread = std::sqrt(2 * 0.0005 * 0.0005 / 2);
    QVERIFY(near(hedgesG(std::vector<double>{0.3, 0.301}, std::vector<double>{0.1, 0.1}),
                 (1 - 3.0 / 7) * 0.2005 / spread, 1e-6));
}

void TestStatistics::holm()
{
    const std::vector<double> adjusted = holmAdjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
    const std::vector<double> right = {0.03, 0.06, 0.06, 0.02};
    for (std::size_t i = 0; i < 4; ++i)
        QVERIFY(near(adjusted[i], right[i], 1e-12));
    QCOMPARE(holmAdjusted(std::vector<double>{0.9, 0.8})[0], 1.0);
}

void TestStatistics::line()
{
    const LineFit exact = fitLine(std::vector<double>{0, 1, 2, 3}, std::vector<double>{1, 3, 5, 7});
    QVERIFY(near(exact.slope, 2, 1e-12) && near(exact.intercept, 1, 1e-12) && near(exact.slopeError, 0, 1e-12));
    // Residuals 0.1, -0.2, 0.1 around y = x: variance 0.06 over one degree of freedom, 2 for the sum of squares of x.
    const LineFit noisy = fitLine(std::vector<double>{0, 1, 2}, std::vector<double>{0.1, 0.8, 2.1});
    QVERIFY(near(noisy.slope, 1, 1e-12));
    QVERIFY(near(noisy.slopeError, std::sqrt(0.06 / 2), 1e-12));
    QVERIFY(near(noisy.high - noisy.slope, 12.706204736174698 * noisy.slopeError, 1e-9));
    QVERIFY(std::isnan(fitLine(std::vector<double>{1, 1}, std::vector<double>{1, 2}).slope));
}

void TestStatistics::deLongVector()
{
    const auto estimate = aucDeLong(kScores, kLabels);
    QVERIFY(estimate.ok());
    QVERIFY(near(estimate->auc, 0.708333, 5e-7));
    QVERIFY(near(estimate->standardError, 0.168737, 5e-7));
    QVERIFY(near(estimate->low, 0.3776, 5e-5));
    QCOMPARE(estimate->high, 1.0); // the normal interval ends at 1.039
    QCOMPARE(estimate->positives, std::int64_t(6));
}

void TestStatistics::aucCountsPairs()
{
    RandomStream random(1);
    std::vector<double> scores;
    std::vector<int> labels;
    for (int i = 0; i < 150; ++i) {
        labels.push_back(static_cast<int>(random.below(2)));
        scores.push_back(random.below(20) + labels.back()); // with many ties
    }
    QVERIFY(near(aucDeLong(scores, labels)->auc, aucOfPairs(scores, labels), 1e-12));
    std::vector<int> swapped;
    for (const int label : labels)
        swapped.push_back(1 - label);
    QVERIFY(near(aucDeLong(scores, swapped)->auc, 1 - aucOfPairs(scores, labels), 1e-12));
    QVERIFY(near(aucDeLong(scores, swapped)->standardError, aucDeLong(scores, labels)->standardError, 1e-12));
}

void TestStatistics::perfectAndUseless()
{
    const std::vector<int> labels = {0, 0, 1, 1};
    const auto perfect = aucDeLong(std::vector<double>{1, 2, 3, 4}, labels);
    QCOMPARE(perfect->auc, 1.0);
    QCOMPARE(perfect->standardError, 0.0);
    QVERIFY(std::isnan(perfect->low) && std::isnan(perfect->high)); // four samples are not certainty
    const auto useless = aucDeLong(std::vector<double>{7, 7, 7, 7}, labels);
    QCOMPARE(useless->auc, 0.5);
    QVERIFY(std::isnan(useless->low) && std::isnan(useless->high));
    const auto single = aucDeLong(std::vector<double>{1, 3, 2}, std::vector<int>{0, 0, 1});
    QCOMPARE(single->auc, 0.5);
    QVERIFY(std::isnan(single->standardError) && std::isnan(single->low) && std::isnan(single->high));
    QCOMPARE(aucDeLong(std::vector<double>{-INFINITY, 0, 1, INFINITY}, labels)->auc, 1.0);
}

void TestStatistics::unusableScores()
{
    QVERIFY(!aucDeLong(std::vector<double>{1, 2, 3}, std::vector<int>{0, 1}).ok());
    QVERIFY(!aucDeLong(std::vector<double>{1, 2, 3}, std::vector<int>{1, 1, 1}).ok());
    QVERIFY(!aucDeLong(std::vector<double>{1, NAN, 3, 4}, std::vector<int>{0, 0, 1, 1}).ok());
    QVERIFY(!rocCurve({}, {}).ok());
    QVERIFY(!aucDifference(kScores, std::vector<double>{1, 2}, kLabels).ok());
}

void TestStatistics::intervalsCover()
{
    // Normal scores one unit apart have an AUC of Phi(1 / sqrt 2).
    const double truth = normalCdf(1 / std::sqrt(2.0));
    int covered = 0;
    for (std::uint64_t simulation = 0; simulation < 1000; ++simulation) {
        RandomStream random(77, 0, simulation);
        std::vector<double> scores;
        std::vector<int> labels;
        for (int i = 0; i < 200; ++i) {
            labels.push_back(i % 2);
            scores.push_back(random.normal() + labels.back());
        }
        const auto estimate = aucDeLong(scores, labels);
        covered += estimate->low <= truth && truth <= estimate->high;
    }
    QVERIFY2(covered >= 930 && covered <= 970, qPrintable(QString::number(covered)));
}

void TestStatistics::pairedComparison()
{
    const auto same = aucDifference(kScores, kScores, kLabels);
    QCOMPARE(same->difference, 0.0);
    QCOMPARE(same->standardError, 0.0);
    QCOMPARE(same->pValue, 1.0);
    QVERIFY(same->low == 0 && same->high == 0);
    const std::vector<int> labels = {0, 0, 1, 1};
    const auto opposite = aucDifference(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1}, labels);
    QCOMPARE(opposite->difference, 1.0);
    QVERIFY(std::isnan(opposite->low) && std::isnan(opposite->high) && std::isnan(opposite->pValue));
    // The difference from a constant score is the AUC less one half, with the AUC's own error.
    const auto constant = aucDifference(kScores, std::vector<double>(12, 3.0), kLabels);
    const auto own = aucDeLong(kScores, kLabels);
    QVERIFY(near(constant->difference, own->auc - 0.5, 1e-12));
    QVERIFY(near(constant->standardError, own->standardError, 1e-12));
    QVERIFY(near(constant->pValue, 2 * normalCdf(-std::abs(constant->z)), 1e-15));
}

void TestStatistics::pairedIntervalIsNarrower()
{
    RandomStream random(5);
    std::vector<double> a, b;
    std::vector<int> labels;
    for (int i = 0; i < 400; ++i) {
        labels.push_back(i % 2);
        a.push_back(random.normal() + labels.back());
        b.push_back(a.back() + 0.1 * random.normal());
    }
    const double independent = std::hypot(aucDeLong(a, labels)->standardError, aucDeLong(b, labels)->standardError);
    QVERIFY(aucDifference(a, b, labels)->standardError < 0.3 * independent);
}

void TestStatistics::curve()
{
    const auto points = rocCurve(std::vector<double>{4, 3, 3, 1}, std::vector<int>{1, 1, 0, 0});
    QVERIFY(points.ok());
    QCOMPARE(points->size(), std::size_t(4));
    const std::vector<std::pair<double, double>> right = {{0, 0}, {0, 0.5}, {0.5, 1}, {1, 1}};
    double area = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE((*points)[i].falsePositiveRate, right[i].first);
        QCOMPARE((*points)[i].truePositiveRate, right[i].second);
        if (i > 0)
            area += (right[i].first - right[i - 1].first) * (right[i].second + right[i - 1].second) / 2;
    }
    QCOMPARE(area, aucDeLong(std::vector<double>{4, 3, 3, 1}, std::vector<int>{1, 1, 0, 0})->auc);
}

void TestStatistics::rateAtFewFalsePositives()
{
    std::vector<double> scores;
    std::vector<int> labels;
    for (int i = 0; i < 1000; ++i) {
        scores.push_back(i); // non-members 0 to 999
        labels.push_back(0);
    }
    for (int i = 0; i < 100; ++i) {
        scores.push_back(i < 30 ? 989.5 : 5); // 30 of 100 members are above all but ten of them
        labels.push_back(1);
    }
    const auto rate = truePositiveRateAt(scores, labels, 0.01);
    QVERIFY(rate.ok() && rate->has_value());
    QCOMPARE(**rate, 0.3);
    QVERIFY(!truePositiveRateAt(scores, labels, 0.001)->has_value()); // one sample decides nothing
}

PEAKSCOPE_GUILESS_TEST(TestStatistics)
#include "test_statistics.moc"
