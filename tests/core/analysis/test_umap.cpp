// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// UMAP: its quality on known tables, the same bits for any number of threads, going on from any epoch, stopping, and
// tables that are hard to embed. Its parts are tested in test_umap_graph.
#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/embedding/embedding.h"
#include "core/analysis/embedding/umap.h"
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/statistics/numeric_table.h"
#include "tests/test_room.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

using namespace peakscope;

namespace {

struct Sample {
    std::vector<double> values;
    std::vector<int> labels;
    std::int64_t rows = 0, columns = 0;
};

// Gaussian clouds of unit width around centres that lie `apart` times as far out.
Sample clouds(std::int64_t rows, std::int64_t columns, int centres, double apart, std::uint64_t seed = 1)
{
    Sample out;
    out.rows = rows;
    out.columns = columns;
    RandomStream random(seed);
    std::vector<double> centre(static_cast<std::size_t>(centres * columns));
    for (double& value : centre)
        value = apart * random.normal();
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto label = static_cast<int>(random.below(static_cast<std::uint32_t>(centres)));
        out.labels.push_back(label);
        for (std::int64_t column = 0; column < columns; ++column)
            out.values.push_back(centre[static_cast<std::size_t>(label * columns + column)] + random.normal());
    }
    return out;
}

// Empty where there is no such file.
Sample tableOf(const char* path)
{
    NumericTableOptions options;
    options.labelsColumn = "label";
    auto table = readNumericTable(path, options);
    if (!table)
        return {};
    return {table->values, table->labels, table->rows, static_cast<std::int64_t>(table->columns.size())};
}

std::vector<float> embed(const Sample& sample, const UmapOptions& options)
{
    auto umap = Umap::create(sample.values, sample.rows, sample.columns, options);
    if (!umap || !umap->runTo(umap->epochs()))
        return {};
    return {umap->coordinates().begin(), umap->coordinates().end()};
}

bool allFinite(std::span<const float> values)
{
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

} // namespace

class TestUmap : public QObject
{
    Q_OBJECT
private slots:
    void irisIsTrustworthy();
    void irisIsAsGoodAsElsewhere();
    void digitsAreTrustworthy();
    void cloudsStayApart_data();
    void cloudsStayApart();
    void threadsDoNotMatter_data();
    void threadsDoNotMatter();
    void seedsMatter();
    void goesOnFromAnyEpoch();
    void stopsAndGoesOn();
    void stopsWhilePreparing();
    void oddTables_data();
    void oddTables();
    void fewRowsShrinkTheNeighbourhood();
    void optionsOutOfRange_data();
    void optionsOutOfRange();
    void wholePipeline();
    void groupsFarFromZero();
    void anyScale_data();
    void anyScale();
    void equalRows();
};

void TestUmap::irisIsTrustworthy()
{
    const Sample iris = tableOf(PEAKSCOPE_SOURCE_DIR "/tests/core/data/iris.csv");
    QCOMPARE(iris.rows, std::int64_t(150));
    ThreadTeam team(2);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        UmapOptions options;
        options.seed = seed;
        options.neighbors = 10;
        options.minDist = 0.01;
        options.threads = 2;
        auto umap = Umap::create(iris.values, iris.rows, iris.columns, options);
        QVERIFY(umap.ok());
        QVERIFY(umap->runTo(umap->epochs()).ok());
        const auto trust = trustworthiness(umap->features(), umap->coordinates(), 2, 10, team);
        QVERIFY(trust.ok());
        QVERIFY2(trust->value >= 0.97, qPrintable(QString("seed %1: %2").arg(seed).arg(trust->value)));
    }
}

// umap-learn 0.5.12 gives 0.9784 to 0.9798 by the seed (scikit-learn's trustworthiness of 15 neighbours).
void TestUmap::irisIsAsGoodAsElsewhere()
{
    const Sample iris = tableOf(PEAKSCOPE_SOURCE_DIR "/tests/core/data/iris.csv");
    ThreadTeam team(2);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        UmapOptions options;
        options.seed = seed;
        auto umap = Umap::create(iris.values, iris.rows, iris.columns, options);
        QVERIFY(umap.ok());
        QVERIFY(umap->runTo(umap->epochs()).ok());
        const auto trust = trustworthiness(umap->features(), umap->coordinates(), 2, 15, team);
        QVERIFY2(trust->value >= 0.97, qPrintable(QString("seed %1: %2").arg(seed).arg(trust->value)));
    }
}

