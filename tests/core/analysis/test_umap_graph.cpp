// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of UMAP against closed forms and against what umap-learn 0.5.3 computed from the same neighbours.
#include "core/analysis/embedding/eigen_subspace.h"
#include "core/analysis/embedding/fuzzy_graph.h"
#include "core/analysis/embedding/start_layout.h"
#include "core/analysis/neighbors/neighbors.h"
#include "core/analysis/neighbors/random_stream.h"
#include "tests/test_room.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace peakscope;

namespace {

// Numbers of a CSV file; empty where it is absent.
std::vector<std::vector<double>> readNumbers(const QString& name, bool header)
{
    QFile file(name);
    std::vector<std::vector<double>> rows;
    if (!file.open(QIODevice::ReadOnly))
        return rows;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.isEmpty())
            continue;
        if (header) {
            header = false;
            continue;
        }
        rows.emplace_back();
        for (const QByteArray& field : line.split(','))
            rows.back().push_back(field.toDouble());
    }
    return rows;
}

FeatureRows featuresOf(const std::vector<std::vector<double>>& rows, std::size_t columns, Metric metric)
{
    std::vector<double> values;
    for (const auto& row : rows)
        values.insert(values.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(columns));
    return prepareFeatures(values, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns), metric);
}

std::vector<std::vector<double>> randomRows(int rows, int columns, std::uint64_t seed)
{
    RandomStream random(seed);
    std::vector<std::vector<double>> out(static_cast<std::size_t>(rows));
    for (auto& row : out) {
        for (int i = 0; i < columns; ++i)
            row.push_back(random.normal());
    }
    return out;
}

// The search finds what was stored; ties may stand in another order.
void checkOwnNeighbours(const FeatureRows& features, const NeighborTable& stored, ThreadTeam& team)
{
    const auto found = findNeighbors(features, stored.neighbors, NeighborSearch::Exact, 0, team);
    QVERIFY(found.ok());
    for (std::size_t i = 0; i < stored.distance.size(); ++i)
        QVERIFY(std::abs(found->distance[i] - stored.distance[i]) < 1e-6f * std::max(1.0f, stored.distance[i]));
}

// Straight from the definitions.
double distanceOf(Metric metric, const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0, size = 0, largest = 0, ab = 0, aa = 0, bb = 0, meanA = 0, meanB = 0;
    const auto n = static_cast<double>(a.size());
    for (std::size_t i = 0; metric == Metric::Correlation && i < a.size(); ++i) {
        meanA += a[i] / n;
        meanB += b[i] / n;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::abs(a[i] - b[i]), x = a[i] - meanA, y = b[i] - meanB;
        if (metric == Metric::Euclidean)
            sum += d * d;
        else if (metric == Metric::Canberra)
            sum += std::abs(a[i]) + std::abs(b[i]) > 0 ? d / (std::abs(a[i]) + std::abs(b[i])) : 0;
        else
            sum += d;
        size += std::abs(a[i] + b[i]);
        largest = std::max(largest, d);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    switch (metric) {
    case Metric::Euclidean:
        return std::sqrt(sum);
    case Metric::Chebyshev:
        return largest;
    case Metric::BrayCurtis:
        return sum / size;
    case Metric::Cosine:
    case Metric::Correlation:
        return 1 - ab / std::sqrt(aa * bb);
    default:
        return sum;
    }
}

} // namespace

class TestUmapGraph : public QObject
{
    Q_OBJECT
private slots:
    void curve_data();
    void curve();
    void curveOfLargeSpread();
    void graphOfStoredNeighbours_data();
    void graphOfStoredNeighbours();
    void membershipsSumToTheirTarget();
    void mixRatio();
    void partsOfAGraph();
    void distances_data();
    void distances();
    void zeroRows();
    void nearlyParallelRows_data();
    void nearlyParallelRows();
    void rowsThatDifferByRounding();
    void exactNeighboursAreNearest();
    void approximateNeighboursAreMostlyNearest_data();
    void approximateNeighboursAreMostlyNearest();
    void duplicatesKeepThemselvesFirst();
    void eigenpairsOfAPath();
    void spectralStartOfARing();
    void startThatCannotBeSpectral();
    void principalComponentsOfALine();
};

