// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows without a direction and rows that are at a bounded metric's maximum distance from all others: no place, cluster
// -1, no part in scores, named; all other rows lie where they lie without them, to the last digit.
#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/embedding/embedding.h"
#include "core/analysis/embedding/unplaced_rows.h"
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/response/response_document.h"
#include "core/analysis/statistics/numeric_table.h"
#include "core/results/analysis_tables.h"
#include "core/results/section_readers.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace peakscope;

namespace {

using Rows = std::vector<std::vector<double>>;

struct Sample {
    Rows rows;
    std::vector<int> labels;

    std::vector<double> values() const
    {
        std::vector<double> out;
        for (const auto& row : rows)
            out.insert(out.end(), row.begin(), row.end());
        return out;
    }
};

// Two groups, each about its own axis: cosine and correlation tell them apart.
Sample twoDirections(int each)
{
    Sample out;
    for (int i = 0; i < 2 * each; ++i) {
        std::vector<double> row(8);
        for (std::size_t j = 0; j < row.size(); ++j)
            row[j] = (j == static_cast<std::size_t>(i / each) ? 1 : 0) +
                     0.05 * RandomStream(3, 0, static_cast<std::uint64_t>(i) * 100 + j).normal();
        out.rows.push_back(std::move(row));
        out.labels.push_back(i / each);
    }
    return out;
}

// Two groups of yes and no answers, each with eight features of its own.
Sample twoHabits(int each, std::size_t columns)
{
    Sample out;
    for (int i = 0; i < 2 * each; ++i) {
        std::vector<double> row(columns, 0.0);
        for (std::size_t j = 0; j < 8; ++j)
            row[static_cast<std::size_t>(i / each) * 8 + j] =
                RandomStream(4, 0, static_cast<std::uint64_t>(i) * 100 + j).uniform() < 0.7 || j == 0 ? 1 : 0;
        out.rows.push_back(std::move(row));
        out.labels.push_back(i / each);
    }
    return out;
}

Result<EmbeddingReport> embed(const Sample& sample, Metric metric, NeighborSearch search = NeighborSearch::Automatic)
{
    EmbeddingOptions options;
    options.umap.metric = metric;
    options.umap.search = search;
    options.umap.epochs = sample.rows.size() > 500 ? 20 : 0;
    const auto columns = static_cast<std::int64_t>(sample.rows[0].size());
    return embedTable(sample.values(), static_cast<std::int64_t>(sample.rows.size()), columns, options);
}

// The rows that have NaN for coordinates and -1 for a cluster; {-1} where the two contradict one another.
std::vector<std::int64_t> unplacedOf(const EmbeddingReport& report)
{
    std::vector<std::int64_t> out;
    for (std::int64_t row = 0; row < report.rows; ++row) {
        const auto first = static_cast<std::size_t>(row * report.dimensions);
        const bool known = std::isfinite(report.coordinates[first]) && std::isfinite(report.coordinates[first + 1]);
        if (!known && report.clusters.labels[static_cast<std::size_t>(row)] != -1)
            return {-1};
        if (!known)
            out.push_back(row);
    }
    return out;
}

bool says(const std::vector<std::string>& notes, const std::string& part)
{
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

QByteArray all(const std::vector<std::string>& notes)
{
    QByteArray out;
    for (const std::string& note : notes)
        out += note + "\n";
    return out;
}

// With `extra` put in after row `at`, all others must lie, be sorted and be scored as without.
void compareWith(const Sample& sample, const Rows& extra, std::size_t at, Metric metric, const char* note)
{
    Sample more = sample;
    more.rows.insert(more.rows.begin() + static_cast<std::ptrdiff_t>(at), extra.begin(), extra.end());
    const auto without = embed(sample, metric), with = embed(more, metric);
    QVERIFY2(without.ok() && with.ok(), with.ok() ? "" : with.error().text().c_str());
    QVERIFY(unplacedOf(*without).empty());
    std::vector<std::int64_t> right;
    for (std::size_t i = 0; i < extra.size(); ++i)
        right.push_back(static_cast<std::int64_t>(at + i));
    QCOMPARE(unplacedOf(*with), right);
    QVERIFY2(says(with->notes, note), all(with->notes));
    std::vector<float> coordinates;
    std::vector<int> labels;
    for (const std::int64_t row : with->placed) {
        const auto first = with->coordinates.begin() + static_cast<std::ptrdiff_t>(2 * row);
        coordinates.insert(coordinates.end(), first, first + 2);
        labels.push_back(with->clusters.labels[static_cast<std::size_t>(row)]);
    }
    QVERIFY(coordinates == without->coordinates);
    QVERIFY(labels == without->clusters.labels);
    QCOMPARE(adjustedRandIndex(labels, sample.labels), 1.0);
    QCOMPARE(with->clusters.noise, without->clusters.noise + static_cast<std::int64_t>(extra.size()));
    QCOMPARE(with->silhouette->mean, without->silhouette->mean);
    QCOMPARE(with->trustworthiness->value, without->trustworthiness->value);
}

} // namespace

class TestUnplacedRows : public QObject
{
    Q_OBJECT
private slots:
    void rowsWithoutDirection_data();
    void rowsWithoutDirection();
    void rowsThatShareNothing_data();
    void rowsThatShareNothing();
    void edgesBetweenGroupsAreCut();
    void approximateSearch_data();
    void approximateSearch();
    void copiesKeepEachOther();
    void negativeValuesHaveNoMaximum();
    void noiseAsAClusterLeavesThemOut();
    void manyAreCounted();
    void nearlyAll();
    void nothingLeft_data();
    void nothingLeft();
    void resultsAreReadBack();
    void filesAsPeopleHaveThem_data();
    void filesAsPeopleHaveThem();
};

void TestUnplacedRows::rowsWithoutDirection_data()
{
    QTest::addColumn<int>("metric");
    QTest::addColumn<double>("value");
    QTest::newRow("cosine") << int(Metric::Cosine) << 0.0;
    QTest::newRow("correlation") << int(Metric::Correlation) << 0.7;
    QTest::newRow("correlation of zeros") << int(Metric::Correlation) << 0.0;
}

void TestUnplacedRows::rowsWithoutDirection()
{
    QFETCH(int, metric);
    QFETCH(double, value);
    const Rows extra(4, std::vector<double>(8, value));
    for (const std::size_t at : {std::size_t(60), std::size_t(0), std::size_t(30)})
        compareWith(twoDirections(30), extra, at, static_cast<Metric>(metric),
                    at == 60 ? "rows 61, 62, 63 and 64 are " : "and have no direction");
}

void TestUnplacedRows::rowsThatShareNothing_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("note");
    QTest::newRow("one") << 1 << "row 11 is at the maximum braycurtis distance, 1, from every other row";
    QTest::newRow("six") << 6 << "rows 11, 12, 13, 14, 15 and 16 are at the maximum braycurtis distance";
}