void TestUmap::digitsAreTrustworthy()
{
    const Sample digits = tableOf(PEAKSCOPE_SHARED_DIR "/data/digits.csv");
    if (digits.rows == 0)
        QSKIP("needs the shared folder's data/digits.csv");
    auto umap = Umap::create(digits.values, digits.rows, digits.columns, {});
    QVERIFY(umap.ok());
    QCOMPARE(umap->epochs(), 500);
    QVERIFY(umap->runTo(500).ok());
    QVERIFY(umap->finished());
    ThreadTeam team;
    const auto at = [&](int k) { return trustworthiness(umap->features(), umap->coordinates(), 2, k, team)->value; };
    QVERIFY2(at(15) >= 0.984, qPrintable(QString::number(at(15))));
    QVERIFY2(at(5) >= 0.986, qPrintable(QString::number(at(5))));
    const std::vector<double> points(umap->coordinates().begin(), umap->coordinates().end());
    const auto score = silhouette({points, digits.rows, 2}, digits.labels, NoisePoints::AsCluster, team);
    QVERIFY2(score->mean >= 0.62, qPrintable(QString::number(score->mean)));
}

void TestUmap::cloudsStayApart_data()
{
    QTest::addColumn<QString>("metric");
    QTest::addColumn<QString>("start");
    QTest::addColumn<int>("dimensions");
    for (const char* metric :
         {"euclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis"})
        QTest::newRow(metric) << metric << "spectral" << 2;
    QTest::newRow("random start") << "euclidean"
                                  << "random" << 2;
    QTest::newRow("pca start") << "euclidean"
                               << "pca" << 2;
    QTest::newRow("one dimension") << "euclidean"
                                   << "spectral" << 1;
    QTest::newRow("three dimensions") << "euclidean"
                                      << "spectral" << 3;
    QTest::newRow("ten dimensions") << "euclidean"
                                    << "spectral" << 10;
}

void TestUmap::cloudsStayApart()
{
    QFETCH(QString, metric);
    QFETCH(QString, start);
    QFETCH(int, dimensions);
    const Sample sample = clouds(500, 10, 5, 8);
    UmapOptions options;
    options.metric = *metricFromName(metric.toStdString());
    options.start = *umapStartFromName(start.toStdString());
    options.dimensions = dimensions;
    options.epochs = 200;
    auto umap = Umap::create(sample.values, sample.rows, sample.columns, options);
    QVERIFY(umap.ok());
    QVERIFY(umap->runTo(200).ok());
    QCOMPARE(QString::fromUtf8(name(umap->summary().start).data()), start);
    QVERIFY(umap->summary().notes.empty());
    QVERIFY(allFinite(umap->coordinates()));
    // The nearest other point of every point is of its own cloud.
    std::vector<double> points(umap->coordinates().begin(), umap->coordinates().end());
    const FeatureRows embedded = prepareFeatures(points, sample.rows, dimensions, Metric::Euclidean);
    ThreadTeam team;
    const auto nearest = findNeighbors(embedded, 6, NeighborSearch::Exact, 0, team);
    int strangers = 0;
    for (std::int64_t row = 0; row < sample.rows; ++row) {
        for (const std::int32_t other : nearest->indexOf(row))
            strangers += sample.labels[static_cast<std::size_t>(row)] != sample.labels[static_cast<std::size_t>(other)];
    }
    // On a line whole clouds have to jump over each other.
    QVERIFY2(strangers <= (dimensions == 1 ? 75 : 15),
             qPrintable(QString("%1 of 2500 neighbours are of another cloud").arg(strangers)));
}

void TestUmap::threadsDoNotMatter_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("search");
    QTest::addColumn<int>("dimensions");
    QTest::newRow("exact neighbours") << 700 << 8 << int(NeighborSearch::Exact) << 2;
    QTest::newRow("approximate neighbours") << 3000 << 12 << int(NeighborSearch::Approximate) << 2;
    QTest::newRow("five dimensions") << 400 << 6 << int(NeighborSearch::Exact) << 5;
    QTest::newRow("more columns than a dense eigenproblem") << 300 << 130 << int(NeighborSearch::Exact) << 2;
}

