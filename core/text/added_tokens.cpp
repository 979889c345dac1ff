// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/added_tokens.h"

#include "core/base/utf8.h"
#include "core/text/characters.h"

#include <algorithm>

namespace peakscope {

namespace {

bool isInsideWord(std::string_view text, std::size_t begin, std::size_t end)
{
    const bool before = begin > 0 && isWordCharacter(utf8At(text, stepBack(text, begin)).codePoint);
    const bool behind = end < text.size() && isWordCharacter(utf8At(text, end).codePoint);
    return before || behind;
}

} // namespace

void AddedTokenMatcher::add(const AddedToken& token)
{
    if (token.content.empty())
        return;
    std::uint32_t node = 0;
    for (const char c : token.content) {
        const auto byte = static_cast<unsigned char>(c);
        auto next = m_nodes[node].next.find(byte);
        if (next == m_nodes[node].next.end()) {
            next = m_nodes[node].next.emplace(byte, static_cast<std::uint32_t>(m_nodes.size())).first;
            node = next->second;
            m_nodes.emplace_back();
        } else {
            node = next->second;
        }
    }
    m_begins[static_cast<unsigned char>(token.content[0])] = true;
    m_nodes[node].token = static_cast<std::int32_t>(m_tokens.size());
    m_tokens.push_back(token);
}

AddedTokenMatcher::Match AddedTokenMatcher::longestAt(std::string_view text, std::size_t position) const
{
    Match match;
    std::uint32_t node = 0;
    for (std::size_t i = position; i < text.size(); ++i) {
        const auto next = m_nodes[node].next.find(static_cast<unsigned char>(text[i]));
        if (next == m_nodes[node].next.end())
            break;
        node = next->second;
        if (m_nodes[node].token >= 0)
            match = {i + 1 - position, &m_tokens[static_cast<std::size_t>(m_nodes[node].token)]};
    }
    return match;
}

void AddedTokenMatcher::split(std::string_view text, std::vector<TextSegment>& segments) const
{
    std::size_t done = 0;
    for (std::size_t position = 0; position < text.size();) {
        const Match match = m_begins[static_cast<unsigned char>(text[position])] ? longestAt(text, position) : Match{};
        if (!match.token) {
            ++position;
            continue;
        }
        std::size_t begin = position;
        std::size_t end = position + match.bytes;
        position = end;
        if (match.token->singleWord && isInsideWord(text, begin, end))
            continue;
        if (match.token->stripLeft)
            begin = spaceBefore(text, begin);
        if (match.token->stripRight)
            end = spaceBehind(text, end);
        // White space that an earlier token took along is gone; a token inside it is found all the same.
        begin = std::max(begin, done);
        if (begin > done)
            segments.push_back({text.substr(done, begin - done)});
        segments.push_back({text.substr(begin, std::max(begin, end) - begin), match.token->id});
        done = std::max(done, end);
    }
    if (done < text.size())
        segments.push_back({text.substr(done)});
}

} // namespace peakscope