void TestUnplacedRows::rowsThatShareNothing()
{
    QFETCH(int, count);
    QFETCH(QString, note);
    Rows extra;
    for (int i = 0; i < count; ++i) {
        extra.emplace_back(24, 0.0);
        extra.back()[static_cast<std::size_t>(16 + i)] = 1 + i;
    }
    compareWith(twoHabits(25, 24), extra, 10, Metric::BrayCurtis, note.toUtf8().constData());
    compareWith(twoHabits(25, 24), {std::vector<double>(24, 0.0)}, 50, Metric::BrayCurtis,
                "row 51 is all zeros and has no direction");
}

// Groups of ten with fifteen neighbours each: the rest of a list lies at the maximum and ties nothing.
void TestUnplacedRows::edgesBetweenGroupsAreCut()
{
    const auto report = embed(twoHabits(10, 16), Metric::BrayCurtis);
    QVERIFY(report.ok() && unplacedOf(*report).empty());
    QCOMPARE(report->umap.parts, 2);
    Sample opposite;
    for (int i = 0; i < 20; ++i) {
        const double angle = 0.1 * (i / 2);
        opposite.rows.push_back({std::cos(angle) * (i % 2 ? -1 : 1), std::sin(angle) * (i % 2 ? -1 : 1)});
    }
    const auto cosine = embed(opposite, Metric::Cosine);
    QVERIFY(cosine.ok() && unplacedOf(*cosine).empty());
    const auto two = embed({{{1, 2, 3}, {-2, -4, -6}, {2, 4, 6.5}}, {}}, Metric::Cosine);
    QCOMPARE(unplacedOf(*two), (std::vector<std::int64_t>{}));
    Sample canberra{{{1, 2}, {2, 3}, {3, 2}, {0, 0}, {2, 2}}, {}};
    const auto zeros = embed(canberra, Metric::Canberra);
    QCOMPARE(unplacedOf(*zeros), std::vector<std::int64_t>{3});
    QVERIFY2(says(zeros->notes, "row 4 is at the maximum canberra distance, 2, from"), all(zeros->notes));
}

void TestUnplacedRows::approximateSearch_data()
{
    QTest::addColumn<int>("metric");
    QTest::newRow("cosine") << int(Metric::Cosine);
    QTest::newRow("braycurtis") << int(Metric::BrayCurtis);
}

