// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.json as Hugging Face's tokenizers writes it. Its truncation, padding, post-processor and decoder are for
// prompts and not for training text, and not read.
#include "core/text/pipeline_tokenizer.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/utf8.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::pair<std::string_view, SplitBehavior> kBehaviors[] = {
    {"Isolated", SplitBehavior::Isolated},
    {"Removed", SplitBehavior::Removed},
    {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
    {"MergedWithNext", SplitBehavior::MergedWithNext},
    {"Contiguous", SplitBehavior::Contiguous},
};

std::optional<NormalForm> normalFormOf(std::string_view type)
{
    constexpr std::pair<std::string_view, NormalForm> kForms[] = {
        {"NFC", NormalForm::Nfc}, {"NFD", NormalForm::Nfd}, {"NFKC", NormalForm::Nfkc}, {"NFKD", NormalForm::Nfkd}};
    for (const auto& [name, form] : kForms) {
        if (type == name)
            return form;
    }
    return std::nullopt;
}

// What serde_json makes of a number that was written in as few digits as name it: those digits by a power of ten, each
// rounded, which is not always the nearest. Of two ways to cut a word whose scores are equal it decides.
double asTokenizersReads(double value)
{
    char buffer[40];
    const char* end =
        std::to_chars(std::begin(buffer), std::end(buffer), std::abs(value), std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t mark = text.find('e');
    std::uint64_t digits = 0;
    int places = 0;
    for (const char c : text.substr(0, mark)) {
        if (c == '.')
            continue;
        digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
        ++places;
    }
    const int power = std::atoi(std::string(text.substr(mark + 1)).c_str()) - (places - 1);
    const double ten = std::strtod(fmt::format("1e{}", std::min(std::abs(power), 308)).c_str(), nullptr);
    const double size = power < 0 ? static_cast<double>(digits) / ten : static_cast<double>(digits) * ten;
    return std::copysign(size, value);
}

class TokenizerJsonReader
{
public:
    TokenizerJsonReader(const Json& document, std::string path) : m_document(document), m_path(std::move(path)) {}

    Result<TokenizerParts> read();

private:
    void fail(const std::string& message)
    {
        if (!m_error)
            m_error = badInput(m_path, message);
    }
    void refuse(std::string_view part, std::string_view what)
    {
        fail(fmt::format("{} {} is not supported", part, what));
    }
    bool flag(const Json& object, const char* key, bool otherwise);
    std::string text(const Json& object, const char* key, const std::string& otherwise);
    std::size_t count(const Json& object, const char* key, std::size_t otherwise);

    void readAddedTokens();
    void readSteps(const Json& sequence, const char* key, void (TokenizerJsonReader::*readStep)(const Json& step));
    void readNormalizer(const Json& step);
    void readBertNormalizer(const Json& step);
    void readReplace(const Json& step);
    void readPreTokenizer(const Json& step);
    SplitBehavior behaviorOf(const Json& step, const std::string& type, const std::string& otherwise);
    void readSplit(const Json& step);
    void readByteLevel(const Json& step);
    void readMetaspace(const Json& step);
    void addSplitter(Result<RegexSplitter> splitter);
    void readModel();
    void readBytePairs(const Json& model);
    void readWords(const Json& model, bool cutsWords);
    void readUnigram(const Json& model);
    template <typename Model>
    void take(const std::string& name, Result<Model> model);
    void numberAddedTokens(const Vocabulary& vocabulary, std::size_t size);
    Vocabulary readVocabulary(const Json& model);
    MergeList readMerges(const Json& model);

    const Json& m_document;
    std::string m_path;
    std::optional<Error> m_error;
    TokenizerParts m_parts;
    bool m_insertsText = false; // a normaliser does, between characters
    bool m_isByteLevel = false; // tokens are written in GPT-2's characters
};

bool TokenizerJsonReader::flag(const Json& object, const char* key, bool otherwise)
{
    const Json* value = lenient::find(object, key);
    if (value && !value->is_boolean())
        fail(fmt::format("\"{}\" is {}; true or false is needed", key, describeJson(*value)));
    return lenient::flag(object, key, otherwise);
}

std::string TokenizerJsonReader::text(const Json& object, const char* key, const std::string& otherwise)
{
    const Json* value = lenient::find(object, key);
    if (value && !value->is_string())
        fail(fmt::format("\"{}\" is {}; a string is needed", key, describeJson(*value)));
    return value ? jsonAs<std::string>(*value).value_or(otherwise) : otherwise;
}

std::size_t TokenizerJsonReader::count(const Json& object, const char* key, std::size_t otherwise)
{
    const Json* value = lenient::find(object, key);
    const auto number = value ? jsonInteger(*value) : static_cast<std::int64_t>(otherwise);
    if (!number || *number < 1) {
        fail(fmt::format("\"{}\" is {}; a whole number above 0 is needed", key, describeJson(*value)));
        return otherwise;
    }
    return static_cast<std::size_t>(*number);
}

void TokenizerJsonReader::readAddedTokens()
{
    const Json* tokens = lenient::find(m_document, "added_tokens");
    if (tokens && !tokens->is_array())
        return fail("\"added_tokens\" is not an array");
    for (std::size_t i = 0; tokens && i < tokens->size(); ++i) {
        const Json& entry = (*tokens)[i];
        const Json* id = lenient::find(entry, "id");
        const auto number = id ? jsonInteger(*id) : std::nullopt;
        if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max())
            return fail(fmt::format("added_tokens[{}] has no \"id\" that is a token's", i));
        AddedToken token;
        token.id = static_cast<std::int32_t>(*number);
        token.content = text(entry, "content", {});
        token.singleWord = flag(entry, "single_word", false);
        token.stripLeft = flag(entry, "lstrip", false);
        token.stripRight = flag(entry, "rstrip", false);
        token.special = flag(entry, "special", false);
        token.normalized = flag(entry, "normalized", !token.special);
        m_parts.addedTokens.push_back(std::move(token));
    }
}

