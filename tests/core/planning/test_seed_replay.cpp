// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The seeds' tables beside computed values, and the reader of hessian_memory_analysis.json files.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/planning/published_tables/seed_computation.h"
#include "core/planning/published_tables/seed_tables.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

const SeedCell* cellOf(const std::vector<SeedTable>& tables, const QString& title, const QString& model,
                       const QString& quantity)
{
    for (const SeedTable& table : tables) {
        if (!QString::fromStdString(table.title).startsWith(title)) {
            continue;
        }
        for (const SeedCell& cell : table.cells) {
            if (model == cell.model.c_str() && quantity == cell.quantity.c_str()) {
                return &cell;
            }
        }
    }
    return nullptr;
}

Json analysisOf(Json entry)
{
    Json document = Json::array();
    document.push_back(std::move(entry));
    return document;
}

Json smallEntry()
{
    return {
        {"model_name", "facebook/opt-125m"},
        {"total_params", 125239296},
        {"memory_breakdown", {{"parameters", 500957184}, {"gradients", 500957184}, {"hessian_diagonal", 500957184}}},
        {"strategies", {{"diagonal_hessian", 2505426944}, {"block_diagonal_hessian", 7014041600}}}};
}

} // namespace

class TestSeedReplay : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void decimal_data();
    void decimal();
    void numbers_data();
    void numbers();
    void everyDifferenceHasItsReason();
    void breakdownsAddUp();
    void exports();
    void publishedFile();
    void unknownModel();
    void otherRules();
    void broken_data();
    void broken();

private:
    std::vector<SeedTable> m_tables;
};

void TestSeedReplay::initTestCase()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
    auto tables = replaySeedTables();
    QVERIFY2(tables.ok(), tables ? "" : tables.error().text().c_str());
    m_tables = std::move(*tables);
}

void TestSeedReplay::decimal_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    QTest::newRow("bytes") << 80.0 << "bytes"
                           << "80 B";
    QTest::newRow("rounds up to the next prefix") << 999.7e6 << "bytes"
                                                  << "1 GB";
    QTest::newRow("beyond 64 bits") << 28.12e18 << "bytes"
                                    << "28.1 EB";
    QTest::newRow("parameters") << 6.66e9 << "parameters"
                                << "6.66B";
    QTest::newRow("rate") << 19.5e12 << "flops"
                          << "19.5 TFLOP/s";
    QTest::newRow("share") << 0.758 << "share"
                           << "75.8 %";
    QTest::newRow("nothing") << 0.0 << "bytes"
                             << "0 B";
}

void TestSeedReplay::decimal()
{
    QFETCH(double, value);
    QFETCH(QString, unit);
    QTEST(QString::fromStdString(decimalText(value, unit.toStdString())), "text");
}

void TestSeedReplay::numbers_data()
{
    QTest::addColumn<QString>("title");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<QString>("computed");
    QTest::addColumn<bool>("agrees");
    QTest::addColumn<QString>("reason");
    const char* models = "Seed 000: a Hessian";
    const char* sample = "Seed 000: sample";
    const char* a800 = "Seed 002: models";
    const char* parts = "Seed 002: break-down";
    const char* device = "Seed 002: the A800";
    const QString once = "divided by 10³ once too often";
    QTest::newRow("62 TB are 62.7 PB") << models << "opt-125m"
                                       << "full_hessian"
                                       << "62.7 PB" << false << once;
    QTest::newRow("490 TB are 439 PB") << models << "opt-350m"
                                       << "full_hessian"
                                       << "439 PB" << false << once;
    QTest::newRow("6.8 PB are 6.92 EB") << models << "opt-1.3b"
                                        << "full_hessian"
                                        << "6.92 EB" << false << once;
    QTest::newRow("29 PB are 28.1 EB") << models << "opt-2.7b"
                                       << "full_hessian"
                                       << "28.1 EB" << false << once;
    QTest::newRow("331 million, not 350") << models << "opt-350m"
                                          << "parameters"
                                          << "331M" << false << "name rounds";
    QTest::newRow("4 bytes an entry") << models << "opt-1.3b"
                                      << "diagonal_hessian"
                                      << "5.26 GB" << true << "";
    QTest::newRow("1.3B's entries hold no vector and fit 8 GiB") << models << "opt-1.3b"
                                                                 << "verdict"
                                                                 << "diagonal" << false << "need no vector";
    QTest::newRow("2.7B does not fit 8 GiB") << models << "opt-2.7b"
                                             << "verdict"
                                             << "approximation" << true << "does not fit";
    QTest::newRow("sample's matrix") << sample << "opt-125m"
                                     << "hessian_full"
                                     << "62.7 PB" << false << once;
    QTest::newRow("FP16 at 4 bytes") << parts << "opt-6.7b"
                                     << "parameters_bytes"
                                     << "26.6 GB" << true << "FP16 would be 13.3 GB";
    QTest::newRow("two totals of one model") << parts << "opt-6.7b"
                                             << "total"
                                             << "" << false << "45 GB";
    QTest::newRow("no gradient") << parts << "opt-6.7b"
                                 << "gradients"
                                 << "0 B" << false << "no gradient";
    QTest::newRow("the smallest runs") << a800 << "opt-125m"
                                       << "verdict"
                                       << "comfortable" << true << "";
    QTest::newRow("6.7B runs") << a800 << "opt-6.7b"
                               << "verdict"
                               << "comfortable" << true << "products with the whole Hessian: needs_sharding";
    QTest::newRow("13B needs the cheaper strategy") << a800 << "opt-13b"
                                                    << "verdict"
                                                    << "fits" << true << "cheaper strategy";
    QTest::newRow("30B needs sharding") << a800 << "opt-30b"
                                        << "verdict"
                                        << "needs_sharding (3 devices)" << true << "";
    QTest::newRow("diagonal at 2 bytes") << a800 << "opt-13b"
                                         << "diagonal_hessian"
                                         << "51.4 GB" << false << "2 bytes";
    QTest::newRow("TF32 is not float32") << device << "a800-80gb"
                                         << "float32_rate"
                                         << "19.5 TFLOP/s" << false << "TF32";
    QTest::newRow("bandwidth") << device << "a800-80gb"
                               << "bandwidth"
                               << "2.04 TB/s" << true << "";
}

