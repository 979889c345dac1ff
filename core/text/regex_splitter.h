// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts text where a regular expression matches, or replaces what matches, as the Split and Replace steps of a Hugging
// Face tokeniser do. The patterns are Oniguruma's (Ruby syntax, Unicode); PCRE2 runs them. Used by the pre-tokeniser
// and the normaliser; safe from any thread once made.
#pragma once

#include "core/base/result.h"
#include "core/text/split_behavior.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

class RegexSplitter
{
public:
    // `pattern` in Oniguruma's syntax. What has another meaning in PCRE2 is translated; what cannot be is an error
    // that names it.
    static Result<RegexSplitter> fromPattern(std::string_view pattern, SplitRule rule);
    // Splits at every occurrence of `text` as it stands.
    static Result<RegexSplitter> fromText(std::string_view text, SplitRule rule);

    RegexSplitter(RegexSplitter&&) noexcept;
    RegexSplitter& operator=(RegexSplitter&&) noexcept;
    ~RegexSplitter();

    // Appends the pieces of `text` (valid UTF-8), in order, none of them empty.
    void split(std::string_view text, std::vector<std::string_view>& pieces) const;
    // `text` with `content`, as it stands, for every match.
    std::string replaced(std::string_view text, std::string_view content) const;
    // Whether a match may be empty: a place between characters.
    bool mayMatchNothing() const;
    // Bytes of the match that `text` begins with; 0 where it begins with none.
    std::size_t matchAtBegin(std::string_view text) const;

private:
    struct Code;
    template <typename Handle>
    void forEachMatch(std::string_view text, const Handle& handle) const;
    RegexSplitter(std::unique_ptr<Code> code, SplitRule rule);

    std::unique_ptr<Code> m_code;
    SplitRule m_rule;
};

// The PCRE2 pattern that means what `pattern` means to Oniguruma.
Result<std::string> pcrePattern(std::string_view pattern);
// Does PCRE2 know this pattern?
bool isPcrePattern(std::string_view pattern);

} // namespace peakscope
