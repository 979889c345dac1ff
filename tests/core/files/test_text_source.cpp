// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Training data: files, built-in records, rows of token ids, and the batches made of them.
#include "core/text/batches.h"
#include "core/text/random_bits.h"
#include "core/text/text_source.h"
#include "tests/test_room.h"

#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

using namespace peakscope;
namespace fs = std::filesystem;

namespace {

void writeAll(const fs::path& path, const std::string& bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

bool hasNote(const std::vector<std::string>& notes, const char* part)
{
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

std::vector<std::int32_t> counting(int count)
{
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

} // namespace

class TestTextSource : public QObject
{
    Q_OBJECT

private slots:
    void folderOfTexts();
    void singleFile();
    void unusableText_data();
    void unusableText();
    void recordsAreDistinctAndTheSameEverywhere();
    void recordsAreWhatTheyWere();
    void randomBits();
    void shuffleIsAPermutation_data();
    void shuffleIsAPermutation();
    void tokenRows();
    void refusedTokenRows_data();
    void refusedTokenRows();
    void packing();
    void tokenBatches();
    void tokenBatchesOfUnequalRows();
    void tokenBatchesRefused_data();
    void tokenBatchesRefused();
    void textBatchesSeeEveryRowOnce();
    void textBatchesFollowTheSeed();
    void textBatchesRefused();
    void builtinBatches();
    void builtinIsFoldedIntoTinyVocabularies();
    void tokenizerChoice();
};

void TestTextSource::folderOfTexts()
{
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    writeAll(base / "b.md", "second");
    writeAll(base / "a.txt", "first\n");
    writeAll(base / "c" / "deep" / "d.txt", "third \xff\n");
    writeAll(base / "picture.png", std::string("\x89PNG\0\0", 6));
    writeAll(base / ".hidden" / "x.txt", "never");
    writeAll(base / "empty.txt", "");
    const auto data = readTextFiles(base);
    QVERIFY2(data.ok(), data ? "" : data.error().text().c_str());
    QCOMPARE(data->text, std::string("first\nsecond\nthird \xef\xbf\xbd\n"));
    QCOMPARE(data->files, 3);
    QVERIFY(hasNote(data->notes, "picture.png"));
    QVERIFY(hasNote(data->notes, "replaced"));
    QCOMPARE(data->notes.size(), std::size_t{2});
}

void TestTextSource::singleFile()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/a.txt";
    writeAll(path, "line\r\nline");
    const auto text = readTextFiles(path);
    QVERIFY(text.ok());
    QCOMPARE(text->text, std::string("line\r\nline"));
}

void TestTextSource::unusableText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("part");
    QTest::newRow("missing") << "" << QByteArray() << "no such file";
    QTest::newRow("binary") << "a.bin" << QByteArray("ab\0cd", 5) << "binary";
    QTest::newRow("empty") << "a.txt" << QByteArray() << "empty";
    QTest::newRow("folder without text") << "sub/a.bin" << QByteArray("\0", 1) << "no text file";
}

void TestTextSource::unusableText()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, part);
    QTemporaryDir folder;
    fs::path path = folder.path().toStdString() + "/" + (name.isEmpty() ? "none" : name.toStdString());
    if (!name.isEmpty())
        writeAll(path, content.toStdString());
    if (name.contains('/'))
        path = path.parent_path();
    const auto text = readTextFiles(path);
    QVERIFY(!text.ok());
    QVERIFY2(QString::fromStdString(text.error().text()).contains(part), text.error().text().c_str());
    QCOMPARE(text.error().context, path.string());
}

void TestTextSource::recordsAreDistinctAndTheSameEverywhere()
{
    const auto records = builtinRecords(42, 20000);
    QCOMPARE(std::set<std::string>(records.begin(), records.end()).size(), records.size());
    QCOMPARE(builtinRecords(42, 20000), records);
    QVERIFY(builtinRecords(43, 1) != builtinRecords(42, 1));
    // A later part is what it is in the whole.
    const auto part = builtinRecords(42, 5, 100);
    QVERIFY(std::equal(part.begin(), part.end(), records.begin() + 100));
    std::set<std::string> numbers;
    for (const std::string& record : records) {
        QVERIFY2(record.size() > 40 && record.size() < 200 && record.ends_with('.'), record.c_str());
        QVERIFY(std::all_of(record.begin(), record.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
        QVERIFY(record.find_first_of("{}") == std::string::npos);
        const auto dash = record.find('-');
        numbers.insert(record.substr(dash - 3, 11));
    }
    QCOMPARE(numbers.size(), records.size());
    QVERIFY(builtinRecords(1, 0).empty());
}

// Stored results name their data by seed alone.
void TestTextSource::recordsAreWhatTheyWere()
{
    QByteArray all;
    for (const std::string& record : builtinRecords(42, 1000))
        all += QByteArray::fromStdString(record) + '\n';
    QCOMPARE(QCryptographicHash::hash(all, QCryptographicHash::Sha1).toHex(),
             QByteArray("2be5c0779e95b0538c1c15f865c31e1b51d56923"));
}

void TestTextSource::randomBits()
{
    RandomBits bits(1234567);
    // The reference implementation's first numbers for this seed (prng.di.unimi.it/splitmix64.c).
    QCOMPARE(bits.next(), 6457827717110365317ULL);
    QCOMPARE(bits.next(), 3203168211198807973ULL);
    int counts[6] = {};
    for (int i = 0; i < 60000; ++i)
        ++counts[bits.below(6)];
    for (const int count : counts)
        QVERIFY(count > 9500 && count < 10500); // 5 standard deviations are 456
}

void TestTextSource::shuffleIsAPermutation_data()
{
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 3, 7, 64, 100, 4097})
        QTest::addRow("%d", count) << count;
}

