// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Models that look words up: a word is a token (WordLevel), or the longest tokens it begins with, one after the other
// (WordPiece). Follow models::wordlevel and models::wordpiece of Hugging Face's tokenizers. Used by the tokeniser put
// together from parts; safe from any thread once made.
#pragma once

#include "core/text/bpe_model.h"

namespace peakscope {

struct WordModelOptions {
    bool cutsWords = false;        // WordPiece; else WordLevel
    std::string unknownToken;      // of a word that is not in the vocabulary, whole
    std::string continuingPrefix;  // WordPiece: of every token of a word but the first
    std::size_t longestWord = 100; // WordPiece: characters; a longer word is unknown
    bool byteTexts = false;        // words are GPT-2's characters for bytes; text() gives the bytes
};

class WordModel
{
public:
    // Ids must not be negative, and the unknown token must be in the vocabulary.
    static Result<WordModel> create(const Vocabulary& vocabulary, const WordModelOptions& options);

    // Appends the ids of one word.
    void encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    // The text of an id, with a space before it where it begins a word; empty where there is none.
    std::string_view text(std::int32_t id) const;
    // One above the highest id.
    std::int64_t size() const { return static_cast<std::int64_t>(m_texts.size()); }

private:
    bool cutWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    WordModelOptions m_options;
    Vocabulary m_words;
    std::vector<std::string> m_texts; // by id
    std::int32_t m_unknownId = -1;
};

} // namespace peakscope
