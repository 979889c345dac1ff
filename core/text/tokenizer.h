// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text to token ids and back. Used for training data; const functions are safe from any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    // The ids of a text. What is not UTF-8 is read as U+FFFD (not by bytes(), which takes bytes as they are). No token
    // is put before or behind the text (no beginning-of-text and the like): training text is one stream. Special
    // tokens that stand in the text are recognised where the tokeniser's files say so.
    virtual std::vector<std::int32_t> encode(std::string_view utf8) const = 0;

    // The bytes that ids stand for; ids that are none are left out.
    virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

    // One above the highest id that encode() can give.
    virtual std::int64_t vocabSize() const = 0;

    // What it is, for notes and messages: "bytes", "byte-pair encoding (tokenizer.json)".
    virtual std::string name() const = 0;

    // The tokeniser of a Hugging Face folder: tokenizer.json, else vocab.json with merges.txt, else tokenizer.model
    // (SentencePiece). What is not supported is refused by name; where tokenizer.json is and tokenizer.model is there
    // too, that one is taken.
    static Result<std::unique_ptr<Tokenizer>> load(const std::filesystem::path& folder);

    // 256 ids, a byte each.
    static std::unique_ptr<Tokenizer> bytes();
};

} // namespace peakscope
