// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/terminal.h"

#include "core/base/text.h"

#include <string>

#include <unistd.h>

namespace peakscope {

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