void TestUmapGraph::curve_data()
{
    QTest::addColumn<double>("spread");
    QTest::addColumn<double>("minDist");
    QTest::addColumn<double>("a");
    QTest::addColumn<double>("b");
    QTest::newRow("defaults") << 1.0 << 0.1 << 1.576944 << 0.895061;
    QTest::newRow("0.05") << 1.0 << 0.05 << 1.750225 << 0.842055;
    QTest::newRow("0.01") << 1.0 << 0.01 << 1.895606 << 0.800638;
    QTest::newRow("0.001") << 1.0 << 0.001 << 1.929074 << 0.791504;
    QTest::newRow("spread 2") << 2.0 << 0.1 << 0.544661 << 0.842055;
    QTest::newRow("0.5") << 1.0 << 0.5 << 0.583030 << 1.334167;
    QTest::newRow("0") << 1.0 << 0.0 << 1.932809 << 0.790495;
}

void TestUmapGraph::curve()
{
    QFETCH(double, spread);
    QFETCH(double, minDist);
    QFETCH(double, a);
    QFETCH(double, b);
    const CurveFit fit = fitCurve(spread, minDist);
    QVERIFY2(std::abs(fit.a - a) < 2e-6, qPrintable(QString::number(fit.a, 'g', 10)));
    QVERIFY2(std::abs(fit.b - b) < 2e-6, qPrintable(QString::number(fit.b, 'g', 10)));
}

void TestUmapGraph::curveOfLargeSpread()
{
    const CurveFit fit = fitCurve(200, 1);
    QVERIFY(std::abs(fit.a - 0.0004176367) < 1e-6);
    QVERIFY(std::abs(fit.b - 0.7955526861) < 1e-4);
}

void TestUmapGraph::graphOfStoredNeighbours_data()
{
    // make_iris_references.py in tests/core/data says how the first were made.
    const QString own = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/iris");
    const QString shared = QStringLiteral(PEAKSCOPE_SHARED_DIR "/");
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("stored");
    QTest::newRow("iris") << own + ".csv" << own;
    QTest::newRow("digits") << shared + "data/digits.csv" << shared + "cases/umap/digits";
}

void TestUmapGraph::graphOfStoredNeighbours()
{
    QFETCH(QString, table);
    QFETCH(QString, stored);
    if (!QFile::exists(table) && table.startsWith(QStringLiteral(PEAKSCOPE_SHARED_DIR)))
        QSKIP("needs the shared folder's data and cases/umap");
    const auto rows = readNumbers(table, true);
    const auto neighbours = readNumbers(stored + "_neighbors.csv", false);
    const auto scales = readNumbers(stored + "_sigma_rho.csv", true);
    const auto edges = readNumbers(stored + "_graph.csv", true);
    QVERIFY(!rows.empty() && !edges.empty());
    QCOMPARE(neighbours.size(), rows.size());
    QCOMPARE(scales.size(), rows.size());
    const FeatureRows features = featuresOf(rows, rows[0].size() - 1, Metric::Euclidean);
    NeighborTable nearest;
    nearest.rows = features.rows;
    nearest.neighbors = static_cast<int>(neighbours[0].size());
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        for (const double j : neighbours[i]) {
            nearest.index.push_back(static_cast<std::int32_t>(j));
            nearest.distance.push_back(static_cast<float>(
                featureDistance(features, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j))));
        }
    }
    ThreadTeam team(2);
    checkOwnNeighbours(features, nearest, team);
    const LocalScale scale = localScale(nearest, 1, team);
    for (std::size_t i = 0; i < scales.size(); ++i) {
        QVERIFY(std::abs(scale.sigma[i] - scales[i][0]) < 1e-5);
        QVERIFY(std::abs(scale.rho[i] - scales[i][1]) < 1e-5);
    }
    const SparseGraph graph = fuzzyGraph(nearest, scale, 1, team);
    QCOMPARE(graph.edges(), static_cast<std::int64_t>(2 * edges.size()));
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto k = static_cast<std::size_t>(graph.begin[i]); k < static_cast<std::size_t>(graph.begin[i + 1]); ++k) {
            if (graph.target[k] < static_cast<std::int32_t>(i))
                continue;
            QCOMPARE(static_cast<double>(i), edges[at][0]);
            QCOMPARE(static_cast<double>(graph.target[k]), edges[at][1]);
            QVERIFY(std::abs(graph.weight[k] - edges[at][2]) < 1e-5);
            ++at;
        }
    }
}

