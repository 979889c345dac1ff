// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of token files as plans see them: as many positions as the model runs on, and what a plan says where it cannot
// look.
#include "core/base/file.h"
#include "core/model/family.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/recommend/recommender.h"
#include "core/text/batches.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <set>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

Json document(const std::string& family)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", family},
              {"hidden", 64},
              {"layers", 2},
              {"heads", 4},
              {"ffn", 128},
              {"vocab", 300},
              {"max_positions", 64}}},
            {"weights", "random"},
            {"device", "cpu"},
            {"threads", 1},
            {"data", {{"source", "tokens"}, {"path", ""}, {"batch", 3}, {"seq", 40}}},
            {"training", {{"warmup_steps", 0}, {"steps", 2}}}};
}

// Rows of these lengths, all their tokens different from each other.
Json rowsOf(const std::vector<int>& lengths)
{
    Json rows = Json::array();
    for (const int length : lengths) {
        Json row = Json::array();
        for (int i = 0; i < length; ++i)
            row.push_back(i);
        rows.push_back(row);
    }
    return rows;
}

} // namespace

class TestDataRows : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void positions_data();
    void positions();
    void asManyBytesAsTheSamePositionsOfText_data();
    void asManyBytesAsTheSamePositionsOfText();
    void notThereToLookAt();
    void pipesAreTheRuns();
    void changedFilesAreReadAgain();
    void differentTokens();
    void heaviest();
    void builtinRowsAreCounted();
    void fitted();
    void padded();
    void moreThanThereAre();

private:
    Experiment experiment(Json json, const Json& rows);
    std::unique_ptr<QTemporaryDir> m_folder;
    int m_files = 0;
};

void TestDataRows::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

// The experiment over a new file of `rows`.
Experiment TestDataRows::experiment(Json json, const Json& rows)
{
    const std::string path = m_folder->filePath(QString::number(++m_files) + ".json").toStdString();
    if (!writeFileAtomically(path, rows.dump()))
        qFatal("no file");
    json["data"]["path"] = path;
    const auto read = experimentFromJson(json);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return *read;
}

void TestDataRows::positions_data()
{
    QTest::addColumn<std::vector<int>>("lengths");
    QTest::addColumn<std::int64_t>("expected");
    QTest::newRow("as long as data.seq") << std::vector<int>{40, 40, 40} << std::int64_t{39};
    QTest::newRow("shorter") << std::vector<int>{17, 17, 17} << std::int64_t{16};
    QTest::newRow("longer rows are cut") << std::vector<int>{55, 60} << std::int64_t{39};
    QTest::newRow("the longest row is the batch's width") << std::vector<int>{5, 22, 9} << std::int64_t{21};
    QTest::newRow("one row of two tokens") << std::vector<int>{2} << std::int64_t{1};
    QTest::newRow("more rows than the batch") << std::vector<int>{8, 8, 8, 8, 8, 30} << std::int64_t{29};
}

void TestDataRows::positions()
{
    QFETCH(const std::vector<int>, lengths);
    QFETCH(const std::int64_t, expected);
    const Experiment tokens = experiment(document("gpt2"), rowsOf(lengths));
    QCOMPARE(rowPositions(tokens), expected);
    QVERIFY(rowDoubt(tokens).empty());
    const auto batches = BatchSource::fromTokens(tokens.data.path, {3, 40, 300, 1}); // what a run makes of the file
    QVERIFY(batches.ok());
    QCOMPARE(batches->width(), expected);
}

void TestDataRows::asManyBytesAsTheSamePositionsOfText_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("change");
    for (const std::string& family : familyNames())
        QTest::addRow("%s, as it is", family.c_str()) << QString::fromStdString(family) << "{}";
    for (const char* change :
         {R"({"training": {"optimizer": "sgd", "loss_head": "naive"}})",
          R"({"training": {"checkpointing": true, "attention": "math"}})",
          R"({"training": {"attention": "chunked", "loss_head": "chunked"}})",
          R"({"training": {"lora": {"rank": 4}}, "dtype": "bfloat16"})", R"({"data": {"max_physical_batch": 1}})",
          R"({"training": {"clipping": "microbatch"}})", R"({"training": {"clipping": "flash", "lora": {"rank": 4}}})",
          R"({"ranks": 2, "training": {"sharding": "zero3"}})",
          R"({"kind": "curvature", "curvature": {"quantities": ["diagonal", "eigenvalues"]}})"})
        QTest::addRow("llama, %s", change) << "llama" << change;
}

