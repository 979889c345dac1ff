// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts text where a regular expression matches, as the Split step of a Hugging Face tokeniser does. The patterns are
// Oniguruma's (Ruby syntax, Unicode); PCRE2 runs them. Used by the pre-tokeniser; safe from any thread once made.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// What becomes of the text that matches.
enum class SplitBehavior {
    Isolated,      // every match is a piece, and so is the text between two
    RemoveMatches, // only the text between matches is kept
    KeepMatches,   // only the matches are kept
};

class RegexSplitter
{
public:
    // `pattern` in Oniguruma's syntax. What has another meaning in PCRE2 is translated; what cannot be is an error
    // that names it.
    static Result<RegexSplitter> fromPattern(std::string_view pattern, SplitBehavior behavior);
    // Splits at every occurrence of `text` as it stands.
    static Result<RegexSplitter> fromText(std::string_view text, SplitBehavior behavior);

    RegexSplitter(RegexSplitter&&) noexcept;
    RegexSplitter& operator=(RegexSplitter&&) noexcept;
    ~RegexSplitter();

    // Appends the pieces of `text` (valid UTF-8), in order, none of them empty.
    void split(std::string_view text, std::vector<std::string_view>& pieces) const;

private:
    struct Code;
    RegexSplitter(std::unique_ptr<Code> code, SplitBehavior behavior);

    std::unique_ptr<Code> m_code;
    SplitBehavior m_behavior;
};

// The PCRE2 pattern that means what `pattern` means to Oniguruma.
Result<std::string> pcrePattern(std::string_view pattern);
// Does PCRE2 know this pattern?
bool isPcrePattern(std::string_view pattern);

} // namespace peakscope