void TokenizerJsonReader::readSteps(const Json& sequence, const char* key,
                                    void (TokenizerJsonReader::*readStep)(const Json& step))
{
    const Json* steps = lenient::find(sequence, key);
    if (!steps || !steps->is_array())
        return fail(fmt::format("a \"Sequence\" has no \"{}\" that is an array", key));
    for (const Json& step : *steps)
        (this->*readStep)(step);
}

// tokenizers goes by the vocabulary, and counts on from its size; what the file says of an added token's id is a
// comment.
void TokenizerJsonReader::numberAddedTokens(const Vocabulary& vocabulary, std::size_t size)
{
    Vocabulary added;
    auto next = static_cast<std::int32_t>(size);
    for (AddedToken& token : m_parts.addedTokens) {
        if (token.content.empty())
            continue;
        const auto known = vocabulary.find(token.content);
        const auto [own, isNew] = added.try_emplace(token.content, known == vocabulary.end() ? next : known->second);
        token.id = own->second;
        next += isNew && known == vocabulary.end();
    }
}

void TokenizerJsonReader::readNormalizer(const Json& step)
{
    Normalizer& normalizer = m_parts.normalizer;
    const std::string type = text(step, "type", {});
    if (const auto form = normalFormOf(type)) {
        normalizer.add(*form);
    } else if (type == "Sequence") {
        readSteps(step, "normalizers", &TokenizerJsonReader::readNormalizer);
    } else if (type == "Prepend") {
        normalizer.add(PrependStep{text(step, "prepend", {})});
    } else if (type == "Replace") {
        readReplace(step);
    } else if (type == "Lowercase") {
        normalizer.add(CharactersStep{characters::lowercase});
    } else if (type == "Strip") {
        normalizer.add(StripStep{flag(step, "strip_left", true), flag(step, "strip_right", true)});
    } else if (type == "StripAccents") {
        normalizer.add(CharactersStep{characters::stripAccents});
    } else if (type == "Nmt") {
        normalizer.add(CharactersStep{characters::nmt});
    } else if (type == "ByteLevel") {
        normalizer.add(CharactersStep{characters::bytes});
        m_isByteLevel = true;
    } else if (type == "BertNormalizer") {
        readBertNormalizer(step);
    } else {
        refuse("the normaliser", quotedText(type));
    }
}

void TokenizerJsonReader::readBertNormalizer(const Json& step)
{
    Normalizer& normalizer = m_parts.normalizer;
    const bool lowercase = flag(step, "lowercase", true);
    if (flag(step, "clean_text", true))
        normalizer.add(CharactersStep{characters::bertClean});
    const bool spacesIdeographs = flag(step, "handle_chinese_chars", true);
    m_insertsText = m_insertsText || spacesIdeographs;
    if (spacesIdeographs)
        normalizer.add(CharactersStep{characters::bertSpaceIdeographs});
    if (flag(step, "strip_accents", lowercase)) {
        normalizer.add(NormalForm::Nfd);
        normalizer.add(CharactersStep{characters::bertStripAccents});
    }
    if (lowercase)
        normalizer.add(CharactersStep{characters::lowercase});
}