// A file of rows of n tokens takes to the byte what built-in rows of n - 1 positions take.
void TestDataRows::asManyBytesAsTheSamePositionsOfText()
{
    QFETCH(const QString, family);
    QFETCH(const QString, change);
    Json json = document(family.toStdString());
    if (family == QLatin1String("llama"))
        json["model"]["tied"] = false;
    json.merge_patch(Json::parse(change.toStdString()));
    // What has no causal mask masks padding.
    const bool causal = describe(*familyFromName(family.toStdString())).causal;
    const Experiment tokens = experiment(json, causal ? rowsOf({25, 33, 12}) : rowsOf({33, 33, 33}));
    json["data"]["source"] = "builtin";
    json["data"].erase("path");
    json["data"]["seq"] = 32;
    const auto builtin = experimentFromJson(json);
    QVERIFY(builtin.ok());
    for (const bool derived : {false, true}) {
        EstimateOptions options;
        options.derived = derived;
        const auto own = estimateMemory(tokens, options);
        const auto other = estimateMemory(*builtin, options);
        QVERIFY2(own.ok() && other.ok(), own.ok() ? "" : own.error().text().c_str());
        QCOMPARE(own->peakBytes, other->peakBytes);
        QCOMPARE(own->components, other->components);
        QCOMPARE(own->verified, other->verified);
    }
}

void TestDataRows::notThereToLookAt()
{
    for (const char* content : {"", "{\"rows\": 3}", "[[1, 2], [\"a\"]]"}) {
        Experiment tokens = experiment(document("opt"), Json::array());
        if (*content == '\0')
            tokens.data.path = "/no/such/folder/rows.json";
        else
            QVERIFY(writeFileAtomically(tokens.data.path, content).ok());
        QCOMPARE(rowPositions(tokens), std::int64_t{39});
        QVERIFY(!rowDoubt(tokens).empty());
        const auto estimate = estimateMemory(tokens);
        QVERIFY(estimate.ok() && !estimate->verified);
        QVERIFY(estimate->notes.back().find(tokens.data.path) != std::string::npos);
    }
}

// A plan that reads from a pipe would take away what the run is to read.
void TestDataRows::pipesAreTheRuns()
{
    Experiment tokens = experiment(document("opt"), rowsOf({4}));
    tokens.data.path = m_folder->filePath(QStringLiteral("pipe")).toStdString();
    QCOMPARE(::mkfifo(tokens.data.path.c_str(), 0600), 0);
    QVERIFY(!estimateMemory(tokens)->verified); // and comes back
}

void TestDataRows::changedFilesAreReadAgain()
{
    const Experiment tokens = experiment(document("opt"), rowsOf({10, 10}));
    QCOMPARE(rowPositions(tokens), std::int64_t{9});
    QVERIFY(writeFileAtomically(tokens.data.path, rowsOf({10, 20}).dump()).ok());
    QCOMPARE(rowPositions(tokens), std::int64_t{19});
}

void TestDataRows::differentTokens()
{
    // Inputs are all but the last token; a shorter row is padded with token 0.
    const Experiment tokens = experiment(document("opt"), {{7, 7, 7, 7, 9}, {0, 1, 2}, {3, 4, 5}});
    const auto steps = heaviestSteps(tokens, 1, -1, true);
    QCOMPARE(steps.size(), std::size_t{1});
    QCOMPARE(steps[0].distinct, (std::vector<std::int64_t>{1, 2, 3}));
    QVERIFY(!steps[0].first);
    QCOMPARE(distinctTokens(tokens), std::int64_t{3});
    QVERIFY(knowsDistinctTokens(tokens, true));
}

// Steps take the rows in order, again from the first; of two of which one needs more in no row, only the other counts.
void TestDataRows::heaviest()
{
    Json json = document("opt");
    json["data"]["batch"] = 2;
    json["training"]["steps"] = 3;
    const Json rows = {{1, 2, 3, 4, 5}, {1, 1, 1, 1, 5}, {1, 1, 1, 1, 5}, {1, 2, 3, 3, 5}, {1, 1, 2, 2, 5}};
    const Experiment tokens = experiment(json, rows);
    const auto steps = heaviestSteps(tokens, 1, -1, true);
    QCOMPARE(steps.size(), std::size_t{2}); // {4, 1} at first, without states; {1, 3} is less than {2, 4}
    QVERIFY((steps[0] == StepRows{{4, 1}, true}));
    QVERIFY((steps[1] == StepRows{{2, 4}, false}));
    const auto second = heaviestSteps(tokens, 2, 1, true); // the second rank's rows have 1, 3 and 4
    QVERIFY(second.size() == 1 && (second[0] == StepRows{{4}, false}));
    Json poisson = json;
    poisson["training"]["clipping"] = "flash";
    poisson["training"]["privacy"]["poisson"] = true;
    QVERIFY(heaviestSteps(experiment(poisson, rows), 1, -1, true).empty());
}

