// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DBSCAN, k-distances and the scores of clusterings against scikit-learn's own examples and closed forms.
#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/clusters/dbscan.h"
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/statistics/numeric_table.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace peakscope;

namespace {

using Ints = QVector<int>;
using Doubles = QVector<double>;

std::vector<int> ints(const Ints& values)
{
    return {values.begin(), values.end()};
}

Clustering cluster(const std::vector<double>& values, std::int64_t columns, double eps, double minSamples,
                   const std::vector<double>& weights = {})
{
    ThreadTeam team(2);
    DbscanOptions options;
    options.eps = eps;
    options.minSamples = minSamples;
    options.weights = weights;
    const auto rows = static_cast<std::int64_t>(values.size()) / columns;
    const auto out = dbscan({values, rows, columns}, options, team);
    return out ? *out : Clustering{};
}

std::vector<int> corePoints(const Clustering& clustering)
{
    std::vector<int> out;
    for (std::size_t i = 0; i < clustering.core.size(); ++i) {
        if (clustering.core[i])
            out.push_back(static_cast<int>(i));
    }
    return out;
}

// DBSCAN as it is told: visit points in order, grow a cluster from each unvisited core point.
std::vector<int> byTheBook(const std::vector<double>& values, std::int64_t columns, double eps, std::size_t minSamples)
{
    const std::size_t rows = values.size() / static_cast<std::size_t>(columns);
    std::vector<std::vector<std::size_t>> near(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < rows; ++j) {
            double squares = 0;
            for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c)
                squares += std::pow(values[i * static_cast<std::size_t>(columns) + c] -
                                        values[j * static_cast<std::size_t>(columns) + c],
                                    2);
            if (squares <= eps * eps)
                near[i].push_back(j);
        }
    }
    std::vector<int> labels(rows, -1);
    int label = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (labels[i] >= 0 || near[i].size() < minSamples)
            continue;
        std::vector<std::size_t> open = {i};
        labels[i] = label;
        while (!open.empty()) {
            const std::size_t point = open.back();
            open.pop_back();
            for (const std::size_t other : near[point]) {
                if (near[point].size() >= minSamples && labels[other] < 0) {
                    labels[other] = label;
                    open.push_back(other);
                }
            }
        }
        ++label;
    }
    return labels;
}

NumericTable irisTable()
{
    NumericTableOptions options;
    options.labelsColumn = "label";
    auto table = readNumericTable(PEAKSCOPE_SOURCE_DIR "/tests/core/data/iris.csv", options);
    return table ? *table : NumericTable{};
}

} // namespace

class TestDbscan : public QObject
{
    Q_OBJECT
private slots:
    void line_data();
    void line();
    void plane();
    void theRadiusIsInside();
    void weights_data();
    void weights();
    void likeTheBook_data();
    void likeTheBook();
    void iris_data();
    void iris();
    void unusable();
    void kDistancesOfALine();
    void kDistancesLikeSorting();
    void suggestedRadius();
    void silhouetteVectors_data();
    void silhouetteVectors();
    void silhouetteNeedsTwoLabels();
    void silhouetteOfIris();
    void sampledSilhouetteIsNear();
    void adjustedRand();
    void trustworthinessVectors();
    void trustworthinessOfShuffledPoints();
};

void TestDbscan::line_data()
{
    QTest::addColumn<int>("minSamples");
    QTest::addColumn<Ints>("core");
    QTest::addColumn<Ints>("labels");
    QTest::newRow("1") << 1 << Ints{0, 1, 2, 3, 4, 5, 6} << Ints{0, 1, 1, 1, 2, 3, 4};
    QTest::newRow("2") << 2 << Ints{1, 2, 3} << Ints{-1, 0, 0, 0, -1, -1, -1};
    QTest::newRow("3") << 3 << Ints{2} << Ints{-1, 0, 0, 0, -1, -1, -1};
    QTest::newRow("4") << 4 << Ints{} << Ints{-1, -1, -1, -1, -1, -1, -1};
}

