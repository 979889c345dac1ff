// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unigram_model.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

constexpr double kUnknownPenalty = 10; // below the lowest score, as in SentencePiece

} // namespace

UnigramModel::UnigramModel(const std::vector<ScoredToken>& tokens, const UnigramOptions& options) : m_options(options)
{
    double lowest = tokens.front().score;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        lowest = std::min(lowest, tokens[i].score);
        m_scores.push_back(tokens[i].score);
        const auto bytes = options.byteTexts ? bytesOfCharacters(tokens[i].text) : std::nullopt;
        m_texts.push_back(bytes.value_or(tokens[i].text));
        addToken(tokens[i].text, static_cast<std::int32_t>(i));
    }
    m_unknownScore = lowest - kUnknownPenalty;
    for (int byte = 0; byte < 256; ++byte) {
        const auto found = m_ids.find(fmt::format("<0x{:02X}>", byte));
        m_byteIds[static_cast<std::size_t>(byte)] = found == m_ids.end() ? -1 : found->second;
        if (options.byteFallback && found != m_ids.end())
            m_texts[static_cast<std::size_t>(found->second)] = static_cast<char>(byte);
    }
}

// Of a text that stands twice the later id counts.
void UnigramModel::addToken(std::string_view token, std::int32_t id)
{
    m_ids.insert_or_assign(std::string(token), id);
    std::uint32_t node = 0;
    for (const char c : token) {
        const auto fresh = static_cast<std::uint32_t>(m_nodes.size());
        const auto [next, isNew] = m_nodes[node].next.try_emplace(static_cast<unsigned char>(c), fresh);
        node = next->second;
        if (isNew)
            m_nodes.emplace_back();
    }
    m_nodes[node].token = id;
}

// Forward through the word; of equal scores the token that begins first stays.
std::vector<UnigramModel::Path> UnigramModel::bestPaths(std::string_view word) const
{
    std::vector<Path> paths(word.size() + 1);
    const auto consider = [&](std::size_t begin, std::size_t end, double score, std::int32_t token) {
        const double whole = score + paths[begin].score;
        if (paths[end].token < 0 || whole > paths[end].score)
            paths[end] = {whole, begin, token};
    };
    for (std::size_t begin = 0; begin < word.size();) {
        const std::size_t next = begin + utf8At(word, begin).bytes;
        bool hasCharacter = false;
        const Node* node = &m_nodes.front();
        for (std::size_t i = begin; i < word.size(); ++i) {
            const auto step = node->next.find(static_cast<unsigned char>(word[i]));
            if (step == node->next.end())
                break;
            node = &m_nodes[step->second];
            if (node->token < 0)
                continue;
            consider(begin, i + 1, m_scores[static_cast<std::size_t>(node->token)], node->token);
            hasCharacter = hasCharacter || i + 1 == next;
        }
        if (!hasCharacter)
            consider(begin, next, m_unknownScore, m_options.unknownId);
        begin = next;
    }
    return paths;
}

void UnigramModel::appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const
{
    const auto idOf = [this](char c) { return m_byteIds[static_cast<unsigned char>(c)]; };
    if (const auto known = m_ids.find(std::string(text)); known != m_ids.end()) {
        ids.push_back(known->second);
    } else if (m_options.byteFallback && std::ranges::all_of(text, [&](char c) { return idOf(c) >= 0; })) {
        for (const char c : text)
            ids.push_back(idOf(c));
    } else {
        ids.push_back(m_options.unknownId);
    }
}

void UnigramModel::encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    const std::vector<Path> paths = bestPaths(word);
    std::vector<std::size_t> ends; // of the best tokens, the last first
    for (std::size_t end = word.size(); end > 0; end = paths[end].begin)
        ends.push_back(end);
    std::size_t begin = 0;
    for (std::size_t i = ends.size(); i-- > 0;) {
        const bool isUnknown = paths[ends[i]].token == m_options.unknownId;
        // Unknown tokens that touch are one.
        if (isUnknown && i > 0 && paths[ends[i - 1]].token == m_options.unknownId)
            continue;
        if (isUnknown)
            appendUnknown(word.substr(begin, ends[i] - begin), ids);
        else
            ids.push_back(paths[ends[i]].token);
        begin = ends[i];
    }
}

std::string_view UnigramModel::text(std::int32_t id) const
{
    const bool inside = id >= 0 && static_cast<std::size_t>(id) < m_texts.size();
    return inside ? std::string_view(m_texts[static_cast<std::size_t>(id)]) : std::string_view();
}

} // namespace peakscope
