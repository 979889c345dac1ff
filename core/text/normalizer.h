// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a tokeniser does to text before it cuts it, a step after the other. Used by the tokeniser put together from
// parts; safe from any thread once filled.
#pragma once

#include "core/text/regex_splitter.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace peakscope {

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

// `text` in front of every text that is not empty.
struct PrependStep {
    std::string text;
};

// Every `from` (not empty) becomes `to`.
struct ReplaceStep {
    std::string from;
    std::string to;
};

struct ReplacePatternStep {
    RegexSplitter pattern;
    std::string to;
};

// White space at the ends goes away.
struct StripStep {
    bool left = true;
    bool right = true;
};

// Every character becomes what is appended for it: another, several, none.
struct CharactersStep {
    void (*append)(char32_t codePoint, std::string& text) = nullptr;
};

using NormalizerStep =
    std::variant<NormalForm, PrependStep, ReplaceStep, ReplacePatternStep, StripStep, CharactersStep>;

class Normalizer
{
public:
    template <typename Step> // a NormalizerStep or one of its kinds
    void add(Step&& step)
    {
        m_steps.emplace_back(std::forward<Step>(step));
    }
    bool isEmpty() const { return m_steps.empty(); }

    // `text` is valid UTF-8. `beginsText`, if given, becomes false where what comes out begins with a character behind
    // the first one of `text`.
    std::string apply(std::string_view text, bool* beginsText = nullptr) const;

private:
    std::vector<NormalizerStep> m_steps;
};

// What CharactersStep is made of, each as Hugging Face's normaliser of that name does it.
namespace characters {

void lowercase(char32_t codePoint, std::string& text);
void stripAccents(char32_t codePoint, std::string& text);
void nmt(char32_t codePoint, std::string& text);
void bytes(char32_t codePoint, std::string& text);
// The parts of BertNormalizer; its accents are stripped after NFD.
void bertClean(char32_t codePoint, std::string& text);
void bertSpaceIdeographs(char32_t codePoint, std::string& text);
void bertStripAccents(char32_t codePoint, std::string& text);

} // namespace characters

// `text` with every `from` (not empty) replaced by `to`.
std::string replacedText(std::string_view text, std::string_view from, std::string_view to);

} // namespace peakscope