// Most distances are at the maximum here, where a search by neighbours of neighbours sees nothing to go by.
void TestUnplacedRows::approximateSearch()
{
    QFETCH(int, metric);
    const bool cosine = metric == int(Metric::Cosine);
    Sample sample = cosine ? twoDirections(400) : twoHabits(400, 60);
    std::vector<std::int64_t> right;
    for (std::size_t i = 0; i < 40; ++i) {
        right.push_back(static_cast<std::int64_t>(sample.rows.size()));
        sample.rows.emplace_back(sample.rows[0].size(), 0.0);
        if (!cosine)
            sample.rows.back()[16 + i] = 1;
    }
    for (const NeighborSearch search : {NeighborSearch::Exact, NeighborSearch::Approximate}) {
        const auto report = embed(sample, static_cast<Metric>(metric), search);
        QVERIFY(report.ok());
        QCOMPARE(report->umap.exactNeighbors, search == NeighborSearch::Exact);
        QCOMPARE(unplacedOf(*report), right);
    }
}

void TestUnplacedRows::copiesKeepEachOther()
{
    Sample sample = twoHabits(20, 20);
    for (int i = 0; i < 3; ++i) {
        sample.rows.emplace_back(20, 0.0);
        sample.rows.back()[i < 2 ? 17 : 18] = 1;
    }
    const auto report = embed(sample, Metric::BrayCurtis);
    QVERIFY(report.ok());
    QCOMPARE(unplacedOf(*report), std::vector<std::int64_t>{42});
}

void TestUnplacedRows::negativeValuesHaveNoMaximum()
{
    const Sample signedValues = twoDirections(30);
    QVERIFY(!std::isfinite(prepareFeatures(signedValues.values(), 60, 8, Metric::BrayCurtis).most));
    Sample below = twoHabits(20, 18);
    below.rows.emplace_back(18, 0.0);
    below.rows.back()[17] = 1;
    for (auto& row : below.rows) {
        for (double& value : row)
            value *= -2;
    }
    const auto report = embed(below, Metric::BrayCurtis);
    QVERIFY(report.ok());
    QCOMPARE(unplacedOf(*report), std::vector<std::int64_t>{40});
    for (const Metric metric : {Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev}) {
        const auto whole = embed(below, metric);
        QVERIFY(whole.ok() && unplacedOf(*whole).empty());
    }
}

void TestUnplacedRows::noiseAsAClusterLeavesThemOut()
{
    Sample sample = twoDirections(30);
    EmbeddingOptions options;
    options.umap.metric = Metric::Cosine;
    options.noise = NoisePoints::AsCluster;
    const auto without = embedTable(sample.values(), 60, 8, options);
    sample.rows.insert(sample.rows.begin(), 4, std::vector<double>(8, 0.0));
    const auto with = embedTable(sample.values(), 64, 8, options);
    QVERIFY(with.ok() && without.ok());
    QCOMPARE(with->silhouette->mean, without->silhouette->mean);
    QCOMPARE(with->silhouette->points.front(), std::int64_t(4)); // rows of the table
    QCOMPARE(with->silhouette->points.size(), std::size_t(60));
}

void TestUnplacedRows::manyAreCounted()
{
    Sample sample = twoDirections(30);
    sample.rows.insert(sample.rows.end(), 20, std::vector<double>(8, 0.0));
    const auto report = embed(sample, Metric::Cosine);
    QVERIFY(report.ok());
    QVERIFY2(says(report->notes, "rows 61, 62, 63, 64, 65, 66, 67, 68 and 12 more are all zeros"), all(report->notes));
}

void TestUnplacedRows::nearlyAll()
{
    Sample sample;
    sample.rows.assign(50, std::vector<double>(3, 0.0));
    sample.rows[20] = {1, 2, 3};
    sample.rows[40] = {1, 2, 4};
    const auto report = embed(sample, Metric::Cosine);
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
    QCOMPARE(report->placed, (std::vector<std::int64_t>{20, 40}));
    QCOMPARE(unplacedOf(*report).size(), std::size_t(48));
    QVERIFY(!report->trustworthiness && !report->silhouette);
}