void TestSeedReplay::numbers()
{
    QFETCH(QString, title);
    QFETCH(QString, model);
    QFETCH(QString, quantity);
    QFETCH(QString, computed);
    QFETCH(bool, agrees);
    QFETCH(QString, reason);
    const SeedCell* cell = cellOf(m_tables, title, model, quantity);
    QVERIFY(cell != nullptr);
    if (!computed.isEmpty()) {
        QCOMPARE(QString::fromStdString(cell->computedText), computed);
    }
    QCOMPARE(cell->agrees, agrees);
    QVERIFY2(QString::fromStdString(cell->reason).contains(reason), cell->reason.c_str());
}

void TestSeedReplay::everyDifferenceHasItsReason()
{
    QCOMPARE(m_tables.size(), std::size_t{5});
    for (const SeedTable& table : m_tables) {
        QVERIFY(!table.cells.empty());
        for (const SeedCell& cell : table.cells) {
            QVERIFY2(cell.agrees || !cell.reason.empty(), (cell.model + " " + cell.quantity).c_str());
            QVERIFY2(cell.reason.find('\n') == std::string::npos, cell.reason.c_str());
            QVERIFY2(!cell.tableText.empty() && !cell.computedText.empty(), cell.quantity.c_str());
        }
    }
}

// What is computed for OPT-6.7B is the estimator's composition: its parts are within its total.
void TestSeedReplay::breakdownsAddUp()
{
    const auto value = [this](const char* quantity) {
        return cellOf(m_tables, "Seed 002: break-down", "opt-6.7b", quantity)->computedValue;
    };
    const double parts = value("parameters_bytes") + value("hessian_diagonal") + value("activations") +
                         value("gradients") + value("intermediate");
    QVERIFY(parts <= value("total"));
    QVERIFY(parts > 0.95 * value("total"));
    QCOMPARE(value("parameters_bytes"), 4.0 * 6658473984);
}

void TestSeedReplay::exports()
{
    const Json document = toJson(m_tables);
    QCOMPARE(document["tables"].size(), m_tables.size());
    const Json& cell = document["tables"][0]["cells"][2];
    QCOMPARE(cell["quantity"].get<std::string>(), std::string("full_hessian"));
    QCOMPARE(cell["table"].get<double>(), 62e12);
    QCOMPARE(cell["computed"].get<double>(), 4.0 * 125239296 * 125239296);
    std::size_t cells = 0;
    for (const SeedTable& table : m_tables) {
        cells += table.cells.size();
    }
    const Table table = toTable(m_tables);
    QCOMPARE(table.rows.size(), cells);
    QCOMPARE(QString::fromStdString(toCsv(table)).count("\r\n"), static_cast<qsizetype>(cells + 1));
}