void TokenizerJsonReader::readReplace(const Json& step)
{
    const Json& pattern = lenient::object(step, "pattern");
    const std::string to = text(step, "content", {});
    if (lenient::find(pattern, "Regex")) {
        auto made = RegexSplitter::fromPattern(text(pattern, "Regex", {}), {});
        if (!made)
            return fail("the normaliser \"Replace\": " + made.error().text());
        m_insertsText = m_insertsText || made->mayMatchNothing();
        m_parts.normalizer.add(ReplacePatternStep{std::move(*made), to});
        return;
    }
    const std::string from = text(pattern, "String", {});
    if (from.empty())
        return refuse("the normaliser", "\"Replace\" without a \"String\" or a \"Regex\" to look for");
    if (from == " ")
        m_parts.spaceMark = to;
    m_parts.normalizer.add(ReplaceStep{from, to});
}

void TokenizerJsonReader::readPreTokenizer(const Json& step)
{
    PreTokenizer& preTokenizer = m_parts.preTokenizer;
    const SplitRule removed{SplitBehavior::Removed};
    const std::string type = text(step, "type", {});
    if (type == "Sequence") {
        readSteps(step, "pretokenizers", &TokenizerJsonReader::readPreTokenizer);
    } else if (type == "Split") {
        readSplit(step);
    } else if (type == "ByteLevel") {
        readByteLevel(step);
    } else if (type == "Metaspace") {
        readMetaspace(step);
    } else if (type == "Whitespace") {
        preTokenizer.add(WordsStep{});
    } else if (type == "WhitespaceSplit") {
        preTokenizer.add(CharacterStep{isSpace, 0, removed});
    } else if (type == "BertPreTokenizer") {
        preTokenizer.add(CharacterStep{isSpace, 0, removed});
        preTokenizer.add(CharacterStep{isPunctuation, 0, {}});
    } else if (type == "Punctuation") {
        preTokenizer.add(CharacterStep{isPunctuation, 0, {behaviorOf(step, type, "Isolated")}});
    } else if (type == "Digits") {
        const bool alone = flag(step, "individual_digits", false);
        preTokenizer.add(CharacterStep{isNumber, 0, {alone ? SplitBehavior::Isolated : SplitBehavior::Contiguous}});
    } else if (type == "CharDelimiterSplit") {
        const std::string delimiter = text(step, "delimiter", {});
        if (delimiter.empty() || utf8At(delimiter, 0).bytes != delimiter.size())
            return fail("the pre-tokeniser \"CharDelimiterSplit\" has no \"delimiter\" that is one character");
        preTokenizer.add(CharacterStep{nullptr, utf8At(delimiter, 0).codePoint, removed});
    } else if (type == "FixedLength") {
        preTokenizer.add(LengthStep{count(step, "length", 5)});
    } else {
        refuse("the pre-tokeniser", quotedText(type));
    }
}

SplitBehavior TokenizerJsonReader::behaviorOf(const Json& step, const std::string& type, const std::string& otherwise)
{
    const std::string name = text(step, "behavior", otherwise);
    for (const auto& [known, behavior] : kBehaviors) {
        if (name == known)
            return behavior;
    }
    refuse(fmt::format("the pre-tokeniser \"{}\" with the behaviour", type), quotedText(name));
    return SplitBehavior::Isolated;
}

void TokenizerJsonReader::addSplitter(Result<RegexSplitter> splitter)
{
    if (!splitter)
        return fail("the pre-tokeniser: " + splitter.error().text());
    m_parts.preTokenizer.add(std::move(*splitter));
}

void TokenizerJsonReader::readSplit(const Json& step)
{
    const SplitRule rule{behaviorOf(step, "Split", {}), flag(step, "invert", false)};
    const Json* pattern = lenient::find(step, "pattern");
    if (pattern && lenient::find(*pattern, "Regex"))
        addSplitter(RegexSplitter::fromPattern(text(*pattern, "Regex", {}), rule));
    else if (pattern && lenient::find(*pattern, "String"))
        addSplitter(RegexSplitter::fromText(text(*pattern, "String", {}), rule));
    else
        fail("the pre-tokeniser \"Split\" has no \"pattern\"");
}

