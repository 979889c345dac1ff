// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/command_text.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace peakscope {
namespace {

// Unicode 15: what has no picture of its own, or one that passes for a blank: categories Cc, Cf, Zl, Zp, Zs but the
// blank itself, Co, fillers, selectors of variants and noncharacters.
constexpr std::array<std::pair<char32_t, char32_t>, 44> kUnseen{{
    {0x0, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},      {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},      {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},   {0x180b, 0x180f},    {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800},   {0x3000, 0x3000},    {0x3164, 0x3164},
    {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},    {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},  {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff},  {0x3fffe, 0x3ffff},
    {0x4fffe, 0x4ffff}, {0x5fffe, 0x5ffff}, {0x6fffe, 0x6ffff}, {0x7fffe, 0x7ffff},  {0x8fffe, 0x8ffff},
    {0x9fffe, 0x9ffff}, {0xafffe, 0xaffff}, {0xe0000, 0xe0fff}, {0xefffe, 0x10ffff},
}};

bool isUnseen(char32_t character)
{
    return std::any_of(kUnseen.begin(), kUnseen.end(), [character](const auto& range) {
        return character >= range.first && character <= range.second;
    });
}

std::string written(std::string_view text, bool quoted)
{
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = utf8At(text, at);
        if (!step.valid)
            line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
        else if (step.codePoint == '\n')
            line += "\\n";
        else if (step.codePoint == '\t')
            line += "\\t";
        else if (isUnseen(step.codePoint))
            line += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(step.codePoint));
        else if (quoted && (step.codePoint == '"' || step.codePoint == '\\'))
            line += {'\\', text[at]};
        else
            line += text.substr(at, step.bytes);
        at += step.valid ? step.bytes : 1;
    }
    return line;
}

bool isPlain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./~^-").find(static_cast<char>(c)) != std::string_view::npos;
}

} // namespace

std::string commandText(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words) {
        line += line.empty() ? "" : " ";
        const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), isPlain);
        line += plain ? word : '"' + written(word, true) + '"';
    }
    return line;
}

std::string visibleText(std::string_view text)
{
    return written(text, false);
}

} // namespace peakscope
