// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Standard output and standard error of every program: the only way to them, because names and messages that come from
// files, other programs and other machines may hold what a terminal obeys. What goes through here is shown, not obeyed.
#pragma once

#include <cstdio>
#include <string_view>

namespace peakscope {

class Terminal
{
public:
    explicit Terminal(std::FILE* stream) : m_stream(stream) {}

    // A line (oneLine) with its end.
    void line(std::string_view text);
    // Text with line breaks of its own (severalLines).
    void text(std::string_view text);
    // A JSON document or event (escapedJson: the same value) with a line end behind it. Sent at once.
    void json(std::string_view document);

    bool isTerminal() const;
    // A line that the next one takes the place of, on a terminal; nothing elsewhere.
    void showProgress(std::string_view text);
    void clearProgress();

    // False where something could not be written: a full disk, a reader that went away.
    bool flush();

private:
    void write(std::string_view text);

    std::FILE* m_stream;
    bool m_progressShown = false;
};

// What is said on it goes to standard error where sayOnStandardError() was called: standard output is a result's then.
Terminal& standardOutput();
Terminal& standardError();
void sayOnStandardError();

} // namespace peakscope