void TestTextSource::shuffleIsAPermutation()
{
    QFETCH(int, count);
    const auto size = static_cast<std::uint64_t>(count);
    std::set<std::uint64_t> seen;
    std::uint64_t moved = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t index = shuffledIndex(i, size, 7);
        QVERIFY(index < size);
        seen.insert(index);
        moved += index != i;
    }
    QCOMPARE(seen.size(), static_cast<std::size_t>(count));
    if (count >= 64)
        QVERIFY(moved > size / 2);
}

void TestTextSource::tokenRows()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/tokens.json";
    writeAll(path, "[[1, 2, 3], [4], [5, 6.0]]");
    const auto rows = tokenRowsFromJson(path);
    QVERIFY2(rows.ok(), rows ? "" : rows.error().text().c_str());
    QCOMPARE(rows->rows(), std::size_t{3});
    QCOMPARE(rows->ids, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(rows->row(2).size(), std::size_t{2});
    QCOMPARE(rows->row(2)[0], 5);
    QCOMPARE(rows->longestRow(), 3);
    QVERIFY(!rows->hasEqualRows());
    writeAll(path, "[7, 8, 9]");
    const auto flat = tokenRowsFromJson(path);
    QVERIFY(flat.ok());
    QCOMPARE(flat->rows(), std::size_t{1});
    QCOMPARE(flat->row(0)[2], 9);
}

void TestTextSource::refusedTokenRows_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("part");
    QTest::newRow("not JSON") << "[[1, 2"
                              << "JSON";
    QTest::newRow("object") << "{}"
                            << "array of rows";
    QTest::newRow("no rows") << "[]"
                             << "array of rows";
    QTest::newRow("empty row") << "[[1], []]"
                               << "row 1";
    QTest::newRow("row that is a number") << "[[1], 2]"
                                          << "row 1";
    QTest::newRow("text") << "[[1, \"a\"]]"
                          << "row 0, place 1";
    QTest::newRow("negative") << "[[1], [2, 3, -4]]"
                              << "row 1, place 2";
    QTest::newRow("fraction") << "[[1.5]]"
                              << "row 0, place 0";
    QTest::newRow("too large") << "[[99999999999]]"
                               << "row 0, place 0";
    QTest::newRow("null in a flat row") << "[1, null]"
                                        << "row 0, place 1";
}

void TestTextSource::refusedTokenRows()
{
    QFETCH(QString, json);
    QFETCH(QString, part);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/tokens.json";
    writeAll(path, json.toStdString());
    const auto rows = tokenRowsFromJson(path);
    QVERIFY(!rows.ok());
    const QString text = QString::fromStdString(rows.error().text());
    QVERIFY2(text.contains(part) && text.contains("tokens.json") && !text.contains('\n'), qPrintable(text));
}

void TestTextSource::packing()
{
    const auto ids = counting(10);
    const auto rows = packRows(ids, 4);
    QVERIFY(rows.ok());
    QCOMPARE(rows->rows(), std::size_t{3}); // 0123 3456 6789
    QCOMPARE(rows->ids, (std::vector<std::int32_t>{0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9}));
    QCOMPARE(packRows(counting(9), 4)->rows(), std::size_t{2});
    QCOMPARE(packRows(counting(4), 4)->rows(), std::size_t{1});
    const auto tooShort = packRows(counting(3), 4);
    QVERIFY(!tooShort.ok());
    QVERIFY(tooShort.error().text().find("has 3 tokens, a row needs 4") != std::string::npos);
    QVERIFY(!packRows(counting(3), 1).ok());
}

