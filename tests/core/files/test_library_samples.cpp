// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a library wrote, against what the library itself says of them (tests/core/data/written), and readers.json:
// for every reader of such files there is a sample that the library wrote, the script that had it written, and the test
// that holds it against the library. A sample by a hand of our own would repeat our mistakes.
#include "core/import/read_any.h"
#include "core/planning/inputs/privacy_accountant.h"
#include "core/text/tokenizer.h"
#include "tests/core/files/stored_files.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <filesystem>

using namespace peakscope;
using peakscope::test::kData;
using peakscope::test::readAll;
using Json = nlohmann::json;

namespace {

const Json& answers()
{
    static const Json document = Json::parse(readAll(kData + "written/answers.json"));
    return document;
}

const Json& readers()
{
    static const Json document = Json::parse(readAll(kData + "readers.json"))["readers"];
    return document;
}

const std::string kSource = PEAKSCOPE_SOURCE_DIR "/";

} // namespace

class TestLibrarySamples : public QObject
{
    Q_OBJECT

private slots:
    void chromeTrace();
    void chromeTraceOfACard_data();
    void chromeTraceOfACard();
    void tokenizer();
    void epsilons();
    void everyReaderHasARow_data();
    void everyReaderHasARow();
    void rowsAreTrue_data();
    void rowsAreTrue();
};

void TestLibrarySamples::chromeTrace()
{
    const auto results = readAny(kData + "written/trace.json.gz");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{1});
    const RunResult& run = results->front();
    const Json& wanted = answers()["trace"];
    QCOMPARE(run.memory->timeline.size(), wanted["memory_events"].get<std::size_t>());
    QCOMPARE(run.memory->peakBytes, wanted["highest_total"].get<std::int64_t>());
    QVERIFY(run.environment["device"] == "cpu");
    QVERIFY(!run.memory->operators.empty());
    QVERIFY(!test::hasNote(run, "ends too early") && !test::hasNote(run, "disagree"));
}

void TestLibrarySamples::chromeTraceOfACard_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("published, 2022") << QStringLiteral("card_trace");
    QTest::newRow("on a stand-in, 2.15") << QStringLiteral("dry_card_trace");
}

// PyTorch's own totals of the card's allocator; what was alive before the piece begins is one more event.
void TestLibrarySamples::chromeTraceOfACard()
{
    QFETCH(const QString, name);
    const auto results = readAny(kData + "written/" + name.toStdString() + ".json.gz");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{2}); // the card's and the host's
    const RunResult& run = results->front();
    const Json& wanted = answers()[name.toStdString()];
    QCOMPARE(run.memory->timeline.size(), wanted["memory_events"].get<std::size_t>() + 1);
    QCOMPARE(run.memory->peakBytes, wanted["highest_total"].get<std::int64_t>());
    QCOMPARE(run.memory->peakReservedBytes, wanted["highest_reserved"].get<std::int64_t>());
    QCOMPARE(run.config["device"].get<std::string>(), wanted["device"].get<std::string>());
    QVERIFY(!test::hasNote(run, "disagree"));
}

void TestLibrarySamples::tokenizer()
{
    const auto loaded = Tokenizer::load(kData + "written/tokenizer");
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QVERIFY(answers()["tokens"].size() > 3);
    for (const auto& [text, ids] : answers()["tokens"].items())
        QCOMPARE((*loaded)->encode(text), ids.get<std::vector<std::int32_t>>());
}

// Opacus' own orders and conversion (Balle et al. 2020).
void TestLibrarySamples::epsilons()
{
    QCOMPARE(answers()["epsilons"].size(), std::size_t{3});
    for (const Json& row : answers()["epsilons"]) {
        const auto cost = privacyCost({row["noise_multiplier"], row["sample_rate"], row["steps"], row["delta"]});
        QVERIFY(cost);
        QVERIFY2(std::abs(cost->epsilon / row["epsilon"].get<double>() - 1) < 1e-6, row.dump().c_str());
    }
}

void TestLibrarySamples::everyReaderHasARow_data()
{
    QTest::addColumn<QString>("reader");
    for (const FileFormat format : {FileFormat::MemoryTimeline, FileFormat::MemoryTimelineRaw, FileFormat::ChromeTrace,
                                    FileFormat::CudaSnapshot}) {
        const std::string word(name(format));
        QTest::newRow(word.c_str()) << QString::fromStdString(word);
    }
    for (const char* word : {"safetensors", "tokenizer.json", "torch.save", "opacus", "umap-learn"})
        QTest::newRow(word) << word;
}

void TestLibrarySamples::everyReaderHasARow()
{
    QFETCH(QString, reader);
    const auto rows = std::count_if(readers().begin(), readers().end(), [&reader](const Json& row) {
        return row["reader"].get<std::string>() == reader.toStdString();
    });
    QCOMPARE(rows, 1);
}

void TestLibrarySamples::rowsAreTrue_data()
{
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < readers().size(); ++i)
        QTest::newRow(readers()[i]["reader"].get<std::string>().c_str()) << static_cast<int>(i);
    QCOMPARE(readers().size(), std::size_t{9}); // as many as rows are asked for above
}

// What a row names is there; the versions are those that the samples themselves name.
void TestLibrarySamples::rowsAreTrue()
{
    QFETCH(int, number);
    const Json& row = readers()[static_cast<std::size_t>(number)];
    const std::string script = row["script"];
    QVERIFY2(std::filesystem::is_regular_file(kSource + script), script.c_str());
    QVERIFY(!row["samples"].empty() && !row["tests"].empty());
    for (const std::string sample : row["samples"])
        QVERIFY2(std::filesystem::is_regular_file(kSource + sample), sample.c_str());
    for (const std::string test : row["tests"]) {
        const std::size_t gap = test.find(' ');
        const std::string text = readAll(kSource + test.substr(0, gap));
        QVERIFY2(text.find("void " + test.substr(gap + 1) + "()") != std::string::npos, test.c_str());
    }
    const Json& versions = answers()["versions"];
    if (script.ends_with("make_library_samples.py"))
        QVERIFY(versions[row["library"].get<std::string>()] == row["version"]);
}

PEAKSCOPE_APPLESS_TEST(TestLibrarySamples)
#include "test_library_samples.moc"