void TestUmapGraph::membershipsSumToTheirTarget()
{
    const FeatureRows features = featuresOf(randomRows(200, 5, 3), 5, Metric::Euclidean);
    ThreadTeam team;
    const auto table = findNeighbors(features, 10, NeighborSearch::Exact, 0, team);
    for (const double connectivity : {1.0, 1.75}) {
        const LocalScale scale = localScale(*table, connectivity, team);
        for (std::int64_t row = 0; row < 200; ++row) {
            const auto distance = table->distanceOf(row);
            double sum = 0;
            for (std::size_t j = 1; j < distance.size(); ++j)
                sum += std::exp(-std::max(0.0f, distance[j] - scale.rho[static_cast<std::size_t>(row)]) /
                                scale.sigma[static_cast<std::size_t>(row)]);
            QVERIFY(std::abs(sum - std::log2(10.0)) < 1e-3);
        }
    }
}

void TestUmapGraph::mixRatio()
{
    // Two rows that list each other and a third that is listed by one only.
    NeighborTable table;
    table.rows = 3;
    table.neighbors = 2;
    table.index = {0, 1, 1, 0, 2, 0};
    table.distance = {0, 1, 0, 2, 0, 3};
    LocalScale scale;
    scale.sigma = {1, 1, 1};
    scale.rho = {0, 0, 0};
    ThreadTeam team(1);
    const double a = std::exp(-1.0), b = std::exp(-2.0), c = std::exp(-3.0);
    const SparseGraph both = fuzzyGraph(table, scale, 1, team);
    QCOMPARE(both.edges(), std::int64_t(4));
    QVERIFY(std::abs(both.weight[0] - (a + b - a * b)) < 1e-6);
    QVERIFY(std::abs(both.weight[1] - c) < 1e-6);
    const SparseGraph half = fuzzyGraph(table, scale, 0.25, team);
    QVERIFY(std::abs(half.weight[0] - (0.25 * (a + b - a * b) + 0.75 * a * b)) < 1e-6);
    const SparseGraph common = fuzzyGraph(table, scale, 0, team);
    QCOMPARE(common.edges(), std::int64_t(2)); // c is in one direction only
    QVERIFY(std::abs(common.weight[0] - a * b) < 1e-6);
}

void TestUmapGraph::partsOfAGraph()
{
    SparseGraph graph;
    graph.rows = 5;
    graph.begin = {0, 1, 2, 3, 4, 4};
    graph.target = {2, 3, 0, 1};
    graph.weight = {1, 0.001f, 1, 0.001f};
    const GraphParts parts = connectedParts(graph);
    QCOMPARE(parts.count, 3);
    QVERIFY((parts.of == std::vector<std::int32_t>{0, 1, 0, 1, 2}));
    const SparseGraph pruned = pruneGraph(graph, 100);
    QCOMPARE(pruned.edges(), std::int64_t(2));
    QCOMPARE(connectedParts(pruned).count, 4);
    QCOMPARE(pruneGraph(graph, 1000).edges(), std::int64_t(4));
}

void TestUmapGraph::distances_data()
{
    QTest::addColumn<int>("metric");
    for (const Metric metric : {Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Cosine,
                                Metric::Correlation, Metric::Canberra, Metric::BrayCurtis})
        QTest::newRow(std::string(name(metric)).c_str()) << int(metric);
}

void TestUmapGraph::distances()
{
    QFETCH(int, metric);
    for (const int columns : {2, 16, 37}) {
        const auto rows = randomRows(40, columns, 9);
        const FeatureRows features = featuresOf(rows, static_cast<std::size_t>(columns), static_cast<Metric>(metric));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < rows.size(); ++j) {
                const double right = i == j ? 0 : distanceOf(static_cast<Metric>(metric), rows[i], rows[j]);
                const double got =
                    featureDistance(features, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
                QVERIFY2(std::abs(got - right) < 2e-6 * std::max(1.0, right),
                         qPrintable(QString("%1 instead of %2").arg(got).arg(right)));
            }
        }
    }
}

