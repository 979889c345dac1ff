// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/terminal.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace peakscope {

namespace {

// 0 where there is no such variable, or it is no number.
std::size_t environmentNumber(const char* variable)
{
    const char* text = std::getenv(variable);
    std::size_t number = 0;
    if (text)
        (void)std::from_chars(text, text + std::string_view(text).size(), number);
    return number;
}

// Two of what East Asian scripts write are as wide as four letters.
std::size_t columnsOf(char32_t character)
{
    return character >= 0x1100 && !(character >= 0x2000 && character < 0x2e80) ? 2 : 1;
}

std::string cutTo(std::size_t columns, const std::string& line)
{
    std::size_t used = 0, at = 0;
    while (at < line.size()) {
        const Utf8Step step = utf8At(line, at);
        used += columnsOf(step.codePoint);
        if (used > columns)
            break;
        at += step.bytes;
    }
    return line.substr(0, at);
}

} // namespace

void Terminal::line(std::string_view text)
{
    write(oneLine(text) + "\n");
}

void Terminal::text(std::string_view text)
{
    write(severalLines(text));
}

void Terminal::json(std::string_view document)
{
    write(escapedJson(std::string(document)) + "\n");
    (void)flush();
}

bool Terminal::isTerminal() const
{
    return ::isatty(::fileno(m_stream)) != 0;
}

void Terminal::showProgress(std::string_view text)
{
    if (!isTerminal())
        return;
    write("\r\033[K" + oneLine(text));
    (void)flush();
    m_progressShown = true;
}

void Terminal::clearProgress()
{
    if (m_progressShown)
        write("\r\033[K");
    m_progressShown = false;
}

TerminalSize Terminal::size() const
{
    winsize asked = {};
    const bool known = ::ioctl(::fileno(m_stream), TIOCGWINSZ, &asked) == 0;
    const auto first = [](std::size_t own, std::size_t variable, std::size_t usual) {
        return own > 0 ? own : variable > 0 ? variable : usual;
    };
    const TerminalSize usual;
    return {first(known ? asked.ws_col : 0, environmentNumber("COLUMNS"), usual.columns),
            first(known ? asked.ws_row : 0, environmentNumber("LINES"), usual.rows)};
}

void Terminal::showFrame(const std::vector<std::string>& lines)
{
    const TerminalSize room = size();
    const std::size_t shown = std::min(lines.size(), std::max<std::size_t>(room.rows, 2) - 1);
    std::string text = m_frameLines > 0 ? "\r\033[" + std::to_string(m_frameLines) + "A" : "\r";
    for (std::size_t i = 0; i < shown; ++i)
        text += cutTo(room.columns, oneLine(lines[i])) + "\033[K\n";
    write(text + "\033[J");
    (void)flush();
    m_frameLines = shown;
}

void Terminal::clearFrame()
{
    if (m_frameLines > 0)
        write("\r\033[" + std::to_string(m_frameLines) + "A\033[J");
    m_frameLines = 0;
    (void)flush();
}

bool Terminal::flush()
{
    return std::fflush(m_stream) == 0 && std::ferror(m_stream) == 0;
}

void Terminal::write(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), m_stream);
}

namespace {
bool elsewhere = false;
}

Terminal& standardOutput()
{
    static Terminal output(stdout);
    return elsewhere ? standardError() : output;
}

Terminal& standardError()
{
    static Terminal error(stderr);
    return error;
}

void sayOnStandardError()
{
    elsewhere = true;
}

} // namespace peakscope
