// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/word_model.h"

#include "core/text/characters.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

Result<WordModel> WordModel::create(const Vocabulary& vocabulary, const WordModelOptions& options)
{
    WordModel model;
    model.m_options = options;
    model.m_words = vocabulary;
    const std::string& prefix = options.continuingPrefix;
    for (const auto& [token, id] : vocabulary) {
        if (id < 0 || id > kLargestTokenId)
            return badInput({}, fmt::format("token {} has the id {}", quotedText(token), id));
        const auto index = static_cast<std::size_t>(id);
        if (index >= model.m_texts.size())
            model.m_texts.resize(index + 1);
        const bool continues = options.cutsWords && !prefix.empty() && token.starts_with(prefix);
        const std::string plain = continues ? token.substr(prefix.size()) : token;
        const auto bytes = options.byteTexts ? bytesOfCharacters(plain) : std::nullopt;
        model.m_texts[index] = bytes ? *bytes : continues ? plain : ' ' + plain;
    }
    const auto unknown = vocabulary.find(options.unknownToken);
    if (unknown == vocabulary.end())
        return badInput({},
                        fmt::format("the unknown token {} is not in the vocabulary", quotedText(options.unknownToken)));
    model.m_unknownId = unknown->second;
    return model;
}

// False, and `ids` as it was, where no token is found for a place in the word.
bool WordModel::cutWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    const std::size_t before = ids.size();
    const auto isContinuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    const auto characters = word.size() - static_cast<std::size_t>(std::ranges::count_if(word, isContinuation));
    if (characters > m_options.longestWord)
        return false;
    for (std::size_t begin = 0; begin < word.size();) {
        std::string token = begin > 0 ? m_options.continuingPrefix : std::string();
        const std::size_t prefix = token.size();
        token += word.substr(begin);
        auto found = m_words.find(token);
        while (found == m_words.end() && token.size() > prefix) {
            token.resize(stepBack(token, token.size()));
            if (token.size() > prefix)
                found = m_words.find(token);
        }
        if (found == m_words.end()) {
            ids.resize(before);
            return false;
        }
        ids.push_back(found->second);
        begin += token.size() - prefix;
    }
    return true;
}

void WordModel::encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    if (m_options.cutsWords && cutWord(word, ids))
        return;
    const auto known = m_options.cutsWords ? m_words.end() : m_words.find(std::string(word));
    ids.push_back(known == m_words.end() ? m_unknownId : known->second);
}

std::string_view WordModel::text(std::int32_t id) const
{
    const bool inside = id >= 0 && static_cast<std::size_t>(id) < m_texts.size();
    return inside ? std::string_view(m_texts[static_cast<std::size_t>(id)]) : std::string_view();
}

} // namespace peakscope