void TestUmapGraph::zeroRows()
{
    const FeatureRows features = featuresOf({{0, 0}, {0, 0}, {3, 4}, {6, 8}}, 2, Metric::Cosine);
    QCOMPARE(featureDistance(features, 0, 1), 0.0);
    QCOMPARE(featureDistance(features, 0, 2), 1.0);
    QVERIFY(featureDistance(features, 2, 3) < 1e-7);
}

void TestUmapGraph::nearlyParallelRows_data()
{
    QTest::addColumn<int>("metric");
    QTest::addColumn<double>("offset");
    for (const Metric metric : {Metric::Cosine, Metric::Correlation}) {
        for (const double offset : {1e3, 1e6})
            QTest::addRow("%s around %g", std::string(name(metric)).c_str(), offset) << int(metric) << offset;
    }
}

// 1 - cos of these is smaller than what rounding leaves of 1; a row of zeros among them changes nothing.
void TestUmapGraph::nearlyParallelRows()
{
    QFETCH(int, metric);
    QFETCH(double, offset);
    auto rows = randomRows(30, 6, 3);
    for (auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] += offset * (metric == int(Metric::Correlation) ? 1 + static_cast<double>(i) : 1);
    }
    rows.push_back(std::vector<double>(6, 0.0));
    const FeatureRows features = featuresOf(rows, 6, static_cast<Metric>(metric));
    QVERIFY(!features.drowned && !features.fromMean);
    QCOMPARE(features.zeroRows, std::vector<std::int64_t>{30});
    const auto unit = [metric](const std::vector<double>& row) {
        std::vector<long double> out(row.begin(), row.end());
        long double mean = 0, square = 0;
        for (const long double value : out)
            mean += metric == int(Metric::Correlation) ? value / static_cast<long double>(out.size()) : 0;
        for (long double& value : out) {
            value -= mean;
            square += value * value;
        }
        for (long double& value : out)
            value /= std::sqrt(square);
        return out;
    };
    for (std::size_t i = 0; i < 30; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            long double right = 0;
            const auto a = unit(rows[i]), b = unit(rows[j]);
            for (std::size_t k = 0; k < a.size(); ++k)
                right += (a[k] - b[k]) * (a[k] - b[k]) / 2;
            const double got = featureDistance(features, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
            // What the numbers themselves are rounded to: an ulp of the offset against differences of about 1.
            const double bound = 1e-4 + 1e-15 * offset * 100;
            QVERIFY2(std::abs(got / static_cast<double>(right) - 1) < bound,
                     qPrintable(QString("%1 instead of %2").arg(got).arg(static_cast<double>(right))));
        }
        QVERIFY(std::abs(featureDistance(features, static_cast<std::int64_t>(i), 30) - 1) < 1e-6);
    }
}

void TestUmapGraph::rowsThatDifferByRounding()
{
    std::vector<std::vector<double>> rows(40, std::vector<double>{1e6, 1e6 + 7, 1e6 + 14});
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i][i % 3] += static_cast<double>(i % 5) * std::ldexp(1.0, -33); // an ulp of 1e6
    for (const Metric metric : {Metric::Euclidean, Metric::Cosine, Metric::Correlation})
        QVERIFY2(featuresOf(rows, 3, metric).drowned, std::string(name(metric)).c_str());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i][i % 3] += static_cast<double>(i % 5);
    for (const Metric metric : {Metric::Euclidean, Metric::Cosine, Metric::Correlation})
        QVERIFY2(!featuresOf(rows, 3, metric).drowned, std::string(name(metric)).c_str());
    // Beyond single precision directions are taken from the mean: of these they are two, opposite to each other.
    std::vector<std::vector<double>> parallel;
    for (int i = 0; i < 40; ++i)
        parallel.push_back({1e9 + (i % 2), 1e9 + 7 - (i % 2), 1e9 + 14});
    const FeatureRows features = featuresOf(parallel, 3, Metric::Cosine);
    QVERIFY(features.fromMean && !features.drowned);
    QVERIFY(std::abs(featureDistance(features, 0, 1) - 2) < 1e-6);
    QVERIFY(featureDistance(features, 0, 2) < 1e-6);
    const std::vector<std::vector<double>> same(10, std::vector<double>{3, 1, 4});
    QVERIFY(!featuresOf(same, 3, Metric::Cosine).drowned); // equal is no noise
}