void TestTextSource::tokenBatches()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/tokens.json";
    writeAll(path, "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]");
    const auto source = BatchSource::fromTokens(path, {.batch = 2, .seq = 4, .vocab = 13});
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    const TokenBatch first = source->batch(0);
    QCOMPARE(first.rows, 2);
    QCOMPARE(first.width, 3);
    QCOMPARE(first.inputs, (std::vector<std::int32_t>{1, 2, 3, 5, 6, 7}));
    QCOMPARE(first.labels, (std::vector<std::int32_t>{2, 3, 4, 6, 7, 8}));
    QCOMPARE(first.countedLabels, 6);
    // In order, again from the first after the last.
    QCOMPARE(source->batch(1).inputs, (std::vector<std::int32_t>{9, 10, 11, 1, 2, 3}));
    QCOMPARE(source->batch(3).inputs, first.inputs);
    QVERIFY(source->notes().empty());
    // A long sequence changes nothing, a short one cuts.
    QCOMPARE(BatchSource::fromTokens(path, {.batch = 1, .seq = 128, .vocab = 13})->width(), 3);
    const auto cut = BatchSource::fromTokens(path, {.batch = 1, .seq = 3, .vocab = 13});
    QVERIFY(cut.ok());
    QCOMPARE(cut->batch(0).inputs, (std::vector<std::int32_t>{1, 2}));
    QCOMPARE(cut->batch(0).labels, (std::vector<std::int32_t>{2, 3}));
    QVERIFY(hasNote(cut->notes(), "cut"));
    // More rows in a batch than in the file.
    QCOMPARE(BatchSource::fromTokens(path, {.batch = 5, .seq = 4, .vocab = 13})->batch(0).inputs.size(),
             std::size_t{15});
}

void TestTextSource::tokenBatchesOfUnequalRows()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/tokens.json";
    writeAll(path, "[[1, 2, 3, 4], [5, 6]]");
    const auto source = BatchSource::fromTokens(path, {.batch = 2, .seq = 9, .vocab = 7});
    QVERIFY(source.ok());
    const TokenBatch batch = source->batch(0);
    QCOMPARE(batch.inputs, (std::vector<std::int32_t>{1, 2, 3, 5, 0, 0}));
    QCOMPARE(batch.labels, (std::vector<std::int32_t>{2, 3, 4, 6, -100, -100}));
    QCOMPARE(batch.countedLabels, 4);
    QVERIFY(hasNote(source->notes(), "padded"));
}

void TestTextSource::tokenBatchesRefused_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("seq");
    QTest::addColumn<QString>("part");
    QTest::newRow("beyond the vocabulary")
        << "[[1, 2], [3, 10]]" << 1 << 8
        << "row 1, place 1: token id 10 is not below the model's vocabulary of 10; these tokens need one of 11";
    QTest::newRow("nothing to predict") << "[[1, 2], [3]]" << 1 << 8 << "row 1 has 1 token";
    QTest::newRow("sequence of one") << "[[1, 2]]" << 1 << 1 << "data.seq";
    QTest::newRow("no rows wanted") << "[[1, 2]]" << 0 << 8 << "data.batch";
    QTest::newRow("no positions wanted") << "[[1, 2]]" << 1 << 0 << "data.seq";
    QTest::newRow("more than memory") << "[[1, 2]]" << 2000000000 << 2000000000 << "data.batch";
}

void TestTextSource::tokenBatchesRefused()
{
    QFETCH(QString, json);
    QFETCH(int, batch);
    QFETCH(int, seq);
    QFETCH(QString, part);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/tokens.json";
    writeAll(path, json.toStdString());
    const auto source = BatchSource::fromTokens(path, {.batch = batch, .seq = seq, .vocab = 10});
    QVERIFY(!source.ok());
    QVERIFY2(QString::fromStdString(source.error().text()).contains(part), source.error().text().c_str());
}

void TestTextSource::textBatchesSeeEveryRowOnce()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/a.txt";
    std::string text;
    for (int i = 0; i < 201; ++i)
        text += static_cast<char>(i < 100 ? 'a' + i % 26 : 'A' + i % 26);
    writeAll(path, text);
    const auto source =
        BatchSource::fromText(path, *Tokenizer::bytes(), {.batch = 4, .seq = 10, .vocab = 256, .seed = 3});
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    QCOMPARE(source->rows(), 20);
    QCOMPARE(source->width(), 10);
    std::multiset<std::string> seen, expected;
    std::vector<std::string> order[2];
    for (int step = 0; step < 10; ++step) {
        const TokenBatch batch = source->batch(step);
        QCOMPARE(batch.countedLabels, 40);
        for (int r = 0; r < 4; ++r) {
            const auto begin = batch.inputs.begin() + r * 10;
            const std::string row(begin, begin + 10);
            // The label is the next token.
            QVERIFY(std::equal(begin + 1, begin + 10, batch.labels.begin() + r * 10));
            order[step / 5].push_back(row);
        }
    }
    for (int i = 0; i < 20; ++i)
        expected.insert(text.substr(static_cast<std::size_t>(i) * 10, 10));
    for (const auto& epoch : order)
        QCOMPARE(std::multiset<std::string>(epoch.begin(), epoch.end()), expected);
    QVERIFY(order[0] != order[1]); // shuffled anew
    QVERIFY(source->description().find("201 tokens (bytes), 20 rows of 10") != std::string::npos);
}

