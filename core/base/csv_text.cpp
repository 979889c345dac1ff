// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

constexpr std::array<std::string_view, 12> kFormulaStarts{"=",  "+",  "-",  "@",  "\t", "\r",
                                                          "\n", "＝", "＋", "－", "＠", "\xEF\xBB\xBF"};

std::size_t digitsAt(std::string_view text, std::string_view digits)
{
    return std::min(text.find_first_not_of(digits), text.size());
}

// With a sign or without; a comma may stand for the point, and a percent sign behind all.
bool isNumberText(std::string_view text)
{
    if (text.starts_with('+') || text.starts_with('-'))
        text.remove_prefix(1);
    const std::string word = lowerCase(text);
    if (word == "inf" || word == "infinity" || word == "nan")
        return true;
    std::size_t at = digitsAt(text, "0123456789.,");
    if (text.substr(0, at).find_first_of("0123456789") == std::string_view::npos)
        return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t digits = at + 1;
        digits += digits < text.size() && (text[digits] == '+' || text[digits] == '-');
        const std::size_t end = digits + digitsAt(text.substr(digits), "0123456789");
        at = end > digits ? end : at;
    }
    const std::string_view rest = text.substr(at);
    return rest.empty() || rest == "%" || rest == " %";
}

bool looksLikeFormula(std::string_view text)
{
    const std::string_view front = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    return front != "-" && front != "+" && !isNumberText(front) &&
           std::any_of(kFormulaStarts.begin(), kFormulaStarts.end(),
                       [front](std::string_view start) { return front.starts_with(start); });
}

// Of the text behind all its apostrophes: whichever of them is ours, it can be taken off again.
bool takesApostrophe(std::string_view text)
{
    return looksLikeFormula(text.substr(std::min(text.find_first_not_of('\''), text.size())));
}

} // namespace

std::string spreadsheetText(std::string_view text)
{
    return (takesApostrophe(text) ? "'" : "") + std::string(text);
}

std::string_view spreadsheetValue(std::string_view text)
{
    return text.starts_with('\'') && takesApostrophe(text) ? text.substr(1) : text;
}

std::string csvCell(std::string_view text)
{
    std::string cell = spreadsheetText(text);
    if (cell.find_first_of(",\"\r\n\t") == std::string::npos && trimmed(cell) == cell)
        return cell;
    std::string quoted = "\"";
    for (const char c : cell) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    return quoted + '"';
}

} // namespace peakscope
