// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts text into the words that the model sees one by one. Used by the tokeniser put together from parts; safe from any
// thread once filled.
#pragma once

#include "core/text/regex_splitter.h"

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace peakscope {

// Puts a space before every piece that begins with none.
struct SpaceBeforeStep {
};

// SentencePiece's way: spaces become `replacement`, one is put in front, and words may be cut before each.
struct MetaspaceStep {
    enum class Prepend { Always, First, Never };
    std::string replacement = "\u2581";
    Prepend prepend = Prepend::Always; // First: only where the whole text begins
    bool split = true;
};

// Every character of a kind is a match.
struct CharacterStep {
    bool (*matches)(char32_t codePoint) = nullptr; // null: `character` does
    char32_t character = 0;
    SplitRule rule;
};

// Words and runs of what is neither word nor space: \w+|[^\w\s]+.
struct WordsStep {
};

// Pieces of so many characters.
struct LengthStep {
    std::size_t characters = 0; // above 0
};

// Every byte becomes GPT-2's character for it.
struct ByteCharactersStep {
};

using PreTokenizerStep = std::variant<RegexSplitter, SpaceBeforeStep, MetaspaceStep, CharacterStep, WordsStep,
                                      LengthStep, ByteCharactersStep>;

// GPT-2's own pattern, the default of every ByteLevel step.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class PreTokenizer
{
public:
    template <typename Step> // a PreTokenizerStep or one of its kinds
    void add(Step&& step)
    {
        m_steps.emplace_back(std::forward<Step>(step));
    }
    // Takes the last step away if it is a ByteCharactersStep, and says whether it was.
    bool dropByteCharacters();

    // The pieces of `text` (valid UTF-8), in order. They point into `text` and into `storage`, which gets the texts
    // that a step had to change. `beginsText`: `text` is the beginning of the whole.
    std::vector<std::string_view> split(std::string_view text, bool beginsText, std::deque<std::string>& storage) const;

private:
    std::vector<PreTokenizerStep> m_steps;
};

} // namespace peakscope
