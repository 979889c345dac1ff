// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bpe_tokenizer.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <deque>

namespace peakscope {

namespace {

constexpr std::size_t kLongestCachedWord = 128;

class BpeTokenizer : public Tokenizer
{
public:
    explicit BpeTokenizer(BpeParts parts);

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

    BpeParts m_parts;
    AddedTokenMatcher m_rawTokens;        // searched for in the text as it is
    AddedTokenMatcher m_normalizedTokens; // searched for after normalising
    std::unordered_map<std::int32_t, std::string> m_addedTexts;
    std::int64_t m_vocabSize = 0;
};

BpeTokenizer::BpeTokenizer(BpeParts parts) : m_parts(std::move(parts)), m_vocabSize(m_parts.model.size())
{
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

std::vector<std::int32_t> BpeTokenizer::encode(std::string_view utf8) const
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
void BpeTokenizer::encodeSegment(std::string_view text, Call& call) const
{
    const bool beginsText = text.data() == call.begin;
    if (!m_parts.normalizer.isEmpty())
        text = call.storage.emplace_back(m_parts.normalizer.apply(text));
    std::vector<TextSegment> segments;
    m_normalizedTokens.split(text, segments);
    for (const TextSegment& segment : segments) {
        if (segment.id >= 0)
            call.ids.push_back(segment.id);
        else
            encodePlain(segment.text, beginsText && segment.text.data() == text.data(), call);
    }
}

void BpeTokenizer::encodePlain(std::string_view text, bool beginsText, Call& call) const
{
    for (const std::string_view word : m_parts.preTokenizer.split(text, beginsText, call.storage))
        encodeWord(word, call);
}

void BpeTokenizer::encodeWord(std::string_view word, Call& call) const
{
    if (word.size() > kLongestCachedWord) {
        m_parts.model.encodeWord(word, call.ids);
        return;
    }
    const auto [known, isNew] = call.words.try_emplace(word);
    if (isNew) {
        const std::size_t begin = call.ids.size();
        m_parts.model.encodeWord(word, call.ids);
        known->second = {begin, call.ids.size()};
        return;
    }
    for (std::size_t i = known->second.begin; i < known->second.end; ++i)
        call.ids.push_back(call.ids[i]);
}

std::string BpeTokenizer::decode(std::span<const std::int32_t> ids) const
{
    std::string result;
    for (const std::int32_t id : ids) {
        const auto added = m_addedTexts.find(id);
        result += added == m_addedTexts.end() ? m_parts.model.text(id) : std::string_view(added->second);
    }
    if (m_parts.spaceMark.empty())
        return result;
    // The mark in front was put there by the encoder.
    result = replacedText(result, m_parts.spaceMark, " ");
    return result.starts_with(' ') ? result.substr(1) : result;
}

} // namespace

std::unique_ptr<Tokenizer> makeBpeTokenizer(BpeParts parts)
{
    return std::make_unique<BpeTokenizer>(std::move(parts));
}

} // namespace peakscope