void TestDbscan::line()
{
    QFETCH(int, minSamples);
    QFETCH(Ints, core);
    QFETCH(Ints, labels);
    const Clustering out = cluster({0, 2, 3, 4, 6, 8, 10}, 1, 1, minSamples);
    QCOMPARE(corePoints(out), ints(core));
    QCOMPARE(out.labels, ints(labels));
    QCOMPARE(out.clusters, 1 + *std::max_element(out.labels.begin(), out.labels.end()));
    QCOMPARE(out.noise, static_cast<std::int64_t>(std::count(out.labels.begin(), out.labels.end(), -1)));
}

void TestDbscan::plane()
{
    const Clustering out = cluster({1, 2, 2, 2, 2, 3, 8, 7, 8, 8, 25, 80}, 2, 3, 2);
    QCOMPARE(out.labels, (std::vector<int>{0, 0, 0, 1, 1, -1}));
    QCOMPARE(out.clusters, 2);
    QCOMPARE(out.noise, std::int64_t(1));
}

void TestDbscan::theRadiusIsInside()
{
    QVERIFY(cluster({0, 1, 1}, 1, 1, 2).core[0]);
    QVERIFY(!cluster({0, 1, 1}, 1, 0.99, 2).core[0]);
}

void TestDbscan::weights_data()
{
    QTest::addColumn<Doubles>("weights");
    QTest::addColumn<double>("eps");
    QTest::addColumn<Ints>("core");
    QTest::newRow("5 5") << Doubles{5, 5} << 0.5 << Ints{};
    QTest::newRow("6 5") << Doubles{6, 5} << 0.5 << Ints{0};
    QTest::newRow("6 6") << Doubles{6, 6} << 0.5 << Ints{0, 1};
    QTest::newRow("5 1 together") << Doubles{5, 1} << 1.5 << Ints{0, 1};
    QTest::newRow("5 0 together") << Doubles{5, 0} << 1.5 << Ints{};
    QTest::newRow("5.9 0.1 together") << Doubles{5.9, 0.1} << 1.5 << Ints{0, 1};
    QTest::newRow("a negative one") << Doubles{6, -1} << 1.5 << Ints{};
    QTest::newRow("a negative one apart") << Doubles{6, -1} << 0.5 << Ints{0};
}

void TestDbscan::weights()
{
    QFETCH(Doubles, weights);
    QFETCH(double, eps);
    QFETCH(Ints, core);
    const std::vector<double> weight(weights.begin(), weights.end());
    QCOMPARE(corePoints(cluster({0, 1}, 1, eps, 6, weight)), ints(core));
    // The same in four dimensions, where no grid is used.
    QCOMPARE(corePoints(cluster({0, 0, 0, 0, 1, 0, 0, 0}, 4, eps, 6, weight)), ints(core));
}

void TestDbscan::likeTheBook_data()
{
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("eps");
    QTest::addColumn<int>("minSamples");
    QTest::newRow("1 column") << 1 << 0.02 << 4;
    QTest::newRow("2 columns, small radius") << 2 << 0.15 << 5;
    QTest::newRow("2 columns, few to a core") << 2 << 0.2 << 3;
    QTest::newRow("2 columns, all in one") << 2 << 20.0 << 5;
    QTest::newRow("3 columns") << 3 << 0.4 << 5;
    QTest::newRow("4 columns") << 4 << 0.7 << 5;
}

void TestDbscan::likeTheBook()
{
    QFETCH(int, columns);
    QFETCH(double, eps);
    QFETCH(int, minSamples);
    RandomStream random(3);
    std::vector<double> values;
    for (int i = 0; i < 500 * columns; ++i)
        values.push_back(random.normal() + 0.25 * static_cast<double>(random.below(3)));
    const std::vector<int> right = byTheBook(values, columns, eps, static_cast<std::size_t>(minSamples));
    QVERIFY(*std::max_element(right.begin(), right.end()) >= 0);
    QCOMPARE(cluster(values, columns, eps, minSamples).labels, right);
}

