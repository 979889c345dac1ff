// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pipeline_tokenizer.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace peakscope {

namespace {

constexpr std::size_t kLongestCachedWord = 128;

class PipelineTokenizer : public Tokenizer
{
public:
    explicit PipelineTokenizer(TokenizerParts parts);

    std::vector<std::int32_t> encode(std::string_view utf8) const override;
    std::string decode(std::span<const std::int32_t> ids) const override;
    std::int64_t vocabSize() const override { return m_vocabSize; }
    std::string name() const override { return m_parts.name; }

private:
    // One call's memory of the words it has met: text repeats its words.
    struct Call {
        struct Range {
            std::size_t begin = 0;
            std::size_t end = 0;
        };
        std::vector<std::int32_t> ids;
        std::unordered_map<std::string_view, Range> words; // where `ids` has them
        std::deque<std::string> storage;                   // what the views point into
        const char* begin = nullptr;                       // of the whole text
    };

    void encodeSegment(std::string_view text, Call& call) const;
    void encodePlain(std::string_view text, bool beginsText, Call& call) const;
    void encodeWord(std::string_view word, Call& call) const;
    void askModel(std::string_view word, std::vector<std::int32_t>& ids) const;
    std::string_view textOf(std::int32_t id) const;

    TokenizerParts m_parts;
    AddedTokenMatcher m_rawTokens;        // searched for in the text as it is
    AddedTokenMatcher m_normalizedTokens; // searched for after normalising
    std::unordered_map<std::int32_t, std::string> m_addedTexts;
    std::int64_t m_vocabSize = 0;
};

PipelineTokenizer::PipelineTokenizer(TokenizerParts parts) : m_parts(std::move(parts))
{
    m_vocabSize = std::visit([](const auto& model) { return model.size(); }, m_parts.model);
    for (AddedToken token : m_parts.addedTokens) {
        m_vocabSize = std::max<std::int64_t>(m_vocabSize, token.id + 1);
        m_addedTexts[token.id] = token.content;
        if (!token.normalized) {
            m_rawTokens.add(token);
            continue;
        }
        token.content = m_parts.normalizer.apply(token.content);
        m_normalizedTokens.add(token);
    }
}

std::vector<std::int32_t> PipelineTokenizer::encode(std::string_view utf8) const
{
    Call call;
    if (!isValidUtf8(utf8))
        utf8 = call.storage.emplace_back(repairedUtf8(utf8));
    call.begin = utf8.data();
    call.ids.reserve(utf8.size() / 3);
    std::vector<TextSegment> segments;
    m_rawTokens.split(utf8, segments);
    for (const TextSegment& segment : segments) {
        if (segment.id >= 0)
            call.ids.push_back(segment.id);
        else
            encodeSegment(segment.text, call);
    }
    return std::move(call.ids);
}

// A stretch between tokens that are searched for in the text as it is.
void PipelineTokenizer::encodeSegment(std::string_view text, Call& call) const
{
    bool beginsText = text.data() == call.begin;
    if (!m_parts.normalizer.isEmpty())
        text = call.storage.emplace_back(m_parts.normalizer.apply(text, &beginsText));
    std::vector<TextSegment> segments;
    m_normalizedTokens.split(text, segments);
    for (const TextSegment& segment : segments) {
        if (segment.id >= 0)
            call.ids.push_back(segment.id);
        else
            encodePlain(segment.text, beginsText && segment.text.data() == text.data(), call);
    }
}

void PipelineTokenizer::encodePlain(std::string_view text, bool beginsText, Call& call) const
{
    for (const std::string_view word : m_parts.preTokenizer.split(text, beginsText, call.storage))
        encodeWord(word, call);
}

void PipelineTokenizer::encodeWord(std::string_view word, Call& call) const
{
    if (word.size() > kLongestCachedWord) {
        askModel(word, call.ids);
        return;
    }
    const auto [known, isNew] = call.words.try_emplace(word);
    if (isNew) {
        const std::size_t begin = call.ids.size();
        askModel(word, call.ids);
        known->second = {begin, call.ids.size()};
        return;
    }
    for (std::size_t i = known->second.begin; i < known->second.end; ++i)
        call.ids.push_back(call.ids[i]);
}

void PipelineTokenizer::askModel(std::string_view word, std::vector<std::int32_t>& ids) const
{
    std::visit([&](const auto& model) { model.encodeWord(word, ids); }, m_parts.model);
}

std::string_view PipelineTokenizer::textOf(std::int32_t id) const
{
    if (const auto added = m_addedTexts.find(id); added != m_addedTexts.end())
        return added->second;
    return std::visit([id](const auto& model) { return model.text(id); }, m_parts.model);
}

std::string PipelineTokenizer::decode(std::span<const std::int32_t> ids) const
{
    std::string result;
    for (const std::int32_t id : ids)
        result += textOf(id);
    const bool spacesWords = std::holds_alternative<WordModel>(m_parts.model);
    if (m_parts.spaceMark.empty() && !spacesWords)
        return result;
    // The mark in front was put there by the encoder, the space of a word by its model.
    if (!m_parts.spaceMark.empty())
        result = replacedText(result, m_parts.spaceMark, " ");
    return result.starts_with(' ') ? result.substr(1) : result;
}

} // namespace

std::unique_ptr<Tokenizer> makePipelineTokenizer(TokenizerParts parts)
{
    return std::make_unique<PipelineTokenizer>(std::move(parts));
}

} // namespace peakscope
