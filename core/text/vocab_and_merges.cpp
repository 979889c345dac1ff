// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// vocab.json with merges.txt, as GPT-2 and OPT folders have them.
#include "core/text/pipeline_tokenizer.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#include <limits>
#include <map>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

Result<Json> readObject(const fs::path& file)
{
    const auto content = readTextFile(file, kLargestTokenizerFile);
    if (!content)
        return content.error();
    auto document = parseJson(*content, file.string());
    if (document && !document->is_object())
        return badInput(file.string(), "not a JSON object");
    return document;
}

// A file that need not be there: an empty object where it is not.
Result<Json> readObjectIfThere(const fs::path& file)
{
    std::error_code ignored;
    return fs::exists(file, ignored) ? readObject(file) : Result<Json>(Json::object());
}

Result<Vocabulary> readVocabulary(const fs::path& file)
{
    const auto document = readObject(file);
    if (!document)
        return document.error();
    Vocabulary vocabulary;
    vocabulary.reserve(document->size());
    for (const auto& [token, id] : document->items()) {
        const auto number = jsonInteger(id);
        if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max())
            return badInput(file.string(), fmt::format("token {} has {}; a token's id is needed", quotedText(token),
                                                       describeJson(id)));
        vocabulary.emplace(token, static_cast<std::int32_t>(*number));
    }
    return vocabulary;
}

// A merge a line; the first line may give the format's version.
Result<MergeList> readMerges(const fs::path& file)
{
    const auto content = readTextFile(file, kLargestTokenizerFile);
    if (!content)
        return content.error();
    MergeList merges;
    const std::string_view text = *content;
    std::size_t lineNumber = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        ++lineNumber;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty() || (lineNumber == 1 && line.starts_with("#version")))
            continue;
        const auto space = line.find(' ');
        if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
            return badInput(file.string(),
                            fmt::format("line {}: {} where two parts with a space between them are needed", lineNumber,
                                        quotedText(line)));
        merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
    return merges;
}

// What the folder's side files say of added tokens, by content.
class AddedTokenCollector
{
public:
    explicit AddedTokenCollector(const Vocabulary& vocabulary) : m_vocabulary(vocabulary) {}

    // {"<token>": id, ...}
    void addIds(const Json& object)
    {
        for (const auto& [content, id] : object.items()) {
            if (const auto number = jsonInteger(id); number && *number >= 0)
                add(content, static_cast<std::int32_t>(*number), Json::object());
        }
    }

    // {"50256": {"content": "<token>", "lstrip": false, ...}, ...}
    void addDecoder(const Json& object)
    {
        for (const auto& [id, entry] : object.items()) {
            const bool isNumber =
                !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
            if (const auto content = jsonAs<std::string>(lenient::member(entry, "content")); isNumber && content)
                add(*content, std::stoi(id), entry);
        }
    }

    // {"eos_token": "<token>" or {"content": ...}, "additional_special_tokens": [...]}: their ids are the vocabulary's.
    void addSpecial(const Json& object)
    {
        for (const auto& [key, value] : object.items()) {
            if (key.ends_with("_token"))
                addSpecialToken(value);
            else if (key == "additional_special_tokens" && value.is_array())
                for (const Json& entry : value)
                    addSpecialToken(entry);
        }
    }

    bool isEmpty() const { return m_tokens.empty(); }
    std::vector<AddedToken> take() const
    {
        std::vector<AddedToken> tokens;
        for (const auto& [content, token] : m_tokens)
            tokens.push_back(token);
        return tokens;
    }

    void addSpecialToken(const Json& value)
    {
        const Json* member = lenient::find(value, "content");
        const auto content = jsonAs<std::string>(member ? *member : value);
        if (!content)
            return;
        const auto known = m_vocabulary.find(*content);
        if (known != m_vocabulary.end())
            add(known->first, known->second, value);
    }

private:
    void add(const std::string& content, std::int32_t id, const Json& flags)
    {
        const auto flag = [&flags](const char* key) { return lenient::flag(flags, key); };
        // Without a normaliser it makes no difference which of the two texts is searched.
        m_tokens.try_emplace(content,
                             AddedToken{id, content, flag("single_word"), flag("lstrip"), flag("rstrip"), false, true});
    }

    const Vocabulary& m_vocabulary;
    std::map<std::string, AddedToken> m_tokens;
};

Result<std::vector<AddedToken>> readAddedTokens(const fs::path& folder, const Json& config,
                                                const Vocabulary& vocabulary)
{
    AddedTokenCollector collector(vocabulary);
    collector.addDecoder(lenient::object(config, "added_tokens_decoder"));
    const auto added = readObjectIfThere(folder / "added_tokens.json");
    if (!added)
        return added.error();
    collector.addIds(*added);
    const auto special = readObjectIfThere(folder / "special_tokens_map.json");
    if (!special)
        return special.error();
    collector.addSpecial(*special);
    collector.addSpecial(config);
    // Without any of these files it is GPT-2's own tokeniser, whose one special token this is.
    if (collector.isEmpty())
        collector.addSpecialToken("<|endoftext|>");
    return collector.take();
}

Status addPreTokenizer(const Json& config, TokenizerParts& parts)
{
    if (lenient::flag(config, "add_prefix_space"))
        parts.preTokenizer.add(SpaceBeforeStep{});
    const bool isQwen2 = lenient::text(config, "tokenizer_class").starts_with("Qwen2");
    if (isQwen2)
        parts.normalizer.add(NormalForm::Nfc);
    auto splitter = RegexSplitter::fromPattern(isQwen2 ? kQwen2Pattern : kGpt2Pattern, {});
    if (!splitter)
        return splitter.error();
    parts.preTokenizer.add(std::move(*splitter));
    return Done{};
}

} // namespace

Result<std::unique_ptr<Tokenizer>> loadVocabAndMerges(const fs::path& folder)
{
    const auto vocabulary = readVocabulary(folder / "vocab.json");
    if (!vocabulary)
        return vocabulary.error();
    const auto merges = readMerges(folder / "merges.txt");
    if (!merges)
        return merges.error();
    for (const auto& [left, right] : *merges) {
        if (right.ends_with("</w>"))
            return badInput((folder / "merges.txt").string(),
                            "merges with word ends (\"</w>\") are not supported; byte-level ones, as GPT-2's, are");
    }
    auto config = readObjectIfThere(folder / "tokenizer_config.json");
    if (!config)
        return config.error();
    auto model = BpeModel::create(*vocabulary, *merges, {});
    if (!model)
        return badInput((folder / "merges.txt").string(), model.error().message);
    auto added = readAddedTokens(folder, *config, *vocabulary);
    if (!added)
        return added.error();
    TokenizerParts parts;
    parts.addedTokens = std::move(*added);
    parts.model = std::move(*model);
    parts.name = "byte-pair encoding (vocab.json, merges.txt)";
    if (const Status status = addPreTokenizer(*config, parts); !status)
        return status.error();
    return makePipelineTokenizer(std::move(parts));
}

} // namespace peakscope
