// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenisers against the ids that Hugging Face's tokenizers 0.23 gives for the same files and texts.
#include "core/base/utf8.h"
#include "core/text/regex_splitter.h"
#include "core/text/tokenizer.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <map>

using namespace peakscope;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string kData = PEAKSCOPE_SOURCE_DIR "/tests/core/data/";
const std::string kShared = PEAKSCOPE_SHARED_DIR "/data/";
// gpt2: the part of GPT-2's vocabulary that the texts' ids need (make_token_references.py), in its two files.
constexpr const char* kSmall[] = {"llama3",           "qwen2",        "neox", "prefix", "gpt2", "llama2",
                                  "llama2_metaspace", "sentencepiece"};

constexpr int kInverted = 100; // added to a behaviour: the rule is inverted

std::string readAll(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const Json& references()
{
    static const Json document = Json::parse(readAll(kData + "tok_references.json"));
    return document;
}

// FNV-1a over whole ids, as the references were made.
QString hashOf(const std::vector<std::int32_t>& ids)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const std::int32_t id : ids)
        hash = (hash ^ static_cast<std::uint64_t>(id)) * 0x100000001b3ULL;
    return QString("%1").arg(hash, 16, 16, QChar('0'));
}

// The licence, then the short texts in a pseudo-random order (make_token_references.py has the same).
std::string longText()
{
    std::string whole = readAll(PEAKSCOPE_SOURCE_DIR "/LICENSE");
    std::map<std::string, std::string> sorted;
    for (const auto& [name, text] : references()["texts"].items())
        sorted[name] = text.get<std::string>();
    std::uint64_t state = 1;
    for (int i = 0; i < 3000; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto place = static_cast<std::ptrdiff_t>((state >> 33) % sorted.size());
        whole += std::next(sorted.begin(), place)->second + (state >> 63 ? "\n" : " ");
    }
    return whole;
}

// A folder with GPT-2's own files, as a Hugging Face folder names them; null where the vocabulary is not there.
std::unique_ptr<QTemporaryDir> gpt2Folder()
{
    if (!fs::exists(kShared + "gpt2-vocab.json"))
        return nullptr;
    auto folder = std::make_unique<QTemporaryDir>();
    const fs::path base = folder->path().toStdString();
    fs::copy_file(kShared + "gpt2-vocab.json", base / "vocab.json");
    fs::copy_file(kShared + "gpt2-merges.txt", base / "merges.txt");
    return folder;
}

Json smallDocument(const std::string& name)
{
    return Json::parse(readAll(kData + "tok_" + name + "/tokenizer.json"));
}

Result<std::unique_ptr<Tokenizer>> loadDocument(const std::string& text)
{
    QTemporaryDir folder;
    std::ofstream(folder.path().toStdString() + "/tokenizer.json", std::ios::binary) << text;
    return Tokenizer::load(folder.path().toStdString());
}

} // namespace

class TestTokenizer : public QObject
{
    Q_OBJECT

private slots:
    void texts_data();
    void texts();
    void longTexts_data();
    void longTexts();
    void wholeFiles_data();
    void wholeFiles();
    void gpt2Texts();
    void gpt2Files();
    void bytesAreBytes();
    void decodeGivesTheTextBack_data();
    void decodeGivesTheTextBack();
    void invalidUtf8IsReplaced();
    void optVocabulary();
    void refusedDocuments_data();
    void refusedDocuments();
    void refusedFolders_data();
    void refusedFolders();
    void sentencePieceBesidesJson();
    void splits_data();
    void splits();
    void refusedPatterns_data();
    void refusedPatterns();
    void brokenDocumentsNeverCrash();
};

void TestTokenizer::texts_data()
{
    QTest::addColumn<QString>("tokenizer");
    QTest::addColumn<QString>("text");
    for (const char* tokenizer : kSmall) {
        for (const auto& [name, text] : references()["texts"].items())
            QTest::addRow("%s: %s", tokenizer, name.c_str()) << tokenizer << QString::fromStdString(name);
    }
}

void TestTokenizer::texts()
{
    QFETCH(QString, tokenizer);
    QFETCH(QString, text);
    const auto loaded = Tokenizer::load(kData + "tok_" + tokenizer.toStdString());
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    const std::string name = text.toStdString();
    const auto expected =
        references()["tokenizers"][tokenizer.toStdString()]["texts"][name].get<std::vector<std::int32_t>>();
    QCOMPARE((*loaded)->encode(references()["texts"][name].get<std::string>()), expected);
    for (const std::int32_t id : expected)
        QVERIFY(id < (*loaded)->vocabSize());
}

