// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair encoding: a vocabulary and ranked merges. Follows models::bpe of Hugging Face's tokenizers. Used by the
// tokeniser put together from parts; safe from any thread once made.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace peakscope {

using Vocabulary = std::unordered_map<std::string, std::int32_t>;
using MergeList = std::vector<std::pair<std::string, std::string>>; // the first merges first

inline constexpr std::int32_t kLargestTokenId = 1 << 28; // far beyond any vocabulary; bounds the table by id

struct BpeOptions {
    bool byteLevel = true;     // words are bytes, written in the vocabulary as GPT-2's printable characters
    bool byteTexts = false;    // words are such characters already; text() gives the bytes
    bool ignoreMerges = false; // a word that is in the vocabulary is one token, whatever the merges say
    bool byteFallback = false; // a character that is not in the vocabulary becomes its bytes, "<0xE2>" each
    bool fuseUnknown = false;  // several unknown characters are one unknown token
    std::string unknownToken;  // empty: unknown characters are dropped
    // What the vocabulary writes before every character of a word but the first, and behind the last. Not byteLevel.
    std::string continuingPrefix;
    std::string wordSuffix;
};

class BpeModel
{
public:
    // Every merge's parts and result must be in the vocabulary, and ids must not be negative.
    static Result<BpeModel> create(const Vocabulary& vocabulary, const MergeList& merges, const BpeOptions& options);

    // Appends the ids of one word.
    void encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    // The text of an id as bytes; empty where there is none.
    std::string_view text(std::int32_t id) const;
    // One above the highest id.
    std::int64_t size() const { return static_cast<std::int64_t>(m_texts.size()); }

private:
    struct Merge {
        std::int32_t rank = 0;
        std::int32_t id = 0;
    };
    struct PairHash {
        std::size_t operator()(std::uint64_t pair) const;
    };

    Status addTokens(const Vocabulary& vocabulary);
    Status addMerges(const Vocabulary& vocabulary, const MergeList& merges);
    std::vector<std::int32_t> symbolsOf(std::string_view word) const;
    bool appendKnown(const std::string& character, std::vector<std::int32_t>& symbols, bool& isUnknownOpen) const;
    std::vector<std::int32_t> characterSymbols(std::string_view word) const;
    std::string plainText(const std::string& token) const;
    void merge(const std::vector<std::int32_t>& symbols, std::vector<std::int32_t>& ids) const;
    const Merge* findMerge(std::int32_t left, std::int32_t right) const;

    BpeOptions m_options;
    std::array<std::int32_t, 256> m_byteIds{}; // byteLevel: of each byte; byteFallback: of "<0xNN>"; or -1
    Vocabulary m_words;                        // ids by text in bytes; only where needed to encode
    std::unordered_map<std::uint64_t, Merge, PairHash> m_merges;
    std::vector<std::string> m_texts; // by id, in bytes
    std::int32_t m_unknownId = -1;
};

// GPT-2's printable character for a byte, as UTF-8.
std::string byteCharacter(unsigned char byte);
// The same for all bytes of a text.
std::string byteCharacters(std::string_view bytes);
// The bytes that such characters stand for; nothing where `text` has another character.
std::optional<std::string> bytesOfCharacters(std::string_view text);

} // namespace peakscope
