// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenisers that people train themselves: every normaliser, pre-tokeniser and model that tokenizer.json may have,
// against the ids of Hugging Face's tokenizers 0.23 (make_own_tokenizer_references.py).
#include "core/base/utf8.h"
#include "core/text/tokenizer.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

const Json& references()
{
    static const Json document = [] {
        std::ifstream stream(PEAKSCOPE_SOURCE_DIR "/tests/core/data/own_tokenizer_references.json", std::ios::binary);
        return Json::parse(stream);
    }();
    return document;
}

// Each letter where it begins a word, and, marked, where it does not.
Json letterModel()
{
    Json vocabulary = {{"<unk>", 0}};
    const auto letters = references()["letters"].get<std::string>();
    int next = 1;
    for (std::size_t position = 0; position < letters.size();) {
        const std::size_t bytes = utf8At(letters, position).bytes;
        const std::string letter = letters.substr(position, bytes);
        vocabulary[letter] = next++;
        vocabulary["##" + letter] = next++;
        position += bytes;
    }
    return {{"type", "WordPiece"},
            {"unk_token", "<unk>"},
            {"continuing_subword_prefix", "##"},
            {"vocab", vocabulary},
            {"max_input_chars_per_word", 1000}};
}

Json plainWords()
{
    return {{"type", "WordLevel"}, {"unk_token", "<unk>"}, {"vocab", {{"<unk>", 0}, {"the", 1}, {"fox", 2}}}};
}

Result<std::unique_ptr<Tokenizer>> load(const Json& document)
{
    QTemporaryDir folder;
    std::ofstream(folder.path().toStdString() + "/tokenizer.json", std::ios::binary) << document.dump();
    return Tokenizer::load(folder.path().toStdString());
}

const Json& named(const char* list, const QString& name)
{
    for (const Json& entry : references()[list]) {
        if (entry["name"].get<std::string>() == name.toStdString())
            return entry;
    }
    static const Json none;
    return none;
}

void addNames(const char* list)
{
    QTest::addColumn<QString>("name");
    for (const Json& entry : references()[list]) {
        const auto name = entry["name"].get<std::string>();
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

} // namespace

class TestOwnTokenizers : public QObject
{
    Q_OBJECT

private slots:
    void steps_data() { addNames("cases"); }
    void steps();
    void models_data() { addNames("models"); }
    void models();
    void postProcessorsAddNothing();
    void addedTokensAreNormalized();
    void addedTokensAreCounted();
    void wordsAreDecoded();
    void unknownTokenThatIsNone();
    void refused_data();
    void refused();
};

void TestOwnTokenizers::steps()
{
    QFETCH(QString, name);
    const Json& entry = named("cases", name);
    const auto loaded = load(
        {{"normalizer", entry["normalizer"]}, {"pre_tokenizer", entry["pre_tokenizer"]}, {"model", letterModel()}});
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    for (std::size_t i = 0; i < references()["texts"].size(); ++i)
        QCOMPARE((*loaded)->encode(references()["texts"][i].get<std::string>()),
                 entry["ids"][i].get<std::vector<std::int32_t>>());
}

void TestOwnTokenizers::models()
{
    QFETCH(QString, name);
    const Json& entry = named("models", name);
    const auto loaded = load(entry["document"]);
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE((*loaded)->encode(references()["line"].get<std::string>()), entry["ids"].get<std::vector<std::int32_t>>());
}

void TestOwnTokenizers::postProcessorsAddNothing()
{
    for (
        const char* processor :
        {R"({"type":"BertProcessing","sep":["the",1],"cls":["fox",2]})",
         R"({"type":"RobertaProcessing","sep":["the",1],"cls":["fox",2],"trim_offsets":true,"add_prefix_space":true})",
         R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"the","type_id":0}}],"pair":[],"special_tokens":{}})",
         R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true})"}) {
        const auto loaded = load({{"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                                  {"model", plainWords()},
                                  {"post_processor", Json::parse(processor)}});
        QVERIFY2(loaded.ok(), processor);
        QCOMPARE((*loaded)->encode("the dog fox"), (std::vector<std::int32_t>{1, 0, 2}));
    }
}

