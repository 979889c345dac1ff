// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A tokeniser put together from its parts: added tokens, normaliser, pre-tokeniser, model. Made by the
// readers of tokenizer.json and of vocab.json with merges.txt.
#pragma once

#include "core/text/added_tokens.h"
#include "core/text/bpe_model.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/tokenizer.h"
#include "core/text/unigram_model.h"
#include "core/text/word_model.h"

#include <variant>

namespace peakscope {

// Bytes of a file of a tokeniser, at most.
inline constexpr std::int64_t kLargestTokenizerFile = std::int64_t{512} << 20;

struct TokenizerParts {
    std::vector<AddedToken> addedTokens;
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    std::variant<BpeModel, WordModel, UnigramModel> model;
    std::string spaceMark; // what spaces are written as in the vocabulary ("\u2581"); empty: as they are
    std::string name;
};

std::unique_ptr<Tokenizer> makePipelineTokenizer(TokenizerParts parts);

// Reads tokenizer.json. Every part that is not supported is an error that names it.
Result<std::unique_ptr<Tokenizer>> loadTokenizerJson(const std::filesystem::path& file);

// Reads vocab.json and merges.txt of `folder` (GPT-2, OPT), with what the folder's other files say of special tokens.
Result<std::unique_ptr<Tokenizer>> loadVocabAndMerges(const std::filesystem::path& folder);

// Reads a SentencePiece model.
Result<std::unique_ptr<Tokenizer>> loadSentencePiece(const std::filesystem::path& file);

} // namespace peakscope