void TestUnplacedRows::nothingLeft_data()
{
    QTest::addColumn<int>("metric");
    QTest::addColumn<QVector<double>>("values"); // of rows of two
    QTest::addColumn<QString>("message");
    QTest::newRow("zeros") << int(Metric::Cosine) << QVector<double>(10, 0)
                           << "every row is all zeros and has no direction under cosine";
    QTest::newRow("constant") << int(Metric::Correlation) << QVector<double>{1, 1, 2, 2, 3, 3}
                              << "every row is constant and has no direction under correlation";
    QTest::newRow("one row of zeros") << int(Metric::BrayCurtis) << QVector<double>{0, 0} << "every row is all zeros";
    QTest::newRow("one row among zeros") << int(Metric::Cosine) << QVector<double>{0, 0, 1, 2, 0, 0}
                                         << "2 of 3 rows have no direction";
    QTest::newRow("one of either sign among zeros")
        << int(Metric::BrayCurtis) << QVector<double>{0, 0, 1, -2, 0, 0} << "2 of 3 rows have no direction";
    QTest::newRow("opposite") << int(Metric::Cosine) << QVector<double>{1, 2, -2, -4}
                              << "every row is at the maximum cosine distance from every other";
    QTest::newRow("disjoint") << int(Metric::BrayCurtis) << QVector<double>{1, 0, 0, 3}
                              << "every row is at the maximum braycurtis distance from every other";
}

void TestUnplacedRows::nothingLeft()
{
    QFETCH(int, metric);
    QFETCH(QVector<double>, values);
    QFETCH(QString, message);
    EmbeddingOptions options;
    options.umap.metric = static_cast<Metric>(metric);
    const std::vector<double> table(values.begin(), values.end());
    const auto report = embedTable(table, static_cast<std::int64_t>(table.size()) / 2, 2, options);
    QVERIFY(!report.ok());
    QVERIFY(report.error().code == ErrorCode::BadInput);
    QVERIFY2(report.error().message.starts_with(message.toStdString()), report.error().message.c_str());
    QVERIFY(report.error().message.ends_with("choose another one, such as euclidean"));
}

// As a result keeps it: null for what has no place; a bare null in place of a point is read, too.
void TestUnplacedRows::resultsAreReadBack()
{
    Sample sample = twoDirections(10);
    sample.rows.insert(sample.rows.begin() + 5, std::vector<double>(8, 0.0));
    EmbeddingOptions options;
    options.umap.metric = Metric::Cosine;
    const auto report = embedTable(sample.values(), 21, 8, options);
    QVERIFY(report.ok());
    const std::string text = nlohmann::json{{"embedding", toJson(*report, options)}}.dump();
    nlohmann::json sections = nlohmann::json::parse(text);
    QCOMPARE(sections["embedding"]["coordinates"][5], nlohmann::json::parse("[null, null]"));
    for (const bool bare : {false, true}) {
        if (bare)
            sections["embedding"]["coordinates"][5] = nullptr;
        const auto data = analysisFromJson(sections);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().text().c_str());
        QVERIFY(data->places[4].known() && !data->places[5].known() && data->places[6].known());
        QCOMPARE(data->clusters[5], -1);
        const std::string csv = toCsv(unitsTable(*data));
        QVERIFY2(csv.find("unit 5,,,-1,,\r\n") != std::string::npos, csv.c_str());
    }
}

void TestUnplacedRows::filesAsPeopleHaveThem_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("metric");
    QTest::addColumn<int>("unplaced");
    QTest::newRow("rows of zeros") << "zero_rows.csv" << int(Metric::Cosine) << 4;
    QTest::newRow("rows that share nothing") << "binary_disjoint.csv" << int(Metric::BrayCurtis) << 6;
}

void TestUnplacedRows::filesAsPeopleHaveThem()
{
    QFETCH(QString, file);
    QFETCH(int, metric);
    QFETCH(int, unplaced);
    const std::filesystem::path path =
        std::filesystem::path(PEAKSCOPE_SHARED_DIR) / "public" / "later" / file.toStdString();
    if (!std::filesystem::exists(path))
        QSKIP("needs the shared inputs");
    NumericTableOptions reading;
    reading.labelsColumn = "label";
    const auto table = readNumericTable(path, reading);
    QVERIFY(table.ok());
    EmbeddingOptions options;
    options.umap.metric = static_cast<Metric>(metric);
    const auto report =
        embedTable(table->values, table->rows, static_cast<std::int64_t>(table->columns.size()), options);
    QVERIFY(report.ok());
    std::vector<int> labels, clusters;
    for (const std::int64_t row : report->placed) {
        labels.push_back(table->labels[static_cast<std::size_t>(row)]);
        clusters.push_back(report->clusters.labels[static_cast<std::size_t>(row)]);
    }
    QCOMPARE(unplacedOf(*report).size(), static_cast<std::size_t>(unplaced));
    QCOMPARE(report->clusters.clusters, 2);
    QCOMPARE(adjustedRandIndex(labels, clusters), 1.0);
}

PEAKSCOPE_GUILESS_TEST(TestUnplacedRows)
#include "test_unplaced_rows.moc"