void TestDbscan::iris_data()
{
    QTest::addColumn<double>("eps");
    QTest::addColumn<int>("minSamples");
    QTest::addColumn<int>("core");
    QTest::addColumn<Ints>("sizes"); // of noise, then of the clusters
    QTest::addColumn<double>("withNoise");
    QTest::addColumn<double>("withoutNoise");
    QTest::newRow("0.5, 5") << 0.5 << 5 << 117 << Ints{17, 49, 84} << 0.486034197 << 0.735356475;
    QTest::newRow("0.8, 10") << 0.8 << 10 << 134 << Ints{5, 50, 95} << 0.533914244 << 0.700822555;
    QTest::newRow("0.4, 4") << 0.4 << 4 << 104 << Ints{25, 47, 38, 36, 4} << 0.325255481 << 0.481156908;
}

void TestDbscan::iris()
{
    QFETCH(double, eps);
    QFETCH(int, minSamples);
    QFETCH(int, core);
    QFETCH(Ints, sizes);
    QFETCH(double, withNoise);
    QFETCH(double, withoutNoise);
    const NumericTable table = irisTable();
    QCOMPARE(table.rows, std::int64_t(150));
    const Clustering out = cluster(table.values, 4, eps, minSamples);
    QCOMPARE(static_cast<int>(corePoints(out).size()), core);
    for (int label = -1; label + 1 < sizes.size(); ++label)
        QCOMPARE(static_cast<int>(std::count(out.labels.begin(), out.labels.end(), label)), sizes[label + 1]);
    ThreadTeam team(2);
    const PointTable points{table.values, table.rows, 4};
    QVERIFY(std::abs(silhouette(points, out.labels, NoisePoints::AsCluster, team)->mean - withNoise) < 1e-9);
    QVERIFY(std::abs(silhouette(points, out.labels, NoisePoints::LeftOut, team)->mean - withoutNoise) < 1e-9);
}

void TestDbscan::unusable()
{
    ThreadTeam team(1);
    const std::vector<double> values = {1, 2, 3}, oneWeight = {1};
    DbscanOptions options;
    options.eps = 0;
    QVERIFY(!dbscan({values, 3, 1}, options, team).ok());
    options.eps = NAN;
    QVERIFY(!dbscan({values, 3, 1}, options, team).ok());
    options.eps = 1;
    options.weights = oneWeight;
    QVERIFY(!dbscan({values, 3, 1}, options, team).ok());
    options.weights = {};
    options.minSamples = 0;
    QVERIFY(!dbscan({values, 3, 1}, options, team).ok());
    // A radius far too small for the grid still works.
    QCOMPARE(cluster({0, 1e300, 1e300}, 1, 1e-300, 2).labels, (std::vector<int>{-1, 0, 0}));
}

void TestDbscan::kDistancesOfALine()
{
    ThreadTeam team(2);
    std::vector<double> values;
    for (int i = 0; i < 100; ++i)
        values.push_back(i);
    const auto third = kDistances({values, 100, 1}, 3, team);
    QVERIFY(third.ok());
    QCOMPARE(std::count(third->begin(), third->end(), 1.0), std::ptrdiff_t(98)); // the ends have theirs on one side
    QCOMPARE(std::count(third->begin(), third->end(), 2.0), std::ptrdiff_t(2));
    QCOMPARE(kDistances({values, 100, 1}, 1, team)->back(), 0.0);
    QVERIFY(!kDistances({values, 100, 1}, 0, team).ok());
    QVERIFY(!kDistances({values, 100, 1}, 101, team).ok());
}