void TestSeedReplay::publishedFile()
{
    const std::string file = PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/prm/hessian_memory_analysis.json";
    const auto text = readTextFile(file);
    const auto document = parseJson(*text, file);
    QVERIFY(looksLikeHessianAnalysis(*document));
    const auto analysis = hessianAnalysisFromJson(*document, file);
    QVERIFY2(analysis.ok(), analysis ? "" : analysis.error().text().c_str());
    QCOMPARE(analysis->models.size(), std::size_t{3});
    const HessianAnalysisModel& first = analysis->models.front();
    QCOMPARE(*first.full, 4.0 * 125239296 * 125239296);
    QStringList notes;
    for (const std::string& note : first.notes) {
        notes << QString::fromStdString(note);
    }
    const QString all = notes.join('\n');
    QVERIFY2(all.contains("10 × the diagonal"), qPrintable(all));
    QVERIFY2(all.contains("128 positions × 1252 × 4 bytes"), qPrintable(all));
    QVERIFY2(all.contains("2 × the parameters"), qPrintable(all));
    const auto tables = replayHessianAnalysis(*analysis, "file");
    QVERIFY(tables.ok());
    const SeedCell* full = cellOf(*tables, "file", "facebook/opt-1.3b", "hessian_full");
    QVERIFY(full != nullptr && full->agrees);
    const SeedCell* block = cellOf(*tables, "file", "facebook/opt-1.3b", "block_diagonal_strategy");
    QVERIFY(block != nullptr && !block->agrees && block->computedValue < block->tableValue);
}

void TestSeedReplay::unknownModel()
{
    Json entry = smallEntry();
    entry["model_name"] = "someone/else";
    const auto analysis = hessianAnalysisFromJson(analysisOf(entry), "x.json");
    const auto tables = replayHessianAnalysis(*analysis, "file");
    QVERIFY(tables.ok());
    const SeedCell* parameters = cellOf(*tables, "file", "someone/else", "parameters_bytes");
    QVERIFY(parameters != nullptr && parameters->agrees);
    QVERIFY(cellOf(*tables, "file", "someone/else", "diagonal_strategy") == nullptr);
    bool said = false;
    for (const std::string& note : tables->front().notes) {
        said = said || note.find("someone/else is not in the catalogue") == 0;
    }
    QVERIFY(said);
}

// Numbers of another rule are not called by this one's name.
void TestSeedReplay::otherRules()
{
    Json entry = smallEntry();
    entry["strategies"]["block_diagonal_hessian"] = 123;
    entry["memory_breakdown"]["hessian_full"] = 1e15;
    entry["memory_breakdown"]["activations"] = nullptr;
    const auto analysis = hessianAnalysisFromJson(analysisOf(entry), "x.json");
    QVERIFY2(analysis.ok(), analysis ? "" : analysis.error().text().c_str());
    QVERIFY(!analysis->models.front().activations);
    for (const std::string& note : analysis->models.front().notes) {
        QVERIFY2(note.find("10 ×") == std::string::npos, note.c_str());
    }
    const auto tables = replayHessianAnalysis(*analysis, "file");
    const SeedCell* block = cellOf(*tables, "file", "facebook/opt-125m", "block_diagonal_strategy");
    QVERIFY(block->reason.starts_with("a rule of thumb"));
    const SeedCell* full = cellOf(*tables, "file", "facebook/opt-125m", "hessian_full");
    QVERIFY2(full->reason.find("once too often") == std::string::npos, full->reason.c_str());
}

void TestSeedReplay::broken_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("nothing in it") << QByteArray("[]")
                                   << "x.json: a list of models with memory_breakdown and strategies is needed";
    QTest::newRow("no name") << QByteArray(R"([{"total_params": 5, "memory_breakdown": {}, "strategies": {}}])")
                             << "x.json: [0].model_name: ";
    QTest::newRow("no parameters")
        << QByteArray(R"([{"model_name": "a", "total_params": 0, "memory_breakdown": {}, "strategies": {}}])")
        << "x.json: [0].total_params: 0 is not a number of parameters";
    QTest::newRow("sizes in words")
        << QByteArray(
               R"([{"model_name": "a", "total_params": 5, "memory_breakdown": {"parameters": "1 GB"}, "strategies": {}}])")
        << "x.json: [0].memory_breakdown.parameters: ";
    QTest::newRow("negative")
        << QByteArray(
               R"([{"model_name": "a", "total_params": 5, "memory_breakdown": {"gradients": -1}, "strategies": {}}])")
        << "x.json: [0].memory_breakdown.gradients: -1 is not a number of bytes";
    QTest::newRow("no strategies") << QByteArray(R"([{"model_name": "a", "total_params": 5, "memory_breakdown": {}}])")
                                   << "x.json: [0].strategies: missing (an object of bytes)";
    QTest::newRow("second entry")
        << QByteArray(R"([{"model_name": "a", "total_params": 5, "memory_breakdown": {}, "strategies": {}}, 7])")
        << "x.json: [1]";
}

void TestSeedReplay::broken()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const auto document = parseJson(text.toStdString());
    QVERIFY(document.ok());
    const auto analysis = hessianAnalysisFromJson(*document, "x.json");
    QVERIFY(!analysis.ok());
    const QString said = QString::fromStdString(analysis.error().text());
    QVERIFY2(said.startsWith(message) && !said.contains('\n'), qPrintable(said));
}

PEAKSCOPE_APPLESS_TEST(TestSeedReplay)
#include "test_seed_replay.moc"