void TestUmap::threadsDoNotMatter()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, search);
    QFETCH(int, dimensions);
    const Sample sample = clouds(rows, columns, 4, 1);
    for (const UmapStart start : {UmapStart::Spectral, UmapStart::Pca}) {
        std::vector<float> first;
        for (const int threads : {1, 2, 3, 8}) {
            UmapOptions options;
            options.threads = threads;
            options.epochs = 30;
            options.start = start;
            options.dimensions = dimensions;
            options.search = static_cast<NeighborSearch>(search);
            const std::vector<float> coordinates = embed(sample, options);
            QCOMPARE(coordinates.size(), static_cast<std::size_t>(rows * dimensions));
            if (first.empty())
                first = coordinates;
            QVERIFY2(coordinates == first, qPrintable(QString("%1 threads").arg(threads)));
        }
    }
}

void TestUmap::seedsMatter()
{
    const Sample sample = clouds(200, 5, 3, 3);
    UmapOptions options;
    options.epochs = 50;
    const std::vector<float> one = embed(sample, options);
    options.seed = 43;
    QVERIFY(one != embed(sample, options));
    options.seed = 42;
    QVERIFY(one == embed(sample, options));
}

void TestUmap::goesOnFromAnyEpoch()
{
    const Sample sample = clouds(300, 6, 3, 3);
    UmapOptions options;
    options.epochs = 60;
    const std::vector<float> whole = embed(sample, options);
    auto umap = Umap::create(sample.values, sample.rows, sample.columns, options);
    QVERIFY(umap.ok());
    QCOMPARE(umap->epoch(), 0);
    int seen = 0;
    QVERIFY(umap->runTo(17, {}, [&](UmapStage stage, double share) { seen += stage == UmapStage::Layout && share > 0; })
                .ok());
    QCOMPARE(umap->epoch(), 17);
    QCOMPARE(seen, 17);
    QVERIFY(!umap->finished());
    QVERIFY(umap->runTo(18).ok());
    QVERIFY(umap->runTo(1000).ok());
    QCOMPARE(umap->epoch(), 60);
    QVERIFY(std::equal(whole.begin(), whole.end(), umap->coordinates().begin()));
}

void TestUmap::stopsAndGoesOn()
{
    const Sample sample = clouds(1500, 6, 3, 3);
    UmapOptions options;
    options.epochs = 40;
    const std::vector<float> whole = embed(sample, options);
    auto umap = Umap::create(sample.values, sample.rows, sample.columns, options);
    QVERIFY(umap.ok());
    std::stop_source source;
    const Status status = umap->runTo(40, source.get_token(), [&](UmapStage, double share) {
        if (share > 0.3)
            source.request_stop();
    });
    QVERIFY(!status.ok());
    QVERIFY(status.error().code == ErrorCode::Interrupted);
    QCOMPARE(umap->epoch(), 13);
    QVERIFY(umap->runTo(40).ok());
    QVERIFY(std::equal(whole.begin(), whole.end(), umap->coordinates().begin()));
}

void TestUmap::stopsWhilePreparing()
{
    const Sample sample = clouds(3000, 20, 3, 3);
    for (const NeighborSearch search : {NeighborSearch::Exact, NeighborSearch::Approximate}) {
        std::stop_source source;
        source.request_stop();
        UmapOptions options;
        options.search = search;
        const auto umap = Umap::create(sample.values, sample.rows, sample.columns, options, source.get_token());
        QVERIFY(!umap.ok());
        QVERIFY(umap.error().code == ErrorCode::Interrupted);
    }
}

void TestUmap::oddTables_data()
{
    QTest::addColumn<QVector<double>>("values");
    QTest::addColumn<int>("columns");
    const auto row = [](const char* what, int rows, int columns, auto value) {
        QVector<double> values;
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j)
                values.push_back(value(i, j));
        }
        QTest::newRow(what) << values << columns;
    };
    const auto noise = [](int i, int j) {
        return RandomStream(5, 0, static_cast<std::uint64_t>(i * 100 + j)).normal();
    };
    row("one row", 1, 3, noise);
    row("two rows", 2, 3, noise);
    row("three rows", 3, 2, noise);
    row("fewer rows than neighbours", 9, 2, noise);
    row("as many rows as neighbours", 15, 2, noise);
    row("all rows the same", 60, 3, [](int, int) { return 7.0; });
    row("two places only", 80, 3, [](int i, int) { return i % 2 ? 1.0 : 2.0; });
    row("every row thrice", 120, 4, [&](int i, int j) { return noise(i / 3, j); });
    row("a hundred copies among others", 200, 3, [&](int i, int j) { return i < 100 ? 1.0 : noise(i, j); });
    row("constant columns", 100, 5, [&](int i, int j) { return j < 3 ? 4.0 : noise(i, j); });
    row("one column", 100, 1, noise);
    row("a line", 150, 1, [](int i, int) { return double(i); });
    row("huge values", 100, 3, [&](int i, int j) { return 1e300 * noise(i, j); });
    row("tiny values", 100, 3, [&](int i, int j) { return 1e-300 * noise(i, j); });
    row("far from zero", 100, 3, [&](int i, int j) { return 1e9 + noise(i, j); });
    row("one far point", 100, 3, [&](int i, int j) { return i == 50 ? 1e12 : noise(i, j); });
    row("many parts", 200, 2, [&](int i, int j) { return 1000.0 * (i / 10) * (j + 1) + noise(i, j); });
}