void TokenizerJsonReader::readByteLevel(const Json& step)
{
    m_isByteLevel = true;
    if (flag(step, "add_prefix_space", true))
        m_parts.preTokenizer.add(SpaceBeforeStep{});
    if (flag(step, "use_regex", true))
        addSplitter(RegexSplitter::fromPattern(kGpt2Pattern, {}));
    m_parts.preTokenizer.add(ByteCharactersStep{});
}

void TokenizerJsonReader::readMetaspace(const Json& step)
{
    MetaspaceStep made;
    made.replacement = text(step, "replacement", made.replacement);
    made.split = flag(step, "split", true);
    const std::string scheme = text(step, "prepend_scheme", flag(step, "add_prefix_space", true) ? "always" : "never");
    if (scheme == "first" && m_insertsText)
        return refuse("the pre-tokeniser \"Metaspace\" with the prepend scheme \"first\"",
                      "behind a normaliser that puts text between characters");
    if (scheme == "first")
        made.prepend = MetaspaceStep::Prepend::First;
    else if (scheme == "never")
        made.prepend = MetaspaceStep::Prepend::Never;
    else if (scheme != "always")
        return refuse("the pre-tokeniser \"Metaspace\" with the prepend scheme", quotedText(scheme));
    if (made.replacement.empty())
        return fail("the pre-tokeniser \"Metaspace\" has an empty \"replacement\"");
    m_parts.spaceMark = made.replacement;
    m_parts.preTokenizer.add(std::move(made));
}

Vocabulary TokenizerJsonReader::readVocabulary(const Json& model)
{
    Vocabulary vocabulary;
    const Json* tokens = lenient::find(model, "vocab");
    if (!tokens || !tokens->is_object()) {
        fail("the tokeniser model has no \"vocab\" that is an object");
        return vocabulary;
    }
    vocabulary.reserve(tokens->size());
    for (const auto& [token, id] : tokens->items()) {
        const auto number = jsonInteger(id);
        if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
            fail(fmt::format("token {} has {} for its id", quotedText(token), describeJson(id)));
            return vocabulary;
        }
        vocabulary.emplace(token, static_cast<std::int32_t>(*number));
    }
    return vocabulary;
}

// Each merge is "a b", or ["a", "b"] since a part may have a space in it.
MergeList TokenizerJsonReader::readMerges(const Json& model)
{
    MergeList merges;
    const Json* list = lenient::find(model, "merges");
    if (!list || !list->is_array()) {
        fail("the tokeniser model has no \"merges\" that is an array");
        return merges;
    }
    merges.reserve(list->size());
    for (const Json& entry : *list) {
        if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
            merges.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
            continue;
        }
        const std::string pair = entry.is_string() ? entry.get<std::string>() : std::string();
        const auto space = pair.find(' ');
        if (space == std::string::npos || pair.find(' ', space + 1) != std::string::npos) {
            fail(fmt::format("merge {} is {}; two parts with a space between them are needed", merges.size(),
                             describeJson(entry)));
            return merges;
        }
        merges.emplace_back(pair.substr(0, space), pair.substr(space + 1));
    }
    return merges;
}

void TokenizerJsonReader::readModel()
{
    const Json* model = lenient::find(m_document, "model");
    if (!model || !model->is_object())
        return fail("no \"model\" object: not a tokeniser of Hugging Face's tokenizers");
    const std::string type = text(*model, "type", "BPE"); // files from before the key existed are all of this type
    if (type == "BPE")
        readBytePairs(*model);
    else if (type == "WordLevel" || type == "WordPiece")
        readWords(*model, type == "WordPiece");
    else if (type == "Unigram")
        readUnigram(*model);
    else
        refuse("the tokeniser model",
               quotedText(type) + " (\"BPE\", \"WordLevel\", \"WordPiece\" and \"Unigram\" are)");
}

