// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bpe_model.h"

#include "core/base/utf8.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

namespace peakscope {

namespace {

// Printable Latin-1 stands for itself, the other 68 bytes for U+0100 and on (bytes_to_unicode of GPT-2's encoder.py).
struct ByteCharacters {
    std::array<char32_t, 256> ofByte{};
    std::unordered_map<char32_t, unsigned char> toByte;

    ByteCharacters()
    {
        char32_t next = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
            const auto index = static_cast<std::size_t>(byte);
            ofByte[index] = printable ? static_cast<char32_t>(byte) : next++;
            toByte[ofByte[index]] = static_cast<unsigned char>(byte);
        }
    }
};

const ByteCharacters& byteTable()
{
    static const ByteCharacters characters;
    return characters;
}

std::uint64_t pairKey(std::int32_t left, std::int32_t right)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

struct Candidate {
    std::int32_t rank = 0;
    std::size_t position = 0;
    std::int32_t id = 0;
    // The queue's top is the lowest rank, the leftmost of equal ones.
    bool operator<(const Candidate& other) const
    {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

constexpr std::size_t kNoPosition = static_cast<std::size_t>(-1);

struct Symbol {
    std::int32_t id = 0;
    std::size_t previous = kNoPosition;
    std::size_t next = kNoPosition;
    bool isGone = false;
};

} // namespace

std::string byteCharacter(unsigned char byte)
{
    std::string text;
    appendUtf8(text, byteTable().ofByte[byte]);
    return text;
}

std::string byteCharacters(std::string_view bytes)
{
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes)
        appendUtf8(text, byteTable().ofByte[static_cast<unsigned char>(byte)]);
    return text;
}

std::optional<std::string> bytesOfCharacters(std::string_view text)
{
    std::string bytes;
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        const auto found = byteTable().toByte.find(step.codePoint);
        if (!step.valid || found == byteTable().toByte.end())
            return std::nullopt;
        bytes += static_cast<char>(found->second);
        position += step.bytes;
    }
    return bytes;
}

std::size_t BpeModel::PairHash::operator()(std::uint64_t pair) const
{
    pair *= 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(pair ^ pair >> 32);
}

Result<BpeModel> BpeModel::create(const Vocabulary& vocabulary, const MergeList& merges, const BpeOptions& options)
{
    BpeModel model;
    model.m_options = options;
    if (const Status status = model.addTokens(vocabulary); !status)
        return status.error();
    if (const Status status = model.addMerges(vocabulary, merges); !status)
        return status.error();
    return model;
}

Status BpeModel::addTokens(const Vocabulary& vocabulary)
{
    for (const auto& [token, id] : vocabulary) {
        if (id < 0 || id > kLargestTokenId)
            return badInput({}, fmt::format("token {} has the id {}", quotedText(token), id));
        const auto index = static_cast<std::size_t>(id);
        if (index >= m_texts.size())
            m_texts.resize(index + 1);
        const auto bytes = m_options.byteLevel || m_options.byteTexts ? bytesOfCharacters(token) : std::nullopt;
        m_texts[index] = bytes.value_or(plainText(token));
        if (!m_options.byteLevel)
            m_words.emplace(token, id);
        else if (m_options.ignoreMerges && bytes)
            m_words.emplace(*bytes, id);
    }
    for (int byte = 0; byte < 256; ++byte) {
        const auto name =
            m_options.byteLevel ? byteCharacter(static_cast<unsigned char>(byte)) : fmt::format("<0x{:02X}>", byte);
        const auto found = vocabulary.find(name);
        m_byteIds[static_cast<std::size_t>(byte)] = found == vocabulary.end() ? -1 : found->second;
        if (!m_options.byteLevel && m_options.byteFallback && found != vocabulary.end())
            m_texts[static_cast<std::size_t>(found->second)] = static_cast<char>(byte);
    }
    if (m_options.unknownToken.empty())
        return Done{};
    const auto unknown = vocabulary.find(m_options.unknownToken);
    if (unknown == vocabulary.end() && m_options.byteLevel && std::ranges::min(m_byteIds) >= 0)
        return Done{}; // never asked for
    if (unknown == vocabulary.end())
        return badInput(
            {}, fmt::format("the unknown token {} is not in the vocabulary", quotedText(m_options.unknownToken)));
    m_unknownId = unknown->second;
    return Done{};
}