void TestUmap::oddTables()
{
    QFETCH(QVector<double>, values);
    QFETCH(int, columns);
    const std::vector<double> table(values.begin(), values.end());
    const auto rows = static_cast<std::int64_t>(table.size()) / columns;
    for (const Metric metric : {Metric::Euclidean, Metric::Correlation, Metric::Canberra}) {
        EmbeddingOptions options;
        options.umap.metric = metric;
        options.umap.epochs = 30;
        const auto report = embedTable(table, rows, columns, options);
        // Rows of one value have no direction; where there is nothing else, there is nothing to embed.
        if (!report.ok() && metric != Metric::Euclidean && report.error().context == "metric")
            continue;
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
        QCOMPARE(report->coordinates.size(), static_cast<std::size_t>(2 * rows));
        QCOMPARE(report->clusters.labels.size(), static_cast<std::size_t>(rows));
        for (const std::int64_t row : report->placed)
            QVERIFY(allFinite(std::span(report->coordinates).subspan(static_cast<std::size_t>(2 * row), 2)));
        QVERIFY(metric != Metric::Euclidean || report->placed.size() == static_cast<std::size_t>(rows));
    }
}

void TestUmap::fewRowsShrinkTheNeighbourhood()
{
    const Sample sample = clouds(9, 3, 2, 3);
    const auto umap = Umap::create(sample.values, sample.rows, sample.columns, {});
    QVERIFY(umap.ok());
    QCOMPARE(umap->summary().neighbors, 9);
    QCOMPARE(umap->summary().notes.size(), std::size_t(1));
    QVERIFY(QString::fromStdString(umap->summary().notes[0]).contains("only 9 rows"));
}

void TestUmap::optionsOutOfRange_data()
{
    QTest::addColumn<QString>("option");
    for (const char* option :
         {"neighbors", "dimensions", "min_dist", "spread", "epochs", "learning_rate", "negative_sample_rate",
          "repulsion_strength", "local_connectivity", "set_op_mix_ratio", "a and b", "threads"})
        QTest::newRow(option) << option;
}

void TestUmap::optionsOutOfRange()
{
    QFETCH(QString, option);
    UmapOptions options;
    if (option == "neighbors")
        options.neighbors = 1;
    else if (option == "dimensions")
        options.dimensions = 0;
    else if (option == "min_dist")
        options.minDist = 1.5;
    else if (option == "spread")
        options.spread = NAN;
    else if (option == "epochs")
        options.epochs = -1;
    else if (option == "learning_rate")
        options.learningRate = 0;
    else if (option == "negative_sample_rate")
        options.negativeSampleRate = -1;
    else if (option == "repulsion_strength")
        options.repulsionStrength = -1;
    else if (option == "local_connectivity")
        options.localConnectivity = -1;
    else if (option == "set_op_mix_ratio")
        options.setOpMixRatio = 1.1;
    else if (option == "a and b")
        options.curve = CurveFit{0, 1};
    else
        options.threads = -1;
    const std::vector<double> values = {1, 2, 3, 4};
    const auto umap = Umap::create(values, 4, 1, options);
    QVERIFY(!umap.ok());
    QVERIFY(umap.error().code == ErrorCode::BadInput);
    QCOMPARE(QString::fromStdString(umap.error().context), option);
    const std::vector<double> infinite = {1, INFINITY, 3, 4};
    QVERIFY(!Umap::create(infinite, 2, 2, {}).ok());
    QVERIFY(!Umap::create(values, 3, 1, {}).ok());
}