void TokenizerJsonReader::readBytePairs(const Json& model)
{
    const Json* dropout = lenient::find(model, "dropout");
    if (dropout && !(dropout->is_number() && dropout->get<double>() == 0))
        return refuse("the tokeniser model's", "\"dropout\" (random merges)");
    BpeOptions options;
    options.ignoreMerges = flag(model, "ignore_merges", false);
    options.byteFallback = flag(model, "byte_fallback", false);
    options.fuseUnknown = flag(model, "fuse_unk", false);
    options.unknownToken = text(model, "unk_token", {});
    options.continuingPrefix = text(model, "continuing_subword_prefix", {});
    options.wordSuffix = text(model, "end_of_word_suffix", {});
    // The usual case goes without writing the bytes as characters.
    const bool isPlain = !options.byteFallback && options.continuingPrefix.empty() && options.wordSuffix.empty();
    options.byteLevel = isPlain && m_parts.preTokenizer.dropByteCharacters();
    options.byteTexts = m_isByteLevel;
    const Vocabulary vocabulary = readVocabulary(model);
    const MergeList merges = readMerges(model);
    numberAddedTokens(vocabulary, vocabulary.size());
    if (!m_error)
        take("byte-pair encoding", BpeModel::create(vocabulary, merges, options));
}

void TokenizerJsonReader::readWords(const Json& model, bool cutsWords)
{
    WordModelOptions options;
    options.cutsWords = cutsWords;
    options.byteTexts = m_isByteLevel;
    options.unknownToken = text(model, "unk_token", cutsWords ? "[UNK]" : "<unk>");
    if (cutsWords) {
        options.continuingPrefix = text(model, "continuing_subword_prefix", "##");
        options.longestWord = count(model, "max_input_chars_per_word", options.longestWord);
    }
    const Vocabulary vocabulary = readVocabulary(model);
    numberAddedTokens(vocabulary, vocabulary.size());
    if (!m_error)
        take(cutsWords ? "word pieces" : "words", WordModel::create(vocabulary, options));
}

void TokenizerJsonReader::readUnigram(const Json& model)
{
    const Json* list = lenient::find(model, "vocab");
    if (!list || !list->is_array())
        return fail("the tokeniser model \"Unigram\" has no \"vocab\" that is an array");
    std::vector<ScoredToken> tokens;
    Vocabulary vocabulary;
    for (const Json& entry : *list) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            return fail(fmt::format("token {} of \"vocab\" is {}; a text and its score are needed", tokens.size(),
                                    describeJson(entry)));
        tokens.push_back({entry[0].get<std::string>(), asTokenizersReads(entry[1].get<double>())});
        vocabulary.insert_or_assign(tokens.back().text, static_cast<std::int32_t>(tokens.size() - 1));
    }
    numberAddedTokens(vocabulary, tokens.size());
    const Json& unknown = lenient::member(model, "unk_id");
    const auto unknownId = jsonInteger(unknown);
    if (!unknownId || *unknownId < 0 || *unknownId >= static_cast<std::int64_t>(tokens.size()))
        return fail(fmt::format("\"unk_id\" is {}; the id of the token for unknown characters is needed",
                                describeJson(unknown)));
    UnigramOptions options;
    options.unknownId = static_cast<std::int32_t>(*unknownId);
    options.byteFallback = flag(model, "byte_fallback", false);
    options.byteTexts = m_isByteLevel;
    if (!m_error)
        take("tokens with scores", Result<UnigramModel>(UnigramModel(tokens, options)));
}

template <typename Model>
void TokenizerJsonReader::take(const std::string& name, Result<Model> model)
{
    if (!model)
        return fail(model.error().message);
    m_parts.model = std::move(*model);
    m_parts.name = name + " (tokenizer.json)";
}

Result<TokenizerParts> TokenizerJsonReader::read()
{
    if (!m_document.is_object())
        return badInput(m_path, "not a JSON object");
    readAddedTokens();
    if (const Json* normalizer = lenient::find(m_document, "normalizer"))
        readNormalizer(*normalizer);
    if (const Json* preTokenizer = lenient::find(m_document, "pre_tokenizer"))
        readPreTokenizer(*preTokenizer);
    readModel();
    if (m_error)
        return *m_error;
    return std::move(m_parts);
}

} // namespace

Result<std::unique_ptr<Tokenizer>> loadTokenizerJson(const std::filesystem::path& file)
{
    const auto content = readTextFile(file, kLargestTokenizerFile);
    if (!content)
        return content.error();
    const auto document = parseJson(*content, file.string());
    if (!document)
        return document.error();
    auto parts = TokenizerJsonReader(*document, file.string()).read();
    if (!parts)
        return parts.error();
    return makePipelineTokenizer(std::move(*parts));
}

} // namespace peakscope