void TestDbscan::kDistancesLikeSorting()
{
    RandomStream random(8);
    std::vector<double> values;
    for (int i = 0; i < 2 * 400; ++i)
        values.push_back(random.below(40)); // with many equal places
    std::vector<double> right;
    for (std::size_t i = 0; i < 400; ++i) {
        std::vector<double> all;
        for (std::size_t j = 0; j < 400; ++j)
            all.push_back(std::hypot(values[2 * i] - values[2 * j], values[2 * i + 1] - values[2 * j + 1]));
        std::sort(all.begin(), all.end());
        right.push_back(all[6]);
    }
    std::sort(right.begin(), right.end());
    ThreadTeam team(3);
    const auto got = kDistances({values, 400, 2}, 7, team);
    for (std::size_t i = 0; i < 400; ++i)
        QVERIFY(std::abs((*got)[i] - right[i]) < 1e-12);
}

void TestDbscan::suggestedRadius()
{
    std::vector<double> distances;
    for (int i = 1; i <= 100; ++i)
        distances.push_back(i);
    QCOMPARE(suggestedEps(distances), 190.0);
    const std::vector<double> mostlyZero = {0, 0, 0, 0, 0, 0, 0, 0, 0, 3};
    QCOMPARE(suggestedEps(mostlyZero), 6.0);
    const std::vector<double> zero(10, 0.0);
    QCOMPARE(suggestedEps(zero), 0.5);
    QCOMPARE(suggestedEps({}), 0.5);
}

void TestDbscan::silhouetteVectors_data()
{
    QTest::addColumn<Doubles>("values");
    QTest::addColumn<Ints>("labels");
    QTest::addColumn<Doubles>("right");
    QTest::newRow("singletons score 0") << Doubles{0, 1, 1, 2, 3, 3} << Ints{0, 1, 1, 1, 2, 2}
                                        << Doubles{0, .5, .5, 0, 1, 1};
    QTest::newRow("two far pairs") << Doubles{0, 1, 100, 101} << Ints{0, 0, 1, 1}
                                   << Doubles{1 - 1 / 100.5, 1 - 1 / 99.5, 1 - 1 / 99.5, 1 - 1 / 100.5};
    QTest::newRow("all in one place") << Doubles{4, 4, 4, 4} << Ints{0, 0, 1, 1} << Doubles{0, 0, 0, 0};
}

void TestDbscan::silhouetteVectors()
{
    QFETCH(Doubles, values);
    QFETCH(Ints, labels);
    QFETCH(Doubles, right);
    const std::vector<double> points(values.begin(), values.end());
    ThreadTeam team(2);
    const auto score =
        silhouette({points, static_cast<std::int64_t>(points.size()), 1}, ints(labels), NoisePoints::AsCluster, team);
    QVERIFY(score.ok());
    double mean = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(std::abs(score->values[i] - right[static_cast<int>(i)]) < 1e-12);
        mean += right[static_cast<int>(i)] / static_cast<double>(points.size());
    }
    QVERIFY(std::abs(score->mean - mean) < 1e-12);
}

void TestDbscan::silhouetteNeedsTwoLabels()
{
    const std::vector<double> values = {1, 2, 3};
    ThreadTeam team(1);
    for (const std::vector<int>& labels : {std::vector<int>{0, 0, 0}, {0, 1, 2}, {0, 0, -1}}) {
        const auto score = silhouette({values, 3, 1}, labels, NoisePoints::LeftOut, team);
        QVERIFY(!score.ok());
        const bool two = labels.back() == -1;
        QVERIFY(QString::fromStdString(score.error().message)
                    .contains(two ? "three points or more in clusters; there are 2" : "must be 2 to"));
    }
    QVERIFY(silhouette({values, 3, 1}, std::vector<int>{0, 0, -1}, NoisePoints::AsCluster, team).ok());
    const auto none = silhouette({values, 3, 1}, std::vector<int>{-1, -1, -1}, NoisePoints::LeftOut, team);
    QCOMPARE(none.error().message, std::string("it needs three points or more in clusters; there are none"));
}

