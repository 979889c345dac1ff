// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model whose tokens have scores: a word becomes the tokens whose scores add up to the most (T. Kudo, "Subword
// Regularization", ACL 2018). Follows models::unigram of Hugging Face's tokenizers. Used by the tokeniser put together
// from parts; safe from any thread once made.
#pragma once

#include "core/text/bpe_model.h"

#include <map>

namespace peakscope {

struct ScoredToken {
    std::string text;
    double score = 0; // the logarithm of a probability
};

struct UnigramOptions {
    std::int32_t unknownId = 0;
    bool byteFallback = false; // what is unknown becomes its bytes, "<0xE2>" each, where the vocabulary has them all
    bool byteTexts = false;    // words are GPT-2's characters for bytes; text() gives the bytes
};

class UnigramModel
{
public:
    // A token's id is its place among `tokens`; the unknown one is there.
    UnigramModel(const std::vector<ScoredToken>& tokens, const UnigramOptions& options);

    // Appends the ids of one word.
    void encodeWord(std::string_view word, std::vector<std::int32_t>& ids) const;

    // The text of an id as bytes; empty where there is none.
    std::string_view text(std::int32_t id) const;
    std::int64_t size() const { return static_cast<std::int64_t>(m_texts.size()); }

private:
    struct Node {
        std::map<unsigned char, std::uint32_t> next;
        std::int32_t token = -1;
    };
    // The best way to cut a word up to a place: its last token, and where that begins.
    struct Path {
        double score = 0;
        std::size_t begin = 0;
        std::int32_t token = -1; // none ends here
    };

    void addToken(std::string_view token, std::int32_t id);
    std::vector<Path> bestPaths(std::string_view word) const;
    void appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const;

    UnigramOptions m_options;
    std::vector<Node> m_nodes = std::vector<Node>(1);
    Vocabulary m_ids;
    std::vector<double> m_scores; // by id
    std::vector<std::string> m_texts;
    std::array<std::int32_t, 256> m_byteIds{}; // of "<0xNN>", or -1
    double m_unknownScore = 0;
};

} // namespace peakscope