void TestUmap::wholePipeline()
{
    const Sample sample = clouds(600, 8, 4, 9);
    const auto report = embedTable(sample.values, sample.rows, sample.columns, {});
    QVERIFY(report.ok());
    QCOMPARE(adjustedRandIndex(report->clusters.labels, sample.labels), 1.0);
    QCOMPARE(report->clusters.clusters, 4);
    QVERIFY(report->silhouette->mean > 0.8);
    QVERIFY(report->trustworthiness->value > 0.9);
    QVERIFY(!report->trustworthiness->sampled);
    QVERIFY(report->eps > 0);
}

// Two groups far from zero, in what cosine sees of them; and rows that differ by rounding alone.
void TestUmap::groupsFarFromZero()
{
    std::vector<double> values, noise;
    std::vector<int> labels;
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(0, 0.003);
    for (int row = 0; row < 200; ++row) {
        labels.push_back(row % 2);
        for (int column = 0; column < 6; ++column) {
            values.push_back(1e6 + 7 * column + (row % 2 == column % 2 ? 0.1 : 0) + normal(random));
            noise.push_back(1e6 + 7 * column + std::ldexp(static_cast<double>(random() % 3), -33));
        }
    }
    EmbeddingOptions options;
    options.umap.metric = Metric::Cosine;
    const auto report = embedTable(values, 200, 6, options);
    QVERIFY(report.ok());
    QCOMPARE(adjustedRandIndex(report->clusters.labels, labels), 1.0);
    const auto drowned = embedTable(noise, 200, 6, options);
    QVERIFY(drowned.ok() && !drowned->silhouette && !drowned->trustworthiness);
    const auto says = [&](const char* part) {
        return std::any_of(drowned->notes.begin(), drowned->notes.end(),
                           [&](const std::string& note) { return note.find(part) != std::string::npos; });
    };
    QVERIFY(says("differ by no more than the rounding") && says("no scores"));
}

void TestUmap::anyScale_data()
{
    QTest::addColumn<double>("factor");
    for (const double factor : {1e21, 1e300, 1e-21, 1e-160, 1e-300, 1e-310})
        QTest::addRow("%g", factor) << factor;
}

// Two clouds are two at any size of their numbers, under every metric.
void TestUmap::anyScale()
{
    QFETCH(double, factor);
    Sample sample = clouds(60, 3, 2, 6, 3);
    std::vector<double> scaled = sample.values;
    for (double& value : scaled)
        value *= factor;
    for (const Metric metric : {Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Cosine,
                                Metric::Correlation, Metric::Canberra, Metric::BrayCurtis}) {
        EmbeddingOptions options;
        options.umap.metric = metric;
        const auto right = embedTable(sample.values, 60, 3, options), found = embedTable(scaled, 60, 3, options);
        const std::string what(name(metric));
        QVERIFY2(right.ok() && found.ok() && allFinite(found->coordinates), what.c_str());
        QVERIFY2(found->umap.parts == right->umap.parts, (what + std::to_string(found->umap.parts)).c_str());
        QVERIFY2(std::abs(found->trustworthiness->value - right->trustworthiness->value) < 0.02, what.c_str());
        if (metric == Metric::Euclidean) {
            QCOMPARE(right->clusters.clusters, 2);
            QCOMPARE(adjustedRandIndex(found->clusters.labels, sample.labels), 1.0);
        }
    }
    const FeatureRows features = prepareFeatures(scaled, 60, 3, Metric::Euclidean);
    const double right = std::hypot(scaled[0] - scaled[3], scaled[1] - scaled[4], scaled[2] - scaled[5]);
    QVERIFY(std::abs(featureDistance(features, 0, 1) / right - 1) < 1e-6);
    QVERIFY(factor < 1e100 || !std::isfinite(static_cast<float>(right))); // what single precision would have made of it
    NumericTable table;                                                   // and so after --standardize
    table.values = scaled;
    table.rows = 60;
    table.columns = {"a", "b", "c"};
    standardize(table);
    double sum = 0;
    for (std::size_t i = 0; i < table.values.size(); i += 3)
        sum += table.values[i] * table.values[i];
    QVERIFY(std::abs(sum / 60 - 1) < 1e-9);
}

void TestUmap::equalRows()
{
    const std::vector<double> values(40 * 3, 1.5);
    const auto report = embedTable(values, 40, 3, {});
    QVERIFY(report.ok() && !report->trustworthiness && !report->silhouette);
    QVERIFY(std::any_of(report->notes.begin(), report->notes.end(),
                        [](const std::string& note) { return note.starts_with("no scores: all rows are equal"); }));
}

PEAKSCOPE_GUILESS_TEST(TestUmap)
#include "test_umap.moc"