void TestUmapGraph::exactNeighboursAreNearest()
{
    for (const Metric metric : {Metric::Euclidean, Metric::Chebyshev, Metric::BrayCurtis}) {
        const auto rows = randomRows(130, 7, 4);
        const FeatureRows features = featuresOf(rows, 7, metric);
        ThreadTeam team(3);
        const auto table = findNeighbors(features, 12, NeighborSearch::Exact, 0, team);
        QVERIFY(table.ok());
        for (std::int64_t i = 0; i < 130; ++i) {
            std::vector<std::pair<double, std::int32_t>> all;
            for (std::int32_t j = 0; j < 130; ++j)
                all.emplace_back(
                    j == i ? -1
                           : distanceOf(metric, rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]),
                    j);
            std::sort(all.begin(), all.end());
            for (std::size_t j = 0; j < 12; ++j)
                QCOMPARE(table->indexOf(i)[j], all[j].second);
        }
    }
}

void TestUmapGraph::approximateNeighboursAreMostlyNearest_data()
{
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("recall");
    QTest::newRow("8 columns") << 8 << 0.99;
    QTest::newRow("30 columns without structure") << 30 << 0.9;
}

void TestUmapGraph::approximateNeighboursAreMostlyNearest()
{
    QFETCH(int, columns);
    QFETCH(double, recall);
    const FeatureRows features =
        featuresOf(randomRows(6000, columns, 8), static_cast<std::size_t>(columns), Metric::Euclidean);
    ThreadTeam team;
    const auto exact = findNeighbors(features, 15, NeighborSearch::Exact, 1, team);
    const auto approximate = findNeighbors(features, 15, NeighborSearch::Approximate, 1, team);
    QVERIFY(exact->exact && !approximate->exact);
    int found = 0;
    for (std::int64_t row = 0; row < 6000; ++row) {
        QCOMPARE(approximate->indexOf(row)[0], static_cast<std::int32_t>(row));
        const std::set<std::int32_t> right(exact->indexOf(row).begin(), exact->indexOf(row).end());
        const std::set<std::int32_t> got(approximate->indexOf(row).begin(), approximate->indexOf(row).end());
        QCOMPARE(got.size(), std::size_t(15));
        QVERIFY(std::is_sorted(approximate->distanceOf(row).begin(), approximate->distanceOf(row).end()));
        found +=
            static_cast<int>(std::count_if(got.begin(), got.end(), [&](std::int32_t j) { return right.count(j) > 0; }));
    }
    QVERIFY2(found >= recall * 6000 * 15, qPrintable(QString::number(found / 90000.0)));
}

void TestUmapGraph::duplicatesKeepThemselvesFirst()
{
    std::vector<std::vector<double>> rows(5000, {1, 2, 3});
    const FeatureRows features = featuresOf(rows, 3, Metric::Euclidean);
    ThreadTeam team;
    for (const NeighborSearch search : {NeighborSearch::Exact, NeighborSearch::Approximate}) {
        const auto table = findNeighbors(features, 15, search, 1, team);
        for (std::int64_t row = 0; row < 5000; ++row) {
            const auto index = table->indexOf(row);
            QCOMPARE(index[0], static_cast<std::int32_t>(row));
            QCOMPARE(std::set<std::int32_t>(index.begin(), index.end()).size(), std::size_t(15));
            QVERIFY(*std::min_element(index.begin(), index.end()) >= 0);
        }
    }
}