// The token is looked for in its own normal form, in the text's.
void TestOwnTokenizers::addedTokensAreNormalized()
{
    const Json token = {{"id", 3}, {"content", "<MASK>"}, {"normalized", true}, {"special", false}};
    const auto loaded = load({{"added_tokens", {token}},
                              {"normalizer", {{"type", "Lowercase"}}},
                              {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                              {"model", plainWords()}});
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE((*loaded)->encode("The<mask>FOX<Mask>"), (std::vector<std::int32_t>{1, 3, 2, 3}));
}

// tokenizers 0.23.3 goes by the vocabulary and its size, whatever id the file gives an added token.
void TestOwnTokenizers::addedTokensAreCounted()
{
    const auto token = [](const char* content, int id) { return Json{{"id", id}, {"content", content}}; };
    const auto loaded = load({{"added_tokens", {token("<a>", 7), token("fox", 9), token("<b>", 8), token("<a>", 10)}},
                              {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                              {"model", plainWords()}});
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE((*loaded)->encode("<b>fox<a> the"), (std::vector<std::int32_t>{4, 2, 3, 1}));
    QCOMPARE((*loaded)->vocabSize(), 5);
}

void TestOwnTokenizers::wordsAreDecoded()
{
    const auto words = load({{"pre_tokenizer", {{"type", "WhitespaceSplit"}}}, {"model", plainWords()}});
    QVERIFY2(words.ok(), words ? "" : words.error().text().c_str());
    QCOMPARE((*words)->decode((*words)->encode("the fox dog")), std::string("the fox <unk>"));
    QCOMPARE((*words)->vocabSize(), 3);
    const auto pieces = load({{"pre_tokenizer", {{"type", "BertPreTokenizer"}}}, {"model", letterModel()}});
    QVERIFY2(pieces.ok(), pieces ? "" : pieces.error().text().c_str());
    QCOMPARE((*pieces)->decode((*pieces)->encode("fox an fen")), std::string("fox an fen"));
    const auto marked = load(named("models", "BPE prefix and suffix")["document"]);
    QVERIFY2(marked.ok(), marked ? "" : marked.error().text().c_str());
    QCOMPARE((*marked)->decode((*marked)->encode("the t the")), std::string("the t the "));
    Json scored = named("models", "Unigram bytes")["document"];
    scored["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "~"}, {"prepend_scheme", "never"}};
    scored["model"]["vocab"].push_back({"~", -5});
    const auto unigram = load(scored);
    QVERIFY2(unigram.ok(), unigram ? "" : unigram.error().text().c_str());
    QCOMPARE((*unigram)->decode((*unigram)->encode("the \u6f22 abc")), std::string("the \u6f22 abc"));
}

// It is needed where a character may be unknown, and not where every byte has a token.
void TestOwnTokenizers::unknownTokenThatIsNone()
{
    Json document = named("models", "BPE")["document"];
    document["model"]["unk_token"] = "<what>";
    const auto needed = load(document);
    QVERIFY(!needed.ok());
    QVERIFY2(needed.error().text().find("\"<what>\" is not in the vocabulary") != std::string::npos,
             needed.error().text().c_str());

    std::ifstream stream(PEAKSCOPE_SOURCE_DIR "/tests/core/data/tok_llama3/tokenizer.json", std::ios::binary);
    document = Json::parse(stream);
    document["model"]["unk_token"] = "<what>";
    QVERIFY(load(document).ok());
    document["model"]["vocab"].erase("!");
    document["model"]["merges"] = Json::array();
    QVERIFY(!load(document).ok());
}

void TestOwnTokenizers::refused_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* part) {
        QTest::newRow(name) << pointer << value << part;
    };
    row("a normaliser by a table", "/normalizer", R"({"type":"Precompiled","precompiled_charsmap":"AAAA"})",
        "the normaliser \"Precompiled\" is not supported");
    row("replacing nothing", "/normalizer", R"({"type":"Replace","content":"x"})", "\"Replace\" without");
    row("a pattern of another kind", "/normalizer", R"({"type":"Replace","pattern":{"Regex":"[a[b]]"},"content":"x"})",
        "the normaliser \"Replace\": the pattern \"[a[b]]\"");
    row("a sequence of nothing", "/normalizer", R"({"type":"Sequence"})", "no \"normalizers\" that is an array");
    row("a delimiter of two", "/pre_tokenizer", R"({"type":"CharDelimiterSplit","delimiter":"ab"})",
        "\"delimiter\" that is one character");
    row("pieces of no length", "/pre_tokenizer", R"({"type":"FixedLength","length":0})",
        "\"length\" is 0; a whole number above 0 is needed");
    row("cutting by scripts", "/pre_tokenizer", R"({"type":"UnicodeScripts"})", "\"UnicodeScripts\" is not supported");
    row("a behaviour that is none", "/pre_tokenizer", R"({"type":"Punctuation","behavior":"Mixed"})", "\"Mixed\"");
    row("another kind of model", "/model/type", R"("Bigram")", "the tokeniser model \"Bigram\"");
    row("no list of scores", "/model/type", R"("Unigram")", "\"Unigram\" has no \"vocab\" that is an array");
    row("a score that is a text", "/model", R"({"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a","b"]]})",
        "token 1 of \"vocab\"");
    row("an unknown token beyond all", "/model", R"({"type":"Unigram","unk_id":1,"vocab":[["<unk>",0]]})",
        "\"unk_id\" is 1");
    row("no unknown token", "/model", R"({"type":"Unigram","unk_id":null,"vocab":[["<unk>",0]]})",
        "\"unk_id\" is null");
    row("a letter's blanks go before the first", "",
        R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"first"}})",
        "behind a normaliser that puts text between");
    row("what is replaced is a place", "",
        R"({"normalizer":{"type":"Replace","pattern":{"Regex":"x*"},"content":"-"},)"
        R"("pre_tokenizer":{"type":"Metaspace","prepend_scheme":"first"}})",
        "behind a normaliser that puts text between");
    row("an unknown token that is not there", "/model/unk_token", R"("[UNK]")",
        "the unknown token \"[UNK]\" is not in the vocabulary");
    row("a negative id", "/model/vocab/fox", "-2", "token \"fox\"");
}

void TestOwnTokenizers::refused()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, part);
    Json document = {{"model", plainWords()}};
    QVERIFY(load(document).ok());
    document[Json::json_pointer(pointer.toStdString())].merge_patch(Json::parse(value.toStdString()));
    const auto loaded = load(document);
    QVERIFY(!loaded.ok());
    const QString text = QString::fromStdString(loaded.error().text());
    QVERIFY2(text.contains(part) && text.contains("tokenizer.json") && !text.contains('\n'), qPrintable(text));
}

PEAKSCOPE_GUILESS_TEST(TestOwnTokenizers)
#include "test_own_tokenizers.moc"
