// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Standard output and standard error of every program: the only way to them, because names and messages that come from
// files, other programs and other machines may hold what a terminal obeys. What goes through here is shown, not obeyed.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// In characters.
struct TerminalSize {
    std::size_t columns = 80, rows = 24;
};

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

    // Of the terminal, else as COLUMNS and LINES have it, else the usual one.
    TerminalSize size() const;
    // Lines that the next ones take the place of, cut to the terminal's size; for a terminal alone. The cursor is left
    // on the line below them, so that whatever ends the program leaves the terminal in order.
    void showFrame(const std::vector<std::string>& lines);
    void clearFrame();

    // False where something could not be written: a full disk, a reader that went away.
    bool flush();

private:
    void write(std::string_view text);

    std::FILE* m_stream;
    bool m_progressShown = false;
    std::size_t m_frameLines = 0;
};

// What is said on it goes to standard error where sayOnStandardError() was called: standard output is a result's then.
Terminal& standardOutput();
Terminal& standardError();
void sayOnStandardError();

} // namespace peakscope