void TestDbscan::silhouetteOfIris()
{
    const NumericTable table = irisTable();
    QCOMPARE(table.rows, std::int64_t(150));
    ThreadTeam team(2);
    const double mean = silhouette({table.values, 150, 4}, table.labels, NoisePoints::AsCluster, team)->mean;
    QVERIFY2(std::abs(mean - 0.503477440693) < 1e-9, qPrintable(QString::number(mean, 'g', 12)));
}

void TestDbscan::sampledSilhouetteIsNear()
{
    RandomStream random(2);
    std::vector<double> values;
    std::vector<int> labels;
    for (int i = 0; i < 4000; ++i) {
        labels.push_back(i % 4);
        values.push_back(3 * (i % 4) + random.normal());
    }
    ThreadTeam team(2);
    const PointTable points{values, 4000, 1};
    const auto all = silhouette(points, labels, NoisePoints::AsCluster, team);
    const auto some = silhouette(points, labels, NoisePoints::AsCluster, team, 1000);
    QVERIFY(!all->sampled && some->sampled);
    QCOMPARE(some->values.size(), std::size_t(1000));
    QVERIFY(std::abs(all->mean - some->mean) < 0.03);
    for (std::size_t i = 0; i < 1000; ++i)
        QCOMPARE(some->values[i], all->values[static_cast<std::size_t>(some->points[i])]);
}

void TestDbscan::adjustedRand()
{
    const auto ari = [](const std::vector<int>& a, const std::vector<int>& b) { return adjustedRandIndex(a, b); };
    QCOMPARE(ari({0, 0, 1, 1}, {1, 1, 0, 0}), 1.0);
    QVERIFY(std::abs(ari({0, 0, 1, 2}, {0, 0, 1, 1}) - 4.0 / 7) < 1e-12);
    QVERIFY(std::abs(ari({0, 0, 1, 1}, {0, 1, 0, 1}) + 0.5) < 1e-12);
    QCOMPARE(ari({0, 0, 0}, {5, 5, 5}), 1.0);
    QCOMPARE(ari({0, 1, 2}, {7, 8, 9}), 1.0);
}

void TestDbscan::trustworthinessVectors()
{
    ThreadTeam team(2);
    const FeatureRows line = prepareFeatures(std::vector<double>{0, 1, 2, 3, 4}, 5, 1, Metric::Euclidean);
    const std::vector<float> bent = {0, 2, 4, 1, 3}, stretched = {5, 7, 9, 11, 13};
    QVERIFY(std::abs(trustworthiness(line, bent, 1, 1, team)->value - 0.2) < 1e-12);
    QCOMPARE(trustworthiness(line, stretched, 1, 2, team)->value, 1.0);
    QVERIFY(!trustworthiness(line, bent, 1, 3, team).ok()); // k must be below n / 2
    QVERIFY(!trustworthiness(line, bent, 1, 0, team).ok());
    QVERIFY(!trustworthiness(line, {bent.data(), 4}, 1, 1, team).ok());
}

void TestDbscan::trustworthinessOfShuffledPoints()
{
    RandomStream random(4);
    std::vector<double> values;
    std::vector<float> shuffled;
    for (int i = 0; i < 100; ++i) {
        values.push_back(i);
        shuffled.push_back(static_cast<float>(random.uniform()));
    }
    ThreadTeam team(2);
    const FeatureRows features = prepareFeatures(values, 100, 1, Metric::Euclidean);
    QVERIFY(trustworthiness(features, shuffled, 1, 10, team)->value < 0.6);
    const auto sampled = trustworthiness(features, shuffled, 1, 10, team, 50);
    QVERIFY(sampled->sampled);
    QCOMPARE(sampled->points, std::int64_t(50));
    QVERIFY(std::abs(sampled->value - trustworthiness(features, shuffled, 1, 10, team)->value) < 0.1);
}

PEAKSCOPE_GUILESS_TEST(TestDbscan)
#include "test_dbscan.moc"