void TestTokenizer::longTexts_data()
{
    QTest::addColumn<QString>("tokenizer");
    for (const char* tokenizer : kSmall)
        QTest::newRow(tokenizer) << tokenizer;
}

void TestTokenizer::longTexts()
{
    QFETCH(QString, tokenizer);
    const auto loaded = Tokenizer::load(kData + "tok_" + tokenizer.toStdString());
    QVERIFY(loaded.ok());
    const std::string text = longText();
    const auto ids = (*loaded)->encode(text);
    const Json& expected = references()["tokenizers"][tokenizer.toStdString()]["long_text"];
    QCOMPARE(ids.size(), expected["count"].get<std::size_t>());
    QCOMPARE(hashOf(ids), QString::fromStdString(expected["hash"].get<std::string>()));
    if (tokenizer == "gpt2") {
        QCOMPARE((*loaded)->vocabSize(), 50257);
        QVERIFY((*loaded)->decode(ids) == text);
    }
}

void TestTokenizer::wholeFiles_data()
{
    QTest::addColumn<QString>("tokenizer");
    for (const char* tokenizer : kSmall) {
        if (std::string_view(tokenizer) != "gpt2") // a part of its vocabulary is not enough: see gpt2Files
            QTest::newRow(tokenizer) << tokenizer;
    }
}

void TestTokenizer::wholeFiles()
{
    QFETCH(QString, tokenizer);
    if (!fs::exists(kShared))
        QSKIP("the shared texts are not beside this checkout");
    const auto loaded = Tokenizer::load(kData + "tok_" + tokenizer.toStdString());
    QVERIFY(loaded.ok());
    for (const auto& [file, expected] : references()["tokenizers"][tokenizer.toStdString()]["files"].items()) {
        const auto ids = (*loaded)->encode(readAll(kShared + file));
        QCOMPARE(ids.size(), expected["count"].get<std::size_t>());
        QCOMPARE(hashOf(ids), QString::fromStdString(expected["hash"].get<std::string>()));
    }
}

void TestTokenizer::gpt2Texts()
{
    const auto folder = gpt2Folder();
    if (!folder)
        QSKIP("GPT-2's vocabulary is not beside this checkout");
    const auto loaded = Tokenizer::load(folder->path().toStdString());
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE((*loaded)->vocabSize(), 50257);
    const auto& expected = references()["tokenizers"]["gpt2"]["texts"];
    for (const auto& [name, text] : references()["texts"].items())
        QVERIFY2((*loaded)->encode(text.get<std::string>()) == expected[name].get<std::vector<std::int32_t>>(),
                 name.c_str());
}

void TestTokenizer::gpt2Files()
{
    const auto folder = gpt2Folder();
    if (!folder)
        QSKIP("GPT-2's vocabulary is not beside this checkout");
    const auto loaded = Tokenizer::load(folder->path().toStdString());
    QVERIFY(loaded.ok());
    for (const auto& [file, expected] : references()["tokenizers"]["gpt2"]["files"].items()) {
        const std::string text = readAll(kShared + file);
        const auto ids = (*loaded)->encode(text);
        QCOMPARE(ids.size(), expected["count"].get<std::size_t>());
        QCOMPARE(hashOf(ids), QString::fromStdString(expected["hash"].get<std::string>()));
        QVERIFY((*loaded)->decode(ids) == text);
    }
}

void TestTokenizer::bytesAreBytes()
{
    const auto tokenizer = Tokenizer::bytes();
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    const auto ids = tokenizer->encode(all);
    QCOMPARE(ids.size(), std::size_t{256});
    for (int byte = 0; byte < 256; ++byte)
        QCOMPARE(ids[static_cast<std::size_t>(byte)], byte);
    QCOMPARE(tokenizer->decode(ids), all);
    QCOMPARE(tokenizer->decode(std::vector<std::int32_t>{-1, 'a', 256}), std::string("a"));
    QCOMPARE(tokenizer->vocabSize(), 256);
}

void TestTokenizer::decodeGivesTheTextBack_data()
{
    QTest::addColumn<QString>("tokenizer");
    QTest::newRow("byte-level") << "llama3";
    QTest::newRow("byte fallback") << "llama2";
    QTest::newRow("metaspace") << "llama2_metaspace";
    QTest::newRow("SentencePiece") << "sentencepiece";
}