// A token without the marks of where in a word it stands.
std::string BpeModel::plainText(const std::string& token) const
{
    std::string text = token;
    const std::string& prefix = m_options.continuingPrefix;
    const std::string& suffix = m_options.wordSuffix;
    if (!suffix.empty() && text.ends_with(suffix))
        text = text.substr(0, text.size() - suffix.size()) + ' ';
    return !prefix.empty() && text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

Status BpeModel::addMerges(const Vocabulary& vocabulary, const MergeList& merges)
{
    m_merges.reserve(merges.size());
    std::int32_t rank = 0;
    for (const auto& [left, right] : merges) {
        const auto a = vocabulary.find(left);
        const auto b = vocabulary.find(right);
        const std::string joined = left + right.substr(std::min(m_options.continuingPrefix.size(), right.size()));
        const auto both = vocabulary.find(joined);
        for (const auto& [part, text] : {std::pair(a, left), std::pair(b, right), std::pair(both, joined)}) {
            if (part == vocabulary.end())
                return badInput({},
                                fmt::format("merge {} ({} and {}) needs the token {}, which is not in the vocabulary",
                                            rank, quotedText(left), quotedText(right), quotedText(text)));
        }
        m_merges.insert_or_assign(pairKey(a->second, b->second), Merge{rank++, both->second});
    }
    return Done{};
}

const BpeModel::Merge* BpeModel::findMerge(std::int32_t left, std::int32_t right) const
{
    const auto found = m_merges.find(pairKey(left, right));
    return found == m_merges.end() ? nullptr : &found->second;
}

// One character that is not a byte-level one: itself or its bytes, or nothing. Bytes go before an unknown token that is
// still open, as in tokenizers.
bool BpeModel::appendKnown(const std::string& character, std::vector<std::int32_t>& symbols, bool& isUnknownOpen) const
{
    if (const auto known = m_words.find(character); known != m_words.end()) {
        if (isUnknownOpen)
            symbols.push_back(m_unknownId);
        isUnknownOpen = false;
        symbols.push_back(known->second);
        return true;
    }
    const auto idOf = [this](char c) { return m_byteIds[static_cast<unsigned char>(c)]; };
    if (!m_options.byteFallback || !std::ranges::all_of(character, [&](char c) { return idOf(c) >= 0; }))
        return false;
    for (const char c : character)
        symbols.push_back(idOf(c));
    return true;
}

std::vector<std::int32_t> BpeModel::characterSymbols(std::string_view word) const
{
    std::vector<std::int32_t> symbols;
    symbols.reserve(word.size());
    bool isUnknownOpen = false;
    for (std::size_t position = 0; position < word.size();) {
        const std::size_t end = position + utf8At(word, position).bytes;
        std::string character(word.substr(position, end - position));
        if (position > 0)
            character.insert(0, m_options.continuingPrefix);
        if (end == word.size())
            character += m_options.wordSuffix;
        position = end;
        if (appendKnown(character, symbols, isUnknownOpen) || m_unknownId < 0)
            continue;
        if (isUnknownOpen && !m_options.fuseUnknown)
            symbols.push_back(m_unknownId);
        isUnknownOpen = true;
    }
    if (isUnknownOpen)
        symbols.push_back(m_unknownId);
    return symbols;
}

std::vector<std::int32_t> BpeModel::symbolsOf(std::string_view word) const
{
    if (!m_options.byteLevel)
        return characterSymbols(word);
    std::vector<std::int32_t> symbols;
    symbols.reserve(word.size());
    bool lastIsUnknown = false;
    for (const char c : word) {
        const std::int32_t id = m_byteIds[static_cast<unsigned char>(c)];
        if (id >= 0)
            symbols.push_back(id);
        else if (m_unknownId >= 0 && !(lastIsUnknown && m_options.fuseUnknown))
            symbols.push_back(m_unknownId);
        lastIsUnknown = id < 0;
    }
    return symbols;
}

void BpeModel::merge(const std::vector<std::int32_t>& symbols, std::vector<std::int32_t>& ids) const
{
    std::vector<Symbol> chain(symbols.size());
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        chain[i] = {symbols[i], i == 0 ? kNoPosition : i - 1, i + 1 == symbols.size() ? kNoPosition : i + 1, false};
        if (i == 0)
            continue;
        if (const Merge* merge = findMerge(symbols[i - 1], symbols[i]))
            found.push_back({merge->rank, i - 1, merge->id});
    }
    std::priority_queue<Candidate> queue(std::less<Candidate>(), std::move(found));
    const auto consider = [&](std::size_t left, std::size_t right) {
        if (const Merge* merge = findMerge(chain[left].id, chain[right].id))
            queue.push({merge->rank, left, merge->id});
    };
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = chain[best.position];
        if (left.isGone || left.next == kNoPosition)
            continue;
        Symbol& right = chain[left.next];
        const Merge* merge = findMerge(left.id, right.id);
        if (!merge || merge->id != best.id) // another merge came first
            continue;
        left.id = best.id;
        right.isGone = true;
        left.next = right.next;
        if (left.next != kNoPosition) {
            chain[left.next].previous = best.position;
            consider(best.position, left.next);
        }
        if (left.previous != kNoPosition)
            consider(left.previous, best.position);
    }
    for (const Symbol& symbol : chain) {
        if (!symbol.isGone)
            ids.push_back(symbol.id);
    }
}

void BpeModel::encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const
{
    if (m_options.ignoreMerges) {
        if (const auto known = m_words.find(std::string(word)); known != m_words.end()) {
            ids.push_back(known->second);
            return;
        }
    }
    merge(symbolsOf(word), ids);
}

std::string_view BpeModel::text(std::int32_t id) const
{
    const bool inside = id >= 0 && static_cast<std::size_t>(id) < m_texts.size();
    return inside ? std::string_view(m_texts[static_cast<std::size_t>(id)]) : std::string_view();
}

} // namespace peakscope