void TestUmapGraph::eigenpairsOfAPath()
{
    // The path's adjacency matrix has the eigenvalues 2 cos(pi k / (n + 1)).
    const std::int64_t size = 300;
    SubspaceProblem problem;
    problem.size = size;
    problem.lowest = -2;
    problem.apply = [&](const double* x, double* y, int block) {
        for (std::int64_t i = 0; i < size; ++i) {
            for (int j = 0; j < block; ++j)
                y[i * block + j] = (i > 0 ? x[(i - 1) * block + j] : 0) + (i + 1 < size ? x[(i + 1) * block + j] : 0);
        }
    };
    SubspaceOptions options;
    options.wanted = 3;
    options.block = 8;
    options.top = 2;
    options.mostRounds = 400;
    ThreadTeam team(2);
    const SubspaceResult result = largestEigenpairs(problem, options, team);
    QVERIFY(result.converged);
    for (std::size_t k = 0; k < 3; ++k) {
        const double right = 2 * std::cos(3.141592653589793 * static_cast<double>(k + 1) / (size + 1));
        QVERIFY2(std::abs(result.values[k] - right) < 1e-7, qPrintable(QString::number(result.values[k] - right)));
    }
    options.mostRounds = 2;
    const SubspaceResult given = largestEigenpairs(problem, options, team);
    QVERIFY(!given.converged);
    QCOMPARE(given.rounds, 2);
}

void TestUmapGraph::spectralStartOfARing()
{
    // The two leading eigenvectors of a ring lay it out as a circle.
    for (const std::int64_t rows : {std::int64_t(60), std::int64_t(900)}) {
        SparseGraph ring;
        ring.rows = rows;
        ring.begin.push_back(0);
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t before = (i + rows - 1) % rows, after = (i + 1) % rows;
            ring.target.push_back(static_cast<std::int32_t>(std::min(before, after)));
            ring.target.push_back(static_cast<std::int32_t>(std::max(before, after)));
            ring.weight.insert(ring.weight.end(), 2, 1.0f);
            ring.begin.push_back(2 * (i + 1));
        }
        FeatureRows features;
        features.rows = rows;
        ThreadTeam team(2);
        const StartLayout start = startLayout(features, ring, UmapStart::Spectral, 2, 1, team);
        QVERIFY(start.used == UmapStart::Spectral);
        QVERIFY2(start.note.empty(), start.note.c_str());
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
            const double x = start.coordinates[2 * i] - 5, y = start.coordinates[2 * i + 1] - 5;
            QVERIFY2(std::abs(std::hypot(x, y) - 5) < 0.2, qPrintable(QString("%1 %2").arg(x).arg(y)));
        }
    }
}

void TestUmapGraph::startThatCannotBeSpectral()
{
    SparseGraph pair;
    pair.rows = 2;
    pair.begin = {0, 1, 2};
    pair.target = {1, 0};
    pair.weight = {1, 1};
    const FeatureRows features = featuresOf({{0.0}, {1.0}}, 1, Metric::Euclidean);
    ThreadTeam team(1);
    const StartLayout start = startLayout(features, pair, UmapStart::Spectral, 2, 1, team);
    QVERIFY(start.used == UmapStart::Random);
    QVERIFY(!start.note.empty());
}

void TestUmapGraph::principalComponentsOfALine()
{
    // All variance is along (3, 4) / 5, in few columns (dense) and in many (iterated).
    for (const int columns : {2, 200}) {
        std::vector<std::vector<double>> rows;
        for (int i = 0; i < 50; ++i) {
            rows.emplace_back(static_cast<std::size_t>(columns), 0.0);
            rows.back()[0] = 3.0 * i;
            rows.back()[static_cast<std::size_t>(columns) - 1] = 4.0 * i;
        }
        ThreadTeam team(2);
        const auto components =
            principalComponents(featuresOf(rows, static_cast<std::size_t>(columns), Metric::Euclidean), 2, team);
        for (std::size_t i = 0; i < 50; ++i) {
            QVERIFY(std::abs(std::abs(components[2 * i]) - std::abs(5 * (static_cast<double>(i) - 24.5))) < 1e-4);
            QVERIFY(std::abs(components[2 * i + 1]) < 1e-3);
        }
    }
}

PEAKSCOPE_GUILESS_TEST(TestUmapGraph)
#include "test_umap_graph.moc"