void TestTokenizer::decodeGivesTheTextBack()
{
    QFETCH(QString, tokenizer);
    const auto loaded = Tokenizer::load(kData + "tok_" + tokenizer.toStdString());
    QVERIFY(loaded.ok());
    for (const char* name : {"emoji", "cjk", "scripts", "plain", "code", "nul", "line ends"}) {
        const std::string text = references()["texts"][name].get<std::string>();
        QVERIFY2((*loaded)->decode((*loaded)->encode(text)) == text, name);
    }
    QCOMPARE((*loaded)->decode(std::vector<std::int32_t>{-5, 1 << 30}), std::string());
}

void TestTokenizer::invalidUtf8IsReplaced()
{
    const auto loaded = Tokenizer::load(kData + "tok_llama3");
    QVERIFY(loaded.ok());
    for (const Json& pair : references()["repaired"]) {
        const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(pair[0].get<std::string>()));
        const std::string raw = bytes.toStdString();
        const std::string repaired = pair[1].get<std::string>();
        std::size_t replaced = 0;
        QCOMPARE(repairedUtf8(raw, &replaced), repaired);
        QCOMPARE(isValidUtf8(raw), replaced == 0);
        QCOMPARE((*loaded)->encode(raw), (*loaded)->encode(repaired));
    }
}

// OPT's folders: GPT-2's merges, its own ids, special tokens by side files.
void TestTokenizer::optVocabulary()
{
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    std::ofstream(base + "/vocab.json")
        << "{\"<s>\":0,\"<pad>\":1,\"</s>\":2,\"a\":3,\"b\":4,\"ab\":5,\"\xc4\xa0\":6,\"\xc4\xa0"
           "ab\":7,\"<\":8,\"/\":9,\"s\":10,\">\":11}";
    std::ofstream(base + "/merges.txt") << "#version: 0.2\na b\n\xc4\xa0 ab\n";
    std::ofstream(base + "/special_tokens_map.json")
        << R"({"eos_token":{"content":"</s>","lstrip":true},"pad_token":"<pad>"})";
    const auto loaded = Tokenizer::load(base);
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE((*loaded)->encode("ab ab  </s>b<s>"), (std::vector<std::int32_t>{5, 7, 2, 4, 8, 10, 11}));
    QCOMPARE((*loaded)->vocabSize(), 12);
    QCOMPARE((*loaded)->decode(std::vector<std::int32_t>{5, 7, 2}), std::string("ab ab</s>"));
    std::ofstream(base + "/tokenizer_config.json") << R"({"add_prefix_space": true})";
    const auto prefixed = Tokenizer::load(base);
    QVERIFY(prefixed.ok());
    QCOMPARE((*prefixed)->encode("ab"), (std::vector<std::int32_t>{7}));
}

void TestTokenizer::refusedDocuments_data()
{
    QTest::addColumn<QString>("pointer"); // where llama3's document is changed
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("part");
    QTest::newRow("Unigram") << "/model/type"
                             << R"("Unigram")"
                             << "\"Unigram\"";
    QTest::newRow("WordPiece") << "/model/type"
                               << R"("WordPiece")"
                               << "the unknown token \"[UNK]\"";
    QTest::newRow("random merges") << "/model/dropout"
                                   << "0.1"
                                   << "dropout";
    QTest::newRow("no model") << "/model"
                              << "null"
                              << "\"model\"";
    QTest::newRow("no vocabulary") << "/model/vocab"
                                   << "null"
                                   << "\"vocab\"";
    QTest::newRow("vocabulary that is a list") << "/model/vocab"
                                               << "[1]"
                                               << "\"vocab\"";
    QTest::newRow("id that is a text") << "/model/vocab/!"
                                       << R"("x")"
                                       << "token \"!\"";
    QTest::newRow("negative id") << "/model/vocab/!"
                                 << "-1"
                                 << "token \"!\"";
    QTest::newRow("id beyond reason") << "/model/vocab/!"
                                      << "2147483647"
                                      << "token \"!\"";
    QTest::newRow("merge of unknown parts") << "/model/merges/0"
                                            << R"(["zz", "qq"])"
                                            << "not in the vocabulary";
    QTest::newRow("merge of three parts") << "/model/merges/0"
                                          << R"("a b c")"
                                          << "merge 0";
    QTest::newRow("normaliser") << "/normalizer"
                                << R"({"type": "Precompiled"})"
                                << "normaliser \"Precompiled\"";
    QTest::newRow("normaliser inside") << "/normalizer"
                                       << R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Shout"}]})"
                                       << "\"Shout\"";
    QTest::newRow("pre-tokeniser") << "/pre_tokenizer"
                                   << R"({"type": "UnicodeScripts"})"
                                   << "\"UnicodeScripts\"";
    QTest::newRow("split behaviour") << "/pre_tokenizer/pretokenizers/0/behavior"
                                     << R"("MergedWithAll")"
                                     << "MergedWithAll";
    QTest::newRow("split pattern") << "/pre_tokenizer/pretokenizers/0/pattern"
                                   << R"({"Regex": "(a"})"
                                   << "pattern \"(a\"";
    QTest::newRow("added token without an id") << "/added_tokens/0/id"
                                               << "null"
                                               << "added_tokens[0]";
    QTest::newRow("flag that is a text") << "/model/ignore_merges"
                                         << R"("yes")"
                                         << "ignore_merges";
}

void TestTokenizer::refusedDocuments()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, part);
    Json document = smallDocument("llama3");
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto loaded = loadDocument(document.dump());
    QVERIFY(!loaded.ok());
    const QString text = QString::fromStdString(loaded.error().text());
    QVERIFY2(text.contains(part) && text.contains("tokenizer.json") && !text.contains('\n'), qPrintable(text));
}

