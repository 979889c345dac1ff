// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/regex_splitter.h"

#include "core/base/utf8.h"
#include "core/text/characters.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace peakscope {

namespace {

struct MatchDataDeleter {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
using MatchData = std::unique_ptr<pcre2_match_data, MatchDataDeleter>;

// The next match at or behind `from`: 1 found, else PCRE2's negative code.
int findMatch(const pcre2_code* code, std::string_view text, std::size_t from, pcre2_match_data* data)
{
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    const int found = pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, nullptr);
    if (found != PCRE2_ERROR_JIT_STACKLIMIT)
        return found;
    // The interpreter keeps its state on the heap and goes deeper than the compiled code's fixed stack.
    return pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, nullptr);
}

} // namespace

struct RegexSplitter::Code {
    pcre2_code* code = nullptr;
    Code() = default;
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() { pcre2_code_free(code); }

    static Result<std::unique_ptr<Code>> compile(std::string_view pattern, std::uint32_t options)
    {
        auto made = std::make_unique<Code>();
        pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        int error = 0;
        PCRE2_SIZE offset = 0;
        made->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | options,
                                   &error, &offset, context);
        pcre2_compile_context_free(context);
        if (!made->code) {
            PCRE2_UCHAR message[200] = {};
            pcre2_get_error_message(error, message, sizeof message);
            return badInput({}, fmt::format("the pattern {} cannot be used: {} at byte {}", quotedText(pattern),
                                            reinterpret_cast<const char*>(message), offset));
        }
        // Where the system forbids making code at run time, matching is slower and the same.
        pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE);
        return made;
    }
};

bool isPcrePattern(std::string_view pattern)
{
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                     PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
    pcre2_code_free(code);
    return code != nullptr;
}

RegexSplitter::RegexSplitter(std::unique_ptr<Code> code, SplitRule rule) : m_code(std::move(code)), m_rule(rule) {}
RegexSplitter::RegexSplitter(RegexSplitter&&) noexcept = default;
RegexSplitter& RegexSplitter::operator=(RegexSplitter&&) noexcept = default;
RegexSplitter::~RegexSplitter() = default;

Result<RegexSplitter> RegexSplitter::fromPattern(std::string_view pattern, SplitRule rule)
{
    const auto translated = pcrePattern(pattern);
    if (!translated)
        return translated.error();
    auto code = Code::compile(*translated, PCRE2_UCP | PCRE2_MULTILINE);
    if (!code)
        return code.error();
    return RegexSplitter(std::move(*code), rule);
}

Result<RegexSplitter> RegexSplitter::fromText(std::string_view text, SplitRule rule)
{
    if (text.empty())
        return badInput({}, "an empty text to split at");
    auto code = Code::compile(text, PCRE2_LITERAL);
    if (!code)
        return code.error();
    return RegexSplitter(std::move(*code), rule);
}

// handle(begin, end) for the matches from left to right. An empty match counts, too, unless the one before it ends
// there.
template <typename Handle>
void RegexSplitter::forEachMatch(std::string_view text, const Handle& handle) const
{
    const MatchData data(pcre2_match_data_create_from_pattern(m_code->code, nullptr));
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(data.get());
    std::size_t from = 0;
    std::size_t lastEnd = std::string_view::npos;
    // A match that fails for want of resources ends the search; the rest counts as no match.
    while (from <= text.size() && findMatch(m_code->code, text, from, data.get()) > 0) {
        const std::size_t begin = range[0];
        const std::size_t end = range[1];
        if (end <= begin && end == lastEnd) {
            from += from < text.size() ? utf8At(text, from).bytes : 1;
            continue;
        }
        handle(begin, end);
        from = lastEnd = end;
    }
}

void RegexSplitter::split(std::string_view text, std::vector<std::string_view>& pieces) const
{
    PieceCollector collector(text, m_rule, pieces);
    forEachMatch(text, [&](std::size_t begin, std::size_t end) { collector.addMatch(begin, end); });
    collector.finish();
}

bool RegexSplitter::mayMatchNothing() const
{
    std::uint32_t may = 0;
    pcre2_pattern_info(m_code->code, PCRE2_INFO_MATCHEMPTY, &may);
    return may != 0;
}

std::size_t RegexSplitter::matchAtBegin(std::string_view text) const
{
    const MatchData data(pcre2_match_data_create_from_pattern(m_code->code, nullptr));
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(data.get());
    const bool isFound = findMatch(m_code->code, text, 0, data.get()) > 0;
    return isFound && range[0] == 0 ? range[1] : 0;
}

std::string RegexSplitter::replaced(std::string_view text, std::string_view content) const
{
    std::string result;
    if (text.empty())
        return result;
    std::size_t done = 0;
    forEachMatch(text, [&](std::size_t begin, std::size_t end) {
        result += text.substr(done, begin - done);
        result += content;
        done = end;
    });
    result += text.substr(done);
    return result;
}

} // namespace peakscope
