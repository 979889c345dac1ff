// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.json as Hugging Face's tokenizers writes it. Its truncation, padding, post-processor and decoder are for
// prompts and not for training text, and not read.
#include "core/text/bpe_tokenizer.h"

#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/base/json_reader.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#include <limits>

namespace peakscope {

namespace {

using Json = nlohmann::json;

class TokenizerJsonReader
{
public:
    TokenizerJsonReader(const Json& document, std::string path) : m_document(document), m_path(std::move(path)) {}

    Result<BpeParts> read();

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

    void readAddedTokens();
    void readNormalizer(const Json& step);
    void readReplace(const Json& step);
    void readPreTokenizer(const Json& step);
    void readSplit(const Json& step);
    void readByteLevel(const Json& step);
    void readMetaspace(const Json& step);
    void addSplitter(Result<RegexSplitter> splitter);
    void readModel();
    void checkModel(const Json& model);
    Vocabulary readVocabulary(const Json& model);
    MergeList readMerges(const Json& model);

    const Json& m_document;
    std::string m_path;
    std::optional<Error> m_error;
    BpeParts m_parts;
    bool m_isByteLevel = false;
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

void TokenizerJsonReader::readNormalizer(const Json& step)
{
    const std::string type = text(step, "type", {});
    if (type == "Sequence") {
        const Json* steps = lenient::find(step, "normalizers");
        for (std::size_t i = 0; steps && i < steps->size(); ++i)
            readNormalizer((*steps)[i]);
    } else if (type == "NFC") {
        m_parts.normalizer.addForm(NormalForm::Nfc);
    } else if (type == "NFD") {
        m_parts.normalizer.addForm(NormalForm::Nfd);
    } else if (type == "NFKC") {
        m_parts.normalizer.addForm(NormalForm::Nfkc);
    } else if (type == "NFKD") {
        m_parts.normalizer.addForm(NormalForm::Nfkd);
    } else if (type == "Prepend") {
        m_parts.normalizer.addPrepend(text(step, "prepend", {}));
    } else if (type == "Replace") {
        readReplace(step);
    } else {
        refuse("the normaliser", quotedText(type));
    }
}

void TokenizerJsonReader::readReplace(const Json& step)
{
    const Json* pattern = lenient::find(step, "pattern");
    const std::string from = pattern ? text(*pattern, "String", {}) : std::string();
    if (from.empty())
        return refuse("the normaliser", "\"Replace\" of something else than a text");
    const std::string to = text(step, "content", {});
    if (from == " ")
        m_parts.spaceMark = to;
    m_parts.normalizer.addReplace(from, to);
}

void TokenizerJsonReader::readPreTokenizer(const Json& step)
{
    const std::string type = text(step, "type", {});
    if (type == "Sequence") {
        const Json* steps = lenient::find(step, "pretokenizers");
        for (std::size_t i = 0; steps && i < steps->size(); ++i)
            readPreTokenizer((*steps)[i]);
        return;
    }
    if (m_isByteLevel)
        return refuse("the pre-tokeniser", quotedText(type) + " behind a ByteLevel one");
    if (type == "Split")
        readSplit(step);
    else if (type == "ByteLevel")
        readByteLevel(step);
    else if (type == "Metaspace")
        readMetaspace(step);
    else if (type == "Digits")
        addSplitter(RegexSplitter::fromPattern(flag(step, "individual_digits", false) ? "\\p{N}" : "\\p{N}+",
                                               SplitBehavior::Isolated));
    else
        refuse("the pre-tokeniser", quotedText(type));
}

void TokenizerJsonReader::addSplitter(Result<RegexSplitter> splitter)
{
    if (!splitter)
        return fail("the pre-tokeniser: " + splitter.error().text());
    m_parts.preTokenizer.add(std::move(*splitter));
}

void TokenizerJsonReader::readSplit(const Json& step)
{
    const std::string behavior = text(step, "behavior", {});
    const bool isInverted = flag(step, "invert", false);
    SplitBehavior kept = SplitBehavior::Isolated;
    if (behavior == "Removed")
        kept = isInverted ? SplitBehavior::KeepMatches : SplitBehavior::RemoveMatches;
    else if (behavior != "Isolated")
        return refuse("the pre-tokeniser \"Split\" with the behaviour", quotedText(behavior));
    const Json* pattern = lenient::find(step, "pattern");
    if (pattern && lenient::find(*pattern, "Regex"))
        addSplitter(RegexSplitter::fromPattern(text(*pattern, "Regex", {}), kept));
    else if (pattern && lenient::find(*pattern, "String"))
        addSplitter(RegexSplitter::fromText(text(*pattern, "String", {}), kept));
    else
        fail("the pre-tokeniser \"Split\" has no \"pattern\"");
}

void TokenizerJsonReader::readByteLevel(const Json& step)
{
    m_isByteLevel = true;
    if (flag(step, "add_prefix_space", true))
        m_parts.preTokenizer.add(SpaceBeforeStep{});
    if (flag(step, "use_regex", true))
        addSplitter(RegexSplitter::fromPattern(kGpt2Pattern, SplitBehavior::Isolated));
}

void TokenizerJsonReader::readMetaspace(const Json& step)
{
    MetaspaceStep made;
    made.replacement = text(step, "replacement", made.replacement);
    made.split = flag(step, "split", true);
    const std::string scheme = text(step, "prepend_scheme", flag(step, "add_prefix_space", true) ? "always" : "never");
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

void TokenizerJsonReader::checkModel(const Json& model)
{
    const std::string type = text(model, "type", "BPE"); // files from before the key existed are all of this type
    if (type != "BPE")
        return refuse("the tokeniser model", quotedText(type) + " (byte-pair encoding, \"BPE\", is)");
    const Json* dropout = lenient::find(model, "dropout");
    if (dropout && !(dropout->is_number() && dropout->get<double>() == 0))
        refuse("the tokeniser model's", "\"dropout\" (random merges)");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!text(model, key, {}).empty())
            refuse("the tokeniser model's", fmt::format("\"{}\"", key));
    }
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
    checkModel(*model);
    if (m_error)
        return;
    BpeOptions options;
    options.byteLevel = m_isByteLevel;
    options.ignoreMerges = flag(*model, "ignore_merges", false);
    options.byteFallback = flag(*model, "byte_fallback", false);
    options.fuseUnknown = flag(*model, "fuse_unk", false);
    options.unknownToken = text(*model, "unk_token", {});
    const Vocabulary vocabulary = readVocabulary(*model);
    const MergeList merges = readMerges(*model);
    if (m_error)
        return;
    auto made = BpeModel::create(vocabulary, merges, options);
    if (!made)
        return fail(made.error().message);
    m_parts.model = std::move(*made);
}

Result<BpeParts> TokenizerJsonReader::read()
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
    m_parts.name = "byte-pair encoding (tokenizer.json)";
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
    return makeBpeTokenizer(std::move(*parts));
}

} // namespace peakscope