// The built-in text is the run's own, row by row: what its batches hold. Of a long run only the mean is known.
void TestDataRows::builtinRowsAreCounted()
{
    Json json = document("opt");
    json["data"] = {{"source", "builtin"}, {"batch", 2}, {"seq", 30}};
    json["training"]["steps"] = 1;
    json["training"]["warmup_steps"] = 0;
    json["seed"] = 7;
    auto builtin = experimentFromJson(json);
    QVERIFY2(builtin.ok(), builtin.ok() ? "" : builtin.error().message.c_str());
    const BatchOptions options{2, 30, builtin->model.config.vocab, 7};
    const TokenBatch batch = BatchSource::fromBuiltin(*Tokenizer::bytes(), options)->batch(0);
    std::vector<std::int64_t> distinct;
    for (int row = 0; row < 2; ++row) {
        const std::set<std::int32_t> tokens(batch.inputs.begin() + 30 * row, batch.inputs.begin() + 30 * (row + 1));
        distinct.push_back(static_cast<std::int64_t>(tokens.size()));
    }
    const auto steps = heaviestSteps(*builtin, 1, -1, true);
    QCOMPARE(steps.size(), std::size_t{1});
    QCOMPARE(steps[0].distinct, distinct);
    QVERIFY(knowsDistinctTokens(*builtin, true));
    QVERIFY(heaviestSteps(*builtin, 1, -1, false).empty()); // a search takes the mean
    builtin->training.steps = 1'000'000;
    QVERIFY(!knowsDistinctTokens(*builtin, true));
    builtin->training.clipping = Clipping::Flash;
    EstimateOptions counted;
    counted.countRows = true;
    const auto estimate = estimateMemory(*builtin, counted);
    QVERIFY(estimate.ok() && !estimate->verified);
    QVERIFY2(estimate->notes.back().find("different token") != std::string::npos, estimate->notes.back().c_str());
}

void TestDataRows::fitted()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
    const Experiment tokens = experiment(document("gpt2"), rowsOf({20, 20}));
    const auto fitted = fitExperiment(tokens, 8 << 20, false);
    QVERIFY(fitted.ok());
    const auto chosen = experimentFromJson(fitted->experiment);
    QVERIFY(chosen.ok());
    QCOMPARE(estimateMemory(*chosen)->peakBytes, fitted->estimate.peakBytes);
    QCOMPARE(chosen->data.batch, std::int64_t{2}); // there are no more
    Json text = fitted->experiment;
    text["data"].erase("path");
    text["data"]["source"] = "builtin";
    text["data"]["seq"] = 19;
    QCOMPARE(estimateMemory(*experimentFromJson(text))->peakBytes, fitted->estimate.peakBytes);
    qunsetenv("PEAKSCOPE_RESOURCES");
}

void TestDataRows::padded()
{
    QVERIFY(!padsRows(experiment(document("plain"), rowsOf({20, 20}))));
    QVERIFY(!padsRows(experiment(document("plain"), rowsOf({41, 60, 40})))); // cut to one length
    QVERIFY(padsRows(experiment(document("plain"), rowsOf({39, 60}))));
    QVERIFY(padsRows(experiment(document("plain"), rowsOf({20, 19}))));
}

// Each row once a step, or none.
void TestDataRows::moreThanThereAre()
{
    const auto saidOf = [](const Experiment& one) {
        const auto source = openBatches(one);
        return source ? std::string() : source.error().text();
    };
    const Experiment enough = experiment(document("opt"), rowsOf({5, 6, 7}));
    QCOMPARE(saidOf(enough), std::string());
    Experiment few = experiment(document("opt"), rowsOf({5, 6}));
    QCOMPARE(saidOf(few), "data.batch: 3 rows a step are more than the 2 of " + few.data.path +
                              ", each of which is used once a step; at most 2 is right");
    few.training.privacy.poisson = true;
    few.training.privacy.expectedBatch = 2; // what is drawn is not the batch
    QCOMPARE(saidOf(few), std::string());
    few.training.privacy.expectedBatch = 4;
    QVERIFY(saidOf(few).starts_with("training.privacy.expected_batch: 4 rows"));
    Experiment text = enough;
    text.data.source = DataSource::Text;
    text.data.seq = 4;
    text.data.path = m_folder->filePath(QStringLiteral("few.txt")).toStdString();
    QVERIFY(writeFileAtomically(text.data.path, "ten bytes!").ok()); // two rows of five
    QVERIFY2(saidOf(text).starts_with("data.batch: 3 rows a step are more than the 2 of"), saidOf(text).c_str());
}

PEAKSCOPE_GUILESS_TEST(TestDataRows)
#include "test_data_rows.moc"
