// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/shell_line.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace peakscope {

namespace {

// What means something to a shell outside of quotes, and within "…".
constexpr std::string_view kForShells = "|&;<>()$`*?", kForShellsQuoted = "$`";

Error forAShell(char c)
{
    return badInput("command", fmt::format("\"{}\" is for a shell; put it in quotes, or write sh -c '…'", c));
}

} // namespace

std::string shellWord(const std::string& word)
{
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_./:=,+@%-") == std::string::npos;
    if (plain)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shellLine(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shellWord(word);
    return line;
}

Result<std::vector<std::string>> shellWords(const std::string& line)
{
    std::vector<std::string> words;
    bool within = false; // a word, perhaps an empty one
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (quote == 0 && blank) {
            within = false;
            continue;
        }
        if (!std::exchange(within, true))
            words.emplace_back();
        if (c == quote)
            quote = 0;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < line.size() &&
                 (quote == 0 || std::string_view("\\\"$`").find(line[i + 1]) != std::string_view::npos))
            words.back() += line[++i];
        else if (quote == 0 && words.back().empty() && (c == '#' || c == '~'))
            return forAShell(c); // a remark, a home
        else if (quote != '\'' && (quote == 0 ? kForShells : kForShellsQuoted).find(c) != std::string_view::npos)
            return forAShell(c);
        else
            words.back() += c;
    }
    if (quote != 0)
        return badInput("command", fmt::format("the quote {} has no end", quote));
    return words;
}

} // namespace peakscope