void TestTokenizer::refusedFolders_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("part");
    QTest::newRow("nothing") << "readme.md" << QByteArray("x") << "no tokeniser";
    QTest::newRow("BERT's vocabulary") << "vocab.txt" << QByteArray("[PAD]\n") << "vocab.txt";
    QTest::newRow("tiktoken") << "tokenizer.model" << QByteArray("IQ== 0\nIg== 1\n") << "tiktoken";
    QTest::newRow("empty model") << "tokenizer.model" << QByteArray() << "not a SentencePiece model";
    QTest::newRow("text for a model") << "tokenizer.model" << QByteArray("hello world") << "not a SentencePiece model";
    QTest::newRow("broken JSON") << "tokenizer.json" << QByteArray("{\"model\":") << "JSON";
    QTest::newRow("another JSON") << "tokenizer.json" << QByteArray("[]") << "not a JSON object";
}

void TestTokenizer::refusedFolders()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, part);
    QTemporaryDir folder;
    std::ofstream(folder.path().toStdString() + "/" + file.toStdString(), std::ios::binary) << content.toStdString();
    const auto loaded = Tokenizer::load(folder.path().toStdString());
    QVERIFY(!loaded.ok());
    const QString text = QString::fromStdString(loaded.error().text());
    QVERIFY2(text.contains(part) && text.contains(folder.path()) && !text.contains('\n'), qPrintable(text));
    QVERIFY(!Tokenizer::load(folder.path().toStdString() + "/none").ok());
}

// The error of an unsupported tokenizer.json stays where tokenizer.model is no help.
void TestTokenizer::sentencePieceBesidesJson()
{
    QTemporaryDir both;
    fs::copy_file(kData + "tok_sentencepiece/tokenizer.model", both.path().toStdString() + "/tokenizer.model");
    std::ofstream(both.path().toStdString() + "/tokenizer.json") << R"({"model": {"type": "Unigram"}})";
    const auto taken = Tokenizer::load(both.path().toStdString());
    QVERIFY2(taken.ok(), taken ? "" : taken.error().text().c_str());
    QCOMPARE((*taken)->name(), std::string("SentencePiece (tokenizer.model)"));

    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    std::ofstream(base + "/tokenizer.json") << R"({"model": {"type": "Unigram"}})";
    std::ofstream(base + "/tokenizer.model") << "hello";
    const auto loaded = Tokenizer::load(base);
    QVERIFY(!loaded.ok());
    QVERIFY(loaded.error().text().find("Unigram") != std::string::npos);
}