void TestTextSource::textBatchesFollowTheSeed()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/a.txt";
    std::string text;
    for (const std::string& record : builtinRecords(1, 100))
        text += record;
    writeAll(path, text);
    const auto inputs = [&](std::uint64_t seed, std::int64_t step) {
        return BatchSource::fromText(path, *Tokenizer::bytes(), {.batch = 2, .seq = 16, .vocab = 256, .seed = seed})
            ->batch(step)
            .inputs;
    };
    QCOMPARE(inputs(5, 3), inputs(5, 3));
    QVERIFY(inputs(5, 3) != inputs(6, 3));
    QVERIFY(inputs(5, 3) != inputs(5, 4));
}

void TestTextSource::textBatchesRefused()
{
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString() + "/a.txt";
    writeAll(path, "short");
    const auto tooShort = BatchSource::fromText(path, *Tokenizer::bytes(), {.batch = 1, .seq = 5, .vocab = 256});
    QVERIFY(!tooShort.ok());
    QVERIFY(tooShort.error().text().find("has 5 tokens, a row needs 6") != std::string::npos);
    QCOMPARE(tooShort.error().context, path.string());
    QVERIFY(BatchSource::fromText(path, *Tokenizer::bytes(), {.batch = 3, .seq = 4, .vocab = 256}).ok());
    const auto beyond = BatchSource::fromText(path, *Tokenizer::bytes(), {.batch = 1, .seq = 2, .vocab = 100});
    QVERIFY(!beyond.ok());
    QVERIFY2(beyond.error().text().find("has the id 115, not below the model's vocabulary of 100") != std::string::npos,
             beyond.error().text().c_str());
}

void TestTextSource::builtinBatches()
{
    const BatchOptions options{.batch = 3, .seq = 96, .vocab = 300, .seed = 3};
    const auto source = BatchSource::fromBuiltin(*Tokenizer::bytes(), options);
    QVERIFY(source.ok());
    QVERIFY(source->notes().empty());
    const TokenBatch batch = source->batch(0);
    QCOMPARE(batch.inputs.size(), std::size_t{288});
    QCOMPARE(batch.countedLabels, 288);
    QCOMPARE(BatchSource::fromBuiltin(*Tokenizer::bytes(), options)->batch(0).inputs, batch.inputs);
    // Long rows: more records, not the same ones again.
    const auto large = BatchSource::fromBuiltin(*Tokenizer::bytes(), {.batch = 2, .seq = 400000, .vocab = 256});
    QVERIFY2(large.ok(), large ? "" : large.error().text().c_str());
    QVERIFY(large->rows() >= 2);
}

void TestTextSource::builtinIsFoldedIntoTinyVocabularies()
{
    const auto source = BatchSource::fromBuiltin(*Tokenizer::bytes(), {.batch = 2, .seq = 8, .vocab = 47});
    QVERIFY(source.ok());
    QVERIFY(checkVocabulary(source->tokenRows(), 47, "").ok());
    QVERIFY(hasNote(source->notes(), "vocabulary of 47"));
}

void TestTextSource::tokenizerChoice()
{
    const std::string data = PEAKSCOPE_SOURCE_DIR "/tests/core/data/";
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    const auto name = [](const auto& tokenizer) { return tokenizer ? (*tokenizer)->name() : tokenizer.error().text(); };
    QCOMPARE(name(chooseTokenizer("bytes", data + "tok_llama3")), std::string("bytes"));
    QCOMPARE(name(chooseTokenizer("auto", "")), std::string("bytes"));
    QCOMPARE(name(chooseTokenizer("auto", base)), std::string("bytes"));
    QCOMPARE(name(chooseTokenizer("auto", data + "tok_llama3")), std::string("byte-pair encoding (tokenizer.json)"));
    QCOMPARE(name(chooseTokenizer(data + "tok_neox", base)), std::string("byte-pair encoding (tokenizer.json)"));
    writeAll(base / "tokenizer.json", R"({"model": {"type": "Unigram"}})");
    const auto refused = chooseTokenizer("auto", base);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().text().find("Unigram") != std::string::npos);
    QVERIFY(refused.error().text().find("bytes") != std::string::npos);
}

PEAKSCOPE_GUILESS_TEST(TestTextSource)
#include "test_text_source.moc"