void TestTokenizer::splits_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<int>("behavior");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("pieces");
    const int isolated = static_cast<int>(SplitBehavior::Isolated);
    const int rest = static_cast<int>(SplitBehavior::Removed);
    const int matches = kInverted + rest;
    QTest::newRow("isolated") << "b+" << isolated << "abbc" << QStringList{"a", "bb", "c"};
    QTest::newRow("matches removed") << "b+" << rest << "abbc" << QStringList{"a", "c"};
    QTest::newRow("matches kept") << "b+" << matches << "abbc" << QStringList{"bb"};
    QTest::newRow("empty matches cut") << "x*" << isolated << "abxxc" << QStringList{"a", "b", "xx", "c"};
    QTest::newRow("a place is a match") << "(?<=[a-z])(?=[A-Z])" << rest << "camelCaseB"
                                        << QStringList{"camel", "Case", "B"};
    QTest::newRow("no match") << "x" << isolated << "ab" << QStringList{"ab"};
    QTest::newRow("Mongolian vowel separator is no space")
        << "\\s" << matches << QString("a\u180eb c") << QStringList{" "};
    QTest::newRow("no-break space is one") << "\\s" << matches << QString("a\u00a0b") << QStringList{QString("\u00a0")};
    QTest::newRow("a superscript is a word character alone")
        << "\\w" << matches << QString("\u00b2") << QStringList{QString("\u00b2")};
    QTest::newRow("and not in a class") << "[\\w]" << matches << QString("\u00b2") << QStringList{};
    QTest::newRow("h is a hexadecimal digit") << "\\h+" << matches << "xyz 1aF" << QStringList{"1aF"};
    QTest::newRow("code point") << "\\u00e9" << matches << QString("e\u00e9") << QStringList{QString("\u00e9")};
    QTest::newRow("long s has the case of s")
        << "(?i:'s)" << matches << QString("it'\u017f") << QStringList{QString("'\u017f")};
    QTest::newRow("a script without what it shares")
        << "\\p{Han}+" << matches << QString("\u6f22\u3001\u5b57") << QStringList{QString("\u6f22"), QString("\u5b57")};
    QTest::newRow("the end of a line is an end") << "a$" << matches << "a\na" << QStringList{"a", "a"};
}

void TestTokenizer::splits()
{
    QFETCH(QString, pattern);
    QFETCH(int, behavior);
    QFETCH(QString, text);
    QFETCH(QStringList, pieces);
    const SplitRule rule{static_cast<SplitBehavior>(behavior % kInverted), behavior >= kInverted};
    const auto splitter = RegexSplitter::fromPattern(pattern.toStdString(), rule);
    QVERIFY2(splitter.ok(), splitter ? "" : splitter.error().text().c_str());
    const std::string bytes = text.toStdString();
    std::vector<std::string_view> found;
    splitter->split(bytes, found);
    QStringList got;
    for (const std::string_view piece : found)
        got.append(QString::fromUtf8(piece.data(), static_cast<qsizetype>(piece.size())));
    QCOMPARE(got, pieces);
}

void TestTokenizer::refusedPatterns_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("part");
    QTest::newRow("class inside a class") << "[a[bc]]"
                                          << "class inside a class";
    QTest::newRow("intersection") << "[a-z&&b]"
                                  << "intersection";
    QTest::newRow("possessive interval") << "a{1,3}+"
                                         << "interval";
    QTest::newRow("dot-all option") << "(?m:a)"
                                    << "group";
    QTest::newRow("verb") << "(*FAIL)"
                          << "(*";
    QTest::newRow("backreference") << "(a)\\1"
                                   << "\\1";
    QTest::newRow("backslash at the end") << "a\\"
                                          << "backslash";
    QTest::newRow("open group") << "(a"
                                << "parenthes";
    QTest::newRow("unknown property") << "\\p{NoSuchThing}"
                                      << "NoSuchThing";
}

void TestTokenizer::refusedPatterns()
{
    QFETCH(QString, pattern);
    QFETCH(QString, part);
    const auto splitter = RegexSplitter::fromPattern(pattern.toStdString(), {});
    QVERIFY(!splitter.ok());
    QVERIFY2(QString::fromStdString(splitter.error().text()).contains(part), splitter.error().text().c_str());
}

// Every member of a small document in turn becomes something else; loading gives a tokeniser or one line.
void TestTokenizer::brokenDocumentsNeverCrash()
{
    Json document = smallDocument("llama2");
    document["model"]["merges"] = Json::array({"a b"});
    document["model"]["vocab"] = {{"a", 0}, {"b", 1}, {"ab", 2}, {"<unk>", 3}};
    const Json flat = document.flatten();
    int errors = 0;
    for (const auto& [pointer, value] : flat.items()) {
        for (const char* other : {"null", "7", "-1", "\"\"", "[]", "{}", "[[1]]", "true", "1e300"}) {
            Json broken = document;
            broken[Json::json_pointer(pointer)] = Json::parse(other);
            const auto loaded = loadDocument(broken.dump());
            if (loaded)
                (*loaded)->encode("ab ab <s> \xff");
            else
                ++errors;
        }
    }
    QVERIFY(errors > 50);
}

PEAKSCOPE_GUILESS_TEST(TestTokenizer)
#include "test_tokenizer.moc"
